//! The commands `madoguchi storage | settings` and `audit --call` report storage, settings with their sources, and the
//! timeline of a call.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use host::{
    Config,
    config::{Setting, Source},
    data::Taken,
    storage,
    timeline::Round,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Json,
    operator::{entries, list, print_answer},
    running::Server,
};

/// Columns of a call's time line.
const WIDTH: u64 = 40;

/// Shows what the running server is set to, and by what.
#[derive(Args)]
pub(crate) struct Settings {
    /// Only those whose names begin so, such as `limits`
    #[arg(default_value = "")]
    beginning: String,
    #[command(flatten)]
    json: Json,
}

/// Shows what the running server keeps in its data folder.
pub(crate) async fn storage(json: Json, config: &Config) -> anyhow::Result<ExitCode> {
    let answer = Server::running(config)?.ask(Method::GET, "storage", None).await?;
    print_answer(&answer, json, kept)
}

fn kept(storage: &storage::Storage) -> Vec<String> {
    let line = |storage::Kept { taken, limit_bytes, .. }: &storage::Kept| {
        let limit = limit_bytes.map(|it| format!(" of {it}")).unwrap_or_default();
        let Taken { name, bytes, files } = taken;
        let files = if *files > 0 { format!(", {files} files") } else { String::new() };
        format!("{name}  {bytes}{limit} bytes{files}")
    };
    let mut lines = vec![format!("{}  {} bytes", storage.folder, storage.bytes)];
    for database in &storage.databases {
        lines.push(format!("database {}", line(database)));
        for storage::Table { name, rows, has_more } in database.tables.iter().flatten() {
            let more = if *has_more { " and more" } else { "" };
            lines.push(format!("  {name}: {rows}{more} rows"));
        }
        let error = database.error.iter();
        lines.extend(error.map(|it| format!("  its rows cannot be counted: {it}")));
    }
    lines.extend(storage.parts.iter().map(line));
    let rows = match &*storage.kind {
        "postgresql" => {
            "of what components keep in SQL, on the PostgreSQL server that [store] names: pg_dump; their rows: madoguchi export NAME"
        }
        _ => "a component's rows: madoguchi export NAME",
    };
    lines.push(format!("A copy: {}; {rows}", storage.backup));
    lines
}

impl Settings {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let answer = Server::running(config)?.ask(Method::GET, "settings", None).await?;
        let mut settings: Vec<Setting> = entries(&answer, "settings")?;
        settings.retain(|it| it.name.starts_with(&self.beginning));
        if settings.is_empty() {
            bail!("no setting's name begins with {:?}", self.beginning);
        }
        let answer = json!({ "settings": settings }).to_string();
        print_answer(&answer, self.json, |_: &Value| settings.iter().map(setting).collect())
    }
}

fn setting(setting: &Setting) -> String {
    let value = match &setting.value {
        _ if setting.is_hidden => "(set, not shown)".to_owned(),
        Value::Null => "(not set)".to_owned(),
        value => value.to_string(),
    };
    let by = match &setting.source {
        Source::Default => "by default".to_owned(),
        Source::Component => "by default, as bundled".to_owned(),
        Source::File { file, line } => format!("{file}, line {line}"),
        Source::Environment { variable } => format!("environment, {variable}"),
        Source::Flag { flag } => format!("flag {flag}"),
    };
    format!("{} = {value}  ({by})", setting.name)
}

/// Shows what a call did, part by part.
pub(super) async fn call(config: &Config, call: u64, json: Json) -> anyhow::Result<ExitCode> {
    let lines = |rounds: &[Round]| rounds.iter().flat_map(round).collect();
    list(config, (&format!("calls/{call}"), "rounds"), json, lines).await
}

fn round(round: &Round) -> Vec<String> {
    let who = round.component.as_ref().or(round.server.as_ref()).map(|it| format!(" of {it}"));
    let mut lines = vec![format!(
        "{}  call {}, round {}: {}{}  {}  {} us",
        round.time,
        round.call,
        round.round,
        round.name,
        who.unwrap_or_default(),
        round.outcome,
        round.duration_us
    )];
    let mut parts: Vec<_> = round.parts.iter().collect();
    parts.sort_by_key(|it| it.from_us);
    for part in parts {
        let at = |us: u64| {
            us.saturating_mul(WIDTH).checked_div(round.duration_us).unwrap_or(0).min(WIDTH)
        };
        let (from, to) = (at(part.from_us), at(part.from_us + part.took_us));
        let blank = " ".repeat(usize::try_from(from).unwrap_or(0));
        let bar = "=".repeat(usize::try_from((to - from).max(1)).unwrap_or(1));
        lines.push(format!("  {:14} {:>8} us  |{blank}{bar}", part.what, part.took_us));
    }
    if round.parts_dropped > 0 {
        lines.push(format!("  and {} parts more", round.parts_dropped));
    }
    for measured in &round.measured {
        lines.push(format!("  {}: {} of {}", measured.limit, measured.used, measured.max));
    }
    lines
}
