//! `madoguchi components | load | unload | rollback | accept | canary | call | audit`: the commands to the server
//! that runs on the same data folder.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use host::{
    Config,
    canary::{Comparison, Figures},
    control::{CanaryReport, ComponentReport},
    difference::Difference,
    revisions::Pending,
};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    complain,
    running::{Server, message, text},
    say, servers,
};

/// Lists the components of the running server.
#[derive(Args)]
pub(crate) struct Components {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Loads a component into the running server.
#[derive(Args)]
pub(crate) struct Load {
    /// The component's file, NAME.wasm
    file: PathBuf,
    /// Its name [default: the file's name without `.wasm`]
    #[arg(long)]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Names one component of the running server.
#[derive(Args)]
pub(crate) struct Named {
    /// The component's name
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lets the build serve that waits for the operator's approval, with what it asks for.
#[derive(Args)]
pub(crate) struct Accept {
    /// The component's name, or `server:NAME` for the tools of another server
    name: String,
    /// Only show what waits, and why
    #[arg(long)]
    show: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lets the build that waits answer some of the calls, beside the version that serves.
#[derive(Args)]
pub(crate) struct Canary {
    /// The component's name
    name: String,
    /// Of each hundred calls, so many: 1 to 99
    #[arg(long, value_name = "NUMBER")]
    percent: Option<u8>,
    /// A caller of whom it answers all calls, by the token's name; may be said again
    #[arg(long = "caller", value_name = "NAME")]
    callers: Vec<String>,
    /// Let it answer none any more; it waits on
    #[arg(long, conflicts_with_all = ["percent", "callers"])]
    stop: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Goes back to an earlier version.
#[derive(Args)]
pub(crate) struct Rollback {
    /// The component's name
    name: String,
    /// The generation to go to [default: the one before]
    #[arg(long, value_name = "GENERATION")]
    to: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Shows the last lines of the running server's audit log.
#[derive(Args)]
pub(crate) struct Audit {
    /// How many lines
    #[arg(long, default_value_t = 20)]
    lines: usize,
    /// What this call did, part by part, and what it used of its limits: one of the last 512
    #[arg(long, value_name = "NUMBER", conflicts_with = "lines")]
    call: Option<u64>,
}

/// Calls a tool of the running server.
#[derive(Args)]
pub(crate) struct Call {
    /// The tool's name
    tool: String,
    /// Its arguments: a JSON object
    #[arg(default_value = "{}")]
    arguments: String,
    /// The whole answer, texts beside the object included, as JSON
    #[arg(long)]
    json: bool,
}

impl Components {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        #[derive(serde::Deserialize)]
        struct Listed {
            components: Vec<ComponentReport>,
        }
        let response = Server::of(config)?.send(Method::GET, "components", Vec::new()).await?;
        let text = text(response).await?;
        tell(&text, self.json, |it: &Listed| table(&it.components))
    }
}

impl Load {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let stem = self.file.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
        let name = self.name.or(stem).context("which name? --name NAME says")?;
        let bytes = std::fs::read(&self.file)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        change(config, (Method::POST, &name, ""), bytes, self.json).await
    }
}

impl Named {
    pub(crate) async fn unload(self, config: &Config) -> anyhow::Result<ExitCode> {
        change(config, (Method::DELETE, &self.name, ""), Vec::new(), self.json).await
    }

    pub(crate) async fn refuse(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(server) = self.name.strip_prefix(servers::PREFIX) {
            return servers::decide(config, server, "refuse", (false, self.json)).await;
        }
        let path = path_of(&self.name, "/refuse")?;
        let text = text(Server::of(config)?.send(Method::POST, &path, Vec::new()).await?).await?;
        let refused = format!("{}: the build that waited is refused", self.name);
        tell(&text, self.json, |_: &Value| vec![refused])
    }
}

/// Shows where on the page the operator's place is. A reader of that address can change the server's components.
pub(crate) async fn show(config: &Config) -> anyhow::Result<ExitCode> {
    let Some(address) = Server::of(config)?.place().await? else {
        bail!("the server that runs on {} serves no page", config.data.display());
    };
    say(&address)?;
    Ok(ExitCode::SUCCESS)
}

impl Accept {
    /// Accepts the very build that it shows, so that none is accepted that has come meanwhile.
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(server) = self.name.strip_prefix(servers::PREFIX) {
            return servers::decide(config, server, "accept", (self.show, self.json)).await;
        }
        let pending = pending(config, &self.name).await?;
        if self.show || !self.json {
            say(&format!("{} ({}):", self.name, &pending.digest[..pending.digest.len().min(12)]))?;
            for line in pending.why.split("; ") {
                say(&format!("  {line}"))?;
            }
            for it in &pending.rewordings {
                say(&format!("  {it}:"))?;
                servers::parts(&it.pinned, &it.waiting).iter().try_for_each(|it| say(it))?;
            }
        }
        if self.show {
            return Ok(ExitCode::SUCCESS);
        }
        let body = json!({ "digest": pending.digest }).to_string().into_bytes();
        change(config, (Method::POST, &self.name, "/accept"), body, self.json).await
    }
}

impl Canary {
    /// Lets the very build answer that waited when this was run.
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let path = path_of(&self.name, "/canary")?;
        let server = Server::of(config)?;
        let response = if self.stop {
            server.send(Method::DELETE, &path, Vec::new()).await?
        } else {
            if self.percent.is_none() && self.callers.is_empty() {
                bail!("which calls? --percent NUMBER, --caller NAME or both say; --stop ends it");
            }
            let digest = pending(config, &self.name).await?.digest;
            let percent = self.percent.unwrap_or_default();
            let body = json!({ "percent": percent, "callers": self.callers, "digest": digest });
            server.send(Method::POST, &path, body.to_string().into_bytes()).await?
        };
        tell(&text(response).await?, self.json, |report: &ComponentReport| match &report.canary {
            Some(it) => vec![format!("{}: {}", self.name, answers(it))],
            None => vec![format!("{}: the build waits, and answers no calls", self.name)],
        })
    }
}

impl Rollback {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let body = json!({ "to": self.to }).to_string().into_bytes();
        change(config, (Method::POST, &self.name, "/rollback"), body, self.json).await
    }
}

impl Audit {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if let Some(call) = self.call {
            return super::report::call(config, call).await;
        }
        let path = format!("audit?lines={}", self.lines);
        let response = Server::of(config)?.send(Method::GET, &path, Vec::new()).await?;
        let answer: Value = read(&text(response).await?)?;
        for line in answer["lines"].as_array().into_iter().flatten() {
            say(&line.to_string())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Call {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let Ok(Value::Object(arguments)) = serde_json::from_str(&self.arguments) else {
            bail!("the arguments must be a JSON object, such as '{{\"name\": \"value\"}}'");
        };
        let body = json!({ "tool": self.tool, "arguments": arguments }).to_string();
        let response = Server::of(config)?.send(Method::POST, "call", body.into_bytes()).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            bail!(message(&response.text().await?));
        }
        if !response.status().is_success() {
            complain(&pretty(&response.text().await?)?);
            return Ok(ExitCode::FAILURE);
        }
        let called: Value = read(&response.text().await?)?;
        if self.json {
            say(&serde_json::to_string_pretty(&called)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        if !called["output"].is_null() {
            say(&serde_json::to_string_pretty(&called["output"])?)?;
        }
        for text in called["texts"].as_array().into_iter().flatten() {
            say(text.as_str().unwrap_or_default())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The build of that component that waits.
async fn pending(config: &Config, name: &str) -> anyhow::Result<Pending> {
    let path = path_of(name, "")?;
    let response = Server::of(config)?.send(Method::GET, &path, Vec::new()).await?;
    let report: ComponentReport = read(&text(response).await?)?;
    report.pending.with_context(|| format!("no build of {name} waits to be accepted"))
}

/// What a canary answers.
fn answers(it: &CanaryReport) -> String {
    format!("the build {} answers {}", &it.digest[..it.digest.len().min(12)], it.share)
}

/// How a canary does beside the version that serves.
fn compared(it: &CanaryReport) -> [String; 2] {
    let told = |it: &Figures| {
        let ms = |us: u64| us as f64 / 1e3;
        format!(
            "{} calls, {} errors, {} traps, {} refused, {:.1} ms on average, 99 % within {:.1} ms",
            it.calls,
            it.errors,
            it.traps,
            it.refused,
            ms(it.mean_us),
            ms(it.p99_us)
        )
    };
    [format!("canary: {}", told(&it.own)), format!("beside: {}", told(&it.before))]
}

/// What a canary answers otherwise to calls of one tool.
fn differing(it: &Comparison) -> Vec<String> {
    let mut lines =
        vec![format!("    {}: {} of {} answered differently", it.tool, it.different, it.compared)];
    lines.extend(it.example.iter().flat_map(|it| {
        let at = if it.at.is_empty() { String::new() } else { format!(" at {}", it.at) };
        [format!("      beside{at}: {}", it.serving), format!("      canary{at}: {}", it.canary)]
    }));
    lines
}

/// Gives one command, and shows what the component is then.
async fn change(
    config: &Config,
    (method, name, what): (Method, &str, &str),
    body: Vec<u8>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let path = path_of(name, what)?;
    let text = text(Server::of(config)?.send(method, &path, body).await?).await?;
    tell(&text, json, |report: &ComponentReport| {
        let first = match report.generation {
            Some(generation) => format!("{name}: generation {generation} serves"),
            None => format!("{name}: no longer served"),
        };
        let more = differences(report).map(|it| format!("  {it}"));
        [first].into_iter().chain(more).collect()
    })
}

/// Says what the server answers: the answer itself, or in `lines`.
pub(super) fn tell<T: DeserializeOwned>(
    text: &str,
    is_json: bool,
    lines: impl FnOnce(&T) -> Vec<String>,
) -> anyhow::Result<ExitCode> {
    let lines = if is_json { vec![pretty(text)?] } else { lines(&read(text)?) };
    lines.iter().try_for_each(|it| say(it))?;
    Ok(ExitCode::SUCCESS)
}

/// How the generation that serves differs from the one before.
fn differences(report: &ComponentReport) -> impl Iterator<Item = &Difference> {
    let current = report.generations.iter().find(|it| Some(it.number) == report.generation);
    current.into_iter().flat_map(|it| &it.differences)
}

fn path_of(name: &str, what: &str) -> anyhow::Result<String> {
    if name.contains(['/', '?', '#', '%']) {
        bail!("{name:?} is no component's name");
    }
    Ok(format!("components/{name}{what}"))
}

pub(super) fn read<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    serde_json::from_str(text).context("the server's answer is not known here")
}

fn pretty(text: &str) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&read::<Value>(text)?)?)
}

/// The components as people read them: one line each, and below it what there is to know.
fn table(components: &[ComponentReport]) -> Vec<String> {
    if components.is_empty() {
        return vec!["There is no component; put NAME.wasm into the component folder.".to_owned()];
    }
    let widths = components.iter().map(|it| it.name.chars().count());
    let width = widths.max().unwrap_or_default().max("COMPONENT".len());
    let mut lines = vec![format!(
        "{:width$}  GEN  DIGEST        SINCE                 TOOLS  GRANTS",
        "COMPONENT"
    )];
    for it in components {
        let text = |it: &Option<String>| it.clone().unwrap_or_else(|| "-".to_owned());
        let number = it.generation.map_or("-".to_owned(), |it| it.to_string());
        let digest = text(&it.digest).chars().take(12).collect::<String>();
        let grants: Vec<_> = it.grants_needed.iter().map(ToString::to_string).collect();
        lines.push(format!(
            "{:width$}  {number:>3}  {digest:12}  {:20}  {:>5}  {}",
            it.name,
            text(&it.since),
            it.tools.len(),
            if grants.is_empty() { "-".to_owned() } else { grants.join(" ") },
        ));
        for earlier in it.generations.iter().rev().filter(|had| Some(had.number) != it.generation) {
            let digest: String = earlier.digest.chars().take(12).collect();
            lines.push(format!(
                "{:width$}  {:>3}  {digest:12}  {:20}  {}",
                "", earlier.number, earlier.installed_at, earlier.status
            ));
        }
        lines.extend(differences(it).map(|it| format!("{:width$}       {it}", "")));
        lines.extend(it.pending.iter().map(|it| format!("  waits: {}: {}", it.origin, it.why)));
        if let Some(canary) = &it.canary {
            lines.push(format!("  canary: {} since {}", answers(canary), canary.since));
            lines.extend(compared(canary).map(|it| format!("    {it}")));
            lines.extend(canary.comparisons.iter().flat_map(differing));
        }
        let ended = it.pending.iter().filter_map(|it| it.ended.as_ref());
        lines.extend(ended.map(|it| format!("  its canary ended: {it}")));
        lines.extend(it.trouble.iter().map(|it| format!("  trouble: {it}")));
    }
    lines
}
