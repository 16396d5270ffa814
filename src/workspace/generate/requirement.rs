//! The prompt that asks a model for the requirement of a function.

use crate::benchmark::Language;
use crate::error::{Error, Result};
use crate::workspace::{TaskRef, Workspace};

impl Workspace {
    /// The prompt that shows the reference code of a task and asks for the task's requirement. Errors when neither the
    /// sources nor the record have the reference code, or when the code is empty.
    ///
    /// Figure 6 of the `EvoCodeBench` paper shows the prompt of the authors, but their released scripts do not contain
    /// it. The prompt here has other words. It asks for the same two parts (functionality and arguments), in the style
    /// of the released requirements.
    pub(super) fn requirement_prompt(&self, task: TaskRef) -> Result<String> {
        let about = self.task(task);
        let detail = self.detail(task)?;
        let function = self.reference_function(task, &detail)?;
        if function.code.trim().is_empty() {
            return Err(Error::data("the function has no code"));
        }
        let name = about.namespace.name();
        Ok(text(about.language, name, function.code.trim_end()))
    }

    /// The tasks that have no requirement, or only empty ones. Errors when a record cannot be read.
    pub fn tasks_without_requirement(&self) -> Result<Vec<TaskRef>> {
        let mut found = Vec::new();
        for (task, _) in self.tasks() {
            let texts = self.detail(task)?.requirement.texts;
            if texts.iter().all(|text| text.text.trim().is_empty()) {
                found.push(task);
            }
        }
        Ok(found)
    }
}

fn text(language: Language, name: &str, code: &str) -> String {
    let language = language.title();
    format!(
        "Please write the requirement of the {name} function: a description in natural language, from which another \
         developer can write the function without seeing its code.\n\n\
         The requirement has two parts:\n\
         - Functionality: what the function does, in a few sentences. Say what holds for every input, special cases and \
         errors included. Do not describe the code line by line.\n\
         - Arguments: one line for each parameter, \":param NAME: TYPE. DESCRIPTION\", and a last line for the result, \
         \":return: TYPE. DESCRIPTION\". If nothing is returned, write \":return: No return values.\"\n\n\
         The code of the function is:\n```{language}\n{code}\n```\n\n\
         Functionality:"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_holds_the_whole_function() {
        let workspace = Workspace::sample().unwrap();
        let task = workspace.find("siskin.rings.check_letter").unwrap();
        let prompt = workspace.requirement_prompt(task).unwrap();
        let detail = workspace.detail(task).unwrap();
        let code = workspace.reference_function(task, &detail).unwrap().code;
        assert!(code.contains("def check_letter(") && prompt.contains(code.trim_end()));
        insta::assert_snapshot!(text(
            Language::Python,
            "double",
            "def double(x):\n    return 2 * x"
        ));
    }
}
