//! Sources in other encodings, with other line ends and with tabs.

use std::fs;
use std::sync::Arc;

use evoscope::benchmark::{LineSpan, OfficialResult, Verdict};
use evoscope::evaluation::{SandboxKind, Subject, VerdictStore};

use crate::fixture::{Project, run_completions, settings};

const SOURCE: &str = "# -*- coding: latin-1 -*-\nclass Box:\n\tdef greet(self, name):\n\t\t\"\"\"Gr\u{fc}\u{df}t.\"\"\"\n\t\treturn 'Gr\u{fc}\u{df} ' + name\n";
const TESTS: &str = "# coding: latin-1\nfrom pkg.calc import Box\n\n\ndef test_greet():\n\tassert Box().greet('Ana') == 'Gr\u{fc}\u{df} Ana'\n\n\ndef test_empty():\n\tassert Box().greet('') == 'Gr\u{fc}\u{df} '\n";

/// The text in ISO 8859-1 with CRLF line ends.
fn latin1(text: &str) -> Vec<u8> {
    let text = text.replace('\n', "\r\n");
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

/// A method in a file in ISO 8859-1 with CRLF and tabs. Completions with tabs or blanks get the encoding, the line ends
/// and the indentation of the file. The official evaluator indents by five blanks, which does not compile.
pub fn latin1_with_tabs(kind: SandboxKind) {
    let project = Project::new();
    for (path, text) in [("pkg/calc.py", SOURCE), ("tests/test_calc.py", TESTS)] {
        fs::write(project.folder.path().join(path), latin1(text)).unwrap();
    }
    let subject = Arc::new(Subject {
        body: LineSpan::line(5),
        indent: 5,
        tests: vec!["tests/test_calc.py".to_owned()],
        ..(*project.subject()).clone()
    });
    let completions = [
        "\t\tif name:\n\t\t\treturn 'Gr\u{fc}\u{df} ' + name\n\t\treturn 'Gr\u{fc}\u{df} '\n",
        "        if name:\n            return 'Gr\u{fc}\u{df} %s' % name\n        return '''Gr\u{fc}\u{df} '''\n",
        "return name\n",
        "return 'Gr\u{fc}\u{df} ' + name  # \u{2728}\n",
    ];
    let store = VerdictStore::in_memory().unwrap();
    let found = run_completions(kind, &subject, &completions, settings(), &store).unwrap();
    let wanted = [Verdict::Pass, Verdict::Pass, Verdict::Fail, Verdict::Syntax];
    for (each, wanted) in found.iter().zip(wanted) {
        assert_eq!(each.verdict, wanted, "{}", each.reason);
        assert_eq!(each.official, OfficialResult::Error);
    }
    assert_eq!(found[0].counter_tests, 2);
    assert!(found[3].reason.contains("U+2728"), "{}", found[3].reason);
}
