//! The interfaces `caller` and `settings`: the caller, and the settings of the component.

use serde_json::json;

use crate::{
    bindings::madoguchi::tool::{caller, settings},
    capability::state::CallState,
};

impl caller::Host for CallState {
    async fn principal(&mut self) -> String {
        self.context.round.caller.principal.to_string()
    }

    async fn scopes(&mut self) -> Vec<String> {
        self.context.round.caller.scopes.to_vec()
    }

    async fn locale(&mut self) -> Option<String> {
        self.context.round.caller.locale.as_deref().map(str::to_owned)
    }

    async fn client_capabilities(&mut self) -> String {
        self.context.round.caller.client_capabilities.to_string()
    }

    async fn page(&mut self) -> Option<String> {
        self.context.setup.reach.page.as_deref().map(str::to_owned)
    }
}

impl settings::Host for CallState {
    async fn get(&mut self, name: String) -> Option<String> {
        let taped = self.taped("settings.get", || json!([name]));
        if let Some(given) = taped.given().await {
            return given;
        }
        if let Some(asked) = &self.context.setup.reach.read_settings {
            asked.note(&name);
        }
        let value = self.context.setup.settings.get(&name);
        taped
            .keep_as(value, |recording, it| json!(it.as_ref().map(|it| recording.shown(&name, it))))
    }
}
