//! Other servers' results, each as it stands: what was asked has been looked at where it came in.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CompleteResult, GetPromptResponse, ReadResourceResponse, ServerResult,
    },
};

pub(super) fn called(result: ServerResult) -> Result<CallToolResponse, ErrorData> {
    match result {
        ServerResult::CallToolResult(it) => Ok(it.into()),
        _ => Err(another()),
    }
}

pub(super) fn got(result: ServerResult) -> Result<GetPromptResponse, ErrorData> {
    match result {
        ServerResult::GetPromptResult(it) => Ok(it.into()),
        _ => Err(another()),
    }
}

pub(super) fn read(result: ServerResult) -> Result<ReadResourceResponse, ErrorData> {
    match result {
        ServerResult::ReadResourceResult(it) => Ok(it.into()),
        _ => Err(another()),
    }
}

pub(super) fn completed(result: ServerResult) -> Result<CompleteResult, ErrorData> {
    match result {
        ServerResult::CompleteResult(it) => Ok(it),
        _ => Err(another()),
    }
}

fn another() -> ErrorData {
    ErrorData::internal_error("the server answered something else", None)
}
