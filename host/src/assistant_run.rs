//! A run of an assistant, as a component holds it.

use tokio::{sync::mpsc, task::AbortHandle};

/// Something that happens in a run: its name, and its data as JSON.
pub(crate) struct RunEvent {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// A run, as long as the component holds it.
#[expect(unreachable_pub, reason = "the generated bindings name it in public")]
pub struct AssistantRun {
    pub(crate) provider: String,
    pub(crate) events: mpsc::Receiver<RunEvent>,
    pub(crate) task: Option<AbortHandle>,
}

impl Drop for AssistantRun {
    /// Ends the run with its last reader.
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
