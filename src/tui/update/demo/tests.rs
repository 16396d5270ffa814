use std::time::Duration;

use super::*;
use crate::tui::keys::parse_script;
use crate::tui::message::Msg;
use crate::tui::state::Overlay;
use crate::tui::state::demo::{Demo, Guide};
use crate::tui::state::run::Evaluated;
use crate::tui::update::update;

fn tour(guide: Guide) -> State {
    let mut state = State::new((0, 0));
    state.demo = Some(Demo::new(guide));
    state.fit((120, 40));
    state
}

fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    parse_script(keys)
        .unwrap()
        .into_iter()
        .flat_map(|key| update(state, Msg::Key(key)))
        .collect()
}

fn step(state: &State) -> Option<Step> {
    state.demo.as_ref().map(|demo| demo.step)
}

fn auto() -> Guide {
    Guide {
        auto: Some(Duration::from_secs(5)),
        expected: true,
    }
}

#[test]
fn keys_lead_there_and_back_and_out() {
    let mut state = tour(Guide::default());
    press(&mut state, "<left>");
    assert_eq!(
        step(&state),
        Some(Step::Task),
        "nothing is before the first"
    );
    press(&mut state, " <right>");
    assert_eq!(step(&state), Some(Step::Leaked));
    press(&mut state, "<bs>");
    assert_eq!(step(&state), Some(Step::Honest));
    press(&mut state, "<esc>");
    assert_eq!((step(&state), state.size), (None, (120, 40)));
    let mut state = tour(Guide::default());
    press(&mut state, &" ".repeat(8));
    assert_eq!(step(&state), None, "past the last it is over");
}

#[test]
fn a_line_that_is_typed_takes_its_keys() {
    let mut state = tour(auto());
    press(&mut state, ":a b<left>");
    assert_eq!(step(&state), Some(Step::Task));
    let Some(Overlay::Palette { input, .. }) = &state.overlay else {
        panic!("{:?}", state.overlay)
    };
    assert_eq!(input.text(), "a b");
}

#[test]
fn only_the_timer_of_this_turn_moves_on() {
    let mut state = tour(auto());
    press(&mut state, " ");
    let turn = state.demo.as_ref().unwrap().turn;
    update(&mut state, Msg::Onward(turn - 1));
    assert_eq!(step(&state), Some(Step::Honest), "that turn is over");
    update(&mut state, Msg::Onward(turn));
    assert_eq!(step(&state), Some(Step::Leaked));
}

#[test]
fn a_reader_who_takes_over_is_not_hurried() {
    let mut state = tour(auto());
    let turn = state.demo.as_ref().unwrap().turn;
    press(&mut state, "j");
    assert!(state.notice.as_ref().unwrap().text.contains("is paused"));
    update(&mut state, Msg::Onward(turn));
    assert_eq!(step(&state), Some(Step::Task));
}

#[test]
fn a_resize_keeps_the_captions_rows() {
    let mut state = tour(Guide::default());
    update(&mut state, Msg::Resize(80, 24));
    assert_eq!((state.size, state.terminal()), ((80, 16), (80, 24)));
    update(&mut state, Msg::Resize(40, 10));
    assert_eq!((state.size, state.terminal()), ((40, 10), (40, 10)));
}

fn fail_a_run(state: &mut State) -> String {
    let Effect::Work { ticket, .. } = state.ask(Slot::Run, crate::tui::effect::Request::Open)
    else {
        panic!()
    };
    let failed = Msg::Answer {
        slot: Slot::Run,
        ticket,
        result: Err(crate::error::Error::user("no sandbox")),
    };
    update(state, failed);
    state.caption().unwrap().text
}

#[test]
fn where_containers_fail_the_walk_goes_on_without_and_the_caption_says_so() {
    let mut state = tour(Guide::default());
    state.demo.as_mut().unwrap().step = Step::Aware;
    assert!(
        state
            .caption()
            .unwrap()
            .text
            .contains("the sample expects: fail")
    );
    let text = fail_a_run(&mut state);
    assert!(
        text.contains("Containers cannot be had here; running it in the local sandbox"),
        "{text}"
    );
    let task = TaskRef {
        benchmark: 0,
        task: 0,
    };
    let of = (task, 0);
    state.workbench.evaluated = Some(Evaluated::new(of, true));
    let text = fail_a_run(&mut state);
    assert!(
        text.contains("Verdict: fail (carried by the sample; there is no sandbox"),
        "{text}"
    );
}
