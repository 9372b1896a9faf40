//! What is compressed: a file, or a text made here, repeated until it is long enough.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::error::PerfError;

/// Bytes of the text that is made: about as many as the Calgary corpus has.
const MADE: usize = 3_250_000;

/// Decides the made text.
const SEED: u64 = 0x0b0a_d203;

/// Words that the made text draws from.
const WORDS: usize = 6000;

/// Input, and what it is.
#[derive(Debug)]
pub struct Corpus {
    /// The bytes.
    pub data: Vec<u8>,
    /// In words, for the report.
    pub description: String,
}

impl Corpus {
    /// A file's bytes, or the made text's, repeated to `size` bytes.
    ///
    /// # Errors
    /// The file cannot be read, or is empty.
    pub fn load(path: Option<&Path>, size: usize) -> Result<Corpus, PerfError> {
        let (once, name) = match path {
            Some(path) => {
                let error = |source| PerfError::Input { path: path.to_owned(), source };
                let bytes = fs::read(path).map_err(error)?;
                if bytes.is_empty() {
                    return Err(error(std::io::Error::other("it is empty")));
                }
                (bytes, path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            }
            None => (made(MADE), "a made text".to_owned()),
        };
        let description = match once.len() < size {
            true => format!("{name} of {} bytes, repeated to {size} bytes", once.len()),
            false => format!("the first {size} bytes of {name}"),
        };
        Ok(Corpus { data: repeated(&once, size), description })
    }
}

/// `once` again and again, `size` bytes in all.
fn repeated(once: &[u8], size: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(size);
    while data.len() < size {
        data.extend_from_slice(&once[..once.len().min(size - data.len())]);
    }
    data
}

/// Text that compresses about as well as the Calgary corpus: words that are the rarer the later
/// they stand in a list of made-up ones (Zipf's law), in sentences and paragraphs, between tables
/// of numbers and blocks of bytes without a pattern. The same whenever it is made.
fn made(len: usize) -> Vec<u8> {
    let mut rng = Rng::with_seed(SEED);
    let words = vocabulary(&mut rng);
    let mut text = Vec::with_capacity(len + 8192);
    while text.len() < len {
        match rng.usize(0..100) {
            0..78 => paragraph(&mut text, &words, &mut rng),
            78..92 => table(&mut text, &mut rng),
            _ => noise(&mut text, &mut rng),
        }
    }
    text.truncate(len);
    text
}

/// Made-up words of one to four syllables, the shorter the further in front.
fn vocabulary(rng: &mut Rng) -> Vec<String> {
    const ONSETS: [&str; 20] = [
        "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr",
        "ch", "th", "",
    ];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "ou", "ie"];
    const CODAS: [&str; 10] = ["", "", "", "n", "r", "s", "t", "l", "nd", "ng"];
    let word = |rank: usize| {
        let syllables = 1 + rng.usize(0..2 + rank.ilog10() as usize / 2);
        let mut word = String::new();
        for _ in 0..syllables {
            for parts in [&ONSETS[..], &VOWELS, &CODAS] {
                word.push_str(parts[rng.usize(0..parts.len())]);
            }
        }
        word
    };
    (1..=WORDS).map(word).collect()
}

/// A place in the vocabulary: each ratio of places is as likely as any other.
fn zipf(rng: &mut Rng) -> usize {
    ((WORDS as f64).powf(rng.f64()) as usize).min(WORDS) - 1
}

fn paragraph(text: &mut Vec<u8>, words: &[String], rng: &mut Rng) {
    let mut column = 0;
    for _ in 0..rng.usize(2..9) {
        let length = rng.usize(4..20);
        for place in 0..length {
            let begin = text.len();
            text.extend_from_slice(words[zipf(rng)].as_bytes());
            if place == 0 {
                text[begin].make_ascii_uppercase();
            }
            match place + 1 == length {
                true => text.push(b'.'),
                false if rng.u8(0..12) == 0 => text.push(b','),
                false => {}
            }
            column += text.len() - begin + 1;
            text.push(if column > 72 { b'\n' } else { b' ' });
            column = if column > 72 { 0 } else { column };
        }
    }
    text.extend_from_slice(b"\n\n");
}

fn table(text: &mut Vec<u8>, rng: &mut Rng) {
    let mut value = rng.u32(0..50_000);
    for line in 0..rng.usize(4..30) {
        value += rng.u32(0..100);
        let last = rng.u32(0..10_000);
        text.extend_from_slice(format!("{line:>4}\t{value:>8}\t0.{last:04}\n").as_bytes());
    }
    text.push(b'\n');
}

fn noise(text: &mut Vec<u8>, rng: &mut Rng) {
    let begin = text.len();
    text.resize(begin + rng.usize(50..400), 0);
    rng.fill(&mut text[begin..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_has_the_size_asked_for_and_repeats_itself() {
        for size in [1, 1000, MADE, MADE + 12_345] {
            let corpus = Corpus::load(None, size).unwrap();
            assert_eq!(corpus.data.len(), size);
            let again = size.saturating_sub(MADE);
            assert_eq!(corpus.data[..again], corpus.data[size - again..][..again]);
            assert!(
                corpus.description.contains(&format!("{size} bytes")),
                "{}",
                corpus.description
            );
        }
    }

    #[test]
    fn a_file_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("few");
        fs::write(&path, b"abc").unwrap();
        assert_eq!(Corpus::load(Some(&path), 8).unwrap().data, b"abcabcab");
        assert_eq!(Corpus::load(Some(&path), 2).unwrap().data, b"ab");
        fs::write(&path, b"").unwrap();
        let error = |path: &Path| Corpus::load(Some(path), 8).unwrap_err().to_string();
        assert!(error(&path).contains("few") && error(&path).contains("empty"), "{}", error(&path));
        assert!(error(&folder.path().join("none")).contains("none"));
    }

    #[test]
    fn the_made_text_is_the_same_every_time() {
        let text = made(100_000);
        assert_eq!(text, made(100_000));
        let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        assert!(letters > text.len() / 2, "{letters} letters");
    }
}
