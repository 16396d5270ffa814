//! The official templates.

use super::{Asked, PromptStyle};
use crate::benchmark::Language;

/// The prompt's text. `infilling` says that the setting shows what stands below, even where that is empty.
pub(super) fn text(
    style: PromptStyle,
    asked: &Asked,
    above: &str,
    below: &str,
    infilling: bool,
) -> String {
    match style {
        PromptStyle::Instruction => instruction(asked, above, below, infilling),
        PromptStyle::Completion => [below, above, &asked.input_code]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| format!("{}\n", text.trim_end_matches('\n')))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn instruction(asked: &Asked, above: &str, below: &str, infilling: bool) -> String {
    let name = &asked.function;
    let language = match asked.language {
        Language::Python => "Python",
        Language::Java => "Java",
    };
    let fenced = |code: &str| format!("```{language}\n{code}\n```\n\n");
    let code = fenced(&asked.input_code);
    if infilling {
        return format!(
            "Please complete the {name} function in the middle of a file.\n\n\
             The contexts above the function are:\n{}\
             The contexts below the function are:\n{}\
             The code to be completed is:\n{code}Completed code:\n",
            fenced(above),
            fenced(below),
        );
    }
    if above.is_empty() {
        return format!(
            "Please complete the {name} function in the given {language} code.\n\n\
             Input Code:\n{code}Completed Code:\n"
        );
    }
    format!(
        "Please complete the {name} function based on the contexts above the function.\n\n\
         The contexts above the function are:\n{}\
         The code to be completed is:\n{code}Completed code:\n",
        fenced(above),
    )
}
