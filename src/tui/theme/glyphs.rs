//! The signs (one-column symbols) of the screens, as a Unicode set and as an ASCII set. Each field of [`Glyphs`] has
//! the same meaning on every screen.

use ratatui::symbols::border;

use crate::benchmark::{DependencyType, Verdict};

/// How a line of one context relates to the other context of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRelation {
    /// Leaked: the line is in the evolving-ignored context, and the tree at the base commit does not contain it.
    Leaked,
    /// Missing: the line is in the evolving-aware context, and the later tree does not contain it.
    Missing,
    /// The other tree has the line too, but in another file or next to other lines.
    Moved,
    /// The line is in a snippet that both contexts contain.
    Shared,
    /// The line belongs to the target.
    Target,
}

/// A complete set of signs. Every sign is one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    /// Whether all signs are ASCII characters.
    ascii: bool,
    /// A selected row, or the item that an action applies to.
    pub pointer: &'static str,
    /// A tree row that can be opened.
    pub closed: &'static str,
    /// A tree row that is open.
    pub open: &'static str,
    /// A tree row for the target itself, or for a dependency that also is an ancestor of the row.
    pub cycle: &'static str,
    /// The place at which a text was cut.
    pub ellipsis: &'static str,
    /// A separator between two facts on a line.
    pub dot: &'static str,
    /// A change from one value or position to another.
    pub arrow: &'static str,
    /// A horizontal separator, and the line of an axis.
    pub rule: &'static str,
    /// A vertical separator.
    pub bar: &'static str,
    /// A tick on an axis.
    pub tick: &'static str,
    /// The chosen position on an axis.
    pub here: &'static str,
    /// The track of a scrollbar.
    pub track: &'static str,
    /// The thumb of a scrollbar.
    pub thumb: &'static str,
    /// A full cell of a bar.
    pub full: &'static str,
    /// An empty cell of a bar.
    pub empty: &'static str,
    /// A row that continues the wrapped line above it.
    pub wrapped: &'static str,
    /// A choice that is selected.
    pub on: &'static str,
    /// A choice that is not selected.
    pub off: &'static str,
    /// The text cursor in an input line.
    pub caret: &'static str,
    /// The columns of a sparkline, from one eighth of a row to a full row high.
    pub levels: [&'static str; 8],
    /// A cell of a thin bar. Thin bars in neighbouring rows do not touch.
    pub stroke: &'static str,
    /// The left half of a [`stroke`](Self::stroke).
    pub half: &'static str,
    /// The frames of the animation for work in progress.
    pub spinner: &'static [&'static str],
}

impl Glyphs {
    /// The Unicode set.
    pub const UNICODE: Self = Self {
        ascii: false,
        pointer: "▸",
        closed: "▸",
        open: "▾",
        cycle: "↻",
        ellipsis: "…",
        dot: "·",
        arrow: "→",
        rule: "─",
        bar: "│",
        tick: "┬",
        here: "◆",
        track: "│",
        thumb: "┃",
        full: "█",
        empty: "░",
        wrapped: "↳",
        on: "◉",
        off: "○",
        caret: "▏",
        levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        stroke: "━",
        half: "╸",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    };

    /// The ASCII set, for terminals and fonts without the Unicode signs.
    pub const ASCII: Self = Self {
        ascii: true,
        pointer: ">",
        closed: ">",
        open: "v",
        cycle: "^",
        ellipsis: "~",
        dot: "-",
        arrow: ">",
        rule: "-",
        bar: "|",
        tick: "+",
        here: "O",
        track: "|",
        thumb: "#",
        full: "#",
        empty: ".",
        wrapped: "\\",
        on: "*",
        off: "o",
        caret: "_",
        levels: ["_", ".", ",", "-", "=", "*", "%", "#"],
        stroke: "=",
        half: "-",
        spinner: &["|", "/", "-", "\\"],
    };

    /// The set for this process. If `EVOSCOPE_ASCII` is set and not empty, it decides: `0` means Unicode, any other
    /// value means ASCII. Otherwise the set is ASCII if the locale names an encoding other than UTF-8. The locale is
    /// the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set and not empty. `variable` looks up an environment
    /// variable.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(asked) = variable("EVOSCOPE_ASCII").filter(|value| !value.is_empty()) {
            return if asked == "0" {
                Self::UNICODE
            } else {
                Self::ASCII
            };
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()));
        let encoding = locale
            .as_deref()
            .and_then(|text| text.split_once('.'))
            .map(|(_, rest)| rest);
        match encoding {
            Some(name) if !is_utf8(name) => Self::ASCII,
            _ => Self::UNICODE,
        }
    }

    /// Whether this is the ASCII set.
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// The borders of a pane.
    pub fn border(&self) -> border::Set<'static> {
        if self.ascii {
            ASCII_BORDER
        } else {
            border::ROUNDED
        }
    }

    /// The sign of a verdict; for `None`, the sign of a completion without a verdict.
    pub fn verdict(&self, verdict: Option<Verdict>) -> &'static str {
        let (unicode, ascii) = match verdict {
            None => ("·", "."),
            Some(Verdict::Pass) => ("✓", "+"),
            Some(Verdict::Fail) => ("✗", "x"),
            Some(Verdict::Syntax) => ("§", "s"),
            Some(Verdict::Timeout) => ("◷", "t"),
            Some(Verdict::OutOfMemory) => ("▣", "m"),
            Some(Verdict::Limit) => ("≥", "l"),
            Some(Verdict::Tampered) => ("!", "!"),
            // Not the lightning symbol U+26A1, because some terminals draw that symbol two columns wide.
            Some(Verdict::Infrastructure) => ("↯", "z"),
            Some(Verdict::Unusable) => ("⊘", "/"),
        };
        if self.ascii { ascii } else { unicode }
    }

    /// The sign of a dependency's type; for `None`, the sign of a dependency that was not found.
    pub fn dependency(&self, kind: Option<DependencyType>) -> &'static str {
        let (unicode, ascii) = match kind {
            Some(DependencyType::IntraClass) => ("●", "o"),
            Some(DependencyType::IntraFile) => ("■", "#"),
            Some(DependencyType::CrossFile) => ("▲", "^"),
            None => ("?", "?"),
        };
        if self.ascii { ascii } else { unicode }
    }

    /// The sign of a line in a comparison of two contexts.
    pub fn relation(&self, relation: LineRelation) -> &'static str {
        let (unicode, ascii) = match relation {
            LineRelation::Leaked => ("»", ">"),
            LineRelation::Missing => ("«", "<"),
            LineRelation::Moved => ("~", "~"),
            LineRelation::Shared => ("=", "="),
            LineRelation::Target => ("◎", "@"),
        };
        if self.ascii { ascii } else { unicode }
    }
}

const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn is_utf8(encoding: &str) -> bool {
    let name = encoding.split('@').next().unwrap_or(encoding);
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use unicode_width::UnicodeWidthStr;

    use super::*;

    /// The signs of all verdicts, dependency types and line relations.
    fn meanings(glyphs: &Glyphs) -> Vec<&'static str> {
        let relations = [
            LineRelation::Leaked,
            LineRelation::Missing,
            LineRelation::Moved,
            LineRelation::Shared,
            LineRelation::Target,
        ];
        let mut signs: Vec<_> = Verdict::ALL
            .iter()
            .map(|v| glyphs.verdict(Some(*v)))
            .collect();
        signs.push(glyphs.verdict(None));
        signs.extend(
            DependencyType::ALL
                .iter()
                .map(|d| glyphs.dependency(Some(*d))),
        );
        signs.push(glyphs.dependency(None));
        signs.extend(relations.map(|s| glyphs.relation(s)));
        signs
    }

    #[test]
    fn signs_with_different_meanings_differ_and_are_one_column_wide() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            let signs = meanings(&glyphs);
            let different: HashSet<_> = signs.iter().collect();
            assert_eq!(different.len(), signs.len(), "{signs:?}");
            for sign in signs {
                assert_eq!(sign.width(), 1, "{sign}");
                assert!(!glyphs.is_ascii() || sign.is_ascii(), "{sign}");
            }
        }
    }

    #[test]
    fn evoscope_ascii_chooses_the_set_and_otherwise_the_locale_does() {
        let with = |pairs: &'static [(&str, &str)]| {
            Glyphs::detect(move |name| {
                let pair = pairs.iter().find(|(key, _)| *key == name)?;
                Some(pair.1.to_owned())
            })
            .is_ascii()
        };
        assert!(!with(&[]));
        assert!(!with(&[("LANG", "en_GB.UTF-8")]));
        assert!(!with(&[("LANG", "C")]));
        assert!(with(&[("LANG", "de_DE.ISO-8859-1")]));
        assert!(!with(&[("LC_ALL", "C.utf8"), ("LANG", "de_DE.ISO-8859-1")]));
        assert!(with(&[("EVOSCOPE_ASCII", "1"), ("LANG", "en_GB.UTF-8")]));
        assert!(!with(&[
            ("EVOSCOPE_ASCII", "0"),
            ("LANG", "de_DE.ISO-8859-1")
        ]));
    }
}
