//! Opens the sandbox that completions run in, and builds the environments of projects for that sandbox.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rayon::prelude::*;

use super::benchmarks::TaskRef;
use super::config::Environment as Declared;
use super::image::DEFAULT_PYTHON;
use super::open::Workspace;
use crate::benchmark::Language;
use crate::environment::{
    BuildContext, Environment, JavaRequirements, ProjectFiles, Requirements, container_environment,
    container_java, find_requirements, host_environment, host_java, jdk_image, pom_jars,
    python_image,
};
use crate::error::{Cancel, Error, Result};
use crate::evaluation::{DockerSandbox, LocalSandbox, Sandbox, SandboxKind};
use crate::files::{self, LARGEST_SOURCE};
use crate::history::SourceTree;

/// The sandbox of an evaluation run. The sandbox also builds the environments of projects.
pub(super) enum SandboxBackend {
    /// Containers.
    Docker(DockerSandbox),
    /// Linux namespaces, without any service.
    Local(LocalSandbox),
}

impl SandboxBackend {
    /// Opens a sandbox of this kind. If `kind` is `None`, opens containers if a container service answers, otherwise
    /// Linux namespaces. Returns (sandbox, why Linux namespaces replace containers). Errors if `kind` requests
    /// containers and no service answers.
    fn open(kind: Option<SandboxKind>) -> Result<(Self, Option<Error>)> {
        let local = || Self::Local(LocalSandbox::new());
        let docker = || DockerSandbox::connect().map(Self::Docker);
        match kind {
            Some(SandboxKind::Local) => Ok((local(), None)),
            Some(SandboxKind::Docker | SandboxKind::Podman) => Ok((docker()?, None)),
            None => Ok(docker().map_or_else(|why| (local(), Some(why)), |docker| (docker, None))),
        }
    }

    /// The opened sandbox.
    pub(super) fn sandbox(&self) -> Arc<dyn Sandbox> {
        match self {
            Self::Docker(docker) => Arc::new(docker.clone()),
            Self::Local(local) => Arc::new(local.clone()),
        }
    }

    fn environment(
        &self,
        asked: &Asked,
        image: Option<&str>,
        context: &mut BuildContext,
    ) -> Result<Environment> {
        match asked {
            Asked::Python(asked) => self.python(asked, image, context),
            Asked::Java(requirements) => self.java(requirements, image, context),
        }
    }

    fn python(
        &self,
        asked: &AskedPython,
        image: Option<&str>,
        context: &mut BuildContext,
    ) -> Result<Environment> {
        let AskedPython {
            requirements,
            exact,
            image_python,
        } = asked;
        match self {
            Self::Local(_) => host_environment(requirements, *exact, context),
            Self::Docker(docker) => {
                let version = requirements.python.as_deref().filter(|_| *image_python);
                let engine = docker.engine();
                let image = match image.or(requirements.image.as_deref()) {
                    Some(named) => named.to_owned(),
                    None => python_image(engine, version.unwrap_or(DEFAULT_PYTHON), context)?,
                };
                container_environment(engine, &image, requirements, context)
            }
        }
    }

    fn java(
        &self,
        requirements: &JavaRequirements,
        image: Option<&str>,
        context: &mut BuildContext,
    ) -> Result<Environment> {
        match self {
            Self::Local(_) => host_java(requirements, context),
            Self::Docker(docker) => {
                let engine = docker.engine();
                let image = match image.or(requirements.image.as_deref()) {
                    Some(named) => named.to_owned(),
                    None => jdk_image(engine, requirements.jdk.as_deref(), context)?,
                };
                container_java(engine, &image, requirements, context)
            }
        }
    }
}

fn no_java_image() -> Error {
    Error::user("no container image for Java is named")
        .hint("use --sandbox docker, which makes one from this machine's JDK, or name one with a JDK and python3 in evoscope.toml (image = \"…\") or with --image")
}

/// A sandbox that a thread opens while the caller reads files. The thread also removes containers and folders that
/// earlier runs did not remove.
pub struct StartingSandbox {
    run: String,
    automatic: bool,
    thread: JoinHandle<Result<(SandboxBackend, Option<Error>)>>,
}

impl StartingSandbox {
    /// Starts to open a sandbox of this kind. If `kind` is `None`, opens containers if a container service answers, and
    /// otherwise Linux namespaces.
    pub fn start(kind: Option<SandboxKind>) -> Self {
        let run = format!("{:08x}", rand::random::<u32>());
        let thread = thread::spawn(move || {
            let (backend, instead) = SandboxBackend::open(kind)?;
            backend.sandbox().remove_stale()?;
            Ok((backend, instead))
        });
        Self {
            run,
            automatic: kind.is_none(),
            thread,
        }
    }

    /// Waits until the sandbox is open. Returns (name of the run, sandbox, why the sandbox does not use containers).
    /// The reason is `None` if the sandbox uses containers, or if a kind was requested.
    ///
    /// `no_image` means that the run needs a Java image, but no image is named. Then the result is the local sandbox,
    /// unless a kind was requested.
    pub(super) fn wait(self, no_image: bool) -> Result<(String, SandboxBackend, Option<Error>)> {
        let opened = self.thread.join();
        let (backend, instead) =
            opened.unwrap_or_else(|_| Err(Error::internal("the sandbox's start panicked")))?;
        let is_docker = matches!(backend, SandboxBackend::Docker(_));
        if self.automatic && no_image && is_docker {
            let local = SandboxBackend::Local(LocalSandbox::new());
            return Ok((self.run, local, Some(no_java_image())));
        }
        Ok((self.run, backend, instead))
    }
}

/// The environments of projects. A project has the name [`ProjectFiles::name`].
#[derive(Debug, Default)]
pub(super) struct Environments {
    /// Key: the name of the project, value: the environment, which is ready.
    pub(super) built: HashMap<String, Environment>,
    /// The environments that could not be built, grouped by reason.
    pub(super) failed: Vec<FailedEnvironment>,
    /// The projects with another Python version than requested. Key: the versions, value: the names of the projects.
    pub(super) other_python: BTreeMap<OtherPython, Vec<String>>,
}

/// The requested Python version, and the version that an environment has instead.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OtherPython {
    pub(super) asked: String,
    pub(super) found: String,
}

/// Why the environments of some projects could not be built.
#[derive(Debug)]
pub(super) struct FailedEnvironment {
    /// The names of the projects.
    pub(super) projects: Vec<String>,
    pub(super) why: Error,
    /// The requirements that failed, if the projects are in Java. For another project with the same requirements, no
    /// environment is built.
    asked: Option<JavaRequirements>,
}

impl Environments {
    /// Whether an environment with the requirements `asked` already failed for another project. If so, adds `project`
    /// to the failed projects.
    fn failed_before(&mut self, asked: &JavaRequirements, project: &str) -> bool {
        let mut failed = self.failed.iter_mut();
        let same = failed.find(|failed| failed.asked.as_ref() == Some(asked));
        same.map(|failed| failed.projects.push(project.to_owned()))
            .is_some()
    }

    /// Adds `project` to `other_python` if its environment does not have the requested Python version `asked`.
    fn compare_python(&mut self, asked: Option<String>, environment: &Environment, project: &str) {
        let (Some(asked), Some(found)) = (asked, environment.python.clone()) else {
            return;
        };
        if asked != found {
            let other = OtherPython { asked, found };
            let projects = self.other_python.entry(other).or_default();
            projects.push(project.to_owned());
        }
    }

    /// Adds a project and the error `why` to `failed`. Projects with the same error are grouped.
    fn add_failed(&mut self, project: &str, why: Error, asked: Option<JavaRequirements>) {
        let text = |error: &Error| (error.to_string(), error.advice().map(str::to_owned));
        let mut failed = self.failed.iter_mut();
        match failed.find(|failed| text(&failed.why) == text(&why)) {
            Some(same) => same.projects.push(project.to_owned()),
            None => self.failed.push(FailedEnvironment {
                projects: vec![project.to_owned()],
                why,
                asked,
            }),
        }
    }
}

impl SandboxBackend {
    /// The environment of each project in `wanted`. Missing environments are built. An environment has the packages
    /// that `evoscope.toml` or the task's record names, or else the packages that the project's files require. `image`
    /// replaces the image of each environment. `progress` receives (a task of the project, a line about the build).
    /// Errors only if cancelled.
    pub(super) fn environments<'a>(
        &self,
        workspace: &Workspace,
        wanted: impl IntoIterator<Item = (TaskRef, &'a ProjectFiles)>,
        image: Option<&str>,
        (cache, cancel): (&Path, &Cancel),
        progress: &mut dyn FnMut(TaskRef, &str),
    ) -> Result<Environments> {
        let mut seen = HashSet::new();
        let wanted = wanted.into_iter();
        let projects: Vec<_> = wanted
            .filter(|(_, project)| seen.insert(&project.name))
            .collect();
        let asked: Vec<_> = projects
            .par_iter()
            .map(|(task, project)| Asked::of(workspace, *task, &project.tree))
            .collect();
        let mut found = Environments::default();
        for ((task, project), asked) in projects.into_iter().zip(asked) {
            cancel.check()?;
            let mut context = BuildContext {
                cache,
                progress: &mut |line| progress(task, line),
                cancel,
            };
            let java = asked.as_ref().ok().and_then(Asked::java).cloned();
            if java
                .as_ref()
                .is_some_and(|java| found.failed_before(java, &project.name))
            {
                continue;
            }
            let version = asked
                .as_ref()
                .ok()
                .and_then(Asked::python)
                .map(str::to_owned);
            match asked.and_then(|asked| self.environment(&asked, image, &mut context)) {
                Ok(environment) => {
                    found.compare_python(version, &environment, &project.name);
                    found.built.insert(project.name.clone(), environment);
                }
                Err(why) => {
                    cancel.check()?;
                    found.add_failed(&project.name, why, java);
                }
            }
        }
        Ok(found)
    }
}

/// The environment requested for a task's project.
enum Asked {
    Python(AskedPython),
    Java(JavaRequirements),
}

/// The environment requested for a Python project.
struct AskedPython {
    requirements: Requirements,
    /// Whether `evoscope.toml` declares the Python version. If not, the local sandbox may use another version.
    exact: bool,
    /// Whether the Python version selects the container image. True if `evoscope.toml` or the task's record names the
    /// version.
    image_python: bool,
}

impl Asked {
    fn java(&self) -> Option<&JavaRequirements> {
        match self {
            Self::Java(requirements) => Some(requirements),
            Self::Python(_) => None,
        }
    }

    /// The Python version that `evoscope.toml` or the task's record names. `None` if neither names a version.
    fn python(&self) -> Option<&str> {
        match self {
            Self::Python(asked) if asked.image_python => asked.requirements.python.as_deref(),
            Self::Python(_) | Self::Java(_) => None,
        }
    }

    fn of(workspace: &Workspace, task: TaskRef, tree: &SourceTree) -> Result<Self> {
        if workspace.task(task).language == Language::Java {
            let declared = workspace.environment(task).unwrap_or_default();
            let record = workspace.recorded_environment(task)?;
            let mut requirements = declared.java(record.as_ref());
            if requirements.class_path.is_empty() {
                requirements.class_path = pom_jars(tree, workspace.task(task).path.as_str());
            }
            return Ok(Self::Java(requirements));
        }
        AskedPython::of(workspace, task, tree).map(Self::Python)
    }
}

impl AskedPython {
    fn of(workspace: &Workspace, task: TaskRef, tree: &SourceTree) -> Result<Self> {
        let declared = workspace.environment(task);
        let exact = declared
            .as_ref()
            .is_some_and(|declared| declared.python.is_some());
        let Some(record) = workspace.recorded_environment(task)? else {
            return Ok(Self {
                requirements: requirements(declared.as_ref(), tree)?,
                exact,
                image_python: exact,
            });
        };
        let declared = declared.unwrap_or_default().with_packages_of(&record);
        let mut requirements = requirements(Some(&declared), tree)?;
        let python = Declared::recorded_python(&record).filter(|_| !exact);
        let image_python = exact || python.is_some();
        requirements.python = python.or(requirements.python);
        Ok(Self {
            requirements,
            exact,
            image_python,
        })
    }
}

/// The requirements that `evoscope.toml` declares. If it declares no packages and no requirements files, the packages
/// come from the project's files. If it declares no Python version, the version comes from the project's files. Lines
/// of a requirements file that begin with an option, such as `-r FILE`, are skipped.
fn requirements(declared: Option<&Declared>, tree: &SourceTree) -> Result<Requirements> {
    let Some(declared) = declared else {
        return Ok(find_requirements(tree));
    };
    let found = find_requirements(tree);
    let listed = !declared.packages.is_empty() || !declared.requirements.is_empty();
    let mut requirements = Requirements {
        python: declared.python.clone().or(found.python),
        packages: declared.packages.clone(),
        found: if listed { Vec::new() } else { found.found },
        setup: declared.setup.clone(),
        tree: tree.clone(),
        image: declared.image.clone(),
    };
    for file in &declared.requirements {
        let text = match tree {
            SourceTree::Folder(root) => files::read(&root.join(file), LARGEST_SOURCE)?,
            SourceTree::Snapshot(_) => tree.read(&file.to_string_lossy())?,
        };
        let text = String::from_utf8_lossy(&text);
        let lines = text
            .lines()
            .map(|line| line.split(" #").next().unwrap_or(line).trim());
        requirements.packages.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with(['#', '-']))
                .map(str::to_owned),
        );
    }
    requirements.packages.extend(declared.more.iter().cloned());
    Ok(requirements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_packages_replace_found_packages_and_packages_under_more_are_always_added() {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join("requirements.txt"), "six\n").unwrap();
        let mut declared = Declared {
            more: vec!["mock".to_owned()],
            ..Declared::default()
        };
        let both = requirements(Some(&declared), &project.path().into()).unwrap();
        assert_eq!(
            (both.packages, both.found),
            (vec!["mock".to_owned()], vec!["six".to_owned()])
        );
        declared.packages = vec!["attrs".to_owned()];
        let listed = requirements(Some(&declared), &project.path().into()).unwrap();
        assert_eq!(listed.packages, ["attrs", "mock"]);
        assert!(listed.found.is_empty());
    }
}
