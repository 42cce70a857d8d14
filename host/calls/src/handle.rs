//! Requests for routes of components, watched like calls.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{CallRequest, CallTool, Calls, Method, UNAUDITED, unavailable};
use base::{
    call::{Surface, TraceHeaders},
    caller::Caller,
};
use sandbox::{
    capability::{Asking, Written},
    component::{CallError, LoadedComponent, Round, RouteAnswer, RouteRequest},
};

/// How records name such a request, where it does not stand for a call of a tool.
const METHOD: &str = "routes/handle";

/// One request for a route of `component`.
pub struct RouteCall {
    pub component: Arc<LoadedComponent>,
    pub request: RouteRequest,
    /// The tool that the route stands for, if it does for one.
    pub tool: Option<String>,
    pub caller: Caller,
    pub trace: TraceHeaders,
    /// The tools that the person lets happen unasked.
    pub trusts: Arc<[String]>,
}

impl Calls {
    /// Answers it; what the component writes meanwhile goes to `events`.
    pub async fn handle(
        &self,
        call: RouteCall,
        events: Option<mpsc::Sender<Written>>,
    ) -> Result<RouteAnswer, CallError> {
        let RouteCall { component, request, tool, caller, trace, trusts } = call;
        let _running = self.keep_open();
        let method = if tool.is_some() { CallTool::NAME } else { METHOD };
        let name = tool.unwrap_or_else(|| format!("{} {}", request.method, request.route));
        // For the audit log, as those of a tool.
        let arguments = arguments(&request);
        let call =
            CallRequest::new(name, arguments, (caller.clone(), Surface::Rest), trace.clone());
        let mut record = self.watch.begin(call, method);
        record.component = Some(component.clone());
        let round = Round {
            call_id: record.id,
            caller,
            span: record.span.child("route"),
            pace: component.pace(),
            asking: Some(Asking::of_request(trace, trusts)),
            ..Round::of_host()
        };
        let result = if request.method != "GET" && self.watch.audit.refuses_changes() {
            Err(unavailable(UNAUDITED.to_owned(), None))
        } else {
            component.handle(&request, round, events).await
        };
        record.answered(result.as_ref().map(|it| it.status));
        result
    }
}

/// One request for a component that answers as other hosts ask it.
pub struct HandlerCall {
    pub component: Arc<LoadedComponent>,
    pub request: http::Request<Bytes>,
    pub caller: Caller,
    pub trace: TraceHeaders,
}

impl Calls {
    /// Answers it, watched like a call.
    pub async fn respond(&self, call: HandlerCall) -> Result<http::Response<Bytes>, CallError> {
        let HandlerCall { component, request, caller, trace } = call;
        let _running = self.keep_open();
        let is_read = matches!(*request.method(), http::Method::GET | http::Method::HEAD);
        let name = format!("{} {}", request.method(), request.uri().path());
        let from = (caller.clone(), Surface::Rest);
        let call = CallRequest::new(name, "{}".to_owned(), from, trace);
        let mut record = self.watch.begin(call, METHOD);
        record.component = Some(component.clone());
        let round = Round {
            call_id: record.id,
            caller,
            span: record.span.child("route"),
            pace: component.pace(),
            ..Round::of_host()
        };
        let result = if !is_read && self.watch.audit.refuses_changes() {
            Err(unavailable(UNAUDITED.to_owned(), None))
        } else {
            component.respond(request, round).await
        };
        record.answered(result.as_ref().map(|it| it.status().as_u16()));
        result
    }
}

fn arguments(request: &RouteRequest) -> String {
    let body = request.body.as_ref().ok().and_then(|it| std::str::from_utf8(it).ok());
    body.filter(|it| !it.trim().is_empty()).unwrap_or("{}").to_owned()
}
