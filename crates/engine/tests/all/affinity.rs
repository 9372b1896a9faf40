//! Threads run where they are placed.

use broadloom_engine::{AffinityError, Placement, allowed_cores, pin_to};

#[test]
#[cfg(target_os = "linux")]
fn a_pinned_thread_runs_on_its_core() {
    for core in allowed_cores().expect("Linux says it") {
        let pinned = std::thread::spawn(move || {
            pin_to(core).expect("it is allowed");
            (allowed_cores().expect("Linux says it"), rustix::thread::sched_getcpu())
        });
        assert_eq!(pinned.join().expect("it ran"), (vec![core], core));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn threads_get_cores_that_are_allowed_and_each_is_used_before_one_is_used_twice() {
    let allowed = allowed_cores().expect("Linux says it");
    for placement in [Placement::Packed, Placement::Spread, Placement::Cores(allowed.clone())] {
        let assigned = placement.assign(2 * allowed.len()).expect("there are cores");
        let (first, second) = assigned.split_at(allowed.len());
        assert_eq!(first, second);
        let mut first: Vec<usize> = first.iter().map(|core| core.expect("it is pinned")).collect();
        first.sort_unstable();
        assert_eq!(first, allowed);
    }
    let error = Placement::Cores(vec![usize::MAX]).assign(1).expect_err("no such core");
    assert!(matches!(error, AffinityError::NotAllowed { core: usize::MAX, .. }));
    assert!(matches!(pin_to(usize::MAX), Err(AffinityError::NotAllowed { core: usize::MAX, .. })));
}

#[test]
#[cfg(not(target_os = "linux"))]
fn pinning_is_refused_and_not_ignored() {
    assert!(matches!(pin_to(0), Err(AffinityError::Unsupported)));
    assert!(matches!(allowed_cores(), Err(AffinityError::Unsupported)));
    assert!(matches!(Placement::Spread.assign(1), Err(AffinityError::Unsupported)));
}
