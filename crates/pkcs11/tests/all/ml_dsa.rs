//! ML-DSA by PKCS #11 3.2: keys, and signatures of messages and of digests.

use broadloom::public_key::{MlDsaPublicKey, MlDsaSet, PublicKey, Scheme};
use cryptoki_sys::*;

use crate::client::*;
use crate::digests::{digests_are_signed, engine_takes, of_digest, sign_pieces};

/// What OpenSSL 3.5.5 makes with the key of the seed 0, 1, 2, …, 31: SHA-256 of the private key,
/// and of deterministic signatures of [`MESSAGE`]. The first is of
/// ML-DSA under [`CONTEXT`], the second of HashML-DSA with SHA-256 under it, and the third of
/// HashML-DSA with SHAKE256 without a context.
struct Known {
    number: CK_ULONG,
    set: MlDsaSet,
    private: &'static str,
    signatures: [&'static str; 3],
}

const MESSAGE: &[u8] = b"a message";
const CONTEXT: &[u8] = b"an application";

const SETS: [Known; 3] = [
    Known {
        number: CKP_ML_DSA_44,
        set: MlDsaSet::MlDsa44,
        private: "04bf6b9f579166a627961dfc5c3bf9717df868db88863856356c4668c8b56b0b",
        signatures: [
            "9dea3f3861d70a5aff5fb2a3a815207864e84d9e934c894e356adacfd804e941",
            "0a9cf8dc851dd3b92c4cec4d9f4b07b961b15eacdbfdc9a4d2df00c21604f395",
            "c67b01f6442118b231dde0e96f8b91df5a34d0b3861398fd6b6edd9309e9c185",
        ],
    },
    Known {
        number: CKP_ML_DSA_65,
        set: MlDsaSet::MlDsa65,
        private: "9f1e24f47795fe50040384e3d6183988047170fa2d866406b70fe0a3f8216063",
        signatures: [
            "51987d676c5aa11914c2ef56773502964ae5ad765028a0d93464fc6b9abc2734",
            "36fac088f97f1ce224513bbf122b7dc14b8b0ed4dc07d15e7109e40532a1074d",
            "af657678f518ef10a72f1857752964ae9b13081d2a56d6ecd78e02ae20b6ac61",
        ],
    },
    Known {
        number: CKP_ML_DSA_87,
        set: MlDsaSet::MlDsa87,
        private: "764d3e223ed90c07bc91a0ab6ecd170e5c66ffe39f7039298596039a36005435",
        signatures: [
            "55e2913d248f7408b8aac961809abc6f915e7fd3d16f18c2a0224af68bf07263",
            "f13854822593788cfe6962fae2ea0d4f763407a47a14b7070703035bfe2a120f",
            "185ccf951808cd32b454c096e1216d99f9178e366f980e094649fb4702cc73a5",
        ],
    },
];

fn of_set(number: CK_ULONG) -> Template {
    Template::default().number(CKA_PARAMETER_SET, number)
}

/// A template of a key of a class and a set.
fn key(class: CK_OBJECT_CLASS, number: CK_ULONG) -> Template {
    of_set(number).number(CKA_CLASS, class).number(CKA_KEY_TYPE, CKK_ML_DSA)
}

/// A template of a private key whose values can be read.
fn shown(number: CK_ULONG) -> Template {
    key(CKO_PRIVATE_KEY, number).no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE)
}

fn new_pair(
    session: CK_SESSION_HANDLE,
    number: CK_ULONG,
    private: &Template,
) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
    pair(session, CKM_ML_DSA_KEY_PAIR_GEN, &of_set(number), private).expect("a pair of keys")
}

/// SHA-256 in hexadecimal digits.
fn fingerprint(session: CK_SESSION_HANDLE, data: &[u8]) -> String {
    let digest = digest(session, CKM_SHA256, data).expect("a digest");
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn keys_and_signatures_are_those_of_openssl() {
    let session = user();
    let seed: Vec<u8> = (0..32).collect();
    for Known { number, set, private, signatures } in SETS {
        let signer = create(session, &shown(number).bytes(CKA_SEED, &seed)).expect("a key");
        let made = value(session, signer, CKA_VALUE).expect("it may leave");
        assert_eq!(fingerprint(session, &made), private, "{set}");
        let named = parameters(CKH_DETERMINISTIC_REQUIRED, CONTEXT);
        let plain = parameters(CKH_DETERMINISTIC_REQUIRED, b"");
        let digested = of_digest(CKH_DETERMINISTIC_REQUIRED, CONTEXT, CKM_SHA256);
        let message_digest = digest(session, CKM_SHA256, MESSAGE).expect("a digest");
        for (at, how, data) in [
            (0, with(CKM_ML_DSA, &named), MESSAGE),
            (1, with(CKM_HASH_ML_DSA_SHA256, &named), MESSAGE),
            (1, with(CKM_HASH_ML_DSA, &digested), &message_digest),
            (2, with(CKM_HASH_ML_DSA_SHAKE256, &plain), MESSAGE),
        ] {
            let id = how.mechanism;
            for made in [
                sign(session, how, signer, data).expect("a signature"),
                sign_pieces(session, how, signer, data).expect("a signature"),
            ] {
                assert_eq!(fingerprint(session, &made), signatures[at], "{set} {id:#x}");
            }
        }
    }
}

#[test]
fn signatures_verify_under_their_context_alone() {
    let session = user();
    for Known { number, set, .. } in SETS {
        let (public, private) = new_pair(session, number, &Template::default());
        let value = value(session, public, CKA_VALUE).expect("it is public");
        let key = PublicKey::MlDsa(MlDsaPublicKey::new(set, &value).expect("a public key"));
        let takes = |context: &[u8], signature: &[u8]| {
            engine_takes(&key, Scheme::default(), context, MESSAGE, signature)
        };
        for context in [&b""[..], CONTEXT, &[7; 255]] {
            let given = parameters(CKH_HEDGE_PREFERRED, context);
            let how = with(CKM_ML_DSA, &given);
            let signature = sign(session, how, private, MESSAGE).expect("a signature");
            assert_eq!(signature.len(), set.signature_len(), "{set}");
            assert!(takes(context, &signature), "{set}");
            assert_eq!(verify(session, how, public, MESSAGE, &signature), Ok(()), "{set}");
            let other = verify(session, how, public, b"another one", &signature);
            assert_eq!(other, Err(CKR_SIGNATURE_INVALID), "{set}");
            let given = parameters(CKH_HEDGE_PREFERRED, b"another application");
            let other = verify(session, with(CKM_ML_DSA, &given), public, MESSAGE, &signature);
            assert_eq!(other, Err(CKR_SIGNATURE_INVALID), "{set}");
            // The signature of a digest is another one than that of the message.
            let given = parameters(CKH_HEDGE_PREFERRED, context);
            let hashed = with(CKM_HASH_ML_DSA_SHA512, &given);
            let other = verify(session, hashed, public, MESSAGE, &signature);
            assert_eq!(other, Err(CKR_SIGNATURE_INVALID), "{set}");
            for wrong in [&signature[1..], &[&signature[..], &[0]].concat(), b""] {
                let refused = verify(session, how, public, MESSAGE, wrong);
                assert_eq!(refused, Err(CKR_SIGNATURE_LEN_RANGE), "{set}");
            }
        }
        // Without a parameter there is no context.
        let plain = mechanism(CKM_ML_DSA);
        let signature = sign(session, plain, private, MESSAGE).expect("a signature");
        assert!(takes(b"", &signature), "{set}");
    }
}

#[test]
fn digests_are_signed_by_whoever_has_made_them() {
    let session = user();
    let (public, private) = new_pair(session, CKP_ML_DSA_44, &Template::default());
    let value = value(session, public, CKA_VALUE).expect("it is public");
    let key = MlDsaPublicKey::new(MlDsaSet::MlDsa44, &value).expect("a public key");
    let signs = [
        CKM_HASH_ML_DSA_SHA224,
        CKM_HASH_ML_DSA_SHA256,
        CKM_HASH_ML_DSA_SHA384,
        CKM_HASH_ML_DSA_SHA512,
        CKM_HASH_ML_DSA_SHA3_224,
        CKM_HASH_ML_DSA_SHA3_256,
        CKM_HASH_ML_DSA_SHA3_384,
        CKM_HASH_ML_DSA_SHA3_512,
    ];
    let key = (PublicKey::MlDsa(key), public, private);
    digests_are_signed(
        session,
        &key,
        (CKM_HASH_ML_DSA, signs),
        &[CKM_ML_DSA, CKM_HASH_ML_DSA_SHA256],
    );
}

#[test]
fn the_caller_chooses_whether_signatures_are_hedged() {
    let session = user();
    let (public, private) = new_pair(session, CKP_ML_DSA_65, &Template::default());
    for id in [CKM_ML_DSA, CKM_HASH_ML_DSA_SHA384] {
        let made = |choice| {
            let given = parameters(choice, b"");
            sign(session, with(id, &given), private, MESSAGE).expect("a signature")
        };
        assert_ne!(made(CKH_HEDGE_PREFERRED), made(CKH_HEDGE_PREFERRED));
        assert_ne!(made(CKH_HEDGE_REQUIRED), made(CKH_HEDGE_REQUIRED));
        let deterministic = made(CKH_DETERMINISTIC_REQUIRED);
        assert_eq!(deterministic, made(CKH_DETERMINISTIC_REQUIRED));
        // Whoever verifies need not know the choice, but it must be one.
        let given = parameters(CKH_HEDGE_REQUIRED, b"");
        let verified = verify(session, with(id, &given), public, MESSAGE, &deterministic);
        assert_eq!(verified, Ok(()));
        for given in [parameters(3, b""), parameters(CKH_HEDGE_PREFERRED, &[7; 256])] {
            let refused = sign(session, with(id, &given), private, MESSAGE);
            assert_eq!(refused, Err(CKR_MECHANISM_PARAM_INVALID));
        }
        let short = sign(session, with(id, &[0u8; 8]), private, MESSAGE);
        assert_eq!(short, Err(CKR_MECHANISM_PARAM_INVALID));
    }
}

#[test]
fn a_signature_that_is_given_first_is_checked() {
    let session = user();
    let (public, private) = new_pair(session, CKP_ML_DSA_87, &Template::default());
    for id in [CKM_ML_DSA, CKM_HASH_ML_DSA_SHAKE128] {
        let mut how = mechanism(id);
        let signature = sign(session, how, private, MESSAGE).expect("a signature");
        let mut init = |signature: &[u8]| {
            let (signature, len) = (bytes(signature), signature.len() as CK_ULONG);
            call_3_2!(C_VerifySignatureInit(session, &mut how, public, signature, len))
        };
        let whole = |message: &[u8]| {
            call_3_2!(C_VerifySignature(session, bytes(message), message.len() as CK_ULONG))
        };
        init(&signature).expect("a key");
        assert_eq!(whole(MESSAGE), Ok(()));
        init(&signature).expect("a key");
        assert_eq!(whole(b"another message"), Err(CKR_SIGNATURE_INVALID));
        init(&signature).expect("a key");
        for piece in MESSAGE.chunks(5) {
            let len = piece.len() as CK_ULONG;
            call_3_2!(C_VerifySignatureUpdate(session, bytes(piece), len)).expect("a piece");
        }
        assert_eq!(call_3_2!(C_VerifySignatureFinal(session)), Ok(()));
        assert_eq!(init(&signature[1..]), Err(CKR_SIGNATURE_LEN_RANGE));
    }
}

#[test]
fn keys_are_given_as_seeds_or_expanded() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let how = mechanism(CKM_ML_DSA);
    for Known { number, set, .. } in SETS {
        let (public, private) = new_pair(session, number, &shown(number));
        let [seed, expanded] =
            [CKA_SEED, CKA_VALUE].map(|id| value(session, private, id).expect("it may leave"));
        let public = value(session, public, CKA_VALUE).expect("it is public");
        let public = create(session, &key(CKO_PUBLIC_KEY, number).bytes(CKA_VALUE, public));
        let public = public.expect("a key");
        for template in [
            shown(number).bytes(CKA_SEED, &seed),
            shown(number).bytes(CKA_VALUE, &expanded),
            shown(number).bytes(CKA_SEED, &seed).bytes(CKA_VALUE, &expanded),
        ] {
            let private = create(session, &template.yes(CKA_TOKEN)).expect("a key");
            assert_eq!(value(session, private, CKA_VALUE), Ok(expanded.clone()), "{set}");
            let signature = sign(session, how, private, MESSAGE).expect("a signature");
            assert_eq!(verify(session, how, public, MESSAGE, &signature), Ok(()), "{set}");
        }
    }
    // The keys of the token come back with the next login.
    call!(C_CloseSession(session)).expect("it is open");
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let kept = find(session, &Template::default().number(CKA_KEY_TYPE, CKK_ML_DSA));
    let kept = kept.expect("it searches");
    assert_eq!(kept.len(), 9);
    assert!(kept.into_iter().all(|key| sign(session, how, key, MESSAGE).is_ok()));
}

#[test]
fn keys_that_are_wrong_are_refused() {
    let session = user();
    let number = CKP_ML_DSA_65;
    let (public, private) = new_pair(session, number, &shown(number));
    let [seed, expanded] =
        [CKA_SEED, CKA_VALUE].map(|id| value(session, private, id).expect("it may leave"));
    let public_value = value(session, public, CKA_VALUE).expect("it is public");
    // Behind two seeds and a digest, numbers of four bits are at most eight.
    let mut damaged = expanded.clone();
    damaged[128] = 0xff;
    let hidden = || key(CKO_PRIVATE_KEY, number);
    for (template, wanted) in [
        (key(CKO_PUBLIC_KEY, number), CKR_TEMPLATE_INCOMPLETE),
        (key(CKO_PUBLIC_KEY, 4).bytes(CKA_VALUE, &public_value), CKR_PARAMETER_SET_NOT_SUPPORTED),
        (
            key(CKO_PUBLIC_KEY, CKP_ML_DSA_44).bytes(CKA_VALUE, &public_value),
            CKR_ATTRIBUTE_VALUE_INVALID,
        ),
        (hidden(), CKR_TEMPLATE_INCOMPLETE),
        (hidden().bytes(CKA_VALUE, &expanded[1..]), CKR_ATTRIBUTE_VALUE_INVALID),
        (hidden().bytes(CKA_VALUE, &damaged), CKR_ATTRIBUTE_VALUE_INVALID),
        (hidden().bytes(CKA_SEED, &seed[1..]), CKR_ATTRIBUTE_VALUE_INVALID),
        (
            hidden().bytes(CKA_SEED, &seed[1..]).bytes(CKA_VALUE, &expanded),
            CKR_ATTRIBUTE_VALUE_INVALID,
        ),
        (hidden().bytes(CKA_SEED, [9; 32]).bytes(CKA_VALUE, &expanded), CKR_TEMPLATE_INCONSISTENT),
        (key(CKO_PRIVATE_KEY, 0).bytes(CKA_SEED, &seed), CKR_PARAMETER_SET_NOT_SUPPORTED),
        (
            key(CKO_PRIVATE_KEY, CKP_ML_DSA_87).bytes(CKA_VALUE, &expanded),
            CKR_ATTRIBUTE_VALUE_INVALID,
        ),
    ] {
        assert_eq!(create(session, &template), Err(wanted));
    }
    let none = Template::default();
    let generate = |public: &Template, private: &Template| {
        pair(session, CKM_ML_DSA_KEY_PAIR_GEN, public, private).err()
    };
    assert_eq!(generate(&none, &none), Some(CKR_TEMPLATE_INCOMPLETE));
    assert_eq!(generate(&of_set(9), &none), Some(CKR_PARAMETER_SET_NOT_SUPPORTED));
    let inconsistent = Some(CKR_TEMPLATE_INCONSISTENT);
    assert_eq!(generate(&of_set(number), &of_set(CKP_ML_DSA_44)), inconsistent);
    assert_eq!(generate(&of_set(number), &none.clone().bytes(CKA_SEED, &seed)), inconsistent);
    // What is secret does not leave, unless the template lets it.
    let (_, hidden) = new_pair(session, number, &none);
    for id in [CKA_SEED, CKA_VALUE] {
        assert_eq!(value(session, hidden, id), Err(CKR_ATTRIBUTE_SENSITIVE));
    }
    // A key of another type neither signs nor is signed with, and a public key does not sign.
    let how = mechanism(CKM_ML_DSA);
    let aes = create(session, &aes()).expect("a key");
    assert_eq!(sign(session, how, aes, MESSAGE), Err(CKR_KEY_TYPE_INCONSISTENT));
    let other = sign(session, mechanism(CKM_SLH_DSA), private, MESSAGE);
    assert_eq!(other, Err(CKR_KEY_TYPE_INCONSISTENT));
    assert_eq!(sign(session, how, public, MESSAGE), Err(CKR_KEY_FUNCTION_NOT_PERMITTED));
}
