//! Bindings of the contract (`wit/`) on the host's side, and the resources that components hold: assistant runs, calls
//! in progress and tallies.

use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use madoguchi::tool::assistant_calls::Ended;
use telemetry::metrics::Running;

// One world with all exports, so that types are shared. A component has `tools` and any of the others, each looked up
// separately.
wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package madoguchi:host;
        world everything {
            include madoguchi:tool/tool-component@0.1.0;
            include madoguchi:tool/with-migrations@0.1.0;
            include madoguchi:tool/with-configured@0.1.0;
            include madoguchi:tool/with-schedule@0.1.0;
            include madoguchi:tool/with-jobs@0.1.0;
            include madoguchi:tool/with-runs@0.1.0;
            include madoguchi:tool/with-endpoints@0.1.0;
            include madoguchi:tool/with-names@0.1.0;
            include madoguchi:tool/with-routes@0.1.0;
            include madoguchi:tool/with-examples@0.1.0;
            include madoguchi:tool/with-resources@0.1.0;
            include madoguchi:tool/with-prompts@0.1.0;
            include madoguchi:tool/with-completions@0.1.0;
            include madoguchi:tool/with-dialogue@0.1.0;
            include madoguchi:tool/with-samples@0.1.0;
        }
    ",
    world: "madoguchi:host/everything",
    imports: {
        "madoguchi:tool/assistants": async | trappable,
        "madoguchi:tool/assistant-calls": async | trappable,
        default: async,
    },
    exports: { default: async },
    require_store_data_send: true,
    with: {
        "madoguchi:tool/sql": store::database::sql,
        "madoguchi:tool/assistants.run": Run,
        "madoguchi:tool/assistant-calls.calls": Calls,
        "madoguchi:tool/assistant-calls.tally": Counting,
    },
});

/// First event of a run, which names the provider.
const BEGUN: &str = "begun";

/// An event that a route wrote, or a run of an assistant.
pub struct Written {
    pub name: String,
    /// A JSON document without line breaks.
    pub data: String,
}

/// A run, as long as the component holds it.
pub struct Run {
    pub provider: Option<String>,
    /// The first event, if read ahead to learn the provider.
    pub first: Option<Written>,
    pub events: mpsc::Receiver<Written>,
    pub task: Option<AbortHandle>,
}

impl Drop for Run {
    /// Ends the run with its last reader.
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Run {
    /// Waits for the provider's name.
    pub async fn provider(&mut self) -> String {
        if self.provider.is_none() && self.first.is_none() {
            self.first = self.recv().await;
        }
        self.provider.clone().unwrap_or_else(|| "none".to_owned())
    }

    pub async fn next(&mut self) -> Option<Written> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.recv().await,
        }
    }

    async fn recv(&mut self) -> Option<Written> {
        let event = self.events.recv().await?;
        if event.name != BEGUN || self.provider.is_some() {
            return Some(event);
        }
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        self.provider = Some(data["provider"].as_str().unwrap_or("none").to_owned());
        self.events.recv().await
    }
}

/// Calls that are made at once, as a component holds them. Those that only read end with it.
pub struct Calls(pub JoinSet<Ended>);

/// The count of a run, as a component holds it.
pub struct Counting(pub Option<Running>);
