//! Which functions of the kernel take the time: those of Linux that do what the source's four
//! functions do.

use std::collections::BTreeMap;

use crate::measure::sys::profile::Stack;

/// A part of the work, by the functions on a stack that it is known by.
pub(super) struct Part {
    /// The key of the part in a row.
    pub key: &'static str,
    /// The functions, of which one is enough.
    functions: &'static [&'static str],
}

/// The parts, in the order of the source's functions: the system call, TCP's output, the device,
/// TCP's input.
pub(super) const PARTS: [Part; 4] = [
    Part { key: "write", functions: &["ksys_write", "do_writev", "__sys_sendto", "__sys_sendmsg"] },
    Part { key: "tcp_output", functions: &["tcp_write_xmit", "__tcp_transmit_skb"] },
    Part { key: "device", functions: &["loopback_xmit"] },
    Part { key: "tcp_input", functions: &["tcp_v4_rcv"] },
];

/// The key of time outside of the kernel: of TLS in the program, most of it.
pub(super) const USER: &str = "user";

/// Where the kernel leaves what a thread asked for, and receives packets. On the loopback device it
/// does so in the middle of sending.
const BOUNDARIES: [&str; 3] = ["handle_softirqs", "__do_softirq", "do_softirq"];

/// Returns the shares of the parts, each with what it calls. What runs in a soft interrupt belongs
/// to no function that it has interrupted: on the loopback device the receiving half of the
/// connection would else count as output.
pub(super) fn shares(stacks: &[Stack]) -> BTreeMap<String, f64> {
    let share = |count: usize| count as f64 / stacks.len().max(1) as f64;
    let own = |stack: &Stack| {
        let boundary = stack.iter().position(|name| BOUNDARIES.contains(&name.as_str()));
        stack[..boundary.unwrap_or(stack.len())].to_vec()
    };
    let user = stacks.iter().filter(|stack| stack.is_empty()).count();
    let own: Vec<Stack> = stacks.iter().map(own).collect();
    let mut shares = BTreeMap::new();
    for part in &PARTS {
        let is_in = |stack: &&Stack| stack.iter().any(|name| part.functions.contains(&&**name));
        shares.insert(part.key.to_owned(), share(own.iter().filter(is_in).count()));
    }
    shares.insert(USER.to_owned(), share(user));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_what_it_calls_and_nothing_that_interrupts_it() {
        let stack = |names: &str| names.split_whitespace().map(str::to_owned).collect::<Stack>();
        let stacks = [
            stack(""),
            stack("copy_user tcp_sendmsg __sys_sendto do_syscall_64"),
            stack("ip_output __tcp_transmit_skb tcp_write_xmit tcp_sendmsg __sys_sendto"),
            stack("tcp_v4_rcv handle_softirqs do_softirq tcp_write_xmit __sys_sendto"),
            stack("handle_softirqs do_softirq tcp_write_xmit __sys_sendto"),
        ];
        let shares = shares(&stacks);
        let share = |key: &str| shares[key];
        assert_eq!(
            ["write", "tcp_output", "device", "tcp_input", "user"].map(share),
            [0.4, 0.2, 0.0, 0.2, 0.2]
        );
    }
}
