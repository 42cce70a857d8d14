//! Tests of `shared`.

use futures::{FutureExt, channel::mpsc};
use rmcp::model::ErrorData;

use super::*;

fn event(id: &str, text: &str) -> ServerSseMessage {
    let error = ErrorData::internal_error(text.to_owned(), None);
    ServerSseMessage::new(id, JsonRpcMessage::error(error, None))
}

fn claim(replay: &Open) -> Claim {
    Claim::try_new(replay, &"s".into(), &RequestId::Number(1)).expect("it is free")
}

fn id(event: Option<ServerSseMessage>) -> Option<String> {
    event.and_then(|it| it.event_id)
}

#[tokio::test]
async fn resumed_listener_gets_later_events_now_or_later() {
    let (replay, open) = (Arc::new(Replay::default()), Open::default());
    let session: SessionId = "s".into();
    let (sender, receiver) = mpsc::unbounded();
    let mut first = Recorded::new(receiver, &replay, &session, claim(&open));
    sender.unbounded_send(ServerSseMessage::priming("0/7", Duration::ZERO)).unwrap();
    assert_eq!(id(first.next().await).as_deref(), Some("0/7"));
    drop(first);
    let back = replay.after(&session, "0/7").unwrap();
    let mut back = std::pin::pin!(back);
    assert!(back.next().now_or_never().is_none(), "there is nothing yet");
    assert!(Claim::try_new(&open, &session, &RequestId::Number(1)).is_none(), "it still goes on");
    sender.unbounded_send(event("1/7", "a")).unwrap();
    assert_eq!(id(back.next().await).as_deref(), Some("1/7"));
    assert!(Claim::try_new(&open, &session, &RequestId::Number(1)).is_some(), "it is answered");
    drop(sender);
    assert_eq!(id(back.next().await), None);
    let mut late = Box::pin(replay.after(&session, "0/7").unwrap());
    assert_eq!(id(late.next().await).as_deref(), Some("1/7"));
    assert_eq!(id(late.next().await), None);
    for other in ["0/8", "0", "a/b", "2/7"] {
        assert!(replay.after(&session, other).is_none(), "{other}");
    }
    replay.forget(&session);
    assert!(replay.after(&session, "0/7").is_none() && replay.0.lock().bytes == 0);
}

#[test]
fn bounds_kept_events_in_number_bytes_and_time() {
    let replay = Replay::default();
    let mut kept = replay.0.lock();
    let session: SessionId = "s".into();
    let large = "x".repeat(1 << 20);
    for number in 0..100 {
        kept.begin(&session, number);
        kept.keep(&session, number, Event::new(0, &event("0/0", &large)));
    }
    let own = &kept.sessions[&session];
    assert!(own.requests.len() < 8 && own.bytes <= SESSION_BYTES_MAX && own.bytes > 0);
    for number in 0..100 {
        let other: SessionId = number.to_string().into();
        kept.begin(&other, number);
        kept.keep(&other, number, Event::new(0, &event("0/0", &large)));
        assert!(kept.bytes <= BYTES_MAX);
    }
    kept.begin(&session, 100);
    for index in 0..100 {
        kept.keep(&session, 100, Event::new(index, &event("0/0", "x")));
    }
    let own = kept.sessions.get_mut(&session).unwrap();
    assert_eq!(own.sent(100).unwrap().events.len(), EVENTS_MAX);
    for request in &mut own.requests {
        request.ended = Some(Instant::now());
    }
    own.expire(Instant::now() + KEPT);
    assert!(own.requests.is_empty() && own.bytes == 0);
    drop(kept);
    replay.sweep(&[]);
    assert_eq!(replay.0.lock().bytes, 0);
}

#[tokio::test]
async fn never_repeats_delivered_events() {
    let (replay, session) = (Arc::new(Replay::default()), SessionId::from("s"));
    let listen = async |last: Option<&str>, ids: &[&str]| -> Vec<String> {
        let all: Vec<_> = ids.iter().map(|it| event(it, "a")).collect();
        let undelivered = replay.undelivered(&session, last, stream::iter(all));
        undelivered.map(|it| it.event_id.unwrap()).collect().await
    };
    assert_eq!(listen(None, &["0", "1"]).await, ["1", "2"]);
    assert_eq!(listen(None, &["0", "1", "2"]).await, ["3"], "the last is new");
    assert_eq!(listen(Some("1"), &["0", "1", "2"]).await, ["2", "3"]);
    assert_eq!(listen(Some(NOTHING_YET), &["0", "1", "2"]).await, ["3"]);
    assert_eq!(listen(Some("900"), &["2", "3"]).await, ["4"], "what is new is delivered");
}
