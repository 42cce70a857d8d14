//! `log`: a component's lines in the operator's log, and to a caller who asked for them, as many
//! bytes as a call may write.

use crate::{
    bindings::madoguchi::tool::{log, types},
    capability::state::CallState,
};
use base::notes::{Level, Line, Note};

impl types::Host for CallState {}

impl log::Host for CallState {
    async fn write(&mut self, level: log::Level, message: String, data: Option<String>) {
        self.log.begin_line();
        let message = self.log.take(&message);
        let data = data.as_deref().map(|it| self.log.take(it)).filter(|it| !it.is_empty());
        if message.is_empty() {
            return;
        }
        let wanted = self.context.notes.as_ref().filter(|it| it.wants(of(level)));
        if let Some(notes) = wanted {
            notes.send(Note::Log(Line {
                level: of(level),
                component: self.context.component.to_string(),
                message: message.to_owned(),
                data: data.map(str::to_owned),
            }));
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

fn of(level: log::Level) -> Level {
    match level {
        log::Level::Debug => Level::Debug,
        log::Level::Info => Level::Info,
        log::Level::Notice => Level::Notice,
        log::Level::Warning => Level::Warning,
        log::Level::Error => Level::Error,
        log::Level::Critical => Level::Critical,
        log::Level::Alert => Level::Alert,
        log::Level::Emergency => Level::Emergency,
    }
}
