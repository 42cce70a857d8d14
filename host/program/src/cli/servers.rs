//! The commands `madoguchi servers`, and `accept` and `refuse` for `server:NAME`: upstream servers, and tools whose
//! definitions wait for the operator; and `nodes`: the hosts that share a database and what each serves (STO-33).

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use host::{Config, ServerReport, WaitingTool, control::NodeReport};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Json,
    operator::{checked, entries, list, print_answer},
    print_line,
    running::Server,
};

/// Prefix of upstream servers among component names.
pub(super) const PREFIX: &str = "server:";

/// Lists the other servers of the running server, or has one be reached anew.
#[derive(Args)]
pub(crate) struct Servers {
    /// Reach this one anew, at once
    #[arg(long, value_name = "NAME")]
    reconnect: Option<String>,
    #[command(flatten)]
    json: Json,
}

impl Servers {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(name) = &self.reconnect {
            let path = format!("servers/{}/reconnect", checked(name, "server")?);
            let answer = Server::running(config)?.ask(Method::POST, &path, None).await?;
            let done =
                vec![format!("{name}: is being reached anew; madoguchi servers says how it does")];
            return print_answer(&answer, self.json, |_: &Value| done);
        }
        list(config, ("servers", "servers"), self.json, lines).await
    }
}

/// The servers as people read them: one line each, and below it what waits.
fn lines(servers: &[ServerReport]) -> Vec<String> {
    let mut lines = Vec::new();
    for server in servers {
        let why = server.error.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
        lines.push(format!(
            "{}  {}{why}, {} tools pinned",
            server.name, server.status, server.pinned
        ));
        let called = &server.activity;
        lines.push(format!(
            "  {}, {} tools on offer, {} calls, {} errors",
            server.address,
            server.tools.len(),
            called.calls,
            called.errors
        ));
        if let (Some(error), Some(at), None) =
            (&server.last_error, &server.last_error_at, &server.error)
        {
            lines.push(format!("  was not there {at}: {error}"));
        }
        let waits = server.waiting.iter().map(|tool| format!("  waits: {}", title(tool)));
        lines.extend(waits);
    }
    if lines.is_empty() {
        lines
            .push("There is no other server; [servers.NAME] in the configuration adds one.".into());
    }
    lines
}

fn title(tool: &WaitingTool) -> String {
    let what = if tool.pinned.is_null() { "is new" } else { "has changed" };
    format!("{} {what} ({:.12})", tool.tool, tool.digest)
}

/// Accepts or refuses waiting tools of the server `name` after showing them, or only shows them.
pub(super) async fn decide(
    config: &Config,
    name: &str,
    word: &str,
    (is_shown_only, json): (bool, Json),
) -> anyhow::Result<ExitCode> {
    checked(name, "server")?;
    let server = Server::running(config)?;
    let answer = server.ask(Method::GET, "servers", None).await?;
    let mut reports = entries::<ServerReport>(&answer, "servers")?.into_iter();
    let report = reports.find(|it| it.name == name);
    let report = report
        .with_context(|| format!("there is no server {name}; `madoguchi servers` lists them"))?;
    if report.waiting.is_empty() {
        bail!("no tool of the server {name} waits");
    }
    if is_shown_only && json.is_wanted {
        print_line(&serde_json::to_string_pretty(&json!({ "waiting": report.waiting }))?)?;
    } else if !json.is_wanted {
        for tool in &report.waiting {
            side_by_side(tool).iter().try_for_each(|it| print_line(it))?;
        }
    }
    if is_shown_only {
        return Ok(ExitCode::SUCCESS);
    }
    // Only those shown, in case others have arrived since.
    let tools: Vec<_> =
        report.waiting.iter().map(|it| json!({ "tool": it.tool, "digest": it.digest })).collect();
    let done = format!("{name}: {} definitions, {word}", tools.len());
    let body = Some(json!({ "tools": tools }));
    let answer = server.ask(Method::POST, &format!("servers/{name}/{word}"), body).await?;
    print_answer(&answer, json, |_: &Value| vec![done])
}

/// Formats differences, then each differing part as pinned and waiting.
fn side_by_side(tool: &WaitingTool) -> Vec<String> {
    let mut lines = vec![format!("{}:", title(tool))];
    lines.extend(tool.differences.iter().map(|it| format!("  {it}")));
    lines.extend(parts(&tool.pinned, &tool.waiting));
    lines
}

/// Formats each differing part as pinned (-) and waiting (+).
pub(super) fn parts(pinned: &Value, waiting: &Value) -> Vec<String> {
    let keys = |it: &Value| it.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
    let all: BTreeSet<_> = [pinned, waiting].into_iter().filter_map(keys).flatten().collect();
    let differing = all.iter().filter(|it| pinned[*it] != waiting[*it]);
    let sides = differing.flat_map(|it| [("-", it, &pinned[it]), ("+", it, &waiting[it])]);
    // A text may have lines of its own, and what others say begins none here.
    let line = |(mark, part, value): (&str, &String, &Value)| {
        (!value.is_null()).then(|| format!("  {mark} {part}: {value}"))
    };
    sides.filter_map(line).collect()
}

/// The hosts that work on the database of the running server.
pub(crate) fn node_table(nodes: &[NodeReport]) -> Vec<String> {
    nodes.iter().flat_map(node_lines).collect()
}

/// Formats a node: one line, and below it what it serves and what failed.
fn node_lines(node: &NodeReport) -> Vec<String> {
    let state = match (node.is_here, node.is_gone) {
        (_, true) => ", gone",
        (true, _) => ", this one",
        _ => "",
    };
    let address = node.address.as_deref().unwrap_or("no address");
    let mut lines = vec![format!(
        "{} ({}{state})  {address}  {}  since {}, seen {}",
        node.name, node.id, node.version, node.started_at, node.seen_at
    )];
    let fine = node.components.iter().filter(|it| it.why.is_none());
    let fine: Vec<_> = fine
        .map(|it| match it.state.as_str() {
            "serving" => format!("{} {}", it.name, it.epoch),
            state => format!("{} {} ({state})", it.name, it.epoch),
        })
        .collect();
    lines.extend(node.not_ready.iter().map(|why| format!("  out of rotation: {why}")));
    if !fine.is_empty() {
        lines.push(format!("  epochs: {}", fine.join(", ")));
    }
    let failed = node.components.iter().filter_map(|of| Some((of, of.why.as_ref()?)));
    lines.extend(failed.map(|(of, why)| format!("  {} {}: {why}", of.name, of.epoch)));
    lines
}
