//! Tests of `error`.

use super::*;
use crate::{component::Refusal, lines::Place};

#[test]
fn trap_without_limit_stays_a_trap() {
    assert_eq!(limit_of(&Trap::UnreachableCodeReached.into()), None);
    assert_eq!(limit_of(&Trap::MemoryOutOfBounds.into()), None, "a stray pointer");
    assert_eq!(limit_of(&Trap::StackOverflow.into()), Some("stack_bytes_max"));
    assert_eq!(limit_of(&ResourceTableError::Full.into()), Some("handles_max"));
    let random = wasmtime::Error::msg("requested len 9 exceeds limit 8");
    assert_eq!(limit_of(&random), Some("output_bytes_max"));
}

#[test]
fn parses_fault_address() {
    let text = "memory fault at wasm address 0xfffffff0 in linear memory of size 0x110000";
    assert_eq!(address(text), Some(0xffff_fff0));
    assert_eq!(address("another"), None);
}

#[test]
fn refusal_keeps_code_status_and_details() {
    let refusal = Refusal {
        code: "seat_already_reserved".to_owned(),
        message: "Seat A2 is already occupied.".to_owned(),
        status: 409,
        details: Some(r#"{"seat_ids":["A2"]}"#.to_owned()),
    };
    let failure = Failure::from(CallError::Stopped(Stop::Refused(refusal)));
    assert_eq!(
        failure.object(),
        json!({
            "error": "seat_already_reserved",
            "message": "Seat A2 is already occupied.",
            "status": 409,
            "data": { "seat_ids": ["A2"] },
        })
    );
}

#[test]
fn adds_facts_without_replacing_the_message() {
    let failure =
        Failure::new("taken", 409, "Taken.").with("by", "ann").with("seats", json!(["A2"]));
    let object = failure.with("status", 7).with("error", "other").with("data", 1).object();
    assert_eq!(
        object,
        json!({
            "error": "taken",
            "message": "Taken.",
            "status": 409,
            "by": "ann",
            "data": { "by": "ann", "seats": ["A2"], "status": 7, "error": "other", "data": 1 },
        })
    );
}

#[test]
fn wrong_arguments_name_field_and_correct_value() {
    let problem = Problem {
        pointer: "/message/sender".to_owned(),
        message: "must be one of user, agent".to_owned(),
    };
    let object = Failure::from(CallError::Stopped(Stop::InvalidArguments(vec![problem]))).object();
    assert_eq!(object["error"], "invalid_params");
    assert_eq!(object["message"], "message.sender must be one of user, agent");
    assert_eq!(object["data"]["field"], "message.sender");
}

#[test]
fn missing_scope_is_named_with_narrower_scope() {
    let message =
        |scope: &str| Failure::from(CallError::Forbidden { scope: scope.to_owned() }).message;
    assert!(
        message("tool:echo").contains("tool:echo") && message("tool:echo").contains("read-only")
    );
    assert!(!message("component:shop").contains("read-only"));
}

#[test]
fn cuts_quoted_text() {
    let problem =
        || Problem { pointer: format!("/{}", "窓".repeat(9_000)), message: "x".repeat(9_000) };
    let problems = (0..5_000).map(|_| problem()).collect();
    let failure = Failure::from(CallError::Stopped(Stop::InvalidArguments(problems)));
    assert!(failure.message.len() < 5_000 && failure.message.ends_with('…'));
    assert!(failure.object().to_string().len() < 1_500_000);
    assert_eq!(failure.data["problems"].as_array().map(Vec::len), Some(PROBLEMS_MAX));
}

#[test]
fn trap_reports_call_number_but_no_reason() {
    let source = wasmtime::Error::msg("secret of the component");
    let (file, function) = ("src/lib.rs".to_owned(), Some("greet".to_owned()));
    let places = vec![Place { file, line: 3, function }];
    let error = CallError::Trapped { component: "shop".into(), call_id: 7, source, places };
    assert!(error.to_string().contains(" at src/lib.rs:3 (greet): secret"), "{error}");
    let text = Failure::from(error).object().to_string();
    assert!(text.contains("call 7"), "{text}");
    assert!(!text.contains("secret") && !text.contains("lib.rs"), "{text}");
}
