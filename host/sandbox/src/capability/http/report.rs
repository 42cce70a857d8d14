//! What the operator reads of a component's requests: never a path, a query or a header.

use std::sync::Arc;

use http::Method;
use reqwest::Url;

use crate::capability::state::CallContext;
use telemetry::{Span, tally::Tally};

/// Whose requests these are.
#[derive(Clone)]
pub(super) struct Report {
    pub component: Arc<str>,
    call: u64,
    pub span: Span,
    tally: Arc<Tally>,
}

impl Report {
    pub(super) fn new(context: &CallContext) -> Self {
        Self {
            component: context.component.clone(),
            call: context.call_id,
            span: context.span.clone(),
            tally: context.tally.clone(),
        }
    }

    /// Counts a request that is let through.
    pub(super) fn sent(&self) {
        self.tally.http_request();
    }

    pub(super) fn refused(&self, method: &Method, url: &Url, why: &str) {
        let (component, call) = (&*self.component, self.call);
        let to = Whereto(url);
        tracing::warn!(target: "guest", component, call, "{method} {to} is refused: {why}");
    }

    pub(super) fn failed(&self, method: &Method, url: &Url, why: &str) {
        let (component, call) = (&*self.component, self.call);
        let to = Whereto(url);
        tracing::warn!(target: "guest", component, call, "{method} {to} failed: {why}");
    }

    pub(super) fn answered(&self, method: &Method, url: &Url, status: u16) {
        let (component, call) = (&*self.component, self.call);
        let to = Whereto(url);
        tracing::debug!(target: "guest", component, call, status, "{method} {to} was answered");
    }

    pub(super) fn exceeded(&self, limit: &'static str) {
        let (component, call) = (&*self.component, self.call);
        tracing::warn!(
            target: "guest",
            component,
            call,
            limit,
            "an outgoing request exceeded {limit} and was ended; the operator can raise it under [components.{component}.limits]"
        );
    }
}

/// Scheme, host and port, and nothing that could carry a secret.
struct Whereto<'a>(&'a Url);

impl std::fmt::Display for Whereto<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(url) = self;
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        url.port().map_or(Ok(()), |it| write!(f, ":{it}"))
    }
}
