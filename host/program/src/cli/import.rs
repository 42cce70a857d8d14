//! The command `madoguchi import COMPONENT FILE` imports JSON lines by a tool of the component, through the running
//! server or, without one, through the component alone.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use host::{Config, config::ComponentConfig, data::Data, database::postgres::Server as Store};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{print_error, print_line, running::Server};
use workbench::solo::{Running, Solo, SoloOutcome};

/// Problems that are printed one by one.
const PROBLEMS_MAX: u64 = 100;
/// Lines between two reports of progress, where there is no terminal for a bar.
const PROGRESS_EVERY: u64 = 10_000;

/// Reads into a component what was written elsewhere as JSON lines.
#[derive(Args)]
pub(crate) struct Import {
    /// The component: one with an import_tool in its configuration
    component: String,
    /// The lines, as the component's tool takes them
    #[arg(value_name = "FILE.jsonl")]
    file: PathBuf,
    /// The project that they belong to, where they do not say it
    #[arg(long, value_name = "ID")]
    project: Option<String>,
}

/// Result of a batch.
#[derive(Default, Deserialize)]
struct Taken {
    imported: u64,
    /// Lines that were already imported.
    known: u64,
    problems: Vec<Problem>,
}

/// A rejected line. The first has number 1.
#[derive(Deserialize)]
struct Problem {
    line: u64,
    message: String,
}

impl Import {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let Some(tool) = config.component(&self.component).import_tool else {
            let takes = |it: &(&String, &ComponentConfig)| it.1.import_tool.is_some();
            let names: Vec<_> =
                config.components.iter().filter(takes).map(|it| it.0.as_str()).collect();
            bail!("{} takes no lines in; {} does", self.component, names.join(", "));
        };
        let shown = self.file.display().to_string();
        let file = File::open(&self.file).with_context(|| format!("cannot read {shown}"))?;
        let length = file.metadata().with_context(|| format!("cannot read {shown}"))?.len();
        let counter = Counter::open(config, &self.component).await?;
        let bar = bar(length);
        let mut lines = Lines::new(BufReader::new(bar.wrap_read(file)));
        let (mut all, mut untaken) = (Taken::default(), 0);
        let done = self.take(&counter, &tool, &mut lines, (&mut all, &mut untaken)).await;
        bar.finish_and_clear();
        counter.close().await;
        let Taken { imported, known, .. } = all;
        print_line(&format!(
            "{shown}: {imported} imported, {known} known already, {untaken} not taken"
        ))?;
        done?;
        Ok(if untaken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Imports all lines in batches.
    async fn take(
        &self,
        counter: &Counter,
        tool: &str,
        lines: &mut Lines<impl Read>,
        (all, untaken): (&mut Taken, &mut u64),
    ) -> anyhow::Result<()> {
        let file = self.file.display();
        let mut reported = 0;
        let mut tell = |line: u64, message: &str| {
            *untaken += 1;
            match (*untaken).cmp(&(PROBLEMS_MAX + 1)) {
                std::cmp::Ordering::Less => print_error(&format!("{file}:{line}: {message}")),
                std::cmp::Ordering::Equal => print_error("further lines are only counted"),
                std::cmp::Ordering::Greater => {}
            }
        };
        loop {
            let batch = lines.batch().with_context(|| format!("cannot read {file}"))?;
            let Batch { lines: texts, numbers, problems } = batch;
            problems.iter().for_each(|it| tell(it.line, &it.message));
            if texts.is_empty() && problems.is_empty() {
                return Ok(());
            }
            if texts.is_empty() {
                continue;
            }
            let mut arguments = json!({ "lines": texts });
            if let Some(project) = &self.project {
                arguments["project_id"] = project.as_str().into();
            }
            let taken = counter.call(tool, arguments).await?;
            all.imported += taken.imported;
            all.known += taken.known;
            for problem in taken.problems {
                let at = usize::try_from(problem.line.saturating_sub(1)).unwrap_or(usize::MAX);
                tell(numbers.get(at).copied().unwrap_or_default(), &problem.message);
            }
            let last = numbers.last().copied().unwrap_or_default();
            if !io::stderr().is_terminal() && last / PROGRESS_EVERY > reported {
                reported = last / PROGRESS_EVERY;
                print_error(&format!("{last} lines read"));
            }
        }
    }
}

/// Target of an import.
enum Counter {
    /// A server that runs, behind which nothing else should write.
    Server(Server),
    /// The component alone, on its database, in a data folder and on a store that no server takes meanwhile.
    Alone(Box<Running>, Data, Option<Store>),
}

impl Counter {
    async fn open(config: &Config, component: &str) -> anyhow::Result<Self> {
        if let Some(server) = Server::if_any(config).await? {
            return Ok(Self::Server(server));
        }
        let data = Data::take(&config.data)?;
        let solo = Solo::configured(config, component)
            .with_context(|| format!("cannot load {component}"))?;
        let Some(mut solo) = solo else {
            bail!("there is no component {component}; see --components")
        };
        let store = store_alone(config).await?;
        if let Some(store) = &store {
            solo = solo.store(store.clone());
        }
        let running = solo.start().await.with_context(|| format!("cannot load {component}"))?;
        Ok(Self::Alone(Box::new(running), data, store))
    }

    async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Taken> {
        let output = match self {
            Self::Server(server) => {
                let body = json!({ "tool": tool, "arguments": arguments });
                let answer = server.ask(Method::POST, "call", Some(body)).await?;
                let mut answer: Value = serde_json::from_str(&answer)?;
                answer["output"].take()
            }
            Self::Alone(running, ..) => {
                let called = running.call(tool, &arguments.to_string(), BTreeMap::new()).await;
                match called {
                    SoloOutcome::Done(output) => {
                        serde_json::from_str(output.structured.as_deref().unwrap_or("null"))?
                    }
                    SoloOutcome::Failed(object) => {
                        bail!(object["message"].as_str().unwrap_or("it failed").to_owned())
                    }
                    SoloOutcome::InputRequired(_) | SoloOutcome::Waits(_) => {
                        bail!("{tool} does not answer at once")
                    }
                }
            }
        };
        serde_json::from_value(output).with_context(|| format!("{tool} answers another way"))
    }

    async fn close(self) {
        if let Self::Alone(running, _data, store) = self {
            running.close().await;
            if let Some(store) = store {
                store.close().await;
            }
        }
    }
}

/// The PostgreSQL server that `[store]` names, if it names one, for this process alone.
async fn store_alone(config: &Config) -> anyhow::Result<Option<Store>> {
    let address = config.store.address(&config.base).map_err(|it| anyhow!("[store] {it}"))?;
    let Some(address) = address else { return Ok(None) };
    let store = Store::connect(&address).await?;
    let alone = store.alone().await;
    alone.context("to import while hosts run, name the data folder of one of them with --data")?;
    Ok(Some(store))
}

/// Progress bar for terminals.
fn bar(bytes: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("[{bar:32}] {percent:>3} %  {bytes}  {elapsed}");
    ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Lines of one batch.
const LINES_MAX: usize = 200;
/// Bytes of one batch, the last line included.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Bytes of one line: ten times the longest message, however its letters are escaped.
const LINE_BYTES_MAX: usize = 512 << 10;

/// Remaining input.
struct Lines<R: Read> {
    file: BufReader<R>,
    number: u64,
}

/// Lines for one call.
#[derive(Default)]
struct Batch {
    lines: Vec<String>,
    /// The number of each in the file, from 1.
    numbers: Vec<u64>,
    /// Lines that cannot be sent.
    problems: Vec<Problem>,
}

impl<R: Read> Lines<R> {
    fn new(file: BufReader<R>) -> Self {
        Self { file, number: 0 }
    }

    /// The next ones; nothing at all at the end of the file. Lines without anything on them are passed
    /// over.
    fn batch(&mut self) -> io::Result<Batch> {
        let (mut batch, mut bytes) = (Batch::default(), 0);
        while batch.lines.len() + batch.problems.len() < LINES_MAX && bytes < BATCH_BYTES_MAX {
            let Some(line) = self.next()? else { break };
            let line = line.and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())
            });
            match line {
                // Some programs begin their files with a byte order mark.
                Ok(line) if line.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() => {}
                Ok(line) => {
                    bytes += line.len();
                    batch.lines.push(line.trim_start_matches('\u{feff}').trim_end().to_owned());
                    batch.numbers.push(self.number);
                }
                Err(message) => batch.problems.push(Problem { line: self.number, message }),
            }
        }
        Ok(batch)
    }

    /// The bytes of the next line; why not, where there are too many of them.
    fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, String>>> {
        let mut line = Vec::new();
        let most = LINE_BYTES_MAX as u64 + 1;
        if (&mut self.file).take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.len() <= LINE_BYTES_MAX || line.ends_with(b"\n") {
            return Ok(Some(Ok(line)));
        }
        self.file.skip_until(b'\n')?;
        Ok(Some(Err(format!("the line has more than {LINE_BYTES_MAX} bytes"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_and_names_invalid_utf8() {
        let mut file = "\u{feff}a\r\n\n \nb\n".as_bytes().to_vec();
        file.extend(b"\xff\n");
        file.extend(vec![b'x'; LINE_BYTES_MAX + 9]);
        file.extend(b"\nlast");
        let mut lines = Lines::new(BufReader::new(file.as_slice()));
        let batch = lines.batch().unwrap();
        assert_eq!(batch.lines, ["a", "b", "last"]);
        assert_eq!(batch.numbers, [1, 4, 7]);
        let problems: Vec<_> = batch.problems.iter().map(|it| it.line).collect();
        assert_eq!(problems, [5, 6]);
        assert!(batch.problems[0].message.contains("UTF-8"));
        let rest = lines.batch().unwrap();
        assert!(rest.lines.is_empty() && rest.problems.is_empty());
    }

    #[test]
    fn batch_holds_what_one_call_accepts() {
        let file = "line\n".repeat(LINES_MAX + 1);
        let mut lines = Lines::new(BufReader::new(file.as_bytes()));
        assert_eq!(lines.batch().unwrap().lines.len(), LINES_MAX);
        assert_eq!(lines.batch().unwrap().numbers, [201]);
        let long = format!("{}\n", "x".repeat(LINE_BYTES_MAX - 1)).repeat(3);
        let mut lines = Lines::new(BufReader::new(long.as_bytes()));
        assert_eq!(lines.batch().unwrap().lines.len(), 2);
    }
}
