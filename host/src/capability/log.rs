//! `log`: a component's lines in the operator's log, as many bytes as a call may write.

use crate::{
    bindings::madoguchi::tool::{log, types},
    call_state::CallState,
};

impl types::Host for CallState {}

impl log::Host for CallState {
    async fn write(&mut self, level: log::Level, message: String, data: Option<String>) {
        self.log.begin_line();
        let message = self.log.take(&message);
        let data = data.as_deref().map(|it| self.log.take(it)).filter(|it| !it.is_empty());
        if message.is_empty() {
            return;
        }
        let (component, call) = (&*self.context.component, self.context.call_id);
        match level {
            log::Level::Debug => {
                tracing::debug!(target: "guest", component, call, data, "{message}")
            }
            log::Level::Info | log::Level::Notice => {
                tracing::info!(target: "guest", component, call, data, "{message}");
            }
            log::Level::Warning => {
                tracing::warn!(target: "guest", component, call, data, "{message}");
            }
            log::Level::Error
            | log::Level::Critical
            | log::Level::Alert
            | log::Level::Emergency => {
                tracing::error!(target: "guest", component, call, data, "{message}");
            }
        }
    }
}
