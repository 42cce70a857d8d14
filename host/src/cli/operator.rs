//! `madoguchi components | load | unload | rollback | accept | call | audit`: the commands to the server
//! that runs on the same data folder.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use host::{Config, OperatorKey, control::ComponentReport};
use reqwest::{Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{complain, say};

/// Lists the components of the running server.
#[derive(Args)]
pub(crate) struct Components {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Loads a component into the running server.
#[derive(Args)]
pub(crate) struct Load {
    /// The component
    file: PathBuf,
    /// Its name [default: the file's name without `.wasm`]
    #[arg(long)]
    name: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Names one component of the running server.
#[derive(Args)]
pub(crate) struct Named {
    /// The component's name
    name: String,
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
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Shows the last lines of the running server's audit log.
#[derive(Args)]
pub(crate) struct Audit {
    /// How many
    #[arg(long, default_value_t = 20)]
    lines: usize,
}

/// Calls a tool of the running server.
#[derive(Args)]
pub(crate) struct Call {
    /// The tool
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
        if self.json {
            say(&pretty(&text)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        for line in table(&read::<Listed>(&text)?.components) {
            say(&line)?;
        }
        Ok(ExitCode::SUCCESS)
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

    pub(crate) async fn accept(self, config: &Config) -> anyhow::Result<ExitCode> {
        change(config, (Method::POST, &self.name, "/accept"), Vec::new(), self.json).await
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

/// The server that runs on a data folder.
struct Server {
    key: OperatorKey,
    data: PathBuf,
}

impl Server {
    fn of(config: &Config) -> anyhow::Result<Self> {
        let data = config.data.clone();
        let key = OperatorKey::read(&data)
            .with_context(|| format!("cannot read operator.json in {}", data.display()))?;
        let key = key.with_context(|| nobody(&data))?;
        Ok(Self { key, data })
    }

    async fn send(&self, method: Method, path: &str, body: Vec<u8>) -> anyhow::Result<Response> {
        // A client needs one to be there, though this one speaks to this machine alone.
        host::tls::install_provider();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
        let url = format!("http://{}/operator/{path}", self.key.addr);
        let request = client.request(method, url).bearer_auth(&self.key.token).body(body);
        // Without the URL of the error: what matters is that nobody is there.
        request
            .send()
            .await
            .map_err(reqwest::Error::without_url)
            .with_context(|| nobody(&self.data))
    }
}

fn nobody(data: &std::path::Path) -> String {
    format!(
        "no server that an operator can reach runs on {}; see --data, and operator_addr in the configuration",
        data.display()
    )
}

/// Gives one command, and shows what the component is then.
async fn change(
    config: &Config,
    (method, name, what): (Method, &str, &str),
    body: Vec<u8>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    if name.contains(['/', '?', '#', '%']) {
        bail!("{name:?} is no component's name");
    }
    let path = format!("components/{name}{what}");
    let text = text(Server::of(config)?.send(method, &path, body).await?).await?;
    if json {
        say(&pretty(&text)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let report: ComponentReport = read(&text)?;
    match report.generation {
        Some(generation) => say(&format!("{name}: generation {generation} serves"))?,
        None => say(&format!("{name}: no longer served"))?,
    }
    let current = report.generations.iter().find(|it| Some(it.number) == report.generation);
    for difference in current.into_iter().flat_map(|it| &it.differences) {
        say(&format!("  {difference}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The body of an answer that must be good.
async fn text(response: Response) -> anyhow::Result<String> {
    let status = response.status();
    let text = response.text().await.context("the server's answer did not arrive")?;
    if !status.is_success() {
        bail!(message(&text));
    }
    Ok(text)
}

fn message(text: &str) -> String {
    let error: Option<Value> = serde_json::from_str(text).ok();
    let message = error.as_ref().and_then(|it| it["message"].as_str());
    message.unwrap_or("the server answers in a way that is not known here").to_owned()
}

fn read<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
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
        let current = it.generations.iter().find(|had| Some(had.number) == it.generation);
        for difference in current.into_iter().flat_map(|it| &it.differences) {
            lines.push(format!("{:width$}       {difference}", ""));
        }
        lines.extend(it.pending.iter().map(|it| format!("  waits: {}: {}", it.origin, it.why)));
        lines.extend(it.trouble.iter().map(|it| format!("  trouble: {it}")));
    }
    lines
}
