//! What an SRTP context is made from.

use super::keys::MasterKey;
use super::profile::SrtpProfile;

/// The parameters of a context, as a key exchange negotiates them.
///
/// ```
/// use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpProfile};
///
/// let mut config = SrtpConfig::new(
///     SrtpProfile::Aes128CmHmacSha1_80,
///     [MasterKey::new(&[1; 16], &[2; 14]).with_mki(&[7])],
/// );
/// config.window = 1024;
/// ```
#[derive(Debug, Clone)]
pub struct SrtpConfig {
    /// Cipher, MAC and length of the tag.
    pub profile: SrtpProfile,
    /// The master keys. One has no identifier (MKI), or one of 1 to 128 bytes. Several each have an
    /// identifier of their own, all of the same length.
    pub master_keys: Vec<MasterKey>,
    /// Packets of the replay window of each stream, 32 to 65,536; 128 unless changed.
    pub window: u32,
    /// `true` if SRTCP is encrypted, as it is unless this is changed; it is always authenticated.
    /// Packets that are received say themselves whether they are.
    pub encrypts_rtcp: bool,
    /// After how many packets new session keys are derived. Only 0 is valid: never.
    pub key_derivation_rate: u64,
    /// The identifiers of the elements of header extensions that are encrypted (RFC 6904).
    pub encrypted_extensions: Vec<u8>,
    /// `true` if header extensions and contributing sources are encrypted as a whole (Cryptex, RFC
    /// 9335). Packets that are received say themselves whether theirs are.
    pub cryptex: bool,
}

impl SrtpConfig {
    /// Returns parameters with usual values for all but the profile and the keys.
    pub fn new(profile: SrtpProfile, master_keys: impl Into<Vec<MasterKey>>) -> Self {
        SrtpConfig {
            profile,
            master_keys: master_keys.into(),
            window: 128,
            encrypts_rtcp: true,
            key_derivation_rate: 0,
            encrypted_extensions: Vec::new(),
            cryptex: false,
        }
    }
}
