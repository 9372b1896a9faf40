//! SLH-DSA: what the device is told of a key, of a message and of a signature. The host hashes
//! messages, which says where in the structure everything happens; SK.prf stays with it.

mod message;
mod params;

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, PublicKeyParts};
use broadloom_engine::{JobError, PrivateKey, PublicKey, Transform};
use broadloom_public_key::{PreHash, SlhDsaParams, SlhDsaPlaces};
use broadloom_schemes::{prehash, random};
use zeroize::Zeroizing;

pub(crate) use message::MessageHasher;
use message::{Message, Prf};
pub(crate) use params::FORS_PART;
use params::{Items, MAX_N, sign_memory, verify_memory};

use crate::cl::GROUP;
use crate::kernels::{KERNELS, KernelId, SlhDsaKernels};
use crate::lower::{ALIGNMENT, Entry, Needs, Room, TASK, aligned};
use crate::session::{GpuSession, SHA256, SHA512, words, words_of_64};

/// Words of a key before the numbers of its set, and before SK.seed or PK.root: see
/// `slh_dsa_address.cl`.
const NUMBERS: usize = 24;
const HEADER: usize = 32;

/// Tasks of a signature, one of each kernel.
const TASKS: usize = 6;

/// A key.
pub(crate) struct SlhDsa {
    params: SlhDsaParams,
    kernels: &'static SlhDsaKernels,
    /// PK.seed and PK.root.
    public: Vec<u8>,
    /// The hash whose digests are signed; `None` if messages are.
    hash: Option<PreHash>,
    context: Vec<u8>,
    role: Role,
}

enum Role {
    Sign {
        prf: Prf,
        /// `true` if each signature has fresh randomness.
        is_hedged: bool,
    },
    Verify,
}

impl SlhDsa {
    /// The session's own part, and what kernels read of the key.
    ///
    /// # Errors
    /// The key is none of SLH-DSA, or HashSLH-DSA has no digests of the hash.
    pub fn open(transform: &Transform) -> Result<(SlhDsa, Zeroizing<Vec<u32>>), ProviderError> {
        let Some(Asymmetric { key, scheme, context, .. }) = transform.asymmetric() else {
            return Err(ProviderError::new("SLH-DSA needs a key"));
        };
        let (params, public, own, role) = match key {
            AnyKey::Private(PrivateKey::SlhDsa(key)) => {
                let (params, bytes) = (key.set().params(), key.as_bytes());
                let (secret, public) = bytes.split_at(2 * params.n);
                let (seed, prf) = secret.split_at(params.n);
                let prf = Prf::new(&params, prf);
                let role = Role::Sign { prf, is_hedged: scheme.is_hedged() };
                (params, public.to_vec(), seed, role)
            }
            AnyKey::Public(PublicKey::SlhDsa(key)) => {
                let (params, bytes) = (key.set().params(), key.as_bytes());
                (params, bytes.to_vec(), &bytes[params.n..], Role::Verify)
            }
            _ => return Err(ProviderError::new("the key is none of SLH-DSA")),
        };
        let kernels = KernelId::slh_dsa(params.is_shake);
        let words = words_of(&params, &public[..params.n], own);
        let hash = prehash(scheme, "HashSLH-DSA")?;
        let context = context.clone();
        Ok((SlhDsa { params, kernels, public, hash, context, role }, words))
    }

    /// The kernel's name.
    pub fn kernel(&self) -> &'static str {
        if self.params.is_shake { "slh_dsa, keccak" } else { "slh_dsa, sha2" }
    }

    /// The most bytes of an output.
    pub fn bound(&self) -> usize {
        match self.role {
            Role::Sign { .. } => self.params.signature_len(),
            Role::Verify => 0,
        }
    }

    /// What a job takes at most.
    pub fn needs(&self, key: &[u32]) -> Needs {
        let signature = aligned(self.params.signature_len());
        let chosen = aligned(4 * self.params.k);
        let tasks = TASKS * 4 * TASK + KERNELS * ALIGNMENT;
        let bytes = aligned(4 * key.len()) + signature + chosen + tasks + 2 * ALIGNMENT;
        Needs { bytes, scratch: aligned(self.memory()) }
    }

    /// Turns an operation into tasks of kernels.
    ///
    /// # Errors
    /// A digest has another length than its hash's, the signature has another length than
    /// signatures have, or the system gives no randomness.
    pub fn lower(
        &self,
        room: &mut Room<'_>,
        hasher: &mut MessageHasher,
        parts: &PublicKeyParts<'_, GpuSession>,
        key: u32,
        entry: &mut Entry,
    ) -> Result<(), JobError> {
        let (params, n) = (&self.params, self.params.n);
        let len = parts.input.len();
        if let Some(valid) = self.hash.map(PreHash::digest_len).filter(|valid| *valid != len) {
            return Err(JobError::InputLength { len, min: valid, max: valid });
        }
        let message = Message { hash: self.hash, context: &self.context, text: parts.input };
        let (digest, [out, signature]) = match &self.role {
            Role::Sign { prf, is_hedged } => {
                let mut random = Zeroizing::new([0; MAX_N]);
                let random = &mut random[..n];
                match is_hedged {
                    true => random::fill(random)?,
                    false => random.copy_from_slice(&self.public[..n]),
                }
                let (randomizer, digest) =
                    hasher.randomize(params, (prf, &self.public), random, message);
                let randomizer = room.put(&[&randomizer[..n]]);
                let out = room.make_text(params.signature_len(), entry);
                (digest, [out, randomizer])
            }
            Role::Verify => {
                if parts.signature.len() != params.signature_len() {
                    return Err(JobError::SignatureMismatch);
                }
                let digest = hasher.digest(params, &self.public, &parts.signature[..n], message);
                let signature = room.put(&[parts.signature]);
                (digest, [room.make_text(4, entry), signature])
            }
        };
        let places = SlhDsaPlaces::new(params, &digest[..params.digest_len()]);
        let (tree, leaf) = places.layers[0];
        let chosen = room.put_words(&places.fors[..params.k]);
        let memory = room.make_scratch(self.memory());
        let (low, high) = (tree as u32, (tree >> 32) as u32);
        let mut task = |kernel, items: usize| {
            let items = items as u32;
            let task = [0, items, key, low, high, leaf, chosen, memory, out, signature];
            room.task(kernel, &task);
        };
        let SlhDsaKernels { chains, leaves, fors, climb, roots, values, verify } = *self.kernels;
        if let Role::Verify = self.role {
            task(verify, GROUP);
            return Ok(());
        }
        let items = Items::of(params);
        task(chains, items.chains);
        task(leaves, items.leaves);
        task(fors, items.fors);
        task(climb, items.climb);
        task(roots, 1);
        task(values, items.values);
        Ok(())
    }

    /// Bytes of intermediate results, in the device's memory.
    fn memory(&self) -> usize {
        match self.role {
            Role::Sign { .. } => sign_memory(&self.params),
            Role::Verify => verify_memory(&self.params),
        }
    }

    /// Makes the output of what the device has made. Returns the output's length.
    ///
    /// # Errors
    /// The signature is wrong.
    pub fn result(
        &self,
        parts: PublicKeyParts<'_, GpuSession>,
        made: &[u8],
    ) -> Result<usize, JobError> {
        match self.role {
            Role::Sign { .. } => {
                parts.output[..made.len()].copy_from_slice(made);
                Ok(made.len())
            }
            Role::Verify if made == 1_u32.to_ne_bytes() => Ok(0),
            Role::Verify => Err(JobError::SignatureMismatch),
        }
    }
}

/// A key as the kernels have it: see `slh_dsa_address.cl`.
fn words_of(params: &SlhDsaParams, seed: &[u8], own: &[u8]) -> Zeroizing<Vec<u32>> {
    let SlhDsaParams { n, d, height, a, k, is_shake } = *params;
    // As long as it gets, so that no copy of it is left behind.
    let mut all = Zeroizing::new(Vec::with_capacity(HEADER + MAX_N / 4));
    if is_shake {
        all.extend(words(seed).iter());
    } else {
        let mut block = [0; 128];
        block[..n].copy_from_slice(seed);
        let (mut narrow, mut wide) = (SHA256, SHA512);
        let half = block[..64].try_into().expect("half of it");
        sha2::block_api::compress256(&mut narrow, &[half]);
        sha2::block_api::compress512(&mut wide, &[block]);
        all.extend(narrow);
        all.extend(words_of_64(&wide));
    }
    all.resize(NUMBERS, 0);
    all.extend([n / 4, d, height, a, k].map(|number| number as u32));
    all.resize(HEADER, 0);
    all.extend(words(own).iter());
    all
}
