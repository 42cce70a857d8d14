//! Jobs of a component that runs alone.

use super::Running;
use sandbox::component::{Agenda, Job, JobOutcome};

impl Running {
    /// What it has to do now, beside the jobs of those keys.
    ///
    /// # Errors
    /// What would stand in the log.
    pub async fn due(&self, running: &[&str]) -> Result<Agenda, String> {
        if !self.component.has_jobs() {
            return Err("it has no jobs, or no leave to do them".to_owned());
        }
        let running: Vec<_> = running.iter().map(|it| (*it).to_owned()).collect();
        self.component.due(&running, None).await.map_err(|it| it.to_string())?
    }

    /// One run of a job.
    ///
    /// # Errors
    /// What would stand in the log.
    pub async fn run_job(&self, key: &str, input: &str) -> Result<JobOutcome, String> {
        let job = Job { key: key.to_owned(), input: input.to_owned() };
        self.component.run_job(&job, None).await.map_err(|it| it.to_string())?
    }
}
