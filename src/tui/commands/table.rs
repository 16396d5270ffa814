//! The table.

use crossterm::event::KeyCode;

use super::{Command, Place, Reason};
use crate::review::{Answer, Decision};
use crate::tui::effect::Effect;
use crate::tui::keys::Key;
use crate::tui::state::{Pane, Screen, State};
use crate::tui::update::{
    Motion, analysis, demo, find, generation, jump, layout, leakage, open, overview, panes,
    refusals, result, review, run, screens, search, tasks, tree,
};

/// A command's name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandId {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Left,
    Right,
    Open,
    Back,
    NextPane,
    PreviousPane,
    Show(Pane),
    Zoom,
    Wider,
    Narrower,
    Taller,
    Shorter,
    ResetLayout,
    NextTask,
    PreviousTask,
    Jump,
    Mark,
    MarkAll,
    Filter,
    ClearFilter,
    Order,
    Group,
    Find,
    FindNext,
    FindPrevious,
    Style,
    NextDependency,
    PreviousDependency,
    Peek,
    Expand,
    Collapse,
    Setting,
    PreviousSetting,
    Tree,
    Revision,
    Unified,
    Run,
    RunLocal,
    RunMany,
    Result,
    NextResult,
    PreviousResult,
    Difference,
    Pause,
    Retry,
    Queue,
    Search,
    SearchSources,
    ToCompletion,
    Cancel,
    Follow,
    Copy,
    Edit,
    Generate,
    PlanGeneration,
    Change,
    PauseGeneration,
    NewGeneration,
    Palette,
    Help,
    Recognised,
    Leakage,
    Overview,
    Earlier,
    Later,
    NextDifference,
    PreviousDifference,
    Mask,
    LeakageSetting,
    PreviousLeakageSetting,
    Message,
    Chart,
    ZoomSide,
    OverviewOrder,
    Grouping,
    Resume,
    Review,
    Analysis,
    GroupBy,
    SortMatrix,
    CopyTable,
    /// The list at this place behind a row of the analysis, as a filter.
    Narrow(usize),
    Yes,
    No,
    Unsure,
    NextQuestion,
    PreviousQuestion,
    Accept,
    Reject,
    Skip,
    Flag,
    Undo,
    Note,
    Rewrite,
    NextItem,
    PreviousItem,
    ReviewMode,
    Reviewed,
    ZoomFailure,
    Choose,
    DemoNext,
    DemoPrevious,
    DemoLeave,
    Mouse,
    Suspend,
    Redraw,
    Quit,
}

impl CommandId {
    /// Whether it is worth a row in the palette; moving about is not.
    pub fn is_deliberate(self) -> bool {
        !matches!(
            self,
            Self::Up
                | Self::Down
                | Self::PageUp
                | Self::PageDown
                | Self::HalfUp
                | Self::HalfDown
                | Self::Left
                | Self::Right
                | Self::Palette
        )
    }
}

const fn c(c: char) -> Key {
    Key::char(c)
}

const fn k(code: KeyCode) -> Key {
    Key::plain(code)
}

const ANYWHERE: &[Place] = &[Place::Everywhere];
const WORKBENCH: &[Place] = &[Place::On(Screen::Workbench)];
const LEAKAGE: &[Place] = &[Place::On(Screen::Leakage)];
const OVERVIEW: &[Place] = &[Place::On(Screen::Overview)];
const ANALYSIS: &[Place] = &[Place::On(Screen::Analysis)];
const GUIDED: &[Place] = &[Place::Guided];
const RUN: &[Place] = &[Place::On(Screen::Run)];
const RESULT: &[Place] = &[Place::On(Screen::Result)];
const RUN_AND_RESULT: &[Place] = &[Place::On(Screen::Run), Place::On(Screen::Result)];
const EVALUATED: &[Place] = &[Place::In(Pane::Completions), Place::In(Pane::Log)];
const DIFFS: &[Place] = &[Place::In(Pane::Completions), Place::On(Screen::Result)];
const COPIED: &[Place] = &[Place::On(Screen::Workbench), Place::On(Screen::Result)];
const LOCALLY: &[Place] = &[
    Place::On(Screen::Workbench),
    Place::On(Screen::Run),
    Place::On(Screen::Review),
];
const LOGS: &[Place] = &[Place::In(Pane::Log), Place::On(Screen::Run)];
const GENERATION: &[Place] = &[Place::On(Screen::Generation)];
const RUNS: &[Place] = &[Place::On(Screen::Workbench), Place::On(Screen::Generation)];
const REVIEW: &[Place] = &[Place::On(Screen::Review)];
const BOTH: &[Place] = &[Place::On(Screen::Leakage), Place::On(Screen::Overview)];
const TASKS: &[Place] = &[Place::In(Pane::Tasks)];
const REQUIREMENT: &[Place] = &[Place::In(Pane::Requirement)];
const REFERENCE: &[Place] = &[Place::In(Pane::Reference)];
const DEPENDENCIES: &[Place] = &[Place::In(Pane::Dependencies)];
const CONTEXT: &[Place] = &[Place::In(Pane::Context)];
const OPENS: &[Place] = &[
    Place::In(Pane::Tasks),
    Place::In(Pane::Reference),
    Place::In(Pane::Dependencies),
    Place::In(Pane::Context),
    Place::In(Pane::Completions),
    Place::On(Screen::Leakage),
    Place::On(Screen::Overview),
    Place::On(Screen::Analysis),
    Place::On(Screen::Run),
    Place::On(Screen::Generation),
];
const FINDS: &[Place] = &[
    Place::In(Pane::Requirement),
    Place::In(Pane::Reference),
    Place::In(Pane::Dependencies),
    Place::In(Pane::Context),
    Place::In(Pane::Completions),
    Place::In(Pane::Log),
];

fn never(_: &State) -> Option<Reason> {
    None
}

/// By how much of 1,000 a pane grows or shrinks.
const STEP: i16 = 40;

/// What a handler returns.
trait IntoEffects {
    fn into_effects(self) -> Vec<Effect>;
}

impl IntoEffects for () {
    fn into_effects(self) -> Vec<Effect> {
        Vec::new()
    }
}

impl IntoEffects for Vec<Effect> {
    fn into_effects(self) -> Vec<Effect> {
        self
    }
}

/// Each row ends with the function that does the work, so that a command without one does not compile.
macro_rules! commands {
    ($($id:expr, [$($key:expr),*], $name:literal, $words:literal, $places:expr, $hint:literal, $refusal:expr
        => $module:ident::$function:ident($($argument:expr),*);)+) => {
        /// Every command, in the order of the help.
        pub const COMMANDS: &[Command] = &[$(Command {
            id: $id, keys: &[$($key),*], name: $name, words: $words, places: $places, hint: $hint, refusal: $refusal,
            run: |state| $module::$function(state, $($argument),*).into_effects(),
        },)+];
    };
}

commands! {
    CommandId::Up, [c('k'), k(KeyCode::Up)], "up", "one row up", ANYWHERE, 0, never => screens::go(Motion::Rows(-1));
    CommandId::Down, [c('j'), k(KeyCode::Down)], "down", "one row down", ANYWHERE, 0, never => screens::go(Motion::Rows(1));
    CommandId::HalfUp, [Key::ctrl('u')], "half a page up", "half a page up", ANYWHERE, 0, never => screens::go(Motion::Halves(-1));
    CommandId::HalfDown, [Key::ctrl('d')], "half a page down", "half a page down", ANYWHERE, 0, never => screens::go(Motion::Halves(1));
    CommandId::PageUp, [k(KeyCode::PageUp), Key::ctrl('b')], "page up", "a page up", ANYWHERE, 0, never => screens::go(Motion::Pages(-1));
    CommandId::PageDown, [k(KeyCode::PageDown), Key::ctrl('f')], "page down", "a page down", ANYWHERE, 0, never => screens::go(Motion::Pages(1));
    CommandId::Top, [c('g'), k(KeyCode::Home)], "go to the start", "to the start", ANYWHERE, 0, never => screens::go(Motion::Start);
    CommandId::Bottom, [c('G'), k(KeyCode::End)], "go to the end", "to the end", ANYWHERE, 0, never => screens::go(Motion::End);
    CommandId::Left, [c('h'), k(KeyCode::Left)], "left", "scroll left", ANYWHERE, 0, never => screens::sideways(-1);
    CommandId::Right, [c('l'), k(KeyCode::Right)], "right", "scroll right", ANYWHERE, 0, never => screens::sideways(1);
    CommandId::Open, [k(KeyCode::Enter)], "open", "open the row: a task, a definition, a source, a difference", OPENS, 1, refusals::open => screens::open();
    CommandId::Back, [k(KeyCode::Esc), k(KeyCode::Backspace), Key::ctrl('o')], "back", "back out of the last step", ANYWHERE, 0, never => screens::back();
    CommandId::NextPane, [k(KeyCode::Tab)], "next pane", "the next pane", ANYWHERE, 0, never => screens::next_pane(1);
    CommandId::PreviousPane, [k(KeyCode::BackTab)], "previous pane", "the pane before", ANYWHERE, 0, never => screens::next_pane(-1);
    CommandId::Show(Pane::Tasks), [c('0'), c('t')], "show tasks", "the task list", WORKBENCH, 0, never => layout::focus(Pane::Tasks);
    CommandId::Show(Pane::Requirement), [c('1')], "show requirement", "the requirement", WORKBENCH, 0, never => layout::focus(Pane::Requirement);
    CommandId::Show(Pane::Reference), [c('2')], "show reference", "the reference code", WORKBENCH, 0, never => layout::focus(Pane::Reference);
    CommandId::Show(Pane::Dependencies), [c('3'), c('d')], "show dependencies", "the dependency paths", WORKBENCH, 0, never => layout::focus(Pane::Dependencies);
    CommandId::Show(Pane::Context), [c('4')], "show context", "the context", WORKBENCH, 0, never => layout::focus(Pane::Context);
    CommandId::Show(Pane::Completions), [c('5'), c('c')], "show completions", "the completions", WORKBENCH, 4, never => layout::focus(Pane::Completions);
    CommandId::Show(Pane::Log), [c('7'), c('o')], "show log", "the log of the latest evaluation", WORKBENCH, 0, never => layout::focus(Pane::Log);
    CommandId::Zoom, [c('z')], "zoom", "the focused pane alone, and back", WORKBENCH, 5, never => layout::zoom();
    CommandId::Wider, [c('>')], "wider", "the focused pane wider", WORKBENCH, 0, refusals::resize => layout::widen(STEP);
    CommandId::Narrower, [c('<')], "narrower", "the focused pane narrower", WORKBENCH, 0, refusals::resize => layout::widen(-STEP);
    CommandId::Taller, [c('+')], "taller", "the focused pane taller", WORKBENCH, 0, refusals::resize => layout::heighten(STEP);
    CommandId::Shorter, [c('-')], "shorter", "the focused pane lower", WORKBENCH, 0, refusals::resize => layout::heighten(-STEP);
    CommandId::ResetLayout, [c('=')], "reset the layout", "the panes in their first sizes", WORKBENCH, 0, refusals::resize => layout::reset();
    CommandId::NextTask, [c(']')], "next task", "the next task, from any pane", WORKBENCH, 0, refusals::no_tasks => tasks::step(1);
    CommandId::PreviousTask, [c('[')], "previous task", "the task before, from any pane", WORKBENCH, 0, refusals::no_tasks => tasks::step(-1);
    CommandId::Jump, [Key::ctrl('p')], "go to a task", "go to a task by parts of its name", WORKBENCH, 0, refusals::no_tasks => jump::open();
    CommandId::Mark, [c(' ')], "select the task", "select the task for a run or a review, or no longer", TASKS, 0, refusals::no_tasks => tasks::mark();
    CommandId::MarkAll, [c('*')], "select all", "select every listed task, or none", TASKS, 0, refusals::no_tasks => tasks::mark_all();
    CommandId::Filter, [c('/')], "filter tasks", "filter: words, project: level: kind: verdict: dep>3 anchor:moved, OR, NOT, (…), @name; Ctrl-P an earlier one", TASKS, 2, never => tasks::begin_filter();
    CommandId::ClearFilter, [c('u')], "clear the filter", "show every task again", TASKS, 0, refusals::no_filter => tasks::clear_filter();
    CommandId::Order, [c('s')], "order tasks", "order: file, name, dependencies, hardest first", TASKS, 3, refusals::no_tasks => tasks::next_order();
    CommandId::Group, [c('v')], "group tasks", "under their projects, or in one list", TASKS, 4, refusals::no_tasks => tasks::toggle_groups();
    CommandId::Find, [c('/')], "find", "find a text in the pane", FINDS, 3, never => panes::find();
    CommandId::FindNext, [c('n')], "find next", "the next place of the text", FINDS, 0, refusals::nothing_to_find => find::step(true);
    CommandId::FindPrevious, [c('N')], "find previous", "the place of the text before", FINDS, 0, refusals::nothing_to_find => find::step(false);
    CommandId::SearchSources, [Key::ctrl('g')], "search all sources", "find a text in the sources of every project", WORKBENCH, 0, refusals::not_open => search::ask();
    CommandId::Style, [c('s')], "requirement's other text", "the other docstring style", REQUIREMENT, 1, refusals::one_style => panes::next_style();
    CommandId::NextDependency, [c('.')], "next dependency", "the next use of a dependency in the code", REFERENCE, 2, refusals::no_uses => open::next_use(true);
    CommandId::PreviousDependency, [c(',')], "previous dependency", "the use of a dependency before", REFERENCE, 0, refusals::no_uses => open::next_use(false);
    CommandId::Peek, [c('p'), c(' ')], "peek", "the dependency's source under the list", DEPENDENCIES, 2, refusals::no_dependencies => panes::toggle_peek();
    CommandId::Expand, [c('l'), k(KeyCode::Right)], "expand", "what the dependency uses in turn, under it", DEPENDENCIES, 3, refusals::expand => tree::expand();
    CommandId::Collapse, [c('h'), k(KeyCode::Left)], "collapse", "hide what it uses in turn; on a closed row, to the one above it", DEPENDENCIES, 0, refusals::collapse => tree::collapse();
    CommandId::Setting, [c('s')], "next setting", "the next context setting", CONTEXT, 2, refusals::no_task => panes::turn_setting(1);
    CommandId::PreviousSetting, [c('S')], "previous setting", "the context setting before", CONTEXT, 0, refusals::no_task => panes::turn_setting(-1);
    CommandId::Tree, [c('b')], "base or newest", "context from the base commit or from the newest tree", CONTEXT, 3, refusals::no_task => panes::switch_tree();
    CommandId::Revision, [c('@')], "context at a revision", "context from a revision that you name", CONTEXT, 0, refusals::no_task => panes::ask_revision();
    CommandId::Unified, [c('s')], "diff form", "side by side, or in one column", DIFFS, 0, refusals::no_completions => screens::unified();
    CommandId::Run, [c('r')], "run", "evaluate the chosen completion, or what was chosen to be run, in a sandbox", LOCALLY, 1, refusals::run => screens::run(false);
    CommandId::RunLocal, [Key::ctrl('r')], "run without containers", "evaluate in Linux namespaces, without a container service", LOCALLY, 8, refusals::run => screens::run(true);
    CommandId::RunMany, [c('R')], "run many", "a run of the task's completions, or of a set's over the selected or listed tasks; or the run under way", RUNS, 0, refusals::no_tasks => run::open();
    CommandId::Result, [c('v')], "result in full", "the verdict in full: tests, traceback, log, the difference, the official verdict next to ours", EVALUATED, 2, refusals::result => result::of_the_completion();
    CommandId::Difference, [k(KeyCode::Tab)], "difference", "the difference from the reference, and back to the result", RESULT, 1, never => result::toggle_difference();
    CommandId::NextResult, [c(']')], "next result", "the next result of the list it came from", RESULT, 2, refusals::next_result => result::step(1);
    CommandId::PreviousResult, [c('[')], "result before", "the result before", RESULT, 0, refusals::next_result => result::step(-1);
    CommandId::Pause, [c('p')], "pause", "hold the run before its next completion, and go on", RUN, 1, refusals::pause => run::pause();
    CommandId::Retry, [c('t')], "retry", "run again what the sandbox failed at, and what has no verdict yet", RUN, 4, refusals::retry => run::retry();
    CommandId::Queue, [c('n')], "new run", "choose what to run next", RUN, 6, refusals::queue => run::choose();
    CommandId::Search, [c('/')], "search", "only the rows that hold a text: a name, a model, a reason", RUN, 5, refusals::no_run => run::search();
    CommandId::ToCompletion, [c('w')], "to the workbench", "the completion on the workbench, next to the reference", RUN_AND_RESULT, 7, refusals::no_run => run::to_completion();
    CommandId::Generate, [c('C')], "generate completions", "ask a model server for completions of the task, or of the selected or listed tasks; or the generation under way", WORKBENCH, 0, refusals::no_tasks => generation::open();
    CommandId::PlanGeneration, [c('s')], "show what would be sent", "count the requests and tokens; then Enter sends them", GENERATION, 1, refusals::plan_generation => generation::plan();
    CommandId::Change, [c(' ')], "change the field", "change the field, or check the box; h and l turn a choice", GENERATION, 0, refusals::no_form => generation::change();
    CommandId::PauseGeneration, [c('p')], "pause requests", "send no further request, and continue; those in flight finish", GENERATION, 1, refusals::hold => generation::pause();
    CommandId::NewGeneration, [c('n')], "new generation", "back to the form; what is stored stays", GENERATION, 3, refusals::no_new_generation => generation::form();
    CommandId::Cancel, [c('x')], "cancel", "end the evaluation, the generation on its screen, or other work in the background", ANYWHERE, 2, refusals::nothing_runs => screens::cancel();
    CommandId::Follow, [c('f')], "follow", "follow the log's end, or stay", LOGS, 3, refusals::follow => screens::follow();
    CommandId::Copy, [c('y')], "copy", "copy what has the focus, also over SSH", COPIED, 0, refusals::copy => screens::copy();
    CommandId::Edit, [c('e')], "open in the editor", "open the file in $VISUAL or $EDITOR at the line", WORKBENCH, 0, refusals::edit => open::edit();
    CommandId::Recognised, [c('i')], "what was recognised", "what was opened, and what is wrong in it", WORKBENCH, 0, refusals::not_open => open::recognised();
    CommandId::Leakage, [c('6')], "leakage", "the contexts at the base commit and at the latest version side by side, and the versions between", WORKBENCH, 3, refusals::no_task => leakage::open();
    CommandId::Overview, [c('L')], "leakage of all tasks", "the leakage of every listed task, by level, project and setting", &[Place::On(Screen::Workbench), Place::On(Screen::Leakage)], 0, refusals::no_tasks => overview::open();
    CommandId::Earlier, [k(KeyCode::Left), c(',')], "previous version", "the version before, on the evolving-ignored side", LEAKAGE, 0, refusals::no_moments => leakage::step(-1);
    CommandId::Later, [k(KeyCode::Right), c('.')], "next version", "the version after, on the evolving-ignored side", LEAKAGE, 1, refusals::no_moments => leakage::step(1);
    CommandId::NextDifference, [c('n')], "next difference", "the next leaked or missing run", LEAKAGE, 2, refusals::no_difference => leakage::jump(true);
    CommandId::PreviousDifference, [c('p'), c('N')], "previous difference", "the leaked or missing run before", LEAKAGE, 0, refusals::no_difference => leakage::jump(false);
    CommandId::Mask, [c('m')], "mask the target", "hide the target itself from the evolving-ignored side, and back", BOTH, 3, never => screens::mask();
    CommandId::LeakageSetting, [c('s')], "setting", "the next context setting", BOTH, 4, never => screens::turn_compared_setting(1);
    CommandId::PreviousLeakageSetting, [c('S')], "setting before", "the context setting before", BOTH, 0, never => screens::turn_compared_setting(-1);
    CommandId::Message, [c('i')], "introducing commit", "the message of the commit that added or removed the lines", LEAKAGE, 5, refusals::no_moments => leakage::message();
    CommandId::Chart, [c('t')], "taller timeline", "the timeline as a chart, and back", LEAKAGE, 0, refusals::no_moments => leakage::toggle_chart();
    CommandId::ZoomSide, [c('z')], "one side", "the focused side alone, and back", LEAKAGE, 0, never => leakage::zoom_side();
    CommandId::OverviewOrder, [c('o')], "order", "order: most leaked, most missing, by name", OVERVIEW, 2, never => overview::next_order();
    CommandId::Grouping, [c('v')], "group", "bars by dependency level, by project, by setting", OVERVIEW, 3, never => overview::next_grouping();
    CommandId::Resume, [c('r')], "go on measuring", "measure what was left when it was stopped", OVERVIEW, 0, refusals::not_stopped => overview::resume();
    CommandId::Analysis, [c('A')], "analysis", "models and settings against each other over the listed tasks", WORKBENCH, 0, refusals::no_tasks => analysis::open();
    CommandId::GroupBy, [c('v')], "group by", "group by level, project, kind, domain, dependencies, …", ANALYSIS, 2, refusals::no_sheet => analysis::next_dimension();
    CommandId::SortMatrix, [c('s')], "sort the matrix", "the tasks that the fewest solve first, or in the list's order", ANALYSIS, 5, refusals::no_matrix => analysis::sort_matrix();
    CommandId::CopyTable, [c('y')], "copy the table", "copy the table as Markdown, with its footer", ANALYSIS, 3, refusals::no_sheet => analysis::copy();
    CommandId::Narrow(0), [c('1')], "filter to the row's tasks", "the task list with the row's tasks; of a pair, those that both solve; in the matrix, the first cell", ANALYSIS, 4, refusals::no_sheet => analysis::narrow(0);
    CommandId::Narrow(1), [c('2')], "filter to only the first", "of a pair, those that only the first solves", ANALYSIS, 0, refusals::no_sheet => analysis::narrow(1);
    CommandId::Narrow(2), [c('3')], "filter to only the second", "of a pair, those that only the second solves", ANALYSIS, 0, refusals::no_sheet => analysis::narrow(2);
    CommandId::Narrow(3), [c('4')], "filter to neither", "of a pair, those that neither solves", ANALYSIS, 0, refusals::no_sheet => analysis::narrow(3);
    CommandId::Review, [c('J')], "review", "review the requirements of the selected tasks, or of all listed ones", WORKBENCH, 0, refusals::no_tasks => review::open();
    CommandId::Yes, [c('y')], "yes", "yes to the question, and on to the next", REVIEW, 1, refusals::not_a_requirement => review::answer(Answer::Yes);
    CommandId::No, [c('n')], "no", "no to the question, and on to the next", REVIEW, 2, refusals::not_a_requirement => review::answer(Answer::No);
    CommandId::Unsure, [c('u')], "unsure", "unsure of the question, and on to the next", REVIEW, 3, refusals::not_a_requirement => review::answer(Answer::Unsure);
    CommandId::NextQuestion, [c('.'), k(KeyCode::Right)], "next question or page", "the next question; of a failure the next page", REVIEW, 0, refusals::nothing_to_turn => review::turn_question(true);
    CommandId::PreviousQuestion, [c(','), k(KeyCode::Left)], "question or page before", "the question before; of a failure the page before", REVIEW, 0, refusals::nothing_to_turn => review::turn_question(false);
    CommandId::Accept, [c('a')], "accept", "accept the requirement, and on to the next task", REVIEW, 4, refusals::not_a_requirement => review::decide(Decision::Accept);
    CommandId::Reject, [c('x')], "reject", "reject the requirement, and on to the next task", REVIEW, 5, refusals::not_a_requirement => review::decide(Decision::Reject);
    CommandId::Skip, [c(' ')], "skip", "skip the task; it comes again at the end", REVIEW, 6, refusals::not_reviewed_here => review::decide(Decision::Skip);
    CommandId::Flag, [c('f')], "flag", "leave the requirement as it is and mark it for another look", REVIEW, 7, refusals::not_a_requirement => review::decide(Decision::Flag);
    CommandId::Undo, [k(KeyCode::Backspace)], "undo", "undo the last judgement of this queue and go to its item, without limit", REVIEW, 8, refusals::nothing_to_review => review::undo();
    CommandId::Note, [c('w')], "write a note", "write a note", REVIEW, 0, refusals::not_reviewed_here => review::begin_note();
    CommandId::Rewrite, [c('e')], "rewrite", "rewrite the requirement, Ctrl-O in $EDITOR; the original stays", REVIEW, 0, refusals::rewrite => review::rewrite();
    CommandId::NextItem, [c(']')], "next of the queue", "the next task of the queue, reviewed or not", REVIEW, 0, refusals::nothing_to_review => review::shift(1);
    CommandId::PreviousItem, [c('[')], "previous in the queue", "the task before in the queue", REVIEW, 0, refusals::nothing_to_review => review::shift(-1);
    CommandId::ReviewMode, [c('v')], "review something else", "requirements, pairs of texts, failures, another's judgements, conflicts", REVIEW, 9, refusals::no_review => review::next_mode();
    CommandId::ZoomFailure, [c('z')], "one pane of the failure", "the focused pane of a failure alone, and back", REVIEW, 0, refusals::no_failure => review::zoom();
    CommandId::Reviewed, [c('l')], "reviewed so far", "list what you have reviewed; Enter goes back to it", REVIEW, 0, refusals::nothing_reviewed => review::list_reviewed();
    CommandId::Choose, [c('1'), c('2'), c('3'), c('4'), c('0')], "choose", "a text, a cause or an answer, by the key that the screen gives it", REVIEW, 0, refusals::no_choice => review::ask_for_choice();
    CommandId::DemoNext, [c(' '), k(KeyCode::Right)], "next step", "the next step of the tour", GUIDED, 1, refusals::no_tour => demo::move_by(1);
    CommandId::DemoPrevious, [k(KeyCode::Left), k(KeyCode::Backspace)], "step back", "the previous step of the tour", GUIDED, 2, refusals::no_tour => demo::move_by(-1);
    CommandId::DemoLeave, [k(KeyCode::Esc)], "leave the tour", "end the tour and go on in the explorer", GUIDED, 3, refusals::no_tour => demo::leave();
    CommandId::Palette, [c(':')], "commands", "every command by name", ANYWHERE, 0, never => screens::palette();
    CommandId::Help, [c('?'), k(KeyCode::F(1))], "help", "the keys that work here", ANYWHERE, 9, never => screens::help();
    CommandId::Mouse, [c('M')], "free the mouse", "leave the mouse to the terminal, to select text, or take it back", ANYWHERE, 0, never => screens::toggle_mouse();
    CommandId::Suspend, [Key::ctrl('z')], "suspend", "back to the shell until 'fg'", ANYWHERE, 0, never => screens::suspend();
    CommandId::Redraw, [Key::ctrl('l')], "redraw", "redraw the screen", ANYWHERE, 0, never => screens::redraw();
    CommandId::Quit, [c('q'), Key::ctrl('c')], "quit", "quit; during a run it asks first", ANYWHERE, 0, never => screens::ask_to_quit();
}
