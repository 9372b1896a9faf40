//! Names of kernels, which sessions share.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

/// How often the lock is asked for before a name is not shared.
const ATTEMPTS: usize = 1000;

/// All names so far: there are no more of them than kernels.
static NAMES: Mutex<BTreeSet<Arc<str>>> = Mutex::new(BTreeSet::new());

/// Returns a name that all who ask for it have in common: with a million sessions, its bytes would
/// be more than some keys.
pub(crate) fn shared(name: String) -> Arc<str> {
    for _ in 0..ATTEMPTS {
        // Not waited for without end: in the child of a fork, it may be that nobody unlocks it.
        let Ok(mut names) = NAMES.try_lock() else {
            thread::yield_now();
            continue;
        };
        if let Some(known) = names.get(name.as_str()) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        names.insert(Arc::clone(&name));
        return name;
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shared() {
        let [one, same] = ["avx512 x16", "avx512 x16"].map(|name| shared(name.to_owned()));
        assert!(Arc::ptr_eq(&one, &same));
        assert_eq!(&*shared("avx2 x8".to_owned()), "avx2 x8");
    }
}
