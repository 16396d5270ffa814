//! Removes containers.

use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::{RemoveContainerOptionsBuilder, WaitContainerOptionsBuilder};
use futures_util::StreamExt;
use tokio::time::timeout;

/// How long to wait for a removal that the engine has already started.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(20);

/// Kills the processes in a container, and removes the container and its anonymous volumes. If the engine is already
/// removing the container, waits for the end of the removal. Returns whether the container was removed.
pub(crate) async fn remove(docker: &Docker, id: &str) -> bool {
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    match docker.remove_container(id, Some(options)).await {
        Err(Error::DockerResponseServerError {
            status_code: 409, ..
        }) => timeout(REMOVAL_TIMEOUT, gone(docker, id)).await == Ok(true),
        removed => removed.is_ok(),
    }
}

/// Waits until the engine has removed the container. Returns false if waiting fails.
async fn gone(docker: &Docker, id: &str) -> bool {
    let options = WaitContainerOptionsBuilder::default()
        .condition("removed")
        .build();
    let mut waiting = docker.wait_container(id, Some(options));
    match waiting.next().await {
        Some(Ok(_)) => true,
        // The client returns this error if the container's exit code is not 0, although the removal succeeded. In this
        // case the error has no message.
        Some(Err(Error::DockerContainerWaitError { error, .. })) => error.is_empty(),
        Some(Err(Error::DockerResponseServerError { status_code, .. })) => status_code == 404,
        Some(Err(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeEngine, runtime};
    use super::*;

    const WAIT: &str = "POST /containers/c/wait?condition=removed";
    const KILL: &str = "DELETE /containers/c?v=true&force=true&link=false";

    #[test]
    fn a_removal_in_progress_is_waited_for() {
        let under_way = (
            409,
            r#"{"message":"removal of container c is already in progress"}"#,
        );
        let served = FakeEngine::new([under_way, (404, "{}")]);
        assert!(runtime().block_on(remove(&served.client(), "c")));
        assert_eq!(served.asked(), [KILL, WAIT]);
    }
}
