//! What `hash` asks of a hash function, whatever family it is of.

use std::fs::File;
use std::io;

use broadloom_lanes::{
    Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, Cpu, Hash, HashJob, HmacKey, HmacSha3Key, Job,
    Lanes, Loan, Sha3, Sha3Job, Shake128, Shake256, SpongeLanes, SpongeStream, Stream, XofJob,
    for_each_hash,
};
use zeroize::Zeroizing;

use crate::digest::Digest;
use crate::parts;

/// How messages are hashed, where that is not plainly.
#[derive(Clone, Default)]
pub struct HashMode {
    /// A key or a context.
    pub keying: Option<Keying>,
    /// Bytes of output, where that is not the function's own length: BLAKE3 has output of any
    /// length.
    pub len: Option<usize>,
}

impl HashMode {
    /// Returns `true` if the mode is no other than the plain hash.
    pub fn is_plain(&self) -> bool {
        self.keying.is_none() && self.len.is_none()
    }
}

/// What messages are hashed under.
#[derive(Clone)]
pub enum Keying {
    /// The key of an HMAC, or of BLAKE3's keyed hash.
    Key(Zeroizing<Vec<u8>>),
    /// The context in which BLAKE3 derives keys of the messages.
    Context(String),
}

/// A hash function, which makes jobs of messages.
pub trait Function: Send + Sync + Sized + 'static {
    /// Bytes in a digest.
    const DIGEST_LEN: usize;
    /// The key of an HMAC over it.
    type Key: Send + Sync + 'static;
    /// A message that comes in several pieces, each but the last a multiple of 128 bytes.
    type Stream: Clone + Send + 'static;
    /// What does the work.
    type Lanes: Lanes + 'static;
    /// A message or a piece.
    type Job<'a>: Job<Lanes = Self::Lanes>;

    /// Expands a key; `None` if there is no HMAC over this function, or if a key of BLAKE3 has
    /// another length than 32 bytes.
    fn key(bytes: &[u8]) -> Option<Self::Key>;
    /// Returns the key of a mode; `None` if the function has no such mode.
    fn keyed(mode: &HashMode) -> Option<Self::Key> {
        match mode {
            HashMode { keying: Some(Keying::Key(bytes)), len: None } => Self::key(bytes),
            _ => None,
        }
    }
    /// A message of which nothing came yet; with a key, of an HMAC.
    fn stream(key: Option<&Self::Key>) -> Self::Stream;
    /// A whole message; with a key, of an HMAC.
    fn whole<'a>(key: Option<&'a Self::Key>, data: &'a [u8]) -> Self::Job<'a>;
    /// The same, written to the start of `digest`: for many that a planner takes at once.
    fn loan<'a>(
        key: Option<&'a Self::Key>,
        data: &'a [u8],
        digest: &'a mut [u8],
    ) -> Loan<'a, Self::Lanes>;
    /// A piece, with more to come.
    fn more<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a>;
    /// The last piece.
    fn last<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a>;
    /// Hashes a file of this size on all cores; `None` if the function cannot hash parts of a
    /// message at the same time, or if the file is too short for that. The work ends early when
    /// `is_stopped` returns `true`.
    fn on_all_cores(
        _file: &File,
        _size: u64,
        _key: Option<&Self::Key>,
        _cpu: &Cpu,
        _is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<io::Result<Digest>> {
        None
    }
    /// The digest, unless more is to come.
    fn output<'j>(job: &'j Self::Job<'_>) -> Option<&'j [u8]>;
}

/// Functions with HMAC over them: their jobs, streams and keys.
macro_rules! functions {
    (
        $family:ident, $job:ident, $stream:ident, $key:ident, $more:expr, $loan:expr,
        $($function:ident),+
    ) => { $(
        impl Function for broadloom_lanes::$function {
            const DIGEST_LEN: usize = <broadloom_lanes::$function as $family>::DIGEST_LEN;
            type Key = $key<broadloom_lanes::$function>;
            type Stream = $stream<broadloom_lanes::$function>;
            type Lanes = <Self::Job<'static> as Job>::Lanes;
            type Job<'a> = $job<'a, broadloom_lanes::$function, &'a [u8], ()>;

            fn key(bytes: &[u8]) -> Option<Self::Key> {
                Some($key::new(bytes))
            }
            fn stream(key: Option<&Self::Key>) -> Self::Stream {
                key.map_or_else($stream::new, $stream::hmac)
            }
            fn whole<'a>(key: Option<&'a Self::Key>, data: &'a [u8]) -> Self::Job<'a> {
                match key {
                    Some(key) => $job::hmac(key, data, ()),
                    None => $job::digest(data, ()),
                }
            }
            #[inline(always)]
            fn loan<'a>(
                key: Option<&'a Self::Key>,
                data: &'a [u8],
                digest: &'a mut [u8],
            ) -> Loan<'a, Self::Lanes> {
                $loan(key, data, digest)
            }
            fn more<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
                $more($job::update(stream, data, ()))
            }
            fn last<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
                $job::finish(stream, data, ())
            }
            fn output<'j>(job: &'j Self::Job<'_>) -> Option<&'j [u8]> {
                job.output().map(|digest| digest.as_slice())
            }
        }
    )+ };
}

for_each_hash!(functions!(
    Hash,
    HashJob,
    Stream,
    HmacKey,
    |job: Result<_, _>| job.expect("readers cut streams at whole blocks"),
    |key, data, digest| match key {
        Some(key) => Loan::<Self::Lanes>::hmac(key, data, digest),
        None => Loan::<Self::Lanes>::digest(data, digest),
    },
));

functions!(
    Sha3,
    Sha3Job,
    SpongeStream,
    HmacSha3Key,
    std::convert::identity,
    |key, data, digest| match key {
        Some(key) => Loan::hmac_sha3(key, data, digest),
        None => Loan::sha3::<Self>(data, digest),
    },
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512
);

/// Functions of output of any length, of which there are so many bytes here.
macro_rules! extendable {
    ($($function:ident: $len:literal),+) => { $(
        impl Function for $function {
            const DIGEST_LEN: usize = $len;
            type Key = std::convert::Infallible;
            type Stream = SpongeStream<$function>;
            type Lanes = SpongeLanes;
            type Job<'a> = XofJob<'a, $function, &'a [u8], Vec<u8>, ()>;

            fn key(_: &[u8]) -> Option<Self::Key> {
                None
            }
            fn stream(_: Option<&Self::Key>) -> Self::Stream {
                SpongeStream::new()
            }
            fn whole<'a>(_: Option<&'a Self::Key>, data: &'a [u8]) -> Self::Job<'a> {
                XofJob::shake(data, vec![0; $len], ())
            }
            #[inline(always)]
            fn loan<'a>(
                _: Option<&'a Self::Key>,
                data: &'a [u8],
                digest: &'a mut [u8],
            ) -> Loan<'a, Self::Lanes> {
                Loan::shake::<Self>(data, &mut digest[..$len])
            }
            fn more<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
                XofJob::update(stream, data, Vec::new(), ())
            }
            fn last<'a>(stream: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
                XofJob::finish(stream, data, vec![0; $len], ())
            }
            fn output<'j>(job: &'j Self::Job<'_>) -> Option<&'j [u8]> {
                job.output()
            }
        }
    )+ };
}

// As long as it takes for collisions to cost as much as the sponge promises.
extendable!(Shake128: 32, Shake256: 64);

/// BLAKE3.
pub struct Blake3;

/// A mode of BLAKE3, and the length of the output.
pub struct Blake3Mode {
    key: Blake3Key,
    len: usize,
}

/// A message of BLAKE3 that comes in pieces, and the length of the output.
#[derive(Clone)]
pub struct Blake3Pieces {
    stream: Blake3Stream,
    len: usize,
}

/// The plain hash.
static PLAIN: Blake3Mode = Blake3Mode { key: Blake3Key::new(), len: Blake3::DIGEST_LEN };

impl Function for Blake3 {
    const DIGEST_LEN: usize = 32;
    type Key = Blake3Mode;
    type Stream = Blake3Pieces;
    type Lanes = Blake3Lanes;
    type Job<'a> = Blake3Job<'a, &'a [u8], Vec<u8>, ()>;

    fn key(bytes: &[u8]) -> Option<Self::Key> {
        let key = Blake3Key::keyed(bytes.try_into().ok()?);
        Some(Blake3Mode { key, len: Self::DIGEST_LEN })
    }
    fn keyed(mode: &HashMode) -> Option<Self::Key> {
        let key = match &mode.keying {
            None => Blake3Key::new(),
            Some(Keying::Key(bytes)) => Self::key(bytes)?.key,
            Some(Keying::Context(context)) => Blake3Key::derive(context),
        };
        Some(Blake3Mode { key, len: mode.len.unwrap_or(Self::DIGEST_LEN) })
    }
    fn stream(key: Option<&Self::Key>) -> Self::Stream {
        let Blake3Mode { key, len } = key.unwrap_or(&PLAIN);
        Blake3Pieces { stream: Blake3Stream::new(key), len: *len }
    }
    fn whole<'a>(key: Option<&'a Self::Key>, data: &'a [u8]) -> Self::Job<'a> {
        let Blake3Mode { key, len } = key.unwrap_or(&PLAIN);
        Blake3Job::hash(key, data, vec![0; *len], ())
    }
    #[inline(always)]
    fn loan<'a>(
        key: Option<&'a Self::Key>,
        data: &'a [u8],
        digest: &'a mut [u8],
    ) -> Loan<'a, Self::Lanes> {
        let Blake3Mode { key, len } = key.unwrap_or(&PLAIN);
        Loan::blake3(key, data, &mut digest[..*len])
    }
    fn more<'a>(pieces: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
        Blake3Job::update(&mut pieces.stream, data, Vec::new(), ())
    }
    fn last<'a>(pieces: &'a mut Self::Stream, data: &'a [u8]) -> Self::Job<'a> {
        let room = vec![0; pieces.len];
        Blake3Job::finish(&mut pieces.stream, data, room, ())
    }
    fn on_all_cores(
        file: &File,
        size: u64,
        key: Option<&Self::Key>,
        cpu: &Cpu,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<io::Result<Digest>> {
        let Blake3Mode { key, len } = key.unwrap_or(&PLAIN);
        (size >= parts::LEAST).then(|| parts::hash(file, size, (key, *len), cpu, is_stopped))
    }
    fn output<'j>(job: &'j Self::Job<'_>) -> Option<&'j [u8]> {
        job.output()
    }
}
