//! How one round of a call ended, and what brings it there.

use std::sync::Arc;

use base::call::CallRequest;
use registry::upstream::Passed;
use sandbox::component::{CallError, Output, Question};

/// How a round ended.
pub enum CallOutcome<T = Output> {
    /// With whoever put it out, to be named should it not be usable.
    Done { component: Arc<str>, call_id: u64, output: T },
    /// Another server's result, as it stands.
    Passed(Passed),
    /// The user must answer; the state comes back with the answers.
    Asked { component: Arc<str>, call_id: u64, questions: Vec<Question>, state: String },
}

/// Whatever brings calls to their end: the components, or a native tool in the bench.
pub trait Executor: Clone + Send + Sync + 'static {
    /// Whether the tool's arguments are told in headers too, which only the SDK compares.
    fn has_header_arguments(&self, tool: &str) -> bool;
    /// Why `call`, of that method of MCP, may not be made by its caller; none where it may.
    fn refusal(
        &self,
        _method: &str,
        _call: CallRequest,
    ) -> impl Future<Output = Option<CallError>> + Send {
        std::future::ready(None)
    }
    /// One round of a call.
    fn answer(
        &self,
        call: CallRequest,
    ) -> impl Future<Output = Result<CallOutcome, CallError>> + Send;
}
