//! A thread of the driver that polls the response ring at its own pace, and passes responses on.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::arrivals::Arrivals;
use crate::interrupt::wake_on_time;
use crate::ring::Descriptor;

/// The driver's side: what was passed on. When it is dropped the thread ends.
#[derive(Debug)]
pub(crate) struct Poller {
    mail: Arc<Mail>,
    thread: Option<JoinHandle<()>>,
    taken: VecDeque<Descriptor>,
}

#[derive(Debug, Default)]
struct Mail {
    contents: Mutex<Contents>,
    /// For the driver: something came.
    came: Condvar,
    /// For the thread: something is outstanding, or all is over.
    wanted: Condvar,
}

#[derive(Debug, Default)]
struct Contents {
    arrived: VecDeque<Descriptor>,
    /// Something is outstanding: only then is the ring polled.
    outstanding: bool,
    closed: bool,
}

impl Poller {
    /// Starts the thread, which polls with so much time between.
    pub(crate) fn start(arrivals: Arrivals, interval: Duration) -> std::io::Result<Poller> {
        let mail = Arc::new(Mail::default());
        let own = Arc::clone(&mail);
        let thread = std::thread::Builder::new().name("emulated-poller".to_owned());
        let thread = thread.spawn(move || poll(arrivals, &own, interval))?;
        Ok(Poller { mail, thread: Some(thread), taken: VecDeque::new() })
    }

    /// Says whether anything is outstanding.
    pub(crate) fn set_outstanding(&self, outstanding: bool) {
        let mut contents = self.mail.lock();
        if contents.outstanding != outstanding {
            contents.outstanding = outstanding;
            drop(contents);
            if outstanding {
                self.mail.wanted.notify_one();
            }
        }
    }

    /// The next response that was passed on.
    pub(crate) fn next(&mut self) -> Option<Descriptor> {
        self.has_next().then(|| self.taken.pop_front()).flatten()
    }

    /// Returns `true` if there is a next response.
    pub(crate) fn has_next(&mut self) -> bool {
        if self.taken.is_empty() {
            std::mem::swap(&mut self.mail.lock().arrived, &mut self.taken);
        }
        !self.taken.is_empty()
    }

    /// Waits until a response is passed on, or for so long.
    pub(crate) fn wait(&self, timeout: Duration) {
        let contents = self.mail.lock();
        let nothing = |contents: &mut Contents| contents.arrived.is_empty();
        // Whether it timed out, or something came, the caller looks for itself.
        drop(self.mail.came.wait_timeout_while(contents, timeout, nothing));
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.mail.lock().closed = true;
        self.mail.wanted.notify_one();
        if let Some(thread) = self.thread.take() {
            // It calls nothing that panics.
            let _ = thread.join();
        }
    }
}

impl Mail {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The loop of the thread.
fn poll(mut arrivals: Arrivals, mail: &Mail, interval: Duration) {
    wake_on_time();
    let mut found = Vec::new();
    loop {
        found.extend(std::iter::from_fn(|| arrivals.next()));
        let mut contents = mail.lock();
        if !found.is_empty() {
            contents.arrived.extend(found.drain(..));
            mail.came.notify_one();
        }
        while !contents.outstanding && !contents.closed {
            contents = mail.wanted.wait(contents).unwrap_or_else(PoisonError::into_inner);
        }
        let going_on = |contents: &mut Contents| !contents.closed;
        let waited = mail.wanted.wait_timeout_while(contents, interval, going_on);
        if waited.unwrap_or_else(PoisonError::into_inner).0.closed {
            return;
        }
    }
}
