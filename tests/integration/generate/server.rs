//! A model server on 127.0.0.1 that replies as a script (a function of the test) decides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A request as the server saw it.
#[derive(Clone)]
pub struct Seen {
    pub path: String,
    /// The request line and the header lines.
    pub headers: String,
    pub body: Value,
    /// How many requests the server received before this one.
    pub number: usize,
}

impl Seen {
    /// The prompt of a chat request or of a completion request.
    pub fn prompt(&self) -> &str {
        let chat = self.body["messages"][0]["content"].as_str();
        chat.or(self.body["prompt"].as_str()).unwrap()
    }
}

/// What the server does after a request.
pub enum Reply {
    /// Sends a response: (status, header lines that each end with `\r\n`, body).
    Send(u16, &'static str, String),
    /// Sends bytes as they are, and closes the connection.
    Bytes(Vec<u8>),
    /// Sends nothing, and waits until the client closes the connection.
    Silence,
}

/// A chat response with `text`.
pub fn answer(text: &str) -> Reply {
    let body = json!({
        "id": "1", "model": "scripted-1", "system_fingerprint": "fp",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    });
    Reply::Send(200, "", body.to_string())
}

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Starts a server that runs until the test's process ends. `script` decides the reply to each request.
    pub fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let (script, all) = (Arc::new(script), Arc::clone(&seen));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (script, all) = (Arc::clone(&script), Arc::clone(&all));
                thread::spawn(move || serve(&connection, &*script, &all));
            }
        });
        Self { port, seen }
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// Serves the requests of a connection until either side closes it.
fn serve(connection: &TcpStream, script: &dyn Fn(&Seen) -> Reply, all: &Mutex<Vec<Seen>>) {
    let mut reader = BufReader::new(connection);
    while let Some(mut seen) = request(&mut reader) {
        {
            let mut all = all.lock().unwrap();
            seen.number = all.len();
            all.push(seen.clone());
        }
        let mut writer = connection;
        match script(&seen) {
            Reply::Send(status, headers, body) => {
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
                );
                if writer.write_all((head + &body).as_bytes()).is_err() {
                    return;
                }
            }
            Reply::Bytes(bytes) => {
                let _ = writer.write_all(&bytes);
                return;
            }
            Reply::Silence => {
                let _ = reader.read(&mut [0]);
                return;
            }
        }
    }
}

/// The next request of a connection. `None` if the connection has ended, or if the request is not HTTP.
fn request(reader: &mut BufReader<&TcpStream>) -> Option<Seen> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let path = head.split(' ').nth(1)?.to_owned();
    let headers = head.to_lowercase();
    let length = headers.split("content-length: ").nth(1);
    let length = length.map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen {
        path,
        headers: head,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        number: 0,
    })
}
