//! Virtual environments on this machine, for the local sandbox.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::super::sandbox::Interpreter;
use super::super::schedule::Environment;
use super::step::Step;
use super::{
    Building, LOADED_WITH_PYTEST, Needs, TAKE_OUT_COPIES, key, loaded_with_pytest, locked,
    own_sources, project,
};
use crate::error::{Error, Result};

/// The versions that are looked for where a project does not ask for one, those of the official environments first.
const VERSIONS: [&str; 8] = ["3.9", "3.10", "3.11", "3.12", "3.8", "3.13", "3.7", "3.14"];

const NAME_IT: &str = "name the environment in evoscope.toml, or see that pip reaches its index";

/// What an interpreter says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct About {
    executable: PathBuf,
    version: String,
    prefix: PathBuf,
    base_prefix: PathBuf,
    path: Vec<PathBuf>,
    pytest: bool,
    /// What it loads with pytest, as a hash; asked of environments only.
    #[serde(default)]
    loaded: Option<String>,
}

impl About {
    /// Whether what it said still holds as far as that shows without starting it: its files may have been taken away.
    fn is_there(&self) -> bool {
        self.executable.exists() && self.base_prefix.exists()
    }
}

const ASK: &str = "
import importlib.util, json, os, sys
print(json.dumps({'executable': sys.executable, 'version': '%d.%d.%d' % sys.version_info[:3], 'prefix': sys.prefix,
    'base_prefix': sys.base_prefix, 'path': [os.path.abspath(p) for p in sys.path if p and os.path.isdir(p)],
    'pytest': importlib.util.find_spec('pytest') is not None}))
";

fn ask(python: &Path) -> Option<About> {
    let output = Command::new(python)
        .args(["-s", "-c", ASK])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// What an environment says of itself, with what it loads with pytest.
fn ask_environment(python: &Path) -> Option<About> {
    let mut about = ask(python)?;
    let output = Command::new(python)
        .args(["-s", "-c", LOADED_WITH_PYTEST])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    about.loaded = loaded_with_pytest(&printed).map(str::to_owned);
    Some(about)
}

/// The Python at `python` as an interpreter for the local sandbox. Errors when it does not run.
pub fn host_python(python: &Path) -> Result<Interpreter> {
    let about = ask(python)
        .ok_or_else(|| Error::sandbox(format!("{} is not a Python that runs", python.display())))?;
    Ok(interpreter(&about))
}

fn interpreter(about: &About) -> Interpreter {
    let environment = (about.prefix != about.base_prefix).then(|| about.prefix.clone());
    let mut folders = vec![about.base_prefix.clone()];
    for path in &about.path {
        let covered = folders.iter().any(|folder| path.starts_with(folder))
            || path.starts_with(&about.prefix);
        if !covered {
            folders.push(path.clone());
        }
    }
    Interpreter::Host {
        python: about.executable.clone(),
        environment,
        folders,
    }
}

/// A Python of this machine that has pytest already; `None` when there is none.
pub fn find_pytest() -> Result<Option<Interpreter>> {
    Ok(candidates()
        .iter()
        .filter_map(|python| ask(python))
        .find(|about| about.pytest)
        .map(|about| interpreter(&about)))
}

/// Pythons of this machine, without pyenv's shims, which start a shell to start a Python: on the path, by pyenv and by uv; the version that `python3` means first.
fn candidates() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = std::iter::once("python3".to_owned())
        .chain(VERSIONS.iter().map(|version| format!("python{version}")));
    for name in names {
        found.extend(
            std::env::split_paths(&path)
                .filter(|folder| !folder.ends_with("shims"))
                .map(|folder| folder.join(&name))
                .filter(|file| file.is_file()),
        );
    }
    let home = std::env::var_os("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    let pyenv = std::env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    for folder in [pyenv.join("versions"), home.join(".local/share/uv/python")] {
        let versions = fs::read_dir(folder).into_iter().flatten().flatten();
        found.extend(
            versions
                .map(|entry| entry.path().join("bin/python3"))
                .filter(|file| file.is_file()),
        );
    }
    found
}

/// What the Pythons of this machine say of themselves, asked once for each file as it is: starting a Python takes
/// longer than most tests.
fn known_pythons(cache: &Path) -> Vec<About> {
    // One that does not run is known as well, by `None`.
    type Known = BTreeMap<PathBuf, (u64, Option<About>)>;
    let file = cache.join("pythons.json");
    let before: Known = fs::read(&file)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let mut now = Known::new();
    let mut order = Vec::new();
    for python in candidates() {
        let Some(changed) = changed(&python) else {
            continue;
        };
        let known = before
            .get(&python)
            .filter(|(then, about)| *then == changed && about.as_ref().is_none_or(About::is_there))
            .map(|(_, about)| about.clone());
        let about = known.unwrap_or_else(|| ask(&python));
        order.extend(about.clone());
        now.insert(python, (changed, about));
    }
    if now.len() != before.len()
        || now
            .iter()
            .any(|(python, (then, _))| before.get(python).is_none_or(|(t, _)| t != then))
    {
        let _ = fs::create_dir_all(cache);
        if let Ok(text) = serde_json::to_vec(&now) {
            let _ = fs::write(&file, text);
        }
    }
    order
}

/// When the file was changed, in seconds of the epoch.
fn changed(file: &Path) -> Option<u64> {
    let time = fs::metadata(file).ok()?.modified().ok()?;
    time.duration_since(UNIX_EPOCH)
        .ok()
        .map(|since| since.as_secs())
}

fn at_least(version: &str, lowest: &str) -> bool {
    let numbers = |text: &str| {
        text.split('.')
            .take(2)
            .map(|n| n.parse().unwrap_or(0))
            .collect::<Vec<u32>>()
    };
    numbers(version) >= numbers(lowest)
}

/// The Python to build on: of the version that is declared, else the first of the usual ones that is new enough.
fn choose_python(needs: &Needs, declared: bool, cache: &Path) -> Result<About> {
    let found = known_pythons(cache);
    let is = |about: &About, version: &str| {
        about.version == version || about.version.starts_with(&format!("{version}."))
    };
    if let (Some(version), true) = (&needs.python, declared) {
        return found.into_iter().find(|about| is(about, version)).ok_or_else(|| {
            Error::sandbox(format!("no Python {version} is on this machine"))
                .hint(format!("install Python {version}, or name another version in evoscope.toml, or use --sandbox docker"))
        });
    }
    let lowest = needs.python.as_deref().unwrap_or("3");
    VERSIONS
        .iter()
        .filter(|version| at_least(version, lowest))
        .find_map(|version| found.iter().find(|about| is(about, version)).cloned())
        .ok_or_else(|| {
            Error::sandbox("no Python is on this machine")
                .hint("install Python 3, or use --sandbox docker")
        })
}

/// The environment for these needs: made as a virtual environment in the cache, or found there.
///
/// `declared` says that the needs' Python version is a demand and not a lower bound. Errors name the step that failed.
pub fn host_environment(
    needs: &Needs,
    declared: bool,
    building: &mut Building,
) -> Result<Environment> {
    let about = choose_python(needs, declared, building.cache)?;
    let key = key(
        needs,
        &format!("{} {}", about.version, about.base_prefix.display()),
        building.cancel,
    )?;
    let folder = building.cache.join("environments").join(&key);
    let parent = folder.parent().unwrap_or(building.cache);
    fs::create_dir_all(parent).map_err(|why| Error::io("make the folder", parent, why))?;
    let lock_path = folder.with_extension("lock");
    let _lock = locked(&lock_path, building.cancel)?;
    let complete = folder.join("complete");
    let made: Option<About> = fs::read(&complete)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .filter(About::is_there);
    let environment = match made {
        Some(environment) if environment.loaded.is_some() => environment,
        made => {
            if made.is_none() {
                build(needs, &about, &folder, building)?;
            }
            look_at(&folder, &complete)?
        }
    };
    let identity = format!("local {key}");
    let trunk = environment.loaded.as_ref().map(|loaded| {
        let base = environment.base_prefix.display();
        format!("local {} {base} {loaded}", environment.version)
    });
    Ok(Environment {
        interpreter: interpreter(&environment),
        trunk: trunk.unwrap_or_else(|| identity.clone()),
        identity,
    })
}

/// Asks a complete environment what it is, and writes that down.
fn look_at(folder: &Path, complete: &Path) -> Result<About> {
    let python = folder.join("bin/python");
    let about = ask_environment(&python)
        .ok_or_else(|| Error::sandbox(format!("{} is not a Python that runs", python.display())))?;
    let text = serde_json::to_vec(&about).map_err(|why| Error::internal(why.to_string()))?;
    fs::write(complete, text).map_err(|why| Error::io("write", complete, why))?;
    Ok(about)
}

fn build(needs: &Needs, about: &About, folder: &Path, building: &mut Building) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    (building.progress)(&format!(
        "making an environment with Python {}",
        about.version
    ));
    let mut make = Command::new(&about.executable);
    make.args(["-m", "venv"]).arg(folder);
    let step = Step {
        what: "make the virtual environment",
        hint: "see that this Python has its venv module, or name another in evoscope.toml",
    };
    step.run(&mut make, building.cancel)?;
    (building.progress)("installing pytest");
    pip(
        folder,
        "install pytest",
        &[needs.pytest().to_owned()],
        building,
    )?;
    if !needs.packages.is_empty() {
        (building.progress)(&format!("installing {}", needs.packages.join(", ")));
        pip(folder, "install the packages", &needs.packages, building)?;
    }
    if !needs.found.is_empty() {
        (building.progress)(&format!("installing {}", needs.found.join(", ")));
        let mut together = needs.found.clone();
        together.push(needs.pytest().to_owned());
        if pip(folder, "install", &together, building).is_err() {
            for package in &needs.found {
                let pair = [package.clone(), needs.pytest().to_owned()];
                if let Err(why) = pip(folder, &format!("install {package}"), &pair, building) {
                    building.cancel.check()?;
                    (building.progress)(&format!("left out: {}", why.what()));
                }
            }
        }
    }
    if !needs.setup.is_empty() {
        set_up(needs, folder, building)
    } else if needs.packages.is_empty() && needs.found.is_empty() {
        Ok(())
    } else {
        take_out_copies(needs, folder, building)
    }
}

/// Runs the commands of `setup` in a copy of the project, so that nothing is written among its own files.
fn set_up(needs: &Needs, folder: &Path, building: &mut Building) -> Result<()> {
    let temporary = std::env::temp_dir();
    let copy = tempfile::tempdir_in(&temporary)
        .map_err(|why| Error::io("make a folder in", &temporary, why))?;
    let root = project(needs, building.cancel)?.copy_into(copy.path())?;
    for command in &needs.setup {
        (building.progress)(&format!("running {command}"));
        let path = format!(
            "{}/bin:{}",
            folder.display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let mut run = Command::new("sh");
        run.args(["-c", command])
            .env("PATH", path)
            .current_dir(&root);
        let step = Step {
            what: &format!("run '{command}'"),
            hint: "mend `setup` in evoscope.toml; it runs in a copy of the project",
        };
        step.run(&mut run, building.cancel)?;
    }
    take_out_copies(needs, folder, building)
}

fn take_out_copies(needs: &Needs, folder: &Path, building: &Building) -> Result<()> {
    let own = folder.join("own-sources");
    fs::write(&own, own_sources(needs, building.cancel)?)
        .map_err(|why| Error::io("write", &own, why))?;
    let mut clean = Command::new(folder.join("bin/python"));
    clean.args(["-c", TAKE_OUT_COPIES]).arg(&own);
    let step = Step {
        what: "take the project's own modules out of the environment",
        hint: NAME_IT,
    };
    step.run(&mut clean, building.cancel)
}

fn pip(folder: &Path, what: &str, packages: &[String], building: &Building) -> Result<()> {
    // pip does not take away everything that it puts among temporary files.
    let scratch =
        tempfile::tempdir_in(folder).map_err(|why| Error::io("make a folder in", folder, why))?;
    let mut install = Command::new(folder.join("bin/python"));
    install
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
        ])
        .args(packages)
        .env("TMPDIR", scratch.path());
    let step = Step {
        what,
        hint: NAME_IT,
    };
    step.run(&mut install, building.cancel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_whose_files_are_gone_is_not_there() {
        let home = tempfile::tempdir().unwrap();
        let about = About {
            executable: home.path().join("python3"),
            version: "3.9.1".to_owned(),
            prefix: home.path().to_owned(),
            base_prefix: home.path().to_owned(),
            path: Vec::new(),
            pytest: false,
            loaded: None,
        };
        assert!(!about.is_there());
        fs::write(&about.executable, "").unwrap();
        assert!(about.is_there());
        drop(home);
        assert!(!about.is_there());
    }

    #[test]
    fn setup_runs_in_a_copy_of_the_project_and_leaves_no_copy_of_its_modules() {
        let home = tempfile::tempdir().unwrap();
        let (root, folder) = (home.path().join("source"), home.path().join("env"));
        fs::create_dir_all(root.join("src/pkg")).unwrap();
        fs::write(root.join("src/pkg/calc.py"), "ANSWER = 42\n").unwrap();
        fs::write(root.join("src/pkg/__init__.py"), "").unwrap();
        let made = Command::new("python3")
            .args(["-m", "venv", "--without-pip"])
            .arg(&folder)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            eprintln!("not tested: python3 makes no environments here");
            return;
        }
        let install = "import shutil, sysconfig\nsite = sysconfig.get_paths()['purelib']\n\
                       shutil.copytree('src/pkg', site + '/pkg')\n\
                       open(site + '/pkg/extra.py', 'w').write('')\n\
                       open(site + '/pkg/calc.py', 'a').write('# of another release')\nopen('made-here', 'w').close()\n";
        let needs = Needs {
            setup: vec![format!("python -c \"{install}\"")],
            root: root.clone(),
            ..Needs::default()
        };
        let cancel = crate::error::Cancel::default();
        let mut building = Building {
            cache: home.path(),
            progress: &mut |_| {},
            cancel: &cancel,
        };
        set_up(&needs, &folder, &mut building).unwrap();
        let site = fs::read_dir(folder.join("lib"))
            .unwrap()
            .flatten()
            .map(|version| version.path().join("site-packages/pkg"))
            .find(|package| package.is_dir())
            .unwrap();
        assert!(site.join("extra.py").exists() && !site.join("calc.py").exists());
        let package = fs::read_to_string(site.join("__init__.py")).unwrap();
        assert!(package.starts_with("raise ImportError"), "{package}");
        assert!(!root.join("made-here").exists());
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(at_least("3.10", "3.9") && at_least("3.9", "3.9") && !at_least("3.8", "3.9"));
    }
}
