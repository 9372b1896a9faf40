//! The tables of `broadloom-perf device`, and what they say in a sentence.

use broadloom::gpu::Gpu;

use super::pass::RESIDENT;
use crate::report::format;
use crate::report::grid::Grid;
use crate::report::pass::{BYTES, Pass};
use crate::report::row::Row;

/// The table of a figure. Seconds are those of 2^30 bytes.
pub(super) fn table(rows: &[Row]) -> Grid {
    let header = [
        "algorithm",
        "size",
        "side",
        "threads",
        "outstanding",
        "jobs a second",
        "elapsed s",
        "CPU s",
        "kernels s",
        "copies s",
        "limit s",
        "over one core",
        "over all cores",
    ];
    let mut grid = Grid::new(header, 3);
    for row in rows {
        let Some(pass) = &row.pass else { continue };
        let scaled = |seconds: f64| seconds * BYTES / pass.input_bytes.max(1) as f64;
        let seconds = |seconds: f64| format!("{seconds:.3}");
        let scaled_seconds = |value| seconds(scaled(value));
        let copies = pass.upload_s.zip(pass.download_s).map(|(up, down)| up + down);
        let limit = row.limit_cycles_per_buffer.zip(row.cycles_per_buffer);
        let limit = limit.map(|(limit, own)| pass.elapsed_per_gib() * limit / own.max(1e-9));
        let gain = |other: Option<&Row>| {
            let other = other.and_then(|other| other.pass.as_ref());
            let gain = other.map(|other| other.elapsed_per_gib() / pass.elapsed_per_gib());
            format::maybe(gain, format::times)
        };
        grid.push([
            row.algorithm.clone(),
            row.load(),
            side(row),
            pass.threads.to_string(),
            row.outstanding.unwrap_or_default().to_string(),
            format!("{:.0}", jobs_a_second(row, pass)),
            seconds(pass.elapsed_per_gib()),
            seconds(pass.cpu_per_gib()),
            format::maybe(pass.kernel_s, scaled_seconds),
            format::maybe(copies, scaled_seconds),
            format::maybe(limit, seconds),
            gain(software(rows, row, false)),
            gain(software(rows, row, true)),
        ]);
    }
    grid
}

/// Names the side that computes, and what it works on if that is no copy of a job's data.
fn side(row: &Row) -> String {
    match is_resident(row) {
        true => format!("{}, resident", row.provider),
        false => row.provider.clone(),
    }
}

/// Returns `true` if the data were on the device before.
fn is_resident(row: &Row) -> bool {
    let transfer = row.pass.as_ref().and_then(|pass| pass.transfer.as_deref());
    transfer == Some(RESIDENT)
}

fn jobs_a_second(row: &Row, pass: &Pass) -> f64 {
    pass.input_bytes as f64 / row.size.unwrap_or(1) as f64 / pass.elapsed_s.max(1e-9)
}

/// The row of one core, or of all, for the same buffers.
fn software<'r>(rows: &'r [Row], row: &Row, all: bool) -> Option<&'r Row> {
    let same = |other: &&Row| {
        other.provider != Gpu::NAME
            && other.operation() == row.operation()
            && other.size == row.size
    };
    let mut found = rows.iter().filter(same);
    match all {
        true => found.max_by_key(|row| row.cores),
        false => found.find(|row| row.cores == 1),
    }
}

/// Returns a finding for each algorithm: where the device first gains over one core and over all
/// cores, with transfer and without, and its CPU time over that of one core, at its best.
pub(super) fn findings(rows: &[Row]) -> Vec<String> {
    let mut algorithms: Vec<&str> = rows.iter().map(|row| row.algorithm.as_str()).collect();
    algorithms.dedup();
    algorithms.into_iter().filter_map(|algorithm| finding(rows, algorithm)).collect()
}

fn finding(rows: &[Row], algorithm: &str) -> Option<String> {
    let own =
        |row: &&Row| row.algorithm == algorithm && row.provider == Gpu::NAME && !is_resident(row);
    let device: Vec<&Row> = rows.iter().filter(own).collect();
    let first = |all: bool, seconds: &dyn Fn(&Pass) -> Option<f64>| {
        let gains = |row: &&&Row| {
            let other = software(rows, row, all).and_then(|other| other.pass.as_ref());
            let own = row
                .pass
                .as_ref()
                .and_then(|pass| Some(seconds(pass)? * BYTES / pass.input_bytes.max(1) as f64));
            own.zip(other).is_some_and(|(own, other)| own < other.elapsed_per_gib())
        };
        device.iter().find(gains).map_or("nowhere".to_owned(), |row| {
            let outstanding = row.outstanding.unwrap_or_default();
            format!("from {} with {} × {outstanding} outstanding", row.load(), row.cores)
        })
    };
    let elapsed = |pass: &Pass| Some(pass.elapsed_s);
    let kernels = |pass: &Pass| pass.kernel_s;
    let cpu = |row: &Row| row.pass.as_ref().map_or(0.0, Pass::cpu_per_gib);
    let ratio = |row: &&Row| Some(cpu(row) / cpu(software(rows, row, false)?).max(1e-12));
    let ratio = device.iter().filter_map(ratio).reduce(f64::min)?;
    Some(format!(
        "{algorithm}: the device beats one core {}, all cores {}; without transfer {} and {}; its \
         CPU time is at least {} that of one core",
        first(false, &elapsed),
        first(true, &elapsed),
        first(false, &kernels),
        first(true, &kernels),
        format::times(ratio),
    ))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::samples::row;

    /// A row of a figure: seconds for 2^30 bytes.
    pub fn made(provider: &str, size: usize, cores: usize, outstanding: usize, s: f64) -> Row {
        let device = (provider == Gpu::NAME).then_some(s / 4.0);
        let pass = Pass {
            figure: "10".to_owned(),
            threads: cores,
            input_bytes: 1 << 30,
            elapsed_s: s,
            cpu_s: s / 2.0,
            kernel_s: device,
            upload_s: device,
            download_s: device,
            ..Pass::default()
        };
        Row {
            cores,
            outstanding: Some(outstanding),
            limit_cycles_per_buffer: device.map(|_| 25.0),
            pass: Some(pass),
            ..row(provider, size, 100.0)
        }
    }

    fn rows() -> Vec<Row> {
        vec![
            made("native", 64, 1, 512, 2.0),
            made("native", 64, 2, 512, 1.0),
            made("gpu", 64, 1, 1, 9.0),
            made("gpu", 64, 1, 16, 3.0),
            made("gpu", 64, 1, 64, 1.5),
        ]
    }

    #[test]
    fn the_device_gains_where_it_is_faster() {
        let text = findings(&rows()).concat();
        let expected = "hmac-sha1: the device beats one core from 64 B with 1 × 64 outstanding, \
                        all cores nowhere; without transfer from 64 B with 1 × 16 outstanding and \
                        from 64 B with 1 × 16 outstanding; its CPU time is at least 0.75× that of \
                        one core";
        assert_eq!(text, expected);
    }

    #[test]
    fn data_that_stay_on_the_device_have_rows_of_their_own() {
        let mut rows = rows();
        let mut resident = made("gpu", 64, 1, 16, 0.1);
        resident.pass.as_mut().expect("it has one").transfer = Some(RESIDENT.to_owned());
        let before = findings(&rows);
        rows.insert(2, resident);
        assert_eq!(findings(&rows), before);
        let sides =
            table(&rows).to_string().lines().filter(|line| line.contains("gpu, resident")).count();
        assert_eq!(sides, 1);
    }

    #[test]
    fn a_table_has_gains_and_limits() {
        let text = table(&rows()).to_string();
        let last = text.lines().last().expect("there are rows");
        for cell in ["gpu", "11184811", "1.500", "0.750", "0.375", "1.33×", "0.67×"] {
            assert!(last.contains(cell), "{cell}: {last}");
        }
    }
}
