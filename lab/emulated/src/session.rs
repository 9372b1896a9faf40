//! Sessions: the device learns a session once, and computes with it from then on.

use std::sync::Arc;

use broadloom_engine::provider::{Provider, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Padding,
    PublicKeyAlgorithm, Session, Transform, TransformError,
};

use crate::prepared::Fingerprint;
use crate::timing::{Service, cost};

/// A session of the device: for [`Request`](crate::Request)s, and behind the engine's own sessions.
/// A clone is the same session.
#[derive(Debug, Clone)]
pub struct DeviceSession(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub kind: Kind,
    /// Computes.
    pub work: Session,
    /// Compresses a part that others can follow: for what does not fit into the room there is.
    pub part: Option<Session>,
    /// Compresses what is too long for Huffman codes of its own.
    pub uncoded: Option<Session>,
    /// The checksum of what is compressed.
    pub checksum: Checksum,
    /// Decompresses what was compressed, to see whether it is right.
    pub check: Option<Session>,
    /// Tells sessions apart in the store of prepared results. None where results are never
    /// prepared: those that depend on more than the session and the input.
    pub fingerprint: Option<Fingerprint>,
    /// How much longer than an RSA-2048 private operation one of its requests takes, if those are
    /// what it has.
    pub cost: f64,
    /// `true` if it makes Huffman codes for its data.
    pub translated: bool,
    ending: Option<Ending>,
}

/// The input and output of a request of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A hash or a MAC is made.
    Tag,
    /// A MAC is made, and the driver compares it.
    Verify,
    Cipher,
    /// Encrypts, and makes a tag.
    Seal,
    /// Checks a tag, and decrypts.
    Open,
    Compress,
    Decompress,
    /// Signs, verifies a signature, encrypts, decrypts or agrees.
    PublicKey,
}

impl Kind {
    pub(crate) fn service(self) -> Service {
        match self {
            Kind::Compress | Kind::Decompress => Service::Compression,
            Kind::PublicKey => Service::PublicKey,
            _ => Service::Symmetric,
        }
    }

    /// Returns `true` if it writes over its data.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Kind::Cipher | Kind::Seal | Kind::Open)
    }

    /// Returns `true` if its output is the job's own, and not among its data.
    pub(crate) fn makes(self) -> bool {
        matches!(self, Kind::Compress | Kind::Decompress | Kind::PublicKey)
    }
}

impl DeviceSession {
    /// Opens one at the first backend that can. With `verify` the device looks at what it has
    /// compressed.
    pub(crate) fn open(
        backends: &[Arc<dyn Provider>],
        transform: &Transform,
        verify: bool,
        fingerprint: impl FnOnce(&Transform) -> Option<Fingerprint>,
    ) -> Result<DeviceSession, ProviderError> {
        let kind = match (transform.algorithm(), transform.direction()) {
            (Algorithm::PublicKey(_), _) => Kind::PublicKey,
            (_, Direction::Compress) => Kind::Compress,
            (_, Direction::Decompress) => Kind::Decompress,
            (Algorithm::Cipher(_), _) => Kind::Cipher,
            (_, Direction::Seal) => Kind::Seal,
            (_, Direction::Open) => Kind::Open,
            (_, Direction::Verify) => Kind::Verify,
            _ => Kind::Tag,
        };
        let work = match (transform.algorithm(), kind) {
            (Algorithm::Mac(mac), Kind::Verify) => {
                let tag_len = transform.tag_len();
                let generate = Transform::mac(mac, transform.key()).tag_len(tag_len).generate();
                first_able(backends, &valid(generate)?)?
            }
            _ => first_able(backends, transform)?,
        };
        let (mut part, mut check) = (None, None);
        if let (Algorithm::Compression(algorithm), Some(how)) =
            (transform.algorithm(), transform.compression())
            && kind == Kind::Compress
        {
            part = open_part(backends, algorithm, how, &work);
            if verify {
                let decompress = Transform::decompress(algorithm, Default::default());
                check = Some(first_able(backends, &valid(decompress)?)?);
            }
        }
        let fingerprint = if is_determined(transform) { fingerprint(transform) } else { None };
        let ending = transform.compression().map(|how| how.ending);
        let cost = match transform.algorithm() {
            Algorithm::PublicKey(algorithm) => {
                cost(algorithm, transform.direction()).ok_or_else(|| no_engine(algorithm))?
            }
            _ => 1.0,
        };
        let huffman = transform.compression().map(|how| how.huffman);
        let is_deflate =
            transform.algorithm() == Algorithm::Compression(CompressionAlgorithm::Deflate);
        let translated = kind == Kind::Compress && is_deflate && huffman == Some(Huffman::Dynamic);
        let (mut uncoded, mut checksum) = (None, Checksum::None);
        if let Some(how) = transform.compression() {
            checksum = how.checksum;
            if translated && part.is_some() {
                let how = Compression { huffman: Huffman::Static, ..how };
                let transform = Transform::compress(CompressionAlgorithm::Deflate, how);
                uncoded = first_able(backends, &valid(transform)?).ok();
            }
        }
        let inner = Inner {
            kind,
            work,
            part,
            uncoded,
            checksum,
            check,
            fingerprint,
            cost,
            translated,
            ending,
        };
        Ok(DeviceSession(Arc::new(inner)))
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.0.work.algorithm()
    }

    /// Bytes of its digests or tags; 0 where it has none.
    pub fn tag_len(&self) -> usize {
        self.0.work.tag_len()
    }
}

impl Inner {
    /// Returns `true` if what it compresses is a stream of its own, and not open for more.
    pub(crate) fn ends(&self) -> bool {
        self.ending == Some(Ending::Final)
    }
}

impl ProviderSession for DeviceSession {
    fn kernel(&self) -> String {
        format!("emulated by {}: {}", self.0.work.provider(), self.0.work.kernel())
    }

    fn instruction_set(&self) -> String {
        "emulated".to_owned()
    }

    /// Compressions take long: whatever is quick does not wait behind them.
    fn class(&self) -> u8 {
        match self.0.kind.service() {
            Service::Symmetric => 0,
            Service::Compression => 1,
            Service::PublicKey => 2,
        }
    }

    /// The backend's maximum: there must be room for its output.
    fn bound(&self, len: usize) -> usize {
        self.0.work.bound(len)
    }

    /// Pieces are copied, or lent, each from where it is.
    fn gathers(&self) -> bool {
        true
    }
}

fn no_engine(algorithm: PublicKeyAlgorithm) -> ProviderError {
    ProviderError::new(format!("the device has no engine for {algorithm}"))
}

fn open_part(
    backends: &[Arc<dyn Provider>],
    algorithm: CompressionAlgorithm,
    how: Compression,
    work: &Session,
) -> Option<Session> {
    match (algorithm, how.ending) {
        (CompressionAlgorithm::Deflate, Ending::Open) => Some(work.clone()),
        (CompressionAlgorithm::Deflate, Ending::Final) => {
            let open = Compression { ending: Ending::Open, ..how };
            first_able(backends, &Transform::compress(algorithm, open).ok()?).ok()
        }
        _ => None,
    }
}

/// Returns `true` if results depend on the session and the input alone: on no nonce, on no
/// signature that is to be checked, and on nothing drawn at random.
fn is_determined(transform: &Transform) -> bool {
    match transform.algorithm() {
        Algorithm::Mac(mac) => mac.nonce_lens().is_none(),
        Algorithm::Hash(_) | Algorithm::Compression(_) => true,
        Algorithm::PublicKey(_) => match transform.direction() {
            Direction::Sign => {
                let padding = transform.asymmetric().map(|asymmetric| asymmetric.scheme.of_rsa());
                matches!(transform.algorithm(), Algorithm::PublicKey(PublicKeyAlgorithm::Rsa(_)))
                    && padding == Some(Padding::Pkcs1v15)
            }
            Direction::Decrypt | Direction::Agree => true,
            _ => false,
        },
        _ => false,
    }
}

fn valid(transform: Result<Transform, TransformError>) -> Result<Transform, ProviderError> {
    transform.map_err(|error| ProviderError::new(error.to_string()))
}

/// A session at the first backend that can.
fn first_able(
    backends: &[Arc<dyn Provider>],
    transform: &Transform,
) -> Result<Session, ProviderError> {
    let mut reasons = Vec::new();
    for backend in backends.iter().filter(|backend| backend.supports(transform.algorithm())) {
        match Session::open(Arc::clone(backend), transform) {
            Ok(session) => return Ok(session),
            Err(error) => reasons.push(format!("{}: {}", backend.name(), error.reason)),
        }
    }
    let algorithm = transform.algorithm();
    Err(ProviderError::new(match reasons.is_empty() {
        true => format!("no provider computes {algorithm} for the emulated device"),
        false => {
            format!("no provider can compute it for the emulated device: {}", reasons.join("; "))
        }
    }))
}
