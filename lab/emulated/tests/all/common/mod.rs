//! What the tests of the device have in common.

use std::sync::{Arc, LazyLock};

use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AesSize, Bytes, CipherAlgorithm, Compression, CompressionAlgorithm, HashAlgorithm, Job,
    MacAlgorithm, PrivateKey, Processor, Scheme, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_libdeflate::Libdeflate;
use broadloom_lz4::Lz4;
use broadloom_native::Native;
use broadloom_zlib::Zlib;

/// What the silicon computes with; zlib is its own, so that every machine has the same.
pub fn backends() -> Vec<Arc<dyn Provider>> {
    vec![
        Arc::new(Native::new(Cpu::detect())),
        Arc::new(Libdeflate::load(&[]).expect("it is built in")),
        Arc::new(Zlib::load(&[("library", "zlib-rs")]).expect("it is built in")),
        Arc::new(Lz4::load(&[]).expect("it is built in")),
    ]
}

pub fn device(options: &[(&str, &str)]) -> Emulated {
    Emulated::new(options, backends()).expect("the options are valid")
}

/// A device without timing.
pub fn instant(options: &[(&str, &str)]) -> Emulated {
    let options: Vec<_> = [("preset", "instant")].iter().chain(options).copied().collect();
    device(&options)
}

pub fn open(device: &Emulated, transform: &Transform) -> Session {
    Session::open(Arc::new(device.clone()), transform).expect("a backend can")
}

/// The session at the first backend that can, without a device.
pub fn direct(transform: &Transform) -> Session {
    let open = |backend| Session::open(backend, transform).ok();
    backends().into_iter().find_map(open).expect("a backend can")
}

pub fn hmac() -> Transform {
    let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    Transform::mac(mac, b"a key").generate().expect("it fits")
}

pub fn encrypt() -> Transform {
    let cipher = CipherAlgorithm::AesCbc(AesSize::Aes128);
    Transform::cipher(cipher, &[7; 16]).encrypt().expect("it fits")
}

/// Signatures of RSA-1024, which are the same each time.
pub fn sign() -> Transform {
    static KEY: LazyLock<PrivateKey> = LazyLock::new(|| {
        let pem = include_str!("../../../../../crates/conformance/vectors/keys/rsa-1024.pem");
        PrivateKey::from_pem(pem).expect("OpenSSL made it")
    });
    Transform::sign(&KEY, Scheme::default()).expect("it fits")
}

pub fn compress(how: Compression) -> Transform {
    Transform::compress(CompressionAlgorithm::Deflate, how).expect("it fits")
}

pub fn decompress() -> Transform {
    Transform::decompress(CompressionAlgorithm::Deflate, Default::default()).expect("it fits")
}

/// A sequence of numbers that look random.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }

    /// Words, of which some come often.
    pub fn text(&mut self, len: usize) -> Vec<u8> {
        let mut text = Vec::with_capacity(len + 16);
        while text.len() < len {
            let word = self.below(40);
            let word = self.below(word + 1) as u64;
            text.extend_from_slice(format!("{:x} ", word * word * 7919).as_bytes());
        }
        text.truncate(len);
        text
    }
}

/// Decompresses, without a device.
pub fn inflate(compressed: &[u8]) -> Vec<u8> {
    let session = direct(&decompress());
    let mut job = Job::new(&session, Bytes::from(compressed));
    Processor::new().process_many(std::slice::from_mut(&mut job));
    assert_eq!(job.status(), Some(Ok(())));
    assert_eq!(job.consumed(), compressed.len());
    job.take_output()
}
