//! What the view shows, and how keys change it.

use std::collections::VecDeque;

use broadloom_metrics::Snapshot;
use broadloom_metrics::breakdown::{Dimension, Filter};
use broadloom_metrics::change::{Change, Flow, Work};

use super::table::{self, Column, Line, Sort};

/// The most intervals that sparklines look back.
pub const HISTORY: usize = 240;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Drill,
    Back,
    NextDimension,
    PreviousDimension,
    Dimension(Dimension),
    Sort,
    Reverse,
    Pause,
    Help,
}

/// Sums over everything in an interval that the filters let through.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    pub seconds: f64,
    pub work: Work,
    pub flow: Flow,
}

/// The state of the view.
pub struct TopView {
    /// The last snapshot that was read.
    latest: Option<Snapshot>,
    /// What is shown as the present: the change up to the last snapshot, or up to the pause.
    change: Change,
    /// Changes, the oldest first, each with what the filters leave of it.
    history: VecDeque<(Change, Moment)>,
    /// What went wrong when the program was asked last.
    pub trouble: Option<String>,
    pub dimension: Dimension,
    pub filters: Vec<Filter>,
    /// The filters that Backspace does not remove: those of the command line.
    fixed: usize,
    pub sort: Sort,
    pub selected: usize,
    pub paused: bool,
    pub help: bool,
}

impl TopView {
    /// Makes a view without figures.
    pub fn new(dimension: Dimension, filters: Vec<Filter>) -> Self {
        TopView {
            latest: None,
            change: Change::default(),
            history: VecDeque::new(),
            trouble: None,
            dimension,
            fixed: filters.len(),
            filters,
            sort: Sort::default(),
            selected: 0,
            paused: false,
            help: false,
        }
    }

    /// Takes the next reading. While the view is paused, figures are not kept.
    pub fn read(&mut self, reading: Result<Snapshot, String>) {
        let snapshot = match reading {
            Ok(snapshot) => snapshot,
            Err(trouble) => {
                self.trouble = Some(trouble);
                return;
            }
        };
        let before = self.latest.replace(snapshot);
        let after = self.latest.as_ref().expect("it was just put there");
        let between = before.map(|before| Change::between(&before, after));
        match between {
            None => {
                self.trouble = None;
                self.change = Change::since_start(after);
            }
            Some(Err(unrelated)) => {
                self.trouble = Some(unrelated.to_string());
                self.history.clear();
                self.change = Change::since_start(after);
            }
            Some(Ok(_)) if self.paused => self.trouble = None,
            Some(Ok(change)) => {
                self.trouble = None;
                let moment = moment(&change, &self.filters);
                let mut kept = change.clone();
                kept.retain_active();
                self.change = change;
                if self.history.len() == HISTORY {
                    self.history.pop_front();
                }
                self.history.push_back((kept, moment));
            }
        }
        self.keep_selection();
    }

    /// Does what a key asks for.
    pub fn act(&mut self, action: Action) {
        let last = self.lines().len().saturating_sub(1);
        match action {
            Action::Up => self.selected = self.selected.saturating_sub(1),
            Action::Down => self.selected = (self.selected + 1).min(last),
            Action::PageUp => self.selected = self.selected.saturating_sub(10),
            Action::PageDown => self.selected = (self.selected + 10).min(last),
            Action::First => self.selected = 0,
            Action::Last => self.selected = last,
            Action::Drill => self.drill(),
            Action::Back => self.back(),
            Action::NextDimension => self.turn(1),
            Action::PreviousDimension => self.turn(Dimension::ALL.len() - 1),
            Action::Dimension(dimension) => self.show(dimension),
            Action::Sort => self.sort.next(Column::of(self.dimension)),
            Action::Reverse => self.sort.ascending = !self.sort.ascending,
            Action::Pause => self.paused = !self.paused,
            Action::Help => self.help = !self.help,
        }
    }

    /// Returns the program that is shown, once it has answered.
    pub fn program(&self) -> Option<&Snapshot> {
        self.latest.as_ref()
    }

    /// Returns the figures of the present, those since the program's start until there are two
    /// readings.
    pub fn present(&self) -> Moment {
        moment(&self.change, &self.filters)
    }

    /// Returns a figure of each interval, the oldest first.
    pub fn past(&self, figure: impl Fn(&Moment) -> f64) -> Vec<f64> {
        self.history.iter().map(|(_, moment)| figure(moment)).collect()
    }

    /// Returns the lines of the table.
    pub fn lines(&self) -> Vec<Line> {
        table::lines(&self.change, self.dimension, &self.filters, self.sort)
    }

    /// Returns the change that is shown.
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Breaks the selected row down by the next dimension that no filter holds.
    fn drill(&mut self) {
        let lines = self.lines();
        let Some(line) = lines.get(self.selected) else { return };
        self.filters.push(Filter::new(self.dimension, line.value.clone()));
        self.refilter();
        let held = |dimension| self.filters.iter().any(|filter| filter.dimension == dimension);
        if let Some(next) = after(self.dimension).find(|&dimension| !held(dimension)) {
            self.dimension = next;
        }
        self.selected = 0;
    }

    /// Leaves the row that was broken down last, and selects it.
    fn back(&mut self) {
        if self.filters.len() == self.fixed {
            return;
        }
        let left = self.filters.pop().expect("there are more filters than fixed ones");
        self.refilter();
        self.dimension = left.dimension;
        let lines = self.lines();
        self.selected = lines.iter().position(|line| line.value == left.value).unwrap_or(0);
    }

    fn turn(&mut self, by: usize) {
        let all = Dimension::ALL;
        let at = all.iter().position(|&dimension| dimension == self.dimension);
        self.show(all[(at.unwrap_or(0) + by) % all.len()]);
    }

    fn show(&mut self, dimension: Dimension) {
        self.dimension = dimension;
        self.selected = 0;
        if !self.sort.column.is_none_or(|column| Column::of(dimension).contains(&column)) {
            self.sort = Sort::default();
        }
    }

    /// Computes anew what the filters leave of each interval.
    fn refilter(&mut self) {
        for (change, kept) in &mut self.history {
            *kept = moment(change, &self.filters);
        }
    }

    fn keep_selection(&mut self) {
        self.selected = self.selected.min(self.lines().len().saturating_sub(1));
    }
}

fn moment(change: &Change, filters: &[Filter]) -> Moment {
    Moment { seconds: change.seconds, work: change.work(filters), flow: change.flow(filters) }
}

/// Returns all dimensions from the one behind `dimension` on, round once.
fn after(dimension: Dimension) -> impl Iterator<Item = Dimension> {
    let all = Dimension::ALL;
    let at = all.iter().position(|&other| other == dimension).unwrap_or(0);
    all.into_iter().cycle().skip(at + 1).take(all.len() - 1)
}
