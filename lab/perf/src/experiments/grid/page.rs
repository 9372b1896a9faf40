//! The page of a run of `broadloom-perf grid`: a heat map for each operation and call.

use std::io::{self, Write};

use maud::{Markup, html};

use super::cells::{Cell, Colour, cells};
use super::summary::{summary, worst};
use crate::report::format;
use crate::report::page::operations::{FOOTER, table};
use crate::report::page::{self, Section};
use crate::report::row::Report;

/// Writes the page.
///
/// # Errors
/// Of `out`.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let cells = cells(&report.rows);
    let mut sections = vec![Section::new("summary", "Summary", overview(&cells))];
    for operation in distinct(&cells, |cell| cell.operation.clone()) {
        let own: Vec<&Cell> = cells.iter().filter(|cell| cell.operation == operation).collect();
        let body = html! {
            @for call in distinct(&own, |cell| cell.call.clone()) {
                (map(&call, own.iter().copied().filter(|cell| cell.call == call)))
            }
        };
        let id = operation.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        sections.push(Section::new(id, operation, body));
    }
    page::write(report, &sections, FOOTER, out)
}

fn overview(cells: &[Cell]) -> Markup {
    html! {
        p {
            "A cell shows our cycles for a buffer over those of the best peer. Below 1, we are \
             faster. The title of a cell has both figures and the peer's name."
        }
        ul { @for line in summary(cells) { li { (line) } } }
        p class="legend" {
            @for colour in Colour::ALL {
                span class={ "heat " (colour.class()) } { (meaning(colour)) } " "
            }
        }
        (table(&worst(cells), "The cells that are furthest behind"))
    }
}

fn meaning(colour: Colour) -> &'static str {
    match colour {
        Colour::FarAhead => "at most 0.5",
        Colour::Ahead => "at most 0.9",
        Colour::Level => "level: at most 1.05, or 1.1 for bursts below 4",
        Colour::Behind => "behind",
        Colour::FarBehind => "1.5 and more",
    }
}

/// One heat map: sizes down, bursts across.
fn map<'c>(call: &str, cells: impl Iterator<Item = &'c Cell>) -> Markup {
    let cells: Vec<&Cell> = cells.collect();
    let mut bursts = distinct(&cells, |cell| cell.burst);
    bursts.sort_unstable();
    let find = |size: &String, burst: usize| {
        cells.iter().find(|cell| cell.size == *size && cell.burst == burst)
    };
    let caption = format!("{call}: ours / best peer, by size and burst");
    html! {
        figure class="table" {
            figcaption { (caption) }
            div class="scroll" role="region" tabindex="0" aria-label=(caption) {
                table {
                    thead { tr {
                        th scope="col" class="text" { "bytes" }
                        @for burst in &bursts { th scope="col" class="number" { "burst " (burst) } }
                    } }
                    tbody { @for size in distinct(&cells, |cell| cell.size.clone()) { tr {
                        th scope="row" class="text" { (size) }
                        @for burst in &bursts {
                            @match find(&size, *burst) {
                                Some(cell) => { (heat(cell)) }
                                None => { td {} }
                            }
                        }
                    } } }
                }
            }
        }
    }
}

fn heat(cell: &Cell) -> Markup {
    let title = format!(
        "ours {} cycles, {} {} cycles",
        format::cycles(cell.ours),
        cell.peer,
        format::cycles(cell.best)
    );
    html! {
        td class={ "number heat " (cell.colour().class()) } title=(title) {
            (format!("{:.2}", cell.ratio()))
        }
    }
}

/// Returns the values that occur, each once, in the order in which they come.
fn distinct<C: std::borrow::Borrow<Cell>, T: PartialEq>(
    cells: &[C],
    value: impl Fn(&Cell) -> T,
) -> Vec<T> {
    let mut values = Vec::new();
    for cell in cells {
        let value = value(cell.borrow());
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::cells::tests::rows;
    use super::*;
    use crate::report::samples::report;

    #[test]
    fn a_slow_cell_is_red_and_names_the_peer() {
        let mut all = rows(64, 16, 40.0, [300.0, 100.0]);
        all.extend(rows(1024, 64, 160.0, [100.0, 120.0]));
        let mut page = Vec::new();
        write(&report(all), &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let red = "class=\"number heat far-behind\" title=\"ours 160 cycles, openssl (evp) 100 \
                   cycles\">1.60";
        assert!(page.contains(red), "{page}");
        assert!(page.contains("class=\"number heat far-ahead\""));
        assert!(page.contains("burst 16") && page.contains("burst 64"));
        assert!(!page.contains("NaN"));
    }
}
