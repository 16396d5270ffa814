//! Roles: the purposes of styles. The code that draws the screen uses roles; only themes know colours.

use crate::benchmark::{DependencyType, Verdict};

/// Declares the roles and their names in theme files.
macro_rules! roles {
    ($($(#[$doc:meta])+ $variant:ident = $word:literal,)+) => {
        /// The purpose of a text or an area on the screen. A theme gives a style to each role.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $($(#[$doc])+ $variant,)+
        }

        impl Role {
            /// Every role, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name of the role in theme files.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

roles! {
    /// Plain text, and the background of the whole screen.
    Text = "text",
    /// Emphasised text without a further meaning: names, counts.
    Strong = "strong",
    /// Text of less importance: units, positions, hints, work that is not done yet.
    Dim = "dim",
    /// The accent colour of the interface: keys that can be pressed, the current position.
    Accent = "accent",
    /// The name of a pane.
    Title = "title",
    /// The name of the focused pane.
    TitleFocused = "title-focused",
    /// The border of a pane.
    Border = "border",
    /// The border of the focused pane.
    BorderFocused = "border-focused",
    /// The thumb of a scrollbar.
    Scrollbar = "scrollbar",
    /// A heading in a text or a table.
    Heading = "heading",
    /// The top line: benchmark, filter, position.
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
    /// The number of a line.
    LineNumber = "line-number",
    /// The text that the user is typing.
    Input = "input",
    /// A match of the search text.
    SearchMatch = "search-match",
    /// The match that the cursor is on.
    SearchCurrent = "search-current",
    /// A popup over the screen: help, palette, question.
    Popup = "popup",
    /// A dependency that is defined in the target's class.
    IntraClass = "intra-class",
    /// A dependency that is defined in the target's file.
    IntraFile = "intra-file",
    /// A dependency that is defined in another file.
    CrossFile = "cross-file",
    /// A dependency that was not found in the project.
    NotFound = "not-found",
    /// A use of a dependency in code, in addition to the role of the dependency's type. This role makes the use visible
    /// without colours.
    DependencyUse = "dependency-use",
    /// The lines of the target in its source file.
    Target = "target",
    /// Verdict: pass.
    Pass = "pass",
    /// Verdict: fail.
    Fail = "fail",
    /// Verdict: the completion does not parse.
    Syntax = "syntax",
    /// Verdict: the completion exceeded the time limit.
    Timeout = "timeout",
    /// Verdict: the completion exceeded the memory limit.
    OutOfMemory = "out-of-memory",
    /// Verdict: the completion exceeded another limit.
    Limit = "limit",
    /// Verdict: the completion passed a counter-test, which correct code fails.
    Tampered = "tampered",
    /// Verdict: the sandbox failed, so that nothing is known about the completion.
    Infrastructure = "infrastructure",
    /// Verdict: the task is unusable, so that its completions cannot be evaluated.
    Unusable = "unusable",
    /// A completion without a verdict.
    NotRun = "not-run",
    /// A line of a diff that only the new text contains.
    DiffAdded = "diff-added",
    /// A line of a diff that only the old text contains.
    DiffRemoved = "diff-removed",
    /// The changed words of an added line.
    DiffAddedWord = "diff-added-word",
    /// The changed words of a removed line.
    DiffRemovedWord = "diff-removed-word",
    /// In a comparison of contexts: a leaked line.
    Leaked = "leaked",
    /// In a comparison of contexts: a line that is missing from the later tree.
    Missing = "missing",
    /// In a comparison of contexts: a line that the other tree has in another file or next to other lines.
    Moved = "moved",
    /// In a comparison of contexts: a line that the other tree has in the same file next to the same lines.
    Shared = "shared",
    /// A line of the target in a context.
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
    /// Code: the name of a function or method.
    Function = "function",
    /// Code: the name of a class or type.
    Type = "type",
    /// Code: built-in functions and names such as `self`.
    Builtin = "builtin",
    /// Code: decorators and annotations.
    Decorator = "decorator",
    /// Code: operators.
    Operator = "operator",
    /// Code: escape sequences in strings.
    Escape = "escape",
    /// An error.
    Error = "error",
    /// A warning or a doubt.
    Warning = "warning",
    /// A success.
    Success = "success",
    /// The filled part of a bar, or a line of a chart.
    Bar = "bar",
    /// The empty part of a bar, and the ticks of an axis.
    BarRest = "bar-rest",
    /// The visible symbol that replaces a control character, such as `␛` for Esc.
    ControlPicture = "control-picture",
}

impl Role {
    /// The role with the name `word` in theme files; `None` if there is none.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.word() == word)
    }

    /// The role of a verdict; [`Role::NotRun`] for `None`.
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
