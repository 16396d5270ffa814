use std::fmt::Write;
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::benchmark::Language;
use crate::code::{Library, outline};
use crate::error::Cancel;
use crate::history::Snapshot;

/// Creates a project from `files` (path, text) in a temporary folder. The folder is removed when the returned `TempDir`
/// is dropped.
fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
    let project = Project::new(snapshot, Library::default(), []);
    (folder, project)
}

/// The dependencies of the function `qualname` in the first file, each as `type namespace`, sorted.
fn used(files: &[(&str, &str)], qualname: &str) -> Vec<String> {
    let (_folder, project) = project(files);
    let found = outline(Language::Python, files[0].1.as_bytes());
    let definition = found
        .definitions
        .iter()
        .rfind(|definition| definition.qualname == qualname)
        .unwrap();
    let path = RepoPath::new(files[0].0);
    let mut names: Vec<String> = DependencyResolver::new(&project)
        .dependencies(&path, definition)
        .found
        .iter()
        .map(|found| format!("{} {}", found.dependency_type, found.namespace))
        .collect();
    names.sort();
    names
}

#[test]
fn names_are_shadowed_by_parameters_and_locals() {
    let source = "\
limit = 1
other = 2
def f(limit, rest=other):
    other = limit
    return other
def g():
    return [limit for limit in other]
";
    assert_eq!(used(&[("m.py", source)], "f"), ["intra_file m.other"]);
    assert_eq!(used(&[("m.py", source)], "g"), ["intra_file m.other"]);
}

#[test]
fn members_are_found_in_the_class_that_binds_them() {
    let base = "\
class Base:
    flag = True
    def __init__(self):
        self.size = 0
    def close(self): pass
";
    let source = "\
from .base import Base
class A(Base):
    def run(self):
        self.size += 1
        self.own()
        super().close()
        return self.flag
    def own(self): pass
";
    let files = [
        ("p/a.py", source),
        ("p/base.py", base),
        ("p/__init__.py", ""),
    ];
    assert_eq!(
        used(&files, "A.run"),
        [
            "cross_file p.base.Base.close",
            "cross_file p.base.Base.flag",
            "cross_file p.base.Base.size",
            "intra_class p.a.A.own",
        ]
    );
}

#[test]
fn imports_of_every_form_reach_the_definition() {
    let files = [
        (
            "src/p/a.py",
            "\
import p.deep.leaf
import p.deep.leaf as leaf
from p import thing, deep
from .deep.leaf import *
def f():
    from p.deep import leaf as inner
    p.deep.leaf.one()
    leaf.two()
    thing()
    three()
    _hidden()
    return inner.four
",
        ),
        ("src/p/__init__.py", "from .impl import thing\n"),
        ("src/p/impl.py", "def thing(): pass\n"),
        ("src/p/deep/__init__.py", ""),
        (
            "src/p/deep/leaf.py",
            "def one(): pass\ndef two(): pass\ndef three(): pass\ndef _hidden(): pass\nfour = 4\n",
        ),
    ];
    assert_eq!(
        used(&files, "f"),
        [
            "cross_file p.deep",
            "cross_file p.deep.leaf",
            "cross_file p.deep.leaf.four",
            "cross_file p.deep.leaf.one",
            "cross_file p.deep.leaf.three",
            "cross_file p.deep.leaf.two",
            "cross_file p.impl.thing",
        ]
    );
}

#[test]
fn absolute_imports_find_sibling_modules_only_in_python_2() {
    let files = |source| {
        [
            ("p/a.py", source),
            ("p/__init__.py", ""),
            ("p/typing.py", "Any = 1\n"),
            ("p/json.py", "def loads(): pass\n"),
            ("p/near.py", "def loads(): pass\n"),
            ("bin/requests.py", "def get(): pass\n"),
            ("bin/logging.py", "def info(): pass\n"),
        ]
    };
    let modern = "\
import json, near, logging
import typing as t
from . import typing as own
def f(x: t.Any):
    json.loads(); near.loads(); logging.info(); own.Any
";
    assert_eq!(
        used(&files(modern), "f"),
        ["cross_file p.typing", "cross_file p.typing.Any"]
    );
    let python_2 = "import json, near\ndef f(x):\n    print near.loads()\n    json.loads()\n";
    assert_eq!(
        used(&files(python_2), "f"),
        ["cross_file p.near", "cross_file p.near.loads"]
    );
}

#[test]
fn scripts_can_import_modules_of_their_own_folder() {
    let files = [
        ("tools/run.py", "import steps\ndef f():\n    steps.one()\n"),
        ("tools/steps.py", "def one(): pass\n"),
        ("p/__init__.py", ""),
    ];
    assert_eq!(
        used(&files, "f"),
        ["cross_file steps", "cross_file steps.one"]
    );
}

#[test]
fn a_quoted_annotation_gives_a_type_but_is_not_a_use() {
    let source = "\
class A:
    def go(self): pass
def f(a: 'A', b: 'A or so') -> 'A':
    a.go()
";
    assert_eq!(used(&[("m.py", source)], "f"), ["intra_file m.A.go"]);
}

#[test]
fn types_are_inferred_from_annotations_constructors_and_checks() {
    let models = "\
class Node:
    def __init__(self, value: int):
        self.value = value
        self.children: list['Node'] = []
    def walk(self) -> 'Node': return self
    @property
    def parent(self): return Node(1)
    @classmethod
    def make(cls): return cls(2)
class Tree:
    def __init__(self):
        self.root = Node(0)
        self.bag = []
    def put(self):
        self.bag.append(Node(3))
    def __enter__(self): return self
    def first(self): return self.root
";
    let source = "\
from models import Node, Tree
def by_annotation(node: 'Node | None'):
    return node.value
def by_constructor():
    tree = Tree()
    return tree.root.walk().children[0].parent.value
def by_isinstance(x):
    if isinstance(x, Tree):
        return x.bag
    return x.root
def by_factory():
    for child in Node.make().children:
        child.walk()
def by_append(tree: Tree):
    for item in tree.bag:
        item.value
def by_with():
    with Tree() as tree:
        tree.first().value
def unknown(x):
    x.value.walk()
";
    let files = [("m.py", source), ("models.py", models)];
    let names = |qualname| -> Vec<String> {
        used(&files, qualname)
            .into_iter()
            .map(|name| name.replace("cross_file models.", ""))
            .collect()
    };
    assert_eq!(names("by_annotation"), ["Node.value"]);
    assert_eq!(
        names("by_constructor"),
        [
            "Node.children",
            "Node.parent",
            "Node.value",
            "Node.walk",
            "Tree",
            "Tree.root"
        ]
    );
    assert_eq!(names("by_isinstance"), ["Tree", "Tree.bag"]);
    assert_eq!(
        names("by_factory"),
        ["Node", "Node.children", "Node.make", "Node.walk"]
    );
    assert_eq!(names("by_append"), ["Node.value", "Tree", "Tree.bag"]);
    assert_eq!(names("by_with"), ["Node.value", "Tree", "Tree.first"]);
    assert!(names("unknown").is_empty());
}

#[test]
fn operators_and_return_values_give_types() {
    let models = "\
class Length:
    def __add__(self, other): return Sum(self, other)
    def __rmul__(self, other): return self
    def shown(self): pass
class Sum:
    def total(self): pass
def checked(value, strict=False):
    if strict: raise ValueError
    return value
def same(value: T) -> T:
    return value
class Box:
    def keep(self, thing, *, last=None): return last or thing
    def give(self, thing): return thing
";
    let source = "\
from models import Length, checked, same, Box
def f(a: Length, b: Length):
    (a + b).total()
    (2 * a).shown()
def g(b: Length):
    checked(value=same(b)).shown()
def h(box: Box, b: Length):
    box.give(b).shown()
";
    let files = [("m.py", source), ("models.py", models)];
    let names = |qualname| -> Vec<String> {
        used(&files, qualname)
            .into_iter()
            .map(|name| name.replace("cross_file models.", ""))
            .collect()
    };
    assert_eq!(names("f"), ["Length", "Length.shown", "Sum.total"]);
    assert_eq!(names("g"), ["Length", "Length.shown", "checked", "same"]);
    assert_eq!(names("h"), ["Box", "Box.give", "Length", "Length.shown"]);
}

#[test]
fn type_comments_give_types() {
    let source = "\
class A:
    def go(self): pass
    def made(self, a, b):
        # type: (A, list[A]) -> A
        b[0].go()
        return a
def f(a, *rest):  # type: (A, *A) -> None
    a.made(a, []).go()
def g(x):
    y = x  # type: A
    z = x  # type: ignore[A]
    y.go(); z.go
";
    let names = |qualname| used(&[("m.py", source)], qualname);
    assert_eq!(names("A.made"), ["intra_class m.A.go"]);
    assert_eq!(names("f"), ["intra_file m.A.go", "intra_file m.A.made"]);
    assert_eq!(names("g"), ["intra_file m.A.go"]);
}

#[test]
fn attributes_resolve_to_descriptors_and_properties() {
    let base = "\
class Point:
    a = 1
class Desc:
    def __get__(self, obj, owner): return Point()
class Base:
    desc = Desc()
    @property
    def y(self): return self._y
    @y.setter
    def y(self, y): self._y = y
";
    let source = "\
from base import Base
class Child(Base):
    def f(self):
        self.y = 1
        self.z = 2
        return self.desc.a
";
    assert_eq!(
        used(&[("m.py", source), ("base.py", base)], "Child.f"),
        [
            "cross_file base.Base.desc",
            "cross_file base.Base.y",
            "cross_file base.Point.a",
            "intra_class m.Child.z",
        ]
    );
}

#[test]
fn dependencies_follow_the_rules_of_the_benchmarks() {
    let other = "class Far:\n    def __init__(self): pass\n";
    let source = "\
from other import Far
try:
    import fast
except ImportError:
    fast = None
class Near:
    def __init__(self): pass
    def twin(self):
        Near()
        return Near.twin
    def other(self):
        type(self)()
        return self.__class__()
def deco(f): return f
@deco
def f(items):
    Near()
    Far()
    inner = lambda: hidden()
    return [hidden(x) for x in listed()], fast
def hidden(): pass
def listed(): pass
";
    let files = [("m.py", source), ("other.py", other)];
    assert_eq!(
        used(&files, "f"),
        [
            "cross_file other.Far",
            "intra_file m.Near",
            "intra_file m.Near.__init__",
            "intra_file m.listed",
        ]
    );
    assert_eq!(
        used(&files, "Near.twin"),
        ["intra_class m.Near.__init__", "intra_class m.Near.twin"]
    );
    assert!(used(&files, "Near.other").is_empty());
}

#[test]
fn places_of_use_and_paths_are_reported() {
    let files = [
        (
            "p/a.py",
            "from .b import B\n\ndef f(b: B):\n    b.go(b.go)\n",
        ),
        ("p/b.py", "class B:\n    def go(self, *a):\n        pass\n"),
        ("p/__init__.py", ""),
    ];
    let (_folder, project) = project(&files);
    let found = outline(Language::Python, files[0].1.as_bytes());
    let resolver = DependencyResolver::new(&project);
    let result = resolver.dependencies(&RepoPath::new("p/a.py"), &found.definitions[0]);
    let go = &result.found[1];
    assert_eq!(go.path, "p/b.py::B::go");
    assert_eq!(
        (go.kind, go.lines),
        (ElementKind::Method, LineSpan::new(2, 3))
    );
    let columns: Vec<_> = go
        .uses
        .iter()
        .map(|place| (place.line, place.columns))
        .collect();
    assert_eq!(columns, [(4, (6, 8)), (4, (11, 13))]);
    assert!(resolver.in_turn(go).found.is_empty());
}

#[test]
fn the_search_ends_on_cycles_of_imports_and_base_classes() {
    let files = [
        (
            "p/a.py",
            "from .b import *\nfrom .b import x as y\nclass A(A, B):\n    def f(self):\n        self.f().g; return self.f()\ndef h():\n    return y, x, h().z\n",
        ),
        (
            "p/b.py",
            "from .a import *\nfrom .a import y as x\nclass B(C): pass\nclass C(B):\n    def __iter__(self): return self\n",
        ),
        ("p/__init__.py", "from . import p\nfrom .p import p\n"),
    ];
    assert_eq!(used(&files, "A.f"), ["intra_class p.a.A.f"]);
    assert_eq!(used(&files, "h"), ["intra_file p.a.h"]);
}

#[test]
fn the_search_ends_on_a_chain_of_ten_thousand_base_classes() {
    let mut source = String::from("class C0:\n    def f(self): pass\n");
    for index in 1..10_000 {
        writeln!(source, "class C{index}(C{}): pass", index - 1).unwrap();
    }
    source.push_str("def last():\n    return C9999().f()\n");
    let found = used(&[("m.py", &source)], "last");
    assert!(found.contains(&"intra_file m.C9999".to_owned()));
}

#[test]
fn hostile_files_cause_no_crash_and_syntax_errors_are_reported() {
    let deep = format!(
        "def f():\n    return {}1{}\n",
        "g(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(used(&[("m.py", &deep)], "f").is_empty());
    let chain = format!("def f():\n    return a{}\n", ".b".repeat(100_000));
    assert!(used(&[("m.py", &chain)], "f").is_empty());
    let python_2 =
        "def g(): pass\ndef f():\n    print >>out, g()\n    exec 'x' in ns\n    raise E, 'x'\n";
    assert_eq!(used(&[("m.py", python_2)], "f"), ["intra_file m.g"]);
    let broken = "def g(): pass\ndef f():\n    x = = g()\n    return g(\n";
    let (_folder, project) = project(&[("m.py", broken)]);
    let found = outline(Language::Python, broken.as_bytes());
    let definition = found.definitions.iter().find(|found| found.name() == "f");
    let result =
        DependencyResolver::new(&project).dependencies(&RepoPath::new("m.py"), definition.unwrap());
    assert!(result.broken);
}

#[test]
fn a_file_above_the_size_limit_makes_the_result_cut_short() {
    let row = "    'key': ('value', [1, 2, 3]),\n";
    let table = format!("TABLE = {{\n{}}}\n", row.repeat(10_000_000 / row.len()));
    let source = "from big import TABLE\ndef f():\n    return TABLE\n";
    let (_folder, project) = project(&[("m.py", source), ("big.py", &table)]);
    let found = outline(Language::Python, source.as_bytes());
    let result = DependencyResolver::new(&project)
        .dependencies(&RepoPath::new("m.py"), &found.definitions[0]);
    assert!(result.cut_short && result.found.is_empty());
    let own = outline(Language::Python, table.as_bytes());
    assert!(own.bounds.given_up && own.definitions.is_empty());
}

/// Python code with most kinds of statements and expressions.
const WHOLE: &str = "\
from __future__ import annotations
import os.path as osp
from .b import B, C as D
class A(B):
    x: list[B] = []
    def __init__(self, b: 'B' = D(), *args, **kw):
        self.b, (self.c, *self.d) = b, args
        with b as (e, f): self.x.append(e)
    async def go(self):
        for i, j in enumerate(self.x):
            if isinstance(j, A) and j.go: yield (await j.go())[0]
        try: k = {a: b for a, b in self.c.items()}
        except (ValueError, D) as error: raise error from None
        lambda z=self: z.b
        return super().go(f'{self.x!r:{k}}', *self.d, key=[i := 1])
";

proptest! {
    #[test]
    fn mutated_python_never_panics(
        cuts in proptest::collection::vec((0_usize..WHOLE.len(), "[ -~\n]{0,4}", 0_usize..5), 0..8)
    ) {
        let mut text = WHOLE.to_owned();
        for (at, with, length) in cuts {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.replace_range(at..end, &with);
        }
        let files = [("p/a.py", text.as_str()), ("p/b.py", WHOLE), ("p/__init__.py", "")];
        let (_folder, project) = project(&files);
        let resolver = DependencyResolver::new(&project);
        for definition in outline(Language::Python, text.as_bytes()).definitions {
            let result = resolver.dependencies(&RepoPath::new("p/a.py"), &definition);
            for found in result.found {
                prop_assert!(!found.uses.is_empty());
                prop_assert!(found.uses.iter().all(|place| place.columns.0 <= place.columns.1));
            }
        }
    }

    #[test]
    fn reading_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        crate::code::python::read(&bytes);
    }
}
