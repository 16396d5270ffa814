//! The options `--sandbox` and `--image`. All commands that run completions have them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::workspace::{AsOfChoice, SandboxChoice, SandboxKind, UserSettings};

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SandboxOptions {
    /// The sandbox that runs completions. Default: the sandbox of the settings file, or auto.
    #[arg(long, value_parser = choices())]
    sandbox: Option<SandboxChoice>,
    /// The container image, instead of the image in `evoscope.toml`.
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Install packages as of a date: `commit` (the date of each task's change), `newest`, or a day such as 2021-03-01.
    /// Default: what evoscope.toml or the record names, else `commit` for tasks with a base commit, and `newest` for
    /// others.
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<AsOfChoice>,
}

/// Parses the value of `--sandbox`. The help lists the values, each with its description.
fn choices() -> impl TypedValueParser<Value = SandboxChoice> {
    let value = |choice: &SandboxChoice| PossibleValue::new(choice.word()).help(choice.help());
    PossibleValuesParser::new(SandboxChoice::ALL.iter().map(value))
        .try_map(|word| word.parse::<SandboxChoice>())
}

impl SandboxOptions {
    /// The sandbox that the option names, or else the settings file. `None` means `auto`.
    pub(crate) fn kind(&self, settings: &UserSettings) -> Option<SandboxKind> {
        match self.sandbox {
            Some(choice) => choice.kind(),
            None => settings.sandbox,
        }
    }

    /// The image that the option names, or else the settings file. `None` means the image in `evoscope.toml`.
    pub(crate) fn image(&self, settings: &UserSettings) -> Option<String> {
        self.image.clone().or_else(|| settings.image.clone())
    }
}
