//! Fibres of this provider's own, for the texts of a pipeline: the line gathers what they ask for,
//! as it gathers what asynchronous jobs ask for.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr::NonNull;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};

type Way = Yielder<(), ()>;

thread_local! {
    /// The way back to whoever runs the fibre that runs on this thread.
    static WAY: Cell<Option<NonNull<Way>>> = const { Cell::new(None) };
    /// Stacks that are free.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// Bytes of a fibre's stack, twice as many as libcrypto's have: a fibre may come from one of those.
const STACK: usize = 64 << 10;

/// Returns `true` if a fibre runs on this thread.
pub fn is_inside() -> bool {
    WAY.get().is_some()
}

/// Gives control back until the other fibres had their turn. Returns `false` if no fibre runs.
pub fn give_way() -> bool {
    let Some(way) = WAY.get() else { return false };
    // SAFETY: the fibre that runs lends its way for as long as its function runs, which called this
    // function.
    unsafe { way.as_ref() }.suspend(());
    WAY.set(Some(way));
    true
}

/// Calls a function for each number below a count, in fibres that give way to each other. Returns
/// `true` if all did.
///
/// # Panics
/// If the system has no memory for a stack.
pub fn side_by_side(count: usize, function: impl Fn(usize) -> bool) -> bool {
    let function = &function;
    let outside = WAY.get();
    let mut all = true;
    let fibre = |at| {
        let stack = STACKS.with_borrow_mut(Vec::pop);
        let stack = stack.unwrap_or_else(|| {
            DefaultStack::new(STACK).expect("the system has memory for a small stack")
        });
        let work = move |way: &Way, ()| {
            WAY.set(Some(NonNull::from(way)));
            function(at)
        };
        // SAFETY: what the fibre borrows outlives it: all fibres end before this function does.
        unsafe { Coroutine::with_stack_unchecked(stack, work) }
    };
    let mut fibres: VecDeque<_> = (0..count).map(fibre).collect();
    while let Some(mut fibre) = fibres.pop_front() {
        let turn = fibre.resume(());
        WAY.set(outside);
        match turn.as_return() {
            None => fibres.push_back(fibre),
            Some(is_done) => {
                all &= is_done;
                STACKS.with_borrow_mut(|stacks| stacks.push(fibre.into_stack()));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibres_give_way_to_each_other() {
        let turns = RefCell::new(Vec::new());
        let all = side_by_side(3, |at| {
            assert!(is_inside());
            turns.borrow_mut().push(at);
            // A fibre may run fibres itself.
            assert!(side_by_side(2, |_| give_way()));
            assert!(give_way());
            turns.borrow_mut().push(at);
            at != 1
        });
        assert!(!all, "one failed");
        assert!(!is_inside() && !give_way());
        assert_eq!(turns.into_inner(), [0, 1, 2, 0, 1, 2]);
        assert!(side_by_side(3, |_| true));
    }
}
