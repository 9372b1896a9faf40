//! What the host computes of SLH-DSA: the hashes of messages (FIPS 205, section 11).

use broadloom_engine::MAX_TAG;
use broadloom_lanes::{
    Cpu, Hash, HashLanes, HmacKey, Loan, Planner, Sha256, Sha512, Shake256, SpongeLanes,
};
use broadloom_public_key::{PreHash, SlhDsaParams};
use zeroize::{Zeroize, Zeroizing};

use super::params::MAX_N;

/// The most bytes of a message's digest.
const MAX_DIGEST: usize = 49;

pub(super) type Digest = [u8; MAX_DIGEST];

/// SK.prf, as the hash takes it.
pub(super) enum Prf {
    Sha256(HmacKey<Sha256>),
    Sha512(HmacKey<Sha512>),
    Shake(Zeroizing<Vec<u8>>),
}

impl Prf {
    pub fn new(params: &SlhDsaParams, key: &[u8]) -> Prf {
        match params {
            SlhDsaParams { is_shake: true, .. } => Prf::Shake(Zeroizing::new(key.to_vec())),
            SlhDsaParams { n: 16, .. } => Prf::Sha256(HmacKey::new(key)),
            _ => Prf::Sha512(HmacKey::new(key)),
        }
    }
}

/// One thread's hashes of messages, of any keys and sets.
pub(crate) struct MessageHasher {
    cpu: Cpu,
    sha256: Option<Planner<HashLanes<Sha256>>>,
    sha512: Option<Planner<HashLanes<Sha512>>>,
    shake: Option<Planner<SpongeLanes>>,
    /// Room for a node, PK.seed, PK.root and a message, one after another.
    room: Vec<u8>,
}

/// A message, with what is before it where it is signed under a context string.
#[derive(Clone, Copy)]
pub(super) struct Message<'m> {
    /// The hash whose digest the text is; `None` if it is the message itself.
    pub hash: Option<PreHash>,
    pub context: &'m [u8],
    pub text: &'m [u8],
}

impl MessageHasher {
    pub fn new(cpu: &Cpu) -> MessageHasher {
        MessageHasher {
            cpu: cpu.clone(),
            sha256: None,
            sha512: None,
            shake: None,
            room: Vec::new(),
        }
    }

    /// H_msg: the digest of a message under a public key, and of a randomizer.
    pub(super) fn digest(
        &mut self,
        params: &SlhDsaParams,
        public: &[u8],
        randomizer: &[u8],
        message: Message<'_>,
    ) -> Digest {
        self.lay_out(params, message);
        let digest = self.choose(params, public, randomizer);
        self.room.zeroize();
        digest
    }

    /// PRF_msg: the randomizer of a message; and then its digest. Instead of fresh randomness,
    /// deterministic signatures have PK.seed.
    pub(super) fn randomize(
        &mut self,
        params: &SlhDsaParams,
        (prf, public): (&Prf, &[u8]),
        random: &[u8],
        message: Message<'_>,
    ) -> ([u8; MAX_N], Digest) {
        self.lay_out(params, message);
        let n = params.n;
        self.room[2 * n..3 * n].copy_from_slice(random);
        let mut tag = [0; MAX_TAG];
        match prf {
            Prf::Sha256(key) => {
                let planner = planner(&mut self.sha256, &self.cpu);
                let loan = Loan::hmac(key, &self.room[2 * n..], &mut tag);
                planner.process_each(std::iter::once(loan));
            }
            Prf::Sha512(key) => {
                let planner = planner(&mut self.sha512, &self.cpu);
                let loan = Loan::hmac(key, &self.room[2 * n..], &mut tag);
                planner.process_each(std::iter::once(loan));
            }
            Prf::Shake(key) => {
                self.room[n..2 * n].copy_from_slice(key);
                self.shake(n, &mut tag[..n]);
            }
        }
        let mut randomizer = [0; MAX_N];
        randomizer[..n].copy_from_slice(&tag[..n]);
        tag.zeroize();
        let digest = self.choose(params, public, &randomizer[..n]);
        self.room.zeroize();
        (randomizer, digest)
    }

    /// Puts a message into the room, behind three nodes that come later.
    fn lay_out(&mut self, params: &SlhDsaParams, message: Message<'_>) {
        let Message { hash, context, text } = message;
        self.room.resize(3 * params.n, 0);
        self.room.extend([u8::from(hash.is_some()), context.len() as u8]);
        self.room.extend_from_slice(context);
        if let Some(hash) = hash {
            self.room.extend_from_slice(hash.identifier());
        }
        self.room.extend_from_slice(text);
    }

    fn choose(&mut self, params: &SlhDsaParams, public: &[u8], randomizer: &[u8]) -> Digest {
        let (n, len) = (params.n, params.digest_len());
        self.room[..n].copy_from_slice(randomizer);
        self.room[n..3 * n].copy_from_slice(public);
        let mut digest = [0; MAX_DIGEST];
        let seed = &public[..n];
        match params {
            SlhDsaParams { is_shake: true, .. } => self.shake(0, &mut digest[..len]),
            SlhDsaParams { n: 16, .. } => {
                let planner = planner(&mut self.sha256, &self.cpu);
                mask(planner, &self.room, [randomizer, seed], &mut digest[..len]);
            }
            _ => {
                let planner = planner(&mut self.sha512, &self.cpu);
                mask(planner, &self.room, [randomizer, seed], &mut digest[..len]);
            }
        }
        digest
    }

    /// SHAKE256 of the room from a byte on.
    fn shake(&mut self, from: usize, digest: &mut [u8]) {
        let planner = planner(&mut self.shake, &self.cpu);
        let loan = Loan::<SpongeLanes>::shake::<Shake256>(&self.room[from..], digest);
        planner.process_each(std::iter::once(loan));
    }
}

fn planner<'p, L: broadloom_lanes::Lanes>(
    place: &'p mut Option<Planner<L>>,
    cpu: &Cpu,
) -> &'p mut Planner<L> {
    place.get_or_insert_with(|| Planner::new(cpu))
}

/// MGF1 (RFC 8017, B.2.1) of pieces and the hash of a message.
fn mask<A: Hash>(
    planner: &mut Planner<HashLanes<A>>,
    message: &[u8],
    pieces: [&[u8]; 2],
    mask: &mut [u8],
) {
    let mut digest = [0; MAX_TAG];
    planner.process_each(std::iter::once(Loan::digest(message, &mut digest)));
    let mut seed = [pieces[0], pieces[1], &digest[..A::DIGEST_LEN], &[0; 4]].concat();
    let end = seed.len() - 4;
    for (counter, piece) in mask.chunks_mut(A::DIGEST_LEN).enumerate() {
        seed[end..].copy_from_slice(&(counter as u32).to_be_bytes());
        planner.process_each(std::iter::once(Loan::digest(&seed, &mut digest)));
        piece.copy_from_slice(&digest[..piece.len()]);
    }
}
