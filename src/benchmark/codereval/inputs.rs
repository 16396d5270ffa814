//! CoderEval's input files. A row is `{"question_id", "input", "signature", "docstring"}`. The field `input` is the
//! prompt. No field says where the target is. `CEPythonRaw.jsonl` and `CEJavaRaw.jsonl` contain the docstrings of the
//! projects. `CEPythonHumanLabel.jsonl` and `CEJavaHumanLabel.jsonl` contain the human-labelled docstrings.

use std::path::Path;

use serde_json::{Map, Value};

use super::{ID, PROJECT};
use crate::benchmark::fields::Row;
use crate::benchmark::humanevo::{declared_name, takes_self};
use crate::benchmark::interner::Interner;
use crate::benchmark::language::{Language, LanguageFeature};
use crate::benchmark::names::{Namespace, TaskId, TaskKind};
use crate::benchmark::parameters::ParameterTypes;
use crate::benchmark::task::{
    DependencyCounts, Record, Requirement, RequirementStyle, RequirementText, Task, TaskDetail,
};

/// Whether a row is from an input file. Such a row has an id, `input` and `signature`, but no project.
pub(crate) fn is_input(row: &Row<'_>) -> bool {
    row.has(ID) && row.has(&["input"]) && row.has(&["signature"]) && !row.has(PROJECT)
}

/// The task of a row that [`is_input`] accepts. If the id is invalid or the signature declares no function, `row`
/// records the fault, and the result is `None`.
pub(super) fn task(row: &mut Row<'_>, record: Record, names: &mut Interner) -> Option<Task> {
    let id = row.text_or_number(ID)?;
    let hint = "give the target's declaration";
    let signature = row.needed_text(&["signature"], hint)?;
    let Some(name) = declared_name(&signature).and_then(Namespace::new) else {
        row.fault("signature", "declares no function", hint);
        return None;
    };
    let language = Language::of_code(&signature);
    let method = language.has(LanguageFeature::MethodsOnly) || takes_self(&signature);
    Some(Task {
        id: TaskId::new(&id),
        namespace: name,
        project: names.name(""),
        kind: if method {
            TaskKind::Method
        } else {
            TaskKind::Function
        },
        language,
        path: names.path(""),
        level: None,
        domain: None,
        position: None,
        parameters: if language.has(LanguageFeature::Overloads) {
            ParameterTypes::of_declaration(&signature)
        } else {
            None
        },
        dependencies: DependencyCounts::default(),
        record,
    })
}

/// The details of a record in the file at `path`. If the file's name contains `human` in any case, the docstring counts
/// as human-labelled, otherwise as original.
pub(super) fn detail(mut fields: Map<String, Value>, path: &Path) -> TaskDetail {
    let mut text = |name: &str| match fields.shift_remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let style = if name.to_lowercase().contains("human") {
        RequirementStyle::HumanLabelled
    } else {
        RequirementStyle::Original
    };
    let texts = text("docstring").map(|text| RequirementText::of_benchmark(style, text));
    let declaration = text("signature");
    text("input");
    for id in ID {
        fields.shift_remove(*id);
    }
    TaskDetail {
        requirement: Requirement {
            texts: texts.into_iter().collect(),
            arguments: None,
        },
        declaration,
        other: fields,
        ..TaskDetail::default()
    }
}

/// The prompt for a target, as in the field `input`. In Python, the docstring follows the signature. In Java, a Javadoc
/// comment precedes the declaration, which ends with an opening brace.
pub fn codereval_input(language: Language, signature: &str, docstring: &str) -> String {
    if !language.has(LanguageFeature::CommentBeforeDeclaration) {
        return format!("{signature}\n\t\"\"\"\n\t{docstring}\n\t\"\"\"\n\t");
    }
    let opening = if signature.trim_end().ends_with('{') {
        ""
    } else {
        "{"
    };
    let comment = if docstring.trim_start().starts_with("/**") {
        docstring.to_owned()
    } else {
        format!("/**{docstring}**/")
    };
    format!("{comment}\n{signature}{opening}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_have_the_form_of_the_released_inputs() {
        let python = codereval_input(Language::Python, "def f(a):", "Adds.\n\n:param a:");
        assert_eq!(
            python,
            "def f(a):\n\t\"\"\"\n\tAdds.\n\n:param a:\n\t\"\"\"\n\t"
        );
        let labelled = codereval_input(Language::Java, "private int pop(){", "Pop it.");
        assert_eq!(labelled, "/**Pop it.**/\nprivate int pop(){");
        let own = codereval_input(Language::Java, "private int pop()", "/** \n * Pops.\n */\n");
        assert_eq!(own, "/** \n * Pops.\n */\n\nprivate int pop(){");
    }
}
