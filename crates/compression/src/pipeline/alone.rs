//! Chunks that need no provider: the thread that has one works on it.

use broadloom_ordered::Next;

use super::drive::Side;

/// A chunk that needs no provider.
pub(crate) trait OwnWork: Send {
    /// What a thread needs to work on chunks, and uses for one after another.
    type Tools: Default;

    /// Works on the chunk.
    fn work(&mut self, tools: &mut Self::Tools);
}

/// Takes chunks from the map, works on each, and gives it back, until there are none.
pub(crate) fn work_alone<J: OwnWork>(side: &mut impl Side<J>) {
    let mut tools = J::Tools::default();
    // No chunk is outstanding, so the map may wait, and does not put this thread off.
    while let Next::Item(turn, mut job) = side.next(true) {
        job.turn = turn;
        job.job.work(&mut tools);
        side.done(job);
    }
}
