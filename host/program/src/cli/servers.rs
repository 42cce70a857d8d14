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
    Json,
    operator::{read, tell},
    running::Server,
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
    #[command(flatten)]
    json: Json,
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
            let answer = Server::of(config)?.ask(Method::POST, &path, None).await?;
            let done =
                vec![format!("{name}: is being reached anew; madoguchi servers says how it does")];
            return tell(&answer, self.json, |_: &Value| done);
        }
        let answer = Server::of(config)?.ask(Method::GET, "servers", None).await?;
        tell(&answer, self.json, |it: &Listed| lines(&it.servers))
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
    (is_shown_only, json): (bool, Json),
) -> anyhow::Result<ExitCode> {
    check_name(name)?;
    let server = Server::of(config)?;
    let listed: Listed = read(&server.ask(Method::GET, "servers", None).await?)?;
    let report = listed.servers.into_iter().find(|it| it.name == name);
    let report = report
        .with_context(|| format!("there is no server {name}; `madoguchi servers` lists them"))?;
    if report.waiting.is_empty() {
        bail!("no tool of the server {name} waits");
    }
    if is_shown_only && json.is_wanted {
        say(&serde_json::to_string_pretty(&json!({ "waiting": report.waiting }))?)?;
    } else if !json.is_wanted {
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
    let done = format!("{name}: {} definitions, {word}", tools.len());
    let body = Some(json!({ "tools": tools }));
    let answer = server.ask(Method::POST, &format!("servers/{name}/{word}"), body).await?;
    tell(&answer, json, |_: &Value| vec![done])
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
