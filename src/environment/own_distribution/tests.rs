use std::fs;

use super::*;
use crate::benchmark::RepoPath;

fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, SourceTree) {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let tree = dir.path().into();
    (dir, tree)
}

fn read(files: &[(&str, &str)]) -> Option<OwnDistribution> {
    let (_dir, tree) = tree(files);
    OwnDistribution::read(&tree)
}

#[test]
fn names_and_versions_are_read_as_text() {
    let setup = ("setup.py", "setup(name='my-pkg', version=read_version())");
    for (files, name, version) in [
        (
            &[("pyproject.toml", "[project]\nname = 'a'\nversion = '1.2'\n")][..],
            "a",
            "1.2",
        ),
        (
            &[(
                "pyproject.toml",
                "[tool.poetry]\nname = 'a'\nversion = '1.2'\n",
            )],
            "a",
            "1.2",
        ),
        (
            &[("setup.cfg", "[metadata]\nname = A.b\nversion = 1.2rc1\n")],
            "A.b",
            "1.2rc1",
        ),
        (
            &[
                (
                    "setup.cfg",
                    "[metadata]\nname = a\nversion = attr: a.info.V\n",
                ),
                ("src/a/info.py", "V = '3.1'"),
            ],
            "a",
            "3.1",
        ),
        (
            &[
                ("setup.cfg", "[metadata]\nname = a\nversion = file: V\n"),
                ("V", "4\n"),
            ],
            "a",
            "4",
        ),
        (
            &[("setup.py", "V = '1.0'\nsetup(name='a', version=V)")],
            "a",
            "1.0",
        ),
        (
            &[
                setup,
                ("my_pkg/__init__.py", "__version__ = '2.0'\n"),
                ("a/__init__.py", "__version__ = '1'"),
            ],
            "my-pkg",
            "2.0",
        ),
        (
            &[
                setup,
                ("other/__init__.py", ""),
                ("other/version.py", "version = '2.1'\n"),
            ],
            "my-pkg",
            "2.1",
        ),
        (
            &[setup, ("my_pkg.py", "__version__ = '2.2'\n")],
            "my-pkg",
            "2.2",
        ),
        (
            &[setup, ("my_pkg/__init__.py", "__version__ = get()\n")],
            "my-pkg",
            "0",
        ),
    ] {
        let own = read(files).unwrap();
        assert_eq!(
            (own.name.as_str(), own.version.as_str()),
            (name, version),
            "{files:?}"
        );
    }
    assert_eq!(read(&[("setup.py", "setup(name=compute())")]), None);
    assert_eq!(read(&[("setup.py", "setup(name='../x')")]), None);
}

#[test]
fn entry_points_are_read_as_text() {
    let expected = [("pytest11".to_owned(), vec!["p = a.plugin".to_owned()])];
    for (file, text) in [
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n[project.entry-points.pytest11]\np = 'a.plugin'\n",
        ),
        (
            "pyproject.toml",
            "[tool.poetry]\nname = 'a'\n[tool.poetry.plugins.\"pytest11\"]\np = 'a.plugin'\n",
        ),
        (
            "setup.cfg",
            "[metadata]\nname = a\n[options.entry_points]\npytest11 =\n    p = a.plugin\n",
        ),
        (
            "setup.py",
            "setup(name='a', entry_points={'pytest11': ['p = a.plugin']})",
        ),
        (
            "setup.py",
            "E = {'pytest11': 'p = a.plugin'}\nsetup(name='a', entry_points=E)",
        ),
        (
            "setup.py",
            "setup(name='a', entry_points='''\n    [pytest11]\n    p = a.plugin\n''')",
        ),
    ] {
        let own = read(&[(file, text)]).unwrap();
        assert_eq!(own.entry_points, expected.clone().into(), "{text}");
    }
}

#[test]
fn the_metadata_are_files_of_a_dist_info_folder() {
    let own = OwnDistribution {
        name: "My-pkg".to_owned(),
        version: "1.0".to_owned(),
        entry_points: [("pytest11".to_owned(), vec!["p = a".to_owned()])].into(),
    };
    let expected = [
        (
            "METADATA",
            "Metadata-Version: 2.1\nName: My-pkg\nVersion: 1.0\n",
        ),
        ("INSTALLER", "evoscope\n"),
        ("entry_points.txt", "[pytest11]\np = a\n\n"),
        (
            "RECORD",
            "My_pkg-1.0.dist-info/METADATA,,\nMy_pkg-1.0.dist-info/INSTALLER,,\n\
             My_pkg-1.0.dist-info/entry_points.txt,,\nMy_pkg-1.0.dist-info/RECORD,,\n",
        ),
    ];
    let expected =
        expected.map(|(name, text)| (format!("My_pkg-1.0.dist-info/{name}"), text.to_owned()));
    assert_eq!(own.files(), expected);
}

#[test]
fn python_finds_the_metadata() {
    let (dir, tree) = tree(&[(
        "setup.py",
        "setup(name='My-pkg.x', version='1.0', entry_points={'g': ['p = a:b']})",
    )]);
    let site = tempfile::tempdir().unwrap();
    for (path, text) in OwnDistribution::read(&tree).unwrap().files() {
        let path = site.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let program = "import importlib.metadata as m; d = m.distribution('my-pkg.x')\n\
                   print(d.version, [(e.group, e.name, e.value) for e in d.entry_points])";
    let output = std::process::Command::new("python3")
        .args(["-c", program])
        .env("PYTHONPATH", site.path())
        .current_dir(dir.path())
        .output();
    let Ok(output) = output else {
        eprintln!("not tested: there is no python3 here");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.trim(), "1.0 [('g', 'p', 'a:b')]", "{output:?}");
}

#[test]
fn the_version_module_that_a_build_writes_is_made_if_it_is_missing() {
    let usual = "__version__ = version = '1.2'\n__version_tuple__ = version_tuple = (1, 2,)\n";
    let project = "[project]\nname = 'a'\nversion = '1.2'\n";
    let package = ("src/a/__init__.py", "");
    for (file, text, path, content) in [
        (
            "pyproject.toml",
            "[tool.setuptools_scm]\nwrite_to = 'src/a/_v.py'\n",
            "src/a/_v.py",
            usual,
        ),
        (
            "pyproject.toml",
            "[tool.setuptools_scm]\nversion_file = 'src/a/V.txt'\n",
            "src/a/V.txt",
            "1.2\n",
        ),
        (
            "pyproject.toml",
            "[tool.setuptools_scm]\nversion_file = 'src/a/v.py'\nversion_file_template = 'V = \"{version}\"'\n",
            "src/a/v.py",
            "V = \"1.2\"",
        ),
        (
            "pyproject.toml",
            "[tool.hatch.build.hooks.vcs]\nversion-file = 'src/a/_v.py'\n",
            "src/a/_v.py",
            usual,
        ),
        (
            "pyproject.toml",
            "[tool.pdm.version]\nwrite_to = 'a/_v.py'\n",
            "src/a/_v.py",
            usual,
        ),
        (
            "setup.py",
            "setup(name='a', use_scm_version={'write_to': 'src/a/_v.py'})",
            "src/a/_v.py",
            "__version__",
        ),
    ] {
        let text = if file == "setup.py" {
            text.to_owned()
        } else {
            format!("{project}{text}")
        };
        let (_dir, without) = tree(&[(file, &text), package]);
        let (found, written) = missing_version_module(&without).unwrap();
        assert_eq!(found, RepoPath::new(path), "{text}");
        assert!(written.starts_with(content), "{text}: {written}");
        let (_dir, with) = tree(&[(file, &text), package, (path, "")]);
        assert_eq!(missing_version_module(&with), None, "{text}");
    }
    let outside = format!("{project}[tool.setuptools_scm]\nwrite_to = '../v.py'\n");
    let (_dir, outside) = tree(&[("pyproject.toml", &outside)]);
    assert_eq!(missing_version_module(&outside), None);
}
