//! The algorithms: from their names to their types.

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::for_each_digest;

use crate::function::Function;

/// Something done with an algorithm once it is known as a type.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<A: Function>(self) -> Self::Output;
}

/// Calls the visitor with the type of an algorithm.
///
/// # Panics
/// If the engine knows the algorithm and this crate does not, which a test rules out.
pub fn visit<V: Visitor>(algorithm: HashAlgorithm, visitor: V) -> V::Output {
    macro_rules! visit {
        ($($function:ident),+) => {
            match algorithm {
                $( HashAlgorithm::$function => visitor.visit::<broadloom_lanes::$function>(), )+
                HashAlgorithm::Shake128 => visitor.visit::<broadloom_lanes::Shake128>(),
                HashAlgorithm::Shake256 => visitor.visit::<broadloom_lanes::Shake256>(),
                HashAlgorithm::Blake3 => visitor.visit::<crate::function::Blake3>(),
                other => unreachable!("{other} has no lanes"),
            }
        };
    }
    for_each_digest!(visit!())
}

/// Returns the name of an algorithm as lists of checksums write it, such as `SHA256`, `SHA3-256`
/// and `SHAKE-128`.
pub fn list_tag(algorithm: HashAlgorithm) -> String {
    let name = algorithm.name().to_ascii_uppercase();
    match name.strip_prefix("SHAKE") {
        Some(bits) => format!("SHAKE-{bits}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Len;

    impl Visitor for Len {
        type Output = usize;

        fn visit<A: Function>(self) -> usize {
            A::DIGEST_LEN
        }
    }

    #[test]
    fn every_algorithm_of_the_engine_is_here() {
        for algorithm in HashAlgorithm::all() {
            assert_eq!(visit(algorithm, Len), algorithm.digest_len(), "{algorithm}");
        }
    }

    #[test]
    fn tags_are_those_of_the_coreutils() {
        let tags: Vec<_> = HashAlgorithm::all().map(list_tag).collect();
        for tag in ["MD5", "SHA1", "SHA256", "SM3", "SHA3-512", "SHAKE-128"] {
            assert!(tags.iter().any(|known| known == tag), "{tag} in {tags:?}");
        }
    }
}
