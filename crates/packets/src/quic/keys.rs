//! The keys of one direction, and which of them a packet needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::{Registry, Session, Transform};
use zeroize::Zeroizing;

use super::flow::QuicConfig;
use super::secrets::Secret;
use crate::error::FlowError;
use crate::plan::Mask;

/// The nonce's part that is secret. Wiped when dropped.
#[derive(Clone)]
pub(super) struct Iv(Zeroizing<[u8; 12]>);

impl Iv {
    fn new(config: &QuicConfig, secret: &Secret) -> Self {
        let mut iv = Iv(Zeroizing::new([0; 12]));
        secret.derive(config.version.labels().iv, &mut *iv.0);
        iv
    }

    /// Returns the nonce of a packet (RFC 9001, 5.3).
    #[inline]
    pub(super) fn nonce(&self, number: u64) -> [u8; 12] {
        let mut nonce = *self.0;
        nonce[4..].iter_mut().zip(number.to_be_bytes()).for_each(|(byte, bits)| *byte ^= bits);
        nonce
    }
}

/// Derives the AEAD's key from a secret.
fn aead_key(config: &QuicConfig, secret: &Secret) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    secret.derive(config.version.labels().key, &mut key[..config.suite.key_len()]);
    key
}

/// Opens the session of the cipher that masks headers. Its key is never updated.
fn mask_session(
    registry: &Registry,
    config: &QuicConfig,
    secret: &Secret,
) -> Result<Session, FlowError> {
    let mut key = Zeroizing::new([0; 32]);
    let key = &mut key[..config.suite.key_len()];
    secret.derive(config.version.labels().mask, key);
    Ok(registry.open(&Transform::cipher(config.suite.mask(), key).encrypt()?)?)
}

/// Says how a header's mask follows from the sample (RFC 9001, 5.4.3 and 5.4.4).
#[inline]
pub(super) fn mask<'f>(session: &'f Session, is_stream: bool, sample: &[u8; 16]) -> Mask<'f> {
    match is_stream {
        true => Mask { session, nonce: (*sample).into(), block: [0; 16] },
        false => Mask { session, nonce: arrayvec::ArrayVec::new_const(), block: *sample },
    }
}

/// What packets are sent with: the keys of one generation.
#[derive(Clone)]
pub(super) struct Seal {
    pub(super) session: Session,
    pub(super) iv: Iv,
    pub(super) mask: Session,
    /// Packets that were sealed with this key.
    sealed: Arc<AtomicU64>,
    secret: Secret,
}

impl Seal {
    pub(super) fn new(
        registry: &Registry,
        config: &QuicConfig,
        secret: Secret,
    ) -> Result<Self, FlowError> {
        let mask = mask_session(registry, config, &secret)?;
        Seal::with_mask(registry, config, secret, mask)
    }

    fn with_mask(
        registry: &Registry,
        config: &QuicConfig,
        secret: Secret,
        mask: Session,
    ) -> Result<Self, FlowError> {
        let key = aead_key(config, &secret);
        let key = &key[..config.suite.key_len()];
        let session = registry.open(&Transform::aead(config.suite.aead(), key).seal()?)?;
        let iv = Iv::new(config, &secret);
        Ok(Seal { session, iv, mask, sealed: Arc::default(), secret })
    }

    /// Returns the keys of the next generation.
    pub(super) fn next(&self, registry: &Registry, config: &QuicConfig) -> Result<Self, FlowError> {
        Seal::with_mask(registry, config, self.secret.next(config.version), self.mask.clone())
    }

    /// Returns how many packets were sealed with this key.
    pub(super) fn sealed(&self) -> u64 {
        self.sealed.load(Ordering::Relaxed)
    }

    /// Counts a packet, and returns `true` if it is within the limit.
    #[inline]
    pub(super) fn count(&self, limit: u64) -> bool {
        self.sealed.fetch_add(1, Ordering::Relaxed) < limit
    }
}

/// The key of one generation that packets are received with.
#[derive(Clone)]
pub(super) struct OpenKey {
    pub(super) session: Session,
    pub(super) iv: Iv,
    /// The lowest number of an authentic packet under this key; `u64::MAX` if there is none yet.
    first: Arc<AtomicU64>,
}

impl OpenKey {
    fn new(registry: &Registry, config: &QuicConfig, secret: &Secret) -> Result<Self, FlowError> {
        let key = aead_key(config, secret);
        let key = &key[..config.suite.key_len()];
        let session = registry.open(&Transform::aead(config.suite.aead(), key).open()?)?;
        let first = Arc::new(AtomicU64::new(u64::MAX));
        Ok(OpenKey { session, iv: Iv::new(config, secret), first })
    }

    #[inline]
    fn first(&self) -> u64 {
        self.first.load(Ordering::Relaxed)
    }

    /// Remembers an authentic packet.
    #[inline]
    fn received(&self, number: u64) {
        if number < self.first() {
            self.first.fetch_min(number, Ordering::Relaxed);
        }
    }
}

/// A generation of keys, relative to the flow's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Age {
    Previous,
    #[default]
    Current,
    Next,
}

/// What packets are received with: the keys of up to three generations.
#[derive(Clone)]
pub(super) struct Open {
    pub(super) mask: Session,
    current: OpenKey,
    /// The key that a packet with the other key phase gets if it is not a late one. It was derived
    /// before such a packet comes, so that no time tells of it (RFC 9001, 9.5).
    next: Option<OpenKey>,
    previous: Option<OpenKey>,
    /// The secret of the last key above.
    secret: Secret,
}

impl Open {
    /// Opens the keys of a secret, and those of the next generation where there is one.
    pub(super) fn new(
        registry: &Registry,
        config: &QuicConfig,
        secret: Secret,
    ) -> Result<Self, FlowError> {
        let mask = mask_session(registry, config, &secret)?;
        let current = OpenKey::new(registry, config, &secret)?;
        let mut open = Open { mask, current, next: None, previous: None, secret };
        if config.has_key_updates() {
            open.secret = open.secret.next(config.version);
            open.next = Some(OpenKey::new(registry, config, &open.secret)?);
        }
        Ok(open)
    }

    /// Returns the keys after an update: those of the next generation are the current ones.
    pub(super) fn next(&self, registry: &Registry, config: &QuicConfig) -> Result<Self, FlowError> {
        let secret = self.secret.next(config.version);
        Ok(Open {
            mask: self.mask.clone(),
            current: self.next.clone().expect("a flow that is updated has the next key"),
            next: Some(OpenKey::new(registry, config, &secret)?),
            previous: Some(self.current.clone()),
            secret,
        })
    }

    /// Returns the keys without those of the previous generation.
    pub(super) fn without_previous(&self) -> Self {
        Open { previous: None, ..self.clone() }
    }

    /// Returns the session of the current generation.
    pub(super) fn session(&self) -> &Session {
        &self.current.session
    }

    /// Returns the key of a packet: `other_phase` says whether its key phase is not the flow's. A
    /// packet of the other phase is late if its number is below all of the current generation.
    ///
    /// Any choice leads to one attempt with one key, so that a wrong phase takes as long as a right
    /// one.
    #[inline]
    pub(super) fn choose(&self, other_phase: bool, number: u64) -> (Age, &OpenKey) {
        let is_late = number < self.current.first();
        match (other_phase, &self.previous, &self.next) {
            (true, Some(previous), _) if is_late => (Age::Previous, previous),
            (true, _, Some(next)) => (Age::Next, next),
            _ => (Age::Current, &self.current),
        }
    }

    /// Returns `false` if a packet with a lower number came under a newer key, which no honest
    /// sender does (RFC 9001, 6.4).
    #[inline]
    pub(super) fn is_in_order(&self, age: Age, number: u64) -> bool {
        let next = self.next.as_ref().map_or(u64::MAX, OpenKey::first);
        let newer = match age {
            Age::Previous => next.min(self.current.first()),
            Age::Current => next,
            Age::Next => u64::MAX,
        };
        number <= newer
    }

    /// Remembers an authentic packet.
    #[inline]
    pub(super) fn received(&self, age: Age, number: u64) {
        let key = match age {
            Age::Previous => self.previous.as_ref(),
            Age::Current => Some(&self.current),
            Age::Next => self.next.as_ref(),
        };
        if let Some(key) = key {
            key.received(number);
        }
    }
}
