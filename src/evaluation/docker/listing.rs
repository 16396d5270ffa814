//! What an engine tells of containers, also where it knows states that Docker does not: Podman calls some `stopped` and
//! `initialized`, which the client takes for broken JSON.

use std::collections::HashMap;

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::{
    InspectContainerOptions, ListContainersOptionsBuilder, ListVolumesOptionsBuilder,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::owner::Owner;
use super::OWNER_LABEL;

/// A container of Evoscope, of this run or another.
pub(super) struct Owned {
    pub id: String,
    /// The process that it belongs to, where its label can be read.
    pub owner: Option<Owner>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    id: String,
    labels: Option<HashMap<String, String>>,
}

/// What became of a container.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct State {
    #[serde(rename = "OOMKilled")]
    pub oom_killed: bool,
    pub running: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inspected {
    state: Option<State>,
}

/// Every container of Evoscope.
pub(super) async fn owned(docker: &Docker) -> Result<Vec<Owned>, Error> {
    let filters = HashMap::from([("label", vec![OWNER_LABEL])]);
    let options = ListContainersOptionsBuilder::default()
        .all(true)
        .filters(&filters)
        .build();
    let listed: Vec<Listed> = match docker.list_containers(Some(options)).await {
        Ok(found) => found
            .into_iter()
            .filter_map(|container| {
                Some(Listed {
                    id: container.id?,
                    labels: container.labels,
                })
            })
            .collect(),
        Err(why) => read_anyway(why)?,
    };
    Ok(listed.into_iter().map(owned_by).collect())
}

fn owned_by(listed: Listed) -> Owned {
    let labels = listed.labels.unwrap_or_default();
    Owned {
        id: listed.id,
        owner: labels.get(OWNER_LABEL).and_then(|owner| owner.parse().ok()),
    }
}

/// The volumes with this label, each with where it lies on the engine's machine; none where the engine does not tell.
pub(super) async fn volumes(docker: &Docker, label: &str) -> HashMap<String, String> {
    let filters = HashMap::from([("label", vec![label])]);
    let options = ListVolumesOptionsBuilder::default()
        .filters(&filters)
        .build();
    let told = docker.list_volumes(Some(options)).await.ok();
    let volumes = told.and_then(|told| told.volumes).into_iter().flatten();
    volumes
        .map(|volume| (volume.name, volume.mountpoint))
        .collect()
}

/// The state of a container that is there.
pub(super) async fn state(docker: &Docker, id: &str) -> Result<State, Error> {
    match docker
        .inspect_container(id, None::<InspectContainerOptions>)
        .await
    {
        Ok(found) => Ok(found.state.map_or_else(State::default, |state| State {
            oom_killed: state.oom_killed == Some(true),
            running: state.running == Some(true),
        })),
        Err(why) => Ok(read_anyway::<Inspected>(why)?.state.unwrap_or_default()),
    }
}

/// What the client could not read, read for what is needed of it.
fn read_anyway<T: DeserializeOwned>(why: Error) -> Result<T, Error> {
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
    fn containers_in_states_that_only_podman_knows_are_listed_with_the_others() {
        let owner = Owner::this_process().to_string();
        let told = format!(
            r#"[{{"Id":"a","State":"stopped","Labels":{{"evoscope.owner":"{owner}"}}}},
                {{"Id":"b","State":"initialized","Labels":null}}]"#
        );
        let found: Vec<Listed> = read_anyway(unread(&told)).unwrap();
        let found: Vec<Owned> = found.into_iter().map(owned_by).collect();
        assert_eq!(found[0].owner.as_ref(), Some(Owner::this_process()));
        assert_eq!((found[1].id.as_str(), &found[1].owner), ("b", &None));
        assert!(read_anyway::<Vec<Listed>>(unread("[{")).is_err());
    }

    #[test]
    fn a_container_that_podman_calls_stopped_may_be_out_of_memory() {
        let told = r#"{"Id":"a","State":{"Status":"stopped","Running":false,"OOMKilled":true}}"#;
        let found: Inspected = read_anyway(unread(told)).unwrap();
        let state = found.state.unwrap();
        assert!(state.oom_killed && !state.running);
    }
}
