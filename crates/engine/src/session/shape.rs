//! What sessions that do the same have in common.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use super::rules::Rules;
use crate::algorithm::{Algorithm, Direction, Row};
use crate::metrics::Series;
use crate::patience::lock_soon;

/// The provider at which a session was opened, as far as a session knows it.
pub(crate) trait Home: Any + Send + Sync {
    /// The provider's name.
    fn name(&self) -> &str;

    /// A number that no other provider has at the same time.
    fn id(&self) -> usize;
}

/// What sessions have in common that do the same at the same provider: all but their keys. With
/// many sessions it stays in the nearest cache.
// What is asked for every job comes first.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Shape {
    /// Tells queues of different providers apart.
    pub provider_id: usize,
    pub class: u16,
    /// The number of the series.
    pub series_number: u16,
    pub rules: Rules,
    pub algorithm: Algorithm,
    pub direction: Direction,
    pub row: Arc<Row>,
    pub series: Arc<Series>,
    pub home: Arc<dyn Home>,
}

/// The shapes of sessions that are open, by series, by the length of tags, and by whether there may
/// be more to do once a provider is done.
type Shapes = BTreeMap<(u16, usize, bool), Weak<Shape>>;

static ALL: Mutex<Shapes> = Mutex::new(BTreeMap::new());

impl Shape {
    /// Returns a shape that is equal to this one, and which other sessions may have.
    pub fn shared(self) -> Arc<Shape> {
        let key = (self.series_number, self.rules.tag_len, self.rules.goes_on);
        // In the child of a fork, it may be that nobody ever unlocks it.
        let Some(mut all) = lock_soon(&ALL) else { return Arc::new(self) };
        let known = all.get(&key).and_then(Weak::upgrade);
        let shape = match &known {
            Some(known) if known.is_as(&self) => Arc::clone(known),
            _ => {
                let shape = Arc::new(self);
                all.insert(key, Arc::downgrade(&shape));
                shape
            }
        };
        // The last one of a provider may be dropped now, which is not done under the lock.
        drop(all);
        drop(known);
        shape
    }

    /// Returns `true` if sessions of this shape may have the other one.
    fn is_as(&self, other: &Shape) -> bool {
        let what =
            |shape: &Shape| (shape.provider_id, shape.class, shape.algorithm, shape.direction);
        what(self) == what(other)
            && self.rules == other.rules
            && Arc::ptr_eq(&self.series, &other.series)
    }
}
