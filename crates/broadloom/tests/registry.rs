//! What the default registry has, as it is built.

use broadloom::{Algorithm, CipherAlgorithm};

#[test]
fn every_algorithm_that_is_listed_has_a_provider() {
    let registry = broadloom::registry();
    for algorithm in Algorithm::all() {
        let has = registry.providers().any(|provider| provider.supports(algorithm));
        assert!(has, "{algorithm} is listed, and nobody has it");
    }
    let rc4 = Algorithm::Cipher(CipherAlgorithm::Rc4);
    let native = registry.provider("native").expect("it is always there");
    let listed = Algorithm::all().any(|algorithm| algorithm == rc4);
    assert_eq!(listed, native.supports(rc4));
}
