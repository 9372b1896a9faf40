//! Messages that come in pieces, by the engine's streams.

use broadloom::{HashAlgorithm, JobError, Processor, Stream, Transform};
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::memory::Outcome;
use crate::module::{Module, meaning};
use crate::object::{self, Opened};

/// The most that is kept of a message that cannot be hashed in pieces.
pub const MOST_KEPT: usize = 64 << 20;

/// Begins a message of a session that hashes or authenticates.
///
/// # Errors
/// `CKR_FUNCTION_NOT_SUPPORTED`.
pub fn begin(opened: &Opened) -> Outcome<Stream> {
    opened.session.begin().map_err(|_| CKR_FUNCTION_NOT_SUPPORTED)
}

impl Module {
    /// Begins a message of a hash.
    ///
    /// # Errors
    /// `CKR_MECHANISM_INVALID` where no provider has the hash.
    pub fn begin(&self, hash: HashAlgorithm) -> Outcome<Stream> {
        begin(&object::open(&self.registry, &Transform::hash(hash))?)
    }

    /// Has a message take its next piece.
    ///
    /// # Errors
    /// `CKR_DATA_LEN_RANGE` where too much would have to be kept; as [`meaning`].
    pub fn update(&self, stream: &mut Stream, data: &[u8]) -> Outcome {
        if stream.kept().is_some_and(|kept| kept + data.len() > MOST_KEPT) {
            return Err(CKR_DATA_LEN_RANGE);
        }
        self.stream(|processor| stream.update(processor, data))
    }

    /// Ends a message: its digest or its tag.
    ///
    /// # Errors
    /// As [`meaning`].
    pub fn finish(&self, stream: Stream) -> Outcome<Zeroizing<Vec<u8>>> {
        self.stream(|processor| stream.finish(processor))
    }

    /// Ends a message, and checks its tag.
    ///
    /// # Errors
    /// `CKR_SIGNATURE_INVALID`; as [`meaning`].
    pub fn verify(&self, stream: Stream, tag: &[u8]) -> Outcome {
        self.stream(|processor| stream.verify(processor, tag))
    }

    /// Works for a stream on the calling thread.
    fn stream<T>(&self, work: impl FnOnce(&mut Processor) -> Result<T, JobError>) -> Outcome<T> {
        let mut result = None;
        self.meeting.with_tool(|processor| result = Some(work(processor)));
        // Where the provider panics there is none.
        result.ok_or(CKR_GENERAL_ERROR)?.map_err(meaning)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use broadloom::{Job, MacAlgorithm};

    use super::*;
    use crate::config::Config;

    fn module() -> Module {
        let (directory, wait) = ("nowhere".into(), std::time::Duration::ZERO);
        Module::new(Config { directory, slots: 0, wait, meets_from: 4096 })
    }

    #[test]
    fn pieces_come_to_what_the_whole_does() {
        let module = module();
        let text: Vec<u8> = (0..1000).map(|at| (at * 7) as u8).collect();
        let hashes = [HashAlgorithm::Sha1, HashAlgorithm::Sha512, HashAlgorithm::Sha3_256];
        let hmacs = hashes.map(MacAlgorithm::Hmac);
        let cmac = MacAlgorithm::AesCmac(broadloom::AesSize::Aes128);
        let mac = |mac, key: &[u8]| Transform::mac(mac, key).generate().expect("a key");
        let hashes = hashes.map(Transform::hash);
        let hmacs = hmacs.map(|hmac| mac(hmac, b"key"));
        for transform in hashes.into_iter().chain(hmacs).chain([mac(cmac, &[7; 16])]) {
            let opened = object::open(&module.registry, &transform).expect("native has it");
            for step in [1, 64, 127, 128, 129, 300, 1000] {
                let mut stream = begin(&opened).expect("it is there");
                for piece in text.chunks(step) {
                    assert_eq!(module.update(&mut stream, piece), Ok(()));
                }
                let mut jobs = [Job::new(&opened.session, &text)];
                Processor::new().process_many(&mut jobs);
                let made = module.finish(stream).expect("it is sound");
                assert_eq!(Some(made.as_slice()), jobs[0].tag(), "{transform:?} {step}");
            }
        }
    }

    #[test]
    fn what_has_to_be_kept_is_bounded() {
        let module = module();
        let cmac = MacAlgorithm::AesCmac(broadloom::AesSize::Aes128);
        let cmac = Transform::mac(cmac, &[7; 16]).generate().expect("a key");
        let opened = object::open(&module.registry, &cmac).expect("native has it");
        let begin = || begin(&opened).expect("it is there");
        let (mut stream, long) = (begin(), vec![0; MOST_KEPT]);
        assert_eq!(module.update(&mut stream, &long), Ok(()));
        assert_eq!(stream.kept(), Some(MOST_KEPT), "CMAC takes whole messages");
        assert_eq!(module.update(&mut stream, &[0]), Err(CKR_DATA_LEN_RANGE));
        assert_eq!(module.update(&mut begin(), &[long, vec![0]].concat()), Err(CKR_DATA_LEN_RANGE));
    }
}
