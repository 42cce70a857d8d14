//! Chats of people with agents (CONV 4.6): `POST /api/projects/P/agents/A/chat/…`, and the
//! specification's short forms `POST /chat/start`, `/chat` and `/chat/end`. What there is to read, the
//! component answers at the same addresses.

use axum::{
    Json, Router,
    body::Bytes,
    extract::{
        DefaultBodyLimit, Path, State,
        rejection::{BytesRejection, PathRejection},
    },
    response::{IntoResponse, Response},
    routing::{MethodRouter, post},
};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Map, Value};

mod body;
mod project;

use body::Fields;

use super::{refused, rpc};
use crate::{
    assistant::Language,
    caller::Caller,
    calls::{Call, Calls},
    config::Config,
    failure::Failure,
    record::Surface,
    registry::Registry,
    telemetry::TraceHeaders,
};

/// Bytes of a body: sixteen times the longest message, so that one that is somewhat too long is told
/// so by its own code.
const BODY_BYTES_MAX: usize = 256 << 10;

/// What the endpoints work on.
#[derive(Clone)]
pub(crate) struct People {
    calls: Calls,
    registry: Registry,
    body_bytes_max: usize,
}

/// What a person does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Start,
    Say,
    End,
    Read,
}

impl Act {
    /// The component's tool for it.
    fn tool(self) -> &'static str {
        match self {
            Self::Start => "start_chat",
            Self::Say => "send_chat",
            Self::End => "end_chat",
            Self::Read => "mark_chat_read",
        }
    }
}

/// One address.
#[derive(Clone)]
struct At {
    people: People,
    act: Act,
}

/// All of them; what is asked for by `GET` where a person may also act, `endpoints` answer.
pub(crate) fn routes(people: People, endpoints: &MethodRouter) -> Router {
    let at = |act| At { people: people.clone(), act };
    let limit = DefaultBodyLimit::max(people.body_bytes_max);
    let mut router = Router::new();
    let chat = "/api/projects/{project}/agents/{agent}/chat";
    for (path, act) in
        [("start", Act::Start), ("messages", Act::Say), ("end", Act::End), ("mark-read", Act::Read)]
    {
        let acts = post(long).with_state(at(act)).layer(limit);
        router = router.route(&format!("{chat}/{path}"), acts.merge(endpoints.clone()));
    }
    for (path, act) in [("/chat/start", Act::Start), ("/chat", Act::Say), ("/chat/end", Act::End)] {
        router = router.route(path, post(short).with_state(at(act)).layer(limit));
    }
    router
}

type Body = Result<Bytes, BytesRejection>;

/// Project and agent stand in the address.
async fn long(
    State(at): State<At>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Body,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let asked = async {
        let Path((project, agent)) = path.map_err(|_| wrong("The address must be UTF-8."))?;
        let fields = at.people.fields(&headers, body, &caller)?;
        let ids = Map::from_iter([
            ("project_id".to_owned(), project.into()),
            ("agent_id".to_owned(), agent.into()),
        ]);
        at.call(ids, fields, (caller, TraceHeaders::of(&headers))).await
    };
    answer(asked.await)
}

/// Project and agent stand in the body; the project need not, where there is no doubt.
async fn short(
    State(at): State<At>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Body,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let asked = async {
        let mut fields = at.people.fields(&headers, body, &caller)?;
        let agent = fields.take("agent_id").unwrap_or_default();
        let Some(id) = agent.as_str().filter(|it| !it.is_empty()) else {
            let message = fields.language.pick(
                "agent_idを指定してください: {\"agent_id\": \"worker-a\"}",
                "agent_id is required: {\"agent_id\": \"worker-a\"}",
            );
            return Err(wrong(message).with("field", "agent_id"));
        };
        let project = match fields.take("project_id") {
            None | Some(Value::Null) => at.people.project_of(id, &caller, fields.language).await?,
            Some(project) => project,
        };
        let ids =
            Map::from_iter([("project_id".to_owned(), project), ("agent_id".to_owned(), agent)]);
        at.call(ids, fields, (caller, TraceHeaders::of(&headers))).await
    };
    answer(asked.await)
}

impl People {
    pub(crate) fn new(config: &Config, calls: &Calls, registry: &Registry) -> Self {
        let body_bytes_max = config.body_bytes_max.min(BODY_BYTES_MAX);
        Self { calls: calls.clone(), registry: registry.clone(), body_bytes_max }
    }

    fn fields(&self, headers: &HeaderMap, body: Body, caller: &Caller) -> Result<Fields, Failure> {
        let language = Language::of(caller.locale.as_deref(), "");
        Fields::read(headers, body, self.body_bytes_max, language)
    }
}

impl At {
    /// What the component's tool puts out.
    async fn call(
        &self,
        mut arguments: Map<String, Value>,
        mut fields: Fields,
        (caller, trace): (Caller, TraceHeaders),
    ) -> Result<Value, Failure> {
        if self.act == Act::Say {
            // What is not there is as empty as what is.
            let content = fields.take("content").filter(|it| !it.is_null()).unwrap_or("".into());
            arguments.insert("content".to_owned(), content);
            let id = fields.take("client_message_id");
            arguments.extend(id.map(|it| ("client_message_id".to_owned(), it)));
        }
        let call = Call {
            name: self.act.tool().to_owned(),
            arguments: Value::Object(arguments).to_string(),
            meta: "{}".to_owned(),
            caller,
            responses: Default::default(),
            state: None,
            notes: None,
            surface: Surface::Rest,
            trace,
        };
        rpc::called(&self.people.calls, call).await.map_err(in_words_of_rest)
    }
}

/// The codes that these endpoints have names of their own for (CONV 4.6).
fn in_words_of_rest(mut failure: Failure) -> Failure {
    match failure.error.as_str() {
        "content_required" => failure.error = "EMPTY_CONTENT".to_owned(),
        "content_too_long" => failure.error = "CONTENT_TOO_LONG".to_owned(),
        _ => {}
    }
    failure
}

fn wrong(message: impl Into<String>) -> Failure {
    Failure::new("invalid_params", 400, message)
}

fn answer(result: Result<Value, Failure>) -> Response {
    let mut response = match result {
        Ok(output) => Json(output).into_response(),
        Err(failure) => {
            let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::BAD_REQUEST);
            let wait_ms = failure.data.get("retry_after_ms").and_then(Value::as_u64);
            let scope = (failure.error == "insufficient_scope").then(|| failure.data.get("scope"));
            let scope = scope.flatten().and_then(Value::as_str);
            let wait_s = wait_ms.map(|it| it.div_ceil(1_000).max(1));
            refused::response(status, failure.object(), wait_s, scope)
        }
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
