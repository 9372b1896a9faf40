//! Cells: our cycles beside those of the best peer.

use crate::report::dimension::{Dimension, groups};
use crate::report::row::{BARE, Row};

/// One combination of algorithm, direction, call, size and burst.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The algorithm and the direction.
    pub operation: String,
    /// The engine's call.
    pub call: String,
    /// The length of a buffer: bytes, or the name of a mix.
    pub size: String,
    /// The length of a buffer in bytes, in the mean.
    pub bytes: f64,
    /// Jobs of a burst.
    pub burst: usize,
    /// Cycles a buffer of our side.
    pub ours: f64,
    /// The peer with the fewest cycles, with the call that was made of it.
    pub peer: String,
    /// Its cycles a buffer.
    pub best: f64,
}

/// What a ratio means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colour {
    /// At most half of the best peer's cycles.
    FarAhead,
    /// At most 0.9.
    Ahead,
    /// At most 1.05 (1.1 for bursts of one and two): as fast as the best peer.
    Level,
    /// Behind the best peer.
    Behind,
    /// Behind by a half or more.
    FarBehind,
}

impl Colour {
    /// All of them, from the best to the worst.
    pub const ALL: [Colour; 5] =
        [Colour::FarAhead, Colour::Ahead, Colour::Level, Colour::Behind, Colour::FarBehind];

    /// The name of the style of cells on the page.
    pub const fn class(self) -> &'static str {
        match self {
            Colour::FarAhead => "far-ahead",
            Colour::Ahead => "ahead",
            Colour::Level => "even",
            Colour::Behind => "behind",
            Colour::FarBehind => "far-behind",
        }
    }
}

impl Cell {
    /// Our cycles over the best peer's.
    pub fn ratio(&self) -> f64 {
        self.ours / self.best
    }

    /// The largest ratio that is still level: bursts of one and two may take a tenth more.
    pub fn level(&self) -> f64 {
        if self.burst < 4 { 1.1 } else { 1.05 }
    }

    /// Returns the colour that stands for the meaning of the ratio.
    pub fn colour(&self) -> Colour {
        match self.ratio() {
            ratio if ratio <= 0.5 => Colour::FarAhead,
            ratio if ratio <= 0.9 => Colour::Ahead,
            ratio if ratio <= self.level() => Colour::Level,
            ratio if ratio < 1.5 => Colour::Behind,
            _ => Colour::FarBehind,
        }
    }
}

/// Returns the cells of rows, in the order of the rows. Combinations that no peer has are left out.
pub fn cells(rows: &[Row]) -> Vec<Cell> {
    let sides = [Dimension::Provider, Dimension::Opened];
    groups(rows, &sides).into_iter().filter_map(|group| cell(&group)).collect()
}

fn cell(group: &[&Row]) -> Option<Cell> {
    let is_bare = |row: &Row| row.interface.as_deref() == Some(BARE);
    let ours = group.iter().find(|row| !is_bare(row))?;
    let peers = group.iter().filter(|row| is_bare(row) && row.cycles_per_buffer.is_some());
    let best = peers.min_by(|one, other| {
        one.cycles_per_buffer
            .unwrap_or(f64::MAX)
            .total_cmp(&other.cycles_per_buffer.unwrap_or(f64::MAX))
    })?;
    Some(Cell {
        operation: ours.operation(),
        call: ours.call.clone().unwrap_or_default(),
        size: ours.load(),
        bytes: ours.buffer_bytes,
        burst: ours.burst,
        ours: ours.cycles_per_buffer?,
        peer: match &best.peer_call {
            Some(call) => format!("{} ({call})", best.provider),
            None => best.provider.clone(),
        },
        best: best.cycles_per_buffer?,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::samples::row;

    /// Rows of one combination: ours, and two peers.
    pub fn rows(size: usize, burst: usize, ours: f64, peers: [f64; 2]) -> Vec<Row> {
        let call = Some("process-many".to_owned());
        let bare = |name, call: &str, cycles| Row {
            interface: Some(BARE.to_owned()),
            peer_call: Some(call.to_owned()),
            ..row(name, size, cycles)
        };
        let rows = [
            Row { interface: Some("engine".to_owned()), ..row("native", size, ours) },
            bare("openssl", "evp", peers[0]),
            bare("ipsec-mb", "burst", peers[1]),
        ];
        rows.map(|row| Row { call: call.clone(), burst, ..row }).to_vec()
    }

    #[test]
    fn a_cell_is_compared_with_the_best_peer() {
        let mut all = rows(64, 16, 90.0, [300.0, 120.0]);
        all.extend(rows(1024, 16, 500.0, [400.0, 450.0]));
        // Nobody else has it.
        all.push(row("native", 16, 50.0));
        let cells = cells(&all);
        assert_eq!(cells.len(), 2);
        assert_eq!((cells[0].peer.as_str(), cells[0].ratio()), ("ipsec-mb (burst)", 0.75));
        assert_eq!(cells[0].colour(), Colour::Ahead);
        assert_eq!((cells[1].peer.as_str(), cells[1].colour()), ("openssl (evp)", Colour::Behind));
    }

    #[test]
    fn one_and_two_buffers_may_take_a_tenth_more() {
        let colour = |burst| cells(&rows(64, burst, 108.0, [100.0, 200.0]))[0].colour();
        assert_eq!((colour(2), colour(4)), (Colour::Level, Colour::Behind));
        let far = cells(&rows(64, 1, 150.0, [100.0, 200.0]))[0].colour();
        assert_eq!(far, Colour::FarBehind);
    }
}
