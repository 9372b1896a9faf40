//! SLH-DSA by PKCS #11 3.2.

use broadloom::public_key::{PublicKey, Scheme, SlhDsaPublicKey, SlhDsaSet};
use cryptoki_sys::*;

use crate::client::*;
use crate::digests::{digests_are_signed, engine_takes};

/// Sets of each hash and level whose signatures are made fast.
const SETS: [(CK_ULONG, SlhDsaSet); 3] = [
    (CKP_SLH_DSA_SHA2_128F, SlhDsaSet::Sha2_128f),
    (CKP_SLH_DSA_SHAKE_128F, SlhDsaSet::Shake128f),
    (CKP_SLH_DSA_SHA2_192F, SlhDsaSet::Sha2_192f),
];

fn new_pair(
    session: CK_SESSION_HANDLE,
    number: CK_ULONG,
    private: &Template,
) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
    let public = Template::default().number(CKA_PARAMETER_SET, number);
    pair(session, CKM_SLH_DSA_KEY_PAIR_GEN, &public, private).expect("a pair of keys")
}

#[test]
fn signatures_verify_under_their_context_alone() {
    let session = user();
    let message = b"a message";
    for (number, set) in SETS {
        let (public, private) = new_pair(session, number, &Template::default());
        let bytes = value(session, public, CKA_VALUE).expect("it is public");
        let key = PublicKey::SlhDsa(SlhDsaPublicKey::new(set, &bytes).expect("a public key"));
        let takes = |context: &[u8], signature: &[u8]| {
            engine_takes(&key, Scheme::default(), context, message, signature)
        };
        for context in [&b""[..], b"an application", &[7; 255]] {
            let given = parameters(CKH_HEDGE_PREFERRED, context);
            let how = with(CKM_SLH_DSA, &given);
            let signature = sign(session, how, private, message).expect("a signature");
            assert_eq!(signature.len(), set.signature_len(), "{set}");
            assert!(takes(context, &signature), "{set}");
            assert_eq!(verify(session, how, public, message, &signature), Ok(()), "{set}");
            let other = verify(session, how, public, b"another one", &signature);
            assert_eq!(other, Err(CKR_SIGNATURE_INVALID), "{set}");
            let given = parameters(CKH_HEDGE_PREFERRED, b"another application");
            let other = verify(session, with(CKM_SLH_DSA, &given), public, message, &signature);
            assert_eq!(other, Err(CKR_SIGNATURE_INVALID), "{set}");
            let short = verify(session, how, public, message, &signature[1..]);
            assert_eq!(short, Err(CKR_SIGNATURE_LEN_RANGE), "{set}");
        }
        // Without a parameter there is no context.
        let plain = mechanism(CKM_SLH_DSA);
        let signature = sign(session, plain, private, message).expect("a signature");
        assert!(takes(b"", &signature), "{set}");
    }
}

#[test]
fn the_caller_chooses_whether_signatures_are_hedged() {
    let session = user();
    let (public, private) = new_pair(session, CKP_SLH_DSA_SHA2_128F, &Template::default());
    let made = |choice| {
        let given = parameters(choice, b"");
        sign(session, with(CKM_SLH_DSA, &given), private, b"a message").expect("a signature")
    };
    assert_ne!(made(CKH_HEDGE_PREFERRED), made(CKH_HEDGE_PREFERRED));
    assert_ne!(made(CKH_HEDGE_REQUIRED), made(CKH_HEDGE_REQUIRED));
    let deterministic = made(CKH_DETERMINISTIC_REQUIRED);
    assert_eq!(deterministic, made(CKH_DETERMINISTIC_REQUIRED));
    // Whoever verifies need not know the choice, but it must be one.
    let given = parameters(CKH_HEDGE_REQUIRED, b"");
    let how = with(CKM_SLH_DSA, &given);
    assert_eq!(verify(session, how, public, b"a message", &deterministic), Ok(()));
    for given in [parameters(3, b""), parameters(CKH_HEDGE_PREFERRED, &[7; 256])] {
        let how = with(CKM_SLH_DSA, &given);
        let refused = sign(session, how, private, b"a message");
        assert_eq!(refused, Err(CKR_MECHANISM_PARAM_INVALID));
    }
    let short = with(CKM_SLH_DSA, &[0u8; 8]);
    assert_eq!(sign(session, short, private, b"m"), Err(CKR_MECHANISM_PARAM_INVALID));
}

#[test]
fn digests_are_signed_by_whoever_has_made_them() {
    let session = user();
    let (public, private) = new_pair(session, CKP_SLH_DSA_SHA2_128F, &Template::default());
    let value = value(session, public, CKA_VALUE).expect("it is public");
    let key = SlhDsaPublicKey::new(SlhDsaSet::Sha2_128f, &value).expect("a public key");
    let signs = [
        CKM_HASH_SLH_DSA_SHA224,
        CKM_HASH_SLH_DSA_SHA256,
        CKM_HASH_SLH_DSA_SHA384,
        CKM_HASH_SLH_DSA_SHA512,
        CKM_HASH_SLH_DSA_SHA3_224,
        CKM_HASH_SLH_DSA_SHA3_256,
        CKM_HASH_SLH_DSA_SHA3_384,
        CKM_HASH_SLH_DSA_SHA3_512,
    ];
    let key = (PublicKey::SlhDsa(key), public, private);
    let others = [CKM_SLH_DSA, CKM_HASH_SLH_DSA_SHA256];
    digests_are_signed(session, &key, (CKM_HASH_SLH_DSA, signs), &others);
    // The mechanisms with SHAKE digest themselves, and each family has its own.
    let how = mechanism(CKM_HASH_SLH_DSA_SHAKE256);
    let signature = sign(session, how, private, b"a message").expect("a signature");
    assert_eq!(verify(session, how, public, b"a message", &signature), Ok(()));
    let other = mechanism(CKM_HASH_SLH_DSA_SHAKE128);
    let other = verify(session, other, public, b"a message", &signature);
    assert_eq!(other, Err(CKR_SIGNATURE_INVALID));
    let other = sign(session, mechanism(CKM_HASH_ML_DSA_SHAKE256), private, b"a message");
    assert_eq!(other, Err(CKR_KEY_TYPE_INCONSISTENT));
}

#[test]
fn a_signature_that_is_given_first_is_checked() {
    let session = user();
    let (public, private) = new_pair(session, CKP_SLH_DSA_SHAKE_128F, &Template::default());
    let message = b"a message in pieces";
    let mut how = mechanism(CKM_SLH_DSA);
    call!(C_SignInit(session, &mut how, private)).expect("a key");
    for piece in message.chunks(7) {
        call!(C_SignUpdate(session, bytes(piece), piece.len() as CK_ULONG)).expect("a piece");
    }
    let signature = output(|to, len| call!(C_SignFinal(session, to, len))).expect("it signs");
    let mut init = |signature: &[u8]| {
        let (signature, len) = (bytes(signature), signature.len() as CK_ULONG);
        call_3_2!(C_VerifySignatureInit(session, &mut how, public, signature, len))
    };
    init(&signature).expect("a key");
    assert_eq!(init(&signature), Err(CKR_OPERATION_ACTIVE));
    let whole = |message: &[u8]| {
        call_3_2!(C_VerifySignature(session, bytes(message), message.len() as CK_ULONG))
    };
    assert_eq!(whole(message), Ok(()));
    assert_eq!(whole(message), Err(CKR_OPERATION_NOT_INITIALIZED));
    init(&signature).expect("a key");
    assert_eq!(whole(b"another message"), Err(CKR_SIGNATURE_INVALID));
    init(&signature).expect("a key");
    for piece in message.chunks(5) {
        let len = piece.len() as CK_ULONG;
        call_3_2!(C_VerifySignatureUpdate(session, bytes(piece), len)).expect("a piece");
    }
    assert_eq!(call_3_2!(C_VerifySignatureFinal(session)), Ok(()));
    init(&signature).expect("a key");
    assert_eq!(call_3_2!(C_VerifySignatureFinal(session)), Err(CKR_SIGNATURE_INVALID));
    // Of a wrong length there is no operation, and one that has begun can be ended.
    assert_eq!(init(&signature[1..]), Err(CKR_SIGNATURE_LEN_RANGE));
    assert_eq!(whole(message), Err(CKR_OPERATION_NOT_INITIALIZED));
    init(&signature).expect("a key");
    let null = std::ptr::null_mut();
    let ended = call_3_2!(C_VerifySignatureInit(session, null, public, null.cast(), 0));
    assert_eq!(ended, Ok(()));
    assert_eq!(whole(message), Err(CKR_OPERATION_NOT_INITIALIZED));
}

#[test]
fn keys_of_slh_dsa_are_given_and_checked() {
    let session = user();
    let shown = Template::default().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE);
    let (number, _) = SETS[0];
    let (public, private) = new_pair(session, number, &shown);
    let [public, private] = [public, private].map(|key| value(session, key, CKA_VALUE));
    let (public, private) = (public.expect("it is public"), private.expect("it may leave"));
    assert_eq!((public.len(), private.len()), (32, 64));
    assert_eq!(private[32..], public);
    let key = |class, number| {
        let template = Template::default().number(CKA_CLASS, class);
        template.number(CKA_KEY_TYPE, CKK_SLH_DSA).number(CKA_PARAMETER_SET, number)
    };
    let given = create(session, &key(CKO_PUBLIC_KEY, number).bytes(CKA_VALUE, &public));
    let signer = create(session, &key(CKO_PRIVATE_KEY, number).bytes(CKA_VALUE, &private));
    let (given, signer) = (given.expect("a key"), signer.expect("a key"));
    let how = mechanism(CKM_SLH_DSA);
    let signature = sign(session, how, signer, b"a message").expect("a signature");
    assert_eq!(verify(session, how, given, b"a message", &signature), Ok(()));
    assert_eq!(value(session, signer, CKA_VALUE), Err(CKR_ATTRIBUTE_SENSITIVE));
    for (template, wanted) in [
        (key(CKO_PUBLIC_KEY, number), CKR_TEMPLATE_INCOMPLETE),
        (key(CKO_PUBLIC_KEY, 13).bytes(CKA_VALUE, &public), CKR_PARAMETER_SET_NOT_SUPPORTED),
        (
            key(CKO_PUBLIC_KEY, CKP_SLH_DSA_SHA2_192F).bytes(CKA_VALUE, &public),
            CKR_ATTRIBUTE_VALUE_INVALID,
        ),
        (key(CKO_PRIVATE_KEY, number).bytes(CKA_VALUE, &private[1..]), CKR_ATTRIBUTE_VALUE_INVALID),
    ] {
        assert_eq!(create(session, &template), Err(wanted));
    }
    // A key of another type neither signs nor is signed with.
    let aes = create(session, &aes()).expect("a key");
    assert_eq!(sign(session, how, aes, b"m"), Err(CKR_KEY_TYPE_INCONSISTENT));
    let other = sign(session, mechanism(CKM_EDDSA), signer, b"m");
    assert_eq!(other, Err(CKR_KEY_TYPE_INCONSISTENT));
}

#[test]
fn mechanisms_of_version_3_2_are_listed() {
    functions();
    for (id, sizes, flags) in [
        (CKM_ML_KEM, (800, 1568), CKF_ENCAPSULATE | CKF_DECAPSULATE),
        (CKM_ML_KEM_KEY_PAIR_GEN, (800, 1568), CKF_GENERATE_KEY_PAIR),
        (CKM_ML_DSA, (1312, 2592), CKF_SIGN | CKF_VERIFY),
        (CKM_HASH_ML_DSA, (1312, 2592), CKF_SIGN | CKF_VERIFY),
        (CKM_HASH_ML_DSA_SHAKE128, (1312, 2592), CKF_SIGN | CKF_VERIFY),
        (CKM_ML_DSA_KEY_PAIR_GEN, (1312, 2592), CKF_GENERATE_KEY_PAIR),
        (CKM_SLH_DSA, (32, 64), CKF_SIGN | CKF_VERIFY),
        (CKM_HASH_SLH_DSA, (32, 64), CKF_SIGN | CKF_VERIFY),
        (CKM_HASH_SLH_DSA_SHAKE128, (32, 64), CKF_SIGN | CKF_VERIFY),
        (CKM_SLH_DSA_KEY_PAIR_GEN, (32, 64), CKF_GENERATE_KEY_PAIR),
    ] {
        let mut info = CK_MECHANISM_INFO::default();
        call!(C_GetMechanismInfo(0, id, &mut info)).expect("it is there");
        assert_eq!((info.ulMinKeySize, info.ulMaxKeySize), sizes, "{id:#x}");
        assert_eq!(info.flags, flags, "{id:#x}");
        let (mut all, mut count) = ([0; 200], 200);
        call!(C_GetMechanismList(0, all.as_mut_ptr(), &mut count)).expect("there is room");
        assert!(all[..count as usize].contains(&id), "{id:#x}");
    }
}
