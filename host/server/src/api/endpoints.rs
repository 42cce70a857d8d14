//! Requests to components, within their limits: `METHOD /api/COMPONENT/PATH` by declared routes, `GET` also by
//! look-ups, and both at the aliases of `[endpoints]`.

use std::{borrow::Cow, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::State,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::any,
};
use futures::{FutureExt, Stream, StreamExt, future::ready, stream};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, request::Parts};
use http_body::Body as _;
use http_body_util::LengthLimitError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::api;
use base::{
    call::{Failure, TraceHeaders},
    caller::Caller,
    config::CHAT,
    language::Language,
    toolsets::Owner,
};
use calls::{
    Calls, RouteCall,
    authorization::{Gateway, Shape, caller_of, forbidden, refusal},
};
use registry::Catalog;
use sandbox::{
    capability::Written,
    component::{
        CallError, Datetime, Found, LoadedComponent, Request, Route, RouteAnswer, RouteRequest,
        Unread,
    },
};
use store::blobs::mime;

/// The header in which a person's client names the tools that may be called for them unasked, by which a tool is
/// trusted as it is now (`NAME@DIGEST`), with commas between them; and how many.
const TRUSTS: &str = "madoguchi-trusts";
const TRUSTS_MAX: usize = 64;
/// Events that wait for a client that is slow to read.
const WAITING_MAX: usize = 32;
/// Maximum silence of a stream, before proxies take it for dead.
const QUIET: Duration = Duration::from_secs(10);

/// The methods that a component can answer.
const METHODS: [&str; 5] = ["DELETE", "GET", "PATCH", "POST", "PUT"];

/// Content security policy of component responses: nothing runs or loads.
const ANSWER_POLICY: &str = "default-src 'none'; sandbox";

/// State of the endpoints.
#[derive(Clone)]
pub(crate) struct Endpoints {
    pub(crate) calls: Calls,
    /// Gateway of the chat.
    pub(crate) gateway: Gateway,
}

/// Everything under `/api` that is not the server's own, and the addresses elsewhere that `[endpoints]`
/// names.
pub(crate) fn routes(endpoints: Endpoints) -> Router {
    let every = || any(answer);
    let mut router =
        Router::new().route("/api/{component}", every()).route("/api/{component}/{*path}", every());
    for name in endpoints.calls.config.endpoints.elsewhere() {
        router = router.route(name, every()).route(&format!("{name}/{{*path}}"), every());
    }
    router.with_state(endpoints)
}

async fn answer(State(endpoints): State<Endpoints>, request: http::Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let mut response = match endpoints.answer(&parts, body).await {
        Ok(response) => response,
        Err(failure) => refusal(Shape::Rest, &failure),
    };
    let fixed = [(header::CACHE_CONTROL, "no-store"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Target of a request.
struct Place {
    /// The component's name.
    name: String,
    /// `None` if not served.
    component: Option<Arc<LoadedComponent>>,
    /// Path at the component, as sent.
    path: String,
}

/// A component and the path at it, as sent.
type Target = (Arc<LoadedComponent>, String);

impl Endpoints {
    async fn answer(&self, parts: &Parts, body: Body) -> Result<Response, Failure> {
        let place = self.place(&parts.uri);
        let answers = |it: &&Arc<LoadedComponent>| it.endpoints_error().is_none();
        let is_chat = match place.component.as_ref().filter(answers) {
            Some(it) => self.is_chat(it),
            None => first(&parts.uri).0 == CHAT,
        };
        // First of all: of a stranger nothing more is read.
        let caller = match is_chat {
            false => caller_of(&parts.headers, &parts.extensions),
            true => match self.gateway.caller_of(&parts.headers, &parts.extensions) {
                Some(caller) => caller,
                None => return Ok(closed(parts)),
            },
        };
        let asked = self.asked(place, &parts.uri, (&caller, is_chat))?;
        let (component, path) = &asked;
        let query =
            || api::query_pairs(parts.uri.query().unwrap_or_default()).map_err(Failure::invalid);
        let segments = match path.as_str() {
            "" => Ok(Vec::new()),
            path => path.split('/').map(api::decoded).collect::<Result<_, _>>(),
        };
        let segments: Vec<_> = segments.map_err(Failure::invalid)?;
        let segments: Vec<_> = segments.iter().map(String::as_str).collect();
        let method = if parts.method == Method::HEAD { &Method::GET } else { &parts.method };
        let name = component.name();
        if component.has_handler() {
            let mut methods = METHODS.to_vec();
            if !methods.contains(&method.as_str()) {
                return Err(unknown(name, method, &mut methods));
            }
            return self.responded(&asked, parts, body, caller).await;
        }
        match component.route(method, &segments) {
            Found::Route(route, parameters) => {
                // The chat is open to everyone; tool calls need the caller's scopes.
                if !is_chat {
                    let catalog = self.calls.registry.catalog();
                    must_use(&catalog, &caller, component, route)?;
                }
                let most = match is_chat {
                    true => self.calls.config.chat.body_bytes_max,
                    false => self.calls.config.body_bytes_max,
                };
                let body = read(body, route.body_bytes_max.min(most)).await;
                let content_type = parts.headers.get(header::CONTENT_TYPE);
                let now = component.setup.clock.now();
                let request = RouteRequest {
                    method: route.method.as_str().to_owned(),
                    route: route.path.clone(),
                    parameters,
                    query: query()?,
                    content_type: content_type.and_then(|it| it.to_str().ok()).map(str::to_owned),
                    body,
                    received_at: Datetime {
                        seconds: now.as_secs(),
                        nanoseconds: now.subsec_nanos(),
                    },
                    wants_events: route.streams && wants_events(&parts.headers),
                    meta: "{}".to_owned(),
                };
                let trace = TraceHeaders::from_headers(&parts.headers);
                let component = component.clone();
                let tool = if let [tool] = &*route.tools { Some(tool.clone()) } else { None };
                let trusts = trusts(&parts.headers);
                let call = RouteCall { component, request, tool, caller, trace, trusts };
                self.handled(call).await
            }
            found => {
                let mut methods = match found {
                    Found::Other(methods) => methods.into_iter().map(Method::as_str).collect(),
                    _ => Vec::new(),
                };
                let is_read = *method == Method::GET;
                let looked_up = match methods.contains(&"GET") {
                    true => Ok(None),
                    false => self.looked_up(&asked, query()?, caller).await,
                };
                match looked_up {
                    Ok(Some(found)) if is_read => return Ok(json(found).into_response()),
                    Err(failure) if is_read => return Err(failure),
                    // Only the component knows its look-ups: it is asked, so that GET is named where it is served.
                    Ok(Some(_)) => methods.push("GET"),
                    Err(failure) if !matches!(failure.status, 404 | 405) => methods.push("GET"),
                    Ok(None) | Err(_) => {}
                }
                Err(unknown(name, method, &mut methods))
            }
        }
    }

    /// Response of a look-up. `None` if there is none.
    async fn looked_up(
        &self,
        (component, path): &Target,
        query: Vec<(String, String)>,
        caller: Caller,
    ) -> Result<Option<String>, Failure> {
        let name = component.name();
        if component.exports.endpoints.is_none() {
            return Ok(None);
        }
        if !self.calls.registry.catalog().shows(&caller, Owner::Component(name)) {
            return Err(no_component(name));
        }
        if !caller.may_use(Owner::Component(name)) {
            return Err(CallError::Forbidden { scope: format!("component:{name}") }.into());
        }
        let path = api::decoded(path).map_err(Failure::invalid)?;
        let request = Request { path, query, meta: "{}".to_owned() };
        Ok(component.get(&request, caller).await?)
    }

    /// Response of a WASI HTTP component (SYS-45), with the path below its address and without headers that identify
    /// the caller.
    async fn responded(
        &self,
        (component, path): &Target,
        parts: &Parts,
        body: Body,
        caller: Caller,
    ) -> Result<Response, Failure> {
        let name = component.name();
        let owner = Owner::Component(name);
        if !self.calls.registry.catalog().shows(&caller, owner) {
            return Err(no_component(name));
        }
        let is_read = matches!(parts.method, Method::GET | Method::HEAD);
        if !caller.may_use(owner) || !is_read && !caller.may_upload() {
            return Err(CallError::Forbidden { scope: format!("component:{name}") }.into());
        }
        let most = self.calls.config.body_bytes_max;
        let body = read(body, most).await.map_err(|unread| match unread {
            Unread::TooLarge => {
                let message = format!("The body is larger than the {most} bytes that are read.");
                Failure::new("payload_too_large", 413, message)
            }
            Unread::Broken => Failure::invalid("The body breaks off."),
        })?;
        let query = parts.uri.query().map(|it| format!("?{it}")).unwrap_or_default();
        let uri = format!("/{path}{query}");
        let mut request = http::Request::builder().method(parts.method.clone()).uri(uri);
        request = request.header(header::HOST, &**name);
        for passed in [header::ACCEPT, header::ACCEPT_LANGUAGE, header::CONTENT_TYPE] {
            if let Some(value) = parts.headers.get(&passed) {
                request = request.header(passed, value);
            }
        }
        let request = request
            .body(body.into())
            .map_err(|_| Failure::invalid("The address cannot be passed on to the component."))?;
        let (component, trace) = (component.clone(), TraceHeaders::from_headers(&parts.headers));
        let answered = self.calls.respond(component, request, caller, trace).await?;
        let (answer, body) = answered.into_parts();
        // A component's answer is not a page of this server's, whatever it says that it is.
        let mut response = (answer.status, Body::from(body)).into_response();
        let headers = response.headers_mut();
        headers.remove(header::CONTENT_TYPE);
        for passed in [header::CONTENT_TYPE, header::RETRY_AFTER, header::ALLOW] {
            if let Some(value) = answer.headers.get(&passed) {
                headers.insert(passed, value.clone());
            }
        }
        let is_code = |it: &HeaderValue| it.to_str().map_or(true, mime::is_code);
        if headers.get(header::CONTENT_TYPE).is_some_and(is_code) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(ANSWER_POLICY));
        let own = HeaderName::from_static("cross-origin-resource-policy");
        headers.insert(own, HeaderValue::from_static("same-origin"));
        Ok(response)
    }

    /// Target of `uri` for any caller.
    fn place(&self, uri: &Uri) -> Place {
        let (first, rest) = first(uri);
        if first == CHAT
            && let Some(component) = self.chat()
        {
            let path = match self.calls.config.endpoints.get(CHAT) {
                Some(alias) if *alias.component == **component.name() => alias.path(rest),
                _ => Cow::Borrowed(rest),
            };
            let (name, path) = (component.name().to_string(), path.into_owned());
            return Place { name, component: Some(component), path };
        }
        let (name, path) = match self.calls.config.endpoints.get(first) {
            Some(alias) => (alias.component.as_str(), alias.path(rest)),
            None => (first, Cow::Borrowed(rest)),
        };
        let component = self.calls.registry.catalog().component(name).cloned();
        Place { name: name.to_owned(), component, path: path.into_owned() }
    }

    /// The component at `place`. What the caller's toolset hides counts as missing.
    fn asked(
        &self,
        place: Place,
        uri: &Uri,
        (caller, is_chat): (&Caller, bool),
    ) -> Result<Target, Failure> {
        let not_found = |message: String| Failure::new("not_found", 404, message);
        let (first, _) = first(uri);
        let none = || no_component(&first.chars().take(64).collect::<String>());
        let Place { name, component, path } = place;
        let owner = Owner::Component(&name);
        // Everyone may talk.
        if !is_chat && !self.calls.registry.catalog().shows(caller, owner) {
            return Err(none());
        }
        let Some(component) = component else {
            return Err(match self.calls.config.endpoints.get(first) {
                Some(_) => not_found(format!(
                    "The component {name}, which answers here, is not served; /api/health says why."
                )),
                None => none(),
            });
        };
        match component.endpoints_error() {
            Some(why) => Err(not_found(why)),
            None => Ok((component, path)),
        }
    }

    /// The component that answers the chat: the one that has the address, or else one that runs assistants.
    fn chat(&self) -> Option<Arc<LoadedComponent>> {
        let catalog = self.calls.registry.catalog();
        let named = self.calls.config.endpoints.chat().and_then(|it| catalog.component(it));
        let mut there = named.into_iter().chain(catalog.components().filter(|it| self.is_chat(it)));
        there.find(|it| it.endpoints_error().is_none()).cloned()
    }

    fn is_chat(&self, component: &LoadedComponent) -> bool {
        component.runs_assistants() || self.calls.config.endpoints.chat() == Some(component.name())
    }

    /// Response of a route: a single one, or events once it writes one.
    async fn handled(&self, call: RouteCall) -> Result<Response, Failure> {
        if !call.request.wants_events {
            return Ok(answered(self.calls.handle(call, None).await?));
        }
        let (sender, mut receiver) = mpsc::channel::<Written>(WAITING_MAX);
        let (calls, last) = (self.calls.clone(), sender.clone());
        let mut work = Box::pin(async move { calls.handle(call, Some(sender)).await });
        let first = tokio::select! {
            biased;
            Some(first) = receiver.recv() => first,
            answer = &mut work => match receiver.try_recv() {
                Err(_) => return Ok(answered(answer?)),
                // All that it wrote fitted the channel.
                Ok(first) => {
                    drop(last);
                    let all = written(first, receiver).chain(stream::iter(failed(answer)));
                    return Ok(events(all));
                }
            }
        };
        // The work is done by the stream itself: it ends when the client goes. What it fails with comes
        // behind all that it wrote.
        let work = async move {
            if let Some(failed) = failed(work.await) {
                let _ = last.send(failed).await;
            }
        };
        let work = work.into_stream().filter_map(|()| ready(None));
        Ok(events(stream::select(work, written(first, receiver))))
    }
}

fn written(first: Written, rest: mpsc::Receiver<Written>) -> impl Stream<Item = Written> {
    stream::iter([first]).chain(ReceiverStream::new(rest))
}

/// Whether a request wants its answer as a stream of events.
fn wants_events(headers: &HeaderMap) -> bool {
    let accepts = |accept: &HeaderValue| {
        accept.to_str().is_ok_and(|it| it.to_ascii_lowercase().contains("text/event-stream"))
    };
    headers.get_all(header::ACCEPT).iter().any(accepts)
}

/// These events as an answer (NAV-9); their data has no line breaks.
fn events(events: impl Stream<Item = Written> + Send + 'static) -> Response {
    let events =
        events.map(|it| Ok::<_, Infallible>(Event::default().event(it.name).data(it.data)));
    let keep_alive = KeepAlive::new().interval(QUIET);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // Buffering proxies would merge events into one response.
    let name = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(name, HeaderValue::from_static("no"));
    response
}

/// The last event of a stream where the component failed.
fn failed(answer: Result<RouteAnswer, CallError>) -> Option<Written> {
    let failure = Failure::from(answer.err()?);
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut data = failure.object();
    data["status"] = status.as_u16().into();
    Some(Written { name: "error".to_owned(), data: data.to_string() })
}

/// There is no component of that name, as far as the caller knows.
fn no_component(name: &str) -> Failure {
    Failure::new("not_found", 404, format!("There is no component {name}."))
}

/// A scope of the caller's lets them use `route`, and their toolset shows it: that of one of its tools, or else that of
/// its component.
fn must_use(
    catalog: &Catalog,
    caller: &Caller,
    component: &LoadedComponent,
    route: &Route,
) -> Result<(), Failure> {
    let name = component.name();
    let owner = Owner::Component(name);
    let is_shown = match route.tools.as_slice() {
        [] => catalog.shows(caller, owner),
        tools => tools.iter().any(|it| catalog.knows_of(caller, it)),
    };
    if !is_shown {
        return Err(no_component(name));
    }
    let own = |name: &String| component.tools().iter().find(|it| *it.name == **name);
    let may_call = |name| own(name).is_some_and(|it| caller.may_call(owner, &it.name, it.hints));
    let may = match route.tools.as_slice() {
        [] => caller.may_use(owner) && (route.method == Method::GET || caller.may_upload()),
        tools => tools.iter().any(may_call),
    };
    let scope = || match route.tools.first() {
        Some(tool) => format!("tool:{tool}"),
        None => format!("component:{name}"),
    };
    if may { Ok(()) } else { Err(CallError::Forbidden { scope: scope() }.into()) }
}

/// The gateway is closed to the sender (ILL-44).
fn closed(parts: &Parts) -> Response {
    let caller = caller_of(&parts.headers, &parts.extensions);
    let language = Language::detect(caller.locale.as_deref(), "");
    let error = language.pick("認証が必要です", "A password is needed");
    let details = language
        .pick("POST /api/auth にパスワードを送ってください", "Send the password to POST /api/auth");
    let body = serde_json::json!({ "error": error, "details": details });
    (StatusCode::UNAUTHORIZED, Json(body)).into_response()
}

/// First path segment behind `/api`, and the rest.
fn first(uri: &Uri) -> (&str, &str) {
    match uri.path().strip_prefix("/api/") {
        Some(path) => path.split_once('/').unwrap_or((path, "")),
        None => {
            let path = uri.path();
            let end = path[1..].find('/').map_or(path.len(), |it| it + 1);
            (&path[..end], path[end..].trim_start_matches('/'))
        }
    }
}

/// Tools trusted by the person, from their client's header.
fn trusts(headers: &HeaderMap) -> Arc<[String]> {
    let values = headers.get_all(TRUSTS).iter().filter_map(|it| it.to_str().ok());
    let each = values.flat_map(|it| it.split(',')).map(str::trim).filter(|it| !it.is_empty());
    each.take(TRUSTS_MAX).map(str::to_owned).collect()
}

/// A body of at most so many bytes. One that is announced to be longer is not read.
async fn read(body: Body, bytes_max: usize) -> Result<Vec<u8>, Unread> {
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(Unread::TooLarge);
    }
    let read = to_bytes(body, bytes_max).await;
    read.map(Into::into).map_err(|error| {
        let source = std::error::Error::source(&error);
        match source.is_some_and(|it| it.is::<LengthLimitError>()) {
            true => Unread::TooLarge,
            false => Unread::Broken,
        }
    })
}

fn answered(answer: RouteAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, json(answer.body)).into_response();
    if let Some(seconds) = answer.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    match answer.scope.filter(|_| status == StatusCode::FORBIDDEN) {
        Some(scope) => forbidden(response, &scope),
        None => response,
    }
}

fn json(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], text)
}

/// Error for a missing path, or for a method that is not among those that are served there.
fn unknown(name: &str, method: &Method, served: &mut Vec<&str>) -> Failure {
    if served.is_empty() {
        let message = format!("The component {name} serves nothing there.");
        return Failure::new("not_found", 404, message);
    }
    if served.contains(&"GET") {
        served.push("HEAD");
    }
    served.sort_unstable();
    served.dedup();
    let message = format!("{method} is not served here; the header Allow says what is.");
    Failure::new("method_not_allowed", 405, message).with("allow", served.join(", "))
}
