use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::*;
use crate::error::Error;

const BODY: &str = "    # The sum.\n    total = scale * 7919\n    return total + offset\n";
const SOURCE: &str = "import os\n\n\ndef secret(scale, offset=1):\n    \"\"\"A secret.\n\n    More.\n    \"\"\"\n    # The sum.\n    total = scale * 7919\n    return total + offset\n\n\ndef other():\n    return None\n";

fn target() -> (RepoPath, &'static str) {
    (RepoPath::new("src/pkg/core.py"), BODY)
}

/// The copies of the target in a project with these files, besides the target's file: (withheld, kept).
fn copies(files: &[(&str, Vec<u8>)]) -> (Vec<String>, Vec<String>) {
    copies_of(BODY, files)
}

fn copies_of(body: &str, files: &[(&str, Vec<u8>)]) -> (Vec<String>, Vec<String>) {
    let path = target().0;
    let mut all: BTreeMap<RepoPath, Vec<u8>> = BTreeMap::new();
    for (path, bytes) in files {
        all.insert(RepoPath::new(path), bytes.clone());
    }
    let paths: Vec<RepoPath> = all.keys().cloned().collect();
    all.insert(path.clone(), SOURCE.into());
    let read = |path: &RepoPath| all.get(path).cloned().ok_or_else(|| Error::data("no file"));
    let targets = [TargetText {
        path: &path,
        name: "secret",
        body,
        docstring: 40,
        language: Language::Python,
    }];
    let paths: Vec<&RepoPath> = paths.iter().collect();
    let withheld = [path.clone()];
    let found = find(&targets, &paths, &withheld, &read, &Cancel::default()).unwrap();
    let names = |paths: Vec<RepoPath>| paths.iter().map(ToString::to_string).collect();
    (names(found.unneeded), names(found.needed))
}

fn page() -> Vec<u8> {
    let lines = SOURCE.lines().enumerate().map(|(at, line)| {
        let line = line
            .replace('"', "&quot;")
            .replace("* 7919", "<span class=\"o\">*</span>&#32;<span>7919</span>");
        let line = line.replace(
            "def secret",
            "<span class=\"k\">def</span>&nbsp;<span class=\"nf\">secret</span>",
        );
        format!("<p class=\"run\"><span class=\"n\"><a href=\"#t{at}\">{at}</a></span>{line}</p>")
    });
    lines.collect::<String>().into_bytes()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn tar(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    out.append_data(&mut header, name, bytes).unwrap();
    out.into_inner().unwrap()
}

fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    out.start_file(name, zip::write::SimpleFileOptions::default())
        .unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap().into_inner()
}

fn bytecode() -> Vec<u8> {
    let mut bytes = b"\xa7\x0d\r\n\0\0\0\0".to_vec();
    bytes.extend(
        b"\xe3\0\0\0secret\0\xda\x05scale\xda\x06offset\xda\x05total/tmp/src/pkg/core.py\0",
    );
    bytes
}

#[test]
fn a_copy_is_found_in_every_format_and_under_every_name() {
    let source = || SOURCE.as_bytes().to_vec();
    let cell: Vec<String> = SOURCE.split_inclusive('\n').map(str::to_owned).collect();
    let notebook = serde_json::json!({"cells": [{"source": cell}], "nbformat": 4});
    let prefixed = |prefix: &dyn Fn(usize) -> String| {
        let lines = SOURCE.lines().enumerate();
        let lines: Vec<String> = lines.map(|(at, line)| prefix(at) + line + "\n").collect();
        lines.concat()
    };
    let patch = prefixed(&|_| "+".to_owned());
    let listing = prefixed(&|at| format!("{:6}\t", at + 1));
    let session = prefixed(&|_| "... ".to_owned());
    let swap: Vec<&str> = SOURCE.lines().rev().collect();
    let swap = format!("b0VIM 9.0\0\0\0{}", swap.join("\0"));
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(SOURCE.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::default());
    deflated.write_all(SOURCE.as_bytes()).unwrap();
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    bz.write_all(SOURCE.as_bytes()).unwrap();
    let script: Vec<u8> = [
        b"#!/usr/bin/env python3\n".to_vec(),
        zip("pkg/core.py", SOURCE.as_bytes()),
    ]
    .concat();
    let files = [
        ("core.py.orig", source()),
        ("src/pkg/core.py~", source()),
        ("src/pkg/tmp_core.py", source()),
        ("src/pkg/.core.py.swp", swap.into_bytes()),
        ("vendor/pkg/core.py", source()),
        ("backup/anything.py", source()),
        ("env/lib/python3/site-packages/pkg/core.py", source()),
        ("docs/_build/html/_modules/core.html", page()),
        ("docs/core.ipynb", notebook.to_string().into_bytes()),
        ("fix.patch", patch.into_bytes()),
        ("listing.txt", listing.into_bytes()),
        ("session.log", session.into_bytes()),
        ("wide.txt", wide),
        ("repr.txt", format!("{SOURCE:?}").into_bytes()),
        (
            "tabs.txt",
            SOURCE
                .replace("    ", "\t")
                .replace('\n', "\r\n")
                .into_bytes(),
        ),
        (
            "bare.txt",
            SOURCE.replace("    # The sum.\n", "").into_bytes(),
        ),
        ("core.bin", bytecode()),
        ("core.gz", gz(SOURCE.as_bytes())),
        ("core.bz2", bz.finish().unwrap()),
        ("objects/ab/cd", deflated.finish().unwrap()),
        ("dist/a.tar.gz", gz(&tar("a/core.py", SOURCE.as_bytes()))),
        ("dist/a.whl", zip("pkg/core.py", SOURCE.as_bytes())),
        (
            "nested.zip",
            zip("a.tar", &tar("b.zip", &zip("c.py", SOURCE.as_bytes()))),
        ),
        ("app.pyz", script),
    ];
    let (withheld, kept) = copies(&files);
    let mut expected: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    expected.sort_unstable();
    assert_eq!(withheld, expected);
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn other_files_are_no_copies() {
    let files = [
        (
            "other.py",
            "def secret(scale, offset=1):\n    return scale\n",
        ),
        (
            "renamed.py",
            "def other(scale, offset):\n    total = scale * 7919\n    return total + offset\n",
        ),
        (
            "longer.py",
            "def secret(scale, offset):\n    total = scale * 7919\n    return total + offset2\n",
        ),
        (
            "between.py",
            "def secret():\n    pass\n\ndef g(scale, offset):\n    total = scale * 7919\n    return total + offset\n",
        ),
        (
            "README.md",
            "Call `secret(scale, offset)`, which returns total + offset.\n",
        ),
        ("bomb.zip", "PK\x03\x04 PK\x05\x06 damaged"),
        ("data.bin", "\0\x01\x02secret\0"),
        ("app.json", "{\"total\": \"offset\\n\"}"),
    ];
    let files: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes().to_vec()))
        .collect();
    assert_eq!(copies(&files), (Vec::new(), Vec::new()));
    let trivial = [("a.py", b"def secret(self):\n    return self.x\n".to_vec())];
    for body in [
        "    return self.x\n",
        "    pass\n",
        "    raise NotImplementedError\n",
        "    return 'secret'\n",
    ] {
        assert_eq!(
            copies_of(body, &trivial),
            (Vec::new(), Vec::new()),
            "{body}"
        );
    }
}

#[test]
fn a_source_that_the_tests_import_stays() {
    let source = || SOURCE.as_bytes().to_vec();
    let files = [
        (
            "src/pkg/__init__.py",
            b"from .compat import (\n    secret,\n)\n".to_vec(),
        ),
        ("src/pkg/compat.py", source()),
        ("src/pkg/unused.py", source()),
        ("src/pkg/old/core.py", source()),
        (
            "tests/test_core.py",
            b"from pkg.core import secret\n".to_vec(),
        ),
    ];
    let (withheld, kept) = copies(&files);
    assert_eq!(withheld, ["src/pkg/old/core.py", "src/pkg/unused.py"]);
    assert_eq!(kept, ["src/pkg/compat.py"]);
}

#[test]
fn an_archive_that_inflates_without_end_is_searched_up_to_a_limit() {
    let zeros = vec![0; 1 << 20];
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..100 {
        out.write_all(&zeros).unwrap();
    }
    let bomb = out.finish().unwrap();
    let budget = AtomicU64::new(archive::BUDGET);
    let mut seen = 0;
    let largest = std::cell::Cell::new(0);
    let found = archive::any(&bomb, &budget, &|member| {
        largest.set(largest.get().max(member.len()));
        false
    });
    seen += largest.get();
    assert!(!found);
    assert_eq!(seen, 64 << 20);
    let empty = AtomicU64::new(1);
    assert!(!archive::any(&gz(b"more than one byte"), &empty, &|_| true));
}
