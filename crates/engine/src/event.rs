//! A file descriptor that says whether complete jobs wait.

use std::io;

/// A file descriptor that is readable exactly while complete jobs wait to be taken: for `epoll`,
/// `poll` and `select`, and for the reactors that are built on them.
///
/// Wait for it to become readable, edge or level as you like, and take the jobs; there is nothing
/// to read from it, and it must not be written to. A clone is the same descriptor, which is closed
/// with the last of them.
///
/// Linux only. Elsewhere no value of this type exists, and a call that would make one returns
/// [`io::ErrorKind::Unsupported`].
#[derive(Debug, Clone)]
pub struct Event(system::Event);

/// The event of a holder of complete jobs, made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Level {
    event: Option<Event>,
    ready: bool,
}

impl Level {
    /// The event; `ready` says whether complete jobs wait now.
    pub(crate) fn event(&mut self, ready: bool) -> io::Result<Event> {
        let event = match &self.event {
            Some(event) => event.clone(),
            None => self.event.insert(Event(system::Event::new()?)).clone(),
        };
        self.set(|| ready);
        Ok(event)
    }

    /// Says whether complete jobs wait. Nothing is done, and nothing asked, where nobody has the
    /// event.
    #[inline]
    pub(crate) fn set(&mut self, ready: impl FnOnce() -> bool) {
        if let Some(event) = &self.event {
            let ready = ready();
            if ready != self.ready {
                self.ready = ready;
                event.0.set(ready);
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
    use std::sync::Arc;

    use rustix::event::{EventfdFlags, eventfd};

    #[derive(Debug, Clone)]
    pub(super) struct Event(Arc<OwnedFd>);

    impl Event {
        pub(super) fn new() -> io::Result<Event> {
            Ok(Event(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
        }

        /// The counter of the descriptor is 1 while it is to be readable, else 0. Neither call can
        /// fail but where someone else read or wrote, against the contract.
        pub(super) fn set(&self, ready: bool) {
            let _ = match ready {
                true => rustix::io::write(&self.0, &1u64.to_ne_bytes()),
                false => rustix::io::read(&self.0, &mut [0; 8]),
            };
        }
    }

    impl AsFd for super::Event {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.0.as_fd()
        }
    }

    impl AsRawFd for super::Event {
        fn as_raw_fd(&self) -> RawFd {
            self.0.0.as_raw_fd()
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    /// Boxed, so that the compiler does not take what follows [`Event::new`] for dead code.
    #[derive(Debug, Clone)]
    pub(super) struct Event(Box<Never>);

    #[derive(Debug, Clone)]
    enum Never {}

    impl Event {
        pub(super) fn new() -> io::Result<Event> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn set(&self, _ready: bool) {
            match *self.0 {}
        }
    }
}
