//! Whether the server that runs takes up what was put into its component folder.

use std::{process::ExitCode, time::Duration};

use host::{Config, control::ComponentReport};
use reqwest::{Method, StatusCode};

use super::{
    complain,
    running::{Server, text},
    say,
};

/// How long it may take until a server says what has become of a file: a large one is compiled first.
const WAIT_MAX: Duration = Duration::from_secs(120);
/// How often it is asked.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// One component of the server that runs, as it was before.
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

    /// Waits until the server says what has become of the bytes of that digest.
    pub(super) async fn wait(self, digest: &str) -> anyhow::Result<ExitCode> {
        let name = &self.name;
        let began = tokio::time::Instant::now();
        while began.elapsed() < WAIT_MAX {
            if let Some(it) = report(&self.server, name).await? {
                if it.digest.as_deref() == Some(digest) {
                    let number = it.generation.unwrap_or_default();
                    say(&format!("{name}: generation {number} serves"))?;
                    return Ok(ExitCode::SUCCESS);
                }
                if let Some(pending) = it.pending.filter(|it| it.digest == digest) {
                    say(&format!("{name}: installed, and waits: {}", pending.why))?;
                    say(&format!("  madoguchi accept {name} lets it serve"))?;
                    return Ok(ExitCode::SUCCESS);
                }
                if let Some(trouble) = it.trouble.filter(|it| Some(it) != self.trouble.as_ref()) {
                    complain(&format!("{name}: {trouble}"));
                    return Ok(ExitCode::FAILURE);
                }
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
        complain(&format!(
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
