//! What is left of keys and PINs in the memory of the process once they are gone.
//!
//! The program logs in, makes keys of all kinds and works with them, destroys them, logs out and
//! closes its sessions. Then it searches all memory that the process can write. Everything that is
//! searched for is masked, here and in the copy of the memory, so that the search does not find
//! itself; what the client itself holds, it wipes.

#[path = "all/client.rs"]
mod client;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use broadloom::{AeadAlgorithm, Job, Processor, Transform, algorithm::AesSize};
use client::*;
use cryptoki_sys::*;
use zeroize::Zeroizing;

/// What every byte of a secret is combined with.
const MASK: u8 = 0x5a;

/// What every byte of the copy of the memory is combined with. With the same mask, the copy of a
/// masked secret would be the secret.
const COPY_MASK: u8 = 0x93;

/// The bytes of masked hexadecimal digits, still masked.
fn masked(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// What the digits hide.
fn secret(digits: &str) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(masked(digits));
    bytes.iter_mut().for_each(|byte| *byte ^= MASK);
    bytes
}

/// What is searched for.
struct Needles(Vec<(String, Vec<u8>)>);

impl Needles {
    /// Adds a secret, and the same in the other order of its bytes.
    fn hide(&mut self, name: &str, secret: &[u8]) {
        let masked: Vec<u8> = secret.iter().map(|byte| byte ^ MASK).collect();
        self.hide_masked(name, masked);
    }

    fn hide_masked(&mut self, name: &str, masked: Vec<u8>) {
        let reversed = masked.iter().rev().copied().collect();
        self.0.push((name.to_owned(), masked));
        self.0.push((format!("{name}, reversed"), reversed));
    }

    /// Adds an attribute of a key that may leave.
    fn hide_value(
        &mut self,
        name: &str,
        session: CK_SESSION_HANDLE,
        key: CK_OBJECT_HANDLE,
        id: CK_ATTRIBUTE_TYPE,
    ) {
        self.hide_part(name, session, key, id, ..);
    }

    /// Adds a part of an attribute of a key that may leave.
    fn hide_part(
        &mut self,
        name: &str,
        session: CK_SESSION_HANDLE,
        key: CK_OBJECT_HANDLE,
        id: CK_ATTRIBUTE_TYPE,
        part: impl std::slice::SliceIndex<[u8], Output = [u8]>,
    ) {
        let found = Zeroizing::new(value(session, key, id).expect("a value that may leave"));
        self.hide(name, &found[part]);
    }
}

/// A masked copy of all memory that the process can write, with the lines of the map.
struct Snapshot(Vec<(String, Vec<u8>)>);

impl Snapshot {
    fn take() -> Snapshot {
        let maps = fs::read_to_string("/proc/self/maps").expect("a map of this process");
        let memory = File::open("/proc/self/mem").expect("the memory of this process");
        let mut regions = Vec::new();
        for line in maps.lines() {
            let (range, rest) = line.split_once(' ').expect("a range");
            if !rest.starts_with("rw") {
                continue;
            }
            let (start, end) = range.split_once('-').expect("two addresses");
            let address = |digits| u64::from_str_radix(digits, 16).expect("an address");
            let (start, end) = (address(start), address(end));
            let mut copy = vec![0; (end - start) as usize];
            // Piece by piece, so that what is not masked is short, and soon overwritten.
            for (at, piece) in copy.chunks_mut(4096).enumerate() {
                // Pages that cannot be read are guards, and have nothing.
                let _ = memory.read_exact_at(piece, start + 4096 * at as u64);
                piece.iter_mut().for_each(|byte| *byte ^= COPY_MASK);
            }
            regions.push((line.to_owned(), copy));
        }
        Snapshot(regions)
    }

    /// The needles that it has, each with its place.
    fn find(&self, needles: &Needles) -> Vec<String> {
        // Two bytes of a needle tell most places from it.
        let pair = |bytes: &[u8]| usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        let other = usize::from(u16::from_le_bytes([MASK ^ COPY_MASK; 2]));
        let mut begins: Vec<Vec<&(String, Vec<u8>)>> = vec![Vec::new(); 1 << 16];
        for needle in &needles.0 {
            begins[pair(&needle.1) ^ other].push(needle);
        }
        let is_same = |copy: &[u8], masked: &[u8]| {
            copy.len() >= masked.len()
                && copy.iter().zip(masked).all(|(copy, byte)| copy ^ byte == MASK ^ COPY_MASK)
        };
        let mut found = Vec::new();
        for (line, copy) in &self.0 {
            for at in 0..copy.len() - 1 {
                for (name, masked) in &begins[pair(&copy[at..])] {
                    if is_same(&copy[at..], masked) {
                        found.push(format!("{name} at {at:#x} of {line}"));
                    }
                }
            }
        }
        found
    }
}

fn pin(session: CK_SESSION_HANDLE, user: CK_USER_TYPE, digits: &str) -> Code {
    let pin = secret(digits);
    call!(C_Login(session, user, bytes(&*pin), pin.len() as CK_ULONG))
}

const OFFICER_PIN: &str = "153c3c33393f2877123f283534776a626b6f";
const USER_PIN: &str = "0b2f3b33342e77163f372f28776e6d6b6b";
const WRONG_PIN: &str = "0b2f3b33342e77163f372f28776e6d6b6c";

const AES: &str = "c7461528b2f90aec9d8844d559ce3001";
/// The last round key of it (FIPS 197, 5.2).
const AES_LAST: &str = "8c7e1a3f4c19e9dd7920131dc4f53ac7";
const HMAC: &str = "31556602fb88ce24bf014d931a5782a92846e430c26efaa89b0dd451398315fd";
/// The states of SHA-256 after the padded key of the inner and of the outer hash.
const HMAC_INNER: &str = "304ae9172a1f95384b82270d851b7594f2bae94096830923fa4bd1a3aaec5c1d";
const HMAC_OUTER: &str = "008d57b352c8f6d24e5411f4048992082fd6afd9998ca3129a70f4dd505b6e2e";
const EDWARDS: &str = "efb8533516d98b4d207aa4c1029e6c57bbc82af10567924c5ead63d438810bf6";
/// The scalar that its SHA-512 has, but for the ends, in which bits are set and cleared.
const EDWARDS_SCALAR: &str = "21d650d9bfe79e5e1d41896301ff64772868ba8c92bcf5e5e4f6ea513da8";
const MONTGOMERY: &str = "629d1b51c5b80c8ef9542deb3206a84367deb00a9ccd75418a1f24c9f238559f";
const CURVE: &str = "2760cc9abe0145d8fd5317bc61ab029854d12b8009ceacf64d7a823511b9cf50";
const PLANTED: &str = "2e3233297a33297a2a363b342e3f3e7b";

const P256: [u8; 10] = [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];

/// A key of its own, which may leave or not.
fn given(class: CK_OBJECT_CLASS, key_type: CK_KEY_TYPE, digits: &str) -> Template {
    Template::default()
        .number(CKA_CLASS, class)
        .number(CKA_KEY_TYPE, key_type)
        .yes(CKA_DERIVE)
        .bytes(CKA_VALUE, &*secret(digits))
}

/// A template that lets a new key leave.
fn leaves() -> Template {
    Template::default().no(CKA_SENSITIVE).yes(CKA_EXTRACTABLE).yes(CKA_DERIVE)
}

fn derive(session: CK_SESSION_HANDLE, key: CK_OBJECT_HANDLE, point: &[u8]) -> CK_OBJECT_HANDLE {
    let parameters = CK_ECDH1_DERIVE_PARAMS {
        kdf: CKD_NULL,
        ulSharedDataLen: 0,
        pSharedData: std::ptr::null_mut(),
        ulPublicDataLen: point.len() as CK_ULONG,
        pPublicData: bytes(point),
    };
    let mut how = with(CKM_ECDH1_DERIVE, &parameters);
    let (template, mut derived) = (leaves(), 0);
    let mut list = template.list();
    let count = list.len();
    call!(C_DeriveKey(session, &mut how, key, list.as_mut_ptr(), count, &mut derived))
        .expect("a secret");
    derived
}

/// Uses a key for signatures or tags, whole and in pieces.
fn use_to_sign(session: CK_SESSION_HANDLE, how: CK_MECHANISM, key: CK_OBJECT_HANDLE, len: usize) {
    let text = vec![3; len];
    sign(session, how, key, &text).expect("a signature");
    let mut how = how;
    call!(C_SignInit(session, &mut how, key)).expect("a key");
    for piece in text.chunks(len.div_ceil(3)) {
        call!(C_SignUpdate(session, bytes(piece), piece.len() as CK_ULONG)).expect("a piece");
    }
    output(|to, len| call!(C_SignFinal(session, to, len))).expect("a signature");
}

fn use_to_encrypt(session: CK_SESSION_HANDLE, key: CK_OBJECT_HANDLE) {
    let iv = [3u8; 16];
    let counter = CK_AES_CTR_PARAMS { ulCounterBits: 32, cb: iv };
    let gcm = CK_GCM_PARAMS {
        pIv: bytes(iv.as_slice()),
        ulIvLen: 12,
        ulIvBits: 96,
        pAAD: bytes(iv.as_slice()),
        ulAADLen: 16,
        ulTagBits: 128,
    };
    for how in [
        mechanism(CKM_AES_ECB),
        with(CKM_AES_CBC, &iv),
        with(CKM_AES_CBC_PAD, &iv),
        with(CKM_AES_CTR, &counter),
        with(CKM_AES_GCM, &gcm),
    ] {
        for len in [64, 1024] {
            let sealed = encrypt(session, how, key, &vec![1; len]).expect("it encrypts");
            decrypt(session, how, key, &sealed).expect("it decrypts");
        }
    }
}

/// Makes keys, works with them, and destroys them. Says what must not be there afterwards.
fn work(slot: CK_SLOT_ID) -> Needles {
    let mut needles = Needles(Vec::new());
    let mut label = *b"remains                         ";
    let officer = secret(OFFICER_PIN);
    let len = officer.len() as CK_ULONG;
    call!(C_InitToken(slot, bytes(&*officer), len, label.as_mut_ptr())).expect("a token");
    drop(officer);
    let session = open(slot, true);
    pin(session, CKU_SO, OFFICER_PIN).expect("the officer's PIN");
    let user = secret(USER_PIN);
    let len = user.len() as CK_ULONG;
    call!(C_InitPIN(session, bytes(&*user), len)).expect("the user's PIN");
    call!(C_Logout(session)).expect("the officer is logged in");
    assert_eq!(pin(session, CKU_USER, WRONG_PIN), Err(CKR_PIN_INCORRECT));
    pin(session, CKU_USER, USER_PIN).expect("the user's PIN");
    call!(C_SetPIN(session, bytes(&*user), len, bytes(&*user), len)).expect("the same PIN");
    drop(user);
    for (name, digits) in [
        ("the officer's PIN", OFFICER_PIN),
        ("the user's PIN", &USER_PIN[..32]),
        ("the AES key", AES),
        ("its last round key", AES_LAST),
        ("the HMAC key", HMAC),
        ("its inner state", HMAC_INNER),
        ("its outer state", HMAC_OUTER),
        ("the Ed25519 key", EDWARDS),
        ("its scalar", EDWARDS_SCALAR),
        ("the X25519 key", MONTGOMERY),
        ("the P-256 key", CURVE),
    ] {
        needles.hide_masked(name, masked(digits));
    }

    // Keys that are given, in the token and not.
    let aes = given(CKO_SECRET_KEY, CKK_AES, AES).yes(CKA_TOKEN);
    let aes = create(session, &aes).expect("a key");
    use_to_encrypt(session, aes);
    use_to_sign(session, mechanism(CKM_AES_CMAC), aes, 1000);
    let copied = copy(session, aes, &Template::default().no(CKA_TOKEN)).expect("a copy");
    use_to_encrypt(session, copied);
    let change = Template::default().bytes(CKA_LABEL, "renamed");
    let mut list = change.list();
    call!(C_SetAttributeValue(session, aes, list.as_mut_ptr(), 1)).expect("it may change");
    let hmac = given(CKO_SECRET_KEY, CKK_GENERIC_SECRET, HMAC).no(CKA_SENSITIVE);
    let hmac = create(session, &hmac.yes(CKA_EXTRACTABLE)).expect("a key");
    use_to_sign(session, mechanism(CKM_SHA256_HMAC), hmac, 1000);
    let mut hash = mechanism(CKM_SHA256);
    call!(C_DigestInit(session, &mut hash)).expect("a hash");
    call!(C_DigestKey(session, hmac)).expect("it may leave");
    output(|to, len| call!(C_DigestFinal(session, to, len))).expect("a digest");
    let search = Template::default().bytes(CKA_VALUE, &*secret(HMAC));
    assert_eq!(find(session, &search), Ok(vec![hmac]));
    drop(search);
    let ed = given(CKO_PRIVATE_KEY, CKK_EC_EDWARDS, EDWARDS);
    let ed = ed.bytes(CKA_EC_PARAMS, b"\x13\x0cedwards25519").yes(CKA_TOKEN);
    let ed = create(session, &ed).expect("a key");
    use_to_sign(session, mechanism(CKM_EDDSA), ed, 300);
    let montgomery = given(CKO_PRIVATE_KEY, CKK_EC_MONTGOMERY, MONTGOMERY);
    let montgomery = montgomery.bytes(CKA_EC_PARAMS, b"\x13\x0acurve25519");
    let montgomery = create(session, &montgomery).expect("a key");
    let agreed = derive(session, montgomery, &[9; 32]);
    needles.hide_value("the secret of X25519", session, agreed, CKA_VALUE);
    let curve = given(CKO_PRIVATE_KEY, CKK_EC, CURVE).bytes(CKA_EC_PARAMS, P256);
    let curve = create(session, &curve.yes(CKA_TOKEN)).expect("a key");
    use_to_sign(session, mechanism(CKM_ECDSA_SHA256), curve, 300);
    use_to_sign(session, mechanism(CKM_ECDSA), curve, 32);

    // Keys that are made.
    let mut how = mechanism(CKM_AES_KEY_GEN);
    let template = leaves().number(CKA_VALUE_LEN, 32).yes(CKA_WRAP).yes(CKA_UNWRAP);
    let (template, mut made) = (template.yes(CKA_TOKEN), 0);
    let mut list = template.list();
    let count = list.len();
    call!(C_GenerateKey(session, &mut how, list.as_mut_ptr(), count, &mut made)).expect("a key");
    needles.hide_value("a new AES key", session, made, CKA_VALUE);
    use_to_encrypt(session, made);
    let mut how = mechanism(CKM_AES_KEY_WRAP);
    let wrapped = output(|to, len| call!(C_WrapKey(session, &mut how, made, hmac, to, len)));
    let wrapped = wrapped.expect("it may leave");
    let template = Template::default().number(CKA_CLASS, CKO_SECRET_KEY);
    let (template, mut back) = (template.number(CKA_KEY_TYPE, CKK_GENERIC_SECRET), 0);
    let (mut list, from, len) = (template.list(), bytes(&wrapped), wrapped.len() as CK_ULONG);
    let count = list.len();
    let unwrapped = list.as_mut_ptr();
    call!(C_UnwrapKey(session, &mut how, made, from, len, unwrapped, count, &mut back))
        .expect("it opens");
    use_to_sign(session, mechanism(CKM_SHA256_HMAC), back, 1000);
    let bits = Template::default().number(CKA_MODULUS_BITS, 2048);
    let token = leaves().yes(CKA_TOKEN);
    let (public, rsa) =
        pair(session, CKM_RSA_PKCS_KEY_PAIR_GEN, &bits, &token).expect("a pair of keys");
    for (name, id) in [
        ("the private exponent", CKA_PRIVATE_EXPONENT),
        ("the first prime", CKA_PRIME_1),
        ("the second prime", CKA_PRIME_2),
        ("the first exponent", CKA_EXPONENT_1),
        ("the second exponent", CKA_EXPONENT_2),
        ("the coefficient", CKA_COEFFICIENT),
    ] {
        needles.hide_value(name, session, rsa, id);
    }
    let pss = CK_RSA_PKCS_PSS_PARAMS { hashAlg: CKM_SHA256, mgf: CKG_MGF1_SHA256, sLen: 32 };
    use_to_sign(session, mechanism(CKM_SHA256_RSA_PKCS), rsa, 300);
    use_to_sign(session, with(CKM_SHA256_RSA_PKCS_PSS, &pss), rsa, 300);
    use_to_sign(session, mechanism(CKM_RSA_PKCS), rsa, 30);
    let sealed = encrypt(session, mechanism(CKM_RSA_PKCS), public, b"text").expect("it fits");
    decrypt(session, mechanism(CKM_RSA_PKCS), rsa, &sealed).expect("it opens");
    for (id, parameters, how, name) in [
        (CKM_EC_KEY_PAIR_GEN, &P256[..], mechanism(CKM_ECDSA_SHA256), "a new P-256 key"),
        (
            CKM_EC_EDWARDS_KEY_PAIR_GEN,
            &[6, 3, 0x2b, 0x65, 0x70],
            mechanism(CKM_EDDSA),
            "a new Ed25519 key",
        ),
    ] {
        let parameters = Template::default().bytes(CKA_EC_PARAMS, parameters);
        let (_, key) = pair(session, id, &parameters, &token).expect("a pair of keys");
        needles.hide_value(name, session, key, CKA_VALUE);
        use_to_sign(session, how, key, 300);
    }
    let of_set = |number| Template::default().number(CKA_PARAMETER_SET, number);
    let (_, key) = pair(session, CKM_SLH_DSA_KEY_PAIR_GEN, &of_set(CKP_SLH_DSA_SHA2_128F), &token)
        .expect("a pair of keys");
    needles.hide_part("SK.seed of SLH-DSA", session, key, CKA_VALUE, 0..16);
    needles.hide_part("SK.prf of SLH-DSA", session, key, CKA_VALUE, 16..32);
    use_to_sign(session, mechanism(CKM_SLH_DSA), key, 300);
    let (_, key) = pair(session, CKM_ML_DSA_KEY_PAIR_GEN, &of_set(CKP_ML_DSA_65), &token)
        .expect("a pair of keys");
    needles.hide_value("the seed of ML-DSA", session, key, CKA_SEED);
    needles.hide_part("K of ML-DSA", session, key, CKA_VALUE, 32..64);
    needles.hide_part("the secret vectors of ML-DSA", session, key, CKA_VALUE, 128..176);
    needles.hide_part("the end of them", session, key, CKA_VALUE, 1488..1536);
    use_to_sign(session, mechanism(CKM_ML_DSA), key, 300);
    use_to_sign(session, mechanism(CKM_HASH_ML_DSA_SHA256), key, 300);
    let (public, key) = pair(session, CKM_ML_KEM_KEY_PAIR_GEN, &of_set(CKP_ML_KEM_768), &token)
        .expect("a pair of keys");
    needles.hide_part("d of ML-KEM", session, key, CKA_SEED, 0..32);
    needles.hide_part("z of ML-KEM", session, key, CKA_SEED, 32..64);
    needles.hide_part("the vector of ML-KEM", session, key, CKA_VALUE, 0..48);
    needles.hide_part("the end of its vector", session, key, CKA_VALUE, 1104..1152);
    let kem = mechanism(CKM_ML_KEM);
    let (ciphertext, one) = encapsulate(session, kem, public, &leaves()).expect("a secret");
    needles.hide_value("the secret of ML-KEM", session, one, CKA_VALUE);
    decapsulate(session, kem, key, &leaves(), &ciphertext).expect("the same secret");

    let parameters = Template::default().bytes(CKA_EC_PARAMS, P256);
    let (public, other) =
        pair(session, CKM_EC_KEY_PAIR_GEN, &parameters, &leaves()).expect("a pair of keys");
    needles.hide_value("another P-256 key", session, other, CKA_VALUE);
    let agreed = derive(session, curve, &value(session, public, CKA_EC_POINT).expect("a point"));
    needles.hide_value("the secret of P-256", session, agreed, CKA_VALUE);

    // The objects of the token are read once more, by the next login.
    call!(C_Logout(session)).expect("the user is logged in");
    pin(session, CKU_USER, USER_PIN).expect("the user's PIN");
    let all = find(session, &Template::default()).expect("it searches");
    assert!(all.len() > 4, "{all:?}");
    for object in all {
        call!(C_DestroyObject(session, object)).expect("it is there");
    }
    call!(C_Logout(session)).expect("the user is logged in");
    call!(C_CloseAllSessions(slot)).expect("a slot");
    needles
}

/// The token's key, and the key of a PIN that it is sealed under.
fn keys_of_token(slot: CK_SLOT_ID, record: u64, pin: &[u8], role: &str) -> [Vec<u8>; 2] {
    let file = fs::read(place(slot).join("token")).expect("the token's file");
    let mut rest = &file[8..];
    let sealed = loop {
        let number = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().expect("a number"));
        let (found, len) = (number(0), number(8) as usize);
        if found == record {
            break &rest[16..16 + len];
        }
        rest = &rest[16 + len..];
    };
    let params = scrypt::Params::new(sealed[16], 8, 1).expect("a cost");
    let mut under = vec![0; 32];
    scrypt::scrypt(pin, &sealed[..16], &params, &mut under).expect("a key");
    let (nonce, rest) = sealed[18..].split_at(12);
    let (text, tag) = rest.split_at(rest.len() - 16);
    let algorithm = AeadAlgorithm::AesGcm(AesSize::Aes256);
    let transform = Transform::aead(algorithm, &under).open().expect("a key");
    let session = broadloom::registry().open(&transform).expect("native has it");
    let mut key = text.to_vec();
    let job = Job::new(&session, key.as_mut_slice()).nonce(nonce).expect_tag(tag);
    let mut jobs = [job.associated(role.as_bytes())];
    Processor::new().process_many(&mut jobs);
    assert!(jobs[0].succeeded(), "the token's key opens");
    drop(jobs);
    [key, under]
}

#[test]
fn nothing_is_left_of_keys_and_pins() {
    const SLOT: CK_SLOT_ID = 0;
    // The search finds what is there: on the heap, on the stack, and in the other order.
    let mut control = Needles(Vec::new());
    control.hide_masked("what was planted", masked(PLANTED));
    let planted = secret(PLANTED);
    let mut reversed = [0; 16];
    reversed.iter_mut().zip(planted.iter().rev()).for_each(|(to, from)| *to = *from);
    let found = Snapshot::take().find(&control);
    let has = |end| found.iter().any(|line| line.starts_with(end));
    assert!(has("what was planted at") && has("what was planted, reversed"), "{found:?}");
    std::hint::black_box(&mut reversed);

    let mut needles = work(SLOT);
    let snapshot = Snapshot::take();
    // These are made only now, when it does no harm that they are in memory.
    let [key, under] = keys_of_token(SLOT, 4, &secret(USER_PIN), "user");
    let [same, other] = keys_of_token(SLOT, 3, &secret(OFFICER_PIN), "security officer");
    assert_eq!(key, same);
    needles.hide("the token's key", &key);
    needles.hide("the key of the user's PIN", &under);
    needles.hide("the key of the officer's PIN", &other);
    let found = snapshot.find(&needles);
    assert!(found.is_empty(), "{} are left:\n{}", found.len(), found.join("\n"));
}
