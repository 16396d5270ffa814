//! Corrects the line numbers of the hunks in a patch. This is necessary because libgit2 applies a hunk only at the line
//! numbers in its header.

use std::fmt::Write as _;

/// Returns the patch with corrected line numbers. Each hunk is moved to the lines of its file that are equal to the
/// hunk's old (removed and unchanged) lines. Of several matches, the nearest to the line number in the header is used.
/// Hunks without old lines, and hunks of files without an old text, stay.
///
/// `None` if a hunk does not match its file, if the patch is incomplete, or if no hunk has to be moved. `old_text`
/// returns the text of a file before the patch, if there is one.
pub(super) fn moved(patch: &str, old_text: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(patch.len());
    let all: Vec<&str> = patch.split_inclusive('\n').collect();
    let mut lines = all.iter();
    let mut file: Option<Vec<String>> = None;
    let mut moves = false;
    // (first line after the file's previous hunks, number of added minus removed lines in those hunks)
    let (mut least, mut added) = (0, 0i64);
    while let Some(&line) = lines.next() {
        if let Some(name) = line.strip_prefix("--- ") {
            let name = name.trim_end().split('\t').next().unwrap_or_default();
            let text = old_text(name.strip_prefix("a/").unwrap_or(name));
            file = text.map(|text| text.split('\n').map(str::to_owned).collect());
            (least, added) = (0, 0);
        }
        let Some(hunk) = Hunk::of(line) else {
            out.push_str(line);
            continue;
        };
        let count = hunk_lines(&hunk, lines.as_slice());
        let body: Vec<&str> = lines.by_ref().take(count).copied().collect();
        if !hunk.is_whole(&body) {
            return None;
        }
        let at = match &file {
            Some(file) if hunk.old.1 > 0 => hunk.find(&body, file, least)?,
            _ => hunk.old.0,
        };
        let first = i64::try_from(at).ok()? + added;
        let first = if hunk.old.1 > 0 {
            first
        } else {
            i64::try_from(hunk.new.0).ok()?
        };
        moves |= at != hunk.old.0;
        let _ = write!(
            out,
            "@@ -{at},{} +{first},{} @@{}",
            hunk.old.1, hunk.new.1, hunk.rest
        );
        out.extend(body);
        least = at + hunk.old.1;
        added += i64::try_from(hunk.new.1).ok()? - i64::try_from(hunk.old.1).ok()?;
    }
    moves.then_some(out)
}

/// How many of `lines`, which follow the header of `hunk`, belong to the hunk.
pub(super) fn hunk_lines(hunk: &Hunk, lines: &[&str]) -> usize {
    let (mut old, mut new) = (hunk.old.1, hunk.new.1);
    let body = lines.iter().take_while(|line| {
        let (removes, adds) = sides(line);
        let more = old > 0 || new > 0;
        let fits = removes <= old && adds <= new;
        if more && fits {
            (old, new) = (old - removes, new - adds);
        }
        more && fits
    });
    body.count()
}

/// (number of old lines, number of new lines) that a line of a hunk stands for.
fn sides(line: &str) -> (usize, usize) {
    match line.as_bytes().first() {
        Some(b'-') => (1, 0),
        Some(b'+') => (0, 1),
        Some(b'\\') => (0, 0),
        _ => (1, 1),
    }
}

/// A hunk's header.
pub(super) struct Hunk<'a> {
    /// (1-based first line, number of lines) before the patch.
    old: (usize, usize),
    /// (1-based first line, number of lines) after the patch.
    new: (usize, usize),
    /// The text after the second `@@`, with its line feed.
    rest: &'a str,
}

impl<'a> Hunk<'a> {
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let (ranges, rest) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| {
            let (first, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((first.parse().ok()?, count.parse().ok()?))
        };
        Some(Self {
            old: range(old)?,
            new: range(new)?,
            rest,
        })
    }

    /// Whether `body` has as many old and new lines as the header says.
    fn is_whole(&self, body: &[&str]) -> bool {
        let sides = body.iter().map(|line| sides(line));
        let count = sides.fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        count == (self.old.1, self.new.1)
    }

    /// The 1-based line, not before `least`, at which the hunk's old lines begin in the file. Of several such lines,
    /// the nearest to the line in the hunk's header. `None` if the file does not have the old lines.
    fn find(&self, body: &[&str], file: &[String], least: usize) -> Option<usize> {
        let old = body.iter().filter(|line| !line.starts_with(['+', '\\']));
        let old: Vec<&str> = old
            .map(|line| line.strip_suffix('\n').unwrap_or(line))
            .map(|line| line.get(1..).unwrap_or_default())
            .collect();
        let places = file
            .windows(old.len())
            .enumerate()
            .skip(least.saturating_sub(1));
        let places = places.filter(|(_, lines)| lines.iter().zip(&old).all(|(a, b)| a == b));
        places
            .map(|(at, _)| at + 1)
            .min_by_key(|at| at.abs_diff(self.old.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "new\nnew\na\nb\nc\nd\ne\nf\na\nb\n";

    fn of(patch: &str) -> Option<String> {
        moved(patch, |path| (path == "x.py").then(|| TEXT.to_owned()))
    }

    #[test]
    fn hunks_move_to_their_lines() {
        let patch =
            "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@ def f\n a\n+A\n b\n@@ -6 +7 @@\n-f\n+F\n";
        let expected =
            "--- a/x.py\n+++ b/x.py\n@@ -3,2 +3,3 @@ def f\n a\n+A\n b\n@@ -8,1 +9,1 @@\n-f\n+F\n";
        assert_eq!(of(patch).as_deref(), Some(expected));
        // Two places match, and the nearer one is used.
        let near = "--- a/x.py\n+++ b/x.py\n@@ -8,2 +8,1 @@\n-a\n b\n";
        assert!(of(near).unwrap().contains("@@ -9,2 +9,1 @@"));
    }

    #[test]
    fn no_patch_is_returned_if_hunks_fit_or_do_not_match() {
        assert_eq!(
            of("--- a/x.py\n+++ b/x.py\n@@ -5,1 +5,1 @@\n-c\n+C\n"),
            None
        );
        assert_eq!(
            of("--- a/x.py\n+++ b/x.py\n@@ -5,1 +5,1 @@\n-z\n+C\n"),
            None
        );
        assert_eq!(of("--- /dev/null\n+++ b/y.py\n@@ -0,0 +1,1 @@\n+C\n"), None);
        assert_eq!(of("--- a/x.py\n+++ b/x.py\n@@ -5,9 +5,9 @@\n-c\n"), None);
    }
}
