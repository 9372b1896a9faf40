//! The figures of source 000 as tables, with the paper's own claims beside them.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

use super::row::Row;

/// A table whose columns after the `left` first ones are aligned to the right.
fn table(header: &[&str], left: usize) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header.to_vec());
    for index in left..header.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A number of cycles, with decimals only where they say something.
fn cycles(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// What source 000 says of multi-buffer over its best single-buffer code, for the cases it ran.
fn claim(row: &Row) -> &'static str {
    match (row.algorithm.as_str(), row.direction, row.workload) {
        ("hmac-sha1", _, Some(_)) => "about 2x",
        ("aes-128-cbc", "encrypt", Some("0")) => "1.2x",
        ("aes-128-cbc", "encrypt", Some(_)) => "2.5x to 3x",
        _ => "",
    }
}

/// Whether two rows belong to one comparison.
fn same_case(a: &Row, b: &Row) -> bool {
    (&a.algorithm, a.direction, a.workload, a.size) == (&b.algorithm, b.direction, b.workload, b.size)
        && (a.mode, a.burst, a.isa, a.cache, a.cores) == (b.mode, b.burst, b.isa, b.cache, b.cores)
}

/// Figures 1 and 3: cycles per buffer of every provider, and what `native` gains over each.
///
/// `rows` are those of one algorithm, mode and order.
pub fn comparison(rows: &[Row]) -> Table {
    let mut table = table(
        &[
            "workload",
            "provider",
            "kernel",
            "order",
            "mean bytes",
            "cycles/buffer",
            "median",
            "Gbit/s",
            "of limit",
            "native is",
            "paper",
        ],
        4,
    );
    for row in rows {
        let native = rows
            .iter()
            .filter(|other| other.provider == "native" && same_case(row, other))
            .find(|other| other.order == row.order);
        let gain = match native {
            Some(native) if row.provider != "native" => {
                format!("{:.2}x", row.cycles_per_buffer / native.cycles_per_buffer)
            }
            _ => String::new(),
        };
        let limit = row
            .limit_cycles_per_buffer
            .map_or(String::new(), |limit| format!("{:.0} %", 100.0 * limit / row.cycles_per_buffer));
        let case = match (row.workload, row.size) {
            (Some(number), _) => number.to_owned(),
            (None, Some(size)) => format!("{size} B"),
            (None, None) => String::new(),
        };
        table.add_row([
            case,
            row.provider.to_owned(),
            row.kernel.clone(),
            row.order.to_owned(),
            format!("{:.0}", row.buffer_bytes),
            cycles(row.cycles_per_buffer),
            cycles(row.cycles_per_buffer_median),
            format!("{:.2}", row.gbps),
            limit,
            gain,
            if row.provider == "openssl" { claim(row).to_owned() } else { String::new() },
        ]);
    }
    table
}

/// Figures 2 and 4: where the cycles of a stream go.
///
/// `rows` are stream rows; each workload of which both orders were run by `native` gets a line.
/// Nothing comes back where there is none.
pub fn breakdown(rows: &[Row]) -> Option<Table> {
    let mut table = table(
        &[
            "workload",
            "kernel",
            "+ out-of-order",
            "+ in-order",
            "= multi-buffer, in order",
            "one at a time (openssl)",
        ],
        1,
    );
    let native = |order| rows.iter().filter(move |r| r.provider == "native" && r.order == order);
    for unordered in native("out-of-order") {
        let (Some(kernel), Some(ordered)) = (
            unordered.kernel_cycles_per_buffer,
            native("in-order").find(|other| same_case(unordered, other)),
        ) else {
            continue;
        };
        let single = rows
            .iter()
            .find(|other| other.provider == "openssl" && same_case(unordered, other))
            .map_or(String::new(), |row| cycles(row.cycles_per_buffer));
        let case = match (unordered.workload, unordered.size) {
            (Some(number), _) => number.to_owned(),
            (None, size) => size.map_or(String::new(), |size| format!("{size} B")),
        };
        table.add_row([
            case,
            cycles(kernel),
            cycles(unordered.cycles_per_buffer - kernel),
            cycles(ordered.cycles_per_buffer - unordered.cycles_per_buffer),
            cycles(ordered.cycles_per_buffer),
            single,
        ]);
    }
    (table.row_count() > 0).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(provider: &'static str, order: &'static str, cycles: f64) -> Row {
        Row {
            algorithm: "hmac-sha1".to_owned(),
            direction: "generate",
            workload: Some("0"),
            size: None,
            mode: "stream",
            burst: 1,
            cores: 1,
            provider,
            kernel: "k".to_owned(),
            order,
            isa: "avx2",
            cache: "warm",
            cycles_per_buffer: cycles,
            cycles_per_buffer_median: cycles,
            gbps: 1.0,
            limit_cycles_per_buffer: Some(75.0),
            limit_by: None,
            buffer_bytes: 64.0,
            kernel_cycles_per_buffer: (provider == "native").then_some(90.0),
        }
    }

    /// The cells of each line.
    fn cells(table: &Table) -> Vec<Vec<String>> {
        let split =
            |line: &str| line.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect();
        table.to_string().lines().filter(|line| !line.contains("--")).map(split).collect()
    }

    #[test]
    fn a_peer_is_compared_with_native_in_the_same_order() {
        let rows = [
            row("native", "out-of-order", 100.0),
            row("native", "in-order", 110.0),
            row("openssl", "out-of-order", 1300.0),
        ];
        let lines = cells(&comparison(&rows));
        assert_eq!(lines[1][8], "75 %");
        assert_eq!(lines[1][9..], ["", ""]);
        assert_eq!(lines[3][9..], ["13.00x", "about 2x"]);
    }

    #[test]
    fn the_breakdown_adds_up() {
        let rows = [
            row("native", "out-of-order", 100.0),
            row("native", "in-order", 112.5),
            row("openssl", "out-of-order", 1300.0),
        ];
        let lines = cells(&breakdown(&rows).unwrap());
        assert_eq!(lines[1], ["0", "90.0", "10.0", "12.5", "112", "1300"]);
        assert!(breakdown(&rows[..1]).is_none());
    }

    #[test]
    fn the_papers_claims_stand_only_beside_what_it_ran() {
        let mut aes = row("openssl", "in-order", 1.0);
        aes.algorithm = "aes-128-cbc".to_owned();
        aes.direction = "encrypt";
        assert_eq!(claim(&aes), "1.2x");
        aes.workload = Some("3");
        assert_eq!(claim(&aes), "2.5x to 3x");
        aes.direction = "decrypt";
        assert_eq!(claim(&aes), "");
    }
}
