//! Parsing of the host's messages.

use super::*;

#[test]
fn error_keeps_code_and_data() {
    let refusal = json!({ "error": "seat_already_reserved", "message": "Seat A2 is already occupied.",
        "status": 409, "data": { "seat_ids": ["A2"] } });
    let result = json!({ "resultType": "complete", "isError": true,
        "content": [{ "type": "text", "text": refusal.to_string() }],
        "_meta": { "madoguchi/error": refusal } });
    let Err(CallError::Refused(refusal)) = Answer::parse(result) else { panic!("refused") };
    assert_eq!(refusal.code, "seat_already_reserved");
    assert_eq!(refusal.data, json!({ "seat_ids": ["A2"] }));
}

#[test]
fn parses_foreign_error_from_text() {
    let result =
        json!({ "isError": true, "content": [{ "type": "text", "text": "No such city." }] });
    let Err(CallError::Refused(refusal)) = Answer::parse(result) else { panic!("refused") };
    assert_eq!((refusal.code.as_str(), refusal.message.as_str()), ("", "No such city."));
}

#[test]
fn parses_question_with_schema() {
    let result = json!({ "resultType": "input_required", "requestState": "sealed",
        "inputRequests": { "sure": { "method": "elicitation/create",
            "params": { "mode": "form", "message": "Sure?", "requestedSchema": { "type": "object" } } } } });
    let Ok(Answer::Asked { questions, state }) = Answer::parse(result) else { panic!("asked") };
    assert_eq!(state.as_deref(), Some("sealed"));
    assert_eq!(questions[0].key, "sure");
    assert_eq!(questions[0].message, "Sure?");
    assert_eq!(questions[0].ask, Ask::Form(json!({ "type": "object" })));
}

#[test]
fn keeps_unknown_content_kinds() {
    let result = json!({ "content": [{ "type": "hologram" }, { "type": "text", "text": "hi" }] });
    let Ok(Answer::Done(output)) = Answer::parse(result) else { panic!("done") };
    assert_eq!(output.content, [Content::Unknown, Content::Text("hi".to_owned())]);
}

#[test]
fn request_has_client_info_and_keeps_its_meta() {
    let mut params = json!({ "name": "t", "_meta": { "progressToken": 4 } });
    put_meta(&mut params);
    assert_eq!(params["_meta"]["progressToken"], 4);
    assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let capabilities = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert!(capabilities["elicitation"]["form"].is_object());
    assert!(capabilities["extensions"]["madoguchi/forms"].is_object());
}

#[test]
fn distinguishes_error_result_and_notification() {
    let error =
        incoming(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool"}}"#);
    let expected = CallError::Protocol { code: -32602, message: "Unknown tool".to_owned() };
    assert_eq!(error.unwrap(), Incoming::Error { id: Some(3), error: expected });
    let notice = incoming(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert!(matches!(notice.unwrap(), Incoming::Notice(_)));
    assert!(incoming("<html>").is_err());
}

#[test]
fn tool_title_falls_back_to_its_own_language() {
    let tool = Tool::parse(&json!({
        "name": "reserve_seats", "title": "座席を予約", "description": "指定座席の予約を確定。",
        "inputSchema": { "type": "object" },
        "_meta": { "madoguchi/text": { "ja": { "title": "座席を予約" },
            "en": { "title": "Reserve seats", "arguments": { "user_id": "Who" }, "labels": { "key": "Key" } } } },
    }));
    assert_eq!(tool.title(Lang::En), "Reserve seats");
    assert_eq!(tool.description(Lang::En), "指定座席の予約を確定。");
    assert_eq!(tool.argument(Lang::En, "user_id").help.as_deref(), Some("Who"));
    assert_eq!(tool.argument(Lang::En, "key").label.as_deref(), Some("Key"));
    assert_eq!(tool.argument(Lang::Ja, "user_id"), Explained::default());
}

#[test]
fn takes_structured_content_unless_question_or_error() {
    let mut plain = json!({ "structuredContent": { "a": 1 }, "content": [], "isError": false });
    assert_eq!(take_plain(&mut plain), Some(json!({ "a": 1 })));
    let none = [
        json!({ "content": [{ "type": "text", "text": "{}" }] }),
        json!({ "structuredContent": { "error": "x" }, "isError": true }),
        json!({ "structuredContent": {}, "resultType": "input_required" }),
    ];
    for mut result in none {
        let before = result.clone();
        assert_eq!(take_plain(&mut result), None, "{result}");
        assert_eq!(result, before, "it is left for who reads it");
    }
}
