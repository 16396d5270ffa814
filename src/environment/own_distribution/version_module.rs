//! The module with the version that a build writes, and that is not in the repository.

use toml::Value;

use super::{Description, OwnDistribution};
use crate::benchmark::{Language, RepoPath};
use crate::code::{NamedValues, parse};
use crate::environment::requirements::at;
use crate::history::SourceTree;

/// What `setuptools_scm` writes.
const TEMPLATE: &str =
    "__version__ = version = {version!r}\n__version_tuple__ = version_tuple = {version_tuple}\n";

/// The file that the project's build writes, if it is not in the tree: (path, content). This is what `setuptools_scm`
/// (`write_to`, `version_file`), hatch-vcs (`version-file`), PDM (`write_to`) or versioningit is configured to write. The
/// version is that of [`OwnDistribution::read`]. `None` if the project names no such file.
pub fn missing_version_module(tree: &SourceTree) -> Option<(RepoPath, String)> {
    let (description, _) = Description::read(tree);
    let (path, template) =
        in_pyproject(tree, &description).or_else(|| in_setup_py(&description.setup_py))?;
    let path = path.trim_start_matches("./");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
    if !is_inside || tree.has(path) || !(folder.is_empty() || tree.is_folder(folder)) {
        return None;
    }
    let own = OwnDistribution::read(tree);
    let version = own.map_or_else(|| "0".to_owned(), |own| own.version);
    Some((
        RepoPath::new(path),
        content(path, template.as_deref(), &version),
    ))
}

/// (path, template) in `pyproject.toml`.
fn in_pyproject(tree: &SourceTree, description: &Description) -> Option<(String, Option<String>)> {
    let tool = description.pyproject.get("tool");
    let text = |keys: &[&str]| at(tool, keys).and_then(Value::as_str).map(str::to_owned);
    let scm = |key| text(&["setuptools_scm", key]);
    let hatch = |key| text(&["hatch", "build", "hooks", "vcs", key]);
    let pdm = |key| text(&["pdm", "version", key]);
    let in_package = |path: String| {
        let in_src = format!("src/{path}");
        let folder = in_src.rsplit_once('/').map_or("", |(folder, _)| folder);
        if tree.is_folder(folder) && folder != "src" {
            in_src
        } else {
            path
        }
    };
    scm("version_file")
        .map(|path| (path, scm("version_file_template")))
        .or_else(|| Some((scm("write_to")?, scm("write_to_template"))))
        .or_else(|| Some((hatch("version-file")?, hatch("template"))))
        .or_else(|| Some((in_package(pdm("write_to")?), pdm("write_template"))))
        .or_else(|| {
            Some((
                text(&["versioningit", "write", "file"])?,
                text(&["versioningit", "write", "template"]),
            ))
        })
}

/// (path, template) in the argument `use_scm_version` of `setup.py`.
fn in_setup_py(text: &str) -> Option<(String, Option<String>)> {
    if !text.contains("use_scm_version") {
        return None;
    }
    let tree = parse(Language::Python, text.as_bytes())?;
    let values = NamedValues::of(&tree, text);
    let string = |name: &str| {
        let mut named = values.found.iter().filter(|(found, _)| *found == name);
        named.find_map(|(_, value)| match values.strings(*value)[..] {
            [text] => Some(text.to_owned()),
            _ => None,
        })
    };
    string("version_file")
        .map(|path| (path, string("version_file_template")))
        .or_else(|| Some((string("write_to")?, string("write_to_template"))))
}

/// The text of the file. A template with other placeholders than the version is replaced by the usual one.
fn content(path: &str, template: Option<&str>, version: &str) -> String {
    let usual = match Language::of_path(path) {
        Some(Language::Python) => TEMPLATE,
        _ => "{version}\n",
    };
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<&str> = version.split('.').take_while(is_number).collect();
    let filled = |template: &str| {
        let text = template
            .replace("{version!r}", &format!("'{version}'"))
            .replace("{version}", version)
            .replace("{version_tuple}", &format!("({},)", numbers.join(", ")));
        // `setup.py` is read without its escapes.
        text.replace("\\n", "\n")
    };
    let text = template.map(filled);
    text.filter(|text| !text.contains(['{', '}']))
        .unwrap_or_else(|| filled(usual))
}
