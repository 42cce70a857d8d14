//! Every limit, with its default and with what can work, in one place.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Elements that a table in the pool has room for.
pub const TABLE_ELEMENTS_MAX: usize = 20_000;
/// The least memory: one page.
const PAGE: usize = 64 << 10;
/// What a 32-bit guest can address.
const MEMORY_MAX: usize = 4 << 30;
/// Instances that the pool can reserve addresses for: each takes a bit more than 4 GiB of them.
const INSTANCES_MAX: u32 = 4_096;
/// A day: whatever takes longer is no call.
const TIME_MS_MAX: u64 = 24 * 60 * 60 * 1_000;
/// What may cross the border, be queued or be logged at most, however it is configured.
const BYTES_MAX: usize = 1 << 30;

/// Bytes that the code of one function may have: compiling takes more than twice the time for twice
/// the bytes.
pub const FUNCTION_BYTES_MAX: u64 = 2 << 20;

/// What all components share: `[sandbox]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    /// Instances that can live at a time, over all components.
    pub instances_max: u32,
    /// Stack of one instance, in bytes.
    pub stack_bytes_max: usize,
    /// Calls that may take long and run at a time; one less than the processors where this is not set.
    pub slow_lane: Option<usize>,
    /// Functions that one component may have, and types of functions.
    pub functions_max: u64,
    /// Bytes of code that one component may have, in WebAssembly.
    pub code_bytes_max: u64,
    /// Memory that compiling one component may take, in bytes.
    pub compile_memory_bytes_max: u64,
    /// Time on processors that compiling one component may take, in seconds.
    pub compile_cpu_s_max: u64,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            instances_max: 256,
            stack_bytes_max: 512 << 10,
            slow_lane: None,
            functions_max: 65_536,
            code_bytes_max: 32 << 20,
            compile_memory_bytes_max: 2 << 30,
            compile_cpu_s_max: 120,
        }
    }
}

/// What clients of the legacy era may keep open: `[sessions]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsConfig {
    /// Sessions that are open at a time, over all callers.
    pub sessions_max: usize,
    /// Seconds after which an idle one is closed.
    pub idle_s: u64,
    /// Seconds that a call waits for a person's answer to a question that may be answered later: ordinary
    /// clients give a call up after 30 or 60.
    pub question_wait_s: u64,
}

impl Default for SessionsConfig {
    fn default() -> Self {
        Self { sessions_max: 1_000, idle_s: 300, question_wait_s: 25 }
    }
}

/// What clients may keep open and send, and how long they may take for it: `[connections]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionsConfig {
    /// Connections that are open at a time.
    pub connections_max: usize,
    /// Seconds that the head of a request may take from its first byte to its last.
    pub header_s: u64,
    /// Seconds that the next piece of a body may take.
    pub body_s: u64,
    /// Bytes a second that a body brings on average, once `body_s` are over.
    pub body_bytes_per_s_min: u64,
    /// Seconds that a connection stays open between two requests.
    pub idle_s: u64,
    /// Seconds that a client may take to read the next piece of its answer.
    pub write_s: u64,
    /// Bytes of requests' bodies that are in memory at a time; where this is not set, what fits the
    /// largest body that may be sent.
    pub bodies_bytes_max: Option<usize>,
    /// Seconds that calls have to finish when the server stops.
    pub stop_s: u64,
}

impl Default for ConnectionsConfig {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            header_s: 10,
            body_s: 30,
            body_bytes_per_s_min: 1_024,
            idle_s: 75,
            write_s: 60,
            bodies_bytes_max: None,
            stop_s: 7,
        }
    }
}

/// How long calls wait for a person, and how many of them are kept: `[approvals]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// Seconds after which a call that waits for approval expires.
    pub valid_s: u64,
    /// Approvals that are kept, those that are over included.
    pub approvals_max: usize,
    /// Bytes of all of them.
    pub approvals_bytes_max: u64,
    /// Bytes of one, with what its call came to.
    pub approval_bytes_max: u64,
}

impl Default for ApprovalsConfig {
    fn default() -> Self {
        Self {
            valid_s: 24 * 60 * 60,
            approvals_max: 10_000,
            approvals_bytes_max: 256 << 20,
            approval_bytes_max: 32 << 20,
        }
    }
}

impl ApprovalsConfig {
    /// The error says what to fix where these cannot work.
    pub fn check(&self) -> Result<(), String> {
        within("valid_s", self.valid_s, 1, 366 * 24 * 60 * 60)?;
        within("approvals_max", self.approvals_max, 1, 1_000_000)?;
        within("approvals_bytes_max", self.approvals_bytes_max, 1 << 20, 1 << 40)?;
        within("approval_bytes_max", self.approval_bytes_max, 1 << 10, 1 << 30)
    }
}

/// When a call is answered as a task, and what is kept of tasks: `[tasks]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TasksConfig {
    /// Milliseconds that a call may take before its client, if it takes tasks, is given one.
    pub after_ms: u64,
    /// Seconds that a task is kept after its last change.
    pub keep_s: u64,
    /// Seconds that a task may wait for events and people, in all.
    pub wait_s_max: u64,
    /// Tasks that run or wait at a time.
    pub running_max: usize,
    /// Those of them that may be one caller's.
    pub running_share_max: usize,
    /// Tasks that are kept, those that are over included.
    pub tasks_max: usize,
    /// Bytes of all of them.
    pub tasks_bytes_max: u64,
    /// Bytes of one, with its arguments and its result.
    pub task_bytes_max: u64,
}

impl Default for TasksConfig {
    fn default() -> Self {
        Self {
            after_ms: 500,
            keep_s: 60 * 60,
            wait_s_max: 24 * 60 * 60,
            running_max: 256,
            running_share_max: 32,
            tasks_max: 10_000,
            tasks_bytes_max: 256 << 20,
            task_bytes_max: 32 << 20,
        }
    }
}

impl TasksConfig {
    /// Says what to fix where these cannot work.
    ///
    /// # Errors
    /// The first that is too little or too much.
    pub fn check(&self) -> Result<(), String> {
        within("after_ms", self.after_ms, 0, 60_000)?;
        within("keep_s", self.keep_s, 1, 366 * 24 * 60 * 60)?;
        within("wait_s_max", self.wait_s_max, 1, 366 * 24 * 60 * 60)?;
        within("running_max", self.running_max, 1, 10_000)?;
        within("running_share_max", self.running_share_max, 1, self.running_max)?;
        within("tasks_max", self.tasks_max, 1, 1_000_000)?;
        within("tasks_bytes_max", self.tasks_bytes_max, 1 << 20, 1 << 40)?;
        within("task_bytes_max", self.task_bytes_max, 1 << 10, 1 << 30)
    }
}

/// How often structured outputs are held against their schema. That they are JSON is always checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutputs {
    /// Each output is checked.
    Always,
    /// The first hundred of a version, then one in 64.
    Sampled,
    /// No output is checked.
    Never,
}

/// What one component may use. Each field can be set in `[components.NAME.limits]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Linear memory of one instance, in bytes.
    pub memory_bytes_max: usize,
    /// Linear memory of all instances that run at a time, in bytes.
    pub memory_total_bytes_max: usize,
    /// Time on a processor that one call may take, in milliseconds.
    pub cpu_ms_max: u64,
    /// Time that one round of a call may take, waiting for its turn and for capabilities included, in
    /// milliseconds.
    pub deadline_ms: u64,
    /// Time that the answer to one request for a route may take, what it calls and asks included, in
    /// milliseconds.
    pub route_ms_max: u64,
    /// Jobs of its own that run at a time, at most half of the sandbox's instances; one in a pause does not.
    pub jobs_max: usize,
    /// Time that one run of a job may take, what it asks included, in milliseconds.
    pub job_ms_max: u64,
    /// Bytes that may cross the border in one go, results and arguments of capabilities alike.
    pub output_bytes_max: usize,
    /// Bytes that one call may write to the log and to its standard error; the rest is dropped.
    pub log_bytes_max: usize,
    /// Elements of one instance's tables.
    pub table_elements_max: usize,
    /// Resources of the host that one instance may hold at a time.
    pub handles_max: usize,
    /// Progress notes of one call; the rest is dropped.
    pub progress_max: u32,
    /// Calls that run at a time.
    pub calls_max: usize,
    /// Calls that may wait for their turn; one more is answered `busy` at once.
    pub queue_max: usize,
    /// Time that a call may spend in `wait`, in milliseconds.
    pub wait_ms_max: u64,
    /// Calls that may be in `wait` at a time.
    pub waiters_max: usize,
    /// Events that one call may publish; the rest is dropped.
    pub events_max: u32,
    /// Events that one request for a route may write to its client; the rest is dropped.
    pub stream_events_max: u32,
    /// Calls of tools that one call may make.
    pub tool_calls_max: u32,
    /// Bytes of blobs that one call may make.
    pub blob_bytes_max: u64,
    /// Bytes that the component's database may have.
    pub database_bytes_max: u64,
    /// How often its outputs are held against their schema.
    pub check_outputs: CheckOutputs,
    /// Outgoing HTTP requests that one call may make, those that are refused among them.
    pub http_requests_max: u32,
    /// Bytes that the outgoing requests of one call may move, both ways together.
    pub http_bytes_max: u64,
    /// Time that one outgoing request may take to the end of its answer, in milliseconds.
    pub http_timeout_ms: u64,
    /// Time that finding and reaching a host may take, in milliseconds.
    pub http_connect_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes_max: 64 << 20,
            memory_total_bytes_max: 1 << 30,
            cpu_ms_max: 2_000,
            deadline_ms: 30_000,
            route_ms_max: 60_000,
            jobs_max: 64,
            job_ms_max: 900_000,
            output_bytes_max: 8 << 20,
            log_bytes_max: 64 << 10,
            table_elements_max: 20_000,
            handles_max: 256,
            progress_max: 1_000,
            calls_max: 64,
            queue_max: 1_024,
            wait_ms_max: 60_000,
            waiters_max: 256,
            events_max: 256,
            stream_events_max: 65_536,
            tool_calls_max: 64,
            blob_bytes_max: 32 << 20,
            database_bytes_max: 256 << 20,
            check_outputs: CheckOutputs::Sampled,
            http_requests_max: 32,
            http_bytes_max: 8 << 20,
            http_timeout_ms: 10_000,
            http_connect_ms: 3_000,
        }
    }
}

impl SandboxConfig {
    /// The error says what to fix where these cannot work.
    pub fn check(&self) -> Result<(), String> {
        within("instances_max", self.instances_max as usize, 1, INSTANCES_MAX as usize)?;
        within("stack_bytes_max", self.stack_bytes_max, PAGE, 64 << 20)?;
        within("slow_lane", self.slow_lane.unwrap_or(1), 1, 1_024)?;
        within("functions_max", self.functions_max, 1, 1_000_000)?;
        within("code_bytes_max", self.code_bytes_max, PAGE as u64, 64 << 20)?;
        let (least, most) = (256 << 20, 1 << 40);
        within("compile_memory_bytes_max", self.compile_memory_bytes_max, least, most)?;
        within("compile_cpu_s_max", self.compile_cpu_s_max, 1, TIME_MS_MAX / 1_000)
    }
}

impl SessionsConfig {
    /// The error says what to fix where these cannot work.
    pub fn check(&self) -> Result<(), String> {
        within("sessions_max", self.sessions_max, 1, 100_000)?;
        within("idle_s", self.idle_s, 1, TIME_MS_MAX / 1_000)?;
        within("question_wait_s", self.question_wait_s, 0, 900)
    }

    /// How long a call waits for the answer to a question that may be answered later.
    pub fn question_wait(&self) -> Duration {
        Duration::from_secs(self.question_wait_s)
    }
}

impl ConnectionsConfig {
    /// Bytes of bodies in memory where the configuration sets nothing.
    const BODIES_BYTES: usize = 64 << 20;

    /// Bytes of bodies that are in memory at a time, where one may have `largest`.
    pub fn bodies_bytes_max(&self, largest: usize) -> usize {
        self.bodies_bytes_max.unwrap_or(Self::BODIES_BYTES.max(largest.saturating_mul(2)))
    }

    /// The error says what to fix where these cannot work with bodies of up to `largest` bytes.
    pub fn check(&self, largest: usize) -> Result<(), String> {
        within("connections_max", self.connections_max, 16, 1_000_000)?;
        within("header_s", self.header_s, 1, 600)?;
        within("body_s", self.body_s, 1, 600)?;
        within("body_bytes_per_s_min", self.body_bytes_per_s_min, 0, 1 << 20)?;
        within("idle_s", self.idle_s, 1, 3_600)?;
        within("write_s", self.write_s, 1, 3_600)?;
        within("bodies_bytes_max", self.bodies_bytes_max(largest), largest, 1 << 40)?;
        within("stop_s", self.stop_s, 0, 600)
    }
}

impl Limits {
    /// The error says what to fix where these cannot work in that sandbox.
    pub fn check(&self, sandbox: &SandboxConfig) -> Result<(), String> {
        within("memory_bytes_max", self.memory_bytes_max, PAGE, MEMORY_MAX)?;
        let total = self.memory_total_bytes_max;
        within("memory_total_bytes_max", total, self.memory_bytes_max, 1 << 40)?;
        within("cpu_ms_max", self.cpu_ms_max, 1, TIME_MS_MAX)?;
        within("deadline_ms", self.deadline_ms, 1, TIME_MS_MAX)?;
        within("route_ms_max", self.route_ms_max, 1, TIME_MS_MAX)?;
        within("jobs_max", self.jobs_max, 1, INSTANCES_MAX as usize)?;
        within("job_ms_max", self.job_ms_max, 1, TIME_MS_MAX)?;
        within("output_bytes_max", self.output_bytes_max, 1 << 10, BYTES_MAX)?;
        within("log_bytes_max", self.log_bytes_max, 0, BYTES_MAX)?;
        within("table_elements_max", self.table_elements_max, 0, TABLE_ELEMENTS_MAX)?;
        within("handles_max", self.handles_max, 1, 1 << 20)?;
        within("calls_max", self.calls_max, 1, sandbox.instances_max as usize)?;
        within("progress_max", self.progress_max, 0, 1 << 20)?;
        within("events_max", self.events_max, 0, 1 << 20)?;
        within("stream_events_max", self.stream_events_max, 0, 1 << 20)?;
        within("tool_calls_max", self.tool_calls_max, 0, 1 << 20)?;
        within("blob_bytes_max", self.blob_bytes_max, 0, 1 << 40)?;
        within("http_requests_max", self.http_requests_max, 0, 1 << 20)?;
        within("http_bytes_max", self.http_bytes_max, 0, 1 << 40)?;
        within("http_timeout_ms", self.http_timeout_ms, 1, TIME_MS_MAX)?;
        within("http_connect_ms", self.http_connect_ms, 1, TIME_MS_MAX)?;
        within("queue_max", self.queue_max, 0, 1 << 20)?;
        within("wait_ms_max", self.wait_ms_max, 0, TIME_MS_MAX)?;
        within("waiters_max", self.waiters_max, 0, 1 << 20)?;
        within("database_bytes_max", self.database_bytes_max, 1 << 20, 1 << 40)
    }
}

/// The error says what to fix where `it` is not between the two.
pub(crate) fn within<T: PartialOrd + std::fmt::Display>(
    limit: &str,
    it: T,
    least: T,
    most: T,
) -> Result<(), String> {
    if it < least || it > most {
        return Err(format!("{limit} = {it} cannot work; {least} to {most} is right"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_most_that_works() {
        let serde_json::Value::Object(all) = serde_json::to_value(Limits::default()).unwrap()
        else {
            panic!("limits are an object")
        };
        for (name, _) in all.iter().filter(|it| it.1.is_number()) {
            let with = |most: u64| {
                let mut changed = all.clone();
                changed.insert(name.clone(), most.into());
                Some((most, serde_json::from_value::<Limits>(changed.into()).ok()?))
            };
            let widest = with(u64::MAX).or_else(|| with(u32::MAX.into()));
            let (most, limits) = widest.expect("a number of 32 or 64 bits");
            let error = limits.check(&SandboxConfig::default()).unwrap_err();
            assert!(error.starts_with(&format!("{name} = {most} cannot work")), "{error}");
        }
    }

    #[test]
    fn defaults_work_and_unworkable_limits_are_named_with_remedy() {
        let sandbox = SandboxConfig::default();
        assert_eq!(sandbox.check(), Ok(()));
        assert_eq!(Limits::default().check(&sandbox), Ok(()));
        let error = |change: fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits.check(&SandboxConfig::default()).unwrap_err()
        };
        assert_eq!(error(|it| it.calls_max = 0), "calls_max = 0 cannot work; 1 to 256 is right");
        assert!(error(|it| it.calls_max = 257).contains("1 to 256"));
        assert!(error(|it| it.memory_bytes_max = 1_000).contains("65536 to 4294967296"));
        assert!(error(|it| it.memory_bytes_max = usize::MAX).contains("memory_bytes_max"));
        assert!(error(|it| it.memory_total_bytes_max = 1).contains("67108864 to"));
        assert!(error(|it| it.deadline_ms = 0).contains("deadline_ms"));
        assert!(error(|it| it.http_timeout_ms = 0).contains("http_timeout_ms = 0"));
        assert!(error(|it| it.http_connect_ms = 0).contains("http_connect_ms = 0"));
        assert!(error(|it| it.table_elements_max = 20_001).contains("0 to 20000"));
        let huge = SandboxConfig { instances_max: u32::MAX, ..SandboxConfig::default() };
        assert!(huge.check().unwrap_err().contains("1 to 4096"));
        assert_eq!(SessionsConfig::default().check(), Ok(()));
        let closed = SessionsConfig { sessions_max: 0, ..SessionsConfig::default() };
        assert!(closed.check().unwrap_err().contains("1 to 100000"));
        let hasty = ConnectionsConfig { header_s: 0, ..ConnectionsConfig::default() };
        assert!(hasty.check(1).unwrap_err().contains("header_s = 0 cannot work; 1 to 600"));
        let narrow =
            ConnectionsConfig { bodies_bytes_max: Some(9), ..ConnectionsConfig::default() };
        assert!(narrow.check(10).unwrap_err().contains("bodies_bytes_max = 9"));
        assert_eq!(ConnectionsConfig::default().check(1 << 30), Ok(()), "it fits the largest body");
        let no_lane = SandboxConfig { slow_lane: Some(0), ..SandboxConfig::default() };
        assert!(no_lane.check().unwrap_err().contains("slow_lane"));
    }
}
