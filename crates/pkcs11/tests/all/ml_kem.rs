//! ML-KEM by PKCS #11 3.2: keys, and secrets that two sides share.

use broadloom::public_key::{MlKemSet, PublicKeyAlgorithm};
use broadloom::{Job, Processor, Transform};
use cryptoki_sys::*;

use crate::client::*;

const SETS: [(CK_ULONG, MlKemSet); 3] = [
    (CKP_ML_KEM_512, MlKemSet::MlKem512),
    (CKP_ML_KEM_768, MlKemSet::MlKem768),
    (CKP_ML_KEM_1024, MlKemSet::MlKem1024),
];

fn of_set(number: CK_ULONG) -> Template {
    Template::default().number(CKA_PARAMETER_SET, number)
}

/// A template of a key whose values can be read.
fn shown() -> Template {
    Template::default().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE)
}

/// A template of a secret key whose value can be read.
fn secret(key_type: CK_KEY_TYPE) -> Template {
    let template = Template::default().number(CKA_CLASS, CKO_SECRET_KEY).no(CKA_SENSITIVE);
    template.number(CKA_KEY_TYPE, key_type)
}

fn key(class: CK_OBJECT_CLASS, number: CK_ULONG) -> Template {
    let template = Template::default().number(CKA_CLASS, class).number(CKA_KEY_TYPE, CKK_ML_KEM);
    template.number(CKA_PARAMETER_SET, number)
}

fn new_pair(
    session: CK_SESSION_HANDLE,
    number: CK_ULONG,
    private: &Template,
) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
    pair(session, CKM_ML_KEM_KEY_PAIR_GEN, &of_set(number), private).expect("a pair of keys")
}

/// The decapsulation key of a seed, by the engine.
fn of_seed(set: MlKemSet, seed: &[u8]) -> Vec<u8> {
    let transform = Transform::generate_key(PublicKeyAlgorithm::MlKem(set)).expect("it makes keys");
    let session = broadloom::registry().open(&transform).expect("native has it");
    let mut jobs = [Job::new(&session, seed)];
    Processor::new().process_many(&mut jobs);
    jobs[0].take_output()
}

#[test]
fn interfaces_of_all_versions_are_there() {
    let session = user();
    let mut info = CK_INFO::default();
    call!(C_GetInfo(&mut info)).expect("there is room");
    assert_eq!((info.cryptokiVersion.major, info.cryptokiVersion.minor), (3, 2));
    let versions = Functions::interfaces().map(|interface| {
        // SAFETY: every list of functions begins with its version.
        let version = unsafe { &*interface.pFunctionList.cast::<CK_VERSION>() };
        (version.major, version.minor)
    });
    assert_eq!(versions, [(3, 2), (3, 0), (2, 40)]);
    let get = |version: Option<(u8, u8)>| {
        let mut asked = version.map(|(major, minor)| CK_VERSION { major, minor });
        let asked = asked.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let get = Functions::version_3_2().C_GetInterface.expect("it is in the list");
        let mut interface = std::ptr::null_mut();
        // SAFETY: null is allowed for the name, and there is room for a pointer.
        match unsafe { get(std::ptr::null_mut(), asked, &mut interface, 0) } {
            // SAFETY: it is an interface, whose list of functions begins with its version.
            CKR_OK => Ok(unsafe { *(*interface).pFunctionList.cast::<CK_VERSION>() }),
            code => Err(code),
        }
    };
    let found = |version| get(version).map(|found| (found.major, found.minor));
    // Programs that know no version 3.2 ask for none.
    assert_eq!(found(None), Ok((3, 0)));
    for version in versions {
        assert_eq!(found(Some(version)), Ok(version));
    }
    assert_eq!(found(Some((3, 1))), Err(CKR_FUNCTION_FAILED));
    // What version 3.2 has added and the module has not says so.
    let refused = call_3_2!(C_AsyncGetID(session, std::ptr::null_mut(), std::ptr::null_mut()));
    assert_eq!(refused, Err(CKR_FUNCTION_NOT_SUPPORTED));
    let mut flags = 7;
    let asked = CKS_LAST_VALIDATION_OK;
    assert_eq!(call_3_2!(C_GetSessionValidationFlags(session, asked, &mut flags)), Ok(()));
    assert_eq!(flags, 0);
    let (flags, null) = (CKF_SERIAL_SESSION | CKF_ASYNC_SESSION, std::ptr::null_mut());
    let mut opened = 0;
    let refused = call!(C_OpenSession(0, flags, null, None, &mut opened));
    assert_eq!(refused, Err(CKR_SESSION_ASYNC_NOT_SUPPORTED));
}

#[test]
fn both_sides_share_a_secret() {
    let session = user();
    let how = mechanism(CKM_ML_KEM);
    for (number, set) in SETS {
        let (public, private) = new_pair(session, number, &shown());
        let seed = value(session, private, CKA_SEED).expect("it may leave");
        let expanded = value(session, private, CKA_VALUE).expect("it may leave");
        assert_eq!(expanded, of_seed(set, &seed), "{set}");
        let encapsulation_key = value(session, public, CKA_VALUE).expect("it is public");
        assert_eq!(encapsulation_key, set.public_of(&expanded), "{set}");
        for key in [public, private] {
            let found = value(session, key, CKA_PARAMETER_SET);
            assert_eq!(found, Ok(number.to_ne_bytes().to_vec()), "{set}");
            assert_eq!(value(session, key, CKA_LOCAL), Ok(vec![CK_TRUE]));
        }
        let template = secret(CKK_GENERIC_SECRET);
        let (mut ciphertext, one) = encapsulate(session, how, public, &template).expect("a secret");
        assert_eq!(ciphertext.len(), set.ciphertext_len(), "{set}");
        let other = decapsulate(session, how, private, &template, &ciphertext);
        let other = other.expect("the same secret");
        let shared = value(session, one, CKA_VALUE).expect("it may leave");
        assert_eq!(shared.len(), 32);
        assert_eq!(value(session, other, CKA_VALUE), Ok(shared.clone()), "{set}");
        for key in [one, other] {
            for (id, wanted) in [
                (CKA_LOCAL, CK_FALSE),
                (CKA_ALWAYS_SENSITIVE, CK_FALSE),
                (CKA_NEVER_EXTRACTABLE, CK_FALSE),
                (CKA_EXTRACTABLE, CK_TRUE),
            ] {
                assert_eq!(value(session, key, id), Ok(vec![wanted]), "{id:#x}");
            }
        }
        // Another time, there is another secret.
        let (_, again) = encapsulate(session, how, public, &template).expect("a secret");
        assert_ne!(value(session, again, CKA_VALUE), Ok(shared.clone()));
        // Of a wrong ciphertext comes a key that nobody else has, and the same each time.
        ciphertext[3] ^= 1;
        let wrong = || {
            let key = decapsulate(session, how, private, &template, &ciphertext);
            value(session, key.expect("no error tells of it"), CKA_VALUE).expect("it may leave")
        };
        assert_ne!(wrong(), shared, "{set}");
        assert_eq!(wrong(), wrong());
    }
}

#[test]
fn the_shared_key_encrypts() {
    let session = user();
    let how = mechanism(CKM_ML_KEM);
    let (public, private) = new_pair(session, CKP_ML_KEM_768, &Template::default());
    let aes = Template::default().number(CKA_KEY_TYPE, CKK_AES);
    let (ciphertext, one) = encapsulate(session, how, public, &aes).expect("a key");
    let other = decapsulate(session, how, private, &aes, &ciphertext).expect("a key");
    let sealed = encrypt(session, mechanism(CKM_AES_ECB), one, &[5; 32]).expect("it encrypts");
    let opened = decrypt(session, mechanism(CKM_AES_ECB), other, &sealed);
    assert_eq!(opened, Ok(vec![5; 32]));
    // Secret keys are sensitive unless the template says otherwise, and so are private keys.
    assert_eq!(value(session, other, CKA_VALUE), Err(CKR_ATTRIBUTE_SENSITIVE));
    for id in [CKA_SEED, CKA_VALUE] {
        assert_eq!(value(session, private, id), Err(CKR_ATTRIBUTE_SENSITIVE));
    }
    assert_eq!(value(session, private, CKA_DECAPSULATE), Ok(vec![CK_TRUE]));
    assert_eq!(value(session, private, CKA_SIGN), Ok(vec![CK_FALSE]));
}

#[test]
fn keys_are_given_as_seeds_or_expanded() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let how = mechanism(CKM_ML_KEM);
    for (number, set) in SETS {
        let seed: Vec<u8> = (0..64).map(|at| at * 3 + number as u8).collect();
        let expanded = of_seed(set, &seed);
        let public = key(CKO_PUBLIC_KEY, number).bytes(CKA_VALUE, set.public_of(&expanded));
        let public = create(session, &public).expect("a key");
        let (ciphertext, one) =
            encapsulate(session, how, public, &secret(CKK_GENERIC_SECRET)).expect("a secret");
        let shared = value(session, one, CKA_VALUE);
        let private = || key(CKO_PRIVATE_KEY, number).no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE);
        for template in [
            private().bytes(CKA_SEED, &seed),
            private().bytes(CKA_VALUE, &expanded),
            private().bytes(CKA_SEED, &seed).bytes(CKA_VALUE, &expanded),
        ] {
            let private = create(session, &template.yes(CKA_TOKEN)).expect("a key");
            assert_eq!(value(session, private, CKA_VALUE), Ok(expanded.clone()), "{set}");
            let other =
                decapsulate(session, how, private, &secret(CKK_GENERIC_SECRET), &ciphertext)
                    .expect("the same secret");
            assert_eq!(value(session, other, CKA_VALUE), shared, "{set}");
        }
    }
    // The keys of the token come back with the next login.
    call!(C_CloseSession(session)).expect("it is open");
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let kept = Template::default().number(CKA_KEY_TYPE, CKK_ML_KEM);
    assert_eq!(find(session, &kept).map(|found| found.len()), Ok(9));
}

#[test]
fn keys_that_are_wrong_are_refused() {
    let session = user();
    let (number, set) = SETS[1];
    let (seed, other) = ([7; 64], [8; 64]);
    let expanded = of_seed(set, &seed);
    let public =
        |value: &[u8]| create(session, &key(CKO_PUBLIC_KEY, number).bytes(CKA_VALUE, value));
    let mut high = set.public_of(&expanded).to_vec();
    assert!(public(&high).is_ok());
    // The first number is 4095, and 3328 is the highest.
    (high[0], high[1]) = (0xff, high[1] | 0x0f);
    assert_eq!(public(&high), Err(CKR_ATTRIBUTE_VALUE_INVALID));
    assert_eq!(public(&high[1..]), Err(CKR_ATTRIBUTE_VALUE_INVALID));
    let private = || key(CKO_PRIVATE_KEY, number);
    let mut damaged = expanded.clone();
    // This is in the digest of the encapsulation key.
    damaged[expanded.len() - 40] ^= 1;
    for (template, wanted) in [
        (private(), CKR_TEMPLATE_INCOMPLETE),
        (private().bytes(CKA_VALUE, &damaged), CKR_ATTRIBUTE_VALUE_INVALID),
        (private().bytes(CKA_VALUE, &expanded[1..]), CKR_ATTRIBUTE_VALUE_INVALID),
        (private().bytes(CKA_SEED, &seed[1..]), CKR_ATTRIBUTE_VALUE_INVALID),
        (
            private().bytes(CKA_SEED, &seed[1..]).bytes(CKA_VALUE, &expanded),
            CKR_ATTRIBUTE_VALUE_INVALID,
        ),
        (private().bytes(CKA_SEED, other).bytes(CKA_VALUE, &expanded), CKR_TEMPLATE_INCONSISTENT),
        (key(CKO_PRIVATE_KEY, 4).bytes(CKA_SEED, seed), CKR_PARAMETER_SET_NOT_SUPPORTED),
        (key(CKO_PUBLIC_KEY, 0).bytes(CKA_VALUE, &high), CKR_PARAMETER_SET_NOT_SUPPORTED),
        (key(CKO_SECRET_KEY, number).bytes(CKA_VALUE, seed), CKR_ATTRIBUTE_TYPE_INVALID),
    ] {
        assert_eq!(create(session, &template), Err(wanted));
    }
    let none = Template::default();
    let generate = |public: &Template, private: &Template| {
        pair(session, CKM_ML_KEM_KEY_PAIR_GEN, public, private).err()
    };
    assert_eq!(generate(&none, &none), Some(CKR_TEMPLATE_INCOMPLETE));
    assert_eq!(generate(&of_set(9), &none), Some(CKR_PARAMETER_SET_NOT_SUPPORTED));
    let sized = of_set(number);
    let inconsistent = Some(CKR_TEMPLATE_INCONSISTENT);
    assert_eq!(generate(&sized, &of_set(CKP_ML_KEM_512)), inconsistent);
    assert_eq!(generate(&sized, &none.clone().bytes(CKA_SEED, seed)), inconsistent);
    assert_eq!(generate(&sized.clone().bytes(CKA_VALUE, &high), &none), inconsistent);
}

#[test]
fn wrong_encapsulations_have_codes() {
    let session = user();
    let how = mechanism(CKM_ML_KEM);
    let (public, private) = new_pair(session, CKP_ML_KEM_512, &Template::default());
    let template = secret(CKK_GENERIC_SECRET);
    let (ciphertext, _) = encapsulate(session, how, public, &template).expect("a secret");
    let keys = || find(session, &Template::default().number(CKA_CLASS, CKO_SECRET_KEY));
    let before = keys().expect("it searches").len();

    let iv = [0u8; 16];
    for (how, public, private, codes) in [
        (
            mechanism(CKM_SHA256),
            public,
            private,
            [CKR_KEY_TYPE_INCONSISTENT, CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT],
        ),
        (with(CKM_ML_KEM, &iv), public, private, [CKR_MECHANISM_PARAM_INVALID; 2]),
        (how, 999_999, 999_999, [CKR_KEY_HANDLE_INVALID, CKR_UNWRAPPING_KEY_HANDLE_INVALID]),
        (how, private, public, [CKR_KEY_FUNCTION_NOT_PERMITTED; 2]),
        (mechanism(0x7fff_ffff), public, private, [CKR_MECHANISM_INVALID; 2]),
    ] {
        let made = encapsulate(session, how, public, &template).err();
        assert_eq!(made, Some(codes[0]), "{:#x}", how.mechanism);
        let found = decapsulate(session, how, private, &template, &ciphertext);
        assert_eq!(found, Err(codes[1]), "{:#x}", how.mechanism);
    }
    for (template, wanted) in [
        (secret(CKK_GENERIC_SECRET).bytes(CKA_VALUE, [1; 32]), CKR_TEMPLATE_INCONSISTENT),
        (secret(CKK_AES).number(CKA_VALUE_LEN, 16), CKR_TEMPLATE_INCONSISTENT),
        (secret(CKK_RSA), CKR_TEMPLATE_INCONSISTENT),
        (Template::default().number(CKA_CLASS, CKO_PRIVATE_KEY), CKR_TEMPLATE_INCONSISTENT),
        (secret(CKK_AES).yes(CKA_LOCAL), CKR_ATTRIBUTE_READ_ONLY),
        (secret(CKK_AES).bytes(CKA_MODULUS, [1]), CKR_ATTRIBUTE_TYPE_INVALID),
    ] {
        let made = encapsulate(session, how, public, &template).err();
        assert_eq!(made, Some(wanted));
        let found = decapsulate(session, how, private, &template, &ciphertext);
        assert_eq!(found, Err(wanted));
    }
    for len in [0, 767, 769] {
        let given = vec![1; len];
        let found = decapsulate(session, how, private, &template, &given);
        assert_eq!(found, Err(CKR_WRAPPED_KEY_LEN_RANGE), "{len}");
    }
    // A buffer that is too small, and one that is missing, say how long a ciphertext is.
    let (mut list, mut key, mut how) = (template.list(), 0, how);
    let (attributes, count) = (list.as_mut_ptr(), list.len());
    let (mut room, mut len) = (vec![0; 768], 767);
    let to = room.as_mut_ptr();
    let made = &raw mut key;
    let small = call_3_2!(C_EncapsulateKey(
        session, &mut how, public, attributes, count, to, &mut len, made
    ));
    assert_eq!((small, len, key), (Err(CKR_BUFFER_TOO_SMALL), 768, 0));
    assert!(room.iter().all(|byte| *byte == 0));
    let (null, nowhere) = (std::ptr::null_mut(), std::ptr::null_mut());
    len = 0;
    let asked = call_3_2!(C_EncapsulateKey(
        session, &mut how, public, attributes, count, null, &mut len, nowhere
    ));
    assert_eq!((asked, len), (Ok(()), 768));
    let bad = call_3_2!(C_EncapsulateKey(
        session, &mut how, public, attributes, count, to, &mut len, nowhere
    ));
    assert_eq!(bad, Err(CKR_ARGUMENTS_BAD));
    assert_eq!(keys().map(|found| found.len()), Ok(before), "none of these has made a key");
}

#[test]
fn attributes_say_what_a_key_of_ml_kem_may_do() {
    let slot = slot();
    let session = open(slot, true);
    login(session, CKU_USER, USER).expect("the user's PIN");
    let how = mechanism(CKM_ML_KEM);
    let public = of_set(CKP_ML_KEM_512);
    let forbidden = pair(
        session,
        CKM_ML_KEM_KEY_PAIR_GEN,
        &public.clone().no(CKA_ENCAPSULATE),
        &Template::default().no(CKA_DECAPSULATE),
    );
    let (idle, mute) = forbidden.expect("a pair of keys");
    let template = secret(CKK_GENERIC_SECRET);
    let made = encapsulate(session, how, idle, &template).err();
    assert_eq!(made, Some(CKR_KEY_FUNCTION_NOT_PERMITTED));
    let found = decapsulate(session, how, mute, &template, &[0; 768]);
    assert_eq!(found, Err(CKR_KEY_FUNCTION_NOT_PERMITTED));
    let asks = Template::default().yes(CKA_ALWAYS_AUTHENTICATE);
    let (open_key, asking) =
        pair(session, CKM_ML_KEM_KEY_PAIR_GEN, &public, &asks).expect("a pair of keys");
    let (ciphertext, _) = encapsulate(session, how, open_key, &template).expect("a secret");
    let found = decapsulate(session, how, asking, &template, &ciphertext);
    assert_eq!(found, Err(CKR_USER_NOT_LOGGED_IN));
    // A session that only reads makes no objects of the token.
    let reader = open(slot, false);
    let kept = secret(CKK_GENERIC_SECRET).yes(CKA_TOKEN);
    let made = encapsulate(reader, how, open_key, &kept).err();
    assert_eq!(made, Some(CKR_SESSION_READ_ONLY));
    assert!(encapsulate(reader, how, open_key, &template).is_ok());
}
