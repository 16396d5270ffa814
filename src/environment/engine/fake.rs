//! A container engine for tests. It returns prepared answers in order, and records the requests.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::{self, JoinHandle};

use bollard::Docker;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// An answer: the HTTP status and the JSON body.
pub(crate) type Answer = (u16, &'static str);

pub(crate) struct FakeEngine {
    folder: TempDir,
    asking: JoinHandle<Vec<String>>,
}

impl FakeEngine {
    pub fn new<const N: usize>(answers: [Answer; N]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let asking = thread::spawn(move || {
            let streams = answers.into_iter().zip(listener.incoming());
            streams
                .map(|(answer, stream)| answered(&mut stream.unwrap(), answer))
                .collect()
        });
        Self { folder, asking }
    }

    pub fn client(&self) -> Docker {
        let socket = self.folder.path().join("socket");
        let version = bollard::API_DEFAULT_VERSION;
        Docker::connect_with_unix(&socket.to_string_lossy(), 10, version).unwrap()
    }

    /// Waits until all answers are sent. Returns the method and path of each request, in order.
    pub fn asked(self) -> Vec<String> {
        self.asking.join().unwrap()
    }
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Reads one request and sends the answer. Returns the method and path of the request.
fn answered(stream: &mut UnixStream, (status, body): Answer) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes()).unwrap();
    let head = String::from_utf8(head).unwrap();
    let first = head.lines().next().unwrap_or_default();
    first.trim_end_matches(" HTTP/1.1").to_owned()
}
