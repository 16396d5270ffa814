use std::fs;

use proptest::prelude::*;

use super::snippet::reach_of_code;
use super::*;
use crate::benchmark::{Language, Level, RepoPath};
use crate::code::outline;
use crate::error::Cancel;
use crate::history::Snapshot;

const BASE: &str = "package a.base;\npublic class Base {\n  protected int size;\n  public Base self() { return this; }\n  public static void log(String s) {}\n}\n";

const OWN: &str = "\
package a;
import a.base.Base;
import java.util.List;
import com.google.Gson;
import static a.base.Base.log;
public class Own extends Base {
  private int count;
  private Near near;
  public int run(List<Base> items, Base base) {
    int total = count;
    log(\"x\");
    for (Base item : items) { total += item.self().size; }
    near.ping();
    helper();
    return total + size;
  }
  void helper() {}
  int plain(int x) { return Math.max(x, 1); }
  String outside(Gson g, List<String> l) { return g.toString(); }
  static class Near { void ping() {} }
}
";

/// (dependencies of a method of `OWN`, each as `type namespace`; level of the method in `CoderEval`).
fn used(method: &str) -> (Vec<String>, Level) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("src/main/java/a/Own.java", OWN),
        ("src/main/java/a/base/Base.java", BASE),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
    let project = JavaProject::new(snapshot);
    let found = outline(Language::Java, OWN.as_bytes()).definitions;
    let definition = found.iter().find(|found| found.name() == method).unwrap();
    let path = RepoPath::new("src/main/java/a/Own.java");
    let (found, reach) = project.dependencies(&path, definition);
    let names = found
        .found
        .iter()
        .map(|found| format!("{} {}", found.dependency_type, found.namespace))
        .collect();
    (names, reach.coder_eval())
}

#[test]
fn members_types_and_static_imports_are_found() {
    let (mut names, level) = used("run");
    names.sort();
    assert_eq!(
        names,
        [
            "cross_file a.base.Base",
            "cross_file a.base.Base.log",
            "cross_file a.base.Base.self",
            "cross_file a.base.Base.size",
            "intra_class a.Own.count",
            "intra_class a.Own.helper",
            "intra_class a.Own.near",
            "intra_file a.Own.Near.ping",
        ]
    );
    assert_eq!(level, Level::Project);
}

#[test]
fn self_contained_and_third_party_methods_have_different_levels() {
    assert_eq!(used("plain"), (Vec::new(), Level::SelfContained));
    assert_eq!(used("outside"), (Vec::new(), Level::ThirdParty));
}

#[test]
fn code_without_its_file_has_a_level() {
    let level = |code| reach_of_code(code).coder_eval();
    assert_eq!(
        level("int f(int a) { return Math.abs(a); }"),
        Level::SelfContained
    );
    assert_eq!(
        level("List<String> f() { return new ArrayList<>(); }"),
        Level::StandardLibrary
    );
    assert_eq!(
        level("int f() { return this.count + helper(); }"),
        Level::Class
    );
    assert_eq!(level("Widget f(Widget w) { return w; }"), Level::Project);
    assert_eq!(level("<T> T f(T t) { return t; }"), Level::SelfContained);
}

proptest! {
    #[test]
    fn reading_any_text_never_panics(text in "[ -~\n]{0,200}") {
        reach_of_code(&text);
        facts::read(text.as_bytes());
    }
}
