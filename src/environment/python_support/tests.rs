use std::fs;

use super::*;

fn read(files: &[(&str, &str)]) -> PythonSupport {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    PythonSupport::read(&dir.path().into())
}

fn requires(files: &[(&str, &str)]) -> Option<String> {
    read(files).requires.map(|requires| requires.to_string())
}

fn tested(files: &[(&str, &str)]) -> Vec<u8> {
    read(files).tested.iter().map(|minor| minor.0).collect()
}

#[test]
fn the_specifiers_of_a_project_are_read() {
    for (file, text, expected) in [
        (
            "pyproject.toml",
            "[project]\nrequires-python = '>=3.7,<4'\n",
            ">=3.7, <4",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = '^3.6'\n",
            ">=3.6, <4",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = '^3.6 || ~2.7'\n",
            ">=3.6, <4",
        ),
        (
            "pyproject.toml",
            "[tool.flit.metadata]\nrequires-python = '>=3.5'\n",
            ">=3.5",
        ),
        (
            "setup.cfg",
            "[options]\npython_requires = >=2.7, !=3.0.*, <3.9\n",
            ">=2.7, !=3.0.*, <3.9",
        ),
        (
            "setup.py",
            "P = '>=3.6.*'\nsetup(python_requires=P)\n",
            ">=3.6",
        ),
    ] {
        assert_eq!(
            requires(&[(file, text)]).as_deref(),
            Some(expected),
            "{text}"
        );
    }
    assert_eq!(
        requires(&[("setup.py", "setup(python_requires=version())")]),
        None
    );
}

#[test]
fn tested_versions_are_read_from_classifiers_tox_and_continuous_integration() {
    let setup = "setup(classifiers=[\n'Programming Language :: Python :: 3',\n\
                 'Programming Language :: Python :: 3.6',\n'Programming Language :: Python :: 3 :: Only',\n\
                 # 'Programming Language :: Python :: 3.9',\n'Programming Language :: Python :: 2.7'])\n";
    assert_eq!(tested(&[("setup.py", setup)]), [6]);
    for (file, text, expected) in [
        (
            "tox.ini",
            "[tox]\nenvlist = py27, py{36,37}-{a,b}\n    py38,pypy3\n",
            &[6, 7, 8][..],
        ),
        ("setup.cfg", "[tox:tox]\nenvlist = py310\n", &[10]),
        (
            "pyproject.toml",
            "[tool.tox]\nlegacy_tox_ini = '''\n[tox]\nenvlist = py3{7,8}\n'''\n",
            &[7, 8],
        ),
        (
            "pyproject.toml",
            "[tool.tox]\nenv_list = ['3.12', 'lint']\n",
            &[12],
        ),
        (".travis.yml", "python:\n- 3.5\n- nightly\n", &[5]),
        (
            ".github/workflows/ci.yml",
            "matrix:\n  python: [3.8, 3.x]\nx:\n  python-version: 3.12\n",
            &[8],
        ),
        (
            ".github/workflows/ci.yaml",
            "with:\n  python-version: '3.9'\n",
            &[9],
        ),
    ] {
        assert_eq!(tested(&[(file, text)]), expected, "{text}");
    }
}

#[test]
fn a_project_may_list_only_python_2() {
    let only = |text: &str| read(&[("setup.py", text)]).only_python2;
    let (two, three) = (
        "'Programming Language :: Python :: 2.7'",
        "'Programming Language :: Python :: 3'",
    );
    assert!(only(&format!("setup(classifiers=[{two}])")));
    assert!(!only(&format!("setup(classifiers=[{two}, {three}])")));
    assert!(!only("setup()"));
}
