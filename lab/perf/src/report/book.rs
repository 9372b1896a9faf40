//! The charts of the book: pictures of the CSV files in its folder `performance`.
//!
//! `runs.csv` has a row for each run, and names the file that has the run's figures. A file has the
//! columns of `--csv` that tell one figure from another, and the cycles.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::page::chart::{Chart, Series, Upward};

/// The burst that charts by size show: all machines were measured with it.
const BURST: u32 = 64;

/// The size that charts by burst show, in bytes.
const SIZE: u64 = 1024;

/// One row of `runs.csv`.
#[derive(Debug, Clone, Deserialize)]
struct Run {
    /// The file with its figures, without its ending.
    file: String,
    /// The class of the machine, such as `Zen 4`.
    machine: String,
}

/// One row of a run's file: what one side took for one kind of buffer.
#[derive(Debug, Clone, Deserialize)]
struct Figure {
    algorithm: String,
    direction: String,
    size: u64,
    burst: u32,
    provider: String,
    cycles_per_buffer: f64,
}

/// The charts that a run can have: each shows some directions.
const TOPICS: [(&str, &str, &[&str]); 3] = [
    ("hashes", "Hashes and MACs", &["digest", "generate"]),
    ("ciphers", "Ciphers", &["encrypt", "seal"]),
    ("operations", "Public keys", &["sign", "verify", "agree", "encapsulate", "decapsulate"]),
];

/// How many times as many cycles the best peer takes as we do, by operation, size and burst.
type Gains = BTreeMap<(String, u64, u32), f64>;

/// Draws the charts of a folder that has `runs.csv`. Returns the name of each SVG file and its
/// text.
///
/// # Errors
/// If a file of the folder cannot be read, or a column or a number is missing in it.
///
/// # Panics
/// If a run has no figures of the provider `native` and a peer that could be compared.
pub fn pictures(folder: &Path) -> Result<Vec<(String, String)>, csv::Error> {
    let mut pictures = Vec::new();
    for Run { file, machine } in rows(&folder.join("runs.csv"))? {
        let figures: Vec<Figure> = rows(&folder.join(&file).with_extension("csv"))?;
        let before = pictures.len();
        for (suffix, title, directions) in TOPICS {
            let figures = figures.iter().filter(|row| directions.contains(&&*row.direction));
            let gains = gains(figures);
            let charts = [
                (suffix.to_owned(), by_size(&gains, &format!("{title} on {machine}"))),
                (format!("{suffix}-bursts"), by_burst(&gains, &format!("{title} on {machine}"))),
            ];
            for (suffix, picture) in charts {
                pictures.extend(picture.map(|text| (format!("{file}-{suffix}.svg"), text)));
            }
        }
        assert!(pictures.len() > before, "{file}.csv has nothing to compare");
    }
    Ok(pictures)
}

fn rows<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, csv::Error> {
    csv::Reader::from_path(file)?.into_deserialize().collect()
}

/// Compares our figures with those of the best peer, where both were measured.
fn gains<'f>(figures: impl Iterator<Item = &'f Figure>) -> Gains {
    let (mut ours, mut theirs) = (Gains::new(), Gains::new());
    for row in figures {
        let operation = match &*row.direction {
            "digest" | "generate" => row.algorithm.clone(),
            direction => format!("{} {direction}", row.algorithm),
        };
        let side = if row.provider == "native" { &mut ours } else { &mut theirs };
        let best = side.entry((operation, row.size, row.burst)).or_insert(f64::INFINITY);
        *best = best.min(row.cycles_per_buffer);
    }
    let compared = ours.into_iter().filter_map(|(key, ours)| {
        let best = theirs.get(&key)?;
        Some((key, best / ours))
    });
    compared.collect()
}

/// Returns values in order, each once.
fn each<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values.dedup();
    values
}

/// Draws bars: a group for each operation, and a bar for each size that at least half of the
/// operations have.
fn by_size(gains: &Gains, title: &str) -> Option<String> {
    let measured = || gains.iter().filter(|((.., burst), _)| *burst == BURST);
    let all = each(measured().map(|((operation, ..), _)| operation)).len();
    let is_common = |size| 2 * measured().filter(|((_, of, _), _)| *of == size).count() >= all;
    let shown = || measured().filter(|((_, size, _), _)| is_common(*size));
    let operations = each(shown().map(|((operation, ..), _)| operation));
    let sizes = each(shown().map(|((_, size, _), _)| *size));
    let series = sizes.iter().enumerate().map(|(style, &size)| Series {
        label: bytes(size),
        style,
        faint: false,
        points: shown()
            .filter(|((_, of, _), _)| *of == size)
            .filter_map(|((operation, ..), gain)| {
                let group = operations.iter().position(|other| *other == operation)?;
                Some((group as f64, *gain))
            })
            .collect(),
    });
    let chart = Chart {
        title: format!("{title}, bursts of {BURST}"),
        across: "algorithm",
        up: "times as fast as the best peer",
        series: series.collect(),
    };
    let names: Vec<String> = operations.iter().map(|name| broken(name)).collect();
    (!operations.is_empty()).then(|| chart.bar_picture(&names, 1.0))
}

/// Draws lines over the number of jobs in a burst, one for each operation, where several numbers
/// were measured.
fn by_burst(gains: &Gains, title: &str) -> Option<String> {
    let shown = || gains.iter().filter(|((_, size, _), _)| *size == SIZE);
    let operations = each(shown().map(|((operation, ..), _)| operation));
    let bursts = each(shown().map(|((.., burst), _)| *burst));
    let series = operations.iter().enumerate().map(|(style, &operation)| Series {
        label: operation.clone(),
        style,
        faint: false,
        points: shown()
            .filter(|((of, ..), _)| of == operation)
            .map(|((.., burst), gain)| (f64::from(*burst), *gain))
            .collect(),
    });
    let chart = Chart {
        title: format!("{title}, buffers of {}", bytes(SIZE)),
        across: "jobs in a burst",
        up: "times as fast as the best peer",
        series: series.collect(),
    };
    (bursts.len() > 1).then(|| chart.line_picture(Upward::Even))
}

/// Returns a size in the unit in which it is a small number.
fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        _ => format!("{} KiB", size / 1024),
    }
}

/// Breaks a name behind each word, so that it is narrow enough to stand below its group. Numbers
/// stay with the word before them.
fn broken(name: &str) -> String {
    let mut lines = String::new();
    for (index, word) in name.split_inclusive(['-', ' ']).enumerate() {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        if index > 0 && !is_number {
            lines.push('\n');
        }
        lines.push_str(word);
    }
    lines.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;

    /// Writes a folder of one run, and returns its pictures.
    fn drawn(figures: &str) -> Result<Vec<(String, String)>, csv::Error> {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("runs.csv", "file,machine,date\nzen-9,Zen 9,2026-11-27\n");
        let header = "algorithm,direction,size,burst,provider,peer_call,cycles_per_buffer\n";
        write("zen-9.csv", &format!("{header}{figures}"));
        pictures(folder.path())
    }

    /// The words and numbers of all marks.
    fn titles(text: &str) -> Vec<String> {
        let document = Document::parse(text).unwrap();
        let titles = document.descendants().filter(|node| node.has_tag_name("title"));
        titles.filter_map(|node| node.text()).map(str::to_owned).collect()
    }

    #[test]
    fn a_bar_is_our_gain_over_the_best_peer() {
        let pictures = drawn(
            "sha1,digest,64,64,native,,50\n\
             sha1,digest,64,64,openssl,evp,400\n\
             sha1,digest,64,64,ipsec-mb,job,100\n\
             sha1,digest,1024,64,native,,200\n\
             sha1,digest,1024,64,openssl,evp,100\n\
             md5,digest,64,64,native,,10\n\
             sha256,digest,64,64,native,,10\n\
             sha256,digest,64,64,openssl,evp,40\n\
             sha256,digest,2048,64,native,,10\n\
             sha256,digest,2048,64,openssl,evp,5\n\
             sm3,digest,64,64,native,,10\n\
             sm3,digest,64,64,openssl,evp,50\n\
             sm3,digest,1024,64,native,,10\n\
             sm3,digest,1024,64,openssl,evp,60\n",
        );
        let pictures = pictures.unwrap();
        let names: Vec<_> = pictures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["zen-9-hashes.svg"]);
        let marks = titles(&pictures[0].1);
        // Two of three operations have 1 KiB, and only one has 2 KiB.
        assert_eq!(
            marks,
            [
                "sha1, 64 B: 2.00",
                "sha256, 64 B: 4.00",
                "sm3, 64 B: 5.00",
                "sha1, 1 KiB: 0.50",
                "sm3, 1 KiB: 6.00"
            ]
        );
        assert!(pictures[0].1.contains("Hashes and MACs on Zen 9, bursts of 64"));
    }

    #[test]
    fn several_bursts_are_lines() {
        let pictures = drawn(
            "aes-128-gcm,seal,1024,1,native,,400\n\
             aes-128-gcm,seal,1024,1,ipsec-mb,direct,200\n\
             aes-128-gcm,seal,1024,64,native,,100\n\
             aes-128-gcm,seal,1024,64,ipsec-mb,direct,200\n",
        );
        let pictures = pictures.unwrap();
        let names: Vec<_> = pictures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["zen-9-ciphers.svg", "zen-9-ciphers-bursts.svg"]);
        let marks = titles(&pictures[1].1);
        assert_eq!(marks, ["aes-128-gcm seal, 1: 0.50", "aes-128-gcm seal, 64: 2.00"]);
    }

    #[test]
    fn a_number_that_is_none_is_an_error_that_names_its_place() {
        let error = drawn("sha1,digest,64,64,native,,fast\n").unwrap_err().to_string();
        assert!(error.contains("line: 2") && error.contains("invalid float"), "{error}");
    }

    #[test]
    #[should_panic(expected = "zen-9.csv has nothing to compare")]
    fn figures_without_a_peer_are_refused() {
        drawn("sha1,digest,64,64,native,,50\n").unwrap();
    }

    #[test]
    fn long_names_are_broken_into_lines() {
        assert_eq!(broken("aes-128-cbc encrypt"), "aes-128-\ncbc\nencrypt");
        assert_eq!(broken("hmac-sha1"), "hmac-\nsha1");
        assert_eq!(broken("sha256"), "sha256");
    }
}
