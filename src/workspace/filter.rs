//! The filter expressions of the task list and of `tasks --filter`.
//!
//! An expression is a list of terms separated by blanks; a task must meet all of them. `OR` separates alternatives,
//! `NOT` negates the term or group that follows, and parentheses group. An example:
//! `project:a (dep>3 OR verdict:fail) NOT kind:method`.
//!
//! | term | meets |
//! | --- | --- |
//! | `project:boltons`, `path:cache`, `name:LRI`, `domain:db`, `id:62e6` | tasks with the text in that field, ignoring case |
//! | `benchmark:deveval`, `level:class_runnable`, `kind:method`, `language:java`, `anchor:moved` | tasks with that word, or with a word that begins with it |
//! | `verdict:pass`, `verdict:none` | tasks with a completion that has that verdict; `none`: tasks without any verdict |
//! | `model:gpt`, `setting:infilling` | tasks with a completion by a model, or in a setting, with that text in its name |
//! | `solved:gpt-4/retrieved`, `failed:gpt-4` | tasks that the model solved, or has a verdict for but did not solve; in the setting if one is named |
//! | `dep>3`, `intra_class=0`, `intra_file>=1`, `cross_file!=0`, `completions>0`, `passes<2` | tasks with such a count |
//! | `a,b` after a colon | tasks that meet either value |
//! | `-term`, `NOT term` | tasks that do not meet the term |
//! | `@name` | the filter that the settings file has under this name |
//! | `"two words"` | a value with blanks |
//! | anything else | fuzzy search in the names, best match first (`'exact`, `^start`, `end$`) |

mod fields;
mod parse;
mod select;
mod suggest;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::benchmark::{Format, Language, Level, TaskKind, Verdict};
use crate::code::AnchorState;
use crate::error::Error;

pub use select::Facts;
pub use suggest::suggestions;

/// Filters that the user has given names, each by its name.
pub type NamedFilters = BTreeMap<String, String>;

/// A filter, parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    pub(crate) root: Expression,
}

/// What a task must meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// Every part.
    All(Vec<Expression>),
    /// At least one part.
    Any(Vec<Expression>),
    /// Not the part.
    Not(Box<Expression>),
    /// A condition.
    Is(Condition),
    /// Free words, for fuzzy search.
    Words(String),
}

impl Default for Expression {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Expression {
    /// Calls `each` with this expression and every part of it.
    pub(crate) fn each<'a>(&'a self, each: &mut dyn FnMut(&'a Expression)) {
        each(self);
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.each(each)),
            Self::Not(part) => part.each(each),
            Self::Is(_) | Self::Words(_) => {}
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The field holds one of the texts, which are in lower case.
    Text(TextField, Vec<String>),
    Kind(Vec<TaskKind>),
    Level(Vec<Level>),
    Format(Vec<Format>),
    Language(Vec<Language>),
    Anchor(Vec<Option<AnchorState>>),
    Verdict(Vec<Option<Verdict>>),
    /// One of the sets, as `model` or `model/setting` in lower case, solved it (true) or did not (false).
    Solved(bool, Vec<String>),
    Count(Counted, Comparison, u32),
}

/// Fields that are searched for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextField {
    Benchmark,
    Project,
    Path,
    Name,
    Domain,
    Id,
    Model,
    Setting,
}

/// Fields that are compared with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Dependencies,
    IntraClass,
    IntraFile,
    CrossFile,
    Completions,
    Passes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    More,
}

impl Comparison {
    pub(crate) fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::AtLeast => left >= right,
            Self::More => left > right,
        }
    }
}

/// Why an expression does not parse, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// The bytes of the expression that are at fault.
    pub at: Range<usize>,
    /// What is wrong: a clause without a capital or a full stop.
    pub what: String,
    /// What to do about it, in the imperative.
    pub hint: String,
}

impl From<FilterError> for Error {
    fn from(fault: FilterError) -> Self {
        Error::user(format!(
            "filter, column {}: {}",
            fault.at.start + 1,
            fault.what
        ))
        .hint(fault.hint)
    }
}

impl Filter {
    /// Parses an expression; an empty one meets every task.
    pub fn parse(expression: &str) -> Result<Self, FilterError> {
        Self::parse_with(expression, &NamedFilters::new())
    }

    /// Free words only, whatever signs they hold.
    pub fn of_words(words: &str) -> Self {
        let parts = match words.trim() {
            "" => Vec::new(),
            words => vec![Expression::Words(words.to_owned())],
        };
        Self {
            root: Expression::All(parts),
        }
    }

    /// Parses an expression that may name other filters, as `@name`.
    pub fn parse_with(expression: &str, named: &NamedFilters) -> Result<Self, FilterError> {
        parse::parse(expression, named)
    }

    /// Whether every task meets it.
    pub fn is_empty(&self) -> bool {
        self.root == Expression::default()
    }

    /// Whether it uses the positions of targets, so that anchors have to be found first.
    pub fn needs_anchors(&self) -> bool {
        self.any(|part| matches!(part, Expression::Is(Condition::Anchor(_))))
    }

    /// Whether it asks for completions or verdicts, so that the completions have to be indexed first.
    pub fn needs_completions(&self) -> bool {
        self.any(|part| {
            matches!(
                part,
                Expression::Is(
                    Condition::Verdict(_)
                        | Condition::Solved(..)
                        | Condition::Text(TextField::Model | TextField::Setting, _)
                        | Condition::Count(Counted::Completions | Counted::Passes, ..)
                )
            )
        })
    }

    /// Whether it has free words. Tasks are ordered by how well they match them.
    pub fn has_words(&self) -> bool {
        self.any(|part| matches!(part, Expression::Words(_)))
    }

    fn any(&self, holds: impl Fn(&Expression) -> bool) -> bool {
        let mut found = false;
        self.root.each(&mut |part| found |= holds(part));
        found
    }
}
