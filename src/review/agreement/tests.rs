use super::*;
use crate::benchmark::TaskId;
use crate::review::{Answer, Change, Decision, Event, Outcome, Question, Subject, Uid};

fn event(number: usize, annotator: &str, task: usize, subject: &Subject, change: Change) -> Event {
    Event {
        uid: Uid(format!("{number}")),
        annotator: annotator.into(),
        task: TaskId::new(&format!("t{task}")),
        subject: subject.clone(),
        at: i64::try_from(number).unwrap(),
        seconds: 1.0,
        change,
    }
}

/// EvoCodeBench's Table 5: of 50 pairs of human and generated requirements, 5 won, 41 tied and 4 lost, after two annotators
/// with a kappa of 0.92 settled what they disagreed on. Annotations that differ on one pair give that table.
#[test]
fn evocodebenchs_table_5_comes_out_of_its_judgements() {
    let pair = Subject::Pair {
        first: "human".into(),
        second: "generated".into(),
    };
    let said = |task: usize, second: bool| match task {
        0..5 => Outcome::Win,
        5..9 => Outcome::Lose,
        9 if second => Outcome::Lose,
        _ => Outcome::Tie,
    };
    let mut events = Vec::new();
    for task in 0..50 {
        for (annotator, second) in [("ana", false), ("ben", true)] {
            let prefer = Change::Prefer(said(task, second));
            events.push(event(events.len(), annotator, task, &pair, prefer));
        }
    }
    let open = Judgements::of(&events);
    assert_eq!(open.preferences("human", "generated").open, 1);
    let settle = Change::Adjudicate {
        label: "preference".into(),
        value: "tie".into(),
    };
    events.push(event(events.len(), "carl", 9, &pair, settle));
    let judgements = Judgements::of(&events);
    let counts = judgements.preferences("human", "generated");
    assert_eq!(
        (counts.win, counts.tie, counts.lose, counts.open),
        (5, 41, 4, 0)
    );
    let [preference] = agreement(&judgements, 0.95).try_into().unwrap();
    assert_eq!((preference.subjects, preference.raw), (50, Some(0.98)));
    let kappa = preference.kappa.unwrap();
    assert!((kappa - 0.92).abs() < 0.02, "{kappa}");
    assert_eq!(
        preference.confusion.unwrap().labels(),
        ["lose", "tie", "win"]
    );
}

#[test]
fn three_annotators_with_gaps_have_alpha_and_no_kappa() {
    let answers = [
        [Some(Answer::Yes), Some(Answer::Yes), None],
        [Some(Answer::No), Some(Answer::Yes), Some(Answer::No)],
        [Some(Answer::No), None, Some(Answer::No)],
        [Some(Answer::Yes), None, None],
    ];
    let mut events = Vec::new();
    for (task, row) in answers.iter().enumerate() {
        for (annotator, answer) in ["ana", "ben", "carl"].iter().zip(row) {
            let Some(answer) = answer else { continue };
            let question = Question::Clear;
            let change = Change::Answer {
                question,
                answer: Some(*answer),
            };
            events.push(event(
                events.len(),
                annotator,
                task,
                &Subject::Requirement,
                change,
            ));
            let decide = Change::Decide(Decision::Accept);
            events.push(event(
                events.len(),
                annotator,
                task,
                &Subject::Requirement,
                decide,
            ));
        }
    }
    let all = agreement(&Judgements::of(&events), 0.95);
    let clear = all.iter().find(|one| one.label == "clear").unwrap();
    assert_eq!(
        (clear.annotators.len(), clear.subjects, clear.single),
        (3, 3, 1)
    );
    assert_eq!((clear.kappa, clear.raw), (None, Some(2.0 / 3.0)));
    assert!(clear.alpha.unwrap() > 0.0 && clear.alpha.unwrap() < 1.0);
    let decision = all.iter().find(|one| one.label == "decision").unwrap();
    assert_eq!(
        (decision.alpha, decision.raw),
        (None, Some(1.0)),
        "no variation, no alpha"
    );
}

#[test]
fn unfinished_judgements_say_nothing() {
    let change = Change::Answer {
        question: Question::Clear,
        answer: Some(Answer::Yes),
    };
    let events = [
        event(0, "ana", 0, &Subject::Requirement, change.clone()),
        event(1, "ben", 0, &Subject::Requirement, change),
    ];
    assert!(agreement(&Judgements::of(&events), 0.95).is_empty());
}
