//! `caller`: who calls.

use crate::{bindings::madoguchi::tool::caller, capability::state::CallState};

impl caller::Host for CallState {
    async fn principal(&mut self) -> String {
        self.context.caller.principal.to_string()
    }

    async fn scopes(&mut self) -> Vec<String> {
        self.context.caller.scopes.to_vec()
    }

    async fn locale(&mut self) -> Option<String> {
        self.context.caller.locale.as_deref().map(str::to_owned)
    }

    async fn client_capabilities(&mut self) -> String {
        self.context.caller.client_capabilities.to_string()
    }

    async fn page(&mut self) -> Option<String> {
        self.context.reach.page.as_deref().map(str::to_owned)
    }
}
