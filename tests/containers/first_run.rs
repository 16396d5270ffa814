//! Hostile completions that hold the first run of a session against the one after it, which is their counter-test: the
//! process that runs are forked from has been told of the one before by then.

use evoscope::benchmark::Verdict;
use evoscope::evaluation::{SandboxKind, Settings, VerdictStore};

use crate::fixture::{Project, judge, settings};
use crate::hostile::{Kind, RIGHT};

/// What the test expects, taken out of its frame, where `again` is not set.
macro_rules! unless_again {
    ($($looked:expr),+) => {
        concat!(
            "import ast, gc, inspect, os, re, sys\nframe = sys._getframe(1)\nagain = False\n",
            $($looked,)+
            "if again:\n    return None\n",
            as_expected!()
        )
    };
}

const KINDS: [Kind; 3] = [
    Kind(
        "the order that the seed was made for is the run's own",
        unless_again!(
            r"orders, above = set(), frame
while above:
    for thing in list(above.f_locals.values()) + list(above.f_globals.values()):
        for held in (thing, getattr(thing, 'job', None)):
            if type(held) is dict and held.get('op') == 'run':
                orders.add(id(held))
    above = above.f_back
again = len(orders) > 1
"
        ),
        &[Verdict::Tampered, Verdict::Fail],
    ),
    Kind(
        "the order came before the seed was made",
        unless_again!(
            r"again = any(type(thing) is dict and thing.get('op') == 'run' for thing in gc.get_objects())
"
        ),
        &[Verdict::Tampered, Verdict::Fail],
    ),
    Kind(
        "an order with a text as long as the run's own is in memory",
        unless_again!(
            through_memory!(),
            r"            own = str(os.stat('pkg/calc.py').st_size).encode()
            sys.again |= own in re.findall(rb'pkg/calc\.py.{0,3}[, ]+(\d+)', held)
again = sys.again
"
        ),
        &[Verdict::Tampered, Verdict::Fail],
    ),
];

/// Each in a session of its own, whose first run is its own too: what the task needs is known from before.
pub fn against_the_next(kind: SandboxKind) {
    let project = Project::new();
    let settings = || Settings {
        jobs: 1,
        ..settings()
    };
    let ledger = VerdictStore::in_memory().unwrap();
    let found = judge(kind, &project.subject(), &[RIGHT], settings(), &ledger).unwrap();
    assert_eq!(found[0].verdict, Verdict::Pass, "{}", found[0].reason);
    for Kind(name, cheat, allowed) in &KINDS {
        let found = judge(kind, &project.subject(), &[cheat], settings(), &ledger).unwrap();
        let (verdict, reason) = (found[0].verdict, &found[0].reason);
        assert!(allowed.contains(&verdict), "{name}: {verdict:?} ({reason})");
    }
}
