//! Who compresses where nobody was asked for.

use std::sync::Arc;

use broadloom_compression::{
    Choice, ChooseError, choose, choose_for_decompression, choose_for_levels, measure,
    measure_decompression,
};
use broadloom_engine::provider::{AnyQueue, Provider, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Huffman, Registry, Transform,
};
use broadloom_libdeflate::Libdeflate;

use crate::toy::{Toy, zlib};

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// The toy, which does next to nothing, but only for who asks for it.
struct Hidden(Toy);

impl Provider for Hidden {
    fn name(&self) -> &str {
        "hidden"
    }

    fn description(&self) -> String {
        self.0.description()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.0.supports(algorithm)
    }

    fn by_name_only(&self) -> bool {
        true
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        self.0.open_session(transform)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        self.0.open_queue()
    }
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add(Arc::new(Hidden(Toy::default())));
    registry.add(Arc::new(zlib()));
    registry.add(Arc::new(Libdeflate::load(&[]).expect("no options")));
    registry
}

fn at(level: u8) -> Compression {
    Compression { level, ..Compression::default() }
}

fn named(result: Result<Choice, ChooseError>) -> (String, String) {
    let choice = result.expect("somebody can");
    assert_eq!(choice.measured, []);
    (choice.session.provider().to_owned(), choice.reason)
}

#[test]
fn the_table_decides_and_nothing_is_measured() {
    let registry = registry();
    for level in 0..=9 {
        let (name, reason) = named(choose(&registry, DEFLATE, at(level)));
        assert_eq!(name, "libdeflate", "level {level}");
        let fast = "the first that can of isal, libdeflate, zlib";
        assert_eq!(reason == fast, matches!(level, 1 | 2), "level {level}: {reason}");
    }
    let back = named(choose_for_decompression(&registry, DEFLATE, Checksum::Crc32));
    assert_eq!(back, ("libdeflate".to_owned(), "libdeflate is the fastest".to_owned()));
    // Where the first choice cannot, the next can.
    let fixed = Compression { huffman: Huffman::Static, ..at(6) };
    let (name, reason) = named(choose(&registry, DEFLATE, fixed));
    assert_eq!((&*name, &*reason), ("zlib", "the first that can of libdeflate, zlib, isal"));
}

#[test]
fn who_is_not_in_the_table_is_asked_last() {
    let mut registry = Registry::new();
    registry.add(Arc::new(Toy::default()));
    let (name, reason) = named(choose(&registry, DEFLATE, at(9)));
    assert_eq!((&*name, &*reason), ("toy", "the first that can of libdeflate, zlib, isal"));
    registry.add(Arc::new(zlib()));
    assert_eq!(named(choose(&registry, DEFLATE, at(9))).0, "zlib");
}

#[test]
fn of_several_each_is_measured_and_one_is_chosen() {
    let registry = registry();
    let choices = [
        (Direction::Compress, measure(&registry, DEFLATE, at(6))),
        (Direction::Decompress, measure_decompression(&registry, DEFLATE, Checksum::Crc32)),
    ];
    for (direction, choice) in choices {
        let choice = choice.expect("two can");
        let names: Vec<&str> = choice.measured.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["zlib", "libdeflate"]);
        assert!(choice.measured.iter().all(|(_, speed)| speed.is_finite() && *speed > 0.0));
        assert_eq!(choice.session.direction(), direction);
        assert!(names.contains(&choice.session.provider()));
        assert!(choice.reason.contains("MB/s"), "{}", choice.reason);
    }
}

#[test]
fn one_that_is_much_slower_is_not_the_fastest() {
    let mut registry = registry();
    registry.add(Arc::new(Toy::default()));
    let choice = measure(&registry, DEFLATE, at(9)).expect("three can");
    assert_eq!(choice.session.provider(), "toy");
    assert!(choice.reason.starts_with("fastest: zlib "), "{}", choice.reason);
}

#[test]
fn the_only_one_is_not_measured() {
    let choice = measure(&registry(), DEFLATE, at(12)).expect("libdeflate can");
    assert_eq!((choice.session.provider(), choice.measured.len()), ("libdeflate", 0));
    assert_eq!(choice.reason, "libdeflate alone can");
}

#[test]
fn where_nobody_can_everybody_says_why() {
    let error =
        choose(&registry(), DEFLATE, at(13)).expect_err("there is no such level").to_string();
    assert!(error.contains("zlib: ") && error.contains("libdeflate: "), "{error}");
    assert!(!error.contains("hidden"), "{error}");
}

#[test]
fn there_is_a_choice_for_every_level() {
    let choices = choose_for_levels(&registry(), DEFLATE, Compression::default());
    assert!(choices.iter().map(|(level, _)| *level).eq(0..=12));
    assert!(choices[10..].iter().all(|(_, choice)| choice.session.provider() == "libdeflate"));
}
