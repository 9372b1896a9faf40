//! `broadloom-perf peers`.

use std::io::{self, Write};

use broadloom::Registry;
use broadloom_lanes::Cpu;
use broadloom_perf::measure::peers::version;
use broadloom_perf::names::Peer;
use broadloom_perf::registry::registry_on;
use broadloom_program::streams::StandardOutput;
use clap::Args;
use serde_json::{Value, json};

/// The providers that `broadloom info` does not know, because only measurements need them.
const PROVIDERS: [&str; 2] = ["ipsec-mb", "emulated"];

/// Tell which peers are here: the libraries that measurements compare with
///
/// Tells their versions, or why one is absent, and the same of the providers that only measurements
/// need.
#[derive(Args)]
pub struct PeersArgs {
    /// Tell it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints what is here.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &PeersArgs, cpu: &Cpu) -> io::Result<()> {
    let registry = registry_on(cpu);
    let peers = Peer::ALL
        .map(|peer| (peer.name().to_owned(), version(peer).map_err(|absent| absent.reason)));
    let providers = PROVIDERS.map(|name| (name.to_owned(), description(&registry, name)));
    let text = if args.json {
        let said = json!({
            "schema": "broadloom-peers/1",
            "peers": as_json(&peers, "version"),
            "providers": as_json(&providers, "description"),
        });
        format!("{said:#}\n")
    } else {
        let line = |kind: &str, (name, found): &(String, Result<String, String>)| match found {
            Ok(text) => format!("{kind} {name}: {text}\n"),
            Err(reason) => format!("{kind} {name} is absent: {reason}\n"),
        };
        let peers = peers.iter().map(|peer| line("peer", peer));
        peers.chain(providers.iter().map(|provider| line("provider", provider))).collect()
    };
    StandardOutput.write_all(text.as_bytes())
}

/// Returns what a provider says it is, or why it is absent.
fn description(registry: &Registry, name: &str) -> Result<String, String> {
    match registry.provider(name) {
        Ok(provider) => Ok(provider.description()),
        Err(absent) => Err(absent.to_string()),
    }
}

/// Returns a list of objects that have a name, and either a text under `key` or the reason under
/// `absent`.
fn as_json(all: &[(String, Result<String, String>)], key: &str) -> Vec<Value> {
    let object = |(name, found): &(String, Result<String, String>)| match found {
        Ok(text) => json!({ "name": name, key: text }),
        Err(reason) => json!({ "name": name, "absent": reason }),
    };
    all.iter().map(object).collect()
}
