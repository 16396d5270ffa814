//! A failed completion with the evidence for its cause: requirement, difference, tests, and further pages.

use ratatui::layout::Rect;

use super::result::ResultScreen;
use super::run::CompletionRef;
use crate::tui::highlight::LineRoles;
use crate::tui::layout::{cut_left, cut_top};
use crate::tui::theme::Role;

/// The data of a failed completion.
#[derive(Debug)]
pub struct FailureSheet {
    /// The completion.
    pub of: CompletionRef,
    /// Its verdict with the tests and tracebacks, and its difference from the reference code.
    pub result: ResultScreen,
    /// The further pages, in the order of their tabs.
    pub pages: Vec<Page>,
}

/// A page next to the requirement, the difference and the tests.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The title of its tab.
    pub title: String,
    /// Where it comes from, or why it is empty.
    pub note: String,
    /// Its lines.
    pub lines: Vec<PageLine>,
}

/// A line of a page.
#[derive(Debug, Clone)]
pub struct PageLine {
    /// The text, unchanged.
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
    /// The requirement.
    Requirement,
    /// The completion compared with the reference code.
    #[default]
    Difference,
    /// The verdict, the tests and their tracebacks.
    Tests,
    /// Dependencies, context, test source, prompt, records.
    Pages,
}

impl FailurePane {
    /// All panes, in the order of the focus.
    pub const ALL: [Self; 4] = [
        Self::Requirement,
        Self::Difference,
        Self::Tests,
        Self::Pages,
    ];
}

/// The state of the failure screen.
#[derive(Debug, Default)]
pub struct FailureView {
    /// The pane with the focus.
    pub focus: FailurePane,
    /// The index of the visible page.
    pub page: usize,
    /// The first visible line of each pane.
    pub tops: [usize; 4],
    /// Whether only the focused pane is visible.
    pub zoomed: bool,
}

/// The minimum width and height of a terminal on which all panes are visible.
const TOGETHER: (u16, u16) = (100, 30);

impl FailureView {
    /// The rectangles of the panes in `body`. Without space for all panes, the focused one fills it.
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

    /// The first visible line of a pane.
    pub fn top(&mut self, pane: FailurePane) -> &mut usize {
        &mut self.tops[pane as usize]
    }

    /// Moves the focus by `steps` panes, in a cycle.
    pub fn next_pane(&mut self, steps: isize) {
        let len = FailurePane::ALL.len().cast_signed();
        let at = (self.focus as usize).cast_signed() + steps;
        self.focus = FailurePane::ALL[at.rem_euclid(len).cast_unsigned()];
    }

    /// Moves by `steps` pages, and gives the focus to the pages.
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
