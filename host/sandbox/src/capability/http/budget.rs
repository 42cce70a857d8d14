//! The budget of HTTP requests of one call, and their log line for the operator, which has no path, query or header.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use http::Method;
use reqwest::Url;

use crate::capability::state::CallContext;
use base::limits::Limits;
use telemetry::{Span, tally::Tally};

/// Remaining HTTP budget of a call.
pub(super) struct Budget {
    requests: AtomicU32,
    bytes: AtomicU64,
    pub bytes_max: u64,
    pub timeout: Duration,
    /// Whether a request too many has been reported; the next thousand need no line each.
    is_reported: AtomicBool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            requests: AtomicU32::new(limits.http_requests_max),
            bytes: AtomicU64::new(limits.http_bytes_max),
            bytes_max: limits.http_bytes_max,
            timeout: Duration::from_millis(limits.http_timeout_ms),
            is_reported: AtomicBool::new(false),
        }
    }

    /// Leave for one more request.
    pub(super) fn request(&self) -> bool {
        let one_less = |left: u32| left.checked_sub(1);
        self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_ok()
    }

    /// Whether this is the first time that a request is one too many.
    pub(super) fn is_first_too_many(&self) -> bool {
        !self.is_reported.swap(true, Ordering::AcqRel)
    }

    /// Leave for `bytes` more; once there is none, there stays none.
    pub(super) fn bytes(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        let fits = self.bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok();
        if !fits {
            self.bytes.store(0, Ordering::Release);
        }
        fits
    }

    /// Bytes that may still be moved.
    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }
}

/// The component and call that send the requests.
#[derive(Clone)]
pub(super) struct Report {
    pub component: Arc<str>,
    call: u64,
    pub span: Span,
    pub tally: Arc<Tally>,
}

impl Report {
    pub(super) fn new(context: &CallContext) -> Self {
        Self {
            component: context.component.clone(),
            call: context.round.call_id,
            span: context.round.span.clone(),
            tally: context.setup.tally.clone(),
        }
    }

    pub(super) fn warn(&self, method: &Method, url: &Url, what: &str, why: &str) {
        let (component, call, to) = (&*self.component, self.call, HostPort(url));
        tracing::warn!(target: "guest", component, call, "{method} {to} {what}: {why}");
    }

    pub(super) fn answered(&self, method: &Method, url: &Url, status: u16) {
        let (component, call, to) = (&*self.component, self.call, HostPort(url));
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
struct HostPort<'a>(&'a Url);

impl std::fmt::Display for HostPort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(url) = self;
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        url.port().map_or(Ok(()), |it| write!(f, ":{it}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_grants_no_more_than_it_holds() {
        let limits = Limits { http_requests_max: 1, http_bytes_max: 10, ..Limits::default() };
        let budget = Budget::new(&limits);
        assert!(budget.request() && !budget.request() && !budget.request());
        assert!(budget.is_first_too_many() && !budget.is_first_too_many());
        assert!(budget.bytes(10) && budget.bytes(0) && !budget.bytes(1));
        let budget = Budget::new(&limits);
        assert!(!budget.bytes(11) && !budget.bytes(1), "what was too much ends it");
    }
}
