//! Rules that every response keeps for any request.

use serde_json::{Value, json};

use crate::{exchange::Answer, request::Request};

/// Allowed statuses. 503 stands for a busy component.
const STATUSES: [u16; 18] =
    [200, 202, 204, 304, 400, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 422, 431, 503];

/// Checks `answer` against the rules.
pub(crate) fn judge(request: &Request, answer: &Answer) -> Result<(), String> {
    let Some(status) = answer.status else {
        // A body that is shorter than it says is no request yet, and ends with its connection.
        return match request.has_own_length() {
            true => Ok(()),
            false => Err("the connection ended without an answer".to_owned()),
        };
    };
    if !STATUSES.contains(&status) {
        return Err(format!("status {status}"));
    }
    let is_head = request.method() == b"HEAD";
    if is_head || status == 304 {
        return Ok(());
    }
    match status {
        202 | 204 if answer.body.is_empty() => Ok(()),
        202 | 204 => Err(format!("status {status} with a body")),
        200 => done(request, answer),
        _ => refused(status, answer),
    }
}

/// Whether the response must consist of JSON-RPC messages.
fn is_jsonrpc(request: &Request) -> bool {
    let path = request.path();
    let path = path.split('?').next().unwrap_or_default();
    request.method() == b"POST" && (path == "/mcp" || path == "/rpc")
}

fn done(request: &Request, answer: &Answer) -> Result<(), String> {
    if !is_jsonrpc(request) {
        return Ok(());
    }
    let messages = answer.messages();
    let mut each = messages.iter().flat_map(|message| match message {
        Value::Array(batch) => batch.iter().collect(),
        one => vec![one],
    });
    if messages.is_empty() {
        return Err("status 200 without a message".to_owned());
    }
    each.try_for_each(message)
}

/// Checks a JSON-RPC message.
fn message(message: &Value) -> Result<(), String> {
    let (result, error, method) =
        (message.get("result"), message.get("error"), message.get("method"));
    let kinds = [result, error, method].iter().flatten().count();
    if message["jsonrpc"] != "2.0" || kinds != 1 {
        return Err(format!("no message of JSON-RPC: {message}"));
    }
    if message.get("id").is_some_and(|it| it.is_object() || it.is_array() || it.is_boolean()) {
        return Err(format!("no id of JSON-RPC: {message}"));
    }
    error.map_or(Ok(()), fault)
}

fn fault(error: &Value) -> Result<(), String> {
    let says = error["message"].as_str().is_some_and(|it| !it.trim().is_empty());
    match error["code"].is_i64() && says {
        true => Ok(()),
        false => Err(format!("no error of JSON-RPC: {error}")),
    }
}

/// Checks an error in JSON-RPC's or REST's shape.
fn refused(status: u16, answer: &Answer) -> Result<(), String> {
    // What is no HTTP is refused before any of our code sees it.
    let is_no_http = answer.body.is_empty() && answer.header("connection") == Some("close");
    if is_no_http && matches!(status, 400 | 414 | 431) {
        return Ok(());
    }
    let Some(body) = answer.messages().pop() else {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        return Err(format!("status {status} without JSON: {} {text:?}", answer.kind()));
    };
    if body.get("jsonrpc").is_some() || body.is_array() {
        return match &body {
            Value::Array(batch) => batch.iter().try_for_each(message),
            one => message(one),
        };
    }
    let is_rest = body["error"].is_string() && body["message"].is_string();
    match is_rest && body["status"] == status {
        true => Ok(()),
        false => Err(format!("status {status} in neither shape: {body}")),
    }
}

/// The part of an answer that both servers must share.
pub(crate) fn common_part(answer: &Answer) -> Value {
    let messages = answer.messages();
    let all = messages.iter().flat_map(|message| match message {
        Value::Array(batch) => batch.iter().collect(),
        one => vec![one],
    });
    let answers = all.map(|message| {
        let result = message.get("result");
        json!({
            // What is long may be a state, which each server has its own of.
            "id": message.get("id").filter(|it| it.to_string().len() < 99),
            "code": message.pointer("/error/code"),
            "error": message.get("error").filter(|it| it.is_string()),
            "type": message.pointer("/result/resultType"),
            "isError": message.pointer("/result/isError"),
            "method": message.get("method"),
            "members": result.and_then(Value::as_object).map(|it| it.keys().collect::<Vec<_>>()),
        })
    });
    // Progress may come in one note or in several.
    let message: Vec<_> = answers.filter(|it| it["method"] != "notifications/progress").collect();
    json!({ "status": answer.status, "kind": answer.kind(), "messages": message })
}
