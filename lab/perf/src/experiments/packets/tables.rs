//! The table of `broadloom-perf packets`, and what it says of Sun's weblog.

use crate::report::format;
use crate::report::grid::Grid;
use crate::report::row::Row;

/// What an asynchronous call gains with eight packets outstanding, as the weblog on UltraSPARC T2
/// has it.
const ASYNCHRONOUS: f64 = 4.7;

/// Returns what packets have in common that are compared.
fn case(row: &Row) -> (&Option<String>, &str, &Option<String>, Option<usize>) {
    (&row.protocol, &row.direction, &row.frame, row.flows)
}

/// Returns `true` if the packets of a row were those of several threads, or of one in their place.
fn is_divided(row: &Row) -> bool {
    matches!(row.call.as_deref(), Some("workers" | "threads"))
}

/// Returns the table of some rows.
pub(super) fn table(rows: &[Row]) -> Grid {
    let header = [
        "protocol",
        "direction",
        "frame",
        "flows",
        "burst",
        "call",
        "cores",
        "side",
        "cycles",
        "median",
        "million a second",
        "Gbit/s",
        "ours over it",
    ];
    let mut grid = Grid::new(header, 3);
    for row in rows {
        let ours = rows.iter().find(|other| {
            other.provider == "native" && case(other) == case(row) && other.burst == row.burst
        });
        let gain = ours
            .filter(|_| row.provider != "native")
            .and_then(|ours| Some(format::times(row.cycles_per_packet? / ours.cycles_per_packet?)));
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        grid.push([
            text(&row.protocol),
            row.direction.clone(),
            text(&row.frame),
            row.flows.unwrap_or_default().to_string(),
            row.burst.to_string(),
            text(&row.call),
            row.cores.to_string(),
            format!("{} {}", row.provider, row.kernel).trim_end().to_owned(),
            format::maybe(row.cycles_per_packet, format::cycles),
            format::maybe(row.cycles_per_buffer_median, format::cycles),
            format::maybe(row.packets_per_second, |rate| format!("{:.2}", rate / 1e6)),
            format::maybe(row.gbps, format::gbps),
            gain.unwrap_or_default(),
        ]);
    }
    grid
}

/// Returns what the rows say of the statements of Sun's weblog: on workers, on large frames, on
/// asynchronous calls, as far as the rows have what is compared.
pub(super) fn findings(rows: &[Row]) -> Vec<String> {
    let mut said = Vec::new();
    let ours = || rows.iter().filter(|row| row.provider == "native");
    let rate = |row: &Row| row.packets_per_second.unwrap_or_default();
    for one in ours().filter(|row| row.cores == 1 && is_divided(row)) {
        for more in ours()
            .filter(|row| case(row) == case(one) && row.call == one.call && row.burst == one.burst)
        {
            if more.cores > 1 {
                said.push(format!(
                    "{} {}, {}, call {}: {} workers do {} of the packets of one (the weblog: more \
                     workers help IPsec)",
                    one.protocol.as_deref().unwrap_or_default(),
                    one.direction,
                    one.load(),
                    one.call.as_deref().unwrap_or_default(),
                    more.cores,
                    format::times(rate(more) / rate(one)),
                ));
            }
        }
    }
    for usual in ours().filter(|row| row.size == Some(1420)) {
        let jumbo = ours().find(|row| {
            row.size == Some(9000)
                && (&row.protocol, &row.direction, row.flows, row.burst, &row.call, row.cores)
                    == (
                        &usual.protocol,
                        &usual.direction,
                        usual.flows,
                        usual.burst,
                        &usual.call,
                        usual.cores,
                    )
        });
        if let Some(gain) = jumbo.and_then(|jumbo| Some(jumbo.gbps? / usual.gbps?)) {
            said.push(format!(
                "{} {}: frames of 9000 bytes carry {} of the bits of frames of 1420 bytes (the \
                 weblog: jumbo frames help)",
                usual.protocol.as_deref().unwrap_or_default(),
                usual.direction,
                format::times(gain),
            ));
        }
    }
    for single in ours().filter(|row| row.call.as_deref() == Some("single")) {
        let calls = ["queue-pair", "futures", "event-fd"];
        for other in ours().filter(|row| {
            case(row) == case(single)
                && [1, 8].contains(&row.burst)
                && row.cores == 1
                && row.call.as_deref().is_some_and(|call| calls.contains(&call))
        }) {
            said.push(format!(
                "{} {}, {}: {} with {} outstanding does {} of the packets of one packet a call \
                 (the weblog: asynchronous calls lose with one outstanding, and win {ASYNCHRONOUS} \
                 times with eight)",
                single.protocol.as_deref().unwrap_or_default(),
                single.direction,
                single.load(),
                other.call.as_deref().unwrap_or_default(),
                other.burst,
                format::times(rate(other) / rate(single)),
            ));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::row;

    fn packet(provider: &str, cycles: f64) -> Row {
        Row {
            protocol: Some("wireguard".to_owned()),
            direction: "protect".to_owned(),
            frame: Some("64".to_owned()),
            flows: Some(64),
            cycles_per_packet: Some(cycles),
            packets_per_second: Some(2e9 / cycles),
            call: (provider == "native").then(|| "burst".to_owned()),
            ..row(provider, 64, cycles)
        }
    }

    #[test]
    fn a_peer_stands_beside_ours_of_its_case() {
        let grid = table(&[packet("native", 200.0), packet("ipsec-mb", 300.0)]);
        assert_eq!(grid.line(1).last(), Some(&"1.50×"));
        assert_eq!(grid.line(0).last(), Some(&""));
    }

    #[test]
    fn workers_are_compared_with_one() {
        let one = Row { call: Some("workers".to_owned()), ..packet("native", 200.0) };
        let two = Row { cores: 2, packets_per_second: Some(1.9e7), ..one.clone() };
        let said = findings(&[one, two]);
        assert!(said[0].contains("2 workers do 1.90× of the packets of one"), "{said:?}");
    }
}
