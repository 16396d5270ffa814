//! Finds the testing tools that a project's tests use. In many source releases, no list of requirements names these
//! packages. Only the well-known tools in the tables of this file are recognised.

use crate::benchmark::Language;
use crate::history::SourceTree;

/// The maximum number of test files to read.
const FILES: usize = 600;
/// How many levels of folders below the root are searched.
const DEPTH: usize = 6;

/// Modules of testing tools, each with the package that contains it.
const MODULES: [(&str, &str); 23] = [
    ("aioresponses", "aioresponses"),
    ("betamax", "betamax"),
    ("ddt", "ddt"),
    ("factory", "factory-boy"),
    ("faker", "Faker"),
    ("flexmock", "flexmock"),
    ("freezegun", "freezegun"),
    ("httpretty", "httpretty"),
    ("hypothesis", "hypothesis"),
    ("mock", "mock"),
    ("moto", "moto"),
    ("parameterized", "parameterized"),
    ("pexpect", "pexpect"),
    ("pkg_resources", "setuptools"),
    ("pretend", "pretend"),
    ("pyfakefs", "pyfakefs"),
    ("requests_mock", "requests-mock"),
    ("responses", "responses"),
    ("respx", "respx"),
    ("testfixtures", "testfixtures"),
    ("time_machine", "time-machine"),
    ("vcr", "vcrpy"),
    ("webtest", "WebTest"),
];

/// Fixtures, each with the pytest plugin that provides it.
pub(crate) const PLUGIN_FIXTURES: [(&str, &str); 12] = [
    ("mocker", "pytest-mock"),
    ("benchmark", "pytest-benchmark"),
    ("unused_tcp_port", "pytest-asyncio"),
    ("event_loop", "pytest-asyncio"),
    ("httpserver", "pytest-httpserver"),
    ("httpbin", "pytest-httpbin"),
    ("requests_mock", "requests-mock"),
    ("fs", "pyfakefs"),
    ("datadir", "pytest-datadir"),
    ("subtests", "pytest-subtests"),
    ("data_regression", "pytest-regressions"),
    ("snapshot", "syrupy"),
];

/// Marks of pytest (`@pytest.mark.asyncio`), each with the package that provides it.
const MARKS: [(&str, &str); 4] = [
    ("pytest.mark.asyncio", "pytest-asyncio"),
    ("pytest.mark.anyio", "anyio"),
    ("pytest.mark.trio", "pytest-trio"),
    ("pytest.mark.django_db", "pytest-django"),
];

/// The packages of the testing tools that a project's tests use. An import, a fixture or a mark shows that a test uses
/// a tool. A package may occur several times in the result.
pub(super) fn testing_tools(tree: &SourceTree) -> Vec<&'static str> {
    let files = test_sources(tree);
    let texts = files.iter().filter_map(|file| tree.small_text(file));
    let texts: Vec<String> = texts.collect();
    let defines = |name: &str| {
        let definition = format!("def {name}(");
        texts.iter().any(|text| text.contains(&definition))
    };
    let mut found = Vec::new();
    for line in texts.iter().flat_map(|text| text.lines()).map(str::trim) {
        let module = imported(line);
        let modules = MODULES.iter().filter(|(known, _)| module == Some(known));
        let modules = modules.filter(|(module, _)| !is_own(tree, module));
        let fixtures = PLUGIN_FIXTURES.iter();
        let fixtures = fixtures.filter(|(name, _)| takes(line, name) && !defines(name));
        let marks = MARKS.iter().filter(|(mark, _)| line.contains(mark));
        let tools = modules.chain(fixtures).chain(marks);
        found.extend(tools.map(|(_, package)| *package));
    }
    found
}

/// The paths of the Python test files, at most [`FILES`], in order.
pub(in crate::environment) fn test_sources(tree: &SourceTree) -> Vec<String> {
    let mut files = Vec::new();
    test_files(tree, "", false, DEPTH, &mut files);
    files.sort();
    files
}

/// The first top-level module that a line imports. `None` if the line is not an import.
fn imported(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("import ")
        .or_else(|| line.strip_prefix("from "))?;
    rest.split([' ', '.', ',']).next()
}

/// Whether a line is the header of a test that uses the fixture `name`.
fn takes(line: &str, name: &str) -> bool {
    let parameters = line
        .strip_prefix("async ")
        .unwrap_or(line)
        .strip_prefix("def test")
        .and_then(|rest| rest.split_once('('));
    parameters.is_some_and(|(_, rest)| {
        let rest = rest.split(')').next().unwrap_or(rest);
        rest.split(',')
            .any(|word| word.split(':').next().unwrap_or(word).trim() == name)
    })
}

/// Whether the project itself contains a module with this name.
fn is_own(tree: &SourceTree, module: &str) -> bool {
    ["", "src/", "lib/", "test/", "tests/"]
        .iter()
        .any(|folder| {
            tree.is_folder(&format!("{folder}{module}"))
                || tree.is_file(&format!("{folder}{module}.py"))
        })
}

/// Adds the paths of the Python test files below `folder` to `files`. `folder` is empty or ends with `/`. `inside` is
/// true below a folder with a name that begins with `test`.
fn test_files(
    tree: &SourceTree,
    folder: &str,
    inside: bool,
    depth: usize,
    files: &mut Vec<String>,
) {
    for (name, is_folder) in tree.children(folder) {
        let about_tests = name.starts_with("test") || name == "conftest.py";
        if files.len() >= FILES || name.starts_with('.') {
            continue;
        }
        let path = format!("{folder}{name}");
        if is_folder && depth > 0 {
            let below = format!("{path}/");
            test_files(tree, &below, inside || about_tests, depth - 1, files);
        } else if !is_folder
            && Language::of_path(&name) == Some(Language::Python)
            && (inside || about_tests || name.ends_with("_test.py"))
        {
            files.push(path);
        }
    }
}
