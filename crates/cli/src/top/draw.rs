//! The view on the terminal.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{
    Block, Cell, Clear, Paragraph, RenderDirection, Row, Sparkline, Table, TableState, Wrap,
};

use broadloom_metrics::Histogram;
use broadloom_metrics::breakdown::Dimension;
use broadloom_program::quote::visible;

use super::figures::{bytes, clock, number, percent, seconds, waiting};
use super::state::{Moment, TopView};
use super::table::{Column, Line as TableLine};

/// The least size of a terminal that the view fits.
const LEAST: (u16, u16) = (60, 16);

/// What keys do, on the last line.
const KEYS: &str = "Enter drill  Bksp back  Tab key  s sort  r reverse  p pause  ? help  q quit";

/// Lines at the end that say why the program gives no figures.
const TROUBLE: u16 = 2;

/// What keys do, in full.
const HELP: [(&str, &str); 10] = [
    ("Up Down PgUp PgDn", "choose a row"),
    ("Enter, Right", "break the row down by the next key"),
    ("Backspace, Left", "go back to the row before"),
    ("Tab, Shift-Tab", "break down by the next or the previous key"),
    ("1 to 8", "break down by the key of that number"),
    ("s", "sort by the next column"),
    ("r", "reverse the order"),
    ("p, Space", "pause, and go on"),
    ("?", "show or hide this help"),
    ("q, Esc, Ctrl-C", "end"),
];

/// How parts of the view look.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    title: Style,
    label: Style,
    line: Style,
    header: Style,
    alert: Style,
}

impl Theme {
    /// Returns the looks with colours, or without them.
    pub fn new(colours: bool) -> Self {
        let plain = Style::new();
        let colour = |colour| if colours { plain.fg(colour) } else { plain };
        Theme {
            title: plain.add_modifier(Modifier::BOLD),
            label: colour(Color::Cyan),
            line: colour(Color::Green),
            header: colour(Color::Cyan).add_modifier(Modifier::BOLD),
            alert: colour(Color::Red).add_modifier(Modifier::BOLD),
        }
    }
}

/// Draws the view.
pub fn draw(frame: &mut Frame, state: &TopView, theme: Theme) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let (width, height) = LEAST;
        let text = format!("the terminal is smaller than {width} x {height}");
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let last = if state.trouble.is_some() { TROUBLE } else { 1 };
    let [title, gauges, crumbs, table, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(GAUGES),
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(last),
    ])
    .areas(area);
    draw_title(frame, title, state, theme);
    draw_gauges(frame, gauges, state, theme);
    draw_crumbs(frame, crumbs, state, theme);
    draw_table(frame, table, state, theme);
    match &state.trouble {
        Some(trouble) => {
            let told = Paragraph::new(visible(trouble).into_owned()).style(theme.alert);
            frame.render_widget(told.wrap(Wrap { trim: true }), keys);
        }
        None => frame.render_widget(Line::styled(KEYS, theme.label), keys),
    }
    if state.help {
        draw_help(frame, area, theme);
    }
}

fn draw_title(frame: &mut Frame, area: Rect, state: &TopView, theme: Theme) {
    let mut spans = vec![Span::styled("broadloom top  ", theme.title)];
    match state.program() {
        Some(snapshot) => {
            let (name, pid) = (visible(&snapshot.program), snapshot.pid);
            let up = clock(snapshot.uptime);
            spans.push(Span::raw(format!("{name}, process {pid}, up {up}")));
        }
        None => spans.push(Span::raw("waiting for the program")),
    }
    if state.paused {
        spans.push(Span::styled("  PAUSED", theme.alert));
    }
    if state.trouble.is_some() {
        spans.push(Span::styled("  INTERRUPTED", theme.alert));
    }
    frame.render_widget(Line::from(spans), area);
}

/// Lines of [`draw_gauges`].
const GAUGES: u16 = 8;

/// Draws the sums, each with its past.
fn draw_gauges(frame: &mut Frame, area: Rect, state: &TopView, theme: Theme) {
    let now = state.present();
    let rate = |number: u64| state.change().per_second(number);
    let per = |of: fn(&Moment) -> u64| {
        state.past(move |moment| of(moment) as f64 / moment.seconds.max(1e-9))
    };
    let percentile = |of: fn(&Moment) -> &Histogram| {
        state.past(move |moment| of(moment).percentile(0.99).unwrap_or(0.0))
    };
    let occupancy = now.flow.occupancy().map_or("-".to_owned(), percent);
    let waiting = waiting(&now.flow);
    let errors = format!(
        "{}  fallbacks {}",
        number(rate(now.work.errors)),
        number(rate(now.work.fallbacks))
    );
    let gauges: [(&str, String, Vec<f64>); GAUGES as usize] = [
        ("operations/s", number(rate(now.work.operations)), per(|moment| moment.work.operations)),
        ("bytes/s", bytes(rate(now.work.bytes)), per(|moment| moment.work.bytes)),
        ("errors/s", errors, per(|moment| moment.work.errors)),
        ("lanes in use", occupancy, state.past(|moment| moment.flow.occupancy().unwrap_or(0.0))),
        ("jobs waiting", waiting, state.past(|moment| moment.flow.waiting as f64)),
        (
            "wait p50 p99",
            percentiles(&now.flow.wait_seconds, seconds),
            percentile(|moment| &moment.flow.wait_seconds),
        ),
        (
            "work p50 p99",
            percentiles(&now.flow.work_seconds, seconds),
            percentile(|moment| &moment.flow.work_seconds),
        ),
        (
            "batch p50 p99",
            percentiles(&now.flow.batch_size, number),
            percentile(|moment| &moment.flow.batch_size),
        ),
    ];
    let rows = Layout::vertical([Constraint::Length(1); GAUGES as usize]).split(area);
    for ((label, figure, past), row) in gauges.into_iter().zip(rows.iter()) {
        let [at_label, at_figure, at_line] = Layout::horizontal([
            Constraint::Length(14),
            Constraint::Length(24),
            Constraint::Min(10),
        ])
        .areas(*row);
        frame.render_widget(Line::styled(label, theme.label), at_label);
        frame.render_widget(Line::raw(figure), at_figure);
        draw_past(frame, at_line, &past, theme);
    }
}

/// Draws a sparkline, with the present at the right.
fn draw_past(frame: &mut Frame, area: Rect, past: &[f64], theme: Theme) {
    const FULL: f64 = 1000.0;
    let shown = &past[past.len().saturating_sub(usize::from(area.width))..];
    let most = shown.iter().copied().fold(0.0, f64::max);
    let height = |&value: &f64| if most > 0.0 { (value / most * FULL).ceil() as u64 } else { 0 };
    let heights: Vec<u64> = shown.iter().rev().map(height).collect();
    let sparkline = Sparkline::default()
        .data(&heights)
        .max(FULL as u64)
        .direction(RenderDirection::RightToLeft)
        .style(theme.line);
    frame.render_widget(sparkline, area);
}

fn percentiles(histogram: &Histogram, text: fn(f64) -> String) -> String {
    let at = |share| histogram.percentile(share).map_or("-".to_owned(), text);
    format!("{}  {}", at(0.5), at(0.99))
}

fn draw_crumbs(frame: &mut Frame, area: Rect, state: &TopView, theme: Theme) {
    let mut text = "all".to_owned();
    for filter in &state.filters {
        text += &format!(" > {}", visible(&filter.to_string()));
    }
    let spans =
        vec![Span::styled(format!("by {}  ", state.dimension), theme.title), Span::raw(text)];
    frame.render_widget(Line::from(spans), area);
}

fn draw_table(frame: &mut Frame, area: Rect, state: &TopView, theme: Theme) {
    let columns = Column::of(state.dimension);
    let mark = |column: Option<Column>, title: &str| match state.sort.column == column {
        true if state.sort.ascending => format!("{title}^"),
        true => format!("{title}v"),
        false => title.to_owned(),
    };
    let titles = columns
        .iter()
        .map(|&column| Cell::new(Line::raw(mark(Some(column), column.title())).right_aligned()));
    let first = Cell::new(mark(None, state.dimension.name()));
    let header = Row::new([first].into_iter().chain(titles)).style(theme.header);
    let lines = state.lines();
    let rows = lines.iter().map(|line| row(line, columns));
    let widths = [Constraint::Min(12)]
        .into_iter()
        .chain(columns.iter().map(|column| Constraint::Length(width(*column))));
    let table = Table::new(rows, widths)
        .header(header)
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let selected = (!lines.is_empty()).then_some(state.selected);
    let mut table_state = TableState::default().with_selected(selected);
    frame.render_stateful_widget(table, area, &mut table_state);
}

fn row<'a>(line: &TableLine, columns: &[Column]) -> Row<'a> {
    let cells = columns
        .iter()
        .zip(&line.figures)
        .map(|(column, &figure)| Cell::new(Line::raw(column.text(figure)).right_aligned()));
    let first = Cell::new(visible(&line.value).into_owned());
    Row::new([first].into_iter().chain(cells))
}

/// The width of a column: the longest figure or title, and the mark of the order.
fn width(column: Column) -> u16 {
    match column {
        Column::Fallbacks => 11,
        Column::Errors | Column::Wait | Column::Work => 9,
        Column::Waiting | Column::Bytes => 8,
        _ => 7,
    }
}

fn draw_help(frame: &mut Frame, area: Rect, theme: Theme) {
    let mut lines: Vec<Line> = HELP
        .into_iter()
        .map(|(keys, text)| {
            Line::from(vec![Span::styled(format!("{keys:<18}"), theme.label), Span::raw(text)])
        })
        .collect();
    let names = Dimension::ALL.iter().enumerate();
    let names: Vec<_> = names.map(|(at, name)| format!("{} {name}", at + 1)).collect();
    // Half of the keys fit on a line of the smallest terminal.
    lines.extend(names.chunks(4).map(|names| Line::raw(names.join("  "))));
    let [_, middle, _] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(lines.len() as u16 + 2),
        Constraint::Fill(1),
    ])
    .areas(area);
    let inside = Rect { x: area.x + 1, width: area.width - 2, ..middle };
    let block = Block::bordered().title("keys");
    frame.render_widget(Clear, inside);
    frame.render_widget(Paragraph::new(lines).block(block).wrap(Wrap { trim: false }), inside);
}
