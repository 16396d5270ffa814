//! What is known of a task apart from its verdicts, and the dimensions by which tables group tasks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::benchmark::{DependencyCounts, Level, Task, TaskKind, vocabulary};

/// The facts about a task, as far as its benchmark or its results state them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskFacts {
    /// The project. The bootstrap resamples projects.
    pub project: Option<Arc<str>>,
    /// The dependency level.
    pub level: Option<Level>,
    /// Whether it is a function or a method.
    pub kind: Option<TaskKind>,
    /// The domain, where the benchmark states one.
    pub domain: Option<Arc<str>>,
    /// How many labelled dependencies it has, by type.
    pub dependencies: Option<DependencyCounts>,
    /// Length of the requirement in words.
    pub requirement_words: Option<u32>,
    /// The share of the evolving-ignored context that leaks, in 0..=1.
    pub leakage: Option<f32>,
    /// When the project was started: the year, or whether that was before a model's release.
    pub created: Option<Arc<str>>,
}

impl From<&Task> for TaskFacts {
    fn from(task: &Task) -> Self {
        Self {
            project: Some(task.project.clone()),
            level: task.level,
            kind: Some(task.kind),
            domain: task.domain.clone(),
            dependencies: labelled_dependencies(task),
            requirement_words: None,
            leakage: None,
            created: None,
        }
    }
}

/// The counts of a task with labelled dependencies. `None` if its benchmark states a level instead (HumanEvo,
/// CoderEval), or if its record has only the input of a prompt.
fn labelled_dependencies(task: &Task) -> Option<DependencyCounts> {
    let unlabelled = task.level.is_some() || task.is_input_only();
    (task.dependencies.total() > 0 || !unlabelled).then_some(task.dependencies)
}

impl TaskFacts {
    /// Whether the reference code uses nothing of its project. If the benchmark states a level, the level decides;
    /// CoderEval's levels do not count built-ins and the standard library as parts of the project. Else the labelled
    /// dependencies decide.
    pub fn is_standalone(&self) -> Option<bool> {
        let by_level = self.level.map(|level| {
            matches!(
                level,
                Level::Standalone | Level::SelfContained | Level::StandardLibrary
            )
        });
        by_level.or_else(|| self.dependencies.map(|counts| counts.total() == 0))
    }
}

vocabulary! {
    /// What a table is grouped by.
    Dimension: "something to group by" {
        /// The dependency level.
        Level = "level",
        /// Whether it uses anything of the project: `standalone`, `non-standalone`.
        Standalone = "standalone",
        /// The project.
        Project = "project",
        /// Whether it is a function or a method.
        Kind = "kind",
        /// The domain.
        Domain = "domain",
        /// Which types of dependencies it has: `none`, or for example `intra_class+cross_file`.
        Dependency = "dependency",
        /// How many dependencies it has: 0, 1, 2, 3-5, 6-10, 11+.
        DependencyCount = "dependency_count",
        /// Words of the requirement: 0-19, 20-39, 40-79, 80-159, 160+.
        RequirementLength = "requirement_length",
        /// Share of the evolving-ignored context that leaks: none, then quarters.
        Leakage = "leakage",
        /// When the project was started: the year of its first commit, or whether that was before or since a model's
        /// release.
        Created = "created",
    }
}

/// A group's name, with its place in the order of its dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    place: u32,
    /// The group's name.
    pub name: Arc<str>,
}

/// The name of the group for tasks for which the dimension's fact is not known.
pub const NOT_GIVEN: &str = "not given";

impl Dimension {
    /// The group that a task belongs to. [`NOT_GIVEN`], the last in order, if the fact is not known.
    pub fn group(self, facts: &TaskFacts) -> GroupKey {
        let known = match self {
            Self::Level => facts.level.map(|level| (level as u32, level.word().into())),
            Self::Standalone => facts.is_standalone().map(|standalone| {
                if standalone {
                    (0, "standalone".into())
                } else {
                    (1, "non-standalone".into())
                }
            }),
            Self::Project => facts.project.clone().map(|name| (0, name)),
            Self::Kind => facts.kind.map(|kind| (kind as u32, kind.word().into())),
            Self::Domain => facts.domain.clone().map(|name| (0, name)),
            Self::Dependency => facts.dependencies.map(dependency_types),
            Self::DependencyCount => facts
                .dependencies
                .map(|counts| bucket(counts.total(), &[0, 1, 2, 5, 10])),
            Self::RequirementLength => facts
                .requirement_words
                .map(|words| bucket(words, &[19, 39, 79, 159])),
            Self::Leakage => facts.leakage.map(leakage_quarter),
            Self::Created => facts.created.clone().map(|name| (0, name)),
        };
        let (place, name) = known.unwrap_or_else(|| (u32::MAX, NOT_GIVEN.into()));
        GroupKey { place, name }
    }
}

fn dependency_types(counts: DependencyCounts) -> (u32, Arc<str>) {
    let types = [
        (counts.intra_class, "intra_class"),
        (counts.intra_file, "intra_file"),
        (counts.cross_file, "cross_file"),
    ];
    let mut place = 0;
    let mut names = Vec::new();
    for (bit, (count, name)) in types.into_iter().enumerate() {
        if count > 0 {
            place |= 1 << bit;
            names.push(name);
        }
    }
    let name = if names.is_empty() {
        "none".into()
    } else {
        names.join("+").into()
    };
    (place, name)
}

/// The group of a project that was started on `day` (`2019-05-31`): its year, or whether that was before `released`,
/// the day of a model's release. The model may have been trained on a project that was started before.
pub fn created_group(day: &str, released: Option<&str>) -> Arc<str> {
    match released {
        Some(released) if day < released => "before the release".into(),
        Some(_) => "since the release".into(),
        None => day.split('-').next().unwrap_or(day).into(),
    }
}

/// The bucket of `value`. Each of `ends` is the last value of a bucket; one more bucket has no upper end.
fn bucket(value: u32, ends: &[u32]) -> (u32, Arc<str>) {
    let place = ends.partition_point(|&end| end < value);
    let first = place.checked_sub(1).map_or(0, |before| ends[before] + 1);
    let name = match ends.get(place) {
        Some(&end) if end == first => format!("{end}"),
        Some(&end) => format!("{first}-{end}"),
        None => format!("{first}+"),
    };
    (u32::try_from(place).unwrap_or(u32::MAX - 1), name.into())
}

fn leakage_quarter(share: f32) -> (u32, Arc<str>) {
    let (place, name) = match share {
        share if share <= 0.0 => (0, "none"),
        share if share <= 0.25 => (1, "up to 25 %"),
        share if share <= 0.5 => (2, "up to 50 %"),
        share if share <= 0.75 => (3, "up to 75 %"),
        _ => (4, "more than 75 %"),
    };
    (place, name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(dependencies: [u32; 3]) -> TaskFacts {
        let [intra_class, intra_file, cross_file] = dependencies;
        TaskFacts {
            dependencies: Some(DependencyCounts {
                intra_class,
                intra_file,
                cross_file,
            }),
            ..TaskFacts::default()
        }
    }

    #[test]
    fn dependencies_are_grouped_by_type_and_by_count() {
        let name = |dimension: Dimension, counts| dimension.group(&with(counts)).name;
        assert_eq!(&*name(Dimension::Dependency, [0, 0, 0]), "none");
        assert_eq!(
            &*name(Dimension::Dependency, [2, 0, 1]),
            "intra_class+cross_file"
        );
        let counts =
            [0, 1, 2, 3, 5, 6, 10, 11].map(|n| name(Dimension::DependencyCount, [n, 0, 0]));
        let expected = ["0", "1", "2", "3-5", "3-5", "6-10", "6-10", "11+"];
        assert_eq!(counts.each_ref().map(|text| &**text), expected);
    }

    #[test]
    fn a_project_began_in_a_year_or_before_a_release() {
        let group = |released| created_group("2023-11-05", released);
        assert_eq!(&*group(None), "2023");
        assert_eq!(&*group(Some("2023-11-06")), "before the release");
        assert_eq!(&*group(Some("2023-11-05")), "since the release");
    }

    #[test]
    fn what_is_not_known_comes_last() {
        let nothing = TaskFacts::default();
        let known = TaskFacts {
            level: Some(Level::Project),
            ..TaskFacts::default()
        };
        for &dimension in Dimension::ALL {
            assert_eq!(&*dimension.group(&nothing).name, NOT_GIVEN);
        }
        assert!(Dimension::Level.group(&known) < Dimension::Level.group(&nothing));
    }
}
