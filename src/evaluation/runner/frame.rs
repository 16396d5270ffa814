//! Frames: the messages in a session's streams. A frame consists of the length of the header, the length of the blob,
//! the header and the blob. Each length has four bytes, big-endian. The header is JSON, and the blob is any bytes.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::sandbox::Session;
use crate::error::{Cancel, Error, Result};
use crate::files::parse_json;

/// The maximum length of a received header or blob in bytes. The limit for the reports of a run is much lower.
const FRAME_LIMIT: usize = 512 << 20;
/// How often [`Frames::receive`] checks the cancel flag while it waits.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The result of waiting for a frame.
#[derive(Debug)]
pub(super) enum Received<T> {
    /// (header, blob) of the next frame.
    Frame(T, Vec<u8>),
    /// A frame arrived whose header is no `T`, such as a report of a completion with a number that is too large.
    Unreadable,
    /// No frame arrived in time.
    Late,
    /// The stream has ended, or its next bytes are not a valid frame.
    Ended,
}

/// Sends and receives frames through a session.
pub(super) struct Frames {
    session: Box<dyn Session>,
    buffer: Vec<u8>,
    /// The offset in `buffer` of the next frame to read.
    at: usize,
}

impl Frames {
    pub fn new(session: Box<dyn Session>) -> Self {
        Self {
            session,
            buffer: Vec::new(),
            at: 0,
        }
    }

    pub fn session(&mut self) -> &mut dyn Session {
        self.session.as_mut()
    }

    /// Sends a block: the length of `bytes` in four bytes, big-endian, and then `bytes`. A block is not a frame.
    pub fn send_block(&mut self, bytes: &[u8]) -> Result<()> {
        let mut data = length(bytes.len())?.to_vec();
        data.extend_from_slice(bytes);
        self.session.send(&data)
    }

    /// Sends one frame. The blob of the frame is the concatenation of `blobs`.
    pub fn send(&mut self, header: &impl Serialize, blobs: &[&[u8]]) -> Result<()> {
        let header = serde_json::to_vec(header).map_err(|why| Error::internal(why.to_string()))?;
        let size = blobs.iter().map(|blob| blob.len()).sum();
        let mut data = Vec::with_capacity(8 + header.len() + size);
        data.extend_from_slice(&length(header.len())?);
        data.extend_from_slice(&length(size)?);
        data.extend_from_slice(&header);
        for blob in blobs {
            data.extend_from_slice(blob);
        }
        self.session.send(&data)
    }

    /// Waits for the next frame, at most until `deadline`. Returns an error only if `cancel` is raised.
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Received<T>> {
        loop {
            cancel.check()?;
            if let Some((header, blob)) = self.next_range() {
                self.at = blob.end;
                return Ok(match parse_json(&self.buffer[header]) {
                    Ok(message) => Received::Frame(message, self.buffer[blob].to_vec()),
                    Err(_) => Received::Unreadable,
                });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Received::Late);
            }
            self.compact();
            match self.session.receive(left.min(POLL_INTERVAL)) {
                Ok(Some(bytes)) => self.buffer.extend_from_slice(&bytes),
                Ok(None) => {}
                Err(_) => return Ok(Received::Ended),
            }
            if self.announced() > FRAME_LIMIT {
                return Ok(Received::Ended);
            }
        }
    }

    fn compact(&mut self) {
        self.buffer.drain(..self.at);
        self.at = 0;
    }

    /// The larger length of the next frame: of the header or of the blob. 0 until both lengths have arrived.
    fn announced(&self) -> usize {
        self.lengths().map_or(0, |(header, blob)| header.max(blob))
    }

    /// (length of the header, length of the blob) of the next frame. `None` until both lengths have arrived.
    fn lengths(&self) -> Option<(usize, usize)> {
        let number = |at: usize| {
            let bytes = self.buffer.get(self.at + at..self.at + at + 4)?;
            let number = u32::from_be_bytes(bytes.try_into().ok()?);
            usize::try_from(number).ok()
        };
        Some((number(0)?, number(4)?))
    }

    /// (range of the header, range of the blob) of the next frame in `buffer`. `None` if the frame is not complete yet.
    fn next_range(&self) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
        let (header, blob) = self.lengths()?;
        let start = self.at + 8;
        let end = start + header + blob;
        (self.buffer.len() >= end).then_some((start..start + header, start + header..end))
    }
}

fn length(count: usize) -> Result<[u8; 4]> {
    let count = u32::try_from(count).map_err(|_| Error::internal("a message exceeds 4 GB"))?;
    Ok(count.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::sandbox::Loss;

    /// A session that has printed these bytes.
    struct Printed(Option<Vec<u8>>);

    impl Session for Printed {
        fn send(&mut self, _: &[u8]) -> Result<()> {
            Ok(())
        }

        fn receive(&mut self, _: Duration) -> Result<Option<Vec<u8>>> {
            match self.0.take() {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(Error::sandbox("ended")),
            }
        }

        fn scratch(&self) -> &'static [&'static str] {
            &[]
        }

        fn missing_limits(&self) -> &[String] {
            &[]
        }

        fn loss(&mut self) -> Loss {
            Loss::Died
        }

        fn stderr_tail(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn a_header_that_cannot_be_read_does_not_end_the_stream() {
        let deep = "[".repeat(500) + &"]".repeat(500);
        let mut bytes = Vec::new();
        for header in ["{\"a\": NaN}", "{\"a\": \"\\ud83d\"}", &deep, "1"] {
            bytes.extend_from_slice(&length(header.len()).unwrap());
            bytes.extend_from_slice(&[0; 4]);
            bytes.extend_from_slice(header.as_bytes());
        }
        let mut frames = Frames::new(Box::new(Printed(Some(bytes))));
        let mut next = || {
            let deadline = Instant::now() + Duration::from_mins(1);
            let received = frames.receive::<serde_json::Value>(deadline, &Cancel::default());
            match received.unwrap() {
                Received::Frame(value, _) => value.to_string(),
                Received::Unreadable => "unreadable".to_owned(),
                Received::Late | Received::Ended => "ended".to_owned(),
            }
        };
        let read = [next(), next(), next(), next(), next()];
        let expected = [
            "{\"a\":null}",
            "{\"a\":\"\u{fffd}\"}",
            "unreadable",
            "1",
            "ended",
        ];
        assert_eq!(read, expected);
    }
}
