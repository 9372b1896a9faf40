//! What tests of ML-DSA and of SLH-DSA share: signatures of digests.

use broadloom::public_key::{PublicKey, Scheme};
use broadloom::{HashAlgorithm, Job, Processor, Transform};
use cryptoki_sys::*;

use crate::client::*;

/// Hashes that digest by a mechanism of their own.
const HASHES: [(CK_MECHANISM_TYPE, HashAlgorithm); 8] = [
    (CKM_SHA224, HashAlgorithm::Sha224),
    (CKM_SHA256, HashAlgorithm::Sha256),
    (CKM_SHA384, HashAlgorithm::Sha384),
    (CKM_SHA512, HashAlgorithm::Sha512),
    (CKM_SHA3_224, HashAlgorithm::Sha3_224),
    (CKM_SHA3_256, HashAlgorithm::Sha3_256),
    (CKM_SHA3_384, HashAlgorithm::Sha3_384),
    (CKM_SHA3_512, HashAlgorithm::Sha3_512),
];

const MESSAGE: &[u8] = b"a message";
const CONTEXT: &[u8] = b"an application";

/// Returns `true` if the engine takes a signature.
pub fn engine_takes(
    key: &PublicKey,
    scheme: Scheme,
    context: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let transform = Transform::verify(key, scheme).and_then(|one| one.context(context));
    let transform = transform.expect("a key that verifies");
    let session = broadloom::registry().open(&transform).expect("native has it");
    let mut jobs = [Job::new(&session, message).signature(signature)];
    Processor::new().process_many(&mut jobs);
    jobs[0].succeeded()
}

/// The parameter of `CKM_HASH_ML_DSA` and `CKM_HASH_SLH_DSA`.
pub fn of_digest(
    choice: CK_HEDGE_TYPE,
    context: &[u8],
    hash: CK_MECHANISM_TYPE,
) -> CK_HASH_SIGN_ADDITIONAL_CONTEXT {
    let CK_SIGN_ADDITIONAL_CONTEXT { hedgeVariant, pContext, ulContextLen } =
        parameters(choice, context);
    CK_HASH_SIGN_ADDITIONAL_CONTEXT { hedgeVariant, pContext, ulContextLen, hash }
}

/// Signs a message in pieces.
pub fn sign_pieces(
    session: CK_SESSION_HANDLE,
    mut how: CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    message: &[u8],
) -> Code<Vec<u8>> {
    call!(C_SignInit(session, &mut how, key))?;
    for piece in message.chunks(4) {
        call!(C_SignUpdate(session, bytes(piece), piece.len() as CK_ULONG))?;
    }
    output(|to, len| call!(C_SignFinal(session, to, len)))
}

/// Checks the signatures of digests under a public key, of which the handle and that of the private
/// key are given: by the mechanism that takes digests, and by those that hash messages with each of
/// [`HASHES`]. `others` are mechanisms that do not digest.
pub fn digests_are_signed(
    session: CK_SESSION_HANDLE,
    (key, public, private): &(PublicKey, CK_OBJECT_HANDLE, CK_OBJECT_HANDLE),
    (digested, signs): (CK_MECHANISM_TYPE, [CK_MECHANISM_TYPE; 8]),
    others: &[CK_MECHANISM_TYPE],
) {
    let (public, private) = (*public, *private);
    for ((digests, hash), signs) in HASHES.into_iter().zip(signs) {
        let digest = digest(session, digests, MESSAGE).expect("a digest");
        let named = of_digest(CKH_HEDGE_REQUIRED, CONTEXT, digests);
        let rest = parameters(CKH_HEDGE_PREFERRED, CONTEXT);
        let (of_digest, of_message) = (with(digested, &named), with(signs, &rest));
        let scheme = Scheme::new(hash).prehashed();
        let mut len = 0;
        for signature in [
            sign(session, of_digest, private, &digest).expect("a signature"),
            sign(session, of_message, private, MESSAGE).expect("a signature"),
            sign_pieces(session, of_message, private, MESSAGE).expect("a signature"),
        ] {
            len = signature.len();
            assert!(engine_takes(key, scheme, CONTEXT, &digest, &signature), "{hash}");
            assert_eq!(verify(session, of_digest, public, &digest, &signature), Ok(()), "{hash}");
            assert_eq!(verify(session, of_message, public, MESSAGE, &signature), Ok(()), "{hash}");
            let plain = verify(session, mechanism(signs), public, MESSAGE, &signature);
            assert_eq!(plain, Err(CKR_SIGNATURE_INVALID), "{hash}");
        }
        let short = sign(session, of_digest, private, &digest[1..]);
        assert_eq!(short, Err(CKR_DATA_LEN_RANGE), "{hash}");
        let short = verify(session, of_digest, public, MESSAGE, &vec![0; len]);
        assert_eq!(short, Err(CKR_DATA_LEN_RANGE), "{hash}");
    }
    // Digests of the same length by another hash are another message.
    let sha256 = of_digest(CKH_HEDGE_PREFERRED, b"", CKM_SHA256);
    let sha3 = of_digest(CKH_HEDGE_PREFERRED, b"", CKM_SHA3_256);
    let how = with(digested, &sha256);
    let signature = sign(session, how, private, &[7; 32]).expect("a signature");
    let other = verify(session, with(digested, &sha3), public, &[7; 32], &signature);
    assert_eq!(other, Err(CKR_SIGNATURE_INVALID));
    // The parameter names a hash of the standard, and nothing else.
    for &hash in [CKM_SHA_1, CKM_MD5, CKM_SHA256_HMAC].iter().chain(others) {
        let given = of_digest(CKH_HEDGE_PREFERRED, b"", hash);
        let refused = sign(session, with(digested, &given), private, &[7; 32]);
        assert_eq!(refused, Err(CKR_MECHANISM_PARAM_INVALID), "{hash:#x}");
    }
    let none = sign(session, mechanism(digested), private, &[7; 32]);
    assert_eq!(none, Err(CKR_MECHANISM_PARAM_INVALID));
}
