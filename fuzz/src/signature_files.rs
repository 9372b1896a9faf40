//! Signature files and public keys of minisign, as `broadloom verify-signatures` reads them.

#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/verify/minisign.rs"]
mod minisign;
#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/verify/signature.rs"]
mod signature;

use signature::Signature;

/// Reads a file as each of them.
pub fn check(bytes: &[u8]) {
    let _ = (minisign::key_file(bytes), minisign::key_line(bytes), signature::is_ecdsa(bytes));
    if let Ok(Signature::Minisign(read)) = signature::parse(bytes.to_vec()) {
        assert_eq!(read.signature().len(), 64);
        assert!(read.signed().ends_with(read.comment()));
    }
}
