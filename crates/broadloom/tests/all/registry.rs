//! What the default registry has, as it is built.

use broadloom::{Algorithm, CipherAlgorithm, Registry};

/// Other tests ask the table of algorithms what there is, and would not miss a row or a length.
#[test]
fn what_standards_and_protocols_ask_for_is_listed() {
    let algorithm = |name: &str| name.parse::<Algorithm>().expect("a name");
    for name in ["aes-128-gmac", "aes-192-gmac", "aes-256-gmac", "aes-128-gcm", "aes-256-gcm"] {
        let tags: Vec<usize> = algorithm(name).tag_lens().iter().collect();
        assert_eq!(tags, [4, 8, 12, 13, 14, 15, 16], "{name}");
    }
    for name in ["kasumi-f8", "kasumi-f9"] {
        assert!(algorithm(name).counts_bits(), "{name}");
    }
    for name in ["3des-cbc", "3des-ctr", "3des-ecb"] {
        let keys: Vec<usize> = algorithm(name).key_lens().iter().collect();
        assert_eq!(keys, [16, 24], "{name}");
    }
    for name in ["aes-128-ctr32", "aes-256-ctr32", "chacha20"] {
        let nonces: Vec<usize> = algorithm(name).nonce_lens().iter().collect();
        assert_eq!(nonces, [12, 16], "{name}");
    }
    for (name, nonce) in [("xchacha20-poly1305", 24), ("aes-128-ofb", 16), ("aes-256-ofb", 16)] {
        let nonces: Vec<usize> = algorithm(name).nonce_lens().iter().collect();
        assert_eq!(nonces, [nonce], "{name}");
        assert!(Algorithm::all().any(|listed| listed == algorithm(name)), "{name}");
    }
}

#[test]
fn every_algorithm_that_is_listed_has_a_provider() {
    let mut registry = broadloom::registry();
    let has = |registry: &Registry, algorithm| {
        registry.providers().any(|provider| provider.supports(algorithm))
    };
    // RC4 is broken: a provider has it only where it is asked for.
    let rc4 = Algorithm::Cipher(CipherAlgorithm::Rc4);
    for algorithm in Algorithm::all() {
        assert_eq!(has(&registry, algorithm), algorithm != rc4, "{algorithm}");
    }
    registry.configure(&"native:legacy=yes".parse().expect("it is a spec")).expect("it is right");
    assert!(has(&registry, rc4));
}
