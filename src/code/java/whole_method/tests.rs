use super::*;

const SOURCE: &str = "package p;

import java.util.List;

class A {
  int n;

  /** Doc. */
  @Override
  public int f(int a) {
    return a;
  }

  int f(String a) { return 1; }
}
";

fn placed(completion: &str) -> (String, Placed) {
    let placed = place_method(SOURCE.as_bytes(), LineSpan::line(11), completion).unwrap();
    (String::from_utf8(placed.content.clone()).unwrap(), placed)
}

fn line(text: &str, number: u32) -> &str {
    text.lines().nth(number as usize - 1).unwrap()
}

#[test]
fn a_whole_method_replaces_the_target() {
    let (text, found) = placed("/** Mine. */\npublic int f(int b) {\n  return b;\n}\n");
    let expected = SOURCE.replace(
        "public int f(int a) {\n    return a;\n  }",
        "public int f(int b) {\n  return b;\n}",
    );
    assert_eq!(text, expected);
    assert_eq!(
        line(&text, found.signature.unwrap()),
        "  public int f(int b) {"
    );
    assert_eq!(
        (found.lines, found.extra.len()),
        (LineSpan::new(10, 12).unwrap(), 0)
    );
    let (text, found) = placed("@Deprecated\n@X(1) int f(int b) { return b; }");
    assert!(
        text.contains("/** Doc. */\n  @Deprecated\n@X(1) int f(int b) { return b; }\n"),
        "{text}"
    );
    assert_eq!(found.signature, Some(10));
}

#[test]
fn imports_and_other_members_of_the_completion_are_added() {
    let code = "package q;\nimport java.awt.List;\nimport java.util.Map;\nimport java.util.*;\n// One.\nprivate static int help(int a) { return a; }\npublic int f(int b) {\n  return help(b);\n}\nint n = 2;\nint m = 3;\n";
    let (text, found) = placed(code);
    assert!(text.starts_with("package p;\n\nimport java.util.List;\nimport java.util.Map;\nimport java.util.*;\n\n\nclass A"), "{text}");
    let methods = "  @Override\n  public int f(int b) {\n  return help(b);\n}\nprivate static int help(int a) { return a; }\nint m = 3;\n";
    assert!(text.contains(methods), "{text}");
    assert_eq!(
        found.extra,
        [
            "import java.util.Map",
            "import java.util.*",
            "method help",
            "field m"
        ]
    );
    assert_eq!(
        line(&text, found.signature.unwrap()).trim(),
        "public int f(int b) {"
    );
}

#[test]
fn members_that_the_targets_class_does_not_have_are_added() {
    let code = "import java.util.Map;\npublic class A {\n  int n = 7, o;\n  Map<Integer, Integer> seen;\n  public A() { n = 1; }\n  int f(String a) { return 2; }\n  public int f(int b) { return g(b); }\n  int g(int b) { return b; }\n}\nclass B { }\n";
    let (text, found) = placed(code);
    assert_eq!(
        found.extra,
        ["import java.util.Map", "field seen", "method g", "class B"]
    );
    assert!(
        text.contains("int f(String a) { return 1; }") && !text.contains("return 2"),
        "{text}"
    );
    assert!(text.ends_with("}\n\nclass B { }\n"), "{text}");
    assert!(
        parse(Language::Java, text.as_bytes()).is_some_and(|tree| !tree.root_node().has_error())
    );
}

#[test]
fn a_constructor_is_replaced_like_a_method() {
    let source = b"class A {\n  @X A(int a) {\n    b = a;\n  }\n  A() { }\n}\n";
    let found = place_method(
        source,
        LineSpan::line(3),
        "public A(final int a) { b = 1; }",
    )
    .unwrap();
    let text = String::from_utf8(found.content).unwrap();
    assert_eq!(
        text,
        "class A {\n  @X public A(final int a) { b = 1; }\n  A() { }\n}\n"
    );
}

#[test]
fn a_completion_that_is_not_the_whole_target_is_not_placed() {
    for body in [
        "return a;",
        "",
        "int g = f(a);\nreturn g;",
        "class B { int f(int b) { return b; } }\nreturn new B().f(a);",
        "return new Object() { public int f(int a) { return a; } }.f(a);",
        "int g(int b) { return b; }",
        "return (a",
        "return f(1);",
        "f(a);\n",
        "int g = X.f(a, 2);\nreturn g != 0 ? g : X.f(a.f(), a);",
        "if (f(a) > 0) {\n  return 1;\n}\nreturn f(2);",
        "if (f(a)) {\n  return 1;\n}\nreturn f(2);",
        "while (this.f(a)) {\n  return f(a);\n}\nreturn 1;",
        "for (int g : f(a)) {\n  f(g);\n}\nreturn 1;",
        "try {\n  return f(1);\n} catch (X e) {\n  return f(2);\n}",
        "synchronized (f(a)) {\n  return f(2);\n}",
        "switch (f(a)) {\n  case 1: return f(2);\n}\nreturn 2;",
        "Runnable r = () -> f(1);\nreturn f(a);",
    ] {
        assert!(
            place_method(SOURCE.as_bytes(), LineSpan::line(11), body).is_none(),
            "{body}"
        );
    }
}
