//! What all cells come to.

use super::cells::Cell;
use crate::report::format;
use crate::report::grid::Grid;

/// The worst cells that are listed.
const WORST: usize = 20;

/// Returns sentences on the cells: the share that leads, and how many are behind.
pub fn summary(cells: &[Cell]) -> Vec<String> {
    let few = |cell: &&Cell| cell.burst < 4;
    let parts: [(&str, Vec<&Cell>); 2] = [
        ("bursts of 4 and more", cells.iter().filter(|cell| !few(cell)).collect()),
        ("bursts of 1 to 3", cells.iter().filter(few).collect()),
    ];
    let parts = parts.into_iter().filter(|(_, cells)| !cells.is_empty());
    parts.map(|(what, cells)| sentence(what, &cells)).collect()
}

fn sentence(what: &str, cells: &[&Cell]) -> String {
    let mut ratios: Vec<f64> = cells.iter().map(|cell| cell.ratio()).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let behind = cells.iter().filter(|cell| cell.ratio() > cell.level()).count();
    let ahead = ratios.iter().filter(|ratio| **ratio <= 0.9).count();
    format!(
        "of {} cells with {what}, {behind} take over {} of the best peer's cycles and {} % take at \
         most 0.9; the median is {:.2}, and the worst is {:.2}",
        cells.len(),
        cells[0].level(),
        100 * ahead / cells.len(),
        ratios[ratios.len() / 2],
        ratios[ratios.len() - 1],
    )
}

/// Returns a table of the cells that are furthest behind.
pub fn worst(cells: &[Cell]) -> Grid {
    let mut behind: Vec<&Cell> = cells.iter().filter(|cell| cell.ratio() > cell.level()).collect();
    behind.sort_by(|one, other| other.ratio().total_cmp(&one.ratio()));
    let header =
        ["operation", "call", "best peer", "size", "burst", "ours", "best peer's", "ours / best"];
    let mut grid = Grid::new(header, 3);
    for cell in behind.into_iter().take(WORST) {
        grid.push([
            cell.operation.clone(),
            cell.call.clone(),
            cell.peer.clone(),
            cell.size.clone(),
            cell.burst.to_string(),
            format::cycles(cell.ours),
            format::cycles(cell.best),
            format!("{:.2}", cell.ratio()),
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::super::cells::{cells, tests::rows};
    use super::*;

    #[test]
    fn what_is_behind_is_counted_and_listed_first() {
        let mut all = rows(64, 16, 90.0, [300.0, 100.0]);
        all.extend(rows(256, 16, 110.0, [300.0, 100.0]));
        all.extend(rows(1024, 16, 200.0, [300.0, 100.0]));
        all.extend(rows(64, 1, 105.0, [300.0, 100.0]));
        let cells = cells(&all);
        assert_eq!(
            summary(&cells),
            [
                "of 3 cells with bursts of 4 and more, 2 take over 1.05 of the best peer's cycles \
                 and 33 % take at most 0.9; the median is 1.10, and the worst is 2.00",
                "of 1 cells with bursts of 1 to 3, 0 take over 1.1 of the best peer's cycles and 0 \
                 % take at most 0.9; the median is 1.05, and the worst is 1.05",
            ]
        );
        let worst = worst(&cells);
        assert_eq!(worst.line(0).last(), Some(&"2.00"));
        assert_eq!(worst.line(1).last(), Some(&"1.10"));
    }
}
