//! Flows: what each protocol knows of a connection; and a table of them.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, PoisonError, RwLock};

use broadloom_engine::Session;
use broadloom_lanes::prefetch;

use crate::counters::Counters;
use crate::error::PacketError;
use crate::frame::Frame;
use crate::plan::{Mask, Step, Work};

/// One direction of one connection: its keys, sequence numbers and replay window, and the rules of
/// its protocol.
///
/// Any number of threads may use a flow at the same time. A sequence number is taken in
/// [`protect`](Flow::protect), before anything can fail later, so that no nonce is ever used again.
///
/// A method that refuses a packet leaves it as it was.
pub trait Flow: Send + Sync {
    /// What a packet is accompanied by, into the protocol or out of it.
    type Meta: Default + Send;

    /// `true` if headers are masked, of some flows of this type at least.
    const MASKS: bool = false;

    /// Returns `true` if this flow masks headers: only then is [`mask`](Flow::mask) asked. It is
    /// [`MASKS`](Flow::MASKS) unless a type has flows of several protocols.
    #[inline]
    fn masks(&self) -> bool {
        Self::MASKS
    }

    /// Frames a packet that is to be protected, [writes](crate::Plan::write) into `work` what the
    /// engine has to do, and returns the session to do it with.
    ///
    /// # Errors
    /// [`PacketError`]; no sequence number was taken then.
    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Self::Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError>;

    /// Goes on with a packet whose job succeeded.
    ///
    /// # Errors
    /// [`PacketError`]; the packet is not sent.
    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Self::Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let _ = (frame, meta, work);
        Ok(Step::Complete)
    }

    /// Reads the headers of a packet that is to be unprotected, [writes](crate::Plan::write) into
    /// `work` what the engine has to do, and returns the session to do it with.
    ///
    /// # Errors
    /// [`PacketError`].
    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Self::Meta,
        work: &mut Work,
    ) -> Result<&Session, PacketError>;

    /// Completes a packet whose job succeeded: the packet is authentic. Here, and not before, the
    /// replay window moves.
    ///
    /// # Errors
    /// [`PacketError`]; the packet is not delivered.
    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Self::Meta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError>;

    /// Puts back what [`unprotect`](Flow::unprotect) or [`protect`](Flow::protect) changed in a
    /// packet whose job failed. If the mask of a packet that was sealed failed, `work` is empty.
    fn failed(&self, frame: &mut Frame<'_>, meta: &mut Self::Meta, work: &Work) {
        let _ = (frame, meta, work);
    }

    /// Says how the mask over a packet's header is computed; `None` if this packet has none. When a
    /// burst is protected this comes after the job, else before it.
    ///
    /// # Errors
    /// [`PacketError`]: the packet has no room for a sample.
    fn mask(&self, frame: &Frame<'_>, meta: &Self::Meta) -> Result<Option<Mask<'_>>, PacketError> {
        let _ = (frame, meta);
        Ok(None)
    }

    /// Applies the mask to a packet's header, or takes it away; `protects` says which.
    ///
    /// # Errors
    /// [`PacketError`].
    fn masked(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut Self::Meta,
        mask: &[u8; 16],
        protects: bool,
    ) -> Result<(), PacketError> {
        let _ = (frame, meta, mask, protects);
        Ok(())
    }

    /// Asks for the memory that most packets need of the flow itself, before they are framed.
    /// Without this, that is all of it, up to 512 bytes.
    fn touch_itself(&self)
    where
        Self: Sized,
    {
        prefetch(self);
    }

    /// Returns the session that most packets of a direction need, whose memory is then asked for
    /// before they are framed. That of the flow itself was asked for before
    /// ([`touch_itself`](Flow::touch_itself)); `None` if the session is not known yet.
    fn touch(&self, protects: bool) -> Option<&Session> {
        let _ = protects;
        None
    }

    /// Returns the flow's counters.
    fn counters(&self) -> &Counters;
}

/// Parts of a table that are locked apart.
const SHARDS: usize = 64;

/// A table of flows by a key, such as an SPI or an SSRC: flows can be added, found and removed
/// while other threads work with them.
///
/// ```
/// use std::sync::Arc;
///
/// use broadloom_packets::Flows;
///
/// let flows = Flows::new();
/// assert!(flows.insert(7_u32, Arc::new("a flow")).is_none());
/// assert_eq!(flows.get(&7).as_deref(), Some(&"a flow"));
/// assert!(flows.remove(&7).is_some());
/// assert!(flows.is_empty());
/// ```
#[derive(Debug)]
pub struct Flows<K, F> {
    shards: Box<[Shard<K, F>]>,
    hasher: RandomState,
}

type Shard<K, F> = RwLock<HashMap<K, Arc<F>>>;

impl<K, F> Default for Flows<K, F> {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| RwLock::new(HashMap::new())).collect();
        Flows { shards, hasher: RandomState::new() }
    }
}

impl<K: Hash + Eq, F> Flows<K, F> {
    /// Returns an empty table.
    pub fn new() -> Self {
        Flows::default()
    }

    fn shard(&self, key: &K) -> &Shard<K, F> {
        &self.shards[(self.hasher.hash_one(key) >> 32) as usize % SHARDS]
    }

    /// Adds a flow, and returns the one that had this key before.
    pub fn insert(&self, key: K, flow: Arc<F>) -> Option<Arc<F>> {
        let mut shard = self.shard(&key).write().unwrap_or_else(PoisonError::into_inner);
        shard.insert(key, flow)
    }

    /// Returns the flow with this key.
    pub fn get(&self, key: &K) -> Option<Arc<F>> {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Removes the flow with this key and returns it. Packets that hold it are not disturbed.
    pub fn remove(&self, key: &K) -> Option<Arc<F>> {
        self.shard(key).write().unwrap_or_else(PoisonError::into_inner).remove(key)
    }

    /// Returns how many flows there are.
    pub fn len(&self) -> usize {
        let len = |shard: &Shard<K, F>| shard.read().unwrap_or_else(PoisonError::into_inner).len();
        self.shards.iter().map(len).sum()
    }

    /// Returns `true` if there are no flows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
