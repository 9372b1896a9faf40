//! The limit of files and connections that this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open descriptors to `wanted`, or as far as the system allows, and returns
/// what it is then. A limit that is higher already stays as it is.
pub fn raise(wanted: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let (Some(current), maximum) = (limit.current, limit.maximum) else { return u64::MAX };
    if current >= wanted {
        return current;
    }
    let highest = maximum.unwrap_or(u64::MAX);
    // Only a privileged process may go above the maximum.
    let tries = [(wanted, highest.max(wanted)), (wanted.min(highest), highest)];
    let raised = tries.into_iter().find(|&(current, maximum)| {
        let maximum = (maximum != u64::MAX).then_some(maximum);
        setrlimit(Resource::Nofile, Rlimit { current: Some(current), maximum }).is_ok()
    });
    raised.map_or(current, |(current, _)| current)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let before = raise(0);
        assert!(before > 0);
        let more = raise(before.saturating_add(1));
        assert!(more >= before, "{more} after {before}");
        assert_eq!(raise(1), more);
    }
}
