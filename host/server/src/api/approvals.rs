//! The route `/api/approvals`: calls that wait for the caller's decision. `GET` lists them or shows one, and `POST`
//! answers one. The page and MCP clients use the same approvals.

use std::collections::BTreeMap;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{FromRequest, Path, Request, State},
    middleware,
    response::Response,
    routing::get,
};
use http::{Extensions, HeaderMap, HeaderValue, header};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Refused, endpoints::Endpoints, limited};
use base::{
    call::{Failure, Surface, TraceHeaders},
    caller::Caller,
    json,
    language::Language,
};
use calls::{
    Reply, Speaker,
    approvals::{Approval, Described, State as Stands, unread},
    unknown_approval,
};
use store::clock::rfc3339;

/// Bytes that an answer may have.
const BODY_BYTES_MAX: usize = 256 << 10;

/// A decision: whether to make the call, or answers to its questions.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReplyBody {
    allow: Option<bool>,
    answers: Option<BTreeMap<String, Value>>,
    /// SHA-256 of the arguments shown. Others are rejected.
    arguments_sha256: Option<String>,
}

pub(crate) fn routes(endpoints: Endpoints) -> Router {
    let routes = Router::new()
        .route("/api/approvals", get(list))
        .route("/api/approvals/{id}", get(one).post(answer));
    limited(routes, BODY_BYTES_MAX).layer(middleware::map_response(fresh)).with_state(endpoints)
}

async fn list(
    State(endpoints): State<Endpoints>,
    headers: HeaderMap,
    extensions: Extensions,
) -> Result<Json<Value>, Refused> {
    let caller = endpoints.caller(&headers, &extensions)?;
    let all = endpoints.calls.approvals.list(&caller.principal).await.map_err(|it| unread(&it))?;
    let shown = all.iter().filter(|it| endpoints.calls.shows(it, &caller));
    let all: Vec<_> = shown.map(|it| endpoints.approval_json(it, &caller)).collect();
    Ok(Json(json!({ "approvals": all })))
}

async fn one(
    State(endpoints): State<Endpoints>,
    Path(id): Path<String>,
    headers: HeaderMap,
    extensions: Extensions,
) -> Result<Json<Value>, Refused> {
    let caller = endpoints.caller(&headers, &extensions)?;
    let found = endpoints.approval(&id, &caller).await?;
    Ok(Json(endpoints.approval_json(&found, &caller)))
}

async fn answer(
    State(endpoints): State<Endpoints>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<Value>, Refused> {
    // Nothing more is read for anonymous callers.
    let caller = endpoints.caller(request.headers(), request.extensions())?;
    let trace = TraceHeaders::from_headers(request.headers());
    let body = Bytes::from_request(request, &()).await.map_err(|error| {
        Failure::new("unread", error.status().as_u16(), format!("The body was not read: {error}"))
    })?;
    let body: ReplyBody = serde_json::from_slice(&body).map_err(|error| {
        let why = json::explain(&error.to_string());
        Failure::invalid(format!("{FORM}; here {why}"))
    })?;
    let reply = match (body.allow, body.answers) {
        (Some(true), None) => Reply::Allow,
        (Some(false), None) => Reply::Deny,
        (None, Some(answers)) => Reply::Answers(answers),
        (None, None) => {
            return Err(
                Failure::invalid(format!("{FORM}; it has neither allow nor answers")).into()
            );
        }
        (Some(_), Some(_)) => {
            return Err(Failure::invalid(format!("{FORM}; it has both allow and answers")).into());
        }
    };
    let before = endpoints.approval(&id, &caller).await?;
    if body.arguments_sha256.is_some_and(|it| it != before.arguments_sha256) {
        let message =
            "The call has other arguments than the ones that this answer is for; nothing was done.";
        return Err(Failure::new("other_arguments", 409, message).into());
    }
    let fits = matches!(
        (&before.state, &reply),
        (Stands::Waits, Reply::Allow | Reply::Deny)
            | (Stands::Asks { .. }, Reply::Answers(_) | Reply::Deny)
    );
    if !fits {
        return Err(over(&before).into());
    }
    let speaker = Speaker { caller: caller.clone(), surface: Surface::Rest, trace };
    let denies = matches!(reply, Reply::Deny);
    let waited = matches!(before.state, Stands::Waits);
    let approval =
        endpoints.calls.reply(&id, before.state.questions_digest(), speaker, reply).await?;
    // Another decision may have come in between.
    let is_late = match approval.state {
        Stands::Denied => !denies,
        Stands::Expired => true,
        _ => denies && waited,
    };
    if is_late && approval.id == id {
        return Err(over(&approval).into());
    }
    Ok(Json(endpoints.approval_json(&approval, &caller)))
}

async fn fresh(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Endpoints {
    /// The caller, by token or gateway cookie.
    fn caller(&self, headers: &HeaderMap, extensions: &Extensions) -> Result<Caller, Failure> {
        self.gateway.caller_of(headers, extensions).ok_or_else(|| {
            let message = "A token is needed, or the password of POST /api/auth.";
            Failure::new("unauthorized", 401, message)
        })
    }

    /// The approval of that id, where it is `caller`'s and they may know of it.
    async fn approval(&self, id: &str, caller: &Caller) -> Result<Approval, Failure> {
        let found = self.calls.approvals.get(id, &caller.principal).await;
        let found = found.map_err(|it| unread(&it))?;
        found.filter(|it| self.calls.shows(it, caller)).ok_or_else(unknown_approval)
    }

    /// Renders an approval.
    fn approval_json(&self, approval: &Approval, caller: &Caller) -> Value {
        let language = Language::detect(Some(caller.locale.as_deref().unwrap_or("ja")), "");
        let catalog = self.calls.registry.catalog();
        let described = Described::find(&catalog, &approval.tool, language);
        let mut object = json!({
            "id": approval.id,
            "state": approval.state.name(),
            "tool": approval.tool,
            "title": described.as_ref().and_then(|it| it.title.as_deref()),
            "owner": described.as_ref().map(|it| &it.owner),
            "isDestructive": described.as_ref().is_some_and(|it| it.is_destructive),
            "words": approval.described(&catalog, language),
            "arguments": approval.masked_arguments(described.as_ref()),
            "argumentsSha256": approval.arguments_sha256,
            "reason": approval.reason,
            "askedBy": approval.asked_by,
            "askedAt": rfc3339(approval.held_at_s),
            "expiresAt": approval.expires_at_s.map(rfc3339),
        });
        if !approval.changed.is_empty() {
            object["changed"] = json!(approval.changed);
        }
        match &approval.state {
            Stands::Asks { questions, .. } => object["questions"] = json!(questions),
            Stands::Ended(Ok(result)) => object["result"] = json!(result),
            Stands::Replaced { by } => object["replacedBy"] = by.as_str().into(),
            _ => {
                if let Some(Err(failure)) = approval.ended() {
                    object["error"] = failure.object();
                }
            }
        }
        object
    }
}

/// Describes the request body.
const FORM: &str = "The body is {\"allow\": true}, {\"allow\": false} or {\"answers\": {KEY: {\"action\": …, \"content\": …}}}, with \"argumentsSha256\" beside it where the arguments must be those that were shown";

/// Error for a decision that is too late or of the wrong kind.
fn over(approval: &Approval) -> Failure {
    let (error, status, message) = match approval.state {
        Stands::Waits => ("not_asked", 409, "The call waits to be allowed; it has asked nothing."),
        Stands::Asks { .. } => {
            ("allowed_already", 409, "The call was allowed and asks something; send answers.")
        }
        Stands::Replaced { .. } => (
            "tool_changed",
            409,
            "The tool has changed since this was asked; replacedBy is what is asked now.",
        ),
        Stands::Expired => {
            ("approval_expired", 410, "Nobody allowed this call in time. It was not made.")
        }
        _ => {
            ("answered_already", 409, "This call was answered before; GET says what became of it.")
        }
    };
    Failure::new(error, status, message).with("state", approval.state.name())
}
