//! Crates whose calls take one buffer each and complete it.

use std::ops::Range;

use broadloom_engine::Direction;

use super::buffers::{Buffers, Message};
use super::{Absent, Bare};
use crate::error::PerfError;
use crate::measure::contender::Contender;
use crate::names::{Peer, Provider};

/// A crate's key for an algorithm, ready for use. A digest has one, too.
pub trait Key {
    /// Does one buffer; nothing comes back where the crate fails.
    fn process(&self, message: Message<'_>) -> Option<()>;
}

/// A crate at work on a set of buffers.
pub struct OneByOne<'a, K> {
    peer: Peer,
    version: &'static str,
    keys: Vec<K>,
    buffers: Buffers<'a>,
}

impl<'a, K: Key> OneByOne<'a, K> {
    /// Makes the keys; the reason comes back where `make` refuses.
    pub fn new(
        peer: Peer,
        version: &'static str,
        buffers: Buffers<'a>,
        make: impl Fn(&[u8], Direction) -> Result<K, String>,
    ) -> Result<OneByOne<'a, K>, Absent> {
        let keys = buffers.keys_and_directions();
        let keys = keys.map(|(key, direction)| make(key, direction)).collect::<Result<_, _>>();
        let keys = keys.map_err(|reason| Absent::because(peer, reason))?;
        Ok(OneByOne { peer, version, keys, buffers })
    }
}

impl<K: Key> Contender for OneByOne<'_, K> {
    fn provider(&self) -> Provider {
        self.peer.into()
    }

    fn kernel(&self) -> String {
        format!("{} {}", self.peer, self.version)
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        for index in range {
            let key = &self.keys[self.buffers.key_of(index)];
            if key.process(self.buffers.message(index)).is_none() {
                return Err(PerfError::Peer { provider: self.peer.into(), call: "a call" });
            }
        }
        Ok(())
    }

    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.burst(range)
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        Ok(())
    }

    fn output(&self, index: usize) -> &[u8] {
        self.buffers.output(index)
    }

    fn clear(&mut self) {
        self.buffers.clear();
    }
}

impl<K: Key> Bare for OneByOne<'_, K> {
    fn call(&self, _: bool) -> &'static str {
        "one-shot"
    }

    fn buffers(&self) -> &Buffers<'_> {
        &self.buffers
    }

    fn restore(&mut self) {
        self.buffers.restore();
    }
}

/// The text of a message, in place: the crates' ciphers have no other way.
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub fn in_place<'m>(message: &'m mut Message<'_>) -> &'m mut [u8] {
    if !message.in_place {
        message.output.copy_from_slice(message.input);
    }
    message.output
}
