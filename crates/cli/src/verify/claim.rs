//! What a signature file claims of a file, and whether that is so.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use blake2::{Blake2b512, Digest as _};
use broadloom::{Job, JobError, Processor};
use broadloom_hashing::digest::Digest;
use broadloom_hashing::task::{Found, Outcome, Task, Turn};
use broadloom_program::streams::StandardInput;

use super::keyring::Keyring;
use super::signature::Signature;

/// Bytes of messages that wait for others to be verified with them.
const MAX_WAITING: usize = 64 * 1024;
/// Bytes that are read at a time.
const PIECE: usize = 256 * 1024;

/// A signature, and what is needed to verify it.
pub struct Claim {
    ring: Arc<Keyring>,
    /// The name of its file, as messages have it.
    pub signature_name: String,
    signature: Signature,
    /// The keys that may have made it, by their places.
    candidates: Vec<usize>,
    /// The file, if the signature is over all of it.
    message: Vec<u8>,
    /// Most bytes of that.
    max_message: u64,
    /// Whether the signature is good, once that is known.
    pub verdict: Option<Verdict>,
}

/// Whether a signature is good.
#[derive(Debug)]
pub enum Verdict {
    /// It is, with the key at this place.
    Good(usize),
    /// It is not.
    Bad,
    /// It is, but the signature of the trusted comment is not.
    BadComment,
    /// It is not as it was asked for, but would be with a salt of another length, with the key at
    /// this place.
    OtherSalt(usize),
    /// It could not be verified.
    Failed(JobError),
}

/// How the bytes that were signed are made of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Over {
    /// By a hash function that the lanes have.
    Lanes,
    /// By BLAKE2b-512.
    Blake2b,
    /// They are the file.
    Whole,
}

impl Claim {
    /// The claim of a signature.
    ///
    /// # Errors
    /// No key can have made it: why, in words.
    pub fn new(
        ring: &Arc<Keyring>,
        signature_name: String,
        signature: Signature,
        max_message: u64,
    ) -> Result<Claim, String> {
        let candidates = ring.candidates(&signature)?;
        let (ring, message, verdict) = (Arc::clone(ring), Vec::new(), None);
        Ok(Claim { ring, signature_name, signature, candidates, message, max_message, verdict })
    }

    /// Returns what the signature is over.
    pub fn over(&self) -> Over {
        match &self.signature {
            Signature::Minisign(signature) if signature.is_prehashed => Over::Blake2b,
            Signature::Bytes(_) if !self.ring.is_pure(&self.candidates) => Over::Lanes,
            _ => Over::Whole,
        }
    }

    /// The name of the key at a place.
    pub fn key_name(&self, key: usize) -> &str {
        &self.ring.get(key).name
    }

    /// The trusted comment, if there is one.
    pub fn comment(&self) -> Option<&[u8]> {
        match &self.signature {
            Signature::Minisign(signature) => Some(signature.comment()),
            Signature::Signify(_) | Signature::Bytes(_) => None,
        }
    }

    /// The bytes of the salt that the signature would have for this key, where it does not verify
    /// but for another salt.
    pub fn salt_len(&self, key: usize) -> usize {
        self.ring.get(key).salt_len()
    }

    /// Reads a file that the lanes do not hash, and says how many bytes it had.
    ///
    /// # Errors
    /// It cannot be read, or is too long to be verified as a whole.
    pub fn read(&mut self, name: &OsStr) -> io::Result<(Found, u64)> {
        if name == "-" {
            return self.read_from(&mut StandardInput, 0);
        }
        let metadata = fs::metadata(Path::new(name))?;
        self.read_from(&mut File::open(name)?, metadata.len())
    }

    fn read_from(&mut self, file: &mut dyn Read, size: u64) -> io::Result<(Found, u64)> {
        if self.over() == Over::Blake2b {
            let (digest, len) = blake2b(file)?;
            return Ok((Found::Digest(digest), len));
        }
        let max = self.max_message;
        if size <= max {
            file.take(max.saturating_add(1)).read_to_end(&mut self.message)?;
        }
        let len = self.message.len() as u64;
        if size > max || len > max {
            self.message = Vec::new();
            return Err(io::Error::other(format!(
                "it has more than {max} bytes, and a signature that is over no digest needs all of \
                 them in memory; --max-message sets another limit"
            )));
        }
        if self.message.len() > MAX_WAITING {
            let verdicts = verify(&[(&*self, &self.message)]);
            self.verdict = verdicts.into_iter().next();
            self.message = Vec::new();
        }
        Ok((Found::Apart, len))
    }

    /// Returns what the signature signs, as far as a file gives it.
    fn message<'m>(&'m self, found: &'m Found) -> &'m [u8] {
        match found {
            Found::Digest(digest) => digest.as_bytes(),
            _ => &self.message,
        }
    }
}

/// The BLAKE2b-512 digest of all that comes, and its length.
fn blake2b(file: &mut dyn Read) -> io::Result<(Digest, u64)> {
    let mut hasher = Blake2b512::new();
    let mut buffer = vec![0; PIECE];
    let mut len = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((Digest::new(&hasher.finalize()), len)),
            Ok(got) => {
                hasher.update(&buffer[..got]);
                len += got as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Verifies all the signatures whose files were read, together.
pub fn settle<T: Task<Expected = Option<Box<Claim>>>>(outcomes: &mut [(Turn, Outcome<T>)]) {
    let mut places = Vec::new();
    let mut open = Vec::new();
    for (place, (_, outcome)) in outcomes.iter().enumerate() {
        if let (Ok(found), Some(claim)) = (&outcome.found, &outcome.expected)
            && claim.verdict.is_none()
        {
            places.push(place);
            open.push((&**claim, claim.message(found)));
        }
    }
    let verdicts = verify(&open);
    for (place, verdict) in places.into_iter().zip(verdicts) {
        if let Some(claim) = &mut outcomes[place].1.expected {
            claim.verdict = Some(verdict);
            claim.message = Vec::new();
        }
    }
}

thread_local! {
    static PROCESSOR: RefCell<Processor> = RefCell::new(Processor::new());
}

/// Verifies signatures over messages: first each with its first key, then those that are left with
/// their second, and so on.
fn verify(claims: &[(&Claim, &[u8])]) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = claims.iter().map(|_| Verdict::Bad).collect();
    let mut open: Vec<usize> = (0..claims.len()).collect();
    let mut attempt = 0;
    while !open.is_empty() {
        let mut jobs = Vec::with_capacity(2 * open.len());
        for &place in &open {
            let (claim, message) = claims[place];
            let key = claim.candidates[attempt];
            let session = &claim.ring.get(key).session;
            let job = |data, signature| Job::new(session, data).signature(signature);
            match &claim.signature {
                Signature::Bytes(bytes) => {
                    jobs.push(job(message, bytes.as_slice()).user((place, Verdict::Bad)));
                }
                Signature::Signify(parts) => {
                    let file = job(message, parts.bytes.as_slice());
                    jobs.push(file.user((place, Verdict::Bad)));
                }
                Signature::Minisign(parts) => {
                    let file = job(message, parts.signature());
                    jobs.push(file.user((place, Verdict::Bad)));
                    let comment = job(parts.signed(), parts.global.as_slice());
                    jobs.push(comment.user((place, Verdict::BadComment)));
                }
            }
            verdicts[place] = Verdict::Good(key);
        }
        PROCESSOR.with_borrow_mut(|processor| processor.process_many(&mut jobs));
        // The last word is that of the first job of a claim that failed.
        for job in jobs.iter_mut().rev() {
            let failure = match job.status() {
                Some(Ok(())) => continue,
                Some(Err(JobError::SignatureMismatch)) => None,
                Some(Err(error)) => Some(error),
                None => Some(JobError::NotDone),
            };
            let (place, verdict) = job.user_value_mut();
            verdicts[*place] = match failure {
                None => std::mem::replace(verdict, Verdict::Bad),
                Some(error) => Verdict::Failed(error),
            };
        }
        attempt += 1;
        open.retain(|&place| {
            let has_more = attempt < claims[place].0.candidates.len();
            has_more && matches!(verdicts[place], Verdict::Bad | Verdict::BadComment)
        });
    }
    find_other_salts(claims, &mut verdicts);
    verdicts
}

/// Finds out which signatures are wrong by the length of their salt alone.
fn find_other_salts(claims: &[(&Claim, &[u8])], verdicts: &mut [Verdict]) {
    let mut jobs = Vec::new();
    for (place, (claim, message)) in claims.iter().enumerate() {
        let Signature::Bytes(bytes) = &claim.signature else { continue };
        if !matches!(verdicts[place], Verdict::Bad) {
            continue;
        }
        for &key in &claim.candidates {
            if let Some(session) = &claim.ring.get(key).any_salt {
                let job = Job::new(session, *message).signature(bytes.as_slice());
                jobs.push(job.user((place, key)));
            }
        }
    }
    PROCESSOR.with_borrow_mut(|processor| processor.process_many(&mut jobs));
    for job in &mut jobs {
        let genuine = job.succeeded();
        let (place, key) = *job.user_value_mut();
        if genuine {
            verdicts[place] = Verdict::OtherSalt(key);
        }
    }
}
