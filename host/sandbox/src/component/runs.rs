//! Runs of assistants, by the component that runs them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::de::IgnoredAny;
use tokio::sync::mpsc;

use super::{CallError, LoadedComponent, Round};
use crate::{
    bindings::{
        madoguchi::tool::tasks::{Facts, Task},
        runs::exports::madoguchi::tool::runs as wit,
    },
    capability::{Part, Written, state::CallContext},
};
use base::grants::Grant;

pub use wit::Role as RunRole;

impl LoadedComponent {
    /// Whether it runs assistants and has leave for it.
    pub fn runs_assistants(&self) -> bool {
        self.optional.runs.is_some() && self.setup.grants.contains(&Grant::Runs)
    }

    /// Runs a task of an assistant to its end, in an instance of its own; what it writes meanwhile goes to
    /// `events`. What it comes to is a JSON document.
    pub async fn run_assistant(
        &self,
        (task, role): (Task, Option<RunRole>),
        part: Option<Arc<Part>>,
        round: Round,
        events: mpsc::Sender<Written>,
    ) -> Result<String, CallError> {
        let call_id = round.call_id;
        let broken = |what: &str| {
            let (component, what) = (self.name.clone(), format!("a run's end: {what}"));
            CallError::Broken { component, call_id, what }
        };
        let Some(pre) = &self.optional.runs else { return Err(broken("it runs no assistants")) };
        if self.are_settings_refused {
            return Err(CallError::SettingsRefused { component: self.name.clone() });
        }
        let patience = Duration::from_millis(self.setup.limits.route_ms_max);
        let deadline = Instant::now() + patience;
        // Places of their own: a request that is being answered may have one run.
        let place = self.run_places.take(patience, self.tally()).await;
        let _place = place.map_err(|retry_after_ms| self.busy(retry_after_ms))?;
        let _running = self.tally().running.hold();
        let context = self.context(round.until(deadline));
        let context = CallContext { events: Some(events), part, ..context };
        let result = self
            .round(context, async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_runs().call_run(store, &task, role.as_ref()).await
            })
            .await;
        self.setup.version.count(&self.name, &result).await;
        let ended = result.map_err(|it| it.of_limit("deadline_ms", "route_ms_max"))?;
        match serde_json::from_str::<IgnoredAny>(&ended) {
            Ok(_) => Ok(ended.replace(['\r', '\n'], " ")),
            Err(_) => Err(broken("it is not JSON")),
        }
    }

    /// What it says of the assistant of that name.
    pub async fn about_assistant(&self, assistant: &str) -> Result<Option<Facts>, CallError> {
        let Some(pre) = &self.optional.runs else { return Ok(None) };
        let (_place, deadline) = self.place().await?;
        self.round(self.context(Round::of_host().until(deadline)), async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            instance.madoguchi_tool_runs().call_about(store, assistant).await
        })
        .await
    }
}
