//! The cryptography of a flow: its session, and the job that each packet becomes.

use arrayvec::ArrayVec;
use broadloom_engine::{AesSize, MacAlgorithm, Registry, Session, Transform};
use zeroize::Zeroize;

use super::algorithm::EspAlgorithm;
use super::config::EspConfig;
use crate::error::FlowError;
use crate::plan::{Associated, MAX_COMPOSED, MAX_NONCE, Plan, TagPlace, Work};

/// Bytes of the ESP header: the SPI and the low half of the sequence number.
pub(super) const HEADER: usize = 8;

/// The most bytes of an IV.
pub(super) const MAX_IV: usize = 16;

/// How a packet becomes a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The header is associated data, with the high half of an extended number in its middle.
    Aead,
    /// Header, IV and ciphertext are authenticated, and behind them an extended number's high half.
    Cbc,
    /// As CBC, with a counter block of salt, IV, and 1.
    Ctr,
    /// As CBC, without a cipher and an IV.
    Null,
    /// Header, IV and text are authenticated, with the high half of an extended number in the
    /// middle of the header.
    Gmac,
}

/// What is usual about a suite, so that its packets become jobs by a short way. The flow makes the
/// IVs itself, and numbers are not extended, but for [`Other`](Shape::Other).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// An AEAD with a nonce of 12 bytes.
    Aead,
    /// AES-CBC and HMAC.
    Chain,
    /// Anything else.
    Other,
}

/// Where an ESP packet lies in its buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Where the ESP header begins.
    pub(super) header: usize,
    /// Where the tag begins.
    pub(super) tag: usize,
}

/// The most bytes of a salt.
const SALT: usize = 4;

/// The bytes that a shifted header covers, while its packet is authenticated.
pub(super) type Covered = [u8; 4];

/// The algorithm and the keys of one direction.
pub(super) struct Suite {
    session: Session,
    /// The security parameters index. It is here, where it takes no more memory.
    pub(super) spi: u32,
    kind: Kind,
    iv_len: u8,
    tag_len: u8,
    alignment: u8,
    pub(super) extended: bool,
    /// The salt; zero from `salt_len` on.
    salt: [u8; SALT],
    salt_len: u8,
    shape: Shape,
    takes_ivs: bool,
}

/// For CBC: random bytes that hide from what blocks the IVs are made. All others have zeros.
pub(super) struct Mask(pub(super) [u8; MAX_IV]);

impl Mask {
    /// Draws the mask of a flow that protects packets with CBC.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub(super) fn draw(algorithm: EspAlgorithm, opens: bool) -> Result<Self, FlowError> {
        let mut mask = Mask([0; MAX_IV]);
        if matches!(algorithm, EspAlgorithm::AesCbc(..)) && !opens {
            getrandom::fill(&mut mask.0).map_err(|error| FlowError::Parameter {
                what: "the source of random bytes",
                value: error.to_string(),
                valid: "one that the system provides".to_owned(),
            })?;
        }
        Ok(mask)
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        self.salt.zeroize();
    }
}

impl Drop for Mask {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Suite {
    /// Opens the session that protects or, if `opens`, unprotects packets.
    pub(super) fn new(
        registry: &Registry,
        config: &EspConfig<'_>,
        opens: bool,
    ) -> Result<Self, FlowError> {
        let EspConfig { algorithm, keys, extended, takes_ivs, .. } = *config;
        config.check_key("a key", keys.key, algorithm.key_len())?;
        config.check_key("a salt", keys.salt, algorithm.salt_len())?;
        config.check_key("a key of HMAC", keys.integrity, algorithm.integrity_key_len())?;
        Ok(Suite {
            session: registry.open(&transform(config, opens)?)?,
            spi: config.spi,
            kind: match algorithm {
                EspAlgorithm::AesGmac(_) => Kind::Gmac,
                EspAlgorithm::AesCbc(..) => Kind::Cbc,
                EspAlgorithm::AesCtr(..) => Kind::Ctr,
                EspAlgorithm::Null(_) => Kind::Null,
                _ => Kind::Aead,
            },
            iv_len: algorithm.iv_len() as u8,
            tag_len: algorithm.tag_len() as u8,
            alignment: algorithm.alignment() as u8,
            extended,
            salt: std::array::from_fn(|at| keys.salt.get(at).copied().unwrap_or(0)),
            salt_len: keys.salt.len() as u8,
            shape: match algorithm {
                _ if extended || takes_ivs => Shape::Other,
                EspAlgorithm::AesGcm(_) | EspAlgorithm::ChaCha20Poly1305 => Shape::Aead,
                EspAlgorithm::AesCbc(..) => Shape::Chain,
                _ => Shape::Other,
            },
            takes_ivs,
        })
    }

    /// Returns the session.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the bytes of an IV.
    #[inline(always)]
    pub(super) fn iv_len(&self) -> usize {
        self.iv_len.into()
    }

    /// Returns the bytes of a tag.
    #[inline(always)]
    pub(super) fn tag_len(&self) -> usize {
        self.tag_len.into()
    }

    /// Returns what the length of a text is a multiple of: a power of two.
    #[inline(always)]
    pub(super) fn alignment(&self) -> usize {
        self.alignment.into()
    }

    /// Returns the bytes before the ESP header that are covered while a packet is authenticated.
    #[inline]
    pub(super) fn shift(&self) -> usize {
        if self.extended && self.kind == Kind::Gmac { size_of::<Covered>() } else { 0 }
    }

    /// Returns `true` if IVs are made under a [`Mask`].
    #[inline]
    pub(super) fn masks_ivs(&self) -> bool {
        self.kind == Kind::Cbc && !self.takes_ivs
    }

    /// Returns `true` if the caller gives the IVs.
    pub(super) fn takes_ivs(&self) -> bool {
        self.takes_ivs
    }

    /// Writes the IV of a packet whose header, text and trailer are in their places, and says in
    /// `work` how the packet is protected.
    ///
    /// The IV is `given`, if the flow takes IVs. Otherwise, for all modes but CBC the IV is the
    /// packet's number, which is never used twice. CBC needs an IV that nobody can predict: it is
    /// the number, masked by secret random bytes and encrypted under the flow's key (SP 800-38A,
    /// appendix C). The [mask](Mask) is `given`. It is the job's IV, and the number is its first
    /// block, so that the first block of the ciphertext is the packet's IV.
    #[inline]
    pub(super) fn seal(
        &self,
        buffer: &mut [u8],
        place: Place,
        number: u64,
        given: &[u8; MAX_IV],
        covered: &mut Covered,
        work: &mut Work,
    ) -> &Session {
        let Place { header, tag } = place;
        let text = header + HEADER + self.iv_len();
        if self.shape == Shape::Aead {
            let iv = number.to_be_bytes();
            buffer[header + HEADER..text].copy_from_slice(&iv);
            return self.usual_plan(place, iv).number(number).write(work);
        }
        if self.shape == Shape::Chain {
            let iv = u128::from(number).to_be_bytes();
            buffer[header + HEADER..][..iv.len()].copy_from_slice(&iv);
            return self.usual_chain(place, given, header + HEADER).number(number).write(work);
        }
        let iv = &mut buffer[header + HEADER..text];
        match iv.len() {
            len if self.takes_ivs => iv.copy_from_slice(&given[..len]),
            0 => {}
            8 => iv.copy_from_slice(&number.to_be_bytes()),
            _ => {
                iv[..8].fill(0);
                iv[8..].copy_from_slice(&number.to_be_bytes());
            }
        }
        let (nonce, cipher) = match self.kind {
            Kind::Cbc if !self.takes_ivs => ((*given).into(), header + HEADER..tag),
            _ => (self.nonce(buffer, header), text..tag),
        };
        self.plan(buffer, place, number, covered, &nonce, cipher).write(work)
    }

    /// Returns the plan of a usual suite.
    #[inline(always)]
    fn usual_plan(&self, place: Place, iv: [u8; 8]) -> Plan<'_> {
        let Place { header, tag } = place;
        let mut nonce = [0; SALT + 8];
        nonce[..SALT].copy_from_slice(&self.salt);
        nonce[SALT..].copy_from_slice(&iv);
        let associated = Associated::Before(header..header + HEADER);
        Plan::aead(&self.session, &nonce, header + HEADER + 8..tag, tag).associated(associated)
    }

    /// Returns the plan of CBC and HMAC with numbers of 32 bits. The cipher begins at `text`.
    #[inline(always)]
    fn usual_chain(&self, place: Place, iv: &[u8; MAX_IV], text: usize) -> Plan<'_> {
        let Place { header, tag } = place;
        Plan::chain(&self.session, iv, text..tag, header..tag, tag)
    }

    /// Says in `work` how a packet is unprotected.
    #[inline]
    pub(super) fn open(
        &self,
        buffer: &mut [u8],
        place: Place,
        number: u64,
        covered: &mut Covered,
        work: &mut Work,
    ) -> &Session {
        let Place { header, tag } = place;
        let text = header + HEADER + self.iv_len();
        if self.shape == Shape::Aead {
            let iv = buffer[header + HEADER..text].try_into().expect("an IV of 8 bytes");
            return self.usual_plan(place, iv).number(number).write(work);
        }
        if self.shape == Shape::Chain {
            let iv = buffer[header + HEADER..text].try_into().expect("an IV of 16 bytes");
            return self.usual_chain(place, &iv, text).number(number).write(work);
        }
        let nonce = self.nonce(buffer, header);
        let mut expected = ArrayVec::new();
        let authenticates_high = matches!(self.kind, Kind::Cbc | Kind::Ctr | Kind::Null);
        if self.extended && authenticates_high {
            let received = &buffer[tag..tag + self.tag_len()];
            expected.try_extend_from_slice(received).expect("a tag has at most 64 bytes");
        }
        let plan = self.plan(buffer, place, number, covered, &nonce, text..tag);
        let plan = match expected.is_empty() {
            true => plan,
            false => plan.tag(TagPlace::Expected(expected)),
        };
        plan.write(work)
    }

    /// Returns the nonce of a packet whose IV is in its place.
    #[inline]
    fn nonce(&self, buffer: &[u8], header: usize) -> ArrayVec<u8, MAX_NONCE> {
        let iv = &buffer[header + HEADER..][..self.iv_len()];
        let mut nonce = ArrayVec::new();
        let mut add = |bytes: &[u8]| {
            nonce.try_extend_from_slice(bytes).expect("a nonce has at most 16 bytes");
        };
        add(&self.salt[..self.salt_len.into()]);
        add(iv);
        if self.kind == Kind::Ctr {
            add(&1_u32.to_be_bytes());
        }
        nonce
    }

    /// Returns the plan of a packet, and puts the high half of an extended number where it is
    /// authenticated.
    #[inline]
    fn plan(
        &self,
        buffer: &mut [u8],
        Place { header, tag }: Place,
        number: u64,
        covered: &mut Covered,
        nonce: &[u8],
        cipher: std::ops::Range<usize>,
    ) -> Plan<'_> {
        let high = ((number >> 32) as u32).to_be_bytes();
        let mut authenticated = header..tag;
        let mut tag_place = TagPlace::At(tag);
        match self.kind {
            Kind::Aead => {
                let associated = match self.extended {
                    false => Associated::Before(header..header + HEADER),
                    true => Associated::Composed(composed(&buffer[header..][..HEADER], high)),
                };
                return Plan::aead(&self.session, nonce, cipher, tag)
                    .associated(associated)
                    .number(number);
            }
            Kind::Gmac if self.extended => {
                covered.copy_from_slice(&buffer[header - 4..header]);
                buffer.copy_within(header..header + 4, header - 4);
                buffer[header..header + 4].copy_from_slice(&high);
                authenticated.start -= 4;
            }
            Kind::Gmac => {}
            Kind::Cbc | Kind::Ctr | Kind::Null if self.extended => {
                buffer[tag..tag + 4].copy_from_slice(&high);
                authenticated.end += 4;
                tag_place = TagPlace::Later(tag);
            }
            Kind::Cbc | Kind::Ctr | Kind::Null => {}
        }
        let plan = match self.kind {
            Kind::Cbc | Kind::Ctr => Plan::chain(&self.session, nonce, cipher, authenticated, tag),
            _ => Plan::mac(&self.session, nonce, authenticated, tag),
        };
        plan.tag(tag_place).number(number)
    }

    /// Puts back what a plan changed in a packet beside the text.
    #[inline]
    pub(super) fn restore(&self, buffer: &mut [u8], header: usize, covered: Covered, work: &Work) {
        if self.shift() > 0 {
            buffer.copy_within(header - 4..header, header);
            buffer[header - 4..header].copy_from_slice(&covered);
        }
        if let (TagPlace::Expected(tag), Some(mac)) = (&work.tag, &work.mac) {
            buffer[mac.end - 4..][..tag.len()].copy_from_slice(tag);
        }
    }
}

/// Returns the associated data under an extended number: the SPI, and all 64 bits of the number.
#[inline]
fn composed(header: &[u8], high: [u8; 4]) -> ArrayVec<u8, MAX_COMPOSED> {
    let mut associated = ArrayVec::new();
    for part in [&header[..4], &high, &header[4..]] {
        associated.try_extend_from_slice(part).expect("the associated data have 12 bytes");
    }
    associated
}

/// Returns the transform of a flow.
fn transform(config: &EspConfig<'_>, opens: bool) -> Result<Transform, FlowError> {
    let EspConfig { algorithm, keys, .. } = *config;
    let transform = if let Some(aead) = algorithm.aead() {
        let aead = Transform::aead(aead, keys.key).tag_len(algorithm.tag_len());
        if opens { aead.open() } else { aead.seal() }
    } else if let (Some(cipher), Some(hash)) = (algorithm.cipher(), algorithm.hash()) {
        let chain = Transform::cipher_then_mac(cipher, keys.key, hash.mac(), keys.integrity)
            .tag_len(hash.tag_len());
        if opens { chain.decrypt() } else { chain.encrypt() }
    } else {
        let (mac, key) = match algorithm.hash() {
            Some(hash) => (hash.mac(), keys.integrity),
            None => (MacAlgorithm::AesGmac(gmac_size(keys.key)), keys.key),
        };
        let mac = Transform::mac(mac, key).tag_len(algorithm.tag_len());
        if opens { mac.verify() } else { mac.generate() }
    };
    Ok(transform?)
}

/// Returns the size of a key of AES whose length was checked.
fn gmac_size(key: &[u8]) -> AesSize {
    let has_len = |size: &AesSize| size.key_len() == key.len();
    AesSize::ALL.into_iter().find(has_len).expect("the length of the key was checked")
}
