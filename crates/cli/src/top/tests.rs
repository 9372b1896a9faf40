//! The view, drawn for terminals that exist only in memory, from snapshots of a program that does
//! not exist.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use broadloom_metrics::Snapshot;
use broadloom_metrics::breakdown::{Dimension, Filter};

use super::draw::{Theme, draw};
use super::state::{Action, HISTORY, TopView};

#[path = "../../../metrics/tests/support/sample.rs"]
mod sample;

/// A view that has read the snapshots of these seconds.
fn view(seconds: std::ops::RangeInclusive<u32>) -> TopView {
    let mut state = TopView::new(Dimension::Algorithm, Vec::new());
    seconds.for_each(|second| state.read(Ok(sample::at(f64::from(second)))));
    state
}

fn drawn(state: &TopView, width: u16, height: u16, colours: bool) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, Theme::new(colours))).unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of a view on a terminal of 80 x 24.
fn lines(state: &TopView) -> Vec<String> {
    text(&drawn(state, 80, 24, false))
}

fn text(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    let lines = buffer.content.chunks(width);
    lines.map(|cells| cells.iter().map(|cell| cell.symbol()).collect::<String>()).collect()
}

/// The values of the rows, in order.
fn values(state: &TopView) -> Vec<String> {
    state.lines().into_iter().map(|line| line.value).collect()
}

#[test]
fn all_is_there_on_80_columns_and_24_lines_without_colours() {
    let state = view(10..=40);
    let lines = lines(&state);
    assert!(lines[0].starts_with("broadloom top  gateway, process 4321, up 0:00:40"), "{lines:#?}");
    for (at, label) in [
        "operations/s",
        "bytes/s",
        "errors/s",
        "lanes in use",
        "jobs waiting",
        "wait p50 p99",
        "work p50 p99",
        "batch p50 p99",
    ]
    .into_iter()
    .enumerate()
    {
        let line = &lines[at + 1];
        assert!(line.starts_with(label), "{line}");
        let has_past = line.chars().any(|c| "▁▂▃▄▅▆▇█".contains(c));
        assert!(has_past || label == "errors/s", "{line}");
    }
    assert!(lines[9].starts_with("by algorithm  all"), "{}", lines[9]);
    for title in ["algorithm", "ops/sv", "bytes/s", "share", "errors/s", "fallback/s"] {
        assert!(lines[10].contains(title), "{title}: {}", lines[10]);
    }
    for algorithm in ["aes-128-gcm", "chacha20-poly1305", "ecdsa-p256", "deflate", "sha256"] {
        assert!(lines[11..].iter().any(|line| line.starts_with(algorithm)), "{algorithm}");
    }
    assert!(lines[23].contains("p pause") && lines[23].contains("q quit"), "{}", lines[23]);
    let buffer = drawn(&state, 80, 24, false);
    let is_plain =
        |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(buffer.content.iter().all(is_plain), "there are no colours");
    let buffer = drawn(&state, 80, 24, true);
    assert!(!buffer.content.iter().all(is_plain), "there are colours");
}

#[test]
fn figures_are_those_of_the_last_interval() {
    let state = view(10..=40);
    let (before, after) = (sample::work_at(39.0), sample::work_at(40.0));
    let work = state.present().work;
    assert_eq!(work.operations, after.operations - before.operations);
    assert_eq!(state.past(|moment| moment.work.bytes as f64).len(), 30);
    let first = state.past(|moment| moment.work.operations as f64)[0] as u64;
    let whole = sample::work_at(11.0).operations - sample::work_at(10.0).operations;
    assert_eq!(first, whole);
    // Until there are two readings, figures are those since the start.
    assert_eq!(view(10..=10).present().work, sample::work_at(10.0));
}

#[test]
fn drilling_goes_down_and_back() {
    let mut state = view(10..=20);
    assert_eq!(values(&state)[0], "hmac-sha1");
    state.act(Action::Down);
    let second = values(&state)[1].clone();
    assert_eq!(second, "aes-128-gcm");
    state.act(Action::Drill);
    assert_eq!(state.dimension, Dimension::Direction);
    assert_eq!(state.filters, [Filter::new(Dimension::Algorithm, second.clone())]);
    assert_eq!(values(&state), ["encrypt", "decrypt"]);
    assert!(lines(&state)[9].contains("all > algorithm aes-128-gcm"), "{:#?}", lines(&state));
    let gcm = state.present().work;
    assert!(gcm.operations > 0 && gcm.operations < view(10..=20).present().work.operations);
    let past = state.past(|moment| moment.work.operations as f64);
    assert_eq!(past.last().copied(), Some(gcm.operations as f64), "so do sparklines");
    state.act(Action::Drill);
    assert_eq!((state.filters.len(), state.dimension), (2, Dimension::Provider));
    state.act(Action::Back);
    state.act(Action::Back);
    assert_eq!((state.dimension, state.selected), (Dimension::Algorithm, 1));
    state.act(Action::Back);
    assert!(state.filters.is_empty());
    // Filters of the command line stay.
    let fixed = vec![Filter::new(Dimension::Provider, "openssl")];
    let mut state = TopView::new(Dimension::Algorithm, fixed.clone());
    state.read(Ok(sample::at(10.0)));
    assert_eq!(values(&state), ["aes-256-gcm"]);
    state.act(Action::Back);
    assert_eq!(state.filters, fixed);
}

#[test]
fn every_dimension_has_rows_and_queues_have_figures_of_their_own() {
    let mut state = view(10..=20);
    for (at, dimension) in Dimension::ALL.into_iter().enumerate() {
        assert_eq!(state.dimension, dimension);
        assert!(!values(&state).is_empty(), "{dimension}");
        assert!(lines(&state)[10].starts_with(dimension.name()), "{at}");
        state.act(Action::NextDimension);
    }
    assert_eq!(state.dimension, Dimension::Algorithm);
    state.act(Action::PreviousDimension);
    assert_eq!(state.dimension, Dimension::Label);
    // A label is the application's, and may be anything.
    assert!(values(&state).contains(&"<b>&\"api\"".to_owned()));
    state.act(Action::Dimension(Dimension::Queue));
    let shown = lines(&state);
    for title in ["waiting", "lanes", "wait p99", "work p99"] {
        assert!(shown[10].contains(title), "{title}: {}", shown[10]);
    }
    assert!(shown.iter().any(|line| line.starts_with("worker-1") && line.contains("µs")));
}

#[test]
fn rows_are_sorted_by_each_column() {
    let mut state = view(10..=20);
    let by_operations = values(&state);
    state.act(Action::Sort);
    assert_eq!(values(&state)[0], "deflate", "bytes come next");
    state.act(Action::Reverse);
    assert_eq!(values(&state).last().unwrap(), "deflate");
    for _ in 0..3 {
        state.act(Action::Sort);
    }
    state.act(Action::Sort);
    let mut sorted = values(&state);
    sorted.sort();
    assert_eq!(values(&state), sorted, "the last column is followed by the value");
    state.act(Action::Sort);
    assert_eq!(values(&state), by_operations);
    assert!(lines(&state)[10].contains("ops/sv"));
}

#[test]
fn a_pause_keeps_what_is_shown() {
    let mut state = view(10..=20);
    let before = lines(&state);
    state.act(Action::Pause);
    assert!(lines(&state)[0].contains("PAUSED"));
    (21..30).for_each(|second| state.read(Ok(sample::at(f64::from(second)))));
    assert_eq!(lines(&state)[1..], before[1..]);
    state.act(Action::Pause);
    state.read(Ok(sample::at(30.0)));
    assert_ne!(lines(&state)[1..], before[1..]);
    let work = state.present().work.operations;
    let second = sample::work_at(30.0).operations - sample::work_at(29.0).operations;
    assert_eq!(work, second, "the pause is no interval");
}

#[test]
fn the_past_is_bounded_and_ends_with_its_program() {
    let mut state = view(1..=HISTORY as u32 + 50);
    assert_eq!(state.past(|moment| moment.seconds).len(), HISTORY);
    let long = format!("nobody listens at /run/{}.sock", "a".repeat(60));
    state.read(Err(long.clone()));
    let shown = lines(&state);
    assert!(shown[0].contains("INTERRUPTED"), "{}", shown[0]);
    // The whole sentence is there, on two lines.
    let last = shown[22..].concat().replace(' ', "");
    assert_eq!(last, long.replace(' ', ""));
    assert_eq!(state.past(|moment| moment.seconds).len(), HISTORY, "figures stay");
    let other = Snapshot { pid: 7, ..sample::at(2.0) };
    state.read(Ok(other));
    assert!(lines(&state)[22..].concat().contains("process 7 answers"), "{:?}", lines(&state));
    assert_eq!(state.past(|moment| moment.seconds).len(), 0);
    state.read(Ok(Snapshot { pid: 7, ..sample::at(3.0) }));
    assert!(lines(&state)[23].contains("q quit"), "keys are named again");
}

#[test]
fn sizes_of_terminals() {
    let mut state = view(10..=20);
    for (width, height) in [(60, 16), (80, 24), (200, 60)] {
        let lines = text(&drawn(&state, width, height, true));
        assert!(lines.iter().any(|line| line.starts_with("hmac-sha1")), "{width} x {height}");
        assert!(lines.last().unwrap().contains("Enter drill"), "{width} x {height}");
    }
    for (width, height) in [(1, 1), (59, 24), (80, 15)] {
        let lines = text(&drawn(&state, width, height, true));
        assert!(width == 1 || lines[0].contains("smaller than 60 x 16"), "{lines:?}");
    }
    state.act(Action::Help);
    let shown = lines(&state).join("\n");
    for part in ["Backspace", "Shift-Tab", "8 label", "Ctrl-C"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // A list longer than the screen follows the selection.
    state.act(Action::Help);
    state.act(Action::Last);
    let lines = text(&drawn(&state, 80, 16, true));
    assert!(lines.iter().any(|line| line.starts_with("sha256")), "{lines:#?}");
}

#[test]
fn nothing_of_a_program_obeys_the_terminal() {
    let mut snapshot = sample::at(10.0);
    snapshot.program = "evil\x1b]0;title\x07".to_owned();
    snapshot.series[5].key.algorithm = "\x1b[2Jname\n".to_owned();
    let mut state = TopView::new(Dimension::Algorithm, Vec::new());
    state.read(Ok(snapshot));
    let shown = lines(&state).join("");
    assert!(shown.contains("\\x1b[2Jname\\n") && shown.contains("evil\\x1b"), "{shown}");
    assert!(!shown.chars().any(char::is_control));
}
