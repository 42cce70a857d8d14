//! Jobs of a component: lists those due, runs one, and runs assistants.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::de::IgnoredAny;
use tokio::sync::mpsc;

use super::{Called, LoadedComponent, Round};
use crate::{
    bindings::{
        exports::madoguchi::tool::{jobs as wit, runs},
        madoguchi::tool::tasks::{Facts, Task},
    },
    capability::{Part, Written, state::CallContext},
};
use base::{caller::Caller, grants::Grant};
use store::database::Fence;

pub use runs::Role as RunRole;
pub use wit::{Agenda, Job, Outcome as JobOutcome, Pause};

/// The error where there are none.
const NO_JOBS: &str = "it has no jobs";

impl LoadedComponent {
    /// Whether it has jobs and leave to do them.
    pub fn has_jobs(&self) -> bool {
        self.exports.jobs.is_some() && self.setup.grants.contains(&Grant::Jobs)
    }

    /// Jobs that run at a time: half of the instances are left to calls.
    pub fn jobs_max(&self) -> usize {
        let half = self.sandbox.config.instances_max as usize / 2;
        self.setup.limits.jobs_max.min(half).max(1)
    }

    /// Due jobs besides the `running` ones. The inner error is the component's message.
    pub fn due<'a>(
        &'a self,
        running: &'a [String],
        fence: Option<&'a Fence>,
    ) -> Called<'a, Result<Agenda, String>> {
        Box::pin(async move {
            let Some(export) = &self.exports.jobs else { return Ok(Err(NO_JOBS.to_owned())) };
            let (caller, fence) = (self.job_caller(), fence.cloned());
            let round = Round { caller, fence, ..Round::of_host() };
            self.in_place(round, calls!(export.call_due(running))).await
        })
    }

    /// Runs `job` in its own instance outside the slots of calls, because it may wait for an assistant that calls the
    /// component. Writes are checked against `fence`.
    pub fn run_job<'a>(
        &'a self,
        job: &'a Job,
        fence: Option<&'a Fence>,
    ) -> Called<'a, Result<JobOutcome, String>> {
        Box::pin(async move {
            let Some(export) = &self.exports.jobs else { return Ok(Err(NO_JOBS.to_owned())) };
            self.check_settings()?;
            let deadline = Instant::now() + Duration::from_millis(self.setup.limits.job_ms_max);
            let _running = self.setup.tally.running.hold();
            let (caller, turn_state, fence) =
                (self.job_caller(), self.turn_state(), fence.cloned());
            let round = Round { caller, turn_state, fence, ..Round::of_host() };
            let context = CallContext { is_job: true, ..self.context(round, deadline) };
            let result = self.round(context, calls!(export.call_run(job)));
            result.await.map_err(|it| it.of_deadline("job_ms_max"))
        })
    }

    /// The component as caller of its job.
    fn job_caller(&self) -> Caller {
        Caller::component(&self.name)
    }

    /// Whether it runs assistants and has leave for it.
    pub fn runs_assistants(&self) -> bool {
        self.exports.runs.is_some() && self.setup.grants.contains(&Grant::Runs)
    }

    /// Runs an assistant task in its own instance. What it writes meanwhile goes to `events`. Returns a JSON document.
    pub fn run_assistant(
        &self,
        (task, role): (Task, Option<RunRole>),
        part: Option<Arc<Part>>,
        round: Round,
        events: mpsc::Sender<Written>,
    ) -> Called<'_, String> {
        Box::pin(async move {
            let call_id = round.call_id;
            let broken = |what: &str| self.broken(call_id, format!("a run's end: {what}"));
            let Some(export) = &self.exports.runs else {
                return Err(broken("it runs no assistants"));
            };
            let context = |it: CallContext| CallContext { events: Some(events), part, ..it };
            // Places of their own: a request that is being answered may have one run.
            let ended = self.in_long_place(
                &self.queues.runs,
                round,
                context,
                calls!(export.call_run(&task, role.as_ref())),
            );
            let ended = ended.await?;
            match serde_json::from_str::<IgnoredAny>(&ended) {
                Ok(_) => Ok(ended.replace(['\r', '\n'], " ")),
                Err(_) => Err(broken("it is not JSON")),
            }
        })
    }

    /// The component's description of an assistant.
    pub fn about_assistant<'a>(&'a self, assistant: &'a str) -> Called<'a, Option<Facts>> {
        Box::pin(async move {
            let Some(export) = &self.exports.runs else { return Ok(None) };
            self.in_place(Round::of_host(), calls!(export.call_about(assistant))).await
        })
    }
}
