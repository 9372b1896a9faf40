//! Of a file that was decrypted no key is left in memory: not the identity, not the passphrase, not
//! the file's key.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "all/common.rs"]
mod common;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broadloom_encryption::age::{Decryptor, Encryptor, Identity, Passphrase};
use broadloom_encryption::{Input, Output};
use broadloom_residue::{Secret, assert_gone};

/// The test kit's files are where nobody writes; so are its identity and its passphrase.
const X25519: &[u8] = include_bytes!("testkit/x25519");
const SCRYPT: &[u8] = include_bytes!("testkit/scrypt");
const IDENTITY: &str = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";

/// The bytes that the identity's text stands for.
const SECRET: &[u8] = b"\xca\x16\x26\x25\x2c\x53\xcf\x1a\x4d\xc4\x66\x95\xe7\xfc\xc4\x65\
    \x94\xcb\x4c\xca\xde\xdb\x67\x12\xdf\xda\x07\x53\xf3\xae\x35\x5e";

/// What is encrypted.
const TEXT: &[u8] = b"text";

/// The vector's file, behind its own header.
fn file(vector: &'static [u8]) -> &'static [u8] {
    let begin = vector.windows(2).position(|pair| pair == b"\n\n").expect("a header ends");
    &vector[begin + 2..]
}

/// One test at a time: another's keys are in use while this one searches.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What must not be left of the vectors: their file key, and what the payload's key is.
fn of_the_file() -> Vec<Secret> {
    vec![Secret::new("the file key", b"YELLOW SUBMARINE")]
}

fn check(secrets: &[Secret]) {
    assert_gone(&secrets.iter().collect::<Vec<_>>());
}

fn decrypt(decryptor: &Decryptor, file: &'static [u8]) {
    let mut text = Vec::new();
    let outcome = decryptor.decrypt(Input::memory(&file), Output::Stream(&mut text));
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn an_identity_and_the_keys_of_its_file_are_gone() {
    let _alone = alone();
    let decryptor =
        Decryptor::new(common::registry(), vec![IDENTITY.parse().expect("an identity")]);
    decrypt(&decryptor, file(X25519));
    drop(decryptor);
    let mut secrets = of_the_file();
    secrets.push(Secret::new("the identity's text", &IDENTITY.as_bytes()[16..]));
    secrets.push(Secret::new("the identity's text", b"egtzvffv20835nwyv6270lxyvk2vknx2"));
    secrets.push(Secret::new("the identity", SECRET));
    check(&secrets);
}

#[test]
fn an_identity_that_was_made_and_written_is_gone() {
    let _alone = alone();
    // Each is dropped where it is: what is moved leaves its bytes behind.
    {
        let identity: Identity = IDENTITY.parse().expect("an identity");
        let text = identity.to_text();
        assert_eq!(text.len(), IDENTITY.len());
        let encryptor = Encryptor::to_recipients(common::registry(), vec![identity.recipient()]);
        let mut made = Vec::new();
        let outcome = encryptor.encrypt(Input::memory(&TEXT), Output::Stream(&mut made));
        assert!(outcome.is_ok(), "{outcome:?}");
    }
    check(&[
        Secret::new("the identity's text", &IDENTITY.as_bytes()[16..]),
        Secret::new("the identity's text", b"egtzvffv20835nwyv6270lxyvk2vknx2"),
        Secret::new("the identity", SECRET),
    ]);
}

#[test]
fn a_passphrase_and_the_keys_of_its_file_are_gone() {
    let _alone = alone();
    let ask = Arc::new(|| Ok(Passphrase::new("password")));
    let decryptor = Decryptor::new(common::registry(), Vec::new()).asking(ask);
    decrypt(&decryptor, file(SCRYPT));
    drop(decryptor);
    // The passphrase of the test kit is a word that is elsewhere, too: here is another.
    let passphrase = b"ochre lantern quilt 83 thimble";
    let encryptor = Encryptor::to_passphrase(common::registry(), Passphrase::new(*passphrase), 4);
    let mut made = Vec::new();
    let outcome = encryptor.encrypt(Input::memory(&TEXT), Output::Stream(&mut made));
    assert!(outcome.is_ok(), "{outcome:?}");
    drop(encryptor);
    let mut secrets = of_the_file();
    secrets.push(Secret::new("the passphrase", b"ochre lantern quilt 83 thimble"));
    check(&secrets);
}
