//! The command `madoguchi dev FOLDER` builds a component, loads it into a server, and repeats after each save.

use std::{
    path::{Path, PathBuf},
    pin::pin,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use clap::Args;
use host::{Config, Server, control::ComponentReport};
use reqwest::Method;
use serde_json::json;
use workbench::{
    inspect::{check_defaults, examples},
    project::{Changes, MANIFEST, Project},
};

use super::{
    operator::read,
    print_error, print_line,
    running::{self, DATA_ALONE, text},
    with_causes,
};

/// Shell exit code for a missing program.
const COMMAND_NOT_FOUND: i32 = 127;

/// Builds a component and serves it, again after each save.
#[derive(Args)]
pub(crate) struct Dev {
    /// The component's folder, with a `madoguchi.toml` or a `Cargo.toml`
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Serve it here, with every grant, instead of bringing it into the server that runs; the data lies in
    /// FOLDER/.madoguchi, and a free port is taken, where nothing else is said
    #[arg(long)]
    serve: bool,
}

/// What a server says of a component that breaks down while it is loaded.
const TRAPPED: &str = "it trapped: ";

/// State of a served component.
struct Served {
    generation: u64,
    tool: Option<String>,
    examples: usize,
}

impl Dev {
    /// Runs until `stopped`.
    ///
    /// # Errors
    /// When the folder cannot be read or watched, or there is no server to bring it into.
    pub(crate) async fn run(
        self,
        mut config: Config,
        stopped: impl Future<Output = ()>,
    ) -> anyhow::Result<ExitCode> {
        let project = Project::read(&self.folder)?;
        let mut own = None;
        if self.serve {
            alone(&mut config, &project);
            let server = Server::start(config.clone()).await?;
            if let Some(addr) = server.addr {
                print_line(&format!("{}: MCP at http://{addr}/mcp", project.name))?;
            }
            own = Some(server);
        } else if running::Server::if_any(&config).await?.is_none() {
            bail!(
                "no server runs on {} that the component could be brought into: start one, name its folder by --data, or add --serve for one of its own",
                config.data.display()
            );
        }
        let forever = follow(project, &self.folder, &config, self.serve);
        let ended = tokio::select! {
            ended = pin!(forever) => ended,
            () = stopped => Ok(()),
        };
        if let Some(server) = own {
            server.stop().await;
        }
        ended.map(|()| ExitCode::SUCCESS)
    }
}

/// Configures a server for `project` alone.
fn alone(config: &mut Config, project: &Project) {
    let is_given = |setting: &str| config.origin.given.contains_key(setting);
    let (has_addr, has_data) = (is_given("addr"), is_given("data"));
    let has_file = config.origin.file.is_some();
    if !has_addr && !has_file {
        config.addr.set_port(0);
    }
    if !has_data {
        config.data = project.folder.join(DATA_ALONE);
    }
    if !has_file {
        config.bundled = false;
    }
    // Like `madoguchi run`: the author's component on the author's machine.
    let component = config.components.entry(project.name.clone()).or_default();
    component.grants.get_or_insert_with(|| host::grants::Grant::ALL.into());
}

/// Builds and serves, again after each save, and by another manifest once that is saved.
async fn follow(
    mut project: Project,
    folder: &Path,
    config: &Config,
    is_own: bool,
) -> anyhow::Result<()> {
    const UNWATCHED: &str = "what is saved cannot be watched";
    let mut changes = project.changes().context(UNWATCHED)?;
    note_absent(&project);
    let name = &project.name.clone();
    let (mut saved, mut serving, mut is_known) = (Instant::now(), None, false);
    loop {
        let tried = attempt(&project, config, is_own).await;
        match tried {
            Ok(check) => {
                print_line(&format!("{name}: {} examples hold", check.examples))?;
                print_line(&format!(
                    "{name}: served as generation {}, {} after the save",
                    check.generation,
                    seconds(saved.elapsed())
                ))?;
                if !is_known && let Some(page) = running::Server::running(config)?.page(&check.tool)
                {
                    print_line(&format!("{name}: {page}"))?;
                    is_known = true;
                }
                serving = Some(check.generation);
            }
            Err(error) => {
                let still = match serving {
                    Some(it) => format!("generation {it} serves on"),
                    None if is_own => "nothing serves yet".to_owned(),
                    None => "what served before serves on".to_owned(),
                };
                print_error(&format!("{name}: {}; {still}", with_causes(&error)));
            }
        }
        changes.next().await;
        saved = Instant::now();
        print_line(&format!("{name}: saved"))?;
        while let Err(error) = reread(&mut project, folder, &mut changes) {
            print_error(&format!("{name}: {}; save it again", with_causes(&error)));
            changes.next().await;
        }
    }
}

/// Reloads `madoguchi.toml`.
fn reread(project: &mut Project, folder: &Path, changes: &mut Changes) -> anyhow::Result<()> {
    let now = Project::read(folder)?;
    if now.name != project.name {
        bail!("the component would be called {} now: end this, and begin anew", now.name);
    }
    if now != *project {
        *changes = now.changes().context("what is to be watched cannot be")?;
        if now.absent != project.absent {
            note_absent(&now);
        }
        *project = now;
    }
    Ok(())
}

/// Says what is to be watched and is not there: what is saved under a mistyped name would never be built.
fn note_absent(project: &Project) {
    for path in &project.absent {
        let name = &project.name;
        print_error(&format!(
            "{name}: {path}, which `watch` in {MANIFEST} names, is not there; it is watched once it comes"
        ));
    }
}

/// Builds once and loads the result.
async fn attempt(project: &Project, config: &Config, is_own: bool) -> anyhow::Result<Served> {
    let (began, name) = (Instant::now(), &project.name);
    let status = project.build().await.context("no shell can be started")?;
    if status.code() == Some(COMMAND_NOT_FOUND) {
        bail!(
            "not built, for a program of the command is not there: {}; run what the folder's README says first, once",
            project.build
        );
    }
    if !status.success() {
        bail!("not built ({status}): {}", project.build);
    }
    let source = project.built()?;
    print_line(&format!("{name}: built in {}", seconds(began.elapsed())))?;
    check_defaults(&source.bytes)?;
    let path = format!("components/{name}");
    let server = running::Server::running(config)?;
    let answer = text(server.send(Method::POST, &path, source.bytes.to_vec()).await?).await;
    let answer = match answer {
        Err(error) if is_own => {
            let report = server.ask(Method::GET, &path, None).await;
            let report: Option<ComponentReport> = report.ok().and_then(|it| read(&it).ok());
            // The author is the operator here and has just written the additional grants.
            match report.and_then(|it| it.pending).filter(|it| it.digest == source.digest) {
                Some(approval) => {
                    let body = Some(json!({ "digest": approval.digest }));
                    server.ask(Method::POST, &format!("{path}/accept"), body).await?
                }
                None => return Err(error),
            }
        }
        Err(error) => {
            if error.to_string().contains(TRAPPED) {
                // What it says while it is loaded is in the other server's log: here it says it once more.
                let _ = examples(name, &source, config).await;
            }
            return Err(error);
        }
        Ok(answer) => answer,
    };
    let report: ComponentReport = read(&answer)?;
    let generation = report.generation.context("it was taken, and nothing of it serves")?;
    let examples = examples(name, &source, config).await?;
    Ok(Served { generation, tool: report.tools.into_iter().next(), examples })
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
