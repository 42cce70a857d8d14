//! Client of the running server of a data folder, through the operator listener.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, bail};
use reqwest::{Method, Response, StatusCode};
use serde_json::Value;

use super::{print_error, print_line};
use host::{Config, OperatorKey, control::ComponentReport};

/// The folder of the data of a server that runs for one component, in the component's own.
pub(super) const DATA_ALONE: &str = ".madoguchi";

/// The server that runs on a data folder.
pub(super) struct Server {
    key: OperatorKey,
    data: PathBuf,
}

impl Server {
    /// The one that runs, which must.
    pub(super) fn running(config: &Config) -> anyhow::Result<Self> {
        Self::named(config)?.with_context(|| no_server_error(&config.data))
    }

    /// The one that runs, if one does: a key that was left behind by one that was killed opens nothing.
    pub(super) async fn if_any(config: &Config) -> anyhow::Result<Option<Self>> {
        let Some(server) = Self::named(config)? else { return Ok(None) };
        match server.request(Method::GET, "components", Vec::new()).await {
            Ok(answer) => text(answer).await.map(|_| Some(server)),
            Err(error) if error.is_connect() => Ok(None),
            Err(error) => Err(error).with_context(|| no_server_error(&server.data)),
        }
    }

    /// Finds the server by the key in the data folder.
    fn named(config: &Config) -> anyhow::Result<Option<Self>> {
        let data = config.data.clone();
        let key = OperatorKey::read(&data)
            .with_context(|| format!("cannot read operator.json in {}", data.display()))?;
        Ok(key.map(|key| Self { key, data }))
    }

    /// Address of the operator page with its key. `None` without a page. Checks that the server answers, because a
    /// stale key opens nothing.
    pub(super) async fn place(&self) -> anyhow::Result<Option<String>> {
        self.ask(Method::GET, "components", None).await?;
        let page = self.key.page.as_ref();
        Ok(page.map(|page| format!("{page}#/operator?key={}", self.key.token)))
    }

    /// Page address of `tool`, or of all tools. `None` without a page.
    pub(super) fn page(&self, tool: &Option<String>) -> Option<String> {
        let page = self.key.page.as_ref()?;
        let tool = tool.iter().map(|it| format!("/{it}"));
        Some(format!("{page}#/counter{}", tool.collect::<String>()))
    }

    /// Sends a JSON request and returns the text of a successful response.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<String> {
        let body = body.map(|it| it.to_string().into_bytes()).unwrap_or_default();
        text(self.send(method, path, body).await?).await
    }

    /// Sends bytes and returns the response with any status.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> anyhow::Result<Response> {
        self.request(method, path, body).await.with_context(|| no_server_error(&self.data))
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> reqwest::Result<Response> {
        // A client needs one to be there, though this one speaks to this machine alone.
        host::install_tls_provider();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build()?;
        let url = format!("http://{}/operator/{path}", self.key.addr);
        let request = client.request(method, url).bearer_auth(&self.key.token).body(body);
        // Without the URL of the error: what matters is that no server answers.
        request.send().await.map_err(reqwest::Error::without_url)
    }
}

fn no_server_error(data: &Path) -> String {
    let alone = format!(
        "; that of `madoguchi dev --serve` in this folder is reached by --data {DATA_ALONE}"
    );
    let alone = if Path::new(DATA_ALONE).is_dir() { alone } else { String::new() };
    format!(
        "no server that an operator can reach runs on {} (one that starts can be reached once its components are compiled); see --data, and operator_addr in the configuration{alone}",
        data.display()
    )
}

/// The body of an answer that must be good.
pub(super) async fn text(response: Response) -> anyhow::Result<String> {
    let status = response.status();
    let text = response.text().await.context("the server's answer did not arrive")?;
    if !status.is_success() {
        bail!(message(&text));
    }
    Ok(text)
}

/// Message of an error response.
pub(super) fn message(text: &str) -> String {
    let error: Option<Value> = serde_json::from_str(text).ok();
    let message = error.as_ref().and_then(|it| it["message"].as_str());
    message.unwrap_or("the server answers in a way that is not known here").to_owned()
}

// Waits until the running server loads a file from its component folder.

/// Maximum wait for a file to be loaded; large ones are compiled first.
const WAIT_MAX: Duration = Duration::from_secs(120);
/// Poll interval.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// State of one component before a change.
pub(super) struct TakenUp {
    server: Server,
    name: String,
    trouble: Option<String>,
}

impl TakenUp {
    /// The component of the server that runs, if one does.
    pub(super) async fn look(config: &Config, name: &str) -> anyhow::Result<Option<Self>> {
        let Some(server) = Server::if_any(config).await? else { return Ok(None) };
        let report = report(&server, name).await?;
        let trouble = report.and_then(|it| it.trouble);
        Ok(Some(Self { server, name: name.to_owned(), trouble }))
    }

    /// Waits until the server has loaded or rejected the build with this digest.
    pub(super) async fn wait(self, digest: &str) -> anyhow::Result<ExitCode> {
        let name = &self.name;
        let began = tokio::time::Instant::now();
        while began.elapsed() < WAIT_MAX {
            if let Some(component) = report(&self.server, name).await? {
                if component.digest.as_deref() == Some(digest) {
                    let number = component.generation.unwrap_or_default();
                    print_line(&format!("{name}: generation {number} serves"))?;
                    return Ok(ExitCode::SUCCESS);
                }
                if let Some(pending) = component.pending.filter(|it| it.digest == digest) {
                    print_line(&format!("{name}: installed, and waits: {}", pending.why))?;
                    print_line(&format!("  madoguchi accept {name} lets it serve"))?;
                    return Ok(ExitCode::SUCCESS);
                }
                if let Some(trouble) =
                    component.trouble.filter(|it| Some(it) != self.trouble.as_ref())
                {
                    print_error(&format!("{name}: {trouble}"));
                    return Ok(ExitCode::FAILURE);
                }
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
        print_error(&format!(
            "{name}: installed, and the server that runs has not taken it up; `madoguchi components` says what it has, and it may watch another folder"
        ));
        Ok(ExitCode::FAILURE)
    }

    /// Takes the component away from the server that runs, if one does and has it.
    pub(super) async fn unload(config: &Config, name: &str) -> anyhow::Result<()> {
        let Some(server) = Server::if_any(config).await? else { return Ok(()) };
        let answer = server.send(Method::DELETE, &format!("components/{name}"), Vec::new()).await?;
        match answer.status() {
            StatusCode::NOT_FOUND => Ok(()),
            _ => text(answer).await.map(drop),
        }
    }
}

async fn report(server: &Server, name: &str) -> anyhow::Result<Option<ComponentReport>> {
    let answer = server.send(Method::GET, &format!("components/{name}"), Vec::new()).await?;
    match answer.status() {
        StatusCode::NOT_FOUND => Ok(None),
        _ => Ok(Some(super::operator::read(&text(answer).await?)?)),
    }
}
