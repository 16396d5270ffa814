//! The official templates: `prompt/template/*/ChatLM.txt` of EvoCodeBench, which no line end closes.

use super::{Asked, Form, PromptStyle};
use crate::benchmark::Language;

/// The prompt's text. `form` says which template holds it, even where a context is empty.
pub(super) fn text(
    style: PromptStyle,
    asked: &Asked,
    above: &str,
    below: &str,
    form: Form,
) -> String {
    if asked.is_prompt && form == Form::Alone {
        return asked.input_code.clone();
    }
    match style {
        PromptStyle::Instruction => instruction(asked, above, below, form),
        PromptStyle::Completion => [below, above, &asked.code_in(form)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| format!("{}\n", text.trim_end_matches('\n')))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn instruction(asked: &Asked, above: &str, below: &str, form: Form) -> String {
    let name = &asked.function;
    let language = match asked.language {
        Language::Python => "Python",
        Language::Java => "Java",
    };
    let fenced = |code: &str| format!("```{language}\n{code}\n```\n\n");
    let code = fenced(&asked.code_in(form));
    if form == Form::Around {
        return format!(
            "Please complete the {name} function in the middle of a file.\n\n\
             The contexts above the function are:\n{}\
             The contexts below the function are:\n{}\
             The code to be completed is:\n{code}Completed code:",
            fenced(above),
            fenced(below),
        );
    }
    if above.is_empty() && form == Form::Alone {
        return format!(
            "Please complete the {name} function in the given {language} code.\n\n\
             Input Code:\n{code}Completed Code:"
        );
    }
    format!(
        "Please complete the {name} function based on the contexts above the function.\n\n\
         The contexts above the function are:\n{}\
         The code to be completed is:\n{code}Completed code:",
        fenced(above),
    )
}
