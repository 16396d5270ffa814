//! Removes containers: first by the end of their input, then by force.

use std::pin::Pin;
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::{RemoveContainerOptionsBuilder, WaitContainerOptionsBuilder};
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// How long an idle container may take to exit when its input has ended. A busy one does not notice in time.
const EXIT_GRACE: Duration = Duration::from_millis(250);
/// How long the engine may take to remove a container that has ended.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(20);

/// The standard input of a container.
pub(crate) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// Removes a container and waits until it is gone. With `input`, it closes that first and waits a moment: an exit costs
/// the engine one process less than a kill.
pub(crate) async fn remove(docker: &Docker, id: &str, input: Option<Input>) {
    if let Some(mut input) = input {
        let exit = async {
            let _ = input.shutdown().await;
            gone(docker, id).await
        };
        if timeout(EXIT_GRACE, exit).await == Ok(true) {
            return;
        }
    }
    by_force(docker, id).await;
}

/// Kills what runs in a container and removes it. Returns whether it is gone.
pub(crate) async fn by_force(docker: &Docker, id: &str) -> bool {
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

/// Waits until the engine has removed a container that exits by itself.
async fn gone(docker: &Docker, id: &str) -> bool {
    let options = WaitContainerOptionsBuilder::default()
        .condition("removed")
        .build();
    let mut waiting = docker.wait_container(id, Some(options));
    match waiting.next().await {
        Some(Ok(_)) => true,
        // This is how the client reports an exit code; without a message the removal went well.
        Some(Err(Error::DockerContainerWaitError { error, .. })) => error.is_empty(),
        Some(Err(Error::DockerResponseServerError { status_code, .. })) => status_code == 404,
        Some(Err(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, duplex};

    use super::super::fake::{Answer, FakeEngine, runtime};
    use super::*;

    const WAIT: &str = "POST /containers/c/wait?condition=removed";
    const KILL: &str = "DELETE /containers/c?v=true&force=true&link=false";

    fn asked_to_remove<const N: usize>(answers: [Answer; N], input: Option<Input>) -> Vec<String> {
        let served = FakeEngine::new(answers);
        runtime().block_on(remove(&served.client(), "c", input));
        served.asked()
    }

    #[test]
    fn an_idle_container_exits_when_its_input_ends() {
        let (input, mut read) = duplex(8);
        let asked = asked_to_remove([(200, r#"{"StatusCode":3}"#)], Some(Box::pin(input)));
        assert_eq!(asked, [WAIT]);
        let read = runtime().block_on(async { read.read_u8().await });
        assert!(read.is_err(), "its input has ended");
    }

    #[test]
    fn a_container_that_does_not_exit_is_killed() {
        let trouble = r#"{"StatusCode":3,"Error":{"Message":"its root is in use"}}"#;
        for answer in [(200, trouble), (500, "{}")] {
            let input: Input = Box::pin(tokio::io::sink());
            let asked = asked_to_remove([answer, (204, "")], Some(input));
            assert_eq!(asked, [WAIT, KILL]);
        }
        assert_eq!(asked_to_remove([(204, "")], None), [KILL]);
    }

    #[test]
    fn a_removal_in_progress_is_waited_for() {
        let under_way = (
            409,
            r#"{"message":"removal of container c is already in progress"}"#,
        );
        let asked = asked_to_remove([under_way, (404, "{}")], None);
        assert_eq!(asked, [KILL, WAIT]);
    }
}
