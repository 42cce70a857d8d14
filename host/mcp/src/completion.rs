//! Help with arguments: of prompts by their names, of resources by their templates.

use rmcp::{
    ErrorData, RoleServer,
    model::{CompleteRequestParams, CompleteResult, Reference},
    service::RequestContext,
};
use serde_json::json;

use super::{McpServer, passed, rounds, wire};
use base::{caller::Caller, tool_set::Owner};
use calls::{Complete, outcome::CallOutcome};

impl McpServer {
    pub(super) async fn completion(
        &self,
        request: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(context);
        let name = match request.r#ref {
            Reference::Prompt(it) => it.name,
            // Nothing is left to be filled in.
            Reference::Resource(it) if self.is_plain_resource(&it.uri, &caller) => {
                return Ok(CompleteResult::default());
            }
            Reference::Resource(it) => it.uri,
            _ => return Err(ErrorData::invalid_params("ref: of no known kind", None)),
        };
        let others = request.context.and_then(|it| it.arguments).unwrap_or_default();
        let about = json!({
            "argument": request.argument.name,
            "value": request.argument.value,
            "arguments": others,
        });
        let call = wire::call(name, about.as_object(), context, caller);
        match self.rounds::<Complete>(call, context).await.map_err(rounds::error)? {
            CallOutcome::Done { output, .. } => Ok(wire::completed(output)),
            CallOutcome::Passed(it) => passed::result(&it),
            CallOutcome::Asked { .. } => Err(wire::endless()),
        }
    }

    /// Whether `uri` is something to read, rather than a template for it.
    fn is_plain_resource(&self, uri: &str, caller: &Caller) -> bool {
        let catalog = self.registry.catalog();
        let owner = catalog.component_for_resource(uri);
        catalog.component_for_template(uri).is_none()
            && owner.is_some_and(|it| caller.may_use(Owner::Component(it.name())))
    }
}
