//! Prompts that a component offers, and help with filling in their arguments.

use super::{CallError, LoadedComponent, Round, offers::stopped, output_check};
use crate::bindings::{
    completions::exports::madoguchi::tool::completions,
    prompts::exports::madoguchi::tool::prompts as wit,
};

pub use completions::{Completion, Reference, Request as CompletionRequest};
pub use wit::{Invocation as PromptInvocation, Output as PromptOutput, Role as PromptRole};

/// Values of one completion that are handed on, as MCP has it.
const VALUES_MAX: usize = 100;

impl LoadedComponent {
    /// Runs one round of `prompts/get`.
    pub async fn get_prompt(
        &self,
        invocation: &PromptInvocation,
        round: Round,
    ) -> Result<PromptOutput, CallError> {
        let unknown = || CallError::UnknownPrompt { name: invocation.name.clone() };
        let Some(pre) = &self.exports.prompts else { return Err(unknown()) };
        self.answered(round, output_check::prompt, async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            let result = instance.madoguchi_tool_prompts().call_get(store, invocation).await?;
            Ok(result.map_err(|it| stopped(it, unknown)))
        })
        .await
    }

    /// Runs one `completion/complete`; a component that does not help has nothing to say.
    pub async fn complete(
        &self,
        request: &CompletionRequest,
        round: Round,
    ) -> Result<Completion, CallError> {
        let nothing = || Completion { values: Vec::new(), total: None, has_more: false };
        let Some(pre) = &self.exports.completions else { return Ok(nothing()) };
        let unknown = || match &request.reference {
            Reference::Prompt(name) => CallError::UnknownPrompt { name: name.clone() },
            Reference::Template(uri) => CallError::UnknownResource { uri: uri.clone() },
        };
        let result = self
            .answered(
                round,
                |_| Ok(()),
                async |store| {
                    let instance = pre.instantiate_async(&mut *store).await?;
                    let completions = instance.madoguchi_tool_completions();
                    let result = completions.call_complete(store, request).await?;
                    Ok(result.map_err(|it| stopped(it, unknown)))
                },
            )
            .await;
        let mut completion = result?;
        if completion.values.len() > VALUES_MAX {
            completion.values.truncate(VALUES_MAX);
            completion.has_more = true;
        }
        Ok(completion)
    }
}
