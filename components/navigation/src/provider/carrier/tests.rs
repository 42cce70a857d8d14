//! A carrier for tests, which answers from a list and remembers what it was asked.

use std::{collections::VecDeque, sync::Mutex};

use serde_json::Value;

use super::*;

/// Answers in order, and what was asked for.
#[derive(Default)]
pub(crate) struct Script {
    replies: Mutex<VecDeque<Reply>>,
    calls: Mutex<Vec<Call>>,
}

impl Script {
    /// Answers with these, each with status 200.
    pub(crate) fn of(bodies: impl IntoIterator<Item = Value>) -> Self {
        Self::with(bodies.into_iter().map(|it| (200, it.to_string())))
    }

    /// Answers with these statuses and bodies.
    pub(crate) fn with(replies: impl IntoIterator<Item = (u16, String)>) -> Self {
        let reply = |(status, body): (u16, String)| Reply {
            status,
            retry_after_s: None,
            body: body.into_bytes(),
        };
        Self { replies: Mutex::new(replies.into_iter().map(reply).collect()), ..Self::default() }
    }

    /// What was asked for so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

impl Carrier for &Script {
    fn carry(&self, call: &Call) -> Result<Reply, ProviderError> {
        self.calls.lock().unwrap().push(call.clone());
        Ok(self.replies.lock().unwrap().pop_front().expect("no more was to be asked"))
    }
}

#[test]
fn a_base_address_may_have_a_path_and_no_password() {
    let call = Call::get("https://a.example/osrm/", "/route", &[("a", "b|c d")]).unwrap();
    assert_eq!(call.url.as_str(), "https://a.example/osrm/route?a=b%7Cc+d");
    for wrong in ["", "a.example", "ftp://a.example", "https://me:hunter2@a.example", "file:///etc"]
    {
        let Err(ProviderError::Failed { message }) = Call::get(wrong, "/", &[]) else {
            panic!("{wrong} passes")
        };
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[test]
fn why_there_is_no_answer_names_the_host_and_no_more_of_the_url() {
    let url = Url::parse("https://a.example/secret/path?key=hunter2").unwrap();
    for error in [
        http::Error::Denied,
        http::Error::TimedOut,
        http::Error::TooLarge,
        http::Error::InvalidUrl(url.to_string()),
        http::Error::Unavailable("it broke off".to_owned()),
    ] {
        let ProviderError::Failed { message } = unanswered(&url, &error) else { panic!("{error}") };
        assert!(message.contains("a.example"), "{message}");
        assert!(!message.contains("hunter2") && !message.contains("secret"), "{message}");
    }
}

#[test]
fn what_is_no_json_or_another_kind_of_it_is_told_in_one_line() {
    for body in ["", "{", "[1]", "\u{0}", "{\"a\": \"x\\ny\"}"] {
        let reply = Reply { status: 200, retry_after_s: None, body: body.into() };
        let error = reply.json::<std::collections::BTreeMap<String, u32>>();
        let Err(ProviderError::Failed { message }) = error else { panic!("{body:?} passes") };
        assert!(!message.contains('\n') && message.len() < 400, "{message}");
    }
}

#[test]
fn when_to_come_back_is_in_seconds_or_a_time_of_day() {
    let now = DateTime::parse_from_rfc3339("2026-10-21T07:28:00Z").unwrap().timestamp();
    for (said, left) in [
        (" 7 ", Some(7)),
        ("0", Some(0)),
        ("Wed, 21 Oct 2026 07:30:30 GMT", Some(150)),
        ("Wed, 21 Oct 2026 07:00:00 GMT", Some(0)),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(seconds(said, now), left, "{said:?}");
    }
}
