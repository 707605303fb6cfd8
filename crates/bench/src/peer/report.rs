//! What a comparison says: every run, the ratios, and which programs ran.

use serde::Serialize;

use crate::output::{SCHEMA_VERSION, UNVERIFIED};
use crate::peer::line::Line;
use crate::peer::program::{Origin, Program};
use crate::peer::ratio::{self, Interval, Ratio};
use crate::peer::{Comparison, Pair, Side};

const KIB_PER_MIB: f64 = 1024.0;

#[derive(Serialize)]
pub struct Report<'a> {
    schema_version: u32,
    ok: bool,
    /// No receipt says what the programs were built from.
    evidence: &'static str,
    peer: &'static str,
    circuit: String,
    seed: u64,
    threads: usize,
    params_sha256: String,
    development_parameters: bool,
    programs: Programs<'a>,
    /// In the order in which they ran.
    pairs: Vec<PairReport>,
    /// All of both sides, by bellperson's verifier.
    verified_proofs: usize,
    /// Ours over the peer's: below 1 is ours faster, or smaller.
    ratios: Ratios,
}

#[derive(Serialize)]
struct Programs<'a> {
    ours: ProgramReport<'a>,
    peer: ProgramReport<'a>,
}

#[derive(Serialize)]
struct ProgramReport<'a> {
    program: &'a str,
    sha256: &'a str,
    origin: Origin,
    debug_assertions: bool,
}

#[derive(Serialize)]
struct PairReport {
    first: Side,
    ours: Costs,
    peer: Costs,
}

#[derive(Clone, Copy, Serialize)]
struct Costs {
    synthesis_s: f64,
    prove_s: f64,
    total_s: f64,
    peak_memory_kib: u64,
}

#[derive(Serialize)]
struct Ratios {
    prove: Ratio,
    total: Ratio,
    peak_memory: Ratio,
}

impl<'a> Report<'a> {
    /// `runs` has at least one pair.
    pub fn new(comparison: &'a Comparison<'_>, runs: &'a [Pair]) -> Self {
        let Comparison {
            arguments,
            statement,
            ours,
            peer,
            threads,
            ..
        } = comparison;
        let pairs: Vec<_> = runs.iter().map(PairReport::new).collect();
        let programs = Programs {
            ours: ProgramReport::new(ours, runs.iter().map(|pair| &pair.ours)),
            peer: ProgramReport::new(peer, runs.iter().map(|pair| &pair.peer)),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            ok: true,
            evidence: UNVERIFIED,
            peer: arguments.peer.name(),
            circuit: arguments.circuit.to_string(),
            seed: arguments.seed,
            threads: *threads,
            params_sha256: statement.entry.sidecar.params_sha256.to_string(),
            development_parameters: true, // The command makes and uses no others.
            programs,
            verified_proofs: 2 * runs.len() * statement.public_inputs.len(), // Or there is no report.
            ratios: Ratios::new(&pairs),
            pairs,
        }
    }

    pub fn text(&self) -> String {
        let mut lines = vec![self.heading(), TABLE_HEADING.to_owned()];
        lines.extend([
            self.row(Cost::Prove, &self.ratios.prove),
            self.row(Cost::Total, &self.ratios.total),
            self.row(Cost::PeakMemory, &self.ratios.peak_memory),
        ]);
        lines.push(format!("ours {}", self.programs.ours.text()));
        lines.push(format!("peer {}", self.programs.peer.text()));
        lines.join("\n")
    }

    fn heading(&self) -> String {
        let Self {
            peer,
            circuit,
            seed,
            threads,
            verified_proofs,
            ..
        } = self;
        format!(
            "{UNVERIFIED}: figures without a receipt\n\
             ours over {peer}: {circuit}, seed {seed}, {threads} threads, {} pairs, development parameters; \
             all {verified_proofs} proofs accepted by bellperson's verifier",
            self.pairs.len()
        )
    }

    fn row(&self, cost: Cost, ratio: &Ratio) -> String {
        let median = |values: Vec<f64>| cost.text(ratio::median(&values));
        let ours = median(self.pairs.iter().map(|pair| cost.of(&pair.ours)).collect());
        let peer = median(self.pairs.iter().map(|pair| cost.of(&pair.peer)).collect());
        let interval = ratio.interval.map_or_else(
            || "too few pairs".to_owned(),
            |Interval { low, high, coverage }| format!("{low:.3} to {high:.3} ({:.1} %)", coverage * 100.0),
        );
        let (name, ratio) = (cost.name(), ratio.median);
        format!("{name:<11} {ratio:>7.3}  {interval:<24} {ours:>12} {peer:>12}  {UNVERIFIED}")
    }
}

const TABLE_HEADING: &str = "              ratio  interval of the median            ours         peer";

/// What is compared.
#[derive(Clone, Copy)]
enum Cost {
    Prove,
    Total,
    PeakMemory,
}

impl Cost {
    fn name(self) -> &'static str {
        match self {
            Self::Prove => "prove time",
            Self::Total => "total time",
            Self::PeakMemory => "peak memory",
        }
    }

    fn of(self, costs: &Costs) -> f64 {
        match self {
            Self::Prove => costs.prove_s,
            Self::Total => costs.total_s,
            Self::PeakMemory => costs.peak_memory_kib as f64,
        }
    }

    /// A value with its unit.
    fn text(self, value: f64) -> String {
        match self {
            Self::Prove | Self::Total => format!("{value:.3} s"),
            Self::PeakMemory => format!("{:.1} MiB", value / KIB_PER_MIB),
        }
    }
}

impl Ratios {
    fn new(pairs: &[PairReport]) -> Self {
        let of = |cost: Cost| {
            let ratios: Vec<_> = pairs
                .iter()
                .map(|pair| cost.of(&pair.ours) / cost.of(&pair.peer))
                .collect();
            ratio::of(&ratios)
        };
        Self {
            prove: of(Cost::Prove),
            total: of(Cost::Total),
            peak_memory: of(Cost::PeakMemory),
        }
    }
}

impl PairReport {
    fn new(pair: &Pair) -> Self {
        Self {
            first: pair.first,
            ours: Costs::new(&pair.ours),
            peer: Costs::new(&pair.peer),
        }
    }
}

impl Costs {
    fn new(line: &Line) -> Self {
        Self {
            synthesis_s: line.synthesis_s,
            prove_s: line.prove_s,
            total_s: line.total_s,
            peak_memory_kib: line.peak_memory_kib,
        }
    }
}

impl<'a> ProgramReport<'a> {
    fn new(program: &'a Program, mut lines: impl Iterator<Item = &'a Line>) -> Self {
        Self {
            program: program.label(),
            sha256: &program.sha256,
            origin: program.origin,
            debug_assertions: lines.any(|line| line.debug_assertions),
        }
    }

    fn text(&self) -> String {
        let Self { program, sha256, .. } = self;
        let warning = if self.debug_assertions {
            " (built with debug assertions: its times are not those of a release build)"
        } else {
            ""
        };
        format!("SHA-256 {sha256} {program}{warning}")
    }
}
