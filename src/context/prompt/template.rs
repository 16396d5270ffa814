//! The official templates. The templates for instruction-tuned models are EvoCodeBench's files
//! `prompt/template/*/ChatLM.txt`, which do not end with a line feed. The prompts for plain language models are as in
//! EvoCodeBench's `LM_inference.py`.

use super::{LocalPart, PromptStyle, PromptTask};

/// The prompt's text. `form`, the shown part of the local file, chooses the template. With [`LocalPart::Alone`] and an
/// empty `above`, the prompt mentions no context. All other prompts show an empty context as an empty text.
pub(super) fn text(
    style: PromptStyle,
    asked: &PromptTask,
    above: &str,
    below: &str,
    form: LocalPart,
) -> String {
    if asked.is_prompt && form == LocalPart::Alone && above.is_empty() {
        return asked.input_code.clone();
    }
    match style {
        PromptStyle::Instruction => instruction(asked, above, below, form),
        _ => plain(style, asked, above, below, form),
    }
}

/// The prompt for a plain language model: `above`, then the code to be completed. `below` is used only with
/// [`LocalPart::Around`]. With infilling tokens in `style`, `below` follows the code, separated by these tokens.
/// Without them, `below` is at the start of the prompt.
fn plain(
    style: PromptStyle,
    asked: &PromptTask,
    above: &str,
    below: &str,
    form: LocalPart,
) -> String {
    let separator = if above.is_empty() || above.ends_with('\n') {
        ""
    } else {
        "\n\n"
    };
    let prefix = format!("{above}{separator}{}", asked.code_in(form));
    if form != LocalPart::Around {
        return prefix;
    }
    match style.infilling_tokens() {
        Some([start, hole, end]) => format!("{start}{prefix}{hole}{below}{end}"),
        None if below.is_empty() => prefix,
        None => format!("{}\n\n{prefix}", below.trim_end_matches('\n')),
    }
}

fn instruction(asked: &PromptTask, above: &str, below: &str, form: LocalPart) -> String {
    let name = &asked.function;
    let language = asked.language.title();
    let fenced = |code: &str| format!("```{language}\n{code}\n```\n\n");
    let code = fenced(&asked.code_in(form));
    if form == LocalPart::Around {
        return format!(
            "Please complete the {name} function in the middle of a file.\n\n\
             The contexts above the function are:\n{}\
             The contexts below the function are:\n{}\
             The code to be completed is:\n{code}Completed code:",
            fenced(above),
            fenced(below),
        );
    }
    if above.is_empty() && form == LocalPart::Alone {
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
