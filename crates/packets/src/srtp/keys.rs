//! Master keys, and the session keys that come from them (RFC 3711, section 4.3).

use std::fmt;

use arrayvec::ArrayVec;
use broadloom_engine::{HashAlgorithm, Job, MacAlgorithm, Processor, Registry, Session, Transform};
use zeroize::Zeroizing;

use super::profile::{Protection, SrtpProfile};
use crate::error::FlowError;
use crate::plan::MAX_NONCE;

/// Bytes of the key of HMAC-SHA1.
const AUTHENTICATION_KEY: usize = 20;

/// Bytes of a salt of AES in counter mode, to which a salt of GCM is padded.
const LONG_SALT: usize = 14;

/// A master key with its salt, as a key exchange delivers them. Both are wiped when it is dropped.
#[derive(Clone)]
pub struct MasterKey {
    pub(super) key: Zeroizing<Vec<u8>>,
    pub(super) salt: Zeroizing<Vec<u8>>,
    pub(super) mki: Vec<u8>,
}

impl MasterKey {
    /// Returns a master key without an identifier.
    pub fn new(key: &[u8], salt: &[u8]) -> Self {
        MasterKey {
            key: Zeroizing::new(key.to_vec()),
            salt: Zeroizing::new(salt.to_vec()),
            mki: Vec::new(),
        }
    }

    /// Gives the key an identifier (MKI), which every packet under it carries.
    #[must_use]
    pub fn with_mki(mut self, mki: &[u8]) -> Self {
        self.mki = mki.to_vec();
        self
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MasterKey").field("mki", &self.mki).finish_non_exhaustive()
    }
}

/// What a session key is for: its label (RFC 3711, section 4.3.2; RFC 6904, section 4.3).
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
enum Label {
    RtpEncryption = 0,
    RtpAuthentication = 1,
    RtpSalt = 2,
    RtcpEncryption = 3,
    RtcpAuthentication = 4,
    RtcpSalt = 5,
    HeaderEncryption = 6,
    HeaderSalt = 7,
}

/// The sessions of SRTP or of SRTCP under one master key.
#[derive(Debug)]
pub(super) struct Suite {
    pub protect: Session,
    pub unprotect: Session,
    /// The session salt as a number, from which nonces are made.
    pub salt: Zeroizing<u128>,
    pub protection: Protection,
}

/// The cipher and the MAC of a chain, each on its own.
#[derive(Debug)]
pub(super) struct Halves {
    pub encrypt: Session,
    pub decrypt: Session,
    pub generate: Session,
    pub verify: Session,
}

/// The session that encrypts and decrypts elements of header extensions.
#[derive(Debug)]
pub(super) struct HeaderCipher {
    pub encrypt: Session,
    pub salt: Zeroizing<u128>,
}

/// All sessions under one master key.
#[derive(Debug)]
pub(super) struct Keys {
    pub mki: Box<[u8]>,
    pub rtp: Suite,
    pub rtcp: Suite,
    /// For Cryptex with contributing sources under a chain.
    pub halves: Option<Halves>,
    pub header: Option<HeaderCipher>,
}

/// What of the sessions a configuration needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub cryptex: bool,
    pub header: bool,
}

/// A nonce of a packet.
pub(super) type Nonce = ArrayVec<u8, MAX_NONCE>;

/// Returns the first counter block of AES in counter mode (RFC 3711, section 4.1.1).
#[inline]
pub(super) fn counter_block(salt: u128, ssrc: u32, index: u64) -> [u8; 16] {
    ((salt ^ u128::from(ssrc) << 48 ^ u128::from(index)) << 16).to_be_bytes()
}

impl Suite {
    /// Returns the nonce of a packet; empty if there is only a MAC.
    #[inline]
    pub fn nonce(&self, ssrc: u32, index: u64) -> Nonce {
        match self.protection {
            Protection::Chain => counter_block(*self.salt, ssrc, index).into(),
            Protection::Mac => Nonce::new(),
            // RFC 7714, sections 8.1 and 9.1.
            Protection::Aead => {
                let nonce = *self.salt ^ u128::from(ssrc) << 48 ^ u128::from(index);
                nonce.to_be_bytes()[4..].iter().copied().collect()
            }
        }
    }
}

/// Derives session keys from a master key, by AES in counter mode.
struct Derivation<'r> {
    registry: &'r Registry,
    profile: SrtpProfile,
    session: Session,
    /// The master salt, padded to 112 bits (RFC 7714, section 11).
    salt: Zeroizing<u128>,
}

impl<'r> Derivation<'r> {
    fn new(
        registry: &'r Registry,
        profile: SrtpProfile,
        master: &MasterKey,
    ) -> Result<Self, FlowError> {
        let check = |what, len: usize, valid: usize| match len == valid {
            true => Ok(()),
            false => Err(FlowError::KeyLength {
                what,
                len,
                algorithm: profile.to_string(),
                valid: valid.to_string(),
            }),
        };
        check("a master key", master.key.len(), profile.key_len())?;
        check("a master salt", master.salt.len(), profile.salt_len())?;
        let transform = Transform::cipher(profile.cipher(), &master.key).encrypt()?;
        let session = registry.open(&transform)?;
        Ok(Derivation { registry, profile, session, salt: number(&master.salt, LONG_SALT) })
    }

    /// Returns the key with a label.
    fn key(&self, label: Label, len: usize) -> Result<Zeroizing<Vec<u8>>, FlowError> {
        let block = (*self.salt ^ u128::from(label as u8) << 48) << 16;
        let mut key = Zeroizing::new(vec![0; len]);
        let mut job = [Job::new(&self.session, &mut key[..]).nonce(&block.to_be_bytes())];
        Processor::new().process_many(&mut job);
        let status = job[0].status();
        drop(job);
        match status {
            Some(Err(error)) => Err(FlowError::Derivation(error)),
            _ => Ok(key),
        }
    }

    fn suite(&self, labels: [Label; 3], tag_len: usize) -> Result<Suite, FlowError> {
        let [encryption, authentication, salt] = labels;
        let profile = self.profile;
        let salt = self.key(salt, profile.salt_len())?;
        let [protect, unprotect] = match profile.aead() {
            Some(aead) => {
                let key = self.key(encryption, profile.key_len())?;
                [Transform::aead(aead, &key).seal()?, Transform::aead(aead, &key).open()?]
            }
            None => {
                let mac_key = self.key(authentication, AUTHENTICATION_KEY)?;
                if profile.protection() == Protection::Mac {
                    mac(&mac_key, tag_len)?
                } else {
                    let key = self.key(encryption, profile.key_len())?;
                    let chain = || {
                        Transform::cipher_then_mac(profile.cipher(), &key, SHA1, &mac_key)
                            .tag_len(tag_len)
                    };
                    [chain().encrypt()?, chain().decrypt()?]
                }
            }
        };
        Ok(Suite {
            protect: self.registry.open(&protect)?,
            unprotect: self.registry.open(&unprotect)?,
            salt: number(&salt, salt.len()),
            protection: profile.protection(),
        })
    }

    fn halves(&self) -> Result<Halves, FlowError> {
        let key = self.key(Label::RtpEncryption, self.profile.key_len())?;
        let mac_key = self.key(Label::RtpAuthentication, AUTHENTICATION_KEY)?;
        let cipher = || Transform::cipher(self.profile.cipher(), &key);
        let [generate, verify] = mac(&mac_key, self.profile.tag_len())?;
        Ok(Halves {
            encrypt: self.registry.open(&cipher().encrypt()?)?,
            decrypt: self.registry.open(&cipher().decrypt()?)?,
            generate: self.registry.open(&generate)?,
            verify: self.registry.open(&verify)?,
        })
    }

    /// Opens the cipher of elements of header extensions, which is AES in counter mode for every
    /// profile. The standards leave the length of its salt open for GCM: as in libsrtp, it is that
    /// of GCM, padded as a master salt is.
    fn header(&self) -> Result<HeaderCipher, FlowError> {
        let key = self.key(Label::HeaderEncryption, self.profile.key_len())?;
        let salt = self.key(Label::HeaderSalt, self.profile.salt_len())?;
        let transform = Transform::cipher(self.profile.cipher(), &key).encrypt()?;
        let salt = number(&salt, LONG_SALT);
        Ok(HeaderCipher { encrypt: self.registry.open(&transform)?, salt })
    }
}

const SHA1: MacAlgorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha1);

/// Returns the transforms that make and check a MAC.
fn mac(key: &[u8], tag_len: usize) -> Result<[Transform; 2], FlowError> {
    let mac = || Transform::mac(SHA1, key).tag_len(tag_len);
    Ok([mac().generate()?, mac().verify()?])
}

/// Returns bytes as a number, padded to `len` bytes by zeros behind them.
fn number(bytes: &[u8], len: usize) -> Zeroizing<u128> {
    let number = bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
    Zeroizing::new(number << (8 * (len - bytes.len())))
}

impl Keys {
    /// Derives all keys under a master key, and opens their sessions.
    pub fn new(
        registry: &Registry,
        profile: SrtpProfile,
        master: &MasterKey,
        needs: Needs,
    ) -> Result<Self, FlowError> {
        let derivation = Derivation::new(registry, profile, master)?;
        let rtp = [Label::RtpEncryption, Label::RtpAuthentication, Label::RtpSalt];
        let rtcp = [Label::RtcpEncryption, Label::RtcpAuthentication, Label::RtcpSalt];
        let is_split = needs.cryptex && profile.protection() == Protection::Chain;
        Ok(Keys {
            mki: master.mki.as_slice().into(),
            rtp: derivation.suite(rtp, profile.tag_len())?,
            rtcp: derivation.suite(rtcp, profile.rtcp_tag_len())?,
            halves: if is_split { Some(derivation.halves()?) } else { None },
            header: if needs.header { Some(derivation.header()?) } else { None },
        })
    }
}

#[cfg(test)]
mod tests {
    use broadloom_lanes::Cpu;

    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len() / 2)
            .map(|at| u8::from_str_radix(&text[2 * at..][..2], 16).expect("hex digits"))
            .collect()
    }

    /// Returns the key, the salt and the MAC's key that are derived for SRTP.
    fn derived(profile: SrtpProfile, key: &str, salt: &str) -> [Vec<u8>; 3] {
        let registry = registry();
        let master = MasterKey::new(&hex(key), &hex(salt));
        let derivation = Derivation::new(&registry, profile, &master).expect("the keys fit");
        let labels = [
            (Label::RtpEncryption, profile.key_len()),
            (Label::RtpSalt, LONG_SALT),
            (Label::RtpAuthentication, AUTHENTICATION_KEY),
        ];
        labels.map(|(label, len)| derivation.key(label, len).expect("it is derived").to_vec())
    }

    /// RFC 3711, appendix B.3, and RFC 6188, sections 7.2 and 7.4.
    #[test]
    fn session_keys_are_those_of_the_standards() {
        let keys = derived(
            SrtpProfile::Aes128CmHmacSha1_80,
            "e1f97a0d3e018be0d64fa32c06de4139",
            "0ec675ad498afeebb6960b3aabe6",
        );
        let expected = [
            "c61e7a93744f39ee10734afe3ff7a087",
            "30cbbc08863d8c85d49db34a9ae1",
            "cebe321f6ff7716b6fd4ab49af256a156d38baa4",
        ];
        assert_eq!(keys, expected.map(hex));
        let keys = derived(
            SrtpProfile::Aes192CmHmacSha1_80,
            "73edc66c4fa15776fb57f9505c17136550ffda71f3e8e5f1",
            "c8522f3acd4ce86d5add78edbb11",
        );
        let expected = [
            "31874736a8f1143870c26e4857d8a5b2c4a354407faadabb",
            "2372b82d639b6d8503a47adc0a6c",
            "355b10973cd95b9eacf4061c7e1a7151e7cfbfcb",
        ];
        assert_eq!(keys, expected.map(hex));
        let keys = derived(
            SrtpProfile::Aes256CmHmacSha1_80,
            "f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6",
            "3b04803de51ee7c96423ab5b78d2",
        );
        let expected = [
            "5ba1064e30ec51613cad926c5a28ef731ec7fb397f70a960653caf06554cd8c4",
            "fa31791685ca444a9e07c6c64e93",
            "fd9c32d39ed5fbb5a9dc96b30818454d1313dc05",
        ];
        assert_eq!(keys, expected.map(hex));
    }

    fn registry() -> Registry {
        let mut registry = Registry::new();
        registry.add_factory(broadloom_native::factory(&Cpu::detect()));
        registry
    }

    /// Processes data with a session, and returns the tag.
    fn process(session: &Session, nonce: &[u8], associated: &[u8], data: &mut [u8]) -> Vec<u8> {
        let mut jobs = [Job::new(session, data).nonce(nonce)];
        jobs[0].set_associated(associated);
        Processor::new().process_many(&mut jobs);
        assert!(jobs[0].succeeded());
        jobs[0].tag().unwrap_or_default().to_vec()
    }

    /// RFC 3711, appendix B.2.
    #[test]
    fn the_key_stream_is_that_of_the_standard() {
        let cipher = SrtpProfile::Aes128CmHmacSha1_80.cipher();
        let transform = Transform::cipher(cipher, &hex("2b7e151628aed2a6abf7158809cf4f3c"));
        let session = registry().open(&transform.encrypt().expect("it fits")).expect("it opens");
        let salt = number(&hex("f0f1f2f3f4f5f6f7f8f9fafbfcfd"), LONG_SALT);
        let mut stream = vec![0; 48];
        process(&session, &counter_block(*salt, 0, 0), &[], &mut stream);
        let expected = [
            "e03ead0935c95e80e166b16dd92b4eb4",
            "d23513162b02d0f72a43a2fe4a5f97ab",
            "41e95b3bb0a2e8dd477901e4fca894c0",
        ];
        assert_eq!(stream, hex(&expected.concat()));
    }

    /// RFC 7714, section 16.1.1, whose keys are session keys, and the nonce of section 17.1.
    #[test]
    fn packets_under_gcm_are_those_of_the_standard() {
        let profile = SrtpProfile::Aes128Gcm;
        let needs = Needs { cryptex: false, header: false };
        let master = MasterKey::new(&[1; 16], &[2; 12]);
        let mut suite = Keys::new(&registry(), profile, &master, needs).expect("it is valid").rtp;
        let key = hex("000102030405060708090a0b0c0d0e0f");
        let aead = profile.aead().expect("it is one");
        let transform = Transform::aead(aead, &key).seal().expect("it fits");
        suite.protect = registry().open(&transform).expect("it opens");
        suite.salt = number(&hex("517569642070726f2071756f"), profile.salt_len());
        let nonce = suite.nonce(0x5501_a0b2, 0xf17b);
        assert_eq!(nonce[..], hex("51753c6580c2726f20718414"));
        let mut text = b"Gallia est omnis divisa in partes tres".to_vec();
        let tag = process(&suite.protect, &nonce, &hex("8040f17b8041f8d35501a0b2"), &mut text);
        let expected =
            "f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833";
        assert_eq!(text, hex(expected));
        assert_eq!(tag, hex("899d7f27beb16a9152cf765ee4390cce"));
        let nonce = suite.nonce(0x4d61_7273, 0x05d4);
        assert_eq!(nonce[..], hex("517524055203726f207170bb"));
    }
}
