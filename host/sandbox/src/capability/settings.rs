//! `settings`: what the operator set for the component.

use crate::{bindings::madoguchi::tool::settings, capability::state::CallState};

impl settings::Host for CallState {
    async fn get(&mut self, name: String) -> Option<String> {
        self.context.settings.get(&name)
    }
}
