//! What a review can be of besides requirements, and the numbered choices that each offers.

use super::review::{ReviewScreen, Step};
use crate::review::{
    Action, Change, Conflict, Draft, Evidence, Item, Judgement, Proposal, Question, Side, Subject,
};

/// What is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Requirements: complete, clear, natural; accept or reject.
    #[default]
    Requirements,
    /// Two wordings of a requirement, side by side and blind.
    Pairs,
    /// Failed completions: their causes.
    Failures,
    /// Another's finished judgements, confirmed or contested.
    Checks,
    /// Labels under which annotators differ, settled one by one.
    Conflicts,
}

impl Kind {
    /// The next in turn.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Requirements => Self::Pairs,
            Self::Pairs => Self::Failures,
            Self::Failures => Self::Checks,
            Self::Checks => Self::Conflicts,
            Self::Conflicts => Self::Requirements,
        }
    }

    /// Its word on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requirements => "requirements",
            Self::Pairs => "pairs",
            Self::Failures => "failures",
            Self::Checks => "double check",
            Self::Conflicts => "conflicts",
        }
    }

    /// Whether two texts stand on the screen instead of requirement and reference code.
    pub fn has_exhibit(self) -> bool {
        matches!(self, Self::Pairs | Self::Failures)
    }
}

/// Two texts side by side, with what is known of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exhibit {
    /// The left text under its title.
    pub left: (String, String),
    /// The right text under its title.
    pub right: (String, String),
    /// What is known of a failure.
    pub evidence: Evidence,
}

/// One of the answers that have a key of their own on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its key.
    pub key: char,
    /// What it says.
    pub label: String,
    /// Whether it is given.
    pub given: bool,
    /// What it does.
    pub step: Step,
}

impl ReviewScreen {
    /// The choices that the item in sight offers.
    pub fn choices(&self) -> Vec<Choice> {
        let Some(session) = &self.session else {
            return Vec::new();
        };
        if self.kind == Kind::Conflicts {
            return self.answers();
        }
        let (Some(item), Some(judgement)) = (session.item(), session.judgement()) else {
            return Vec::new();
        };
        match self.kind {
            Kind::Requirements | Kind::Conflicts => Vec::new(),
            Kind::Pairs => [
                ('1', "the left is better", Side::Left),
                ('2', "the right is better", Side::Right),
                ('0', "neither", Side::Neither),
            ]
            .map(|(key, label, side)| {
                let action = Action::Prefer(side);
                let outcome = session.draft(action.clone()).map(|draft| draft.change);
                Choice {
                    key,
                    label: label.to_owned(),
                    given: judgement
                        .preference
                        .is_some_and(|given| outcome == Some(Change::Prefer(given))),
                    step: Step::Act(action),
                }
            })
            .to_vec(),
            Kind::Failures => self.causes(judgement),
            Kind::Checks => self.checks(item, judgement),
        }
    }

    fn causes(&self, judgement: &Judgement) -> Vec<Choice> {
        let causes = self.codebook.causes.iter();
        causes
            .map(|cause| Choice {
                key: cause.key,
                label: cause.label.clone(),
                given: judgement.causes.contains_key(&cause.id),
                step: Step::Act(Action::Cause {
                    cause: cause.id.clone(),
                    codebook: self.codebook.edition(),
                }),
            })
            .collect()
    }

    fn checks(&self, item: &Item, judgement: &Judgement) -> Vec<Choice> {
        let Some((name, _)) = self.checked(item) else {
            return Vec::new();
        };
        [('1', "confirm", true), ('2', "contest", false)]
            .map(|(key, word, agrees)| Choice {
                key,
                label: format!("{word} {name}"),
                given: judgement.checks.get(name) == Some(&agrees),
                step: Step::Act(Action::Check {
                    annotator: name.to_owned(),
                    agrees,
                }),
            })
            .to_vec()
    }

    /// Whose finished judgement of an item is checked: the first other's by name.
    pub fn checked(&self, item: &Item) -> Option<(&str, &Judgement)> {
        let me = self.session.as_ref()?.annotator();
        self.all
            .finished(&item.task, &item.subject)
            .find(|(name, judgement)| *name != me && !judgement.labels().is_empty())
    }

    /// Each value that someone gave under the label of the conflict in sight.
    fn answers(&self) -> Vec<Choice> {
        let Some(conflict) = self.conflict() else {
            return Vec::new();
        };
        let mut values: Vec<&String> = Vec::new();
        for value in conflict.said.values() {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        ('1'..='9')
            .zip(values)
            .map(|(key, value)| {
                let who = conflict.said.iter().filter(|(_, said)| *said == value);
                let who: Vec<_> = who.map(|(name, _)| name.as_str()).collect();
                Choice {
                    key,
                    label: format!("{value} ({})", who.join(", ")),
                    given: conflict.settled.as_ref() == Some(value),
                    step: Step::Settle(Draft {
                        item: Item {
                            task: conflict.task.clone(),
                            subject: conflict.subject.clone(),
                        },
                        change: Change::Adjudicate {
                            label: conflict.label.clone(),
                            value: value.clone(),
                        },
                    }),
                }
            })
            .collect()
    }

    /// The conflict in sight.
    pub fn conflict(&self) -> Option<&Conflict> {
        self.conflicts.get(self.conflict_at)
    }

    /// The item in sight, of whatever kind.
    pub fn item(&self) -> Option<Item> {
        if self.kind == Kind::Conflicts {
            let conflict = self.conflict()?;
            return Some(Item {
                task: conflict.task.clone(),
                subject: conflict.subject.clone(),
            });
        }
        self.session.as_ref()?.item().cloned()
    }

    /// Causes worth looking at for the failure in sight, with their reasons; none is ever set by itself.
    pub fn proposals(&self) -> Vec<Proposal> {
        let Some((item, exhibit)) = &self.exhibit else {
            return Vec::new();
        };
        if self.kind != Kind::Failures || self.item().as_ref() != Some(item) {
            return Vec::new();
        }
        let mut evidence = exhibit.evidence.clone();
        let judged = self.all.finished(&item.task, &Subject::Requirement);
        for (_, judgement) in judged {
            let no = |question: &&Question| {
                judgement.answers.get(question) == Some(&crate::review::Answer::No)
            };
            for question in Question::ALL.iter().filter(no) {
                let word = question.word().to_owned();
                if *question != Question::Natural && !evidence.doubts.contains(&word) {
                    evidence.doubts.push(word);
                }
            }
        }
        evidence.proposals(&self.codebook)
    }
}
