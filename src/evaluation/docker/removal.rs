//! How containers go: by themselves where they can, else by force.

use std::pin::Pin;
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::{RemoveContainerOptionsBuilder, WaitContainerOptionsBuilder};
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// How long a warden at rest may take to end when its input has ended. One that is at a run does not hear of it.
const LAST_BREATH: Duration = Duration::from_millis(250);
/// How long the engine may take to remove what has ended.
const CLEARING: Duration = Duration::from_secs(20);

/// What a container reads.
pub(super) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// Removes a container and waits until it is gone. With its `input` it is let end by itself first, which costs the engine
/// a process less than to kill it.
pub(super) async fn remove(docker: &Docker, id: &str, input: Option<Input>) {
    if let Some(mut input) = input {
        let by_itself = async {
            let _ = input.shutdown().await;
            gone(docker, id).await
        };
        if timeout(LAST_BREATH, by_itself).await == Ok(true) {
            return;
        }
    }
    by_force(docker, id).await;
}

/// Kills what runs in a container and removes it; whether it is gone.
pub(super) async fn by_force(docker: &Docker, id: &str) -> bool {
    let options = RemoveContainerOptionsBuilder::default()
        .force(true)
        .v(true)
        .build();
    match docker.remove_container(id, Some(options)).await {
        Err(Error::DockerResponseServerError {
            status_code: 409, ..
        }) => timeout(CLEARING, gone(docker, id)).await == Ok(true),
        removed => removed.is_ok(),
    }
}

/// Waits until the engine has removed a container that ends by itself.
async fn gone(docker: &Docker, id: &str) -> bool {
    let options = WaitContainerOptionsBuilder::default()
        .condition("removed")
        .build();
    let mut waiting = docker.wait_container(id, Some(options));
    match waiting.next().await {
        Some(Ok(_)) => true,
        // Its exit code, and no trouble with the removal.
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
    fn a_warden_at_rest_ends_by_itself() {
        let (input, mut read) = duplex(8);
        let asked = asked_to_remove([(200, r#"{"StatusCode":3}"#)], Some(Box::pin(input)));
        assert_eq!(asked, [WAIT]);
        let told = runtime().block_on(async { read.read_u8().await });
        assert!(told.is_err(), "its input has ended");
    }

    #[test]
    fn what_has_not_gone_by_itself_is_killed() {
        let trouble = r#"{"StatusCode":3,"Error":{"Message":"its root is in use"}}"#;
        for answer in [(200, trouble), (500, "{}")] {
            let input: Input = Box::pin(tokio::io::sink());
            let asked = asked_to_remove([answer, (204, "")], Some(input));
            assert_eq!(asked, [WAIT, KILL]);
        }
        assert_eq!(asked_to_remove([(204, "")], None), [KILL]);
    }

    #[test]
    fn a_removal_that_is_under_way_is_waited_for() {
        let under_way = (
            409,
            r#"{"message":"removal of container c is already in progress"}"#,
        );
        let asked = asked_to_remove([under_way, (404, "{}")], None);
        assert_eq!(asked, [KILL, WAIT]);
    }
}
