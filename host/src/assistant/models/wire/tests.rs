//! What is tried again, what is taken out, what is refused.

use serde_json::json;

use super::*;

fn status(status: u16, retry_after_s: Option<u64>) -> WireError {
    WireError::Status { status, retry_after_s, body: Value::Null, text: String::new() }
}

#[test]
fn what_may_pass_is_tried_again_unless_it_would_take_too_long() {
    for (error, wait) in [
        (status(429, None), Some(None)),
        (status(529, Some(2)), Some(Some(Duration::from_secs(2)))),
        (status(429, Some(60)), None),
        (status(400, None), None),
        (status(401, None), None),
        (WireError::Unreached(String::new()), Some(None)),
        (WireError::Lost(String::new()), Some(None)),
    ] {
        assert_eq!(error.wait(), wait, "{error:?}");
    }
}

#[test]
fn a_key_that_a_provider_repeats_is_taken_out() {
    let key = Some(Secret::new("hunter2hunter2"));
    let wire = Wire::new("https://api.example", key, Attach::Bearer, None).unwrap();
    let body = json!({ "error": { "message": "bad key hunter2hunter2" } });
    let text = "bad key hunter2hunter2".to_owned();
    let error = wire.masked(WireError::Status { status: 401, retry_after_s: None, body, text });
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    assert_eq!(error.undecided().why, Why::Key, "ILL-42");
}

#[test]
fn a_base_url_that_is_none_is_told() {
    for url in ["", "api.example", "ftp://api.example", "file:///etc/passwd"] {
        assert!(Wire::new(url, None, Attach::Bearer, None).is_err(), "{url}");
    }
}
