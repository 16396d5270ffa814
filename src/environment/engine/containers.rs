//! Lists and inspects containers. Podman reports states that Docker does not have (`stopped`, `initialized`). The
//! client rejects an answer with such a state as invalid JSON. This module then reads only the fields that it needs.

use std::collections::HashMap;

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::ContainerSummary;
use bollard::query_parameters::{InspectContainerOptions, ListContainersOptionsBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::labels::OWNER_LABEL;
use crate::environment::process_identity::ProcessIdentity;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    id: String,
    labels: Option<HashMap<String, String>>,
}

/// The needed fields of a container's state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ContainerState {
    #[serde(rename = "OOMKilled")]
    pub oom_killed: bool,
    pub running: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inspected {
    state: Option<ContainerState>,
}

/// The containers that any process of Evoscope has created: (id of the container, identity of the process).
pub(super) async fn owned(docker: &Docker) -> Result<Vec<(String, ProcessIdentity)>, Error> {
    let filters = HashMap::from([("label", vec![OWNER_LABEL])]);
    let options = ListContainersOptionsBuilder::default()
        .all(true)
        .filters(&filters)
        .build();
    let listed: Vec<Listed> = match docker.list_containers(Some(options)).await {
        Ok(found) => found.into_iter().map(Listed::from).collect(),
        Err(why) => read_rejected(why)?,
    };
    Ok(listed.into_iter().filter_map(owned_by).collect())
}

impl From<ContainerSummary> for Listed {
    fn from(found: ContainerSummary) -> Self {
        Self {
            id: found.id.unwrap_or_default(),
            labels: found.labels,
        }
    }
}

fn owned_by(listed: Listed) -> Option<(String, ProcessIdentity)> {
    let owner = listed.labels?.get(OWNER_LABEL)?.parse().ok()?;
    Some((listed.id, owner))
}

/// The state of a container. An error if the container does not exist.
pub(crate) async fn state(docker: &Docker, id: &str) -> Result<ContainerState, Error> {
    match docker
        .inspect_container(id, None::<InspectContainerOptions>)
        .await
    {
        Ok(found) => Ok(found
            .state
            .map_or_else(ContainerState::default, |state| ContainerState {
                oom_killed: state.oom_killed == Some(true),
                running: state.running == Some(true),
            })),
        Err(why) => Ok(read_rejected::<Inspected>(why)?.state.unwrap_or_default()),
    }
}

/// Reads only the fields of `T` from an answer that the client rejected as invalid JSON. Returns `why` if `why` is not
/// such a rejection, or if these fields cannot be read either.
fn read_rejected<T: DeserializeOwned>(why: Error) -> Result<T, Error> {
    match &why {
        Error::JsonDataError { contents, .. } => serde_json::from_str(contents).map_err(|_| why),
        _ => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(contents: &str) -> Error {
        Error::JsonDataError {
            message: "unknown variant `stopped`".to_owned(),
            contents: contents.to_owned(),
            column: 1,
        }
    }

    #[test]
    fn containers_in_states_that_only_podman_has_are_listed() {
        let owner = ProcessIdentity::current().to_string();
        let answer = format!(
            r#"[{{"Id":"a","State":"stopped","Labels":{{"evoscope.owner":"{owner}"}}}},
                {{"Id":"b","State":"initialized","Labels":null}}]"#
        );
        let found: Vec<Listed> = read_rejected(unread(&answer)).unwrap();
        let found: Vec<_> = found.into_iter().filter_map(owned_by).collect();
        assert_eq!(
            found,
            [("a".to_owned(), ProcessIdentity::current().clone())]
        );
        assert!(read_rejected::<Vec<Listed>>(unread("[{")).is_err());
    }

    #[test]
    fn the_state_of_a_container_that_podman_calls_stopped_is_read() {
        let answer = r#"{"Id":"a","State":{"Status":"stopped","Running":false,"OOMKilled":true}}"#;
        let found: Inspected = read_rejected(unread(answer)).unwrap();
        let state = found.state.unwrap();
        assert!(state.oom_killed && !state.running);
    }
}
