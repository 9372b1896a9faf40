//! A table that can be printed and put on a page.

use std::fmt;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use maud::{Markup, html};

/// Lines of cells under a header.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    header: Vec<String>,
    left: usize,
    rows: Vec<Vec<Cell>>,
}

/// A cell's text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// `true` if it tells of something that got worse.
    pub worse: bool,
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, worse: false }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_owned().into()
    }
}

impl Grid {
    /// A table without lines, whose columns after the `left` first ones are aligned to the right.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>, left: usize) -> Grid {
        Grid { header: header.into_iter().map(Into::into).collect(), left, rows: Vec::new() }
    }

    /// Adds a line.
    ///
    /// # Panics
    /// It has not as many cells as the header.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) {
        let cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.header.len(), "a cell for each column");
        self.rows.push(cells);
    }

    /// Returns `true` if it has no lines.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table for a page, under its caption, in a box of its own that scrolls where it is too
    /// wide.
    pub fn html(&self, caption: &str) -> Markup {
        let class = |column: usize| if column < self.left { "text" } else { "number" };
        html! {
            figure class="table" {
                figcaption { (caption) }
                div class="scroll" role="region" tabindex="0" aria-label=(caption) {
                    table {
                        thead { tr {
                            @for (column, title) in self.header.iter().enumerate() {
                                th scope="col" class=(class(column)) { (title) }
                            }
                        } }
                        tbody {
                            @for row in &self.rows { tr {
                                @for (column, cell) in row.iter().enumerate() {
                                    @if column == 0 {
                                        th scope="row" class=(class(column)) { (cell.text) }
                                    } @else {
                                        td class=(class(column)) { (cell.html()) }
                                    }
                                }
                            } }
                        }
                    }
                }
            }
        }
    }
}

impl Cell {
    fn html(&self) -> Markup {
        html! {
            @if self.worse { span class="worse" { (self.text) } } @else { (self.text) }
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN).set_header(&self.header);
        for index in self.left..self.header.len() {
            if let Some(column) = table.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| &cell.text));
        }
        table.fmt(f)
    }
}

#[cfg(test)]
impl Grid {
    /// The texts of a line.
    pub fn line(&self, index: usize) -> Vec<&str> {
        self.rows[index].iter().map(|cell| cell.text.as_str()).collect()
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(["name", "value"], 1);
        grid.push(["<b> & \"c\"", "7"]);
        grid.push([Cell::from("d"), Cell { text: "12".to_owned(), worse: true }]);
        grid
    }

    #[test]
    fn text_is_aligned() {
        let text = grid().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2], "| <b> & \"c\" |     7 |");
        assert_eq!(lines[3], "| d         |    12 |");
    }

    #[test]
    fn a_page_gets_text_and_no_markup_from_a_cell() {
        let page = grid().html("a <title>").into_string();
        assert!(page.contains("&lt;b&gt; &amp;") && !page.contains("<b>"), "{page}");
        assert!(page.contains("<figcaption>a &lt;title&gt;</figcaption>"), "{page}");
        assert!(page.contains(r#"<span class="worse">12</span>"#), "{page}");
        roxmltree::Document::parse(&page).unwrap();
    }
}
