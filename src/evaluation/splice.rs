//! The stub, and completions whose first lines are indented too far.

/// The body of a task that nobody has solved: its tests must fail on it.
pub(super) const STUB: &str = "raise NotImplementedError\n";

/// The completion with its over-indented first lines at the level of the least indented line, when it has such lines.
pub(super) fn level_first_lines(completion: &str) -> Option<String> {
    let least = completion
        .lines()
        .filter(|line| !line.trim_matches([' ', '\t']).is_empty())
        .map(|line| indentation(line).len())
        .min()?;
    let mut changed = false;
    let mut first_lines = true;
    let lines: Vec<&str> = completion
        .split('\n')
        .map(|line| {
            if line.trim_matches([' ', '\t']).is_empty() || !first_lines {
                return line;
            }
            if indentation(line).len() > least {
                changed = true;
                return &line[indentation(line).len() - least..];
            }
            first_lines = false;
            line
        })
        .collect();
    changed.then(|| lines.join("\n"))
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_indented_first_lines_can_be_levelled() {
        assert_eq!(
            level_first_lines("        a = 1\n    return a\n").unwrap(),
            "    a = 1\n    return a\n"
        );
        assert!(level_first_lines("    a = 1\n    return a\n").is_none());
    }
}
