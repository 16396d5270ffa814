use super::*;
use crate::code::test_mutations::mutation::edited;

/// The mutated texts of a test file, one for each mutation of its test method. The method has the body `body`.
fn forms(body: &str) -> Vec<String> {
    let text = format!(
        "import static org.junit.Assert.*;\nclass T {{\n  @Test public void test() {{ {body} }}\n  Object other = \"xyz\" + x.isNotEqualTo(OtherException.class);\n}}\n"
    );
    forms_of(&text)
}

/// The mutated texts of the test file `text`, one for each mutation of the method `test` in the class `T`.
fn forms_of(text: &str) -> Vec<String> {
    let file = TestFile::parse(text).unwrap();
    let names = ["T".to_owned(), "test".to_owned()];
    let found = file.test(&names, "target", &|_| None).unwrap();
    let changed = found
        .mutations
        .into_iter()
        .map(|mutation| edited(text, &[mutation.edit]).unwrap());
    changed.collect()
}

#[test]
fn each_kind_of_assertion_is_changed() {
    for (body, part) in [
        ("assertEquals(3, target());", "assertEquals("),
        (
            "A c = f(), d = f(); int e = 3; assertEquals(d, target());",
            "assertEquals(c, target())",
        ),
        ("assertTrue(target());", "assertFalse(target())"),
        (
            "Assert.assertNull(target());",
            "Assert.assertNotNull(target())",
        ),
        (
            "assertThrows(A.class, () -> target());",
            "assertThrows(OtherException.class",
        ),
        (
            "assertThat(target()).isEqualTo(other());",
            "isNotEqualTo(other())",
        ),
        ("assertThat(target()).isTrue();", "isFalse()"),
        (
            "try { target(); fail(); } catch (ClassCastException e) { }",
            "Exception e) { }",
        ),
        (
            "String w = \"abc\"; assertEquals(w, target());",
            "String w = \"xyz",
        ),
    ] {
        let forms = forms(body);
        assert!(
            forms.iter().any(|form| form.contains(part)),
            "{body}: {forms:?}"
        );
        assert!(forms.iter().all(|form| !form.contains(body)), "{body}");
    }
}

#[test]
fn expected_values_of_matchers_and_messages_are_changed() {
    for body in [
        "assertThat(target(), is(\"abc\"));",
        "assertThat(target()).hasMessageThat().contains(\"abc\");",
        "assertEquals(\"abc\", target());",
        "thrown.expectMessage(\"abc\");",
        "assertThat(target()).containsExactly(\"abc\");",
    ] {
        assert!(
            forms(body).iter().any(|form| !form.contains("\"abc\"")),
            "{body}"
        );
    }
}

#[test]
fn the_value_of_a_variable_that_is_passed_to_the_target_is_not_changed() {
    let forms = forms("String v = g(); String w = \"a\"; assertEquals(w, target(w));");
    assert!(!forms.is_empty());
    assert!(
        forms.iter().all(|form| form.contains("w = \"a\"")),
        "{forms:?}"
    );
}

#[test]
fn assert_throws_with_a_used_result_and_arguments_of_the_target_are_not_changed() {
    // With another exception class, the result of `assertThrows` would have another type.
    assert!(forms("A e = assertThrows(A.class, () -> target());").is_empty());
    assert!(forms("target(3);").is_empty());
}

#[test]
fn the_expected_exception_in_a_test_annotation_is_changed() {
    let text = "class T {\n  @Test(expected = A.class) public void test() { target(); }\n}\n";
    let expected = forms_of(text)[0].clone();
    assert!(
        expected.contains("Exception.class") && !expected.contains("A.class"),
        "{expected}"
    );
}

/// The original exception then leaves the method, and no other clause may catch the new one.
#[test]
fn a_caught_exception_becomes_an_unchecked_one_of_the_file_that_the_compiler_accepts() {
    let forms = |throws: &str| {
        forms_of(&format!(
            "class T {{\n  void test() {throws}{{ try {{ target(); fail(); }} catch (IOException e) {{ }} }}\n  Object other = EOFException.class + NumberFormatException.class;\n}}\n"
        ))
    };
    assert_eq!(forms(""), Vec::<String>::new());
    let found = forms("throws Exception ");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("catch (NumberFormatException e)"),
        "{found:?}"
    );
}

#[test]
fn inherited_and_nested_tests_are_found() {
    let text = "class B { public void testA() { assertEquals(1, f()); } }\nclass T extends B { class N { @Test void x() { assertEquals(2, f()); } } }\n";
    let file = TestFile::parse(text).unwrap();
    let find = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        file.test(&names, "f", &|_| None)
            .map(|found| text[found.range].to_owned())
    };
    assert!(find(&["T", "testA"]).unwrap().contains("(1"));
    assert!(find(&["T", "N", "x"]).unwrap().contains("(2"));
    assert_eq!(find(&["T", "y"]), None);
}

#[test]
fn assertions_before_the_line_where_the_stub_fails_are_not_changed() {
    let text = "class T {\n  @Test public void test() {\n    assertEquals(1, a());\n    assertEquals(2, b());\n  }\n}\n";
    let file = TestFile::parse(text).unwrap();
    let names = ["T".to_owned(), "test".to_owned()];
    let found = file.test(&names, "b", &|_| Some(4)).unwrap();
    let start = text.find("assertEquals(2").unwrap();
    assert!(!found.mutations.is_empty());
    assert!(
        found
            .mutations
            .iter()
            .all(|mutation| mutation.edit.0.start > start)
    );
}

struct JavaTests;

impl Sources for JavaTests {
    fn text(&self, _: &RepoPath) -> Option<String> {
        None
    }
    fn files_in(&self, _: &str) -> Vec<RepoPath> {
        Vec::new()
    }
    fn java_source(&self, _: &str) -> Option<RepoPath> {
        Some(RepoPath::new("src/test/java/p/$T.java"))
    }
}

#[test]
fn the_id_of_a_java_test_names_its_classes_and_its_method() {
    let (_, names) = place("p.$T$In#test[0]", &JavaTests).unwrap();
    assert_eq!(names, ["$T", "In", "test"]);
    assert_eq!(place("p.$T", &JavaTests), None);
}
