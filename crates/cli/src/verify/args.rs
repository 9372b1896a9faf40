//! The command line of `broadloom verify-signatures`.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::str::FromStr;

use crate::provider::provider;
use broadloom::HashAlgorithm;
use broadloom::provider::ProviderSpec;
use broadloom::public_key::Padding;
use broadloom_program::number::number;
use broadloom_program::size::parse_size;
use clap::{Args, ValueEnum};

/// Most worker threads that can be asked for.
const MAX_THREADS: u64 = 256;

/// Verify detached signatures of many files at once
///
/// Verifies Ed25519, ECDSA, RSA, ML-DSA and SLH-DSA signatures, as minisign, signify,
/// `openssl dgst -sign` and `openssl pkeyutl -sign -rawin` make them. All files share the lanes of
/// the CPU's vectors, so that many files cost little more than one.
#[derive(Args)]
#[command(
    args_override_self = true,
    after_help = "\
Exit status: 0 if every signature is good, 1 if a signature is not good or something could not be \
read, 2 for a wrong command line.\n\
The signature of FILE is FILE.minisig or, where there is no such file, FILE.sig.\n\
With --check, each PATH is a list. Its lines are: SIGNATURE-FILE, two spaces, FILE. A line that \
begins with # is a comment. A line that begins with a backslash has \\\\, \\n and \\r in its \
names.\n\
A signature of minisign or signify is verified with the key of its key ID only, and so is \
minisign's trusted comment. \
Other signatures are verified with each PEM key that fits, in turn.\n\
RSA and ECDSA signatures are over the digest of --hash. ECDSA is over P-256, P-384, P-521, \
secp256k1, K-283 or B-283.\n\
BROADLOOM_ISA=avx512|avx2|sse4|neon|portable asks for a lower instruction set."
)]
pub struct VerifyArgs {
    /// Files to verify, or lists; `-`: standard input. Without any, the list on standard input
    #[arg(value_name = "PATH", required_unless_present = "check")]
    pub paths: Vec<OsString>,

    /// Public key: PEM, or a public key file of minisign or signify; may be given several times
    #[arg(
        short,
        long = "key",
        value_name = "FILE",
        action = clap::ArgAction::Append,
        required_unless_present = "minisign_key",
    )]
    pub key: Vec<PathBuf>,

    /// Public key of minisign as one line of base64; may be given several times
    #[arg(short = 'P', long, value_name = "BASE64", action = clap::ArgAction::Append)]
    pub minisign_key: Vec<String>,

    /// Read names of signatures and files from the PATHs
    #[arg(short, long)]
    pub check: bool,

    /// The signature of FILE is FILE and SUFFIX
    #[arg(long, value_name = "SUFFIX", conflicts_with = "check")]
    pub suffix: Option<OsString>,

    /// Hash function of RSA and ECDSA signatures
    #[arg(
        short = 'a',
        long,
        value_enum,
        ignore_case = true,
        default_value_t = SignedHash::Sha256,
        value_name = "NAME",
    )]
    pub hash: SignedHash,

    /// Padding of RSA signatures
    #[arg(long, value_enum, default_value_t = RsaPadding::Pkcs1, value_name = "NAME")]
    pub padding: RsaPadding,

    /// Bytes of the salt of PSS, as openssl's rsa_pss_saltlen: a number, digest (those of the
    /// digest), max (as many as fit, which `openssl dgst -sign` writes) or auto (any) [default:
    /// digest]
    #[arg(long, value_name = "LENGTH")]
    pub salt_length: Option<SaltLength>,

    /// Most bytes of a file whose signature is over no digest, as of Ed25519, ML-DSA and SLH-DSA:
    /// such a file must be in memory as a whole
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    pub max_message: NonZeroU64,

    /// Hash and verify in N threads, each with lanes of its own
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = number::<usize>("a number of threads", 1..=MAX_THREADS),
    )]
    pub threads: usize,

    /// Verify signatures at this provider and no other (`broadloom info` lists them)
    #[arg(long, value_name = "NAME", value_parser = provider)]
    pub provider: Option<ProviderSpec>,

    /// Print which key and which trusted comment belong to each good signature
    #[arg(short, long, conflicts_with_all = ["quiet", "status"])]
    pub verbose: bool,

    /// Do not print OK for each good signature
    #[arg(long, overrides_with_all = ["status", "warn"])]
    pub quiet: bool,

    /// Print nothing; the exit status tells
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    pub status: bool,

    /// Warn of each line of a list that is no signature line
    #[arg(short, long, requires = "check", overrides_with_all = ["quiet", "status"])]
    pub warn: bool,

    /// Exit with status 1 if a line of a list is no signature line
    #[arg(long, requires = "check")]
    pub strict: bool,

    /// Pass over files that do not exist
    #[arg(long)]
    pub ignore_missing: bool,
}

/// A hash function that signatures are made over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SignedHash {
    /// FIPS 180-4
    Sha224,
    /// FIPS 180-4
    Sha256,
    /// FIPS 180-4
    Sha384,
    /// FIPS 180-4
    Sha512,
    /// FIPS 202
    #[value(name = "sha3-224")]
    Sha3_224,
    /// FIPS 202
    #[value(name = "sha3-256")]
    Sha3_256,
    /// FIPS 202
    #[value(name = "sha3-384")]
    Sha3_384,
    /// FIPS 202
    #[value(name = "sha3-512")]
    Sha3_512,
}

impl SignedHash {
    /// Returns the function as the engine names it.
    pub fn algorithm(self) -> HashAlgorithm {
        match self {
            SignedHash::Sha224 => HashAlgorithm::Sha224,
            SignedHash::Sha256 => HashAlgorithm::Sha256,
            SignedHash::Sha384 => HashAlgorithm::Sha384,
            SignedHash::Sha512 => HashAlgorithm::Sha512,
            SignedHash::Sha3_224 => HashAlgorithm::Sha3_224,
            SignedHash::Sha3_256 => HashAlgorithm::Sha3_256,
            SignedHash::Sha3_384 => HashAlgorithm::Sha3_384,
            SignedHash::Sha3_512 => HashAlgorithm::Sha3_512,
        }
    }
}

/// The padding of RSA signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RsaPadding {
    /// PKCS #1 v1.5
    Pkcs1,
    /// PSS with a salt of --salt-length
    Pss,
}

/// The length of the salt of PSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaltLength {
    /// So many bytes.
    Bytes(usize),
    /// Those of the digest.
    Digest,
    /// As many as fit into the modulus beside the digest.
    Max,
    /// Any.
    Auto,
}

impl SaltLength {
    /// The padding for a modulus and a digest of so many bytes.
    pub fn padding(self, modulus_len: usize, digest_len: usize) -> Padding {
        let salt_len = match self {
            SaltLength::Bytes(len) => len,
            SaltLength::Digest => digest_len,
            SaltLength::Max => modulus_len.saturating_sub(digest_len + 2),
            SaltLength::Auto => return Padding::PssAnySalt,
        };
        Padding::Pss { salt_len }
    }
}

impl FromStr for SaltLength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "digest" => Ok(SaltLength::Digest),
            "max" => Ok(SaltLength::Max),
            "auto" => Ok(SaltLength::Auto),
            _ => text
                .parse()
                .map(SaltLength::Bytes)
                .map_err(|_| "valid: a number of bytes, digest, max or auto".to_owned()),
        }
    }
}
