//! `broadloom info`: what the CPU has, which kernels it gets and why, and which providers are
//! there.

use std::io::{self, Write};

use broadloom::algorithm::Checksum;
use broadloom::compression::{choose_for_decompression, choose_for_levels};
use broadloom::lanes::{Cpu, KernelInfo, kernels};
use broadloom::provider::Provider;
use broadloom::{Algorithm, Compression, CompressionAlgorithm, Registry};
use broadloom_program::columns::{columns, wrapped};
use broadloom_program::streams::StandardOutput;
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

/// Tell what this machine can do
///
/// Tells which CPU features were seen and which can be used, the kernels chosen for each algorithm
/// and why, the standard of each algorithm, the providers with what each of them can do, why one is
/// absent, and which of them compresses at each level unless another is named. `broadloom-perf
/// peers` tells which libraries measurements can compare with.
#[derive(Args)]
#[command(after_help = "\
The text is as wide as the terminal, or as COLUMNS in the environment says, else 80 columns.
BROADLOOM_ISA=avx512|avx2|sse4|neon|portable asks for a lower instruction set.")]
pub struct InfoArgs {
    /// Tell it as JSON
    #[arg(long)]
    json: bool,
}

/// Tells it.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &InfoArgs, cpu: &Cpu) -> io::Result<()> {
    let kernels = kernels(cpu);
    let registry = broadloom::registry_on(cpu);
    let choices = choices(&registry);
    let text = if args.json {
        format!("{:#}\n", as_json(cpu, &kernels, &registry, &choices))
    } else {
        as_text(cpu, &kernels, &registry, &choices, columns(&io::stdout()))
    };
    StandardOutput.write_all(text.as_bytes())
}

/// The provider that compresses, or decompresses, unless another provider is named.
struct Chosen {
    algorithm: CompressionAlgorithm,
    /// Of a compression.
    level: Option<u8>,
    provider: String,
    reason: String,
}

/// The choices at every level.
fn choices(registry: &Registry) -> Vec<Chosen> {
    let mut all = Vec::new();
    for algorithm in CompressionAlgorithm::all() {
        let of_levels = choose_for_levels(registry, algorithm, Compression::default());
        let of_levels = of_levels.into_iter().map(|(level, choice)| (Some(level), choice));
        let back = choose_for_decompression(registry, algorithm, Checksum::None);
        let both = of_levels.chain(back.ok().map(|choice| (None, choice)));
        all.extend(both.map(|(level, choice)| Chosen {
            algorithm,
            level,
            provider: choice.session.provider().to_owned(),
            reason: choice.reason,
        }));
    }
    all
}

/// The names of what a provider can do, chains left out: it has those of its ciphers and its MACs.
fn algorithms(provider: &dyn Provider) -> Vec<String> {
    let able = Algorithm::all().filter(|algorithm| provider.supports(*algorithm));
    able.map(|algorithm| algorithm.to_string()).collect()
}

/// The standards, each with the names of its algorithms, in the order of the algorithms.
fn standards() -> Vec<(&'static str, Vec<String>)> {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for algorithm in Algorithm::all() {
        let standard = algorithm.standard();
        match all.iter_mut().find(|(known, _)| *known == standard) {
            Some((_, names)) => names.push(algorithm.to_string()),
            None => all.push((standard, vec![algorithm.to_string()])),
        }
    }
    all
}

fn as_text(
    cpu: &Cpu,
    kernels: &[KernelInfo],
    registry: &Registry,
    choices: &[Chosen],
    columns: u16,
) -> String {
    let features = table(
        columns,
        ["feature", "seen", "usable"],
        cpu.features()
            .iter()
            .map(|feature| [feature.feature.to_string(), yes(feature.seen), yes(feature.usable)]),
    );
    let chosen = table(
        columns,
        ["algorithm", "kernel", "lanes", "few buffers", "up to", "why"],
        kernels.iter().map(|info| {
            let few = if info.few == 0 { "-".to_owned() } else { info.few.to_string() };
            [
                info.algorithm.to_owned(),
                info.kernel.to_owned(),
                info.lanes.to_string(),
                info.single.to_owned(),
                few,
                info.reason.to_owned(),
            ]
        }),
    );
    let standards = table(
        columns,
        ["standard", "algorithms"],
        standards().into_iter().map(|(standard, names)| [standard.to_owned(), names.join(", ")]),
    );
    let available: Vec<String> = Cpu::available().map(|isa| isa.to_string()).collect();
    let set =
        format!("Instruction set: {} (this machine has: {})", cpu.isa(), available.join(", "));
    let mut text = format!(
        "broadloom {}\n\n{}\n\n{features}\n\n{chosen}\n\n{standards}\n\n",
        env!("CARGO_PKG_VERSION"),
        wrapped(&set, columns),
    );
    let providers = table(
        columns,
        ["provider", "is", "can, and chains of these"],
        registry.providers().map(|provider| {
            let asked = if provider.by_name_only() { "; used only where it is named" } else { "" };
            [
                provider.name().to_owned(),
                format!("{}{asked}", provider.description()),
                algorithms(&**provider).join(", "),
            ]
        }),
    );
    text += &format!("{providers}\n\n");
    for absent in registry.absent() {
        text += &wrapped(&format!("provider {absent}"), columns);
        text.push('\n');
    }
    let compresses = table(
        columns,
        ["compression", "level", "by", "why"],
        choices.iter().map(|chosen| {
            let level = chosen.level.map_or("decompression".to_owned(), |level| level.to_string());
            [chosen.algorithm.to_string(), level, chosen.provider.clone(), chosen.reason.clone()]
        }),
    );
    text += &format!("{compresses}\n\n");
    text
}

fn as_json(cpu: &Cpu, kernels: &[KernelInfo], registry: &Registry, choices: &[Chosen]) -> Value {
    let features = cpu.features().iter().map(|feature| {
        json!({
            "name": feature.feature.name(),
            "seen": feature.seen,
            "usable": feature.usable,
        })
    });
    let kernels = kernels.iter().map(|info| {
        json!({
            "algorithm": info.algorithm,
            "kernel": info.kernel,
            "lanes": info.lanes,
            "single": info.single,
            "few": info.few,
            "reason": info.reason,
        })
    });
    let providers = registry.providers().map(|provider| {
        json!({
            "name": provider.name(),
            "description": provider.description(),
            "algorithms": algorithms(&**provider),
            "by_name_only": provider.by_name_only(),
        })
    });
    let known = Algorithm::all().map(
        |algorithm| json!({ "name": algorithm.to_string(), "standard": algorithm.standard() }),
    );
    let choices = choices.iter().map(|chosen| {
        json!({
            "algorithm": chosen.algorithm.name(),
            "direction": if chosen.level.is_some() { "compress" } else { "decompress" },
            "level": chosen.level,
            "provider": chosen.provider,
            "reason": chosen.reason,
        })
    });
    let absent =
        registry.absent().map(|absent| json!({ "name": absent.name, "absent": absent.reason }));
    json!({
        "schema": "broadloom-info/1",
        "version": env!("CARGO_PKG_VERSION"),
        "isa": cpu.isa().to_string(),
        "available": Cpu::available().map(|isa| isa.to_string()).collect::<Vec<_>>(),
        "features": features.collect::<Vec<_>>(),
        "kernels": kernels.collect::<Vec<_>>(),
        "algorithms": known.collect::<Vec<_>>(),
        "providers": providers.chain(absent).collect::<Vec<_>>(),
        "compression": choices.collect::<Vec<_>>(),
    })
}

fn table<const N: usize>(
    columns: u16,
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    table.add_rows(rows);
    table
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
