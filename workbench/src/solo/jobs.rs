//! Jobs of a component without a server.

use super::Running;
use sandbox::component::{Agenda, Job, JobOutcome};

impl Running {
    /// Due jobs besides those with `running` keys.
    ///
    /// # Errors
    /// The error as logged.
    pub async fn due(&self, running: &[&str]) -> Result<Agenda, String> {
        if !self.component.has_jobs() {
            return Err("it has no jobs, or no leave to do them".to_owned());
        }
        let running: Vec<_> = running.iter().map(|it| (*it).to_owned()).collect();
        self.component.due(&running, None).await.map_err(|it| it.to_string())?
    }

    /// Runs a job.
    ///
    /// # Errors
    /// The error as logged.
    pub async fn run_job(&self, key: &str, input: &str) -> Result<JobOutcome, String> {
        let job = Job { key: key.to_owned(), input: input.to_owned() };
        self.component.run_job(&job, None).await.map_err(|it| it.to_string())?
    }
}
