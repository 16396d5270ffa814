//! Finds out what a build of a native extension lacks on this machine, from the output of compilers and build tools.

/// Headers, or folders of headers that end with `/`, each with the Debian package that contains it.
const HEADERS: [(&str, &str); 41] = [
    ("Python.h", "python3-dev"),
    ("X11/", "libx11-dev"),
    ("alsa/", "libasound2-dev"),
    ("archive.h", "libarchive-dev"),
    ("bzlib.h", "libbz2-dev"),
    ("cairo.h", "libcairo2-dev"),
    ("cblas.h", "libopenblas-dev"),
    ("curl/", "libcurl4-openssl-dev"),
    ("curses.h", "libncurses-dev"),
    ("dbus/", "libdbus-1-dev"),
    ("expat.h", "libexpat1-dev"),
    ("ffi.h", "libffi-dev"),
    ("fftw3.h", "libfftw3-dev"),
    ("freetype2/", "libfreetype-dev"),
    ("ft2build.h", "libfreetype-dev"),
    ("gdal.h", "libgdal-dev"),
    ("geos_c.h", "libgeos-dev"),
    ("gmp.h", "libgmp-dev"),
    ("gssapi/", "libkrb5-dev"),
    ("hdf5.h", "libhdf5-dev"),
    ("jpeglib.h", "libjpeg-dev"),
    ("lber.h", "libldap-dev"),
    ("ldap.h", "libldap-dev"),
    ("libpq-fe.h", "libpq-dev"),
    ("libxml/", "libxml2-dev"),
    ("libxslt/", "libxslt1-dev"),
    ("lzma.h", "liblzma-dev"),
    ("mpfr.h", "libmpfr-dev"),
    ("mysql.h", "default-libmysqlclient-dev"),
    ("ncurses.h", "libncurses-dev"),
    ("openssl/", "libssl-dev"),
    ("pcap.h", "libpcap-dev"),
    ("portaudio.h", "portaudio19-dev"),
    ("readline/", "libreadline-dev"),
    ("sasl/", "libsasl2-dev"),
    ("snappy-c.h", "libsnappy-dev"),
    ("sql.h", "unixodbc-dev"),
    ("sqlite3.h", "libsqlite3-dev"),
    ("yaml.h", "libyaml-dev"),
    ("zlib.h", "zlib1g-dev"),
    ("zmq.h", "libzmq3-dev"),
];

/// Libraries as the linker and `pkg-config` name them, each with the Debian package for builds with it.
const LIBRARIES: [(&str, &str); 24] = [
    ("blas", "libopenblas-dev"),
    ("bz2", "libbz2-dev"),
    ("cairo", "libcairo2-dev"),
    ("crypto", "libssl-dev"),
    ("curl", "libcurl4-openssl-dev"),
    ("ffi", "libffi-dev"),
    ("freetype2", "libfreetype-dev"),
    ("glib-2.0", "libglib2.0-dev"),
    ("gobject-introspection-1.0", "libgirepository1.0-dev"),
    ("lapack", "liblapack-dev"),
    ("libffi", "libffi-dev"),
    ("libpq", "libpq-dev"),
    ("lzma", "liblzma-dev"),
    ("mysqlclient", "default-libmysqlclient-dev"),
    ("openblas", "libopenblas-dev"),
    ("openssl", "libssl-dev"),
    ("pq", "libpq-dev"),
    ("sqlite3", "libsqlite3-dev"),
    ("ssl", "libssl-dev"),
    ("xml2", "libxml2-dev"),
    ("xslt", "libxslt1-dev"),
    ("yaml", "libyaml-dev"),
    ("z", "zlib1g-dev"),
    ("zlib", "zlib1g-dev"),
];

/// Programs that builds call, each with the Debian package that contains it.
const TOOLS: [(&str, &str); 23] = [
    ("autoreconf", "autoconf"),
    ("cargo", "cargo"),
    ("cc", "build-essential"),
    ("c++", "build-essential"),
    ("cmake", "cmake"),
    ("curl-config", "libcurl4-openssl-dev"),
    ("g++", "build-essential"),
    ("gcc", "build-essential"),
    ("gdal-config", "libgdal-dev"),
    ("geos-config", "libgeos-dev"),
    ("gfortran", "gfortran"),
    ("git", "git"),
    ("krb5-config", "libkrb5-dev"),
    ("make", "build-essential"),
    ("mysql_config", "default-libmysqlclient-dev"),
    ("ninja", "ninja-build"),
    ("pg_config", "libpq-dev"),
    ("pkg-config", "pkg-config"),
    ("rustc", "cargo"),
    ("swig", "swig"),
    ("x86_64-linux-gnu-g++", "build-essential"),
    ("x86_64-linux-gnu-gcc", "build-essential"),
    ("xslt-config", "libxslt1-dev"),
];

/// Messages that name a tool or a library in their own way, each with what is missing.
const MESSAGES: [(&str, Missing); 12] = [
    ("can't find Rust compiler", Missing::Tool("cargo")),
    ("Rust toolchain", Missing::Tool("cargo")),
    ("CMake must be installed", Missing::Tool("cmake")),
    (
        "Problem with the CMake installation",
        Missing::Tool("cmake"),
    ),
    ("No CMAKE_CXX_COMPILER could be found", Missing::Tool("g++")),
    ("No CMAKE_C_COMPILER could be found", Missing::Tool("gcc")),
    ("no acceptable C compiler found", Missing::Tool("gcc")),
    (
        "Unknown compiler(s): [['gfortran'",
        Missing::Tool("gfortran"),
    ),
    ("Could not run curl-config", Missing::Tool("curl-config")),
    (
        "Could not find openssl via pkg-config",
        Missing::Library("openssl"),
    ),
    (
        "libxml2 and libxslt development packages",
        Missing::Tool("xslt-config"),
    ),
    ("Specify MYSQLCLIENT_CFLAGS", Missing::Tool("mysql_config")),
];

/// What a build lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing<'t> {
    Header(&'t str),
    Library(&'t str),
    Tool(&'t str),
}

/// What a native build lacks according to the output of the installer, as a sentence for the user. If the Debian
/// package that has it is known, the sentence names it. `None` if the output shows nothing of this kind.
pub(super) fn missing_native(output: &str) -> Option<String> {
    // The first complaint is the cause of the others.
    output.lines().find_map(missing_in_line).map(hint)
}

fn missing_in_line(line: &str) -> Option<Missing<'_>> {
    header(line)
        .map(Missing::Header)
        .or_else(|| library(line).map(Missing::Library))
        .or_else(|| tool(line).map(Missing::Tool))
        .or_else(|| {
            let mut messages = MESSAGES.iter();
            let found = messages.find(|(message, _)| line.contains(message));
            found.map(|(_, missing)| *missing)
        })
}

/// The header in a compiler's message: `fatal error: ffi.h: No such file or directory` (GCC), or
/// `fatal error: 'ffi.h' file not found` (Clang).
fn header(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fatal error: ")?;
    let gcc = rest.strip_suffix(": No such file or directory");
    let clang = || rest.strip_prefix('\'')?.split_once("' file not found");
    gcc.or_else(|| clang().map(|(name, _)| name))
}

/// The library in a message of the linker (`cannot find -lpq`) or of `pkg-config` (`No package 'libffi' found`).
fn library(line: &str) -> Option<&str> {
    if let Some((_, rest)) = line.split_once("cannot find -l") {
        return rest
            .split([':', ' '])
            .next()
            .filter(|name| !name.is_empty());
    }
    between(line, "No package '", "' found")
        .or_else(|| {
            between(
                line,
                "Package ",
                " was not found in the pkg-config search path",
            )
        })
        .or_else(|| between(line, "Package '", "', required by"))
}

/// The program in the message of a shell, of `setuptools`, or of Python, if the program is one of [`TOOLS`].
fn tool(line: &str) -> Option<&str> {
    let named = between(line, "unable to execute '", "'")
        .or_else(|| between(line, "unable to execute ", ":"))
        .or_else(|| between(line, "error: command '", "' failed: No such file"))
        .or_else(|| between(line, "No such file or directory: '", "'"))
        .or_else(|| {
            let before = line
                .strip_suffix(": command not found")
                .or_else(|| line.strip_suffix(": not found"))
                .or_else(|| {
                    line.split_once(" executable not found")
                        .map(|(before, _)| before)
                })
                .or_else(|| line.split_once(" not found").map(|(before, _)| before))?;
            before.split_whitespace().next_back()
        })?;
    let named = named.rsplit('/').next().unwrap_or(named);
    let is_known = TOOLS.iter().any(|(name, _)| *name == named);
    is_known.then_some(named)
}

/// The text between the first `start` and the next `end`.
fn between<'t>(line: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = line.split_once(start)?;
    rest.split_once(end).map(|(text, _)| text)
}

fn hint(missing: Missing) -> String {
    let (what, package) = match missing {
        Missing::Header(name) => (format!("the header {name}"), package_of_header(name)),
        Missing::Library(name) => (format!("the library {name}"), package_of(&LIBRARIES, name)),
        Missing::Tool(name) => (format!("the program {name}"), package_of(&TOOLS, name)),
    };
    match package {
        Some(package) => format!(
            "a native build lacks {what}: install Debian's {package} (apt install {package})"
        ),
        None => format!("a native build lacks {what}"),
    }
}

fn package_of(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let mut entries = table.iter();
    entries
        .find(|(known, _)| *known == name)
        .map(|(_, package)| *package)
}

fn package_of_header(name: &str) -> Option<&'static str> {
    let matches = |known: &str| match known.strip_suffix('/') {
        Some(folder) => name.split('/').next() == Some(folder) && name != folder,
        None => name.rsplit('/').next() == Some(known),
    };
    let mut headers = HEADERS.iter();
    headers
        .find(|(known, _)| matches(known))
        .map(|(_, package)| *package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of messages")]
    fn messages_name_what_is_missing() {
        for (line, what, package) in [
            (
                "c/_cffi_backend.c:15:10: fatal error: ffi.h: No such file or directory",
                "header ffi.h",
                "libffi-dev",
            ),
            (
                "src/x.c:1:10: fatal error: 'openssl/ssl.h' file not found",
                "header openssl/ssl.h",
                "libssl-dev",
            ),
            (
                "x.h:5:10: fatal error: libxml/xmlversion.h: No such file or directory",
                "header libxml/xmlversion.h",
                "libxml2-dev",
            ),
            (
                "m.c:1:10: fatal error: Python.h: No such file or directory",
                "header Python.h",
                "python3-dev",
            ),
            (
                "m.c:1:10: fatal error: mysql/mysql.h: No such file or directory",
                "header mysql/mysql.h",
                "default-libmysqlclient-dev",
            ),
            ("/usr/bin/ld: cannot find -lpq", "library pq", "libpq-dev"),
            (
                "/usr/bin/ld: cannot find -lz: No such file or directory",
                "library z",
                "zlib1g-dev",
            ),
            ("No package 'libffi' found", "library libffi", "libffi-dev"),
            (
                "Package openssl was not found in the pkg-config search path.",
                "library openssl",
                "libssl-dev",
            ),
            (
                "Could not find openssl via pkg-config:",
                "library openssl",
                "libssl-dev",
            ),
            (
                "Error: pg_config executable not found.",
                "program pg_config",
                "libpq-dev",
            ),
            (
                "OSError: mysql_config not found",
                "program mysql_config",
                "default-libmysqlclient-dev",
            ),
            (
                "/bin/sh: 1: mysql_config: not found",
                "program mysql_config",
                "default-libmysqlclient-dev",
            ),
            (
                "bash: line 1: swig: command not found",
                "program swig",
                "swig",
            ),
            (
                "unable to execute 'gcc': No such file or directory",
                "program gcc",
                "build-essential",
            ),
            (
                "unable to execute 'x86_64-linux-gnu-gcc': No such file",
                "program x86_64-linux-gnu-gcc",
                "build-essential",
            ),
            (
                "error: command '/usr/bin/gcc' failed: No such file or directory",
                "program gcc",
                "build-essential",
            ),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'cmake'",
                "program cmake",
                "cmake",
            ),
            ("error: can't find Rust compiler", "program cargo", "cargo"),
            (
                "Cargo, the Rust package manager, is not installed: install a Rust toolchain",
                "program cargo",
                "cargo",
            ),
            (
                "ERROR: Unknown compiler(s): [['gfortran'], ['flang']]",
                "program gfortran",
                "gfortran",
            ),
            (
                "Error: Please make sure the libxml2 and libxslt development packages are installed.",
                "program xslt-config",
                "libxslt1-dev",
            ),
        ] {
            let output =
                format!("building\n{line}\nerror: command 'gcc' failed with exit code 1\n");
            let expected = format!(
                "a native build lacks the {what}: install Debian's {package} (apt install {package})"
            );
            assert_eq!(
                missing_native(&output).as_deref(),
                Some(expected.as_str()),
                "{line}"
            );
        }
    }

    #[test]
    fn unknown_headers_are_named_without_a_package() {
        let found = missing_native("a.c:1:1: fatal error: own/thing.h: No such file or directory");
        assert_eq!(
            found.as_deref(),
            Some("a native build lacks the header own/thing.h")
        );
    }

    #[test]
    fn other_output_says_nothing() {
        for line in [
            "error: command 'gcc' failed with exit code 1",
            "ModuleNotFoundError: No module named 'numpy'",
            "error: No such file or directory: 'README.rst'",
            "package x not found",
            "",
        ] {
            assert_eq!(missing_native(line), None, "{line}");
        }
    }

    #[test]
    fn the_tables_are_sorted_and_hold_what_messages_name() {
        assert!(HEADERS.is_sorted() && LIBRARIES.is_sorted());
        for (message, missing) in MESSAGES {
            assert!(hint(missing).contains("apt install"), "{message}");
        }
    }
}
