//! Virtual environments on this machine, for the local sandbox.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::build_context::{BuildContext, environment_key, lock, own_sources, project};
use super::build_step::BuildStep;
use super::interpreter::Environment;
use super::interpreters::{Python, choose_python};
use super::requirements::Requirements;
use super::scripts::{install_request, write_scripts};
use crate::error::{Error, Result};

const PACKAGES_HINT: &str =
    "name the packages in evoscope.toml, or check that pip reaches its package index";

/// The environment for these requirements: a virtual environment in the cache, built if it does not exist.
///
/// With `exact`, the interpreter must have the required version; otherwise that is a lower bound. An error of kind
/// sandbox names the step that failed.
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
    // Written last: a folder without it was not completed.
    let complete = folder.join("complete");
    let executable = folder.join("bin/python");
    // An environment does not run after its base was removed.
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
    (context.progress)(&format!(
        "make a virtual environment with Python {}",
        python.version
    ));
    let mut venv = Command::new(&python.executable);
    venv.args(["-m", "venv"]).arg(folder);
    // `-m` searches the current folder, which may be anybody's.
    venv.current_dir(folder.parent().unwrap_or(Path::new("/")));
    let step = BuildStep {
        what: "make the virtual environment",
        hint: "check that this Python has its venv module, or name another one in evoscope.toml",
    };
    step.run(venv, context)?;
    let request = install_request(requirements, false);
    let step = BuildStep {
        what: "install the packages",
        hint: PACKAGES_HINT,
    };
    run_script(step, "install.py", &request, folder, context)?;
    if !requirements.setup.is_empty() {
        run_setup(requirements, folder, context)?;
    }
    if requirements.is_empty() {
        return Ok(());
    }
    let sources = own_sources(requirements, context.cancel)?;
    let step = BuildStep {
        what: "remove the project's own modules from the environment",
        hint: PACKAGES_HINT,
    };
    run_script(step, "remove_copies.py", &sources, folder, context)
}

/// Runs one of the programs of [`super::scripts`] in an environment, with its input in a file.
fn run_script(
    step: BuildStep,
    name: &str,
    input: &str,
    folder: &Path,
    context: &mut BuildContext,
) -> Result<()> {
    // pip leaves some of its temporary files behind.
    let scratch =
        tempfile::tempdir_in(folder).map_err(|why| Error::io("make a folder in", folder, why))?;
    write_scripts(scratch.path())?;
    let input_path = scratch.path().join("input");
    fs::write(&input_path, input).map_err(|why| Error::io("write", &input_path, why))?;
    let mut script = Command::new(folder.join("bin/python"));
    script
        .args(["-B", "-s"])
        .arg(scratch.path().join(name))
        .arg(&input_path)
        .current_dir(scratch.path())
        .env("TMPDIR", scratch.path());
    step.run(script, context)
}

/// Runs the setup commands in a copy of the project, so that its own files stay as they are.
fn run_setup(requirements: &Requirements, folder: &Path, context: &mut BuildContext) -> Result<()> {
    let temporary = std::env::temp_dir();
    let copy = tempfile::tempdir_in(&temporary)
        .map_err(|why| Error::io("make a folder in", &temporary, why))?;
    let root = project(requirements, context.cancel)?.copy_into(copy.path())?;
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}/bin:{path}", folder.display());
    for command in &requirements.setup {
        (context.progress)(&format!("run {command}"));
        let mut run = Command::new("sh");
        run.args(["-c", command])
            .env("PATH", &path)
            .current_dir(&root);
        let step = BuildStep {
            what: &format!("run '{command}'"),
            hint: "fix `setup` in evoscope.toml; its commands run in a copy of the project",
        };
        step.run(run, context)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Cancel;
    use crate::history::SourceTree;

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
        run_setup(&requirements, &folder, &mut context).unwrap();
        let sources = own_sources(&requirements, &cancel).unwrap();
        let step = BuildStep {
            what: "remove",
            hint: "",
        };
        run_script(step, "remove_copies.py", &sources, &folder, &mut context).unwrap();
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
