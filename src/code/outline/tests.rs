use proptest::prelude::*;

use super::*;

type Lines = [u32; 2];

/// The qualname, `whole`, `signature` and `body` of each definition in Python code.
fn spans(source: &str) -> Vec<(String, Lines, Lines, Lines)> {
    outline(Language::Python, source.as_bytes())
        .definitions
        .into_iter()
        .map(|found| {
            (
                found.qualname,
                found.whole.into(),
                found.signature.into(),
                found.body.into(),
            )
        })
        .collect()
}

#[test]
fn lines_are_counted_as_the_benchmarks_count_them() {
    let source = "\
class A(B):
    @property
    def size(
        self,
    ) -> int:  # why
        # before
        \"\"\"Doc
        more.\"\"\"
        # between
        x = 1
        if x:
            return 2
            # after

    # trailing
    async def go(self): pass

def only():
    'doc'
";
    assert_eq!(
        spans(source),
        [
            ("A".into(), [1, 16], [1, 1], [2, 16]),
            ("A.size".into(), [2, 12], [3, 6], [10, 12]),
            ("A.go".into(), [16, 16], [16, 16], [16, 16]),
            ("only".into(), [18, 19], [18, 18], [19, 19]),
        ]
    );
}

#[test]
fn kinds_follow_from_the_enclosing_definition() {
    let source =
        "class A:\n  def m(self):\n    def inner(): pass\n    class B:\n      def n(self): pass\n";
    let kinds: Vec<_> = outline(Language::Python, source.as_bytes())
        .definitions
        .into_iter()
        .map(|found| (found.qualname, found.kind.word()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("A".into(), "class"),
            ("A.m".into(), "method"),
            ("A.m.inner".into(), "function"),
            ("A.m.B".to_owned(), "class"),
            ("A.m.B.n".into(), "method"),
        ]
    );
}

#[test]
fn an_f_string_is_not_a_docstring() {
    let source = "def f():\n    f'{x}'\n    return 1\n";
    assert_eq!(spans(source)[0].3, [2, 3]);
}

#[test]
fn java_signature_leaves_out_annotations_and_java_body_leaves_out_braces() {
    let source = "\
package a.b;
public class Lists {
    /** Doc. */
    @Override
    public int size(
            int a) {
        // why
        int b = a;
        return b;
    }
    Lists() {}
}
";
    let found = outline(Language::Java, source.as_bytes()).definitions;
    let size = &found[1];
    assert_eq!(size.qualname, "Lists.size");
    assert_eq!(<[u32; 2]>::from(size.whole), [4, 10]);
    assert_eq!(<[u32; 2]>::from(size.signature), [5, 6]);
    assert_eq!(<[u32; 2]>::from(size.body), [8, 9]);
    assert_eq!(size.docstring, LineSpan::new(3, 3));
    assert_eq!(
        (found[2].qualname.as_str(), found[2].kind.word()),
        ("Lists.Lists", "method")
    );
}

#[test]
fn deep_nesting_and_broken_files_never_panic() {
    let deep = format!(
        "x = {}1{}\ndef f(): pass\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    outline(Language::Python, deep.as_bytes());
    let open = format!("def f():\n    return {}", "[".repeat(100_000));
    outline(Language::Python, open.as_bytes());
    let mut stairs = String::new();
    for level in 0..400 {
        stairs.push_str(&" ".repeat(level));
        stairs.push_str("if x:\n");
    }
    stairs.push_str(&" ".repeat(400));
    stairs.push_str("def f(): pass\n");
    assert_eq!(spans(&stairs)[0].0, "f");
}

proptest! {
    #[test]
    fn the_outline_of_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for language in [Language::Python, Language::Java] {
            outline(language, &bytes);
        }
    }

    #[test]
    fn mutated_source_gives_spans_that_overlap_their_parents(
        cuts in proptest::collection::vec((0_usize..600, "[ -~\n]{0,3}"), 0..6)
    ) {
        let mut text = include_str!("../python/outline.rs").replace("fn ", "def ").replace(" {\n", ":\n");
        text.insert_str(0, "class A:\n    def f(self):\n        '''d'''\n        return 1\n\n");
        for (at, with) in cuts {
            let at = at.min(text.len());
            text.replace_range(at..(at + 1).min(text.len()), &with);
        }
        let found = outline(Language::Python, text.as_bytes()).definitions;
        for definition in &found {
            prop_assert!(definition.signature.first() >= definition.whole.first());
            prop_assert!(definition.body.last() <= definition.whole.last().max(definition.signature.last()));
            if let Some(parent) = definition.parent {
                prop_assert!(found[parent].whole.overlaps(definition.whole));
            }
        }
    }
}
