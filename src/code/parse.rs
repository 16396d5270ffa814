//! Parses files with tree-sitter. The length and the number of parse steps are limited: a file that exceeds a limit has
//! no tree.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Point, Tree};

use super::grammar::grammar;
use crate::benchmark::Language;

const LANGUAGES: usize = Language::ALL.len();

/// The length in bytes of the longest file that is parsed. A tree takes up to eighty times as much memory as its text.
/// Longer files are usually generated tables.
const LONGEST: usize = 2 << 20;

/// The limit for a file is about a million parse steps, plus this number of steps for each byte. Ordinary source takes
/// fewer than one step for each byte. Error recovery on hostile input can take hundreds of steps for each byte.
const STEPS_PER_BYTE: usize = 24;

thread_local! {
    static PARSERS: RefCell<[Option<Parser>; LANGUAGES]> = const { RefCell::new([const { None }; LANGUAGES]) };
}

fn parser_for(language: Language) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language).language()).ok()?;
    Some(parser)
}

/// The syntax tree of `source`. `None` if the file exceeds a limit. The tree takes much memory, so callers should drop
/// the tree soon.
pub(crate) fn parse(language: Language, source: &[u8]) -> Option<Tree> {
    if source.len() > LONGEST {
        return None;
    }
    let slot = language as usize;
    let held = PARSERS.with_borrow_mut(|parsers| parsers[slot].take());
    let mut parser = match held {
        Some(parser) => parser,
        None => parser_for(language)?,
    };
    let tree = parse_within(&mut parser, source);
    if tree.is_none() {
        parser.reset();
    }
    PARSERS.with_borrow_mut(|parsers| parsers[slot] = Some(parser));
    tree
}

fn parse_within(parser: &mut Parser, source: &[u8]) -> Option<Tree> {
    // The callback is called once every hundred steps.
    let mut left = 10_000 + source.len() * STEPS_PER_BYTE / 100;
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |at: usize, _: Point| source.get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut read, None, Some(options))
}
