//! The vectors of age's test kit: each is read to its end, or fails as it says, after the bytes
//! that it says.

use std::fs;
use std::path::Path;

use broadloom_encryption::age::{Decryptor, HeaderError, Identity};
use broadloom_encryption::{EncryptionError, Input, Output};
use sha2::{Digest, Sha256};

use crate::common;

/// A vector.
#[derive(Default)]
struct Vector {
    expect: String,
    payload: Option<String>,
    identities: Vec<Identity>,
    passphrase: Option<String>,
    armored: bool,
    file: Vec<u8>,
}

fn read(path: &Path) -> Vector {
    let bytes = fs::read(path).expect("it is there");
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("a header ends");
    let mut vector = Vector::default();
    let mut compressed = false;
    for line in str::from_utf8(&bytes[..end]).expect("headers are text").lines() {
        let (key, value) = line.split_once(": ").expect("a key and a value");
        match key {
            "expect" => vector.expect = value.to_owned(),
            "payload" => vector.payload = Some(value.to_owned()),
            "identity" => vector.identities.push(value.parse().expect("an identity")),
            "passphrase" => vector.passphrase = Some(value.to_owned()),
            "armored" => vector.armored = value == "yes",
            "compressed" => compressed = value == "zlib",
            "file key" | "comment" => {}
            other => panic!("{}: {other}", path.display()),
        }
    }
    vector.file = bytes[end + 2..].to_vec();
    if compressed {
        vector.file = miniz_oxide::inflate::decompress_to_vec_zlib(&vector.file).expect("zlib");
    }
    vector
}

/// The kind of an error, in the test kit's words.
fn kind(error: &EncryptionError, armored: bool) -> &'static str {
    match error {
        // Whether a file is armoured is told by how it begins.
        EncryptionError::Header(HeaderError::NotAge { .. }) if armored => "armor failure",
        EncryptionError::Header(_) | EncryptionError::WorkFactor { .. } => "header failure",
        EncryptionError::Armor(_) => "armor failure",
        EncryptionError::NoMatch { .. } => "no match",
        EncryptionError::HeaderMac => "HMAC failure",
        EncryptionError::Payload { .. } => "payload failure",
        other => panic!("{other}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_vector_behaves_as_it_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testkit");
    let mut count = 0;
    for entry in fs::read_dir(directory).expect("the vectors are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some() {
            continue;
        }
        count += 1;
        let name = path.display();
        let vector = read(&path);
        for threads in [1, 3] {
            for streams in [false, true] {
                let mut decryptor = Decryptor::new(common::registry(), vector.identities.clone())
                    .threads(common::threads(threads));
                if let Some(passphrase) = &vector.passphrase {
                    decryptor = decryptor.asking(common::told(passphrase));
                }
                let (mut bytes, mut text) = (vector.file.as_slice(), Vec::new());
                let all = bytes;
                let input = match streams {
                    true => Input::Stream(&mut bytes),
                    false => Input::memory(&all),
                };
                let outcome = decryptor.decrypt(input, Output::Stream(&mut text));
                let found = outcome
                    .as_ref()
                    .map_or_else(|error| kind(error, vector.armored), |_| "success");
                assert_eq!(found, vector.expect, "{name}: {outcome:?}");
                let expected = vector.payload.clone().unwrap_or_else(|| hex(&Sha256::digest(b"")));
                assert_eq!(hex(&Sha256::digest(&text)), expected, "{name}: {outcome:?}");
            }
        }
    }
    assert_eq!(count, 124, "vectors in the directory");
}
