//! The commands `madoguchi components | load | unload | rollback | accept | canary | call | audit`, sent to the running
//! server of the data folder.

use std::{path::PathBuf, process::ExitCode, str::FromStr};

use anyhow::{Context, bail};
use clap::Args;
use host::{
    Config,
    canary::{Comparison, Figures},
    control::{CanaryReport, ComponentReport},
    difference::Difference,
    revisions::Pending,
    source::{FILE_BYTES_MAX, read_bytes},
};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use workbench::terminal::arguments;

use super::{
    Json, print_error, print_line,
    running::{Server, message, text},
    servers,
};

/// Loads a component into the running server.
#[derive(Args)]
pub(crate) struct Load {
    /// The component's file, NAME.wasm
    file: PathBuf,
    /// Its name [default: the file's name without `.wasm`]
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    json: Json,
}

/// Names one component of the running server.
#[derive(Args)]
pub(crate) struct Named {
    /// The component's name
    name: String,
    #[command(flatten)]
    json: Json,
}

/// Lets the build serve that waits for the operator's approval, with what it asks for.
#[derive(Args)]
pub(crate) struct Accept {
    /// The component's name, or `server:NAME` for the tools of another server
    name: String,
    /// Only show what waits, and why
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    json: Json,
}

/// Lets go of what waits for the operator's approval.
#[derive(Args)]
pub(crate) struct Refuse {
    /// The component's name, or `server:NAME` for the tools of another server
    name: String,
    #[command(flatten)]
    json: Json,
}

fn whole<N: FromStr>(text: &str) -> Result<N, &'static str> {
    let is_number = text.parse::<u128>().is_ok();
    let why = if is_number { "it is too large" } else { "a whole number is right, such as 3" };
    text.parse().map_err(|_| why)
}

/// Lets the build that waits answer some of the calls, beside the version that serves.
#[derive(Args)]
pub(crate) struct Canary {
    /// The component's name
    name: String,
    /// Of each hundred calls, so many: 1 to 99
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u8>)]
    percent: Option<u8>,
    /// A caller of whom it answers all calls, by the token's name; may be said again
    #[arg(long = "caller", value_name = "NAME")]
    callers: Vec<String>,
    /// Let it answer none any more; it waits on
    #[arg(long, conflicts_with_all = ["percent", "callers"])]
    stop: bool,
    #[command(flatten)]
    json: Json,
}

/// Goes back to an earlier version.
#[derive(Args)]
pub(crate) struct Rollback {
    /// The component's name
    name: String,
    /// The generation to go to [default: the one before]
    #[arg(long, value_name = "GENERATION", value_parser = whole::<u64>)]
    to: Option<u64>,
    #[command(flatten)]
    json: Json,
}

/// Shows the last lines of the running server's audit log.
#[derive(Args)]
pub(crate) struct Audit {
    /// How many lines
    #[arg(long, default_value_t = 20, value_parser = whole::<usize>)]
    lines: usize,
    /// What this call did, part by part, and what it used of its limits: one of the last 512
    #[arg(long, value_name = "NUMBER", conflicts_with = "lines", value_parser = whole::<u64>)]
    call: Option<u64>,
    #[command(flatten)]
    json: Json,
}

/// Calls a tool of the running server.
#[derive(Args)]
pub(crate) struct Call {
    /// The tool's name
    tool: String,
    /// Its arguments: a JSON object
    #[arg(default_value = "{}")]
    arguments: String,
    #[command(flatten)]
    json: Json,
}

impl Load {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let stem = self.file.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
        let name = self.name.or(stem).context("which name? --name NAME says")?;
        let bytes = read_bytes(&self.file, FILE_BYTES_MAX)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let path = path_of(&name, "")?;
        let answer = Server::running(config)?.send(Method::POST, &path, bytes).await?;
        changed(&name, &text(answer).await?, self.json)
    }
}

impl Named {
    pub(crate) async fn unload(self, config: &Config) -> anyhow::Result<ExitCode> {
        change(config, (Method::DELETE, &self.name, ""), None, self.json).await
    }
}

impl Refuse {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(server) = self.name.strip_prefix(servers::PREFIX) {
            return servers::decide(config, server, "refuse", (false, self.json)).await;
        }
        let path = path_of(&self.name, "/refuse")?;
        let answer = Server::running(config)?.ask(Method::POST, &path, None).await?;
        let refused = format!("{}: the build that waited is refused", self.name);
        print_answer(&answer, self.json, |_: &Value| vec![refused])
    }
}

/// Shows where on the page the operator's place is. A reader of that address can change the server's components.
pub(crate) async fn place(json: Json, config: &Config) -> anyhow::Result<ExitCode> {
    let Some(address) = Server::running(config)?.place().await? else {
        bail!("the server that runs on {} serves no page", config.data.display());
    };
    print_line(&match json.is_wanted {
        true => serde_json::to_string_pretty(&json!({ "address": address }))?,
        false => address,
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Accept {
    /// Accepts the very build that it shows, so that none is accepted that has come meanwhile.
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(server) = self.name.strip_prefix(servers::PREFIX) {
            return servers::decide(config, server, "accept", (self.show, self.json)).await;
        }
        let pending = pending(config, &self.name).await?;
        if self.show && self.json.is_wanted {
            print_line(&serde_json::to_string_pretty(&pending)?)?;
        } else if !self.json.is_wanted {
            print_line(&format!("{} ({:.12}):", self.name, pending.digest))?;
            for line in pending.why.split("; ") {
                print_line(&format!("  {line}"))?;
            }
            for rewording in &pending.rewordings {
                print_line(&format!("  {rewording}:"))?;
                servers::parts(&rewording.pinned, &rewording.waiting)
                    .iter()
                    .try_for_each(|it| print_line(it))?;
            }
        }
        if self.show {
            return Ok(ExitCode::SUCCESS);
        }
        let body = Some(json!({ "digest": pending.digest }));
        change(config, (Method::POST, &self.name, "/accept"), body, self.json).await
    }
}

impl Canary {
    /// Lets the very build answer that waited when this was run.
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let path = path_of(&self.name, "/canary")?;
        let server = Server::running(config)?;
        let answer = if self.stop {
            server.ask(Method::DELETE, &path, None).await?
        } else {
            if self.percent.is_none() && self.callers.is_empty() {
                bail!("which calls? --percent NUMBER, --caller NAME or both say; --stop ends it");
            }
            let digest = pending(config, &self.name).await?.digest;
            let percent = self.percent.unwrap_or_default();
            let body = json!({ "percent": percent, "callers": self.callers, "digest": digest });
            server.ask(Method::POST, &path, Some(body)).await?
        };
        print_answer(&answer, self.json, |report: &ComponentReport| match &report.canary {
            Some(it) => vec![format!("{}: {}", self.name, answers(it))],
            None => vec![format!("{}: the build waits, and answers no calls", self.name)],
        })
    }
}

impl Rollback {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let body = Some(json!({ "to": self.to }));
        change(config, (Method::POST, &self.name, "/rollback"), body, self.json).await
    }
}

impl Audit {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(call) = self.call {
            return super::report::call(config, call, self.json).await;
        }
        let path = format!("audit?lines={}", self.lines);
        let lines = |all: &[Value]| all.iter().map(Value::to_string).collect();
        list(config, (&path, "lines"), self.json, lines).await
    }
}

impl Call {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let arguments = arguments(&self.arguments)?;
        let body = json!({ "tool": self.tool, "arguments": arguments }).to_string();
        let response =
            Server::running(config)?.send(Method::POST, "call", body.into_bytes()).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            bail!(message(&response.text().await?));
        }
        if !response.status().is_success() {
            print_error(&pretty(&response.text().await?)?);
            return Ok(ExitCode::FAILURE);
        }
        let called: Value = read(&response.text().await?)?;
        if self.json.is_wanted {
            print_line(&serde_json::to_string_pretty(&called)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if !called["output"].is_null() {
            print_line(&serde_json::to_string_pretty(&called["output"])?)?;
        }
        for text in called["texts"].as_array().into_iter().flatten() {
            print_line(text.as_str().unwrap_or_default())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The build of that component that waits.
async fn pending(config: &Config, name: &str) -> anyhow::Result<Pending> {
    let path = path_of(name, "")?;
    let report: ComponentReport =
        read(&Server::running(config)?.ask(Method::GET, &path, None).await?)?;
    report.pending.with_context(|| format!("no build of {name} waits to be accepted"))
}

/// Formats a canary's share.
fn answers(report: &CanaryReport) -> String {
    format!("the build {:.12} answers {}", report.digest, report.share)
}

/// Compares a canary with the serving version.
fn compared(report: &CanaryReport) -> [String; 2] {
    let summary = |figures: &Figures| {
        let ms = |us: u64| us as f64 / 1e3;
        format!(
            "{} calls, {} errors, {} traps, {} refused, {:.1} ms on average, 99 % within {:.1} ms",
            figures.calls,
            figures.errors,
            figures.traps,
            figures.refused,
            ms(figures.mean_us),
            ms(figures.p99_us)
        )
    };
    [format!("canary: {}", summary(&report.own)), format!("beside: {}", summary(&report.before))]
}

/// Formats differing answers of one tool.
fn differing(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![format!(
        "    {}: {} of {} answered differently",
        comparison.tool, comparison.different, comparison.compared
    )];
    lines.extend(comparison.example.iter().flat_map(|example| {
        let at = if example.at.is_empty() { String::new() } else { format!(" at {}", example.at) };
        [
            format!("      beside{at}: {}", example.serving),
            format!("      canary{at}: {}", example.canary),
        ]
    }));
    lines
}

/// Gives one command, and shows what the component is then.
async fn change(
    config: &Config,
    (method, name, what): (Method, &str, &str),
    body: Option<Value>,
    json: Json,
) -> anyhow::Result<ExitCode> {
    let path = path_of(name, what)?;
    changed(name, &Server::running(config)?.ask(method, &path, body).await?, json)
}

/// Shows what the component `name` is now, as the server answers.
fn changed(name: &str, answer: &str, json: Json) -> anyhow::Result<ExitCode> {
    print_answer(answer, json, |report: &ComponentReport| {
        let first = match report.generation {
            Some(generation) => format!("{name}: generation {generation} serves"),
            None => format!("{name}: no longer served"),
        };
        let more = differences(report).map(|it| format!("  {it}"));
        [first].into_iter().chain(more).collect()
    })
}

/// Asks the running server for the list at `path`, which stands under that name in the answer, and prints it.
pub(crate) async fn list<T: DeserializeOwned>(
    config: &Config,
    (path, name): (&str, &str),
    json: Json,
    lines: impl FnOnce(&[T]) -> Vec<String>,
) -> anyhow::Result<ExitCode> {
    let answer = Server::running(config)?.ask(Method::GET, path, None).await?;
    let entries = if json.is_wanted { Vec::new() } else { entries(&answer, name)? };
    print_answer(&answer, json, |_: &Value| lines(&entries))
}

/// The list under that name in an answer.
pub(super) fn entries<T: DeserializeOwned>(answer: &str, name: &str) -> anyhow::Result<Vec<T>> {
    read(&read::<Value>(answer)?[name].to_string())
}

/// Says what the server answers: the answer itself, or in `lines`.
pub(super) fn print_answer<T: DeserializeOwned>(
    text: &str,
    json: Json,
    lines: impl FnOnce(&T) -> Vec<String>,
) -> anyhow::Result<ExitCode> {
    let lines = if json.is_wanted { vec![pretty(text)?] } else { lines(&read(text)?) };
    lines.iter().try_for_each(|it| print_line(it))?;
    Ok(ExitCode::SUCCESS)
}

/// Differences of the serving revision from the one before.
fn differences(report: &ComponentReport) -> impl Iterator<Item = &Difference> {
    let current = report.generations.iter().find(|it| Some(it.number) == report.generation);
    current.into_iter().flat_map(|it| &it.differences)
}

fn path_of(name: &str, what: &str) -> anyhow::Result<String> {
    Ok(format!("components/{}{what}", checked(name, "component")?))
}

/// A name of that kind, which becomes part of a URL.
pub(super) fn checked<'a>(name: &'a str, kind: &str) -> anyhow::Result<&'a str> {
    if name.is_empty() || name.contains(['/', '?', '#', '%']) {
        bail!("{name:?} is no {kind}'s name");
    }
    Ok(name)
}

pub(super) fn read<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    serde_json::from_str(text).context("the server's answer is not known here")
}

fn pretty(text: &str) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&read::<Value>(text)?)?)
}

/// The components as people read them: one line each, and below it what there is to know.
pub(crate) fn table(components: &[ComponentReport]) -> Vec<String> {
    if components.is_empty() {
        return vec!["There is no component; madoguchi load NAME.wasm brings one.".to_owned()];
    }
    let widths = components.iter().map(|it| it.name.chars().count());
    let width = widths.max().unwrap_or_default().max("COMPONENT".len());
    let mut lines = vec![format!(
        "{:width$}  GEN  DIGEST        SINCE                 TOOLS  GRANTS",
        "COMPONENT"
    )];
    for component in components {
        let text = |it: &Option<String>| it.clone().unwrap_or_else(|| "-".to_owned());
        let number = component.generation.map_or("-".to_owned(), |it| it.to_string());
        let digest = text(&component.digest);
        let grants: Vec<_> = component.grants_needed.iter().map(ToString::to_string).collect();
        lines.push(format!(
            "{:width$}  {number:>3}  {digest:12.12}  {:20}  {:>5}  {}",
            component.name,
            text(&component.since),
            component.tools.len(),
            if grants.is_empty() { "-".to_owned() } else { grants.join(" ") },
        ));
        for earlier in component
            .generations
            .iter()
            .rev()
            .filter(|had| Some(had.number) != component.generation)
        {
            lines.push(format!(
                "{:width$}  {:>3}  {:12.12}  {:20}  {}",
                "", earlier.number, earlier.digest, earlier.installed_at, earlier.status
            ));
        }
        lines.extend(differences(component).map(|it| format!("{:width$}       {it}", "")));
        lines.extend(
            component.pending.iter().map(|it| format!("  waits: {}: {}", it.origin, it.why)),
        );
        if let Some(canary) = &component.canary {
            lines.push(format!("  canary: {} since {}", answers(canary), canary.since));
            lines.extend(compared(canary).map(|it| format!("    {it}")));
            lines.extend(canary.comparisons.iter().flat_map(differing));
        }
        let ended = component.pending.iter().filter_map(|it| it.ended.as_ref());
        lines.extend(ended.map(|it| format!("  its canary ended: {it}")));
        lines.extend(component.trouble.iter().map(|it| format!("  trouble: {it}")));
    }
    lines
}
