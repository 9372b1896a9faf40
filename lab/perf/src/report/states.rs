//! The states that source 002's patches took DPDK's OpenSSL driver through, as far as the provider
//! `openssl` has them.
//!
//! One state is not there. Before the patches, AEADs used the session's own context on all threads,
//! without a lock, which mixes up messages of two threads. On one core, the state of one queue pair
//! does the same; `locked` is the same made safe.

use super::analysis::{self, SIDE, native, speedup};
use super::dimension::{Dimension, groups, varying};
use super::format::{gbps, maybe, times};
use super::grid::Grid;
use super::papers::{self, UpliftPoint};
use super::row::Row;

/// A way to keep contexts.
#[derive(Debug, PartialEq, Eq)]
pub struct ContextState {
    /// Its name in tables and charts.
    pub name: &'static str,
    /// What the provider does, in words.
    pub what: &'static str,
    /// Which of the source's patches are in it.
    pub patches: &'static str,
    contexts: &'static str,
    queue_pairs: Option<usize>,
    options: Option<&'static str>,
    published: Published,
}

/// The source's figures that are of a state.
#[derive(Debug, PartialEq, Eq)]
enum Published {
    /// There are none.
    Nothing,
    /// Those before the patches; of AEADs, those with a context cloned for each job.
    Cloned,
    /// Of AEADs alone, those with contexts kept for each queue pair.
    AeadsKept,
    /// Those with all patches, but of AEADs.
    AllPatches,
    /// Of AEADs alone, and on one core, those before the patches, which shared a context.
    Shared,
}

/// All states, in the order of the patches.
pub const STATES: [ContextState; 8] = [
    ContextState {
        name: "locked",
        what: "all queue pairs share each session's context, behind a lock",
        patches: "none",
        contexts: "locked",
        queue_pairs: None,
        options: None,
        published: Published::Nothing,
    },
    ContextState {
        name: "per job",
        what: "every job copies a context and sets key (of 3DES-CTR), padding and IV",
        patches: "1",
        contexts: "per-job",
        queue_pairs: None,
        options: Some("ivs=per-job:keys=per-job:padding=per-job"),
        published: Published::Cloned,
    },
    ContextState {
        name: "keys once",
        what: "every job copies a context and sets padding and IV",
        patches: "1 and 2",
        contexts: "per-job",
        queue_pairs: None,
        options: Some("ivs=per-job:padding=per-job"),
        published: Published::Nothing,
    },
    ContextState {
        name: "ciphers kept",
        what: "queue pairs keep copies of the contexts of ciphers and AEADs, made at the first job",
        patches: "1 to 3",
        contexts: "ciphers-per-queue-pair",
        queue_pairs: None,
        options: Some("ivs=per-job:padding=per-job"),
        published: Published::AeadsKept,
    },
    ContextState {
        name: "all kept",
        what: "queue pairs keep copies of all contexts, made at the first job",
        patches: "1 to 4",
        contexts: "per-queue-pair",
        queue_pairs: None,
        options: Some("ivs=per-job:padding=per-job"),
        published: Published::Nothing,
    },
    ContextState {
        name: "padding once",
        what: "the same, and padding is switched off when a context is made",
        patches: "1 to 5",
        contexts: "per-queue-pair",
        queue_pairs: None,
        options: Some("ivs=per-job"),
        published: Published::AllPatches,
    },
    ContextState {
        name: "IVs chained",
        what: "the same, and CBC corrects first blocks in place of setting IVs: our default",
        patches: "1 to 5, and more",
        contexts: "per-queue-pair",
        queue_pairs: None,
        options: None,
        published: Published::Nothing,
    },
    ContextState {
        name: "one queue pair",
        what: "the same for one queue pair, which uses each session's own context",
        patches: "1 to 5, and more",
        contexts: "per-queue-pair",
        queue_pairs: Some(1),
        options: None,
        published: Published::Shared,
    },
];

/// The state that the source's gains are over, and the one that has them.
const BEFORE: &ContextState = &STATES[1];
const AFTER: &ContextState = &STATES[5];

impl ContextState {
    /// The provider in this state, as the command line has it.
    pub fn provider(&self) -> String {
        let pairs = self.queue_pairs.map(|pairs| format!(":queue-pairs={pairs}"));
        let options = self.options.map(|options| format!(":{options}"));
        let (pairs, options) = (pairs.unwrap_or_default(), options.unwrap_or_default());
        format!("openssl:contexts={}{pairs}{options}", self.contexts)
    }

    /// Returns `true` if a row is of the provider in this state.
    pub fn is_of(&self, row: &Row) -> bool {
        row.contexts.as_deref() == Some(self.contexts)
            && row.queue_pairs == self.queue_pairs
            && row.options.as_deref() == self.options
    }

    /// The source's throughput for buffers of a size in this state, in Gbit/s, on 1 or 8 cores.
    fn published(&self, row: &Row, cores: usize, point: &UpliftPoint) -> Option<f64> {
        let aead = row.algorithm.ends_with("-gcm");
        match (&self.published, aead) {
            (Published::Cloned, true) => point.cloned,
            (Published::Cloned, false) => Some(point.before),
            (Published::AeadsKept, true) | (Published::AllPatches, false) => Some(point.after),
            (Published::Shared, true) if cores == 1 => Some(point.before),
            _ => None,
        }
    }

    /// The source's curves of this state for the operation of a row: cores, and Gbit/s by size.
    pub fn curves(&self, row: &Row) -> Vec<(usize, Vec<(f64, f64)>)> {
        let of = |several| {
            let table = papers::uplift(&row.algorithm, &row.direction, several)?;
            let point = |point: &UpliftPoint| {
                Some((point.size as f64, self.published(row, table.cores, point)?))
            };
            let points: Vec<_> = table.points.iter().filter_map(point).collect();
            (!points.is_empty()).then_some((table.cores, points))
        };
        [false, true].into_iter().filter_map(of).collect()
    }
}

/// Returns `true` if rows are of more states than contexts for each job and for each queue pair.
pub fn are_in(rows: &[Row]) -> bool {
    STATES.iter().filter(|state| rows.iter().any(|row| state.is_of(row))).count() > 2
}

/// Makes a table that describes each state.
pub fn described() -> Grid {
    let mut grid = Grid::new(["state", "what is done", "patches", "provider"], 4);
    for state in &STATES {
        let provider = state.provider();
        grid.push([state.name, state.what, state.patches, provider.as_str()]);
    }
    grid
}

/// The throughput of each state: rows of one operation.
pub fn throughput(rows: &[&Row]) -> Grid {
    let rows = analysis::throughput(rows.iter().copied());
    let columns = [
        vec![Dimension::Load, Dimension::Cores],
        varying(&rows, &[Dimension::Burst, Dimension::Call, Dimension::Session, Dimension::Cache]),
    ]
    .concat();
    let titles = columns.iter().map(|column| column.title());
    let titles = titles.chain(STATES.iter().map(|state| state.name)).chain([
        "native",
        "padding once over per job",
        "paper's",
        "paper's cores",
    ]);
    let mut grid = Grid::new(titles, columns.len());
    for group in groups(rows, &SIDE) {
        let of = |state: &ContextState| group.iter().copied().find(|row| state.is_of(row));
        if STATES.iter().all(|state| of(state).is_none()) {
            continue;
        }
        let first = group[0];
        let table = papers::uplift(&first.algorithm, &first.direction, first.cores > 1);
        let papers = table.and_then(|table| {
            let point = table.points.iter().find(|point| Some(point.size) == first.size)?;
            Some((1.0 + point.over_cloning(table)? / 100.0, table.cores))
        });
        let gain = of(AFTER).zip(of(BEFORE)).and_then(|(after, before)| speedup(after, before));
        let asked = columns.iter().map(|column| column.value(first).into_owned());
        let reached = STATES.iter().map(|state| maybe(of(state).and_then(|row| row.gbps), gbps));
        let ours = maybe(native(&group).and_then(|row| row.gbps), gbps);
        let compared = [
            ours,
            maybe(gain, times),
            maybe(papers.map(|(gain, _)| gain), times),
            papers.map_or(String::new(), |(_, cores)| cores.to_string()),
        ];
        grid.push(asked.chain(reached).chain(compared));
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::row;

    fn of(state: &ContextState, algorithm: &str, direction: &str) -> Row {
        Row {
            algorithm: algorithm.to_owned(),
            direction: direction.to_owned(),
            contexts: Some(state.contexts.to_owned()),
            queue_pairs: state.queue_pairs,
            options: state.options.map(str::to_owned),
            ..row("openssl", 64, 100.0)
        }
    }

    #[test]
    fn every_state_is_told_from_the_others() {
        for state in &STATES {
            let row = of(state, "aes-128-cbc", "encrypt");
            let states: Vec<_> = STATES.iter().filter(|state| state.is_of(&row)).collect();
            assert_eq!(states, [state]);
        }
        assert!(!are_in(&[of(&STATES[6], "md5", "digest")]));
        assert_eq!(STATES[6].provider(), "openssl:contexts=per-queue-pair");
        assert_eq!(STATES[7].provider(), "openssl:contexts=per-queue-pair:queue-pairs=1");
    }

    #[test]
    fn published_figures_stand_beside_the_state_that_they_are_of() {
        let curves = |index: usize, algorithm, direction| {
            let state: &ContextState = &STATES[index];
            let curves = state.curves(&of(state, algorithm, direction));
            curves.into_iter().map(|(cores, points)| (cores, points[0])).collect::<Vec<_>>()
        };
        let cbc = |index| curves(index, "aes-128-cbc", "encrypt");
        assert_eq!(cbc(1), [(1, (32.0, 0.84)), (8, (32.0, 1.53))]);
        assert_eq!(cbc(5), [(1, (32.0, 2.04)), (8, (32.0, 16.49))]);
        assert!([0, 2, 3, 4, 6, 7].into_iter().all(|index| cbc(index).is_empty()));
        let gcm = |index| curves(index, "aes-128-gcm", "seal");
        assert_eq!(gcm(1), [(1, (64.0, 1.31)), (8, (64.0, 2.83))]);
        assert_eq!(gcm(3), [(1, (32.0, 1.28)), (8, (32.0, 10.35))]);
        assert_eq!(gcm(7), [(1, (32.0, 1.39))]);
        assert!(gcm(5).is_empty() && curves(5, "aes-128-cmac", "generate").is_empty());
    }

    #[test]
    fn a_line_has_all_states_and_the_gain_beside_the_papers() {
        let rows: Vec<Row> = STATES
            .iter()
            .enumerate()
            .map(|(index, state)| Row {
                gbps: Some(1.0 + index as f64),
                cycles_per_buffer: Some(100.0 / (1.0 + index as f64)),
                ..of(state, "hmac-sha1", "generate")
            })
            .chain([row("native", 64, 10.0)])
            .collect();
        assert!(are_in(&rows));
        let grid = throughput(&rows.iter().collect::<Vec<_>>());
        let line = grid.line(0);
        assert_eq!(line[..4], ["64 B", "1", "1.00", "2.00"]);
        assert_eq!(line[9..], ["8.00", "102.4", "3.00×", "2.27×", "1"]);
        assert!(throughput(&[&rows[8]]).is_empty());
    }
}
