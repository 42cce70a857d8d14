//! Other servers' results, each as it stands: what was asked has been looked at where it came in.

use rmcp::{ErrorData, model::CallToolResult};
use serde::de::DeserializeOwned;

use registry::upstream::Passed;

/// The result of a call of a tool.
pub(super) fn called(passed: &Passed) -> Result<rmcp::model::CallToolResponse, ErrorData> {
    result::<CallToolResult>(passed).map(Into::into)
}

/// The result of what was asked.
pub(super) fn result<T: DeserializeOwned>(passed: &Passed) -> Result<T, ErrorData> {
    serde_json::from_str(&passed.json)
        .map_err(|_| ErrorData::internal_error("the server answered something else", None))
}
