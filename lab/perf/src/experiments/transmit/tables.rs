//! The tables of `broadloom-perf transmit`, and what they say in a sentence.

use super::functions::{PARTS, USER};
use super::options::By;
use super::paper::{FUNCTIONS, PROFILED, Printed, SOURCE, lines};
use crate::report::format;
use crate::report::grid::Grid;
use crate::report::row::Row;

/// Returns the name of a row's side, as it is asked for.
pub(super) fn by(row: &Row) -> &str {
    let is_it = |by: &By| by.provider() == row.provider;
    By::ALL.into_iter().find(is_it).map_or(&row.provider, |by| by.name())
}

/// Returns the row of the same connections and the same write that another side has.
fn beside<'r>(rows: &'r [Row], row: &Row, by: By) -> Option<&'r Row> {
    rows.iter().find(|other| {
        (other.flows, other.size) == (row.flows, row.size) && other.provider == by.provider()
    })
}

/// Returns how many times one row's cycles are another's.
fn ratio(one: &Row, other: &Row) -> Option<f64> {
    Some(one.cycles_per_kib? / other.cycles_per_kib?)
}

/// Returns the title of the rows of one write.
pub(super) fn title(rows: &[Row]) -> String {
    match rows.first().and_then(|row| row.size) {
        Some(size) if size % 1024 == 0 => format!("Writes of {} KiB", size / 1024),
        size => format!("Writes of {} bytes", size.unwrap_or_default()),
    }
}

/// Returns the table of the rows of one write, with the source's lines below.
pub(super) fn table(rows: &[Row]) -> Grid {
    let header = [
        "connections",
        "by",
        "user/system/interrupt/idle %",
        "cycles/KiB",
        "Gbit/s",
        "over plain",
        "records over it",
    ];
    let mut grid = Grid::new(header, 2);
    let two = |value: f64| format!("{value:.2}");
    for row in rows {
        let parts = [row.user_part, row.system_part, row.interrupt_part, row.idle_part];
        let parts: Option<Vec<f64>> = parts.into_iter().collect();
        let times = parts.map(|parts| {
            let parts: Vec<String> =
                parts.iter().map(|part| format!("{:.0}", part * 100.0)).collect();
            parts.join("/")
        });
        let plain = beside(rows, row, By::Plain).filter(|plain| plain.provider != row.provider);
        let ours = beside(rows, row, By::Records);
        let ours =
            ours.filter(|ours| ![&ours.provider, By::Plain.name()].contains(&&*row.provider));
        grid.push([
            row.flows.unwrap_or_default().to_string(),
            format!("{} {}", by(row), row.kernel).trim_end().to_owned(),
            times.unwrap_or_default(),
            format::maybe(row.cycles_per_kib, format::cycles),
            format::maybe(row.gbps, format::gbps),
            format::maybe(plain.and_then(|plain| ratio(row, plain)), two),
            format::maybe(ours.and_then(|ours| ratio(ours, row)), two),
        ]);
    }
    let write = rows.first().and_then(|row| row.size);
    for line in lines().filter(|line| Some(line.write) == write) {
        grid.push([
            line.connections.to_string(),
            SOURCE.to_owned(),
            line.times.map(|part| part.to_string()).join("/"),
            format::cycles(line.cycles),
            format::gbps(line.gbps),
            String::new(),
            String::new(),
        ]);
    }
    grid
}

/// Returns the shares of functions in the two cases of which the source has them, for plaintext,
/// beside the source's; `None` if the rows do not have both.
pub(super) fn functions(rows: &[Row]) -> Option<Grid> {
    let case = |(connections, write)| {
        let is_it = |row: &&Row| {
            (row.flows, row.size) == (Some(connections), Some(write))
                && row.provider == By::Plain.provider()
                && row.functions.is_some()
        };
        rows.iter().find(is_it)
    };
    let [costly, cheap] = [case(PROFILED[0])?, case(PROFILED[1])?];
    let name =
        |(connections, write): (usize, usize)| format!("{connections} x {} KiB", write >> 10);
    let names = PROFILED.map(name);
    let header = [
        format!("{SOURCE}: function"),
        format!("{} %", names[0]),
        format!("{} %", names[1]),
        "ratio".to_owned(),
        "here: part".to_owned(),
        format!("here: {} %", names[0]),
        format!("here: {} %", names[1]),
        "here: ratio".to_owned(),
    ];
    let mut grid = Grid::new(header, 1);
    let share = |row: &Row, key: &str| row.functions.as_ref()?.get(key).copied();
    let cost = |row: &Row, key: &str| Some(share(row, key)? * row.cycles_per_kib?);
    let per_cent = |value: f64| format!("{:.2}", value * 100.0);
    for (function, part) in FUNCTIONS.iter().zip(&PARTS) {
        let ratio = cost(costly, part.key).zip(cost(cheap, part.key));
        let ratio = ratio.filter(|(_, cheap)| *cheap > 0.0).map(|(costly, cheap)| costly / cheap);
        grid.push([
            function.name.to_owned(),
            format!("{:.2}", function.shares[0]),
            format!("{:.2}", function.shares[1]),
            format!("{:.2}", function.ratio),
            part.key.to_owned(),
            format::maybe(share(costly, part.key), per_cent),
            format::maybe(share(cheap, part.key), per_cent),
            format::maybe(ratio, |ratio| format!("{ratio:.2}")),
        ]);
    }
    Some(grid)
}

/// Returns the shares of functions of all rows that have them; `None` if none has.
pub(super) fn shares(rows: &[Row]) -> Option<Grid> {
    let parts = || PARTS.iter().map(|part| part.key).chain([USER]);
    let header = ["connections", "by"].into_iter().chain(parts());
    let mut grid = Grid::new(header.map(str::to_owned), 2);
    for row in rows {
        let Some(functions) = &row.functions else { continue };
        let share = |key| functions.get(key).map(|share: &f64| format!("{:.1}", share * 100.0));
        let names = [row.flows.unwrap_or_default().to_string(), by(row).to_owned()];
        let cells = parts().map(|key| share(key).unwrap_or_default());
        grid.push(names.into_iter().chain(cells).collect::<Vec<String>>());
    }
    (!grid.is_empty()).then_some(grid)
}

/// Returns what the rows say of our records beside OpenSSL's, and of the source's statements.
pub(super) fn findings(rows: &[Row]) -> Vec<String> {
    let mut said = Vec::new();
    for same in rows.chunk_by(|a, b| a.size == b.size) {
        let ours = same.iter().filter(|row| row.provider == By::Records.provider());
        let ratios = ours.filter_map(|row| ratio(row, beside(same, row, By::OpenSsl)?));
        let ratios: Vec<f64> = ratios.collect();
        let least = ratios.iter().copied().reduce(f64::min);
        if let Some((least, most)) = least.zip(ratios.iter().copied().reduce(f64::max)) {
            let (least, most) = (format!("{least:.2}"), format!("{most:.2}"));
            let range = if least == most { least } else { format!("{least} to {most}") };
            said.push(format!(
                "{}: TLS 1.3 by our records takes {range} of the cycles a KiB that OpenSSL's \
                 record layer takes",
                title(same)
            ));
        }
        said.extend(growth(same));
    }
    said.extend(shortness(rows));
    said
}

/// Returns how much more the most connections cost than the fewest, for plaintext.
fn growth(rows: &[Row]) -> Option<String> {
    let plain = || rows.iter().filter(|row| row.provider == By::Plain.provider());
    let (few, many) = (plain().next()?, plain().next_back()?);
    let paper = |row: &Row| line(row.flows?, row.size?);
    let papers = paper(few).zip(paper(many)).map(|(few, many)| many.cycles / few.cycles);
    (few.flows < many.flows).then(|| {
        let papers = format::maybe(papers, |times| format!(" (the weblog: {times:.2})"));
        let ratio = format::maybe(ratio(many, few), |times| format!("{times:.2}"));
        format!(
            "{}, plaintext: {} connections take {ratio} times the cycles a KiB of {}{papers}",
            title(rows),
            many.flows.unwrap_or_default(),
            few.flows.unwrap_or_default(),
        )
    })
}

/// Returns how much more the shortest writes cost than the longest, for plaintext over as many
/// connections as both were measured with.
fn shortness(rows: &[Row]) -> Option<String> {
    let plain = || rows.iter().filter(|row| row.provider == By::Plain.provider());
    let short = plain().filter(|row| row.size == plain().next().and_then(|first| first.size));
    let short: &Row = short.min_by_key(|row| row.flows.map(|flows| flows.abs_diff(100)))?;
    let long = plain().rfind(|row| row.flows == short.flows)?;
    let paper = |row: &Row| line(row.flows?, row.size?);
    let papers = paper(short).zip(paper(long)).map(|(short, long)| short.cycles / long.cycles);
    (short.size < long.size).then(|| {
        let papers = format::maybe(papers, |times| format!(" (the weblog: {times:.2})"));
        let ratio = format::maybe(ratio(short, long), |times| format!("{times:.2}"));
        format!(
            "{} connections, plaintext: writes of {} take {ratio} times the cycles a KiB of writes \
             of {}{papers}",
            short.flows.unwrap_or_default(),
            short.load(),
            long.load(),
        )
    })
}

/// Returns the source's line of some connections and a write.
fn line(connections: usize, write: usize) -> Option<Printed> {
    lines().find(|line| (line.connections, line.write) == (connections, write))
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::samples::row;

    /// A row of a side.
    pub fn made(by: By, connections: usize, write: usize, cycles: f64) -> Row {
        let functions = ["write", "tcp_output", "device", "tcp_input", "user"];
        let functions: BTreeMap<String, f64> = functions
            .into_iter()
            .zip([0.5, 0.2, 0.0, 0.1, 0.5])
            .map(|(k, v)| (k.to_owned(), v))
            .collect();
        Row {
            flows: Some(connections),
            cycles_per_kib: Some(cycles),
            gbps: Some(4.0),
            user_part: Some(0.01),
            system_part: Some(0.5),
            interrupt_part: Some(0.09),
            idle_part: Some(0.4),
            functions: Some(functions),
            kernel: String::new(),
            ..row(by.provider(), write, 1.0)
        }
    }

    #[test]
    fn sides_stand_beside_each_other_and_the_sources_lines_below() {
        let rows = [
            made(By::Plain, 100, 1024, 1000.0),
            made(By::Records, 100, 1024, 1500.0),
            made(By::OpenSsl, 100, 1024, 3000.0),
        ];
        let grid = table(&rows);
        assert_eq!(grid.len(), 3 + 10);
        assert_eq!(grid.line(0), ["100", "plain", "1/50/9/40", "1000", "4.00", "", ""]);
        assert_eq!(grid.line(1)[5..], ["1.50", ""]);
        assert_eq!(grid.line(2)[5..], ["3.00", "0.50"]);
        let theirs = ["100", "Sun Fire X4440", "0/48/8/50", "21831", "5.77", "", ""];
        assert_eq!(grid.line(3 + 4), theirs);
        assert_eq!(title(&rows), "Writes of 1 KiB");
    }

    #[test]
    fn functions_cost_what_their_shares_of_the_cycles_are() {
        let rows = [made(By::Plain, 4000, 8192, 3000.0), made(By::Plain, 100, 65536, 1000.0)];
        let grid = functions(&rows).unwrap();
        let write = ["write()", "5.28", "4.62", "1.68", "write", "50.00", "50.00", "3.00"];
        assert_eq!(grid.line(0), write);
        assert_eq!(grid.line(2)[7], "", "nothing was found in the device");
        assert!(functions(&rows[..1]).is_none());
        assert_eq!(shares(&rows).unwrap().line(0)[2..], ["50.0", "20.0", "0.0", "10.0", "50.0"]);
    }

    #[test]
    fn the_sources_statements_are_answered() {
        let rows = [
            made(By::Plain, 1, 1024, 1000.0),
            made(By::Plain, 100, 1024, 2000.0),
            made(By::Records, 100, 1024, 2100.0),
            made(By::OpenSsl, 100, 1024, 3000.0),
            made(By::Plain, 100, 65536, 500.0),
        ];
        let said = findings(&rows);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("takes 0.70 of the cycles"), "{said:?}");
        assert!(
            said[1].contains(
                "100 connections take 2.00 times the cycles a KiB of 1 (the weblog: 1.62)"
            )
        );
        assert!(said[2].contains("writes of 1024 B take 4.00 times"), "{said:?}");
        assert!(said[2].contains("(the weblog: 6.91)"), "{said:?}");
    }
}
