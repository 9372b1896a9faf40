//! Secret keys, and the checks of their expansion.

use broadloom_lanes::{
    AesKey, CbcLanes, ChaChaKey, CmacKey, Cpu, DesKey, GcmKey, Hash, HmacKey, KasumiKey, Loan,
    Planner, XcbcKey, XtsKey, for_each_hash,
};

use crate::check::Checks;
use crate::observer::watch;
use crate::secrets::{made_from_secrets, secret, secret_array};

/// The expansion of every kind of key, by the instructions that the CPU may use.
pub fn check(checks: &mut Checks) {
    check_expansion(checks, "aes", aes_key);
    check_expansion(checks, "aes-gcm", gcm_key);
    check_expansion(checks, "aes-xts", xts_key);
    check_expansion(checks, "aes-cmac", cmac_key);
    check_expansion(checks, "aes-xcbc", xcbc_key);
    check_expansion(checks, "chacha20", chacha_key);
    check_expansion(checks, "des", des_key);
    check_expansion(checks, "kasumi", kasumi_key);
    macro_rules! each_hash {
        ($($hash:ident),+) => { $(
            let name = format!("hmac-{}", <broadloom_lanes::$hash as Hash>::NAME);
            check_expansion(checks, &name, hmac_key::<broadloom_lanes::$hash>);
        )+ };
    }
    for_each_hash!(each_hash!());
}

/// The expansion of ten keys. That expanded keys depend on secrets, the checks of ciphers and MACs
/// show.
fn check_expansion<K>(checks: &mut Checks, name: &str, key: fn(&Cpu, usize) -> K) {
    checks.check(&format!("{name}, key expansion"), |cpu| {
        drop(watch(|| (0..10).map(|i| key(cpu, i)).collect::<Vec<_>>()));
        let key = aes_key(cpu, 0);
        let mut block = [0; 16];
        Planner::<CbcLanes>::new(cpu).process_each([Loan::encrypt(&key, &[0; 16], &mut block)]);
        made_from_secrets(&mut block)
    });
}

pub fn key_len(number: usize) -> usize {
    [16, 24, 32][number % 3]
}

pub fn aes_key(cpu: &Cpu, number: usize) -> AesKey {
    AesKey::with_cpu(&secret(number, key_len(number)), cpu).expect("a good length")
}

pub fn gcm_key(cpu: &Cpu, number: usize) -> GcmKey {
    GcmKey::with_cpu(&secret(number, key_len(number)), cpu).expect("a good length")
}

pub fn cmac_key(cpu: &Cpu, number: usize) -> CmacKey {
    CmacKey::with_cpu(&secret(number, key_len(number)), cpu).expect("a good length")
}

pub fn xcbc_key(cpu: &Cpu, number: usize) -> XcbcKey {
    XcbcKey::with_cpu(&secret_array(number), cpu)
}

/// A key whose halves differ in one bit that is public: `XtsKey` refuses equal halves, so that
/// every user of the key may know that they differ. Its branch on that must depend on nothing else.
pub fn xts_key(cpu: &Cpu, number: usize) -> XtsKey {
    let mut key = secret(number, [32, 64][number % 2]);
    let half = key.len() / 2;
    let (first, second) = key.split_at_mut(half);
    for (byte, bit) in [(&mut first[0], 0), (&mut second[0], 1)] {
        *byte = *byte & !1 | bit;
    }
    XtsKey::with_cpu(&key, cpu).expect("halves that differ")
}

pub fn chacha_key(_: &Cpu, number: usize) -> ChaChaKey {
    ChaChaKey::new(&secret_array(number))
}

/// A key for DES or for triple DES whose parts differ in one bit that is public: `DesKey` refuses
/// keys with equal parts, so that every user of the key may know that they differ. Its branch on
/// that must depend on nothing else.
pub fn des_key(_: &Cpu, number: usize) -> DesKey {
    let mut key = secret(number, [8, 16, 24][number % 3]);
    for (part, bit) in key.chunks_mut(8).zip([0, 0x80, 0]) {
        part[7] = part[7] & 0x7f | bit;
    }
    DesKey::new(&key).expect("parts that differ")
}

pub fn kasumi_key(_: &Cpu, number: usize) -> KasumiKey {
    KasumiKey::new(&secret_array(number))
}

/// Keys up to a block, and keys that are hashed first.
pub fn hmac_key<A: Hash>(_: &Cpu, number: usize) -> HmacKey<A> {
    HmacKey::new(&secret(number, [20, 64, 128, 1, 200][number % 5]))
}
