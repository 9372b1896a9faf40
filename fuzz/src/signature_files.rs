//! Signature files and public keys of minisign and signify, as `broadloom verify-signatures` reads
//! them.

#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/verify/minisign.rs"]
mod minisign;
#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/verify/signature.rs"]
mod signature;
#[path = "../../crates/cli/src/verify/signify.rs"]
mod signify;

use signature::Signature;

/// Reads a file as each of them.
pub fn check(bytes: &[u8]) {
    let _ = (minisign::key_file(bytes), minisign::key_line(bytes), signature::is_ecdsa(bytes));
    match signature::parse(bytes.to_vec()) {
        Ok(Signature::Minisign(read)) => {
            assert_eq!(read.signature().len(), 64);
            assert!(read.signed().ends_with(read.comment()));
            assert_eq!(signify::signature_file(bytes), None);
        }
        Ok(Signature::Signify(_)) => assert!(minisign::signature_file(bytes).is_err()),
        _ => {}
    }
}
