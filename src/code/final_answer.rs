//! Finds the part of a model's text that is its answer: the text after its thinking, without the tokens that end or
//! begin a turn of a chat.

use std::ops::Range;

/// (opening, closing) tag of a thinking block, in lower case.
const THINKING: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
];
/// The header of a message's channel, as gpt-oss writes it: `<|channel|>final<|message|>`.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
/// Tokens that end a turn, or begin the turn of the user.
const ENDS: [&str; 21] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|eot|>",
    "<|end_of_turn|>",
    "<|end_of_message|>",
    "<|end_of_solution|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "<|end▁of▁sentence|>",
    "<|file_separator|>",
    "<|im_start|>",
    "<|start_header_id|>",
    "<|user|>",
    "<start_of_turn>",
    "<eos>",
    "</s>",
];
/// Tokens that begin a turn.
const BEGINS: [&str; 9] = [
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",
    "<|start|>assistant",
    "<|assistant|>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
    "<bos>",
    "<s>",
];

/// The answer in a model's text: what follows its thinking, up to the token that ends the turn. Empty if the thinking
/// never ends. A tag without an opening tag counts too, because some chat templates write the opening tag themselves.
///
/// A tag or token in a string literal, in backticks or in a comment is part of the code. The text stays as it is if it
/// has no thinking and no tokens.
pub fn final_answer(text: &str) -> &str {
    let text = without_begin(text);
    let text = match final_message(text) {
        Some(message) => message,
        None => after_thinking(text),
    };
    before_end(text)
}

/// The text without the tokens that begin a turn, and without the line feeds after them.
fn without_begin(text: &str) -> &str {
    let mut rest = text;
    while let Some(length) = BEGINS
        .iter()
        .find_map(|token| starts_with(rest.trim_start(), token))
    {
        rest = &rest.trim_start()[length..];
    }
    if rest.len() == text.len() {
        text
    } else {
        without_blank_lines(rest)
    }
}

/// The last message on the channel `final`. `None` if the text does not begin with a channel.
fn final_message(text: &str) -> Option<&str> {
    starts_with(text.trim_start(), CHANNEL)?;
    let mut found = "";
    let mut rest = text;
    while let Some(at) = rest.find(CHANNEL) {
        rest = &rest[at + CHANNEL.len()..];
        let name_end = rest.find("<|").unwrap_or(rest.len());
        let is_final = rest[..name_end].trim_start().starts_with("final");
        if let Some(at) = rest.find(MESSAGE).filter(|_| is_final) {
            found = &rest[at + MESSAGE.len()..];
        }
    }
    Some(found)
}

fn after_thinking(text: &str) -> &str {
    let mut rest = text;
    while let Some(next) = after_block(rest) {
        rest = next;
    }
    if rest.len() == text.len() {
        text
    } else {
        without_blank_lines(rest)
    }
}

/// The text after the first thinking block. `None` if there is none.
fn after_block(text: &str) -> Option<&str> {
    let start = text.len() - text.trim_start().len();
    for (opening, closing) in THINKING {
        let opened = places(text, opening).find(|tag| {
            tag.start == start
                || is_marker(text, tag.start) && line_before(text, tag.start).is_empty()
        });
        let rest = match opened {
            Some(tag) => match closed(&text[tag.end..], closing) {
                Some(end) => Some(&text[tag.end + end..]),
                // Only at the start it is sure that this is no tag of the code.
                None => (tag.start == start).then_some(""),
            },
            None if places(text, opening).all(|tag| is_quote_open(text, tag.start)) => {
                let mut ends = places(text, closing);
                let end = ends.find(|tag| is_code_free(text, tag.start));
                end.map(|tag| &text[tag.end..])
            }
            None => None,
        };
        if rest.is_some() {
            return rest;
        }
    }
    None
}

/// The offset after the tag that closes a thinking block whose contents `text` begins with.
fn closed(text: &str, closing: &str) -> Option<usize> {
    let sure = places(text, closing).find(|tag| is_code_free(text, tag.start));
    let any = || places(text, closing).find(|tag| !is_quote_open(text, tag.start));
    sure.or_else(any).map(|tag| tag.end)
}

/// Whether a tag at `at` stands outside code blocks, strings and comments.
fn is_code_free(text: &str, at: usize) -> bool {
    let line = line_before(text, at);
    line.is_empty() || is_marker(text, at) && !is_quote_open(text, at)
}

/// Whether `at` is outside fenced code blocks and comments, and not alone on an indented line.
fn is_marker(text: &str, at: usize) -> bool {
    let line = line_before(text, at);
    let fences = text[..at]
        .lines()
        .filter(|line| line.trim_start().starts_with("```"));
    let in_comment = line.contains('#') || line.contains("//");
    let indented = !line.is_empty() && line.trim().is_empty();
    fences.count().is_multiple_of(2) && !in_comment && !indented
}

/// Whether a quotation mark before `at` is open, and is closed after `at` on the same line.
fn is_quote_open(text: &str, at: usize) -> bool {
    let mut open = None;
    let mut before = ' ';
    for c in line_before(text, at).chars() {
        match open {
            Some(mark) if c == mark && before != '\\' => open = None,
            None if matches!(c, '"' | '`') || c == '\'' && !before.is_alphanumeric() => {
                open = Some(c);
            }
            None if c == '\'' && matches!(before, 'r' | 'b' | 'f' | 'u') => open = Some(c),
            _ => {}
        }
        before = c;
    }
    let rest = text[at..].lines().next().unwrap_or_default();
    open.is_some_and(|mark| rest.contains(mark))
}

/// The line of `at` before `at`.
fn line_before(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
    &text[start..at]
}

/// The text before the first token that ends the turn.
fn before_end(text: &str) -> &str {
    let ends = ENDS
        .iter()
        .flat_map(|token| places(text, token).map(|place| (*token, place)));
    let mut ends: Vec<_> = ends
        .filter(|(token, place)| ends_turn(text, token, place))
        .collect();
    ends.sort_by_key(|(_, place)| place.start);
    ends.first().map_or(text, |(_, place)| &text[..place.start])
}

/// Whether a token ends the turn: nothing follows it, another token follows it, or it begins or ends a line outside
/// strings and comments. `</s>` after `<s>` is HTML.
fn ends_turn(text: &str, token: &str, place: &Range<usize>) -> bool {
    let rest = text[place.end..].trim_start();
    let next = ENDS
        .iter()
        .chain(&BEGINS)
        .find_map(|token| starts_with(rest, token));
    if rest.is_empty() {
        return true;
    }
    if is_quote_open(text, place.start) || line_before(text, place.start).contains('#') {
        return false;
    }
    let after = text[place.end..].trim_start_matches([' ', '\t']);
    let is_html = token == "</s>" && text[..place.start].contains("<s>");
    let at_edge = after.starts_with('\n') || line_before(text, place.start).is_empty();
    next.is_some() || rest.starts_with("<|") || at_edge && !is_html
}

/// The places of `wanted`, which is in lower case, in `text`, in any case.
fn places<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let first = wanted.as_bytes().first().copied().unwrap_or_default();
    let starts = memchr::memchr_iter(first, text.as_bytes());
    starts.filter_map(move |at| {
        let length = starts_with(text.get(at..)?, wanted)?;
        Some(at..at + length)
    })
}

/// The length of `wanted` if `text` begins with it, in any case.
fn starts_with(text: &str, wanted: &str) -> Option<usize> {
    let start = text.get(..wanted.len())?;
    start.eq_ignore_ascii_case(wanted).then_some(wanted.len())
}

fn without_blank_lines(text: &str) -> &str {
    let code = text.len() - text.trim_start().len();
    let line = text[..code].rfind('\n').map_or(0, |line| line + 1);
    &text[line..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "```python\ndef f(x):\n    return x\n```";

    #[test]
    fn the_answer_is_what_follows_the_thinking() {
        for thinking in [
            "<think>\nFirst:\n```python\nreturn 0\n```\nNo.\n</think>\n\n",
            "<think>Short. Don't worry, it's easy.</think>",
            "First, no tag.\n```python\nreturn 0\n```\n</think>\n",
            "Well, that's done.</think>\n\n",
            "<thinking>\nx\n</thinking>\n",
            "<THINK>\nx\n</THINK>\n",
            "<reasoning>a</reasoning>\n<reasoning>b</reasoning>\n",
            "<think>a</think>\nLet me check.\n<think>\nb\n</think>\n",
            "<think>I split at '</think>' and\n```python\nx.split('</think>')\n```\n</think>\n",
            "<think>\n```python\nreturn 0\n</think>\n",
            "<s><think>\n</think>",
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>",
            "[THINK]a[/THINK]",
            "◁think▷a◁/think▷",
            "The tag `<think>` is to be removed.\n</think>\n",
        ] {
            for end in [
                "",
                "<|im_end|>",
                "<|endoftext|>\n<|im_start|>user\nmore",
                "</s>",
                "\n</s>\n\nUser: more",
                "\n<|user|>\nmore",
                "\n<|im_start|>user\nmore",
                "<|return|>",
            ] {
                let text = format!("{thinking}{CODE}{end}");
                assert_eq!(final_answer(&text).trim_end(), CODE, "{text}");
            }
        }
        assert_eq!(
            final_answer("<think>\n</think>\n\n    return x\n"),
            "    return x\n"
        );
        for unclosed in [
            "<think>\nx\n```python\nreturn 0\n```",
            "<|channel|>analysis<|message|>Hm.",
        ] {
            assert_eq!(final_answer(unclosed), "", "{unclosed}");
        }
    }

    #[test]
    fn tags_and_tokens_in_code_stay() {
        for code in [
            "```python\ndef f(x):\n    return x.split('</think>')[-1]\n```",
            "    return re.sub(r\"<think>.*?</think>\", \"\", x)\n",
            "    # Everything up to </think> is thinking.\n    return x.partition(\"</think>\")[2]\n",
            "def f(x):\n    \"\"\"Remove this:\n\n    <think>\n    a\n    </think>\n    \"\"\"\n    return x\n",
            "```python\nEND = '<|im_end|>'\n\ndef f(x):\n    return x.rstrip(END) + \"</s>\"\n```",
            "    return f'<s>{x}</s>'\n",
            "    return \"\"\"<s>{x}\n</s>\n\"\"\"\n",
            "    # <|endoftext|> ends a document\n    return x\n",
            "The tag `</think>` ends it:\n```python\nreturn x\n```",
            "    return x\n",
            "",
        ] {
            assert_eq!(final_answer(code), code);
        }
        let both = format!(
            "<think>\nx\n</think>\n{}",
            "    return x.split('</think>')[-1]\n"
        );
        assert_eq!(final_answer(&both), "    return x.split('</think>')[-1]\n");
    }
}
