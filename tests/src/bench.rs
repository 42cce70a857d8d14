//! A component alone under wasmtime: its own database, a fake clock, no server, no network.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
    thread,
    time::Duration,
};

use host::{
    Config,
    blobs::Blobs,
    caller::Caller,
    clock::Clock,
    component::{Agenda, Answer, AnswerAction, Content, Contents, JobOutcome},
    database::postgres::{Address, Server},
    grants::Grant,
    limits::Limits,
    registry::library::Library,
    sandbox::Sandbox,
    settings::Settings,
    source::Source,
};
use serde_json::Value;
use workbench::solo::{
    Called, Compiled, Running, Solo, SoloOutcome,
    record::{Record, Replayed},
};

use crate::{
    log,
    postgres::{self, Cluster},
    server,
};

/// Each component is compiled once for all tests: a compile costs more than most of them.
static COMPILED: LazyLock<Mutex<BTreeMap<String, Compiled>>> = LazyLock::new(Mutex::default);
static SANDBOX: LazyLock<Sandbox> =
    LazyLock::new(|| Sandbox::new(64 << 20).expect("a sandbox can be made here"));
static LIBRARY: LazyLock<Library> = LazyLock::new(server::library);

/// The built component of that name, compiled now or by an earlier run.
fn compiled(name: &str) -> Compiled {
    let mut compiled = COMPILED.lock().unwrap_or_else(|it| it.into_inner());
    let compile = || {
        let source = Source::new(crate::component_bytes(name), name.to_owned());
        let compile = || {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let runtime = runtime.expect("a runtime can be made");
            runtime.block_on(Compiled::load_or_compile(&LIBRARY, &SANDBOX, &source))
        };
        // On a thread of its own: tests are in a runtime or in none.
        let compiled = thread::scope(|it| it.spawn(compile).join());
        compiled.expect("nothing panics").expect("it compiles")
    };
    compiled.entry(name.to_owned()).or_insert_with(compile).clone()
}

/// What comes of a recorded call of that built component, run again with nothing around it.
pub async fn replay(name: &str, record: &Record) -> Replayed {
    let solo = Solo::new(name, &[]).grant(Grant::ALL);
    record.replay(solo, &compiled(name)).await.expect("it loads")
}

/// A component about to be tested.
pub struct Bench {
    compiled: Compiled,
    solo: Solo,
    now: Arc<Mutex<Duration>>,
    is_on_postgres: bool,
    /// Where its database is, or what stands for it on PostgreSQL.
    file: Option<PathBuf>,
}

/// A component under test.
pub struct Tested {
    running: Running,
    now: Arc<Mutex<Duration>>,
}

impl Bench {
    /// The built component of that name, with nothing granted, at the start of 2026-11-20 in UTC.
    pub fn of(name: &str) -> Self {
        let now = Arc::new(Mutex::new(seconds("2026-11-20T00:00:00")));
        let solo = Solo::new(name, &[]).at(Clock::Fixed(now.clone()));
        Self {
            compiled: compiled(name),
            solo,
            now,
            is_on_postgres: postgres::is_asked_for(),
            file: None,
        }
    }

    /// The component in `bytes`, called so.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn of_bytes(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let now = Arc::new(Mutex::new(seconds("2026-11-20T00:00:00")));
        let solo = Solo::new(name, &[]).at(Clock::Fixed(now.clone()));
        let compiled = Compiled::new(&SANDBOX, bytes).map_err(|it| it.to_string())?;
        Ok(Self { compiled, solo, now, is_on_postgres: postgres::is_asked_for(), file: None })
    }

    /// The built component of that name, as `config` has it.
    pub fn configured(config: &Config, name: &str) -> Self {
        let now = Arc::new(Mutex::new(seconds("2026-11-20T00:00:00")));
        let solo = Solo::configured(config, name).expect("it is right").expect("it is there");
        let solo = solo.at(Clock::Fixed(now.clone())).database(None);
        Self {
            compiled: compiled(name),
            solo,
            now,
            is_on_postgres: postgres::is_asked_for(),
            file: None,
        }
    }

    /// What is understood of sentences, by a turn as a test reads it: `calls`, each `{tool, arguments}`, or
    /// `text`.
    #[must_use]
    pub fn understands(
        mut self,
        understands: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.solo = self.solo.understands(understands);
        self
    }

    /// Gives it `grant`.
    #[must_use]
    pub fn grant(mut self, grant: Grant) -> Self {
        self.solo = self.solo.grant([grant]);
        self
    }

    /// Gives it leave to everything that there is.
    #[must_use]
    pub fn grant_all(mut self) -> Self {
        self.solo = self.solo.grant(Grant::ALL);
        self
    }

    /// Lets it carry these imports without having them.
    #[must_use]
    pub fn stubs(mut self, stubs: &[&str]) -> Self {
        self.solo = self.solo.stubs(stubs.iter().map(|it| (*it).to_owned()).collect());
        self
    }

    /// Lets it call these tools, which answer so.
    #[must_use]
    pub fn calls(
        mut self,
        offers: &[&str],
        answers: impl Fn(&str, &Value) -> Called + Send + Sync + 'static,
    ) -> Self {
        self.solo = self.solo.calls(offers, answers);
        self
    }

    /// Lets it ask this assistant in its jobs, with so many turns and tokens for one conversation; what a run
    /// comes to is the data of its last event, by what was asked: `assistant`, `message`, `history`,
    /// `language`, `context` and `part`.
    #[must_use]
    pub fn assistant(
        mut self,
        name: &str,
        budget: (u32, u64),
        answers: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.solo = self.solo.assistant(name, budget, answers);
        self
    }

    /// Sets its clock, in UTC.
    #[must_use]
    pub fn at(self, time: &str) -> Self {
        *self.now.lock().expect("no test panics while it sets the clock") = seconds(time);
        self
    }

    /// Gives it the settings of an operator.
    #[must_use]
    pub fn settings(mut self, settings: Value) -> Self {
        let Value::Object(settings) = settings else { panic!("settings are an object") };
        let settings: BTreeMap<_, _> = settings.into_iter().collect();
        self.solo = self.solo.settings(Settings::read(&settings, Path::new("")).expect("no files"));
        self
    }

    /// Lets it read the file at `path` as `name`.
    #[must_use]
    pub fn file(mut self, name: &str, path: &Path) -> Self {
        self.solo = self.solo.file(name, path.to_owned());
        self
    }

    /// Lets it read the folder at `path` as `guest`.
    #[must_use]
    pub fn folder(mut self, guest: &str, path: &Path) -> Self {
        self.solo = self.solo.folder(guest, path.to_owned());
        self
    }

    /// Lets it use so much.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.solo = self.solo.limits(limits);
        self
    }

    /// Sets where the page is.
    #[must_use]
    pub fn page(mut self, url: &str) -> Self {
        self.solo = self.solo.page(url);
        self
    }

    /// Keeps its database in `file`; on PostgreSQL, in the one database that stands for that file.
    #[must_use]
    pub fn database(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// Keeps its database on PostgreSQL, whatever the others do.
    #[must_use]
    pub fn on_postgres(mut self) -> Self {
        self.is_on_postgres = true;
        self
    }

    /// Starts it, or says why it cannot be.
    pub async fn try_start(self) -> Result<Tested, String> {
        log::keep();
        let solo = match self.is_on_postgres {
            true => self.solo.store(store(self.file).await),
            false => self.solo.database(self.file),
        };
        let running = solo.start_compiled(&self.compiled).await;
        let running = running.map_err(|it| it.to_string())?;
        Ok(Tested { running, now: self.now })
    }

    /// Starts the component with what was set so far.
    pub async fn start(self) -> Tested {
        self.try_start().await.expect("the component starts")
    }
}

/// A test that fails says what was logged: there alone stands why a component broke down.
impl Drop for Tested {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("The log of this process:\n{}", log::kept());
        }
    }
}

impl Tested {
    /// Lets `time` pass on its clock.
    pub fn pass(&self, time: Duration) {
        *self.now.lock().expect("no test panics while it sets the clock") += time;
    }

    /// What the component is, as the host sees it.
    pub fn component(&self) -> &host::component::LoadedComponent {
        self.running.component()
    }

    /// What it has published since this was asked last.
    pub fn published(&self) -> Vec<String> {
        self.running.published()
    }

    /// Its store of blobs.
    pub fn blobs(&self) -> &Blobs {
        self.running.blobs().expect("it imports blobs")
    }

    /// Runs its schedule once.
    pub async fn run_schedule(&self) -> Result<(), String> {
        self.running.run_schedule().await
    }

    /// What it has to do now, beside the jobs of those keys.
    pub async fn due(&self, running: &[&str]) -> Result<Agenda, String> {
        self.running.due(running).await
    }

    /// One run of a job.
    pub async fn run_job(&self, key: &str, input: &str) -> Result<JobOutcome, String> {
        self.running.run_job(key, input).await
    }

    /// Looks something up, as `GET /api/NAME/PATH` would.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Value> {
        self.running.get(path, query).await
    }

    /// Answers a request, as `METHOD /api/NAME/PATH` would be.
    pub async fn request(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<workbench::solo::Answered, Value> {
        self.running.request(method, path, &body.to_string()).await
    }

    /// What it says that people may call what it has.
    pub async fn names(&self) -> Result<Vec<(String, String)>, Value> {
        self.running.names().await
    }

    /// What comes next in a conversation, or why nothing does.
    pub async fn converse(&self, turn: Value) -> Result<Value, Value> {
        self.running.converse(turn).await
    }

    /// From now on `caller` calls.
    pub fn speak(&self, caller: Caller) {
        self.running.speak(caller);
    }

    /// One round of a call that follows another: with what that one remembered, and any answers.
    /// Gives along what this one remembers.
    pub async fn repeat(
        &self,
        tool: &str,
        arguments: &Value,
        answers: &[(&str, AnswerAction, Value)],
        state: Option<String>,
    ) -> (SoloOutcome, Option<String>) {
        let answer = |(key, action, content): &(&str, AnswerAction, Value)| Answer {
            key: (*key).to_owned(),
            action: *action,
            content: (!content.is_null()).then(|| content.to_string()),
            meta: None,
        };
        let answers = answers.iter().map(answer).collect();
        self.running.repeat(tool, &arguments.to_string(), answers, state).await
    }

    /// One call, and its record.
    pub async fn record(&self, tool: &str, arguments: &Value, answers: Value) -> Record {
        let Value::Object(answers) = answers else { panic!("answers are an object") };
        let answers = answers.into_iter().collect();
        let (_, record) = self.running.record(("", Vec::new()), (tool, arguments), answers).await;
        record.expect("it is small enough")
    }

    /// What is at a URI, as `resources/read` would say it.
    pub async fn read(&self, uri: &str) -> Result<Vec<Contents>, Value> {
        self.running.read(uri).await
    }

    /// The texts of a prompt's messages.
    pub async fn prompt(&self, name: &str, arguments: &[(&str, &str)]) -> Vec<String> {
        self.running.prompt(name, arguments).await.expect("the prompt says something")
    }

    /// One round of a call.
    pub async fn round(&self, tool: &str, arguments: Value, answers: Value) -> SoloOutcome {
        let Value::Object(answers) = answers else { panic!("answers are an object") };
        self.running.call(tool, &arguments.to_string(), answers.into_iter().collect()).await
    }

    /// The structured output of a call that must succeed.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        match self.round(tool, arguments, serde_json::json!({})).await {
            SoloOutcome::Done(output) => {
                let json = output.structured.expect("the tool has a structured output");
                serde_json::from_str(&json).expect("the output is JSON")
            }
            other => panic!("{tool} did not succeed: {other:?}"),
        }
    }

    /// The texts beside the structured output of a call that must succeed.
    pub async fn texts(&self, tool: &str, arguments: Value) -> Vec<String> {
        match self.round(tool, arguments, serde_json::json!({})).await {
            SoloOutcome::Done(output) => {
                let text = |part| match part {
                    Content::Text(text) => Some(text.text),
                    _ => None,
                };
                output.content.into_iter().filter_map(text).collect()
            }
            other => panic!("{tool} did not succeed: {other:?}"),
        }
    }

    /// The object `{error, message, status, data?}` of a call that must fail.
    pub async fn failure(&self, tool: &str, arguments: Value) -> Value {
        match self.round(tool, arguments, serde_json::json!({})).await {
            SoloOutcome::Failed(object) => object,
            other => panic!("{tool} did not fail: {other:?}"),
        }
    }
}

/// The address of the database that stands for `file` on this process's cluster.
fn standing_for(file: PathBuf) -> String {
    static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let mut cached = KNOWN.lock().unwrap_or_else(|it| it.into_inner());
    cached.entry(file).or_insert_with(|| Cluster::shared().database()).clone()
}

/// All that the database at `file` holds, or the one that stands for it.
///
/// # Panics
/// If it cannot be read.
pub fn kept(file: &Path) -> Vec<u8> {
    if postgres::is_asked_for() {
        return Cluster::shared().dump(&standing_for(file.to_owned()));
    }
    // A connection that is still being closed takes its log away between the listing and the reading.
    (0..100).find_map(|_| read_all(file.parent()?).ok()).expect("its folder can be read")
}

/// What all files of `folder` hold.
fn read_all(folder: &Path) -> std::io::Result<Vec<u8>> {
    let files = std::fs::read_dir(folder)?;
    Ok(files.map(|file| std::fs::read(file?.path())).collect::<Result<Vec<_>, _>>()?.concat())
}

/// A database of this process's cluster: the one that stands for `file`, or a new one.
async fn store(file: Option<PathBuf>) -> Server {
    let url = file.map_or_else(|| Cluster::shared().database(), standing_for);
    let node = "bench".to_owned();
    let server = Server::connect(&Address { url, ca: None, connections_max: 4, node }).await;
    server.expect("the cluster lets it in")
}

/// `2026-11-20T10:00:00` in UTC as the time since 1970.
fn seconds(time: &str) -> Duration {
    let parts: Vec<i64> =
        time.split(['-', 'T', ':']).map(|it| it.parse().expect("a time")).collect();
    let [year, month, day, hour, minute, second] = parts[..] else { panic!("{time}: Y-M-DTH:M:S") };
    // Days since 1970 by Howard Hinnant's civil calendar.
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719_469;
    let total = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Duration::from_secs(total.try_into().expect("after 1970"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_calendar_agrees_with_known_dates() {
        assert_eq!(super::seconds("1970-01-01T00:00:00").as_secs(), 0);
        assert_eq!(super::seconds("2026-11-20T10:00:00").as_secs(), 1_795_168_800);
    }
}
