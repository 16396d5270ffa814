//! Completions that are right, wrong, broken or hostile. Each completion lists the verdicts that it may get, and a
//! comment gives the reason. No completion forks, allocates or writes endlessly.

mod answers;
mod exits;
mod ordinary;
mod reports;
mod resources;
mod surroundings;

use evoscope::benchmark::Verdict;

/// A completion: (name, body, verdicts that it may get).
pub struct Kind(pub &'static str, pub &'static str, pub &'static [Verdict]);

pub const RIGHT: &str = "return [value * factor for value in values]\n";

/// For each mechanism of a hostile completion, the completion that is evaluated by default: (mechanism, name).
const BY_DEFAULT: &[(&str, &str)] = &[
    ("ends the process", "os_exit_0"),
    ("raises SystemExit", "sys_exit_0"),
    ("ends the process in a handler", "exit_in_atexit"),
    ("executes another program", "exit_by_exec_into_a_reporter"),
    ("crashes", "exit_by_signal"),
    ("skips the tests", "pytest_skip"),
    ("adds code to the module", "exit_on_import"),
    (
        "forks the process of the tests",
        "child_goes_on_with_pytest",
    ),
    ("patches reports", "patched_report_class"),
    ("patches built-in functions", "patched_builtins"),
    ("traces", "swallowed_by_tracing"),
    ("writes to the tests", "tests_rewritten_on_disk"),
    ("replaces pytest's items", "ids_of_the_items_changed"),
    (
        "registers hooks",
        "hooks_registered_with_the_plugin_manager",
    ),
    ("forges reports", "forged_reports_with_a_stolen_token"),
    (
        "forges answers of the runner",
        "forged_answers_of_the_supervisor",
    ),
    ("changes reports in a thread", "thread_that_turns_reports"),
    ("sends a long message", "message_of_2_mb"),
    ("is equal to everything", "equal_to_everything"),
    ("reads the caller", "expected_value_from_the_caller"),
    ("changes the caller", "constants_of_the_tests_overwritten"),
    ("searches files", "reading_the_reference"),
    ("searches memory", "reading_its_own_memory"),
    ("uses up time", "endless_loop"),
    ("uses up processes", "bounded_forker"),
    ("uses up memory", "memory_by_many"),
    ("uses up the disk", "disk_fill"),
    ("changes its limits", "limits_lifted_then_memory"),
    ("leaves processes", "detached_children"),
    ("kills processes", "kills_its_parent"),
    ("stops processes", "stops_its_parent"),
    ("changes other processes", "limits_its_parent"),
    ("reads other processes", "traces_its_parent"),
    ("connects to the network", "network"),
    ("deletes files", "deletes_everything"),
    ("writes outside of its folders", "writes_to_the_system"),
    ("mounts", "mounts"),
    ("takes descriptors", "takes_its_parents_descriptors"),
    ("calls the container engine", "container_service"),
    ("leaves modules", "modules_left_for_the_next"),
    (
        "uses modules that another left",
        "wrong_after_modules_were_left",
    ),
    (
        "is right after another left modules",
        "right_after_modules_were_left",
    ),
];

/// The completions that are evaluated, in this order: all with `EVOSCOPE_TEST_HOSTILE=all`, otherwise those that are
/// not hostile, and one of each mechanism.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    let hostile = [
        exits::KINDS,
        reports::KINDS,
        answers::KINDS,
        resources::KINDS,
        surroundings::KINDS,
    ];
    let hostile = hostile.into_iter().flatten();
    ordinary::KINDS
        .iter()
        .chain(hostile.filter(|kind| is_chosen(kind.0, BY_DEFAULT)))
}

/// Whether the hostile completion `name` is evaluated. `by_default` has (mechanism, name) of those that are evaluated
/// without `EVOSCOPE_TEST_HOSTILE=all`.
pub fn is_chosen(name: &str, by_default: &[(&str, &str)]) -> bool {
    std::env::var("EVOSCOPE_TEST_HOSTILE").is_ok_and(|word| word == "all")
        || by_default.iter().any(|(_, known)| *known == name)
}
