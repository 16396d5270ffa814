//! The signs of the screens, in a Unicode and in an ASCII form. Each sign has the same meaning on every screen.

use ratatui::symbols::border;

use crate::benchmark::{DependencyType, Verdict};

/// How a line of context relates to the other side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRelation {
    /// Leaked: the base tree does not have it.
    Leaked,
    /// Missing: the newest tree does not have it.
    Missing,
    /// In both trees, but at another place.
    Moved,
    /// Shown by both sides.
    Shared,
    /// The target itself.
    Target,
}

/// The signs in one form. Every sign is one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    ascii: bool,
    /// A selected row, or the item that an action applies to.
    pub pointer: &'static str,
    /// A node that can be opened.
    pub closed: &'static str,
    /// A node that is open.
    pub open: &'static str,
    /// A node that is its own ancestor.
    pub cycle: &'static str,
    /// The text continues beyond the edge.
    pub ellipsis: &'static str,
    /// A separator between two facts on a line.
    pub dot: &'static str,
    /// A transition from one place to another.
    pub arrow: &'static str,
    /// A horizontal rule, and the line of an axis.
    pub rule: &'static str,
    /// A vertical rule.
    pub bar: &'static str,
    /// A tick on an axis.
    pub tick: &'static str,
    /// The chosen place on an axis.
    pub here: &'static str,
    /// The track of a scrollbar.
    pub track: &'static str,
    /// The thumb of a scrollbar.
    pub thumb: &'static str,
    /// A full cell of a bar.
    pub full: &'static str,
    /// An empty cell of a bar.
    pub empty: &'static str,
    /// A line continues on the next row.
    pub wrapped: &'static str,
    /// A choice that is set.
    pub on: &'static str,
    /// A choice that is not set.
    pub off: &'static str,
    /// The text cursor in an input line.
    pub caret: &'static str,
    /// Heights from one eighth to full, for sparklines.
    pub levels: [&'static str; 8],
    /// A cell of a bar in a chart, thin so that the bars of neighbouring rows do not touch.
    pub stroke: &'static str,
    /// The first half of a [`stroke`](Self::stroke).
    pub half: &'static str,
    /// The steps of the animated sign for work in progress.
    pub spinner: &'static [&'static str],
}

impl Glyphs {
    /// The Unicode form.
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

    /// The ASCII form, for terminals and fonts without the Unicode signs.
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

    /// The form for this process. It is ASCII if `EVOSCOPE_ASCII` is set (neither empty nor `0`), or if the locale (the
    /// first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set) names an encoding other than UTF-8. Otherwise it is
    /// Unicode. `variable` looks up an environment variable.
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

    /// Whether this is the ASCII form.
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

    /// The sign of a verdict, or of a missing verdict.
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
            // The lightning of U+26A1 is two columns wide in some terminals and one in others; this one never is.
            Some(Verdict::Infrastructure) => ("↯", "z"),
            Some(Verdict::Unusable) => ("⊘", "/"),
        };
        if self.ascii { ascii } else { unicode }
    }

    /// The sign of a dependency's type, or of a dependency that was not found (`None`).
    pub fn dependency(&self, kind: Option<DependencyType>) -> &'static str {
        let (unicode, ascii) = match kind {
            Some(DependencyType::IntraClass) => ("●", "o"),
            Some(DependencyType::IntraFile) => ("■", "#"),
            Some(DependencyType::CrossFile) => ("▲", "^"),
            None => ("?", "?"),
        };
        if self.ascii { ascii } else { unicode }
    }

    /// The sign of a line of context in a comparison.
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
    fn a_sign_means_one_thing_and_is_one_column_wide() {
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
    fn the_form_follows_the_wish_first_and_the_locale_second() {
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
