use proptest::prelude::*;

use super::*;

/// What `parts` mean if each is one read, and the time between two reads is `pause`. Sequences whose deadline passes
/// in a pause, or after the last part, expire.
fn decoded(parts: &[&[u8]], pause: Duration) -> Vec<Event> {
    let (mut decoder, mut now, mut events) = (Decoder::default(), Instant::now(), Vec::new());
    for part in parts {
        if decoder.deadline().is_some_and(|deadline| deadline <= now) {
            events.extend(decoder.expire());
        }
        events.extend(decoder.feed(part, now));
        now += pause;
    }
    events.extend(decoder.expire());
    assert_eq!(decoder.deadline(), None, "nothing is waited for at the end");
    events
}

fn at_once(bytes: &[u8]) -> Vec<Event> {
    decoded(&[bytes], Duration::ZERO)
}

fn keys(bytes: &[u8]) -> String {
    let shown = at_once(bytes).into_iter().map(|event| match event {
        Event::Key(key) => key.to_string(),
        other => format!("{other:?}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Half sequences of every kind.
const HALVES: [&[u8]; 16] = [
    b"\x1b",
    b"\x1b[",
    b"\x1bO",
    b"\x1b[1;",
    b"\x1b[<0;10",
    b"\x1b[M",
    b"\x1b[M !",
    b"\x1b[[",
    b"\x1b[?1;2",
    b"\x1b]",
    b"\x1b]11;rgb:00",
    b"\x1bP1$r",
    b"\x1b_G",
    b"\xe6\x97",
    b"\xf0",
    b"\x1b[200~half",
];

#[test]
fn keys_are_decoded() {
    assert_eq!(
        keys(b"aB \r\t\x7f\x1b"),
        "a B Space Enter Tab Backspace Esc"
    );
    assert_eq!(keys(b"\x03\x1c\x00\n"), "Ctrl-C Ctrl-4 Ctrl-Space Ctrl-J");
    assert_eq!(keys(b"\x1b[A\x1bOB\x1b[1;5C\x1b[D"), "↑ ↓ Ctrl-→ ←");
    assert_eq!(
        keys(b"\x1b[Z\x1b[5~\x1b[6;3~\x1b[3~"),
        "Shift-Tab PgUp Alt-PgDn Del"
    );
    assert_eq!(keys(b"\x1bOP\x1b[15~\x1b[[B\x1bx"), "F1 F5 F2 Alt-x");
    assert_eq!(keys("é日🦀\x1bé".as_bytes()), "é 日 🦀 Alt-é");
    assert_eq!(
        keys(b"\x1b[27u\x1b[97;5u\x1b[57399u\x1b[9;2u"),
        "Esc Ctrl-A 0 Shift-Tab"
    );
    assert_eq!(
        keys(b"\x1b[97;1:3u\x1b[97;1:2u"),
        "a",
        "a release is no key"
    );
    assert_eq!(keys(b"\x1b\x1b\x1b[A"), "Esc Esc ↑");
}

#[test]
fn mouse_reports_are_decoded_in_all_three_encodings() {
    let press = |column, row| vec![Event::Mouse(Mouse::Press, column, row)];
    assert_eq!(at_once(b"\x1b[<0;10;5M"), press(9, 4));
    assert_eq!(at_once(b"\x1b[32;10;5M"), press(9, 4));
    assert_eq!(at_once(b"\x1b[M *%"), press(9, 4));
    assert_eq!(
        at_once(b"\x1b[<65;1;1M"),
        [Event::Mouse(Mouse::Wheel(3), 0, 0)]
    );
    assert_eq!(
        at_once(b"\x1b[<0;1;1m"),
        [Event::Mouse(Mouse::Release, 0, 0)]
    );
    // Columns and rows begin with 1. The smallest number once ended the input thread.
    assert_eq!(at_once(b"\x1b[<0;0;0M\x1b[0;0;0M\x1b[M   "), []);
}

#[test]
fn answers_of_the_terminal_are_not_taken_for_keys() {
    assert_eq!(
        at_once(b"\x1b[?1u\x1b[?62;c"),
        [Event::KnowsKeys, Event::Attributes]
    );
    assert_eq!(
        keys(b"\x1b]11;rgb:0/0/q\x07a\x1bP1$rq\x1b\\b\x1b[5;5Rc"),
        "a b c"
    );
}

#[test]
fn a_half_sequence_is_dropped_at_its_deadline_and_the_keys_after_it_count() {
    for half in HALVES {
        let events = decoded(&[half, b"q"], PATIENCE);
        let expected = match half {
            b"\x1b" => vec![Event::Key(Key::plain(KeyCode::Esc))],
            b"\x1b[200~half" => vec![Event::Paste("half".to_owned())],
            _ => Vec::new(),
        };
        let key = Event::Key(Key::char('q'));
        let expected: Vec<_> = expected.into_iter().chain([key]).collect();
        assert_eq!(events, expected, "{:?}", String::from_utf8_lossy(half));
    }
}

#[test]
fn the_text_of_a_paste_is_never_taken_for_keys_even_after_a_long_pause() {
    let paste = |text: &str| Event::Paste(text.to_owned());
    assert_eq!(at_once(b"\x1b[200~q\x1b[Aq\x1b[201~"), [paste("q\x1b[Aq")]);
    let parts: [&[u8]; 3] = [b"\x1b[200~one ", b"qy", b"q\x1b[201~j"];
    let events = decoded(&parts, PATIENCE);
    let key = Event::Key(Key::char('j'));
    assert_eq!(events, [paste("one "), paste("qy"), paste("q"), key]);
    assert_eq!(
        decoded(&[b"\x1b[200~one", PASTE_END], PATIENCE),
        [paste("one")]
    );
}

#[test]
fn a_sequence_whose_bytes_arrive_one_by_one_means_the_same() {
    let whole = "j\x1b[A\x1b[<0;10;5M\x1b[200~a\x1b[201~é\x1bOP\x1b]0;x\x07\x1bx".as_bytes();
    let parts: Vec<&[u8]> = whole.chunks(1).collect();
    assert_eq!(decoded(&parts, Duration::from_millis(49)), at_once(whole));
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_and_the_next_key_counts(
        parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(HALVES.to_vec()).prop_map(<[u8]>::to_vec),
                prop::collection::vec(any::<u8>(), 1..9),
                prop::collection::vec(prop::sample::select(b"\x1b[]OPM<?;:0129~uAa\x07\\".to_vec()), 1..9),
            ],
            0..9,
        ),
        pause in prop::sample::select(vec![0, 10, 60, 800]),
    ) {
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let mut decoder = Decoder::default();
        let mut now = Instant::now();
        for part in parts {
            decoder.feed(part, now);
            now += Duration::from_millis(pause);
        }
        let _ = decoder.expire();
        prop_assert_eq!(decoder.deadline(), None);
        prop_assert_eq!(decoder.feed(b"q", now), [Event::Key(Key::char('q'))]);
    }
}
