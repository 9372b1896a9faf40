//! Hashes for signatures and paddings: many messages of one hash at a time.

use broadloom_engine::{HashAlgorithm, JobError, MAX_TAG, Scheme};
use broadloom_lanes::{
    Cpu, HashLanes, HmacKey, Loan, Planner, Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224,
    Sha256, Sha384, Sha512, SpongeLanes,
};

/// The hashes that signatures and paddings are made with.
pub const HASHES: [HashAlgorithm; 9] = [
    HashAlgorithm::Sha1,
    HashAlgorithm::Sha224,
    HashAlgorithm::Sha256,
    HashAlgorithm::Sha384,
    HashAlgorithm::Sha512,
    HashAlgorithm::Sha3_224,
    HashAlgorithm::Sha3_256,
    HashAlgorithm::Sha3_384,
    HashAlgorithm::Sha3_512,
];

/// Returns the digest that is signed: the beginning of what was hashed of a message, or the data
/// themselves where the caller has hashed.
///
/// # Errors
/// The caller has hashed, and the data are not as long as a digest.
pub fn digest_of<'d>(
    scheme: &Scheme,
    data: &'d [u8],
    hashed: &'d [u8; MAX_TAG],
) -> Result<&'d [u8], JobError> {
    let len = scheme.hash().digest_len();
    match scheme.is_prehashed() {
        false => Ok(&hashed[..len]),
        true if data.len() == len => Ok(data),
        true => Err(JobError::InputLength { len: data.len(), min: len, max: len }),
    }
}

/// One thread's planners of hashes, each made when it is first used.
pub struct Hasher {
    cpu: Cpu,
    sha1: Option<Planner<HashLanes<Sha1>>>,
    sha224: Option<Planner<HashLanes<Sha224>>>,
    sha256: Option<Planner<HashLanes<Sha256>>>,
    sha384: Option<Planner<HashLanes<Sha384>>>,
    sha512: Option<Planner<HashLanes<Sha512>>>,
    sponge: Option<Planner<SpongeLanes>>,
}

impl Hasher {
    /// Makes a hasher with the kernels of a CPU.
    pub fn new(cpu: &Cpu) -> Hasher {
        Hasher {
            cpu: cpu.clone(),
            sha1: None,
            sha224: None,
            sha256: None,
            sha384: None,
            sha512: None,
            sponge: None,
        }
    }

    /// Hashes messages; each digest is at the beginning of its room.
    ///
    /// # Panics
    /// If the hash is none of [`HASHES`].
    pub fn run<'m>(
        &mut self,
        hash: HashAlgorithm,
        messages: impl Iterator<Item = (&'m [u8], &'m mut [u8; MAX_TAG])>,
    ) {
        /// Runs a hash in its planner.
        macro_rules! run {
            ($planner:ident) => {{
                let planner = self.$planner.get_or_insert_with(|| Planner::new(&self.cpu));
                planner.process_each(messages.map(|(data, digest)| Loan::digest(data, digest)))
            }};
            ($planner:ident, $sponge:ty) => {{
                let planner = self.$planner.get_or_insert_with(|| Planner::new(&self.cpu));
                type Lent<'m> = Loan<'m, SpongeLanes>;
                let loan = |(data, digest): (&'m [u8], &'m mut [u8; MAX_TAG])| {
                    Lent::sha3::<$sponge>(data, digest)
                };
                planner.process_each(messages.map(loan))
            }};
        }
        match hash {
            HashAlgorithm::Sha1 => run!(sha1),
            HashAlgorithm::Sha224 => run!(sha224),
            HashAlgorithm::Sha256 => run!(sha256),
            HashAlgorithm::Sha384 => run!(sha384),
            HashAlgorithm::Sha512 => run!(sha512),
            HashAlgorithm::Sha3_224 => run!(sponge, Sha3_224),
            HashAlgorithm::Sha3_256 => run!(sponge, Sha3_256),
            HashAlgorithm::Sha3_384 => run!(sponge, Sha3_384),
            HashAlgorithm::Sha3_512 => run!(sponge, Sha3_512),
            _ => panic!("{hash} is none of the hashes of signatures and paddings"),
        }
    }

    /// Makes the HMAC of one message; the tag is at the beginning of its room.
    pub fn hmac(&mut self, key: &HmacKey<Sha256>, message: &[u8], tag: &mut [u8; MAX_TAG]) {
        let planner = self.sha256.get_or_insert_with(|| Planner::new(&self.cpu));
        planner.process_each(std::iter::once(Loan::hmac(key, message, tag)));
    }

    /// Returns the digest of one message, at the beginning of its room.
    ///
    /// # Panics
    /// If the hash is none of [`HASHES`].
    pub fn digest(&mut self, hash: HashAlgorithm, message: &[u8]) -> [u8; MAX_TAG] {
        let mut digest = [0; MAX_TAG];
        self.run(hash, std::iter::once((message, &mut digest)));
        digest
    }

    /// Adds the mask of a seed to bytes: MGF1 (RFC 8017, B.2.1).
    ///
    /// # Panics
    /// If the hash is none of [`HASHES`].
    pub fn mask(&mut self, hash: HashAlgorithm, seed: &[u8], bytes: &mut [u8]) {
        let len = hash.digest_len();
        let mut message = [seed, &[0; 4]].concat();
        for (counter, piece) in bytes.chunks_mut(len).enumerate() {
            message[seed.len()..].copy_from_slice(&(counter as u32).to_be_bytes());
            let digest = self.digest(hash, &message);
            piece.iter_mut().zip(digest).for_each(|(byte, mask)| *byte ^= mask);
        }
        zeroize::Zeroize::zeroize(&mut message);
    }
}
