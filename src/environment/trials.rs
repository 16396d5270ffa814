//! Tries the interpreters for an environment, until one works.

use super::build::{AttemptError, BuildRequest, Built, Site};
use super::build_context::BuildContext;
use super::requirements::Requirements;
use super::uv::Failure;
use crate::error::{Error, Result};

/// Builds at the first of the sites where it works. First, the requirements of the project itself stay as they are at
/// each site; then they may lose their versions. A site is made when it is needed: `make` gets its number, which is less
/// than `count`.
///
/// The error contains the first reason.
pub(super) fn first_that_works<S: Site>(
    count: usize,
    mut make: impl FnMut(usize, &mut BuildContext) -> Result<S>,
    requirements: &Requirements,
    context: &mut BuildContext,
) -> Result<(S, Built)> {
    let mut first = None;
    let mut notes = Vec::new();
    for (change_runtime, number) in [false, true]
        .into_iter()
        .flat_map(|change| (0..count).map(move |number| (change, number)))
    {
        let site = make(number, context)?;
        let request = BuildRequest {
            site: &site,
            requirements,
            change_runtime,
        };
        match request.environment(context) {
            Ok(mut built) => {
                built.notes.splice(0..0, notes);
                return Ok((site, built));
            }
            Err(AttemptError::Other(why)) => return Err(why),
            Err(AttemptError::Versions(failure)) => {
                let note = format!("not with Python {}: {}", site.version(), failure.why);
                context.step(&note);
                if !notes.contains(&note) {
                    notes.push(note);
                }
                first.get_or_insert(failure);
            }
        }
    }
    Err(not_built(first, context))
}

fn not_built(failure: Option<Failure>, context: &BuildContext) -> Error {
    let usual = "name other packages, other setup commands or another Python in evoscope.toml";
    let log = context
        .log_path()
        .map_or_else(String::new, |log| format!("; the log is {}", log.display()));
    let (why, advice) = match failure {
        Some(failure) => (failure.why, failure.advice),
        None => ("there is no interpreter".to_owned(), None),
    };
    let advice = advice.as_deref().unwrap_or(usual);
    Error::sandbox(format!("cannot build the environment: {why}")).hint(format!("{advice}{log}"))
}
