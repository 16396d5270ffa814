use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

#[test]
fn words_reach_the_shell_whole() {
    assert_eq!(quoted(&["a'b", "c;d"]), "'a'\\''b' 'c;d'");
}

#[test]
fn two_homes_on_one_engine_have_volumes_of_their_own() {
    let here = volume_name("k", Path::new("/home/a/cache"));
    assert_eq!(here, volume_name("k", Path::new("/home/a/cache")));
    assert_ne!(here, volume_name("k", Path::new("/home/b/cache")));
}

/// A folder in which `python3` finds a pytest 7.2.1 with pluggy 1.0, and a pip that, in place of installing, writes the
/// metadata of what it is asked for: it refuses `broken` always, `new` where pluggy is held, and gives `lying` 2.0, whose
/// plugin does not load, unless it is told to take less.
fn packages() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let write = |path: &str, text: &str| {
        let path = site.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("pip.py", include_str!("pip_for_tests.py"));
    write("pytest.py", "");
    let about = |name: &str, version: &str, more: &str| {
        write(
            &format!("{name}-{version}.dist-info/METADATA"),
            &format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}"),
        );
    };
    about(
        "pytest",
        "7.2.1",
        "Requires-Dist: pluggy (<2.0,>=0.12)\nRequires-Dist: nose ; extra == 'testing'\n",
    );
    about("pluggy", "1.0.0", "");
    (folder, site)
}

/// What the program that installs has printed, and the calls of pip that succeeded.
fn installed(needs: &Needs, own_pytest: bool) -> (String, Vec<String>) {
    let (folder, site) = packages();
    let told = folder.path().join("needs");
    std::fs::write(&told, to_install(needs, own_pytest)).unwrap();
    let program = INSTALL.replace("def start_anew():", "def start_anew():\n    return\n");
    let ran = Command::new("python3")
        .args([Path::new("-c"), Path::new(&program), &told])
        .env("PYTHONPATH", &site)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let calls = std::fs::read_to_string(site.join("calls")).unwrap_or_default();
    let calls = calls.lines().map(str::to_owned).collect();
    (String::from_utf8(ran.stdout).unwrap(), calls)
}

fn found(names: &[&str]) -> Needs {
    Needs {
        found: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Needs::default()
    }
}

#[test]
fn an_images_pytest_is_kept_as_it_is() {
    let (_, calls) = installed(&found(&["lxml", "mock"]), true);
    assert_eq!(calls, ["lxml mock pytest<8 | pluggy==1.0.0 pytest==7.2.1"]);
}

#[test]
fn a_plugin_that_does_not_load_is_taken_in_an_earlier_release() {
    let (_, calls) = installed(&found(&["lying"]), true);
    assert_eq!(
        calls,
        [
            "lying pytest<8 | pluggy==1.0.0 pytest==7.2.1",
            "lying | pluggy==1.0.0 pytest==7.2.1 lying<2.0"
        ]
    );
}

#[test]
fn what_does_not_go_with_the_images_pytest_brings_its_own() {
    let (printed, calls) = installed(&found(&["lxml", "new", "broken"]), true);
    assert!(
        printed.contains("evoscope: install with another pytest"),
        "{printed}"
    );
    assert!(
        printed.ends_with("evoscope: left out: broken\n"),
        "{printed}"
    );
    assert_eq!(calls.last().unwrap(), "new pytest<8 | ");
}

#[test]
fn what_goes_in_nowhere_is_left_out_and_the_images_pytest_kept() {
    let (printed, calls) = installed(&found(&["lxml", "broken"]), true);
    assert!(
        printed.ends_with("evoscope: left out: broken\n"),
        "{printed}"
    );
    assert_eq!(calls, ["lxml pytest<8 | pluggy==1.0.0 pytest==7.2.1"]);
}

#[test]
fn a_plugin_that_keeps_pytest_from_starting_is_left_out() {
    let (printed, _) = installed(&found(&["lying"]), false);
    assert!(
        printed.ends_with("evoscope: left out: lying\n"),
        "{printed}"
    );
}

#[test]
fn what_the_project_names_has_to_go_in() {
    let (folder, site) = packages();
    let told = folder.path().join("needs");
    let needs = Needs {
        packages: vec!["broken".to_owned()],
        ..Needs::default()
    };
    std::fs::write(&told, to_install(&needs, false)).unwrap();
    let ran = Command::new("python3")
        .args([Path::new("-c"), Path::new(INSTALL), &told])
        .env("PYTHONPATH", &site)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
}
