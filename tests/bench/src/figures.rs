//! Measured ratios: a table for people, one object for programs.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// A median, and the lowest and the highest of what it is the median of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// The spread of `values`; none where there are no values.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let median = *values.get(values.len() / 2)?;
        Some(Self { median, low: *values.first()?, high: *values.last()? })
    }
}

/// One line of the table: ours, what it is compared with, and the ratio of the two, each the
/// median over rounds. None where the system does not report it.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) ours: Option<Spread>,
    pub(crate) compared: Option<Spread>,
    pub(crate) ratio: Option<Spread>,
}

impl Row {
    /// From pairs that were measured one right after the other.
    pub(crate) fn of_pairs(name: impl Into<String>, pairs: &[(Option<f64>, Option<f64>)]) -> Self {
        let both = || pairs.iter().filter_map(|(ours, compared)| Some((*ours)?).zip(*compared));
        Self {
            name: name.into(),
            ours: Spread::of(both().map(|it| it.0)),
            compared: Spread::of(both().map(|it| it.1)),
            ratio: Spread::of(both().map(|(ours, compared)| ours / compared)),
        }
    }

    /// A figure that is compared with nothing.
    pub(crate) fn of_one(name: impl Into<String>, value: Option<f64>) -> Self {
        let ours = value.map(|it| Spread { median: it, low: it, high: it });
        Self { name: name.into(), ours, compared: None, ratio: None }
    }

    /// The ratio's median, rounded.
    pub(crate) fn ratio(&self) -> Value {
        self.ratio.map_or(Value::Null, |it| json!(round(it.median)))
    }

    /// Our median, rounded for the table.
    pub(crate) fn ours(&self) -> Value {
        self.ours.map_or(Value::Null, |it| json!(round(it.median)))
    }
}

/// Everything that one run found.
#[derive(Default)]
pub(crate) struct Report {
    sections: Vec<(String, Vec<Row>)>,
    figures: Map<String, Value>,
}

impl Report {
    pub(crate) fn section(&mut self, title: impl Into<String>, rows: Vec<Row>) {
        self.sections.push((title.into(), rows));
    }

    pub(crate) fn figure(&mut self, name: &str, value: Value) {
        self.figures.insert(name.to_owned(), value);
    }

    /// One object: the figures, and every row under `rows`.
    pub(crate) fn json(&self) -> String {
        let spread = |it: Spread| json!([round(it.low), round(it.median), round(it.high)]);
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "ours": row.ours.map(spread),
                "compared": row.compared.map(spread),
                "ratio": row.ratio.map(spread),
            })
        };
        let mut object = self.figures.clone();
        let rows = self.sections.iter().map(|(title, rows)| {
            json!({ "title": title, "rows": rows.iter().map(row).collect::<Vec<_>>() })
        });
        object.insert("sections".to_owned(), rows.collect());
        Value::Object(object).to_string()
    }

    /// One table a section.
    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for (title, rows) in &self.sections {
            let head = ("", "ours", "compared", "ratio", "low … high");
            let _ = writeln!(table, "{title}\n");
            let _ = writeln!(
                table,
                "{:<46}{:>12}{:>12}{:>9}   {}",
                head.0, head.1, head.2, head.3, head.4
            );
            for row in rows {
                let _ = writeln!(table, "{}", line(row));
            }
            let _ = writeln!(table);
        }
        table
    }
}

fn line(row: &Row) -> String {
    let Some(ours) = row.ours else { return format!("{:<46}{:>12}", row.name, "not known here") };
    let mut line = format!("{:<46}{:>12}", row.name, number(ours.median));
    if let (Some(compared), Some(ratio)) = (row.compared, row.ratio) {
        let Spread { median, low, high } = ratio;
        let _ = write!(line, "{:>12}{median:>9.2}   {low:.2} … {high:.2}", number(compared.median));
    }
    line
}

/// As many decimals as mean something.
fn number(value: f64) -> String {
    match value.abs() {
        it if it >= 100.0 || it == 0.0 => format!("{value:.0}"),
        it if it >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// Three decimals: the machine does not give more.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_medians_of_paired_rounds() {
        let pairs = [(20.0, 10.0), (30.0, 10.0), (10.0, 40.0)].map(|(a, b)| (Some(a), Some(b)));
        let row = Row::of_pairs("calls", &pairs);
        assert_eq!(row.ratio(), json!(2.0));
        assert_eq!(row.ours(), json!(20.0));
        let mut report = Report::default();
        report.figure("calls_vs_rmcp_native", row.ratio());
        report.section("load", vec![row]);
        let found: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(found["calls_vs_rmcp_native"], 2.0);
        assert_eq!(found["sections"][0]["rows"][0]["ratio"], json!([0.25, 2.0, 3.0]));
        assert!(report.table().contains("2.00   0.25 … 3.00"), "{}", report.table());
    }

    #[test]
    fn unavailable_figures_are_shown_as_unknown() {
        let row = Row::of_pairs("CPU", &[(None, Some(1.0))]);
        assert_eq!(row.ratio(), Value::Null);
        assert!(line(&row).contains("not known here"));
    }
}
