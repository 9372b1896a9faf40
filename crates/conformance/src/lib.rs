//! Tests that every provider of Broadloom must pass.
//!
//! One line in a provider's tests adds all of them. The line has an expression for the provider: an
//! `Arc<dyn Provider>`, or an `Option` or a `Result` of one where the provider may be absent.
//!
//! ```
//! broadloom_conformance::suite!(broadloom_conformance::reference_provider());
//! ```
//!
//! The macro makes a module `conformance` with a test for each topic. Within it, the module
//! `compression` has the topics for compression, and `public_key` those for public-key algorithms.
//! Algorithms that a provider lacks are skipped, and
//! the topic `support` prints them. `suite!(name: …)` names the module, for a provider that is
//! tested with several options. [`cross!`] compares two providers with each other.
//!
//! A provider of one compression has two more lines in its tests: [`codec!`] tests the calls of its
//! library beneath the provider, and [`compressor!`] what the provider says in its own words.
//!
//! If a provider is absent, its tests fail where the environment has `CI=true`. Elsewhere they say
//! on standard error that they did not run, and why.
//!
//! Expected results come from the examples of standards, from NIST's validation program (the folder
//! `vectors`, each file with its source), and from project Wycheproof. [`mod@reference`] computes
//! the rest with the RustCrypto crates, miniz_oxide and lz4_flex. Random jobs come from fixed
//! seeds: a test that fails once fails again.

#![forbid(unsafe_code)]

mod candidate;
mod case;
mod cavp;
mod chunk;
mod claim;
pub mod codec;
mod cross;
mod keyed;
mod limits;
pub mod own;
mod place;
pub mod reference;
#[doc(hidden)]
pub mod topics;
mod vectors;
mod wycheproof;

pub use candidate::Candidate;
pub use cross::compare;
pub use reference::reference_provider;

#[doc(hidden)]
pub use candidate::{run, run_both};
#[doc(hidden)]
pub use codec::run_codec;
#[doc(hidden)]
pub use own::run_own;

/// One test for each topic, on the provider that the expression yields ([`Candidate`]).
#[macro_export]
macro_rules! suite {
    ($provider:expr) => {
        $crate::suite!(conformance: $provider);
    };
    ($module:ident: $provider:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "the expression may name nothing from outside")]
            use super::*;

            $crate::suite!(@tests topics, $provider;
                support known_answers wycheproof cavp monte_carlo
                lengths lengths_in_bits alignments scattered out_of_place_copies ranges
                tags wrong_tags wrong_tags_of_chains
                wrong_nonces wrong_lengths wrong_blocks wrong_ranges wrong_tag_lengths
                useless_extras bad_among_good
                large_beside_small long_associated_data random_jobs
                every_chain esp_packets tls_records
                streams streams_together misused_streams
                capacity order doorbell bounded_waits close_and_drop statistics
                owned_sessions reused_jobs shared_session reopened_queues
            );

            mod compression {
                #[allow(unused_imports, reason = "as above")]
                use super::*;

                $crate::suite!(@tests topics::compression, $provider;
                    refusals every_length long_chunks checksums known_streams unsound_streams
                    windows_and_codes endings trailing_bytes
                    bounds turns room limits bombs truncated damaged
                    pieces own_output reused_buffers many_ways beside_packets
                );
            }

            mod public_key {
                #[allow(unused_imports, reason = "as above")]
                use super::*;

                $crate::suite!(@tests topics::public_key, $provider;
                    signatures known_signatures hedged_signatures wrong_signatures
                    wrong_signatures_of_equal_value encryption bare_rsa agreement wycheproof
                    slh_dsa hashed_slh_dsa wrong_slh_dsa ml_kem fresh_ml_kem wrong_ml_kem
                    hybrids fresh_hybrids wrong_hybrids acvp_ml_kem
                    ml_dsa fresh_ml_dsa wrong_ml_dsa acvp_ml_dsa
                );
            }
        }
    };
    (@tests $($path:ident)::+, $provider:expr; $($topic:ident)*) => {
        $crate::suite!(@each [$crate::$($path)::+], $provider; $($topic)*);
    };
    (@each $path:tt, $provider:expr; $($topic:ident)*) => { $(
        $crate::suite!(@test $path, $provider; $topic);
    )* };
    (@test [$($path:tt)+], $provider:expr; $topic:ident) => {
        #[test]
        fn $topic() {
            $crate::run(stringify!($topic), $provider, $($path)+::$topic);
        }
    };
}

/// A test that compares two providers ([`compare`]) on everything that both have.
///
/// `cross!(name: a, b)` names the test; without a name it is `cross`.
#[macro_export]
macro_rules! cross {
    ($a:expr, $b:expr) => {
        $crate::cross!(cross: $a, $b);
    };
    ($name:ident: $a:expr, $b:expr) => {
        #[test]
        fn $name() {
            $crate::run_both(stringify!($name), $a, $b);
        }
    };
}

/// One test for each topic of a codec: the expression is a `Result` of a
/// [`Codec`](codec::Codec), which may be absent.
///
/// `codec!(name: …)` names the module; without a name it is `codec`.
#[macro_export]
macro_rules! codec {
    ($codec:expr) => {
        $crate::codec!(codec: $codec);
    };
    ($module:ident: $codec:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "the expression may name nothing from outside")]
            use super::*;

            $crate::codec!(@each $codec;
                every_way other_encoders open_streams codes windows
                room_to_compress room_to_decompress followers cuts wrong_streams
            );
        }
    };
    (@each $codec:expr; $($topic:ident)*) => { $(
        #[test]
        fn $topic() {
            $crate::run_codec(stringify!($topic), $codec, $crate::topics::codec::$topic);
        }
    )* };
}

/// Tests of what a provider of one compression says in its own words. The expressions are the
/// provider, as [`suite!`] takes it, and a [`Compressor`](own::Compressor).
///
/// `compressor!(name: …)` names the module; without a name it is `compressor`.
#[macro_export]
macro_rules! compressor {
    ($provider:expr, $own:expr) => {
        $crate::compressor!(compressor: $provider, $own);
    };
    ($module:ident: $provider:expr, $own:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "the expressions may name nothing from outside")]
            use super::*;

            #[test]
            fn options() {
                $own.options();
            }

            #[test]
            fn refusals() {
                let test = $crate::own::Compressor::refusals;
                $crate::run_own("refusals", $provider, &$own, test);
            }

            #[test]
            fn streams() {
                let test = $crate::own::Compressor::streams;
                $crate::run_own("streams", $provider, &$own, test);
            }
        }
    };
}
