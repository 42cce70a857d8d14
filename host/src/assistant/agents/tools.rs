//! The component's tools, as the coordinator and its players call them: a call that meets a swap, a
//! component that is away or one that is busy is made again for a while.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use super::purpose::{Key, Purpose};
use crate::{
    caller::Caller,
    calls::{Call, Calls, Outcome},
    failure::Failure,
    record::Surface,
    telemetry::TraceHeaders,
};

/// How long a player waits for a component that is away or fails.
const PATIENCE: Duration = Duration::from_secs(30);
const RETRY_MIN: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(5);

/// The component's tools.
#[derive(Clone)]
pub(super) struct Tools {
    calls: Calls,
    caller: Caller,
}

/// What the coordinator reads.
#[derive(Deserialize)]
struct Listed {
    purposes: Vec<Purpose>,
}

impl Tools {
    pub(super) fn new(calls: Calls) -> Self {
        Self { calls, caller: Caller::coordinator() }
    }

    /// What waits for an agent, all that nobody plays among it.
    pub(super) async fn purposes(
        &self,
        playing: impl Iterator<Item = &Key>,
    ) -> Result<Vec<Purpose>, Failure> {
        let key = |it: &Key| json!({ "project_id": it.project_id, "agent_id": it.agent_id });
        let playing: Vec<_> = playing.map(key).collect();
        let listed = self.once("list_purposes", &json!({ "playing": playing })).await?;
        let read = |error: serde_json::Error| Failure::new("broken", 500, error.to_string());
        Ok(serde_json::from_value::<Listed>(listed).map_err(read)?.purposes)
    }

    /// One call, made again as long as another try may bring something else.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        let end = Instant::now() + PATIENCE;
        let mut wait = RETRY_MIN;
        loop {
            match self.once(tool, &arguments).await {
                Err(failure) if is_passing(&failure) && Instant::now() < end => sleep(wait).await,
                result => return result,
            }
            wait = (wait * 2).min(RETRY_MAX);
        }
    }

    async fn once(&self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        let caller = (self.caller.clone(), Surface::Agent);
        let call =
            Call::new(tool.to_owned(), arguments.to_string(), caller, TraceHeaders::default());
        let output = match self.calls.call(call).await? {
            Outcome::Done { output, .. } => output,
            // Another server has put its own tool in the place of the component's.
            Outcome::Passed { .. } | Outcome::Asked { .. } => {
                let what = format!("{tool} is not the tool of this counter's conversations");
                return Err(Failure::new("broken", 501, what));
            }
        };
        let structured = output.structured.unwrap_or_else(|| "{}".to_owned());
        serde_json::from_str::<Map<String, Value>>(&structured)
            .map(Value::Object)
            .map_err(|error| Failure::new("broken", 500, error.to_string()))
    }
}

/// Whether the same call may succeed in a moment: it met a swap, a stop or a crowd.
pub(super) fn is_passing(failure: &Failure) -> bool {
    failure.status == 503 || failure.status == 500 || failure.error == "unknown_tool"
}
