//! Work of a component's own: what is due, and one run of a job.

use std::time::{Duration, Instant};

use super::{CallError, LoadedComponent, Round};
use crate::{
    bindings::jobs::exports::madoguchi::tool::jobs as wit, capability::state::CallContext,
};
use base::{caller::Caller, grants::Grant};

pub use wit::{Agenda, Job, Outcome as JobOutcome, Pause};

impl LoadedComponent {
    /// Whether it has jobs and leave to do them.
    pub fn has_jobs(&self) -> bool {
        self.optional.jobs.is_some() && self.setup.grants.contains(&Grant::Jobs)
    }

    /// Jobs that run at a time: half of the instances are left to calls.
    pub fn jobs_max(&self) -> usize {
        let half = self.sandbox.config().instances_max as usize / 2;
        self.setup.limits.jobs_max.min(half).max(1)
    }

    /// What is to be done now, beside the jobs of `running`; what went wrong in the component's own words.
    pub async fn due(&self, running: &[String]) -> Result<Result<Agenda, String>, CallError> {
        let Some(pre) = &self.optional.jobs else { return Ok(Err("it has no jobs".to_owned())) };
        let (_place, deadline) = self.place().await?;
        let round = Round { caller: self.own_caller(), ..Round::of_host() };
        self.round(self.context(round.until(deadline)), async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            instance.madoguchi_tool_jobs().call_due(store, running).await
        })
        .await
    }

    /// One run of `job`, in an instance of its own and beside the places of calls: it may wait for an
    /// assistant that calls the component's tools.
    pub async fn run_job(&self, job: &Job) -> Result<Result<JobOutcome, String>, CallError> {
        let Some(pre) = &self.optional.jobs else { return Ok(Err("it has no jobs".to_owned())) };
        if self.are_settings_refused {
            return Err(CallError::SettingsRefused { component: self.name.clone() });
        }
        let deadline = Instant::now() + Duration::from_millis(self.setup.limits.job_ms_max);
        let _running = self.tally().running.hold();
        let round = Round { caller: self.own_caller(), pace: self.pace(), ..Round::of_host() };
        let context = CallContext { is_job: true, ..self.context(round.until(deadline)) };
        let result = self
            .round(context, async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_jobs().call_run(store, job).await
            })
            .await;
        result.map_err(|it| it.of_limit("deadline_ms", "job_ms_max"))
    }

    /// Who calls in a job of its own: the component.
    fn own_caller(&self) -> Caller {
        Caller::component(&self.name)
    }
}
