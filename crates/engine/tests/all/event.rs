//! Event descriptors in a real epoll; elsewhere than on Linux, that they are refused.

#[test]
#[cfg(not(target_os = "linux"))]
fn events_are_refused_and_not_ignored() {
    use broadloom_engine::{Job, QueueConfig, QueuePair, Workers, WorkersConfig};

    let mut pair = QueuePair::<Job<'_>>::new(QueueConfig::default());
    assert!(pair.event().is_err_and(|error| error.kind() == std::io::ErrorKind::Unsupported));
    let workers =
        Workers::<Job<'static>>::new(WorkersConfig::default()).expect("there are threads");
    assert!(workers.event().is_err_and(|error| error.kind() == std::io::ErrorKind::Unsupported));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::common::{Toy, hash, is_summed, job};
    use broadloom_engine::{Event, QueueConfig, QueuePair, Workers, WorkersConfig};
    use rustix::event::{Timespec, epoll};

    /// Longer than any test takes: a wait that ends by it has failed.
    const LONG: Duration = Duration::from_secs(60);

    /// Whether epoll reports the descriptor without waiting.
    struct Epoll(std::os::fd::OwnedFd);

    impl Epoll {
        fn of(event: &Event, flags: epoll::EventFlags) -> Epoll {
            let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("an epoll");
            epoll::add(&epoll, event, epoll::EventData::new_u64(1), flags).expect("it is added");
            Epoll(epoll)
        }

        fn wait(&self, timeout: Option<Duration>) -> bool {
            let timeout = timeout.map(|timeout| Timespec::try_from(timeout).expect("it is short"));
            let mut events = Vec::with_capacity(4);
            let buffer = rustix::buffer::spare_capacity(&mut events);
            epoll::wait(&self.0, buffer, timeout.as_ref()).expect("it waits") > 0
        }

        fn is_ready(&self) -> bool {
            self.wait(Some(Duration::ZERO))
        }
    }

    #[test]
    fn a_queue_pair_s_event_is_readable_exactly_while_complete_jobs_wait() {
        let session = hash(&Arc::default());
        let mut pair = QueuePair::new(QueueConfig { max_wait: None, ..Default::default() });
        let mut jobs: Vec<_> = (0..5).map(|number| job(&session, number)).collect();
        pair.enqueue(&mut jobs);
        let event = pair.event().expect("Linux has it");
        let epoll = Epoll::of(&event, epoll::EventFlags::IN);
        assert!(!epoll.is_ready(), "five jobs wait for others");
        pair.flush();
        assert!(epoll.is_ready() && epoll.is_ready(), "until they are taken");
        pair.dequeue(&mut jobs, 3);
        assert!(epoll.is_ready(), "two are left");
        pair.dequeue(&mut jobs, 2);
        assert!(!epoll.is_ready());
        // Enough for a batch: complete without a flush.
        jobs.extend((0..3).map(|number| job(&session, number)));
        pair.enqueue(&mut jobs);
        assert!(epoll.is_ready());
    }

    #[test]
    fn an_event_asked_for_late_knows_what_is_complete() {
        let session = hash(&Arc::default());
        let mut pair = QueuePair::new(QueueConfig::default());
        pair.enqueue(&mut (0..8).map(|number| job(&session, number)).collect());
        let event = pair.event().expect("Linux has it");
        assert!(Epoll::of(&event, epoll::EventFlags::IN).is_ready());
        let again = pair.event().expect("Linux has it");
        pair.dequeue(&mut Vec::new(), usize::MAX);
        for event in [event, again] {
            assert!(!Epoll::of(&event, epoll::EventFlags::IN).is_ready());
        }
    }

    #[test]
    fn workers_event_is_readable_exactly_while_jobs_can_be_polled() {
        let toy = Arc::new(Toy::default());
        let session = hash(&toy);
        let config = WorkersConfig { threads: 1, ..Default::default() };
        let workers = Workers::new(config).expect("there are threads");
        let epoll = Epoll::of(&workers.event().expect("Linux has it"), epoll::EventFlags::IN);
        assert!(!epoll.is_ready());
        toy.gate.shut();
        workers.submit(&mut (0..20).map(|number| job(&session, number)).collect());
        assert!(!epoll.is_ready(), "the gate is shut");
        toy.gate.open();
        let mut complete = Vec::new();
        while complete.len() < 20 {
            assert!(epoll.wait(Some(LONG)));
            workers.poll(&mut complete, 1);
        }
        assert!(!epoll.is_ready(), "the last was taken");
        assert!(complete.iter().all(|job| is_summed(job)));
    }

    /// Jobs complete while others are taken: whoever takes all and then sleeps on the edge misses
    /// none.
    #[test]
    fn no_edge_is_missed_while_draining() {
        let session = hash(&Arc::default());
        let config = WorkersConfig { threads: 2, capacity: 8, ..Default::default() };
        let workers = Workers::new(config).expect("there are threads");
        let event = workers.event().expect("Linux has it");
        let epoll = Epoll::of(&event, epoll::EventFlags::IN | epoll::EventFlags::ET);
        let mut left: Vec<_> = (0..20_000).map(|number| job(&session, number % 200)).collect();
        let mut complete = Vec::new();
        workers.submit(&mut left);
        while complete.len() < 20_000 {
            assert!(epoll.wait(Some(LONG)), "{} came, {} are left", complete.len(), left.len());
            while workers.poll(&mut complete, 3) > 0 {
                workers.submit(&mut left);
            }
        }
        assert_eq!((left.len(), workers.in_flight()), (0, 0));
    }
}
