//! Shows a task's two contexts side by side on a page: evolving-aware left, evolving-ignored right. Leaked, missing and
//! moved lines have a mark.

use super::page::{Block, Column, MarkedLine, Snippet};
use crate::context::{Comparison, ContextItem, ContextListing, ItemLine, Mark, Setting};
use crate::history::BaseFinding;

/// A comparison of a task's contexts, and how the task's base commit was found.
#[derive(Debug, Clone, Copy)]
pub struct LeakageOf<'a> {
    /// The task.
    pub task: &'a str,
    /// The setting.
    pub setting: Setting,
    /// How the base commit was found.
    pub found: &'a BaseFinding,
    /// The two contexts.
    pub comparison: &'a Comparison,
}

/// The part of a page that shows a task's contexts side by side, with the counts of leaked and missing snippets.
pub fn leakage_blocks(of: LeakageOf<'_>) -> Vec<Block> {
    let Comparison {
        base,
        newest,
        aware,
        ignored,
        counts,
        ..
    } = of.comparison;
    let doubts = of.found.doubts.iter().map(|doubt| format!(" ? {doubt}."));
    let summary = format!(
        "Setting {}. Base {}. {} of {} snippets at the latest version are leaked by the measure \"at least half\", {} with the \
         target masked; by the measure \"any\": {}, {} with the target masked. {} show the target itself. {} of {} \
         snippets at the base commit are missing from the latest version by the measure \"at least half\"; by the \
         measure \"any\": {}.{}",
        of.setting,
        of.found.how,
        counts.leak_half,
        ignored.items.len(),
        counts.masked_leak_half,
        counts.leak_any,
        counts.masked_leak_any,
        counts.target,
        counts.missing_half,
        aware.items.len(),
        counts.missing_any,
        doubts.collect::<String>(),
    );
    let column = |what: &str, at: &str, listing: &ContextListing| Column {
        name: format!("{what} · {}", short(at)),
        snippets: listing.items.iter().map(snippet).collect(),
    };
    vec![
        Block::Heading(format!("Leakage of {}", of.task)),
        Block::Text(summary),
        Block::SideBySide(vec![
            column("Base commit (evolving-aware)", base, aware),
            column("Latest (evolving-ignored)", newest, ignored),
        ]),
        Block::Text(
            "» leaked: not at the base commit   « missing: not at the latest version   ~ moved: elsewhere in the other version   \
             ◎ the target itself"
                .to_owned(),
        ),
    ]
}

/// The first seven characters of a commit id. Other names of revisions are not shortened.
fn short(revision: &str) -> &str {
    let is_commit = revision.len() >= 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &revision[..7] } else { revision }
}

fn snippet(item: &ContextItem) -> Snippet {
    let score = item
        .overlap
        .map_or_else(String::new, |overlap| format!("{:.3}  ", overlap.score()));
    let verb = if item.leak_any.is_some() {
        "» added in"
    } else {
        "« removed in"
    };
    let note = item.introduced.as_ref().map(|by| {
        let id = by.commit.to_string();
        format!("{verb} {} {} {}", short(&id), by.date, by.author)
    });
    Snippet {
        head: format!(
            "{}  {score}{}:{}-{}",
            item.rank, item.path, item.start, item.end
        ),
        note,
        lines: item.lines.iter().map(marked).collect(),
    }
}

fn marked(line: &ItemLine) -> MarkedLine {
    let mark = match line.mark {
        _ if line.target => '◎',
        Mark::Leaked => '»',
        Mark::Missing => '«',
        Mark::Moved => '~',
        Mark::Plain | Mark::Shared => ' ',
    };
    MarkedLine {
        mark,
        text: line.text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::RepoPath;

    #[test]
    fn lines_have_the_same_marks_as_on_the_screen() {
        let line = |mark, target| ItemLine {
            text: "x</pre>".into(),
            mark,
            target,
        };
        let lines = vec![
            line(Mark::Leaked, false),
            line(Mark::Missing, false),
            line(Mark::Moved, false),
            line(Mark::Leaked, true),
            line(Mark::Shared, false),
        ];
        let drawn = snippet(&ContextItem::new(1, RepoPath::new("a.py"), 3, lines));
        let marks: String = drawn.lines.iter().map(|line| line.mark).collect();
        assert_eq!(marks, "»«~◎ ");
        assert_eq!(drawn.head, "1  a.py:3-7");
    }

    #[test]
    fn commit_ids_are_shortened_and_folder_names_are_not() {
        assert_eq!(short(&"ab1".repeat(14)), "ab1ab1a");
        assert_eq!(short("/a/folder"), "/a/folder");
    }
}
