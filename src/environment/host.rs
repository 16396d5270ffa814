//! Virtual environments on this machine, for the local sandbox.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::build_context::{BuildContext, environment_key, lock, own_sources, project};
use super::build_step::BuildStep;
use super::interpreter::Environment;
use super::interpreters::{Python, choose_python};
use super::requirements::Requirements;
use super::scripts::{Places, SCRIPTS, install_request, script};
use crate::error::{Error, Result};

/// Returns the virtual environment for these requirements from the cache. Builds the environment if it does not exist,
/// or does not run.
///
/// With `exact`, the interpreter must have the required version; otherwise, at least that version. If the build fails,
/// the error contains the line of the log that gives the reason.
pub fn host_environment(
    requirements: &Requirements,
    exact: bool,
    context: &mut BuildContext,
) -> Result<Environment> {
    let python = choose_python(requirements, exact)?;
    let base = format!("{} {}", python.version, python.base_prefix.display());
    let key = environment_key(requirements, &base, context.cancel)?;
    let folder = context.cache.join("environments").join(&key);
    let parent = folder.parent().unwrap_or(context.cache);
    fs::create_dir_all(parent).map_err(|why| Error::io("make the folder", parent, why))?;
    let _lock = lock(&folder.with_extension("lock"), context.cancel)?;
    // This file is written last: without it, the environment is not complete.
    let complete = folder.join("complete");
    let executable = folder.join("bin/python");
    // An environment does not run if its base interpreter was removed.
    let existing = Python::at(&executable).ok().filter(|_| complete.exists());
    let environment = if let Some(environment) = existing {
        environment
    } else {
        build(requirements, &python, &folder, context)?;
        fs::write(&complete, "").map_err(|why| Error::io("write", &complete, why))?;
        Python::at(&executable)?
    };
    let identity = format!("local {key}");
    Ok(Environment::new(environment.interpreter(), identity).with_python(&environment.version))
}

fn build(
    requirements: &Requirements,
    python: &Python,
    folder: &Path,
    context: &mut BuildContext,
) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|why| Error::io("make the folder", folder, why))?;
    let scratch = scratch(requirements, folder, context)?;
    let places = Places {
        python: &python.executable.display().to_string(),
        folder: &folder.display().to_string(),
        build: &scratch.path().display().to_string(),
        project: &scratch.path().join("project").display().to_string(),
        sees_packages: false,
    };
    run(&script(requirements, &places), scratch.path(), context)
}

/// Writes the input files of the build script to a temporary folder in `folder`, the environment's folder. The next
/// build removes the temporary folder if this process ends too early to do so.
fn scratch(requirements: &Requirements, folder: &Path, context: &BuildContext) -> Result<TempDir> {
    let failed = |why| Error::io("write below", folder, why);
    let scratch = tempfile::tempdir_in(folder).map_err(failed)?;
    let request = install_request(requirements, false);
    // The script finds installed copies of the project's modules by `sources`. If only pytest is installed, there are
    // no copies.
    let sources = if requirements.is_empty() {
        String::new()
    } else {
        own_sources(requirements, context.cancel)?
    };
    let inputs = [("request.json", request.as_str()), ("sources", &sources)];
    for (name, text) in SCRIPTS.into_iter().chain(inputs) {
        fs::write(scratch.path().join(name), text).map_err(failed)?;
    }
    if !requirements.setup.is_empty() {
        // Use a copy, so that the project's own files stay unchanged.
        project(requirements, context.cancel)?.copy_into(scratch.path())?;
    }
    Ok(scratch)
}

fn run(script: &str, scratch: &Path, context: &mut BuildContext) -> Result<()> {
    let mut shell = Command::new("/bin/sh");
    // pip does not remove all of its temporary files. Evoscope removes them with the scratch folder.
    shell.args(["-c", script]).env("TMPDIR", scratch);
    let step = BuildStep {
        what: "build the environment",
        hint: "name other packages, other setup commands or another Python in evoscope.toml, or check that pip reaches \
               its package index",
    };
    step.run(shell, context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::scripts::setup;
    use crate::error::Cancel;
    use crate::history::SourceTree;

    #[test]
    fn setup_runs_in_a_copy_of_the_project_and_installed_copies_of_modules_are_disabled() {
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
                       open(site + '/pkg/calc.py', 'a').write('# of another release')\nopen('made-here', 'w').close()\n\
                       print('set up')\n";
        let requirements = Requirements {
            setup: vec![format!("python -c \"{install}\"")],
            tree: SourceTree::Folder(root.clone()),
            ..Requirements::default()
        };
        let (cancel, mut lines) = (Cancel::default(), Vec::new());
        let mut context = BuildContext {
            cache: home.path(),
            progress: &mut |line| lines.push(line.to_owned()),
            cancel: &cancel,
        };
        let scratch = scratch(&requirements, &folder, &context).unwrap();
        let place = |path: &Path| path.display().to_string();
        let places = Places {
            python: "",
            folder: &place(&folder),
            build: "",
            project: &place(&scratch.path().join("project")),
            sees_packages: false,
        };
        let setup = setup(&requirements, &places).join("\n");
        let text = format!("set -e; cd {}; {setup}", place(scratch.path()));
        run(&text, scratch.path(), &mut context).unwrap();
        assert_eq!(lines.last().map(String::as_str), Some("set up"));
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
}
