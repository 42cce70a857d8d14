//! What the rounds found, as ratios: for people a table, for programs one object.

use serde_json::{Value, json};

use crate::latency::Sequential;
use crate::load::Load;

/// Both servers under the same load, one right after the other.
pub(crate) struct Round {
    pub(crate) ours: Load,
    pub(crate) theirs: Load,
}

pub(crate) struct Report {
    pub(crate) rounds: Vec<Round>,
    pub(crate) sequential: Sequential,
    pub(crate) connections: usize,
}

/// A median, and the lowest and the highest of what it is the median of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    median: f64,
    low: f64,
    high: f64,
}

impl Spread {
    /// None of nothing.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let median = *values.get(values.len() / 2)?;
        Some(Self { median, low: *values.first()?, high: *values.last()? })
    }

    fn json(self) -> Value {
        json!({ "median": round(self.median), "low": round(self.low), "high": round(self.high) })
    }
}

impl Report {
    fn spread(&self, of: impl Fn(&Round) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.rounds.iter().filter_map(of).collect())
    }

    fn calls(&self) -> Option<Spread> {
        self.spread(|round| Some(round.ours.calls_per_second / round.theirs.calls_per_second))
    }

    fn cpu(&self) -> Option<Spread> {
        self.spread(|round| Some(round.ours.cpu_us? / round.theirs.cpu_us?))
    }

    /// One object. Ratios are ours over theirs: more calls are better, less CPU time is.
    pub(crate) fn json(&self) -> String {
        let Sequential { modern_ms, legacy_ms, rmcp_ms, axum_ms } = self.sequential;
        let whole = |spread: Option<Spread>| spread.map(Spread::json);
        json!({
            "calls_vs_rmcp_native": self.calls().map(|ratio| round(ratio.median)),
            "cpu_vs_rmcp_native": self.cpu().map(|ratio| round(ratio.median)),
            "p50_modern_vs_axum": round(modern_ms / axum_ms),
            "p50_modern_vs_rmcp_native": round(modern_ms / rmcp_ms),
            "p50_modern_ms": round(modern_ms),
            "p50_legacy_ms": round(legacy_ms),
            "p50_axum_ms": round(axum_ms),
            "p50_rmcp_native_ms": round(rmcp_ms),
            "calls_ratio": whole(self.calls()),
            "cpu_ratio": whole(self.cpu()),
            "calls_per_second": whole(self.spread(|round| Some(round.ours.calls_per_second))),
            "calls_per_second_rmcp_native": whole(self.spread(|round| Some(round.theirs.calls_per_second))),
            "cpu_us": whole(self.spread(|round| round.ours.cpu_us)),
            "cpu_us_rmcp_native": whole(self.spread(|round| round.theirs.cpu_us)),
            "rounds": self.rounds.len(),
            "connections": self.connections,
        })
        .to_string()
    }

    /// One table.
    pub(crate) fn table(&self) -> String {
        let mut table = format!(
            "echo of 1 KB, modern era, {} connections, {} rounds in turns\n\n{:<34}{:>12}{:>14}{:>9}   low … high\n",
            self.connections,
            self.rounds.len(),
            "",
            "sandboxed",
            "rmcp, native",
            "ratio",
        );
        let rows = [
            (
                "calls per second",
                self.spread(|round| Some(round.ours.calls_per_second)),
                self.spread(|round| Some(round.theirs.calls_per_second)),
                self.calls(),
            ),
            (
                "CPU time per call, µs",
                self.spread(|round| round.ours.cpu_us),
                self.spread(|round| round.theirs.cpu_us),
                self.cpu(),
            ),
        ];
        for (name, ours, theirs, ratio) in rows {
            let (Some(ours), Some(theirs), Some(ratio)) = (ours, theirs, ratio) else {
                line(&mut table, format_args!("{name:<34}{:>12}", "not known here"));
                continue;
            };
            let Spread { median, low, high } = ratio;
            let (ours, theirs) = (ours.median, theirs.median);
            line(
                &mut table,
                format_args!(
                    "{name:<34}{ours:>12.1}{theirs:>14.1}{median:>9.2}   {low:.2} … {high:.2}"
                ),
            );
        }
        self.sequential_rows(&mut table);
        table
    }

    fn sequential_rows(&self, table: &mut String) {
        let Sequential { modern_ms, legacy_ms, rmcp_ms, axum_ms } = self.sequential;
        line(
            table,
            format_args!("\none call after another, Node's fetch on a kept connection: p50, ms\n"),
        );
        line(table, format_args!("{:<34}{:>12}{:>14}{:>9}", "", "sandboxed", "compared", "ratio"));
        for (name, ours, theirs) in [
            ("modern, against bare axum", modern_ms, axum_ms),
            ("modern, against rmcp, native", modern_ms, rmcp_ms),
            ("legacy session, against bare axum", legacy_ms, axum_ms),
        ] {
            line(table, format_args!("{name:<34}{ours:>12.3}{theirs:>14.3}{:>9.2}", ours / theirs));
        }
    }
}

fn line(table: &mut String, text: std::fmt::Arguments<'_>) {
    table.push_str(&format!("{text}\n"));
}

/// Three decimals: the machine does not give more.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let load = |calls, cpu| Load { calls_per_second: calls, cpu_us: Some(cpu) };
        let round = |ours, cpu| Round { ours: load(ours, cpu), theirs: load(10_000.0, 80.0) };
        Report {
            rounds: vec![round(20_000.0, 40.0), round(30_000.0, 20.0), round(15_000.0, 60.0)],
            sequential: Sequential { modern_ms: 0.3, legacy_ms: 0.6, rmcp_ms: 0.4, axum_ms: 0.2 },
            connections: 16,
        }
    }

    #[test]
    fn ratios_are_medians_over_rounds_of_ours_over_theirs() {
        let found: Value = serde_json::from_str(&report().json()).unwrap();
        assert_eq!(found["calls_vs_rmcp_native"], 2.0);
        assert_eq!(found["cpu_vs_rmcp_native"], 0.5);
        assert_eq!(found["p50_modern_vs_axum"], 1.5);
        assert_eq!(found["p50_legacy_ms"], 0.6);
        assert_eq!(found["calls_ratio"], json!({ "median": 2.0, "low": 1.5, "high": 3.0 }));
    }

    #[test]
    fn the_table_has_every_ratio() {
        let table = report().table();
        for wanted in ["2.00   1.50 … 3.00", "0.50   0.25 … 0.75", "1.50", "3.00"] {
            assert!(table.contains(wanted), "{wanted} in\n{table}");
        }
    }

    #[test]
    fn where_cpu_time_is_not_known_the_table_says_so() {
        let mut report = report();
        for round in &mut report.rounds {
            round.ours.cpu_us = None;
        }
        assert!(report.table().contains("not known here"));
        assert!(report.json().contains("\"cpu_vs_rmcp_native\":null"));
    }
}
