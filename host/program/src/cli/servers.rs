//! `madoguchi servers`, and `accept` and `refuse` for `server:NAME`: the other servers of the one that runs, and the
//! tools whose definitions wait for the operator.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use host::{Config, ServerReport, WaitingTool};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    operator::{read, tell},
    running::{Server, text},
    say,
};

/// What begins the name of another server, where components are named as well.
pub(super) const PREFIX: &str = "server:";

/// Lists the other servers of the running server, or has one be reached anew.
#[derive(Args)]
pub(crate) struct Servers {
    /// Reach this one anew, at once
    #[arg(long, value_name = "NAME")]
    reconnect: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Listed {
    servers: Vec<ServerReport>,
}

impl Servers {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(name) = &self.reconnect {
            check_name(name)?;
            let path = format!("servers/{name}/reconnect");
            let response = Server::of(config)?.send(Method::POST, &path, Vec::new()).await?;
            let done =
                vec![format!("{name}: is being reached anew; madoguchi servers says how it does")];
            return tell(&text(response).await?, self.json, |_: &Value| done);
        }
        let response = Server::of(config)?.send(Method::GET, "servers", Vec::new()).await?;
        tell(&text(response).await?, self.json, |it: &Listed| lines(&it.servers))
    }
}

/// The servers as people read them: one line each, and below it what waits.
fn lines(servers: &[ServerReport]) -> Vec<String> {
    let mut lines = Vec::new();
    for it in servers {
        let why = it.error.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
        lines.push(format!("{}  {}{why}, {} tools pinned", it.name, it.status, it.pinned));
        let called = &it.activity;
        lines.push(format!(
            "  {}, {} tools on offer, {} calls, {} errors",
            it.address,
            it.tools.len(),
            called.calls,
            called.errors
        ));
        if let (Some(error), Some(at), None) = (&it.last_error, &it.last_error_at, &it.error) {
            lines.push(format!("  was not there {at}: {error}"));
        }
        let waits = it.waiting.iter().map(|tool| format!("  waits: {}", title(tool)));
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

/// It becomes a part of an address.
fn check_name(name: &str) -> anyhow::Result<()> {
    if name.is_empty() || name.contains(['/', '?', '#', '%']) {
        bail!("{name:?} is no server's name");
    }
    Ok(())
}

/// Takes the operator's word on what waits of the server `name`, which is shown before; or shows it only.
pub(super) async fn decide(
    config: &Config,
    name: &str,
    word: &str,
    (is_shown_only, is_json): (bool, bool),
) -> anyhow::Result<ExitCode> {
    check_name(name)?;
    let server = Server::of(config)?;
    let listed: Listed =
        read(&text(server.send(Method::GET, "servers", Vec::new()).await?).await?)?;
    let report = listed.servers.into_iter().find(|it| it.name == name);
    let report = report
        .with_context(|| format!("there is no server {name}; `madoguchi servers` lists them"))?;
    if report.waiting.is_empty() {
        bail!("no tool of the server {name} waits");
    }
    if is_shown_only || !is_json {
        for tool in &report.waiting {
            side_by_side(tool).iter().try_for_each(|it| say(it))?;
        }
    }
    if is_shown_only {
        return Ok(ExitCode::SUCCESS);
    }
    // Those that were shown, so that none is meant that has come meanwhile.
    let tools: Vec<_> =
        report.waiting.iter().map(|it| json!({ "tool": it.tool, "digest": it.digest })).collect();
    let body = json!({ "tools": tools }).to_string().into_bytes();
    let path = format!("servers/{name}/{word}");
    let answer = text(server.send(Method::POST, &path, body).await?).await?;
    let done = format!("{name}: {} definitions, {word}", tools.len());
    tell(&answer, is_json, |_: &Value| vec![done])
}

/// What differs, and then each part that does: as it is pinned, and as it waits.
fn side_by_side(tool: &WaitingTool) -> Vec<String> {
    let mut lines = vec![format!("{}:", title(tool))];
    lines.extend(tool.differences.iter().map(|it| format!("  {it}")));
    lines.extend(parts(&tool.pinned, &tool.waiting));
    lines
}

/// Each part in which two definitions differ: as it is (-), and as it waits (+).
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
