//! The purposes of styles. Views ask for a role, never for a colour.

use crate::benchmark::{DependencyType, Verdict};

/// Declares the roles, each with its name in theme files.
macro_rules! roles {
    ($($(#[$doc:meta])+ $variant:ident = $word:literal,)+) => {
        /// The meaning of a piece of the screen. A theme file can name no other role.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $($(#[$doc])+ $variant,)+
        }

        impl Role {
            /// Every role, in the order of this list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name of the role in theme files.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

roles! {
    /// Plain text, and the background of the whole screen: each frame is filled with it first.
    Text = "text",
    /// Emphasised text without a further meaning: names, counts.
    Strong = "strong",
    /// Text of less importance: units, places, hints, work that is not done yet.
    Dim = "dim",
    /// The accent colour of the interface: keys that can be pressed, the current position.
    Accent = "accent",
    /// The name of a pane.
    Title = "title",
    /// The name of the focused pane.
    TitleFocused = "title-focused",
    /// The border of a pane.
    Border = "border",
    /// The border of the focused pane; the only bright one.
    BorderFocused = "border-focused",
    /// The scrollbar's thumb.
    Scrollbar = "scrollbar",
    /// A heading in a text or a table.
    Heading = "heading",
    /// The top line: benchmark, filter, place.
    Header = "header",
    /// The bottom line: the available keys, and work in the background.
    Status = "status",
    /// A key in a hint.
    Key = "key",
    /// The tab of a pane that is not shown.
    Tab = "tab",
    /// The tab of the pane that is shown.
    TabSelected = "tab-selected",
    /// The selected row of the focused list.
    Selection = "selection",
    /// The selected row of a list without focus.
    SelectionQuiet = "selection-quiet",
    /// The line that the cursor is on.
    CursorLine = "cursor-line",
    /// A line's number.
    LineNumber = "line-number",
    /// The text that is being typed.
    Input = "input",
    /// A match of the search text.
    SearchMatch = "search-match",
    /// The match that the cursor is on.
    SearchCurrent = "search-current",
    /// A popup over the screen: help, palette, question.
    Popup = "popup",
    /// A dependency in the target's own class.
    IntraClass = "intra-class",
    /// A dependency in the target's own file.
    IntraFile = "intra-file",
    /// A dependency in another file.
    CrossFile = "cross-file",
    /// A dependency that was not found, or a name that the context does not contain.
    NotFound = "not-found",
    /// Added to a dependency's role where the code uses it, so that it differs by more than its colour.
    DependencyUse = "dependency-use",
    /// The lines of the target itself, in the source.
    Target = "target",
    /// Verdict: pass.
    Pass = "pass",
    /// Verdict: fail.
    Fail = "fail",
    /// Verdict: does not parse.
    Syntax = "syntax",
    /// Verdict: time limit.
    Timeout = "timeout",
    /// Verdict: memory limit.
    OutOfMemory = "out-of-memory",
    /// Verdict: another limit.
    Limit = "limit",
    /// Verdict: the completion tampered with the reports.
    Tampered = "tampered",
    /// Verdict: the sandbox failed.
    Infrastructure = "infrastructure",
    /// The task is unusable, so there is no verdict.
    Unusable = "unusable",
    /// No verdict yet.
    NotRun = "not-run",
    /// A line that only the new side has.
    DiffAdded = "diff-added",
    /// A line that only the old side has.
    DiffRemoved = "diff-removed",
    /// The changed words of an added line.
    DiffAddedWord = "diff-added-word",
    /// The changed words of a removed line.
    DiffRemovedWord = "diff-removed-word",
    /// A run of leaked context.
    Leaked = "leaked",
    /// A run of context that is missing from the newest tree.
    Missing = "missing",
    /// A run that is at another place in the other tree.
    Moved = "moved",
    /// A run that both sides show.
    Shared = "shared",
    /// A run of the target itself, shown as context.
    TargetRun = "target-run",
    /// Code: keywords.
    Keyword = "keyword",
    /// Code: strings and characters.
    StringLiteral = "string",
    /// Code: comments.
    Comment = "comment",
    /// Code: numbers.
    Number = "number",
    /// Code: constants such as `None` and `true`.
    Constant = "constant",
    /// Code: a function or method, where it is named.
    Function = "function",
    /// Code: a class or type.
    Type = "type",
    /// Code: built-in functions and names such as `self`.
    Builtin = "builtin",
    /// Code: decorators and annotations.
    Decorator = "decorator",
    /// Code: operators.
    Operator = "operator",
    /// Code: escapes in strings.
    Escape = "escape",
    /// An error.
    Error = "error",
    /// A warning or a doubt.
    Warning = "warning",
    /// A success.
    Success = "success",
    /// The filled part of a bar, or a line of a chart.
    Bar = "bar",
    /// The rest of a bar, and the ticks of an axis.
    BarRest = "bar-rest",
    /// The picture of a control character or an escape sequence in the text.
    ControlPicture = "control-picture",
}

impl Role {
    /// The role with the name `word` in theme files.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.word() == word)
    }

    /// The role of a verdict; [`Role::NotRun`] without a verdict.
    pub fn verdict(verdict: Option<Verdict>) -> Self {
        match verdict {
            None => Self::NotRun,
            Some(Verdict::Pass) => Self::Pass,
            Some(Verdict::Fail) => Self::Fail,
            Some(Verdict::Syntax) => Self::Syntax,
            Some(Verdict::Timeout) => Self::Timeout,
            Some(Verdict::OutOfMemory) => Self::OutOfMemory,
            Some(Verdict::Limit) => Self::Limit,
            Some(Verdict::Tampered) => Self::Tampered,
            Some(Verdict::Infrastructure) => Self::Infrastructure,
            Some(Verdict::Unusable) => Self::Unusable,
        }
    }

    /// The role of a type of dependency.
    pub fn dependency(kind: DependencyType) -> Self {
        match kind {
            DependencyType::IntraClass => Self::IntraClass,
            DependencyType::IntraFile => Self::IntraFile,
            DependencyType::CrossFile => Self::CrossFile,
        }
    }
}
