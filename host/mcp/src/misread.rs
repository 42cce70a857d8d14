//! What the SDK refuses without naming the wrong part of a message, or takes for something else.

use rmcp::{
    ErrorData,
    model::{InitializeRequestParams, RequestId},
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value, value::RawValue};

use crate::wire;
use base::json;

/// Maximum size of a message that is looked at, in bytes. What is longer is hardly wrong in its outline.
pub(crate) const BYTES_MAX: usize = 64 << 10;

/// Names the part of a JSON object that keeps it from being a JSON-RPC message. `None` if it is no object, or nothing is
/// found.
pub(crate) fn wrong_part(message: &[u8]) -> Option<String> {
    /// Its members, each of which stands there once.
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only whether they can be read counts")]
    struct Members {
        jsonrpc: Option<IgnoredAny>,
        id: Option<IgnoredAny>,
        method: Option<IgnoredAny>,
        params: Option<IgnoredAny>,
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(message) else { return None };
    if let Err(error) = serde_json::from_slice::<Members>(message) {
        return Some(json::explain(&error.to_string()));
    }
    let (id, answer) = (object.get("id"), ["result", "error"].into_iter());
    let answer = answer.filter(|it| object.contains_key(*it)).collect::<Vec<_>>();
    let what = match (object.get("jsonrpc"), object.get("method"), answer.as_slice()) {
        (None, ..) => "jsonrpc is missing".to_owned(),
        (Some(it), ..) if it != "2.0" => "jsonrpc is not \"2.0\"".to_owned(),
        (_, Some(_), [answer, ..]) => format!("{answer} stands beside method"),
        (_, None, ["result", "error"]) => "result and error stand side by side".to_owned(),
        (_, None, []) => "method is missing".to_owned(),
        (_, Some(it), []) if !it.is_string() => "method is no text".to_owned(),
        (_, Some(_), []) if id.is_some_and(|it| !is_id(it)) => {
            "id is neither a text nor a whole number".to_owned()
        }
        (_, None, _) if id.is_none() => "id is missing".to_owned(),
        (_, Some(_), []) if object.get("params").is_some_and(|it| !it.is_object()) => {
            "params is no object".to_owned()
        }
        (_, Some(_), []) if object.get("params").is_some_and(has_no_meta) => {
            "_meta in params is no object".to_owned()
        }
        _ => return None,
    };
    Some(what)
}

/// The id of the request in `message`, where that can be read. `None` for an answer, whose id is of the other side.
pub(crate) fn id_of(message: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let named: Named = serde_json::from_slice(message).ok()?;
    (named.result.is_none() && named.error.is_none()).then_some(named.id)
}

fn has_no_meta(params: &Value) -> bool {
    params.get("_meta").is_some_and(|it| !it.is_object())
}

fn is_id(id: &Value) -> bool {
    serde_json::from_value::<RequestId>(id.clone()).is_ok()
}

/// The id of an `initialize` whose params do not fit, and its error: the SDK would look for its session.
pub(crate) fn wrong_initialize(message: &[u8]) -> Option<(RequestId, ErrorData)> {
    #[derive(Deserialize)]
    struct Asked {
        id: RequestId,
        method: String,
        #[serde(default)]
        params: Value,
    }
    let Asked { id, method, params } = serde_json::from_slice(message).ok()?;
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    let why =
        wire::params_error::<InitializeRequestParams>(params).filter(|_| method == "initialize");
    why.map(|why| (id, wire::unfit(&method, Some(why))))
}

/// The id of a request for a list whose cursor is no text, and its error: the SDK would take it for none.
pub(crate) fn wrong_cursor(message: &[u8]) -> Option<(RequestId, ErrorData)> {
    const NAME: &[u8] = b"\"cursor\"";
    #[derive(Deserialize)]
    struct Asked<'a> {
        id: RequestId,
        method: String,
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        cursor: &'a RawValue,
    }
    let is_short = message.len() <= BYTES_MAX;
    if !is_short || !message.windows(NAME.len()).any(|it| it == NAME) {
        return None;
    }
    let asked = serde_json::from_slice::<Asked<'_>>(message).ok()?;
    let error = serde_json::from_str::<Option<String>>(asked.params.cursor.get()).err()?;
    let is_list = matches!(
        &*asked.method,
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list"
    );
    // Where it stands in the value alone says nothing.
    let why = json::explain(&error.to_string());
    let why = why.split(" (line ").next().unwrap_or_default();
    is_list.then(|| (asked.id, wire::unfit(&asked.method, Some(format!("cursor: {why}")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_wrong_part_of_a_message() {
        for (message, part) in [
            (r#"{"id":1,"method":"a"}"#, "jsonrpc is missing"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "jsonrpc is not \"2.0\""),
            (r#"{"jsonrpc":2,"id":1,"method":"a"}"#, "jsonrpc is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":1}"#, "method is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "method is no text"),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#,
                "id is neither a text nor a whole number",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
                "id is neither a text nor a whole number",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#, "params is no object"),
            (r#"{"jsonrpc":"2.0","method":"a","params":5}"#, "params is no object"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#, "result stands beside method"),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
                "result and error stand side by side",
            ),
            (r#"{"jsonrpc":"2.0","result":1}"#, "id is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, "method is there twice"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":[]}}"#,
                "_meta in params is no object",
            ),
        ] {
            assert_eq!(wrong_part(message.as_bytes()).as_deref(), Some(part), "{message}");
        }
        let of = |message: &str| id_of(message.as_bytes());
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":7}"#), Some(RequestId::Number(7)));
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#), None);
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#), None);
        for message in ["[]", "5", "{", r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#] {
            assert_eq!(wrong_part(message.as_bytes()), None, "{message}");
        }
    }

    #[test]
    fn names_what_does_not_fit_in_initialize() {
        let of = |params: &str| {
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{params}}}"#);
            wrong_initialize(message.as_bytes())
        };
        let client = r#""clientInfo":{"name":"a","version":"1"}"#;
        let version = r#""protocolVersion":"2025-11-25""#;
        assert!(of(&format!(r#"{{{version},"capabilities":{{}},{client}}}"#)).is_none());
        for (params, part) in [
            ("null".to_owned(), "protocolVersion is missing"),
            (format!(r#"{{{version},"capabilities":{{}}}}"#), "clientInfo is missing"),
            (format!(r#"{{{version},"capabilities":[],{client}}}"#), "an array stands where"),
        ] {
            let (id, error) = of(&params).unwrap_or_else(|| panic!("{params}"));
            assert_eq!((id, error.code.0), (RequestId::Number(7), -32602));
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[test]
    fn names_a_cursor_that_is_no_text() {
        let of = |method: &str, cursor: &str| {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"cursor":{cursor}}}}}"#
            );
            wrong_cursor(message.as_bytes())
        };
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            for cursor in ["5", "{}", "[\"a\"]", "true"] {
                let (id, error) = of(method, cursor).unwrap_or_else(|| panic!("{cursor}"));
                assert_eq!((id, error.code.0), (RequestId::Number(7), -32602));
                let message = error.message;
                assert!(message.contains("cursor: ") && message.contains("a text is right"));
                assert!(!message.contains("line"), "{message}");
            }
            assert!(of(method, "\"a\"").is_none() && of(method, "null").is_none());
        }
        assert!(of("tools/call", "5").is_none());
        let notification = br#"{"jsonrpc":"2.0","method":"tools/list","params":{"cursor":5}}"#;
        assert!(wrong_cursor(notification).is_none());
    }
}
