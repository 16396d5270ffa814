//! Finds the requirements of a project: here, the packages that the project's files name.

use super::collector::Collector;
use super::files::ini_list;
use super::model::{Purpose, Requirements};
use super::nox::from_noxfile;
use super::pipfile::from_pipfile;
use super::pyproject::{from_pyproject, name_in_pyproject};
use super::pytest_options::from_pytest_options;
use super::requirement_files::from_requirement_files;
use super::setup::{from_setup_cfg, from_setup_py, name_in_setup_py};
use super::test_files::testing_tools;
use super::tox::from_tox;
use crate::history::SourceTree;

/// Reads the requirements of the project in `tree` and of its tests. Sources are, in this order: `pyproject.toml` (PEP
/// 621, dependency groups, Poetry, Flit, PDM, Hatch, uv), `setup.cfg`, `setup.py` (read as text), tox, requirements
/// files, `Pipfile`, the use of well-known testing tools in the tests, and the configuration of pytest. If nothing else
/// names a package for tests, `noxfile.py` is read too. The result never contains the project itself.
pub fn find_requirements(tree: &SourceTree) -> Requirements {
    let text = |name| tree.small_text(name).unwrap_or_default();
    let (pyproject, setup_cfg, setup_py) =
        (text("pyproject.toml"), text("setup.cfg"), text("setup.py"));
    let own = project_name(&pyproject, &setup_cfg, &setup_py);
    let mut collector = Collector::new(tree, own.and_then(|name| name.parse().ok()));
    loop {
        let groups = collector.groups().len();
        from_pyproject(&pyproject, &mut collector);
        from_setup_cfg(&setup_cfg, &mut collector);
        from_setup_py(&setup_py, &mut collector);
        from_tox(tree, &mut collector);
        if collector.groups().len() == groups {
            break;
        }
        // A new group (an extra) may be defined in a file that was read before the group was named. So read all again.
    }
    from_requirement_files(tree, &setup_py, &mut collector);
    from_pipfile(&text("Pipfile"), &mut collector);
    if !collector.has_test_requirements() {
        from_noxfile(&text("noxfile.py"), &mut collector);
    }
    for package in testing_tools(tree) {
        collector.require(package, Purpose::Tests);
    }
    from_pytest_options(tree, &pyproject, &mut collector);
    collector.finish()
}

/// The name of the project's distribution, if its files name it as text.
pub(in crate::environment) fn project_name(
    pyproject: &str,
    setup_cfg: &str,
    setup_py: &str,
) -> Option<String> {
    name_in_pyproject(pyproject)
        .or_else(|| ini_list(setup_cfg, "metadata", "name").into_iter().next())
        .or_else(|| name_in_setup_py(setup_py))
}
