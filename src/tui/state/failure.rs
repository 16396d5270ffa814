//! A failed completion with everything that its cause is decided from: requirement, difference, tests, and further pages.

use ratatui::layout::Rect;

use super::result::ResultScreen;
use super::run::CompletionRef;
use crate::tui::highlight::LineRoles;
use crate::tui::layout::{cut_left, cut_top};
use crate::tui::theme::Role;

/// What is read for a failed completion.
#[derive(Debug)]
pub struct FailureSheet {
    /// The completion.
    pub of: CompletionRef,
    /// Its verdict with the tests and tracebacks, and its difference from the reference.
    pub result: ResultScreen,
    /// The further pages, in the order of their tabs.
    pub pages: Vec<Page>,
}

/// A page next to the requirement, the difference and the tests.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Its tab.
    pub title: String,
    /// Where it comes from, or why it is empty.
    pub note: String,
    /// Its lines.
    pub lines: Vec<PageLine>,
}

/// A line of a page.
#[derive(Debug, Clone)]
pub struct PageLine {
    /// The text, as it came.
    pub text: String,
    /// The role of the whole line.
    pub role: Role,
    /// The colours of its parts.
    pub colours: LineRoles,
}

impl PageLine {
    /// A line in one role.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            role,
            colours: LineRoles::new(),
        }
    }
}

/// The panes of the failure screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailurePane {
    /// What the model was asked.
    Requirement,
    /// The completion next to the reference.
    #[default]
    Difference,
    /// The verdict, the tests and their tracebacks.
    Tests,
    /// Dependencies, context, test source, prompt, records.
    Pages,
}

impl FailurePane {
    /// All of them, in the order of the focus.
    pub const ALL: [Self; 4] = [
        Self::Requirement,
        Self::Difference,
        Self::Tests,
        Self::Pages,
    ];
}

/// How a failure is looked at.
#[derive(Debug, Default)]
pub struct FailureView {
    /// The pane with the focus.
    pub focus: FailurePane,
    /// The page in sight.
    pub page: usize,
    /// The first line in sight of each pane.
    pub tops: [usize; 4],
    /// Whether the focused pane alone is in sight.
    pub zoomed: bool,
}

/// The narrowest and lowest terminals on which the panes are together.
const TOGETHER: (u16, u16) = (100, 30);

impl FailureView {
    /// The pane's rectangles in `body`; without space for all, the focused one fills it.
    pub fn rects(&self, size: (u16, u16), body: Rect) -> Vec<(FailurePane, Rect)> {
        if self.zoomed || size.0 < TOGETHER.0 || size.1 < TOGETHER.1 {
            return vec![(self.focus, body)];
        }
        let (left, right) = cut_left(body, body.width * 2 / 5);
        let (requirement, tests) = cut_top(left, left.height * 2 / 5);
        let (difference, pages) = cut_top(right, right.height / 2);
        vec![
            (FailurePane::Requirement, requirement),
            (FailurePane::Difference, difference),
            (FailurePane::Tests, tests),
            (FailurePane::Pages, pages),
        ]
    }

    /// The first line in sight of a pane.
    pub fn top(&mut self, pane: FailurePane) -> &mut usize {
        &mut self.tops[pane as usize]
    }

    /// To the next pane.
    pub fn next_pane(&mut self, steps: isize) {
        let len = FailurePane::ALL.len().cast_signed();
        let at = (self.focus as usize).cast_signed() + steps;
        self.focus = FailurePane::ALL[at.rem_euclid(len).cast_unsigned()];
    }

    /// To the next page, or an earlier one; the pages get the focus.
    pub fn next_page(&mut self, pages: usize, steps: isize) {
        if pages == 0 {
            return;
        }
        let at = self.page.cast_signed() + steps;
        self.page = at.rem_euclid(pages.cast_signed()).cast_unsigned();
        self.focus = FailurePane::Pages;
        *self.top(FailurePane::Pages) = 0;
    }
}
