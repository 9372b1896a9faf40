//! What `hash` asks of a hash function, whatever family it is of.

use broadloom_lanes::{
    Hash, HashJob, HmacKey, HmacSha3Key, Job, Lanes, Loan, Md5, Sha1, Sha3, Sha3_224, Sha3_256,
    Sha3_384, Sha3_512, Sha3Job, Sha224, Sha256, Sha384, Sha512, Shake128, Shake256, SpongeLanes,
    SpongeStream, Stream, XofJob,
};

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

    /// Expands a key; `None` if there is no HMAC over this function.
    fn key(bytes: &[u8]) -> Option<Self::Key>;
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
    /// The digest, unless more is to come.
    fn output<'j>(job: &'j Self::Job<'_>) -> Option<&'j [u8]>;
}

/// Functions with HMAC over them: their jobs, streams and keys.
macro_rules! functions {
    (
        $family:ident, $job:ident, $stream:ident, $key:ident, $more:expr, $loan:expr,
        $($function:ident),+
    ) => { $(
        impl Function for $function {
            const DIGEST_LEN: usize = <$function as $family>::DIGEST_LEN;
            type Key = $key<$function>;
            type Stream = $stream<$function>;
            type Lanes = <$job<'static, $function, &'static [u8], ()> as Job>::Lanes;
            type Job<'a> = $job<'a, $function, &'a [u8], ()>;

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

functions!(
    Hash,
    HashJob,
    Stream,
    HmacKey,
    |job: Result<_, _>| job.expect("readers cut streams at whole blocks"),
    |key, data, digest| match key {
        Some(key) => Loan::<Self::Lanes>::hmac(key, data, digest),
        None => Loan::<Self::Lanes>::digest(data, digest),
    },
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512
);

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
