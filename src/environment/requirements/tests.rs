use std::fs;

use super::*;

fn found(files: &[(&str, &str)]) -> Requirements {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    find_requirements(&dir.path().into())
}

#[test]
fn requirements_in_utf_16_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let wide = "\u{feff}six==1.16.0\r\n".encode_utf16();
    let bytes: Vec<u8> = wide.flat_map(u16::to_le_bytes).collect();
    fs::write(dir.path().join("requirements.txt"), bytes).unwrap();
    let setup = "\u{feff}[options]\ninstall_requires =\n    idna\n";
    fs::write(dir.path().join("setup.cfg"), setup).unwrap();
    assert_eq!(
        find_requirements(&dir.path().into()).found(),
        ["idna", "six==1.16.0"]
    );
}

#[test]
fn dependencies_and_test_extras_of_pyproject_are_required() {
    let requirements = found(&[(
        "pyproject.toml",
        "[project]\nrequires-python = '>=3.7, <4'\ndependencies = ['click>=7', 'a[b]==1; python_version<\"3.8\"']\n\
         [project.optional-dependencies]\ntest = ['pytest', 'hypothesis']\ndocs = ['sphinx']\n",
    )]);
    assert_eq!(
        requirements.found(),
        [
            "click>=7",
            "a[b]==1 ; python_full_version < '3.8'",
            "hypothesis"
        ]
    );
}

#[test]
fn poetry_constraints_become_specifiers() {
    let requirements = found(&[(
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = '^3.7'\nrequests = '^2.1'\nsix = '1.16.0'\nattrs = '*'\n\
         idna = [{version = '~1.4', python = '<3.8'}, {version = '>=2,<4', python = '>=3.8'}]\n",
    )]);
    let expected = [
        "attrs",
        "idna>=1.4,<1.5 ; python_full_version < '3.8'",
        "idna>=2,<4 ; python_full_version >= '3.8'",
        "requests>=2.1,<3",
        "six==1.16.0",
    ];
    assert_eq!(requirements.found(), expected);
}

#[test]
fn different_spellings_of_a_name_are_one_package() {
    let requirements = found(&[(
        "requirements.txt",
        "zope.interface>=5\nZope_Interface\nzope--interface==4\n",
    )]);
    assert_eq!(requirements.found(), ["zope-interface>=5"]);
}

#[test]
fn setup_py_is_read_but_not_run() {
    let requirements = found(&[(
        "setup.py",
        "from setuptools import setup\nREQUIRES = ['lxml', 'w3lib>=1.19']\nsetup(install_requires=REQUIRES, \
         tests_require=['psutil'] + ['six'], extras_require={'test': ['sybil'], 'docs': ['furo']}, \
         python_requires='>=3.6')\n",
    )]);
    assert_eq!(
        requirements.found(),
        ["lxml", "w3lib>=1.19", "psutil", "six", "sybil"]
    );
}

#[test]
fn requirements_files_include_each_other_and_local_paths_are_skipped() {
    let requirements = found(&[
        (
            "requirements-test.txt",
            "-r requirements.txt\nmock==4.0 # old\n-e .\n./local\n",
        ),
        ("requirements.txt", "attrs\ngit+https://example.org/x\n"),
        (
            "setup.cfg",
            "[options]\ninstall_requires =\n  requests\n  # no\n  six\n",
        ),
    ]);
    assert_eq!(
        requirements.found(),
        ["requests", "six", "attrs", "mock==4.0"]
    );
}

#[test]
fn extras_of_the_project_itself_are_followed() {
    let requirements = found(&[(
        "pyproject.toml",
        "[project]\nname = 'my.pkg'\n[project.optional-dependencies]\nplain = ['hypothesis']\nspeed = ['cython']\n\
         tests = ['My_Pkg[plain, more]', 'six']\nmore = ['pympler']\n",
    )]);
    assert_eq!(requirements.found(), ["six", "hypothesis", "pympler"]);
    let requirements = found(&[(
        "setup.py",
        "N = 'my_pkg'\nsetup(name=N, extras_require={'test': ['my-pkg[x]'], 'x': ['six']})\n",
    )]);
    assert_eq!(requirements.found(), ["six"]);
}

#[test]
fn a_dependency_group_may_include_another() {
    let requirements = found(&[(
        "pyproject.toml",
        "[dependency-groups]\ntest = ['a', {include-group = 'inner'}]\ninner = ['b']\nlint = ['x']\n",
    )]);
    assert_eq!(requirements.found(), ["a", "b"]);
}

#[test]
fn testing_tools_are_also_recognised_by_their_use() {
    let requirements = found(&[
        (
            "tests/unit/test_a.py",
            "from freezegun import freeze_time\nimport tests.mock\n\n@pytest.mark.asyncio\n\
             async def test_a(tmp_path, mocker: MockerFixture):\n    pass\n",
        ),
        (
            "tests/conftest.py",
            "import ddt\n\n@pytest.fixture\ndef fs():\n    pass\n",
        ),
        ("tests/test_b.py", "def test_b(fs):\n    benchmark = 1\n"),
        ("tests/ddt.py", ""),
        ("pkg/a.py", "import hypothesis\n"),
    ]);
    assert_eq!(
        requirements.found(),
        ["freezegun", "pytest-asyncio", "pytest-mock"]
    );
}

#[test]
fn setuptools_is_limited_to_versions_with_pkg_resources() {
    for (line, wanted) in [
        ("setuptools", "setuptools<81"),
        ("setuptools>=40", "setuptools>=40,<81"),
        (
            "setuptools ; python_version>'3.11'",
            "setuptools<81 ; python_full_version >= '3.12'",
        ),
        ("setuptools==65.0", "setuptools==65.0"),
    ] {
        let requirements = found(&[("requirements.txt", line)]).with_pkg_resources();
        assert_eq!(requirements.found(), [wanted]);
    }
}

#[test]
fn a_requirement_is_ignored_if_earlier_requirements_cover_its_marker() {
    let requirements = found(&[(
        "setup.py",
        "setup(tests_require=[\"six==1 ; python_version<'3.8'\", \"six==2 ; python_version>='3.8'\", \
         \"six==9; python_version >= '3.8'\", 'six', \"six==3 ; python_version>='3.9'\", 'six==4'])\n",
    )]);
    let expected = [
        "six==1 ; python_full_version < '3.8'",
        "six==2 ; python_full_version >= '3.8'",
    ];
    assert_eq!(requirements.found(), expected);
}

#[test]
fn pytest_is_required_only_if_the_project_needs_a_newer_version() {
    let newer = found(&[(
        "pyproject.toml",
        "[dependency-groups]\ntest = ['pytest>=8.3.5', 'attrs']\n",
    )]);
    assert_eq!(
        (newer.pytest().as_str(), newer.found()),
        ("pytest>=8.3.5", vec!["attrs"])
    );
    let by_configuration = found(&[(
        "pyproject.toml",
        "[tool.pytest.ini_options]\nminversion = '8.3'\n[tool.poetry.dev-dependencies]\npytest = '^7.2'\n",
    )]);
    assert_eq!(by_configuration.pytest(), "pytest>=8.3");
    assert_eq!(by_configuration.own_pytest(), ["pytest>=7.2,<8"]);
    let as_usual = found(&[
        ("pytest.ini", "[pytest]\nminversion = 6.0\n"),
        ("requirements-dev.txt", "pytest>=7\nattrs\n"),
    ]);
    assert_eq!(
        (as_usual.pytest().as_str(), as_usual.found()),
        ("pytest<8", vec!["attrs"])
    );
    assert_eq!(as_usual.own_pytest(), ["pytest>=7"]);
    for (file, section) in [
        ("pytest.ini", "pytest"),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ] {
        let text = format!("[tox]\nminversion = 10\n[{section}]\nminversion=9\n");
        assert_eq!(found(&[(file, &text)]).pytest(), "pytest>=9");
    }
}

#[test]
fn the_plugins_that_pytest_is_configured_to_require_are_required() {
    let expected = ["pytest-django>=3.0,<4.0.0", "pytest-html", "pytest-cov>=2"];
    let value = "\n    pytest-django>=3.0,<4.0.0 pytest-html\n    'pytest-cov >= 2' pytest\n";
    for (file, section) in [
        ("pytest.ini", "pytest"),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ] {
        let text = format!("[{section}]\nrequired_plugins ={value}log_level = INFO\n");
        assert_eq!(found(&[(file, &text)]).found(), expected, "{file}");
    }
    for value in [
        "'''pytest-django>=3.0,<4.0.0 pytest-html \"pytest-cov>=2\"'''",
        "['pytest-django>=3.0,<4.0.0', 'pytest-html', 'pytest-cov >= 2']",
    ] {
        let text = format!("[tool.pytest.ini_options]\nrequired_plugins = {value}\n");
        assert_eq!(found(&[("pyproject.toml", &text)]).found(), expected);
    }
}

/// The requirements for the project itself, and those for its tests.
fn split(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let requirements = found(files);
    (requirements.runtime, requirements.tests)
}

#[test]
fn requirements_of_the_project_and_of_its_tests_are_told_apart() {
    let setup = "setup(install_requires=['a'], tests_require=['b', 'a==1'])";
    for (files, runtime, tests) in [
        (&[("setup.py", setup)][..], &["a"][..], &["b"][..]),
        // With declared requirements, a requirements file is for development.
        (
            &[("setup.py", setup), ("requirements.txt", "a==2\nc\n")],
            &["a"],
            &["b", "c"],
        ),
        // Without them, and if `setup.py` reads it, it is for the project.
        (
            &[
                ("requirements.txt", "c\n"),
                ("test-requirements.txt", "d\n"),
            ],
            &["c"],
            &["d"],
        ),
        (
            &[
                (
                    "setup.py",
                    "R = open('requirements/install.pip').read()\nsetup(install_requires=R, tests_require=['b'])",
                ),
                ("requirements/install.pip", "c==1 \\\n    --hash=sha256:0\n"),
            ],
            &["c==1"],
            &["b"],
        ),
        (
            &[
                (
                    "setup.py",
                    "setup(extras_require={'docs': read('docs-requirements.txt')})",
                ),
                ("docs-requirements.txt", "c"),
            ],
            &[],
            &[],
        ),
        (
            &[(
                "pyproject.toml",
                "[tool.poetry.dependencies]\na = '*'\no = {version = '*', optional = true}\n[tool.poetry.group.Tests.dependencies]\nb = '*'\n",
            )],
            &["a"],
            &["o", "b"],
        ),
        (
            &[(
                "Pipfile",
                "[packages]\na = '*'\nc = '==1'\n[dev-packages]\nb = {version = '>=2'}\n",
            )],
            &["a", "c==1"],
            &["b>=2"],
        ),
        (
            &[(
                "setup.py",
                "e = {}\ne['docs'] = ['x']\nextras_require['test'] = ['b']\n",
            )],
            &[],
            &["b"],
        ),
    ] {
        let expected = (
            runtime.iter().map(ToString::to_string).collect(),
            tests.iter().map(ToString::to_string).collect(),
        );
        assert_eq!(split(files), expected, "{files:?}");
    }
}

#[test]
fn the_environments_of_tox_name_requirements_of_tests() {
    let tox = "[base]\ndeps =\n    mock>=1\n[testenv]\ndeps =\n    {[base]deps}\n    py27,py36: enum34\n    py37: x # why\n    \
               cov: coverage\n    !py27: y\n    -r{toxinidir}/more.txt\n    -cconstraints.txt\n    .[all]\nextras = fast\n\
               [testenv:lint]\ndeps = flake8\n";
    let setup = "setup(extras_require={'fast': ['cython'], 'all': ['idna']})";
    let expected = [
        "cython",
        "idna",
        "mock>=1",
        "enum34 ; python_full_version == '3.6.*'",
        "x ; python_full_version == '3.7.*'",
        "y",
        "six",
    ];
    let more = [("setup.py", setup), ("more.txt", "six\n")];
    for (file, text) in [
        ("tox.ini", tox.to_owned()),
        ("setup.cfg", tox.to_owned()),
        (
            "pyproject.toml",
            format!("[tool.tox]\nlegacy_tox_ini = '''\n{tox}'''\n"),
        ),
    ] {
        let mut requirements = found(&[&[(file, text.as_str())], &more[..]].concat());
        requirements
            .tests
            .sort_by_key(|line| expected.iter().position(|other| other == line));
        assert_eq!(requirements.tests, expected, "{file}");
    }
    let own = "[testenv:unit]\ndeps = a\n[testenv:lint]\ndeps = flake8\n";
    assert_eq!(found(&[("tox.ini", own)]).tests, ["a"]);
}

#[test]
fn a_noxfile_is_read_if_nothing_else_names_requirements_of_tests() {
    let nox = "@nox.session(python=['3.8'])\ndef unit_tests(session):\n    session.install('.', 'mock', name)\n    \
               session.install('-r', 'more.txt')\n\ndef lint(session):\n    session.install('flake8')\n";
    let more = ("more.txt", "six\n");
    assert_eq!(found(&[("noxfile.py", nox), more]).tests, ["mock", "six"]);
    let other = ("setup.py", "setup(tests_require=['b'])");
    assert_eq!(found(&[("noxfile.py", nox), more, other]).tests, ["b"]);
}

#[test]
fn the_plugins_of_options_and_settings_of_pytest_are_required() {
    for (file, text) in [
        (
            "pytest.ini",
            "[pytest]\naddopts =\n    --cov=pkg -n 4\n    --strict\nasyncio_mode = auto\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = '--cov=pkg -n 4 --strict'\nasyncio_mode = 'auto'\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = ['--cov=pkg', '-n', '4']\nasyncio_mode = 'auto'\n",
        ),
    ] {
        let expected = ["pytest-cov", "pytest-xdist", "pytest-asyncio"];
        assert_eq!(found(&[(file, text)]).tests, expected, "{text}");
    }
}
