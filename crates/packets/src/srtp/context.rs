//! Contexts: the session keys that all streams of a master key share.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use broadloom_engine::Registry;

use super::config::SrtpConfig;
use super::elements::Identifiers;
use super::index::Indices;
use super::keys::{Keys, Needs};
use super::meta::{SrtpKind, SrtpMeta, Stage};
use super::profile::{Protection, SrtpProfile};
use super::{header, rtcp};
use crate::error::{FlowError, PacketError};
use crate::frame::Frame;
use crate::plan::{Plan, Step, TagPlace, Work};

/// The longest packet: its key stream has 2^16 blocks (RFC 3711, section 4.1.1).
pub(super) const MAX_LEN: usize = 1 << 20;

/// The most bytes of a master key's identifier: RFC 3711 gives no limit, and RFC 4568 gives this.
const MAX_MKI: usize = 128;

/// The most master keys of a context.
const MAX_KEYS: usize = 256;

/// The index of a packet has 48 bits. Above them, a [`Work`]'s number has that of the master key.
const INDEX_BITS: u32 = 48;

/// The session keys of one direction of an SRTP session, under one or several master keys. All
/// streams share them.
///
/// Each direction has a context of its own, with master keys of its own: two ends that send under
/// one master key would have to agree on who uses which SSRC, since a key stream is used twice
/// where both use the same (RFC 3711, section 9.1).
pub struct SrtpContext {
    pub(super) profile: SrtpProfile,
    keys: Box<[Keys]>,
    pub(super) mki_len: usize,
    /// Which of the keys packets are sent under.
    sending: AtomicUsize,
    pub(super) window: u32,
    pub(super) encrypts_rtcp: bool,
    pub(super) cryptex: bool,
    pub(super) identifiers: Option<Identifiers>,
}

impl fmt::Debug for SrtpContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} master keys", self.profile, self.keys.len())
    }
}

/// Returns the error of a parameter.
fn parameter(what: &'static str, value: impl ToString, valid: impl ToString) -> FlowError {
    FlowError::Parameter { what, value: value.to_string(), valid: valid.to_string() }
}

impl SrtpContext {
    /// Derives the session keys and opens their sessions. Packets are sent under the first master
    /// key until [`send_with`](SrtpContext::send_with) says otherwise.
    ///
    /// # Errors
    /// A key or a salt of a length that the profile does not have; no master key, or more than 256;
    /// identifiers that do not tell the keys apart; a replay window that there is not; a key
    /// derivation rate; or no provider opens the sessions.
    pub fn new(registry: &Registry, config: &SrtpConfig) -> Result<Self, FlowError> {
        let masters = &config.master_keys;
        if !(1..=MAX_KEYS).contains(&masters.len()) {
            return Err(parameter("the number of master keys", masters.len(), "1 to 256"));
        }
        if config.key_derivation_rate != 0 {
            return Err(parameter("the key derivation rate", config.key_derivation_rate, 0));
        }
        let mki_len = masters[0].mki.len();
        let least = usize::from(masters.len() > 1);
        for (at, master) in masters.iter().enumerate() {
            let len = master.mki.len();
            if len != mki_len || !(least..=MAX_MKI).contains(&len) {
                let valid = match len == mki_len {
                    true => format!("{least} to {MAX_MKI}"),
                    false => format!("{mki_len}, as that of the first key"),
                };
                return Err(parameter("the length of an MKI", len, valid));
            }
            if masters[..at].iter().any(|before| before.mki == master.mki) {
                let value = format!("{:x?} for two master keys", master.mki);
                return Err(parameter("an MKI", value, "a different one for each key"));
            }
        }
        let identifiers = Identifiers::new(&config.encrypted_extensions)?;
        let needs = Needs { cryptex: config.cryptex, header: identifiers.is_some() };
        let keys = masters.iter().map(|master| Keys::new(registry, config.profile, master, needs));
        let context = SrtpContext {
            profile: config.profile,
            keys: keys.collect::<Result<_, _>>()?,
            mki_len,
            sending: AtomicUsize::new(0),
            window: config.window,
            encrypts_rtcp: config.encrypts_rtcp,
            cryptex: config.cryptex && config.profile.protection() != Protection::Mac,
            identifiers,
        };
        context.indices(0, 0)?;
        Ok(context)
    }

    /// Returns the profile.
    pub fn profile(&self) -> SrtpProfile {
        self.profile
    }

    /// Sends all further packets under the master key with this identifier. A stream goes on with
    /// its sequence numbers and its roll-over counter.
    ///
    /// # Errors
    /// No master key has the identifier.
    pub fn send_with(&self, mki: &[u8]) -> Result<(), FlowError> {
        let Some(key) = self.key_of(mki) else {
            let known: Vec<_> = self.keys.iter().map(|keys| format!("{:x?}", keys.mki)).collect();
            return Err(parameter("the MKI to send with", format!("{mki:x?}"), known.join(", ")));
        };
        self.sending.store(key, Ordering::Release);
        Ok(())
    }

    /// Returns the state of a stream of which nothing was sent or received.
    pub(super) fn indices(&self, first_roc: u32, first_rtcp: u32) -> Result<Indices, FlowError> {
        Indices::new(self.window, first_roc, first_rtcp)
    }

    #[inline]
    fn key_of(&self, mki: &[u8]) -> Option<usize> {
        self.keys.iter().position(|keys| *keys.mki == *mki)
    }

    /// Returns the number of the master key that packets are sent under.
    #[inline]
    pub(super) fn sending(&self) -> usize {
        self.sending.load(Ordering::Acquire)
    }

    /// Returns the keys that belong to a packet's [`Work`].
    #[inline]
    pub(super) fn keys_of(&self, number: u64) -> &Keys {
        &self.keys[(number >> INDEX_BITS) as usize]
    }

    /// Returns the number of a packet's [`Work`]: its index, and which master key it has.
    #[inline]
    pub(super) fn number(key: usize, index: u64) -> u64 {
        (key as u64) << INDEX_BITS | index
    }

    /// Returns the index in the number of a packet's [`Work`].
    #[inline]
    pub(super) fn index(number: u64) -> u64 {
        number & ((1 << INDEX_BITS) - 1)
    }

    /// Returns the number of the master key of a packet that carries this identifier.
    #[inline]
    pub(super) fn receiving(&self, mki: &[u8]) -> Result<usize, PacketError> {
        let found = || {
            let bytes = mki.iter().take(8);
            bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        self.key_of(mki).ok_or_else(|| PacketError::WrongFlow { found: found() })
    }

    /// Returns `true` if a packet is RTCP.
    #[inline]
    pub(super) fn is_rtcp(packet: &[u8], kind: SrtpKind) -> bool {
        match kind {
            SrtpKind::Muxed => header::is_rtcp(packet),
            SrtpKind::Rtp => false,
            SrtpKind::Rtcp => true,
        }
    }

    /// Returns the SSRC of a packet.
    #[inline]
    pub(super) fn ssrc(packet: &[u8], kind: SrtpKind) -> Result<u32, PacketError> {
        let (at, min) = match SrtpContext::is_rtcp(packet, kind) {
            true => (4, header::RTCP_FIXED),
            false => (8, header::FIXED),
        };
        header::has_at_least(packet, min)?;
        Ok(header::u32_at(packet, at))
    }

    #[inline]
    pub(super) fn protect(
        &self,
        indices: &Indices,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
    ) -> Result<Plan<'_>, PacketError> {
        check_len(frame)?;
        if SrtpContext::is_rtcp(frame.bytes(), meta.kind) {
            meta.progress.stage = Stage::Rtcp;
            return self.protect_rtcp(indices, frame);
        }
        self.protect_rtp(indices, frame, &mut meta.progress)
    }

    #[inline]
    pub(super) fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        match meta.progress.stage {
            Stage::Rtcp => {
                self.protected_rtcp(frame, work);
                Ok(Step::Complete)
            }
            _ => self.protected_rtp(frame, &mut meta.progress, work),
        }
    }

    /// Begins with a packet. Without `indices` it is the first of its stream, as far as is known.
    #[inline]
    pub(super) fn unprotect(
        &self,
        indices: Option<&Indices>,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
    ) -> Result<Plan<'_>, PacketError> {
        check_len(frame)?;
        if SrtpContext::is_rtcp(frame.bytes(), meta.kind) {
            meta.progress.stage = Stage::Rtcp;
            return self.unprotect_rtcp(indices, frame);
        }
        self.unprotect_rtp(indices, frame, &mut meta.progress)
    }

    /// Goes on with an authentic packet; `accept` enters its index, once.
    #[inline]
    pub(super) fn unprotected(
        &self,
        accept: impl FnOnce(bool, u64) -> Result<(), PacketError>,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let index = SrtpContext::index(work.number);
        match meta.progress.stage {
            Stage::Rtcp => {
                accept(true, index)?;
                frame.remove_back(self.rtcp_trailer())?;
                Ok(Step::Complete)
            }
            _ => self.unprotected_rtp(|| accept(false, index), frame, &mut meta.progress, work),
        }
    }

    /// Puts back what was changed in a packet whose job failed.
    pub(super) fn failed(&self, frame: &mut Frame<'_>, meta: &mut SrtpMeta, work: &Work) {
        if meta.progress.stage != Stage::Rtcp {
            return self.failed_rtp(frame, &mut meta.progress, work);
        }
        if let TagPlace::Expected(tag) = &work.tag {
            let at = work.data.start - rtcp::WORD;
            frame.buffer_mut()[at..at + rtcp::WORD].copy_from_slice(&tag[..rtcp::WORD]);
        }
    }
}

#[inline]
fn check_len(frame: &Frame<'_>) -> Result<(), PacketError> {
    match frame.len() > MAX_LEN {
        true => Err(PacketError::TooLong { len: frame.len(), max: MAX_LEN }),
        false => Ok(()),
    }
}
