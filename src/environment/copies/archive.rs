//! Looks into compressed files and archives, also into archives in archives. How much is inflated is limited, because a
//! small file may inflate to any size.

use std::io::{Cursor, Read};
use std::sync::atomic::AtomicU64;

use super::take;

/// How many bytes are inflated for one project.
pub(super) const BUDGET: u64 = 1 << 30;
/// How many bytes the search of a member costs in addition to its own, so that many empty members are limited too.
const COST: u64 = 1 << 10;
/// The largest member of an archive that is searched, in bytes.
const LARGEST_MEMBER: u64 = 64 << 20;
/// How many members of one archive are searched.
const MOST_MEMBERS: usize = 50_000;
/// How deep archives may be nested.
const DEEPEST: usize = 6;

/// Whether `holds` is true for a member of the archive or compressed file `bytes`. False for other files. Members that
/// exceed a limit are not searched.
pub(super) fn any(bytes: &[u8], budget: &AtomicU64, holds: &dyn Fn(&[u8]) -> bool) -> bool {
    in_archive(bytes, budget, holds, DEEPEST)
}

fn in_archive(
    bytes: &[u8],
    budget: &AtomicU64,
    holds: &dyn Fn(&[u8]) -> bool,
    depth: usize,
) -> bool {
    if depth == 0 {
        return false;
    }
    let member = |reader: &mut dyn Read| {
        let mut content = Vec::new();
        // What a damaged archive contains before its fault is searched.
        let _ = reader.take(LARGEST_MEMBER).read_to_end(&mut content);
        take(budget, content.len() as u64 + COST)
            && (holds(&content) || in_archive(&content, budget, holds, depth - 1))
    };
    if let Some(mut reader) = decompressor(bytes) {
        return member(&mut reader);
    }
    if bytes.get(257..262) == Some(b"ustar") {
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().into_iter().flatten();
        let mut entries = entries.take(MOST_MEMBERS).map_while(Result::ok);
        return entries.any(|mut entry| member(&mut entry));
    }
    if is_zip(bytes)
        && let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes))
    {
        let count = archive.len().min(MOST_MEMBERS);
        return (0..count).any(|at| {
            let entry = archive.by_index(at);
            entry.is_ok_and(|mut entry| member(&mut entry))
        });
    }
    false
}

/// A reader of what a compressed file contains. `None` if the file is not compressed in a known way.
fn decompressor(bytes: &[u8]) -> Option<Box<dyn Read + '_>> {
    match bytes {
        [0x1f, 0x8b, ..] => Some(Box::new(flate2::bufread::MultiGzDecoder::new(bytes))),
        [b'B', b'Z', b'h', ..] => Some(Box::new(bzip2::bufread::MultiBzDecoder::new(bytes))),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some(Box::new(lzma_rust2::XzReader::new(bytes, true)))
        }
        [0x78, flags, ..] if (0x7800 + u16::from(*flags)) % 31 == 0 => {
            Some(Box::new(flate2::bufread::ZlibDecoder::new(bytes)))
        }
        _ => None,
    }
}

/// Whether a file ends as a ZIP archive does. It may begin with other data, such as the first line of a script.
fn is_zip(bytes: &[u8]) -> bool {
    const LONGEST_END: usize = 22 + (1 << 16);
    let end = &bytes[bytes.len().saturating_sub(LONGEST_END)..];
    memchr::memmem::rfind(end, b"PK\x05\x06").is_some()
}
