//! Every limit with its default and its valid range.

use std::{fmt::Display, ops::RangeInclusive, time::Duration};

use serde::{Deserialize, Serialize};
use store::blobs;

/// Elements that a table in the pool has room for.
pub const TABLE_ELEMENTS_MAX: usize = 20_000;
/// The least memory: one page.
const PAGE: usize = 64 << 10;
/// Address space of a 32-bit guest.
const MEMORY_MAX: usize = 4 << 30;
/// Instances that the pool can reserve addresses for: each takes a bit more than 4 GiB of them.
const INSTANCES_MAX: u32 = 4_096;
/// A day: whatever takes longer is no call.
const TIME_MS_MAX: u64 = 24 * 60 * 60 * 1_000;
/// Upper bound of all message, queue and log limits, in bytes.
const BYTES_MAX: usize = 1 << 30;

/// Bytes that the code of one function may have: compiling takes more than twice the time for twice
/// the bytes.
pub const FUNCTION_BYTES_MAX: u64 = 2 << 20;

/// A table of limits: a line has a limit's type, its default and, where it is a number, what can work. `check` returns
/// what to fix where one cannot; it is given what those bounds need to know that are no limits of the same table.
macro_rules! limits {
    ($(#[$about:meta])* $name:ident as $all:ident $(, $given:ident: $of:ty)? {
        $($(#[$what:meta])* $limit:ident: $kind:ty = $default:expr
            $(, in $range:expr)? $(, some in $some:expr)?;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$what])* pub $limit: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($limit: $default,)* }
            }
        }

        impl $name {
            /// Says what to fix where these cannot work.
            ///
            /// # Errors
            /// The first that is too little or too much.
            pub fn check(&self $(, $given: $of)?) -> Result<(), String> {
                let $all = self;
                $(
                    $(check_range(stringify!($limit), $all.$limit, $range)?;)?
                    $(if let Some(value) = $all.$limit {
                        check_range(stringify!($limit), value, $some)?;
                    })?
                )*
                Ok(())
            }
        }
    };
}
pub(crate) use limits;

limits! {
    /// `[sandbox]`: limits shared by all components.
    SandboxConfig as it {
        /// Instances that can live at a time, over all components.
        /// At it, calls wait, up to their deadline, then `busy`; an eighth is kept for components that run fewer than
        /// four calls, so that none can take all.
        instances_max: u32 = 256, in 1..=INSTANCES_MAX;
        /// Stack of one instance, in bytes.
        /// At it, the call ends. The second stack, which Rust and C keep in their memory, is set by the component's
        /// author; running out of it goes by the same name.
        stack_bytes_max: usize = 512 << 10, in PAGE..=64 << 20;
        /// Calls that may take long and run at a time, on threads of their own; one less than the processors where
        /// this is not set, at least 1. They take turns, a millisecond each.
        slow_lane: Option<usize> = None, some in 1..=1_024;
        /// Functions that one component may have, and types of functions, each.
        /// At it, the component is not compiled.
        functions_max: u64 = 65_536, in 1..=1_000_000;
        /// Bytes of code that one component may have, in WebAssembly.
        /// At it, the component is not compiled.
        code_bytes_max: u64 = 32 << 20, in PAGE as u64..=64 << 20;
        /// Memory that compiling one component may take, in bytes.
        /// At it, compiling ends.
        compile_memory_bytes_max: u64 = 2 << 30, in (256 << 20)..=1 << 40;
        /// Time on processors that compiling one component may take, in seconds.
        /// At it, compiling ends.
        compile_cpu_s_max: u64 = 120, in 1..=TIME_MS_MAX / 1_000;
    }
}

limits! {
    /// `[sessions]`: limits of legacy sessions.
    SessionsConfig as it {
        /// Sessions that are open at a time, over all callers.
        sessions_max: usize = 1_000, in 1..=100_000;
        /// Seconds after which an idle one is closed.
        idle_s: u64 = 300, in 1..=TIME_MS_MAX / 1_000;
        /// Seconds that a call waits for a person's answer to a question that may be answered later: ordinary
        /// clients give a call up after 30 or 60.
        question_wait_s: u64 = 25, in 0..=900;
    }
}

limits! {
    /// `[connections]`: limits of client connections, bodies and time.
    ConnectionsConfig as it, largest: usize {
        /// Connections that are open at a time.
        connections_max: usize = 4_096, in 16..=1_000_000;
        /// Seconds that the head of a request may take from its first byte to its last.
        header_s: u64 = 10, in 1..=600;
        /// Seconds that the next piece of a body may take.
        body_s: u64 = 30, in 1..=600;
        /// Bytes a second that a body brings on average, once `body_s` are over.
        body_bytes_per_s_min: u64 = 1_024, in 0..=1 << 20;
        /// Seconds that a connection stays open between two requests.
        idle_s: u64 = 75, in 1..=3_600;
        /// Seconds that a client may take to read the next piece of its answer.
        write_s: u64 = 60, in 1..=3_600;
        /// Bytes of requests' bodies that are in memory at a time; where this is not set, what fits the
        /// largest body that may be sent.
        bodies_bytes_max: Option<usize> = None, some in largest..=1 << 40;
        /// Bytes of long answers that are in memory at a time until their clients have read them.
        answers_bytes_max: usize = Self::ANSWERS_BYTES, in 1 << 20..=1 << 40;
        /// Seconds for which a stopping server still accepts calls while `/api/ready` reports that it leaves, so that
        /// a load balancer removes it.
        drain_s: u64 = 0, in 0..=600;
        /// Seconds that calls have to finish when the server stops.
        stop_s: u64 = 7, in 0..=600;
    }
}

limits! {
    /// `[approvals]`: limits of waiting calls.
    ApprovalsConfig as it {
        /// Seconds after which a call that waits for approval expires.
        valid_s: u64 = 24 * 60 * 60, in 1..=366 * 24 * 60 * 60;
        /// Approvals that are kept, those that are over included.
        approvals_max: usize = 10_000, in 1..=1_000_000;
        /// Bytes of all of them.
        approvals_bytes_max: u64 = 256 << 20, in 1 << 20..=1 << 40;
        /// Bytes of one, with what its call came to.
        approval_bytes_max: u64 = 32 << 20, in 1 << 10..=1 << 30;
    }
}

limits! {
    /// `[tasks]`: when calls become tasks, and how many are kept.
    TasksConfig as it {
        /// Milliseconds that a call may take before its client, if it takes tasks, is given one.
        after_ms: u64 = 500, in 0..=60_000;
        /// Seconds that a task is kept after its last change.
        keep_s: u64 = 60 * 60, in 1..=366 * 24 * 60 * 60;
        /// Seconds that a task may wait for events and people, in all.
        wait_s_max: u64 = 24 * 60 * 60, in 1..=366 * 24 * 60 * 60;
        /// Tasks that run or wait at a time.
        running_max: usize = 256, in 1..=10_000;
        /// Maximum number of running tasks of one caller.
        running_share_max: usize = 32, in 1..=it.running_max;
        /// Tasks that are kept, those that are over included.
        tasks_max: usize = 10_000, in 1..=1_000_000;
        /// Bytes of all of them.
        tasks_bytes_max: u64 = 256 << 20, in 1 << 20..=1 << 40;
        /// Bytes of one, with its arguments and its result.
        task_bytes_max: u64 = 32 << 20, in 1 << 10..=1 << 30;
    }
}

/// How often structured outputs are validated against their schema. They must be JSON in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutputs {
    /// Every output.
    Always,
    /// The first hundred of a version, then one in 64.
    Sampled,
    /// No output is checked.
    Never,
}

limits! {
    /// `[limits]`, and `[components.NAME.limits]` for one: limits of each component.
    Limits as it, sandbox: &SandboxConfig {
        /// Linear memory of one instance, in bytes.
        /// At it, growing fails; the call ends if the component cannot live with that.
        memory_bytes_max: usize = 64 << 20, in PAGE..=MEMORY_MAX;
        /// Linear memory of all instances that run at a time, in bytes.
        /// At it, growing fails, as for one instance.
        memory_total_bytes_max: usize = 1 << 30, in it.memory_bytes_max..=1 << 40;
        /// Time on a processor that one call may take, in milliseconds.
        /// At it, the call ends; counted in slices of a millisecond that it really ran.
        cpu_ms_max: u64 = 2_000, in 1..=TIME_MS_MAX;
        /// Time that one round of a call may take, waiting for its turn and for capabilities included, in
        /// milliseconds.
        /// At it, the call ends, whatever it waits for; also the longest wait for a place.
        deadline_ms: u64 = 30_000, in 1..=TIME_MS_MAX;
        /// Time limit of a route response in milliseconds, including calls it makes.
        /// At it, the request ends, with all that it calls and asks.
        route_ms_max: u64 = 60_000, in 1..=TIME_MS_MAX;
        /// Jobs of its own that run at a time, at most half of the sandbox's instances; one in a pause does not, and
        /// one more waits for its turn.
        jobs_max: usize = 64, in 1..=INSTANCES_MAX as usize;
        /// Time limit of a job run in milliseconds, including what it waits for.
        /// At it, the run ends, and its job rests.
        job_ms_max: u64 = 900_000, in 1..=TIME_MS_MAX;
        /// Bytes that may cross the border in one go, results and arguments of capabilities alike.
        /// At it, the call ends.
        output_bytes_max: usize = 8 << 20, in 1 << 10..=BYTES_MAX;
        /// Bytes that one call may write to the log and to its standard error; the rest is dropped, and how much is
        /// reported once. Each line costs 64 bytes more than its text.
        log_bytes_max: usize = 64 << 10, in 0..=BYTES_MAX;
        /// Elements of one instance's tables.
        /// At it, growing fails, as for memory.
        table_elements_max: usize = 20_000, in 0..=TABLE_ELEMENTS_MAX;
        /// Resources of the host that one instance may hold at a time.
        /// At it, the call ends; the component's own resources count as well, and in WASI 0.3 streams, futures and
        /// calls that wait.
        handles_max: usize = 256, in 1..=1 << 20;
        /// Progress notes of one call; the rest is dropped, and how many is reported once. A note's message has 1
        /// KiB.
        progress_max: u32 = 1_000, in 0..=1 << 20;
        /// Calls that run at a time.
        /// At it, calls queue; a caller who is known has at most half of the places, and of the queue.
        calls_max: usize = 64, in 1..=sandbox.instances_max as usize;
        /// Calls that may wait for their turn; one more is answered `busy` at once (503), with `retry_after_ms` from
        /// how long calls took lately and how many wait; over plain HTTP with `Retry-After`, too.
        queue_max: usize = 1_024, in 0..=1 << 20;
        /// Time that a call may spend in `wait`, in milliseconds.
        /// At it, the wait ends.
        wait_ms_max: u64 = 60_000, in 0..=TIME_MS_MAX;
        /// Calls that may be in `wait` at a time; one more is answered `busy`.
        waiters_max: usize = 256, in 0..=1 << 20;
        /// Events that one call may publish; the rest is dropped, and the log says so.
        events_max: u32 = 256, in 0..=1 << 20;
        /// Events that one request for a route may write to its client; the rest is dropped, and the log says so.
        stream_events_max: u32 = 65_536, in 0..=1 << 20;
        /// Calls of tools that one call may make, 64 at once; one more is refused with `too_many_calls`.
        tool_calls_max: u32 = 64, in 0..=1 << 20;
        /// Bytes of blobs that one call may make.
        /// At it, the blob is not made.
        blob_bytes_max: u64 = 32 << 20, in 0..=1 << 40;
        /// Bytes that the component's database may have.
        /// At it, the statement fails and says so; reading and deleting go on. With SQLite, a query that sorts or
        /// gathers more than twice as much ends, a write at four times (on Linux), and while one keeps a log of as
        /// much (32 MiB in any case) from being brought home, writing is `unavailable`.
        database_bytes_max: u64 = 256 << 20, in 1 << 20..=1 << 40;
        /// How often outputs are validated: `"always"`, `"sampled"` (the first hundred of a version, then one in 64)
        /// or `"never"`.
        check_outputs: CheckOutputs = CheckOutputs::Sampled;
        /// Outgoing HTTP requests that one call may make, those that are refused among them.
        /// At it, [the request fails alone](operating.md#outgoing-http-and-secrets).
        http_requests_max: u32 = 32, in 0..=1 << 20;
        /// Bytes that the outgoing requests of one call may move, both ways together.
        /// At it, [the request fails alone](operating.md#outgoing-http-and-secrets).
        http_bytes_max: u64 = 8 << 20, in 0..=1 << 40;
        /// Time that one outgoing request may take to the end of its answer, in milliseconds.
        /// At it, [the request fails alone](operating.md#outgoing-http-and-secrets).
        http_timeout_ms: u64 = 10_000, in 1..=TIME_MS_MAX;
        /// Time that finding and reaching a host may take, in milliseconds.
        /// At it, [the request fails alone](operating.md#outgoing-http-and-secrets).
        http_connect_ms: u64 = 3_000, in 1..=TIME_MS_MAX;
    }
}

impl SessionsConfig {
    /// How long a call waits for a question that can be answered later.
    pub fn question_wait(&self) -> Duration {
        Duration::from_secs(self.question_wait_s)
    }
}

impl ConnectionsConfig {
    /// Bytes of bodies in memory where the configuration sets nothing.
    const BODIES_BYTES: usize = 64 << 20;
    /// Memory budget of long responses, in bytes.
    pub const ANSWERS_BYTES: usize = 256 << 20;

    /// Bytes of bodies that are in memory at a time, where one may have `largest`.
    pub fn bodies_bytes_max(&self, largest: usize) -> usize {
        self.bodies_bytes_max.unwrap_or(Self::BODIES_BYTES.max(largest.saturating_mul(2)))
    }
}

/// Says what to fix where uploads cannot be kept so.
///
/// # Errors
/// The first that is too little or too much.
pub(crate) fn check_blobs(limits: &blobs::Limits) -> Result<(), String> {
    let bytes = || 1..=1 << 40;
    check_range("blob_bytes_max", limits.blob_bytes_max, bytes())?;
    check_range("bytes_max", limits.bytes_max, bytes())?;
    check_range("caller_bytes_max", limits.caller_bytes_max, bytes())?;
    check_range("caller_uploads_max", limits.caller_uploads_max, 1..=1 << 20)?;
    check_range("caller_downloads_max", limits.caller_downloads_max, 1..=1 << 20)?;
    check_range("ttl_s", limits.ttl_s, 1..=10 * 366 * 24 * 60 * 60)
}

/// Says what to fix where a request's body cannot have so many bytes.
///
/// # Errors
/// The valid range.
pub(crate) fn check_body(bytes_max: usize) -> Result<(), String> {
    check_range("body_bytes_max", bytes_max, 1 << 10..=BYTES_MAX)
}

/// Says what to fix where `it` is not in `range`.
///
/// # Errors
/// The valid range.
pub(crate) fn check_range<T: PartialOrd + Display>(
    limit: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), String> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(format!("{limit} = {value} cannot work; {least} to {most} is right"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_working_maximum() {
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
    fn rejects_uploads_and_bodies_too_small_to_use() {
        assert_eq!(check_blobs(&blobs::Limits::default()), Ok(()));
        let brief = blobs::Limits { ttl_s: 0, ..blobs::Limits::default() };
        assert!(check_blobs(&brief).unwrap_err().contains("ttl_s = 0 cannot work; 1 to"));
        let shut = blobs::Limits { caller_uploads_max: 0, ..blobs::Limits::default() };
        assert!(check_blobs(&shut).unwrap_err().contains("caller_uploads_max = 0"));
        assert_eq!(check_body(4 << 20), Ok(()));
        assert!(check_body(0).unwrap_err().contains("1024 to 1073741824 is right"));
    }

    #[test]
    fn default_limits_work_and_unworkable_ones_name_remedy() {
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
        let mute = ConnectionsConfig { answers_bytes_max: 1, ..ConnectionsConfig::default() };
        assert!(mute.check(1).unwrap_err().contains("answers_bytes_max = 1 cannot work"));
        let no_lane = SandboxConfig { slow_lane: Some(0), ..SandboxConfig::default() };
        assert!(no_lane.check().unwrap_err().contains("slow_lane"));
    }
}
