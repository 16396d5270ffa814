//! The explorer on a real terminal: start, resize, exit, suspension, paste, and control characters in the data.

pub mod fixture;
mod generation;
mod half_sequences;
mod pty;
mod random_keys;
mod review;

use std::collections::HashMap;
use std::time::Duration;

use nix::sys::signal::Signal;
use pty::Pty;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_evoscope");

/// The sequences that the explorer must write on every exit.
const RESTORED: [&str; 4] = ["\x1b[?1049l", "\x1b[?1000l", "\x1b[?2004l", "\x1b[?25h"];

struct Explorer {
    pty: Pty,
    home: TempDir,
}

impl Explorer {
    fn start(size: (u16, u16)) -> Self {
        Self::with(size, &HashMap::new())
    }

    fn with(size: (u16, u16), variables: &HashMap<&str, &str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let benchmark = folder.path().join("benchmark");
        fixture::write(&benchmark);
        let path = benchmark.to_str().unwrap().to_owned();
        let mut pty = Pty::start(PROGRAM, &[&path], folder.path(), size, variables);
        pty.wait_for("1 of 4");
        Self { pty, home: folder }
    }

    fn written(&self) -> String {
        String::from_utf8_lossy(&self.pty.written).into_owned()
    }

    fn is_restored(&self) {
        let written = self.written();
        for sequence in RESTORED {
            assert!(written.contains(sequence), "not undone: {sequence:?}");
        }
    }
}

#[test]
fn the_explorer_shows_the_panes_and_restores_the_terminal() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.wait_for("def first");
    for title in ["Tasks", "Requirement", "Reference", "Dependencies"] {
        assert!(explorer.pty.text().contains(title), "{title}");
    }
    assert!(explorer.pty.screen().alternate_screen());
    explorer.pty.send("q");
    assert_eq!(explorer.pty.wait_for_end(), 0);
    assert!(!explorer.pty.screen().alternate_screen());
    explorer.is_restored();
}

#[test]
fn the_explorer_adapts_to_the_size_of_the_window_and_reports_a_window_that_is_too_small() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.resize(30, 8);
    explorer.pty.wait_for("too small");
    explorer.pty.resize(80, 24);
    explorer.pty.wait_for("2 Reference");
    explorer.pty.resize(200, 60);
    explorer.pty.wait_for("Dependencies");
}

#[test]
fn a_key_after_a_resize_does_not_wait_for_the_next_key() {
    let mut explorer = Explorer::start((120, 40));
    for n in 0..20 {
        let size = if n % 2 == 0 { (100, 30) } else { (120, 40) };
        explorer.pty.resize(size.0, size.1);
        explorer.pty.send("?");
        explorer.pty.wait_for("Esc closes");
        explorer.pty.resize(size.0 - 5, size.1);
        explorer.pty.send("q");
        explorer.pty.wait("the help is gone", |screen| {
            !screen.contents().contains("Esc closes")
        });
    }
}

#[test]
fn signals_end_the_explorer_and_the_terminal_is_restored() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT] {
        let mut explorer = Explorer::start((100, 30));
        explorer.pty.signal(signal);
        explorer.pty.wait_for_end();
        explorer.is_restored();
    }
}

#[test]
fn the_explorer_can_be_suspended_and_continued() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.send("j");
    explorer.pty.wait_for("2 of 4");
    explorer.pty.send("\x1a");
    explorer.pty.wait("the terminal is given back", |screen| {
        !screen.alternate_screen()
    });
    wait_until_stopped(explorer.pty.pid());
    explorer.pty.signal(Signal::SIGCONT);
    explorer.pty.wait("it is back", |screen| {
        screen.alternate_screen() && screen.contents().contains("2 of 4")
    });
    explorer.pty.send("j");
    explorer.pty.wait_for("3 of 4");
}

fn wait_until_stopped(pid: u32) {
    while !is_stopped(pid) {
        std::thread::yield_now();
    }
}

/// Whether the process is stopped by a signal.
fn is_stopped(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next());
    state == Some('T')
}

#[test]
fn pasted_text_is_inserted_and_never_taken_for_keys() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.send("\x1b[200~qqq\x1b[201~");
    explorer.pty.wait_for("nothing here takes pasted text");
    explorer.pty.send("/");
    explorer.pty.send("\x1b[200~sec\nond\x1b[201~");
    explorer.pty.wait_for("sec ond");
    explorer.pty.send("\x1b");
    explorer.pty.wait_for("1 of 4");
}

#[test]
fn no_key_is_lost_while_the_explorer_is_busy() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.send("jjjkkkjjkjj");
    explorer.pty.wait_for("4 of 4");
}

#[test]
fn no_text_of_a_benchmark_is_written_as_an_escape_sequence() {
    let mut explorer = Explorer::start((200, 60));
    explorer.pty.send("jjj");
    explorer.pty.wait_for("4 of 4");
    for keys in [
        "5", "\r", "\x1b", "2", "3", "4", "1", "i", "\x1b", "?", "\x1b",
    ] {
        explorer.pty.send(keys);
        explorer.pty.settle(Duration::from_millis(150));
    }
    let text = explorer.pty.text();
    assert!(text.contains("␛]0;owned␇"), "{text}");
    let written = explorer.written();
    for hostile in [
        "\x1b]0;",
        "\x1b]52;",
        "\x1b[2J\x1b[31m",
        "\u{202e}",
        "\u{9b}",
    ] {
        assert!(!written.contains(hostile), "{hostile:?} was written");
    }
}

#[test]
fn wide_and_combining_characters_leave_columns_aligned() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.send("jj");
    explorer.pty.wait_for("3 of 4");
    explorer.pty.wait_for("日本語のテスト");
    let text = explorer.pty.text();
    assert!(text.contains("e\u{301}te\u{301}"), "{text}");
    let edges: Vec<_> = (2..16)
        .map(|row| {
            let cell = explorer.pty.screen().cell(row, 119).unwrap();
            cell.contents().to_owned()
        })
        .collect();
    assert!(
        edges.iter().all(|cell| cell == "│" || cell == "┃"),
        "the border is torn: {edges:?}\n{text}"
    );
}

#[test]
fn a_panic_restores_the_terminal() {
    let program = std::env::current_exe().unwrap();
    let home = tempfile::tempdir().unwrap();
    let arguments = [
        "--exact",
        "terminal::panics_on_a_terminal",
        "--ignored",
        "--nocapture",
    ];
    let program = program.to_str().unwrap();
    let mut pty = Pty::start(program, &arguments, home.path(), (80, 24), &HashMap::new());
    assert_ne!(pty.wait_for_end(), 0);
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for sequence in RESTORED {
        assert!(written.contains(sequence), "not undone: {sequence:?}");
    }
    let (before, after) = written.rsplit_once("\x1b[?1049l").unwrap();
    assert!(before.contains("\x1b[?1049h"));
    assert!(after.contains("on purpose"), "{after}");
}

#[test]
#[ignore = "the child process of a_panic_restores_the_terminal; it panics on purpose"]
fn panics_on_a_terminal() {
    let _session = evoscope::tui::terminal::Session::start(false).unwrap();
    panic!("on purpose");
}

#[test]
fn the_editor_receives_the_terminal_and_the_line() {
    let mut explorer = Explorer::with((120, 40), &HashMap::from([("EDITOR", "echo edited")]));
    explorer.pty.wait_for("def first");
    explorer.pty.send("2e");
    explorer.pty.wait("back from the editor", |screen| {
        screen.alternate_screen() && screen.contents().contains("1 of 4")
    });
    explorer.pty.settle(Duration::from_millis(200));
    let written = explorer.written();
    assert!(written.contains("edited +"), "{written:?}");
    explorer.pty.send("0j");
    explorer.pty.wait_for("2 of 4");
}

#[test]
fn copying_writes_the_clipboard_sequence_of_the_terminal() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.send("y");
    explorer.pty.wait_for("copied 1 line");
    let id = "cGFjay5jb3JlLmZpcnN0";
    assert!(explorer.written().contains(&format!("\x1b]52;c;{id}\x07")));
}

#[test]
fn the_shown_source_file_is_a_hyperlink_that_follows_the_cursor() {
    let mut explorer = Explorer::start((120, 40));
    explorer.pty.wait_for("def first");
    explorer.pty.settle(Duration::from_millis(150));
    let folder = explorer.home.path().canonicalize().unwrap();
    let link = format!("\x1b]8;;file://{}", folder.display());
    let links = |explorer: &Explorer| explorer.written().matches(&link).count();
    let before = links(&explorer);
    assert!(before > 0, "{:?}", explorer.written());
    explorer.pty.send("2j");
    explorer.pty.settle(Duration::from_millis(150));
    assert!(links(&explorer) > before);
    explorer.pty.send("q");
    explorer.pty.wait_for_end();
    let written = explorer.written();
    let opened = written.matches("\x1b]8;;f").count();
    let closed = written.matches("\x1b]8;;\x1b\\").count();
    assert_eq!(opened, closed);
}

#[test]
fn the_key_protocol_is_queried_once_and_reset_at_the_end() {
    const QUERY: &[u8] = b"\x1b[?u\x1b[c";
    let folder = tempfile::tempdir().unwrap();
    let benchmark = folder.path().join("benchmark");
    fixture::write(&benchmark);
    let path = benchmark.to_str().unwrap().to_owned();
    for (answer, knows) in [("\x1b[?0u\x1b[?62;c", true), ("\x1b[?62;c", false)] {
        let variables = HashMap::from([("TERM", "xterm-kitty")]);
        let mut pty = Pty::start(PROGRAM, &[&path], folder.path(), (120, 40), &variables);
        pty.wait_for_bytes(QUERY);
        // A key before the answer is not lost, and the answer is not taken for keys.
        pty.send(&format!("?{answer}"));
        pty.wait_for("Esc closes");
        pty.send(if knows { "\x1b[27u" } else { "\x1b" });
        pty.wait("the help is gone", |screen| {
            let text = screen.contents();
            text.contains("1 of 4") && !text.contains("Esc closes")
        });
        pty.send("q");
        assert_eq!(pty.wait_for_end(), 0);
        let written = String::from_utf8_lossy(&pty.written).into_owned();
        assert_eq!(written.matches("\x1b[?u").count(), 1);
        assert_eq!(written.contains("\x1b[>1u"), knows);
        assert_eq!(written.contains("\x1b[<1u"), knows);
    }
}

#[test]
fn without_colour_the_selection_can_be_seen() {
    let explorer = Explorer::with((120, 40), &HashMap::from([("NO_COLOR", "1")]));
    let screen = explorer.pty.screen();
    let selected = (0..40).find(|row| screen.cell(*row, 3).is_some_and(vt100::Cell::inverse));
    assert!(selected.is_some());
    assert!(!explorer.written().contains("\x1b[38;5;"));
}

#[test]
fn the_tour_advances_by_itself_and_esc_opens_the_explorer() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["demo", "--expected", "--auto", "1"];
    let mut pty = Pty::start(PROGRAM, &arguments, home.path(), (100, 30), &HashMap::new());
    pty.wait_for("1 of 8");
    pty.wait_for("3 of 8");
    pty.wait_for("verdict: pass");
    pty.wait_for("8 of 8");
    pty.send("\x1b");
    pty.wait_for("the tour has ended");
    pty.send("q");
    assert_eq!(pty.wait_for_end(), 0);
    assert!(!pty.screen().alternate_screen());
}

#[test]
fn keys_move_the_tour_forward_and_back() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(
        PROGRAM,
        &["demo", "--expected"],
        home.path(),
        (80, 24),
        &HashMap::new(),
    );
    pty.wait_for("1 of 8");
    pty.send("   ");
    pty.wait_for("4 of 8");
    pty.send("\x7f");
    pty.wait_for("3 of 8");
    pty.send("q");
    assert_eq!(pty.wait_for_end(), 0);
}
