//! One exponentiation, with each reduction in words of each width.

use std::hint::black_box;

use broadloom_engine::{
    Algorithm, Direction, PrivateKey, PublicKeyAlgorithm, RsaPrivateKey, RsaSize,
};

use super::Bench;
use super::arithmetic::{Modulus, Reduction, Word};
use super::topic::TEXTBOOK;
use crate::error::PerfError;
use crate::measure::keys;
use crate::measure::pairing::minimum_and_median;
use crate::report::row::{Row, hundredths};

/// Exponentiations of each side.
const ROUNDS: usize = 60;

/// The same, where it is to be quick.
const QUICK: usize = 8;

/// A side: an exponentiation modulo the prime of a key.
struct Side<'k> {
    row: Row,
    power: Box<dyn Fn() -> Vec<u8> + 'k>,
}

/// Times all sides in turn, once they have agreed.
pub(super) fn rows(bench: &Bench) -> Result<Vec<Row>, PerfError> {
    let mut rows = Vec::new();
    for size in [RsaSize::Rsa1024, RsaSize::Rsa2048] {
        let algorithm = PublicKeyAlgorithm::Rsa(size);
        if let Some((PrivateKey::Rsa(key), _)) = keys::pair(algorithm) {
            rows.extend(of_key(bench, &key, algorithm)?);
        }
    }
    Ok(rows)
}

fn of_key(
    bench: &Bench,
    key: &RsaPrivateKey,
    algorithm: PublicKeyAlgorithm,
) -> Result<Vec<Row>, PerfError> {
    let reductions = [Reduction::Division, Reduction::Montgomery];
    let sides = reductions.into_iter().flat_map(|reduction| {
        [side::<u32>(key, algorithm, reduction), side::<u64>(key, algorithm, reduction)]
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let right = (sides[0].power)();
    if let Some(wrong) = sides.iter().find(|side| (side.power)() != right) {
        return Err(PerfError::Mismatch {
            algorithm: Algorithm::PublicKey(algorithm),
            direction: Direction::Decrypt,
            first: sides[0].row.kernel.clone(),
            second: wrong.row.kernel.clone(),
            buffer: 0,
            len: key.p().len(),
        });
    }
    let mut times: Vec<Vec<u64>> = sides.iter().map(|_| Vec::new()).collect();
    for _ in 0..if bench.quick { QUICK } else { ROUNDS } {
        for (side, times) in sides.iter().zip(&mut times) {
            times.push(bench.clock.time(|| black_box((side.power)())).0);
        }
    }
    let timed = sides.into_iter().zip(times).map(|(side, mut times)| {
        let (minimum, median) = minimum_and_median(&mut times);
        Row {
            cycles_per_buffer: Some(hundredths(minimum)),
            cycles_per_buffer_median: Some(hundredths(median)),
            operations_per_second: Some(hundredths(bench.clock.hertz() / minimum)),
            isa: bench.cpu.isa().to_string(),
            ..side.row
        }
    });
    Ok(timed.collect())
}

fn side<'k, W: Word + 'k>(
    key: &'k RsaPrivateKey,
    algorithm: PublicKeyAlgorithm,
    reduction: Reduction,
) -> Side<'k> {
    let modulus = Modulus::<W>::new(key.p());
    let name = match reduction {
        Reduction::Division => "division",
        Reduction::Montgomery => "montgomery",
    };
    let row = Row {
        algorithm: algorithm.to_string(),
        direction: Direction::Decrypt.to_string(),
        size: Some(key.p().len()),
        mode: "sync".to_owned(),
        burst: 1,
        cores: 1,
        provider: TEXTBOOK.to_owned(),
        options: Some(format!("reduction={name}:word={}", W::BITS)),
        kernel: format!("{name}, {}-bit words", W::BITS),
        order: "in-order".to_owned(),
        cache: "warm".to_owned(),
        buffer_bytes: key.p().len() as f64,
        ..Row::default()
    };
    // Any base: its time is the same.
    let power = move || modulus.power(key.q(), key.dp(), reduction);
    Side { row, power: Box::new(power) }
}
