//! A configurable server that speaks 2026-07-28 alone and counts its calls.

use std::{
    collections::VecDeque,
    convert::Infallible,
    net::TcpListener,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::{
    runtime::Runtime,
    sync::{
        Semaphore,
        broadcast::{self, error::RecvError},
    },
};

/// The server's reaction to one call.
#[derive(Clone)]
pub(crate) enum Deed {
    /// Answers with that status, and with that `Retry-After`.
    Status(u16, Option<&'static str>),
    /// Answers with that result.
    Result(Value),
    /// Answers with that error of JSON-RPC.
    Error(i64, &'static str),
    /// Answers with that status and that body of JSON, in which `ID` stands for the call's id.
    Body(u16, &'static str),
    /// The same as an event of a stream that stays open.
    Event(&'static str),
    /// The call is never answered.
    Never,
    /// Begins a stream whose event never ends.
    Endless,
    /// Answers with a text of so many bytes.
    Large(usize),
    /// The same as an event of a stream.
    LargeEvent(usize),
    /// Reports progress, waits for a permit, and answers.
    Progress,
    /// Reports progress this many times, every 400 ms, and answers.
    Slow(u64),
}

/// The server in its own runtime, with which it ends.
pub(crate) struct Modern {
    pub(crate) port: u16,
    state: Arc<ServerState>,
    runtime: Option<Runtime>,
}

#[derive(Default)]
pub(crate) struct ServerState {
    /// Its tools, as it lists them.
    pub(crate) tools: Mutex<Vec<Value>>,
    /// The tools that it has from the moment on in which it is first listened to.
    pub(crate) later: Mutex<Option<Vec<Value>>>,
    /// Its resources, each as a read of it gives it out; those with a name are listed.
    pub(crate) resources: Mutex<Vec<Value>>,
    /// Methods that it answers with an error.
    pub(crate) broken: Mutex<Vec<&'static str>>,
    /// The methods that it has answered with an error.
    pub(crate) failed: Mutex<Vec<String>>,
    /// Reactions to the next calls; later ones are answered `done`.
    pub(crate) deeds: Mutex<VecDeque<Deed>>,
    /// The token that it requires.
    pub(crate) token: Mutex<Option<&'static str>>,
    /// Each `tools/call` so far: the `Authorization` header, and the message.
    pub(crate) calls: Mutex<Vec<(String, Value)>>,
    /// Permits to answer after progress.
    pub(crate) leave: Option<Semaphore>,
    /// Counts abandoned calls.
    pub(crate) abandoned: Option<Semaphore>,
    changed: Mutex<Option<broadcast::Sender<()>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it serves")
}

/// A tool with that name that takes anything.
pub(crate) fn tool(name: &str, read_only: bool) -> Value {
    json!({
        "name": name, "description": format!("does {name}"),
        "inputSchema": { "type": "object", "x-kept": [1] },
        "annotations": { "readOnlyHint": read_only },
        "_meta": { "example.com/kept": true, "madoguchi/view": "stolen" },
    })
}

impl Modern {
    /// One with the read-only tool `look` and the tool `book`.
    pub(crate) fn start() -> Self {
        Self::with(vec![tool("look", true), tool("book", false)])
    }

    pub(crate) fn with(tools: Vec<Value>) -> Self {
        Self::with_resources(tools, Vec::new())
    }

    /// The same with these resources.
    pub(crate) fn with_resources(tools: Vec<Value>, resources: Vec<Value>) -> Self {
        let state = ServerState {
            tools: Mutex::new(tools),
            resources: Mutex::new(resources),
            leave: Some(Semaphore::new(0)),
            abandoned: Some(Semaphore::new(0)),
            changed: Mutex::new(Some(broadcast::channel(8).0)),
            ..ServerState::default()
        };
        let port = tests::free_addr().port();
        let mut modern = Self { port, state: Arc::new(state), runtime: None };
        modern.revive();
        modern
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(crate) fn state(&self) -> &ServerState {
        &self.state
    }

    /// Sets the reactions to the next calls.
    pub(crate) fn will(&self, deeds: impl IntoIterator<Item = Deed>) {
        locked(&self.state.deeds).extend(deeds);
    }

    /// The calls so far, each with its bearer token and its message.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        locked(&self.state.calls).clone()
    }

    /// Replaces its tools, and notifies listening clients.
    pub(crate) fn change(&self, tools: Vec<Value>) {
        *locked(&self.state.tools) = tools;
        if let Some(changed) = &*locked(&self.state.changed) {
            let _ = changed.send(());
        }
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // In a thread: a runtime cannot wait for another one to end.
            std::thread::spawn(move || drop(runtime)).join().expect("it ends");
        }
    }

    /// Restarts it on the same port.
    pub(crate) fn revive(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).expect("the port is free");
        listener.set_nonblocking(true).expect("it can be");
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        let routes = Router::new().route("/mcp", post(answer)).with_state(self.state.clone());
        runtime.spawn(async move {
            let listener =
                tokio::net::TcpListener::from_std(listener).expect("it can be taken over");
            axum::serve(listener, routes).await.expect("it serves");
        });
        self.runtime = Some(runtime);
    }
}

impl Drop for Modern {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn answer(State(peer): State<Arc<ServerState>>, headers: HeaderMap, body: Bytes) -> Response {
    let bearer =
        headers.get(header::AUTHORIZATION).map(|it| it.to_str().expect("ASCII").to_owned());
    let bearer = bearer.unwrap_or_default();
    let wanted = *locked(&peer.token);
    if wanted.is_some_and(|it| bearer != format!("Bearer {it}")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    let id = message["id"].clone();
    let result = |result: Value| {
        Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
    };
    match message["method"].as_str().expect("it has a method") {
        method if locked(&peer.broken).contains(&method) => {
            locked(&peer.failed).push(method.to_owned());
            let error = json!({ "code": -32603, "message": format!("{method} is broken") });
            Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response()
        }
        "server/discover" => result(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities(&peer),
            "serverInfo": { "name": "modern", "version": "1" }, "ttlMs": 0, "cacheScope": "public",
        })),
        "tools/list" => {
            let tools = locked(&peer.tools).clone();
            result(
                json!({ "resultType": "complete", "tools": tools, "ttlMs": 60000, "cacheScope": "public" }),
            )
        }
        "resources/list" => {
            let all = locked(&peer.resources).clone();
            let named: Vec<_> = all.into_iter().filter(|it| it.get("name").is_some()).collect();
            result(
                json!({ "resultType": "complete", "resources": named, "ttlMs": 0, "cacheScope": "public" }),
            )
        }
        "resources/templates/list" => result(
            json!({ "resultType": "complete", "resourceTemplates": [], "ttlMs": 0, "cacheScope": "public" }),
        ),
        "resources/read" => {
            let all = locked(&peer.resources).clone();
            let found = all.into_iter().find(|it| it["uri"] == message["params"]["uri"]);
            let mut found = found.expect("only what is there is read");
            found.as_object_mut().expect("it is one").remove("name");
            result(
                json!({ "resultType": "complete", "contents": [found], "ttlMs": 0, "cacheScope": "public" }),
            )
        }
        "subscriptions/listen" => listen(&peer, id, &message),
        "tools/call" => {
            locked(&peer.calls).push((bearer, message.clone()));
            let deed = locked(&peer.deeds).pop_front();
            call(&peer, id, &message, deed).await
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("no {method} here") });
            let body = Json(json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            (StatusCode::NOT_FOUND, body).into_response()
        }
    }
}

fn capabilities(peer: &ServerState) -> Value {
    let mut can = json!({ "tools": { "listChanged": true } });
    let is_broken = |method: &str| locked(&peer.broken).contains(&method);
    if !locked(&peer.resources).is_empty() || is_broken("resources/list") {
        can["resources"] = json!({});
    }
    if is_broken("prompts/list") {
        can["prompts"] = json!({});
    }
    can
}

fn event(message: &Value) -> Result<Bytes, Infallible> {
    Ok(Bytes::from(format!("event: message\ndata: {message}\n\n")))
}

fn events(
    stream: impl stream::Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
}

fn listen(server: &ServerState, id: Value, message: &Value) -> Response {
    if let Some(tools) = locked(&server.later).take() {
        *locked(&server.tools) = tools;
    }
    let changes = locked(&server.changed).as_ref().expect("it changes").subscribe();
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
    let agreed = json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": { "notifications": message["params"]["notifications"], "_meta": meta },
    });
    let changed = json!({
        "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": { "_meta": meta },
    });
    let news = stream::unfold(changes, move |mut changes| {
        let changed = changed.clone();
        async move {
            // Those that came too fast are one change as well.
            if let Err(RecvError::Closed) = changes.recv().await {
                return None;
            }
            Some((event(&changed), changes))
        }
    });
    events(stream::once(async move { event(&agreed) }).chain(news))
}

/// Counts abandoned calls when dropped.
struct Abandoned(Arc<ServerState>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.abandoned.as_ref().expect("it is counted").add_permits(1);
    }
}

fn text(bytes: usize) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": "a".repeat(bytes) }] })
}

async fn call(peer: &Arc<ServerState>, id: Value, message: &Value, deed: Option<Deed>) -> Response {
    let done = json!({
        "resultType": "complete", "content": [{ "type": "text", "text": "done" }],
        "structuredContent": { "arguments": message["params"]["arguments"] },
    });
    let named = |body: &str| body.replace("ID", &id.to_string());
    let deed = match deed {
        Some(Deed::Body(status, body)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            let kind = [(header::CONTENT_TYPE, "application/json")];
            return (status, kind, named(body)).into_response();
        }
        Some(Deed::Event(data)) => {
            let event = Bytes::from(format!("data: {}\n\n", named(data)));
            return events(stream::iter([Ok(event)]).chain(stream::pending()));
        }
        deed => deed,
    };
    let whole = move |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    match deed.unwrap_or(Deed::Result(done.clone())) {
        Deed::Result(result) => Json(whole(result)).into_response(),
        Deed::Error(code, text) => {
            let mut answer = whole(Value::Null);
            answer.as_object_mut().expect("it is one").remove("result");
            answer["error"] = json!({ "code": code, "message": text, "data": { "field": "x" } });
            Json(answer).into_response()
        }
        Deed::Status(status, after) => {
            let status = StatusCode::from_u16(status).expect("a status");
            let mut response = status.into_response();
            if let Some(after) = after {
                response.headers_mut().insert(header::RETRY_AFTER, after.parse().expect("ASCII"));
            }
            response
        }
        Deed::Never => {
            let _abandoned = Abandoned(peer.clone());
            std::future::pending().await
        }
        Deed::Body(..) | Deed::Event(_) => unreachable!("answered above"),
        Deed::Endless => events(stream::repeat(Ok(Bytes::from_static(&[b'a'; 64 << 10])))),
        Deed::Large(bytes) => Json(whole(text(bytes))).into_response(),
        Deed::LargeEvent(bytes) => {
            let answer = whole(text(bytes));
            events(stream::once(async move { event(&answer) }))
        }
        Deed::Slow(steps) => {
            let token = message["params"]["_meta"]["progressToken"].clone();
            let notes = stream::iter(1..=steps).then(move |step| {
                let note = json!({
                    "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": token, "progress": step },
                });
                async move {
                    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
                    event(&note)
                }
            });
            events(notes.chain(stream::once(async move { event(&whole(done)) })))
        }
        Deed::Progress => {
            let token = message["params"]["_meta"]["progressToken"].clone();
            let note = json!({
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": 1, "total": 2, "message": "half" },
            });
            let state = peer.clone();
            let last = async move {
                state.leave.as_ref().expect("it is given").acquire().await.expect("open").forget();
                event(&whole(done))
            };
            events(stream::once(async move { event(&note) }).chain(stream::once(last)))
        }
    }
}
