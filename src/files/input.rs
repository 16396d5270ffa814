//! Reads files that other programs or people wrote. Only regular files are opened, because a pipe can block and a
//! device can be endless. A path below a folder cannot lead out of the folder.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat, openat2};
use nix::sys::stat::{Mode, SFlag, fstat};

use crate::error::{Error, Result};

/// The size of the largest source file that is read, in bytes. Parsing a file needs several times its size in memory.
pub const LARGEST_SOURCE: u64 = 16 << 20;

/// Opens the regular file at `path`, following links. Errors for anything else, such as a folder, a pipe or a device.
pub fn open(path: &Path) -> Result<File> {
    let cannot = |why| Error::io("open", path, why);
    // The type is checked before the file is opened, because just opening a device can change its state.
    regular(path, fs::metadata(path).map_err(cannot)?.file_type())?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits())
        .open(path)
        .map_err(cannot)?;
    regular(path, file.metadata().map_err(cannot)?.file_type())?;
    Ok(file)
}

/// Errors when `path` is something other than a regular file, such as a pipe or a device. Links are followed. It is no
/// error if nothing is there.
pub fn refuse_special(path: &Path) -> Result<()> {
    fs::metadata(path).map_or(Ok(()), |about| regular(path, about.file_type()))
}

/// Opens the regular file at `inside` below `root`. A link is followed if it is relative and stays below `root`;
/// without the system call `openat2`, no link is followed. `root` itself may be a link. Errors when the file is not a
/// regular file, or is not below `root`.
pub fn open_beneath(root: &Path, inside: &Path) -> Result<File> {
    let path = root.join(inside);
    let place = resolve(root, inside, OFlag::O_PATH).map_err(|why| refused(&path, why))?;
    let about = File::from(place).metadata();
    let about = about.map_err(|why| Error::io("open", &path, why))?;
    regular(&path, about.file_type())?;
    let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = File::from(resolve(root, inside, flags).map_err(|why| refused(&path, why))?);
    let about = file
        .metadata()
        .map_err(|why| Error::io("open", &path, why))?;
    regular(&path, about.file_type())?;
    Ok(file)
}

/// The bytes of the file at `inside` below `root`, opened as in [`open_beneath`]. Errors when there are more than
/// `limit` bytes.
pub fn read_beneath(root: &Path, inside: &Path, limit: u64) -> Result<Vec<u8>> {
    let path = root.join(inside);
    read_all(open_beneath(root, inside)?, &path, limit)
}

/// The bytes of the regular file at `path`, opened as in [`open`]. Errors when there are more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    read_all(open(path)?, path, limit)
}

/// The text of the regular file at `path`, such as a settings file. Errors when it is not UTF-8, or has more than
/// [`LARGEST_SOURCE`] bytes.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path, LARGEST_SOURCE)?).map_err(|_| {
        Error::data("cannot read: the file is not UTF-8")
            .at(path)
            .hint("save it as UTF-8")
    })
}

fn read_all(file: File, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let cannot = |why| Error::io("read", path, why);
    let size = file.metadata().map_err(cannot)?.len();
    let mut bytes = Vec::new();
    if size <= limit {
        bytes.reserve(usize::try_from(size).unwrap_or_default());
        // The file may have grown, or its size may be reported as 0, as in /proc. Reading one byte more than `limit`
        // shows that the file is too large.
        let mut input = file.take(limit + 1);
        input.read_to_end(&mut bytes).map_err(cannot)?;
    }
    if size > limit || bytes.len() as u64 > limit {
        let size = size.max(bytes.len() as u64);
        return Err(too_large(path, size, limit));
    }
    Ok(bytes)
}

/// The error for a file of `size` bytes, which is larger than the allowed `limit` bytes.
pub fn too_large(path: &Path, size: u64, limit: u64) -> Error {
    let (size, limit) = (size.div_ceil(1 << 20), limit >> 20);
    Error::data(format!(
        "the file has {size} MB; at most {limit} MB are read"
    ))
    .at(path)
    .hint("remove the file from the project, or make it smaller")
}

/// The text of a small file in UTF-8, or in UTF-16 or UTF-32 with a byte order mark, as PowerShell writes it. The text
/// has no byte order mark, and its lines end with line feeds. What cannot be decoded becomes U+FFFD.
pub fn decode_text(bytes: &[u8]) -> String {
    let units = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let (pairs, odd) = rest.as_chunks();
        let lost = (!odd.is_empty()).then_some(0xfffd);
        let units = pairs.iter().map(|pair| read(*pair)).chain(lost);
        char::decode_utf16(units)
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    let characters = |rest: &[u8], read: fn([u8; 4]) -> u32| {
        let (quads, _) = rest.as_chunks();
        let characters = quads.iter().map(|quad| char::from_u32(read(*quad)));
        characters
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    let text = match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => characters(rest, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, rest @ ..] => characters(rest, u32::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => String::from_utf8_lossy(rest).into_owned(),
    };
    if text.contains('\r') {
        return text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

/// Errors when `start`, the first bytes of the file at `path`, show that the file is compressed, or that its text is
/// UTF-16 or UTF-32. The hint names the command that makes UTF-8 text of it.
pub fn refuse_encoded(path: &Path, start: &[u8]) -> Result<()> {
    let text = |name: &str| (name.to_owned(), format!("iconv -f {name} -t UTF-8"));
    let packed = |name: &str, command: &str| (name.to_owned(), command.to_owned());
    let (what, command) = match start {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => text("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => text("UTF-16"),
        [b'{' | b'[', 0, ..] => text("UTF-16LE"),
        [0, b'{' | b'[', ..] => text("UTF-16BE"),
        [0x1f, 0x8b, ..] => packed("compressed with gzip", "gunzip -c"),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => packed("a zip archive", "unzip -p"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => packed("compressed with zstd", "zstd -dc"),
        [b'B', b'Z', b'h', b'0'..=b'9', ..] => packed("compressed with bzip2", "bunzip2 -c"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => packed("compressed with xz", "xz -dc"),
        _ => return Ok(()),
    };
    let path_text = path.display();
    Err(Error::data(format!("the file is {what}, not UTF-8 text"))
        .at(path)
        .hint(format!("convert it: {command} {path_text} > NEW_FILE")))
}

/// Whether `inside` is a folder below `root`. A link that leads out of `root` is not followed.
pub fn is_folder_beneath(root: &Path, inside: &Path) -> bool {
    resolve(root, inside, OFlag::O_PATH | OFlag::O_DIRECTORY).is_ok()
}

/// Whether `inside` is a regular file below `root`. A link that leads out of `root` is not followed.
pub fn is_file_beneath(root: &Path, inside: &Path) -> bool {
    let place = resolve(root, inside, OFlag::O_PATH).map(File::from);
    let about = place
        .map_err(io::Error::from)
        .and_then(|own| own.metadata());
    about.is_ok_and(|about| about.is_file())
}

/// Opens `inside` below `root` with `flags`. A link is followed only if it stays below `root`.
fn resolve(root: &Path, inside: &Path, flags: OFlag) -> nix::Result<OwnedFd> {
    let flags = flags | OFlag::O_CLOEXEC;
    let folder = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let root = nix::fcntl::open(root, folder, Mode::empty())?;
    let within = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS;
    let how = OpenHow::new().flags(flags).resolve(within);
    match openat2(&root, inside, how) {
        // Linux before 5.6 does not have `openat2`, and some sandboxes do not allow it.
        Err(Errno::ENOSYS | Errno::EPERM) => by_component(root, inside, flags),
        other => other,
    }
}

/// Opens `inside` below the folder `root` without `openat2`. No links are followed.
fn by_component(root: OwnedFd, inside: &Path, flags: OFlag) -> nix::Result<OwnedFd> {
    let folder = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let mut names = Vec::new();
    for component in inside.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(Errno::EXDEV),
        }
    }
    let Some((last, folders)) = names.split_last() else {
        return openat(&root, ".", flags, Mode::empty());
    };
    let mut at = root;
    for name in folders {
        at = openat(&at, *name, folder | OFlag::O_NOFOLLOW, Mode::empty())?;
    }
    let found = openat(&at, *last, flags | OFlag::O_NOFOLLOW, Mode::empty())?;
    // With `O_PATH`, opening a link succeeds, and gives the link itself.
    let kind = SFlag::from_bits_truncate(fstat(&found)?.st_mode) & SFlag::S_IFMT;
    if kind == SFlag::S_IFLNK {
        return Err(Errno::ELOOP);
    }
    Ok(found)
}

fn refused(path: &Path, why: Errno) -> Error {
    match why {
        Errno::EXDEV => Error::data("the path leads out of its folder")
            .at(path)
            .hint("put the file itself into the folder; links out of it are not followed"),
        Errno::ELOOP => Error::data("the path is a link that cannot be followed")
            .at(path)
            .hint("put the file itself there"),
        why => Error::io("open", path, why.into()),
    }
}

/// Errors unless `kind` is the type of a regular file.
pub fn regular(path: &Path, kind: FileType) -> Result<()> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "folder"
    } else if kind.is_fifo() {
        "pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    };
    let error = Error::data(format!("cannot read: this is a {what}, not a regular file"));
    Err(error.at(path).hint("name a regular file"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use nix::unistd::mkfifo;

    use super::*;

    /// A folder with files, links of each kind and a pipe. A secret file is next to the folder.
    fn folder() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("project");
        fs::create_dir_all(root.join("inner")).unwrap();
        fs::write(home.path().join("secret"), "secret").unwrap();
        fs::write(root.join("inner/a.py"), "a").unwrap();
        for (target, link) in [
            ("inner/a.py", "relative"),
            ("../project/inner/a.py", "around"),
            ("../secret", "out"),
            ("/etc/passwd", "absolute"),
            ("missing", "dangling"),
            ("loop", "loop"),
            ("..", "above"),
            ("inner", "folder"),
            ("/dev/zero", "endless"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        mkfifo(&root.join("pipe"), Mode::S_IRWXU).unwrap();
        home
    }

    /// Paths that must not be opened as regular files below the folder.
    const REFUSED: [&str; 12] = [
        "../secret",
        "inner/../../secret",
        "/etc/passwd",
        "around",
        "out",
        "absolute",
        "dangling",
        "loop",
        "above/secret",
        "endless",
        "pipe",
        "inner",
    ];

    #[test]
    fn only_regular_files_below_the_folder_are_read() {
        let home = folder();
        let root = home.path().join("project");
        for inside in ["inner/a.py", "relative", "folder/a.py", "./inner/a.py"] {
            let read = read_beneath(&root, Path::new(inside), 1).unwrap();
            assert_eq!(read, b"a", "{inside}");
            assert!(is_file_beneath(&root, Path::new(inside)));
        }
        for inside in REFUSED {
            let read = read_beneath(&root, Path::new(inside), 1 << 20);
            assert!(read.is_err(), "{inside}: {read:?}");
            assert!(!is_file_beneath(&root, Path::new(inside)), "{inside}");
        }
        assert!(is_folder_beneath(&root, Path::new("folder")));
        assert!(!is_folder_beneath(&root, Path::new("above")));
    }

    #[test]
    fn text_is_decoded_by_its_byte_order_mark() {
        let text = "six==1.16.0\n# \u{1f600}\n";
        let lines = text.replace('\n', "\r\n");
        let wide: Vec<u16> = lines.encode_utf16().collect();
        let little = wide.iter().flat_map(|unit| unit.to_le_bytes());
        let big = wide.iter().flat_map(|unit| unit.to_be_bytes());
        let longer = lines.chars().flat_map(|c| u32::from(c).to_le_bytes());
        let with = |mark: &[u8], rest: Vec<u8>| [mark, &rest[..]].concat();
        for bytes in [
            with(b"\xff\xfe", little.collect()),
            with(b"\xfe\xff", big.collect()),
            with(b"\xff\xfe\0\0", longer.collect()),
            with(b"\xef\xbb\xbf", lines.clone().into_bytes()),
            text.replace('\n', "\r").into_bytes(),
        ] {
            assert_eq!(decode_text(&bytes), text, "{bytes:?}");
        }
        assert_eq!(decode_text(b"a\xff"), "a\u{fffd}");
        assert_eq!(decode_text(b"\xff\xfea\0b"), "a\u{fffd}");
    }

    #[test]
    fn without_openat2_no_link_is_followed() {
        let home = folder();
        let root = home.path().join("project");
        let open = |inside: &str, flags: OFlag| {
            let root = File::open(&root).unwrap();
            by_component(root.into(), Path::new(inside), flags)
        };
        for flags in [OFlag::O_PATH, OFlag::O_RDONLY | OFlag::O_NONBLOCK] {
            assert!(open("inner/a.py", flags).is_ok());
            assert!(open("", flags).is_ok());
            for inside in REFUSED
                .iter()
                .filter(|own| !["pipe", "inner"].contains(own))
            {
                assert!(open(inside, flags).is_err(), "{inside}");
            }
            for inside in ["relative", "folder/a.py"] {
                assert!(open(inside, flags).is_err(), "{inside}");
            }
        }
    }

    #[test]
    fn large_files_and_irregular_files_are_refused_with_a_reason() {
        let home = folder();
        let root = home.path().join("project");
        let sparse = File::create(root.join("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        for (inside, reason) in [
            ("sparse", "has 1048576 MB; at most 16 MB are read"),
            ("pipe", "is a pipe, not a regular file"),
            ("inner", "is a folder, not"),
            ("out", "leads out of its folder"),
            ("loop", "a link that cannot be followed"),
        ] {
            let why = read_beneath(&root, Path::new(inside), LARGEST_SOURCE).unwrap_err();
            assert!(why.what().contains(reason), "{why}");
        }
        assert!(open(&root.join("pipe")).is_err());
        let why = open(&root.join("endless")).unwrap_err();
        assert_eq!(
            why.what(),
            "cannot read: this is a device, not a regular file"
        );
        open(&root.join("out")).unwrap();
    }
}
