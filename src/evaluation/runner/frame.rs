//! Frames over a session's streams. A frame consists of two lengths of four bytes each, a JSON header and raw bytes.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::sandbox::Session;
use crate::error::{Cancel, Error, Result};

/// The maximum length of a header or blob. A run's reports are limited to much less.
const FRAME_LIMIT: usize = 512 << 20;
/// How often a waiting driver checks the cancel flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The result of waiting for a frame.
#[derive(Debug)]
pub(super) enum Received<T> {
    /// A message with its bytes.
    Frame(T, Vec<u8>),
    /// No frame arrived in time.
    Late,
    /// The stream has ended, or its data is not a valid frame.
    Ended,
}

/// A session as a stream of frames.
pub(super) struct Frames {
    session: Box<dyn Session>,
    buffer: Vec<u8>,
    /// The offset of the next frame in the buffer.
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

    /// Sends bytes with only their length in front, not as a frame.
    pub fn send_block(&mut self, bytes: &[u8]) -> Result<()> {
        let mut data = length(bytes.len())?.to_vec();
        data.extend_from_slice(bytes);
        self.session.send(&data)
    }

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

    /// Waits for the next frame, at most until `deadline`.
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Received<T>> {
        loop {
            cancel.check()?;
            if let Some((header, blob)) = self.next_range() {
                let Ok(message) = serde_json::from_slice(&self.buffer[header]) else {
                    return Ok(Received::Ended);
                };
                let bytes = self.buffer[blob.clone()].to_vec();
                self.at = blob.end;
                return Ok(Received::Frame(message, bytes));
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

    /// The larger of the two lengths of the next frame; 0 if they have not arrived yet.
    fn announced(&self) -> usize {
        self.lengths().map_or(0, |(header, blob)| header.max(blob))
    }

    fn lengths(&self) -> Option<(usize, usize)> {
        let number = |at: usize| {
            let bytes = self.buffer.get(self.at + at..self.at + at + 4)?;
            let number = u32::from_be_bytes(bytes.try_into().ok()?);
            usize::try_from(number).ok()
        };
        Some((number(0)?, number(4)?))
    }

    fn next_range(&self) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
        let (header, blob) = self.lengths()?;
        let start = self.at + 8;
        let end = start + header + blob;
        (self.buffer.len() >= end).then_some((start..start + header, start + header..end))
    }
}

fn length(count: usize) -> Result<[u8; 4]> {
    let count = u32::try_from(count).map_err(|_| Error::internal("a message beyond 4 GB"))?;
    Ok(count.to_be_bytes())
}
