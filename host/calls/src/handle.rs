//! Requests to component routes, recorded like calls.

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
    component::{CallError, Called, LoadedComponent, Round, RouteAnswer, RouteRequest},
};

/// Method name in records of requests that are no tool calls.
const METHOD: &str = "routes/handle";

/// One request to a route of `component`.
pub struct RouteCall {
    pub component: Arc<LoadedComponent>,
    pub request: RouteRequest,
    /// The tool that the route represents, if any.
    pub tool: Option<String>,
    pub caller: Caller,
    pub trace: TraceHeaders,
    /// The tools that the person lets happen unasked.
    pub trusts: Arc<[String]>,
}

impl Calls {
    /// Answers it; what the component writes meanwhile goes to `events`.
    pub fn handle(
        &self,
        call: RouteCall,
        events: Option<mpsc::Sender<Written>>,
    ) -> Called<'_, RouteAnswer> {
        Box::pin(async move {
            let RouteCall { component, request, tool, caller, trace, trusts } = call;
            let method = if tool.is_some() { CallTool::NAME } else { METHOD };
            let is_read_only = |tool: &String| {
                component.tools().iter().any(|it| *it.name == **tool && it.hints.read_only)
            };
            let reads = request.method == "GET" || tool.as_ref().is_some_and(is_read_only);
            let name = tool.unwrap_or_else(|| format!("{} {}", request.method, request.route));
            // For the audit log, as those of a tool.
            let arguments = arguments(&request);
            let asking = Asking::of_request(trace.clone(), trusts);
            let call = CallRequest::new(name, arguments, (caller, Surface::Rest), trace);
            let handle = async |round| {
                let round = Round { asking: Some(asking), ..round };
                component.handle(&request, round, events).await
            };
            self.watched((&component, method, reads), call, handle, |it| it.status).await
        })
    }

    /// Runs `answer` as a recorded round of `component`.
    async fn watched<T>(
        &self,
        (component, method, reads): (&Arc<LoadedComponent>, &'static str, bool),
        call: CallRequest,
        answer: impl AsyncFnOnce(Round) -> Result<T, CallError>,
        status: impl Fn(&T) -> u16,
    ) -> Result<T, CallError> {
        let _running = self.keep_open();
        let mut record = self.watch.begin(call, method);
        record.component = Some(component.clone());
        record.reads = reads;
        let round = Round {
            call_id: record.id,
            caller: record.call.caller.clone(),
            span: record.span.child("route"),
            turn_state: component.turn_state(),
            ..Round::of_host()
        };
        let result = match !reads && self.watch.audit.refuses_changes() {
            true => Err(unavailable(UNAUDITED.to_owned(), None)),
            false => answer(round).await,
        };
        record.answered(result.as_ref().map(status));
        result
    }

    /// Answers one request for a component that answers as other hosts ask it, watched like a call.
    pub fn respond(
        &self,
        component: Arc<LoadedComponent>,
        request: http::Request<Bytes>,
        caller: Caller,
        trace: TraceHeaders,
    ) -> Called<'_, http::Response<Bytes>> {
        Box::pin(async move {
            let reads = matches!(*request.method(), http::Method::GET | http::Method::HEAD);
            let name = format!("{} {}", request.method(), request.uri().path());
            let call = CallRequest::new(name, "{}".to_owned(), (caller, Surface::Rest), trace);
            let respond = async |round| component.respond(request, round).await;
            let status = |it: &http::Response<Bytes>| it.status().as_u16();
            self.watched((&component, METHOD, reads), call, respond, status).await
        })
    }
}

fn arguments(request: &RouteRequest) -> String {
    let body = request.body.as_ref().ok().and_then(|it| std::str::from_utf8(it).ok());
    body.filter(|it| !it.trim().is_empty()).unwrap_or("{}").to_owned()
}
