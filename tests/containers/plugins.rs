//! Plugins that a project's configuration loads, options of plugins that runs disable, and fixtures.

use std::fs;
use std::sync::Arc;

use evoscope::evaluation::{SandboxKind, Subject};

use crate::fixture::Project;
use crate::projects::right_and_wrong;

/// Counts a failure although no test fails, as pytest-cov does if the coverage is too low.
const COUNTS: &str = "
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    yield
    session.testsfailed += 1
";

/// Has the options of pytest-cov and pytest-xdist, and asserts that a run disables both.
const ASKED: &str = "
import pytest

def pytest_addoption(parser):
    parser.addoption('--no-cov', action='store_true')
    parser.addoption('--numprocesses', '--shares', type=int)
    parser.addoption('--dist', default='no')

@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    assert early_config.known_args_namespace.no_cov

@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    assert not config.option.numprocesses and config.option.dist == 'no'
";

/// Checks the verdicts on a right and a wrong completion with a plugin of the project.
fn with_plugin(kind: SandboxKind, plugin: &str, options: &str) {
    let project = Project::new();
    let root = project.folder.path();
    fs::write(root.join("own_plugin.py"), plugin).unwrap();
    let asked = format!("[pytest]\naddopts = -p own_plugin {options}\n");
    fs::write(root.join("pytest.ini"), asked).unwrap();
    let found = right_and_wrong(kind, &project.subject());
    assert!(!found[0].without_addopts);
}

pub fn failures_that_are_no_tests(kind: SandboxKind) {
    with_plugin(kind, COUNTS, "");
}

pub fn coverage_and_shares(kind: SandboxKind) {
    with_plugin(kind, ASKED, "--shares 2 --dist load");
}

const CONFTEST: &str = "
import functools

import pytest

def spread(fixture):
    return pytest.fixture(params=[2])(fixture)

@spread
def two(request):
    return request.param

def _listed():
    return [1, 2, 3]

listed = pytest.fixture(name='a_list')(_listed)
a_module, a_number, a_call = functools, 2, functools.partial(sum, [1])
";

const WITH_FIXTURES: &str = "
import unittest

import pytest

from pkg.calc import scaled
from tests.conftest import two as imported

@pytest.fixture
def doubled(two):
    return lambda values: scaled(values, two)

def test_module(doubled, a_list, imported):
    assert doubled(a_list) == [2, 4, 2 + 2 * imported]

class Base:
    number = 3

    @pytest.fixture(autouse=True)
    def set_up(self):
        self.values = [self.number]

    @pytest.fixture
    def inherited(self):
        return self.number

class TestPlain(Base):
    def test_method(self, inherited):
        assert scaled(self.values, inherited) == [9]

class TestUnit(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def set_up(self, a_list):
        self.factor = a_list[1]

    def test_case(self):
        self.assertEqual(scaled([4], self.factor), [8])
";

/// A test without one of its fixtures fails with the reference code, and is then not in the result.
pub fn fixtures(kind: SandboxKind) {
    let project = Project::new();
    let tests = project.folder.path().join("tests");
    fs::write(tests.join("conftest.py"), CONFTEST).unwrap();
    fs::write(tests.join("test_calc.py"), WITH_FIXTURES).unwrap();
    let subject = Arc::new(Subject {
        tests: ["test_module", "TestPlain", "TestUnit"]
            .map(|test| format!("tests/test_calc.py::{test}"))
            .to_vec(),
        ..(*project.subject()).clone()
    });
    let found = right_and_wrong(kind, &subject);
    assert_eq!(found[0].tests.len(), 3);
}
