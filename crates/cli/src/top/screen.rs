//! The terminal: readings come in, keys are obeyed, and the view is drawn.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use broadloom_metrics::Snapshot;
use broadloom_metrics::breakdown::Dimension;
use broadloom_program::signals;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::draw::{Theme, draw};
use super::source::SnapshotSource;
use super::state::{Action, TopView};

/// The longest time after which a new reading is drawn.
const TURN: Duration = Duration::from_millis(100);

/// Checks that there is a terminal that can show the view.
///
/// # Errors
/// What is missing.
pub fn check_terminal() -> Result<(), String> {
    let instead = "--once prints the figures of one interval";
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(format!("standard input or output is no terminal; {instead}"));
    }
    match env::var("TERM") {
        Ok(term) if term != "dumb" && !term.is_empty() => Ok(()),
        Ok(term) => Err(format!("the terminal cannot move its cursor (TERM={term}); {instead}")),
        Err(_) => Err(format!("TERM does not name a terminal; {instead}")),
    }
}

/// Shows the view until the user ends it.
///
/// # Errors
/// If the terminal cannot be read or written, or if the system gives no thread.
pub fn show(source: SnapshotSource, interval: Duration, mut state: TopView) -> io::Result<()> {
    let colours = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = Theme::new(colours);
    let readings = read_regularly(source, interval)?;
    let mut terminal = ratatui::try_init()?;
    let shown = signals::watch_and(ratatui::restore).and_then(|()| {
        loop {
            readings.try_iter().for_each(|reading| state.read(reading));
            terminal.draw(|frame| draw(frame, &state, theme))?;
            if event::poll(TURN)? && !obey(&event::read()?, &mut state) {
                return Ok(());
            }
        }
    });
    ratatui::restore();
    shown
}

/// Reads snapshots in a thread of their own, so that a program that does not answer does not keep
/// the view from obeying keys. The thread ends after the view.
fn read_regularly(
    source: SnapshotSource,
    interval: Duration,
) -> io::Result<Receiver<Result<Snapshot, String>>> {
    // A view that does not keep up makes the reader wait.
    let (sender, readings) = mpsc::sync_channel(1);
    let read = move || {
        loop {
            let began = Instant::now();
            if sender.send(source.read()).is_err() {
                return;
            }
            thread::sleep(interval.saturating_sub(began.elapsed()));
        }
    };
    thread::Builder::new().name("readings".to_owned()).spawn(read)?;
    Ok(readings)
}

/// Does what an event asks for. Returns `true` unless it asks to end.
fn obey(event: &Event, state: &mut TopView) -> bool {
    let Event::Key(key) = event else { return true };
    if key.kind == KeyEventKind::Release {
        return true;
    }
    if asks_to_end(key) {
        return false;
    }
    if let Some(action) = action(key.code) {
        state.act(action);
    }
    true
}

fn asks_to_end(key: &KeyEvent) -> bool {
    let interrupt = key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
    interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
}

/// Returns what a key asks for.
fn action(key: KeyCode) -> Option<Action> {
    Some(match key {
        KeyCode::Up | KeyCode::Char('k') => Action::Up,
        KeyCode::Down | KeyCode::Char('j') => Action::Down,
        KeyCode::PageUp => Action::PageUp,
        KeyCode::PageDown => Action::PageDown,
        KeyCode::Home => Action::First,
        KeyCode::End => Action::Last,
        KeyCode::Enter | KeyCode::Right => Action::Drill,
        KeyCode::Backspace | KeyCode::Left => Action::Back,
        KeyCode::Tab => Action::NextDimension,
        KeyCode::BackTab => Action::PreviousDimension,
        KeyCode::Char(digit @ '1'..='8') => {
            Action::Dimension(Dimension::ALL[digit as usize - '1' as usize])
        }
        KeyCode::Char('s') => Action::Sort,
        KeyCode::Char('r') => Action::Reverse,
        KeyCode::Char('p' | ' ') => Action::Pause,
        KeyCode::Char('?') | KeyCode::F(1) => Action::Help,
        _ => return None,
    })
}
