//! Replays events of answers to clients that reconnect with the id of their last event. The SDK forgets a request's
//! stream once it has answered.
//!
//! Also tracks delivered server messages, so that a reconnecting client does not get them twice.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures::{Stream, StreamExt, stream};
use parking_lot::Mutex;
use rmcp::{
    model::{JsonRpcMessage, RequestId},
    transport::streamable_http_server::{SessionId, session::ServerSseMessage},
};
use tokio::{runtime::Handle, sync::Notify};

/// How long events of an answered request are kept.
const KEPT: Duration = Duration::from_secs(60);
/// Events of one request that are kept, the latest.
const EVENTS_MAX: usize = 64;
/// Maximum number of requests per session with kept events.
const REQUESTS_MAX: usize = 32;
/// Bytes that are kept of one session, and of all.
const SESSION_BYTES_MAX: usize = 8 << 20;
const BYTES_MAX: usize = 32 << 20;
/// Overhead of an event in bytes.
const EVENT_BYTES: usize = 256;

/// Id of the SDK's initial event.
pub(super) const NOTHING_YET: &str = "0";

/// Kept events of all sessions.
#[derive(Default)]
pub(super) struct Replay(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    sessions: HashMap<SessionId, Session>,
    bytes: usize,
}

#[derive(Default)]
struct Session {
    requests: VecDeque<Sent>,
    bytes: usize,
    /// Number of delivered server messages, and that number when the client last started to listen.
    delivered: u64,
    began: u64,
    /// Whether its client reads events without a message, as since 2025-11-25.
    reads_empty: bool,
}

/// Sent events of one request.
struct Sent {
    number: u64,
    events: VecDeque<Event>,
    bytes: usize,
    ended: Option<Instant>,
    more: Arc<Notify>,
}

struct Event {
    index: u64,
    message: ServerSseMessage,
    bytes: usize,
}

impl Event {
    fn new(index: u64, message: &ServerSseMessage) -> Self {
        let bytes = EVENT_BYTES + message.message.as_deref().map_or(0, length);
        Self { index, message: message.clone(), bytes }
    }
}

/// What follows an event.
enum Next {
    Event(u64, ServerSseMessage),
    Later,
    Nothing,
}

impl Drop for Sent {
    fn drop(&mut self) {
        // Waiting listeners end.
        self.more.notify_waiters();
    }
}

impl Session {
    fn sent(&mut self, number: u64) -> Option<&mut Sent> {
        self.requests.iter_mut().find(|it| it.number == number)
    }

    /// Forgets the request that can best be missed: the eldest that is answered, or the eldest; its bytes.
    fn forget_one(&mut self) -> usize {
        let answered = self.requests.iter().position(|it| it.ended.is_some());
        let bytes = self.requests.remove(answered.unwrap_or(0)).map_or(0, |it| it.bytes);
        self.bytes -= bytes;
        bytes
    }

    /// Removes expired events and returns their bytes.
    fn expire(&mut self, now: Instant) -> usize {
        let before = self.bytes;
        let is_over = |it: &Sent| it.ended.is_some_and(|at| now.duration_since(at) >= KEPT);
        self.requests.retain(|it| !is_over(it));
        self.bytes = self.requests.iter().map(|it| it.bytes).sum();
        before - self.bytes
    }
}

impl Kept {
    fn begin(&mut self, session: &SessionId, number: u64) {
        let own = self.sessions.entry(session.clone()).or_default();
        self.bytes -= own.expire(Instant::now());
        if own.requests.len() == REQUESTS_MAX {
            self.bytes -= own.forget_one();
        }
        let (events, more) = (VecDeque::new(), Arc::default());
        own.requests.push_back(Sent { number, events, bytes: 0, ended: None, more });
    }

    fn keep(&mut self, session: &SessionId, number: u64, event: Event) {
        let Some(own) = self.sessions.get_mut(session) else { return };
        let Some(sent) = own.sent(number) else { return };
        let mut freed = 0;
        if sent.events.len() == EVENTS_MAX {
            freed = sent.events.pop_front().map_or(0, |it| it.bytes);
        }
        let bytes = event.bytes;
        sent.events.push_back(event);
        sent.bytes = sent.bytes + bytes - freed;
        sent.more.notify_waiters();
        own.bytes = own.bytes + bytes - freed;
        self.bytes = self.bytes + bytes - freed;
        while own.bytes > SESSION_BYTES_MAX {
            self.bytes -= own.forget_one();
        }
        while self.bytes > BYTES_MAX
            && let Some(most) = self.sessions.values_mut().max_by_key(|it| it.bytes)
        {
            self.bytes -= most.forget_one();
        }
    }

    fn next(&mut self, session: &SessionId, number: u64, after: u64) -> Next {
        let sent = self.sessions.get_mut(session).and_then(|it| it.sent(number));
        let Some(sent) = sent else { return Next::Nothing };
        match sent.events.iter().find(|it| it.index > after) {
            Some(it) => Next::Event(it.index, it.message.clone()),
            None if sent.ended.is_some() => Next::Nothing,
            None => Next::Later,
        }
    }
}

impl Replay {
    /// Events after `id` of a request's answer. `None` if not kept.
    pub(super) fn after(
        self: &Arc<Self>,
        session: &SessionId,
        event_id: &str,
    ) -> Option<impl Stream<Item = ServerSseMessage> + Send + Sync + use<>> {
        let (after, number) = of_request(event_id)?;
        let more = {
            let mut kept = self.0.lock();
            let own = kept.sessions.get_mut(session)?;
            let freed = own.expire(Instant::now());
            // An event beyond the last was never sent: what follows it would be an end without an answer.
            let is_sent = |it: &&mut Sent| after <= it.events.back().map_or(0, |it| it.index);
            let more = own.sent(number).filter(is_sent).map(|it| it.more.clone());
            kept.bytes -= freed;
            more?
        };
        let (own, session) = (self.clone(), session.clone());
        let follow = move |(own, session, at, more): (Arc<Self>, SessionId, u64, Arc<Notify>)| async move {
            let (index, message) = loop {
                let woken = more.notified();
                let next = own.0.lock().next(&session, number, at);
                match next {
                    Next::Event(index, message) => break (index, message),
                    Next::Later => woken.await,
                    Next::Nothing => return None,
                }
            };
            Some((message, (own, session, index, more)))
        };
        Some(stream::unfold((own, session, after, more), follow))
    }

    /// Removes already delivered events from `all`, which the SDK restarts, for a client that has received `last` or
    /// starts to listen.
    pub(super) fn undelivered<S>(
        self: &Arc<Self>,
        session: &SessionId,
        last: Option<&str>,
        all: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        let from = {
            let mut kept = self.0.lock();
            let own = kept.sessions.entry(session.clone()).or_default();
            if last.is_none() {
                own.began = own.delivered;
            }
            // The SDK numbers from 0, also for its initial event, hence one more.
            let had = last.and_then(|it| it.parse::<u64>().ok()).filter(|it| *it > 0);
            // An id beyond the delivered ones belongs to an earlier copy of the session.
            had.map_or(own.began, |it| it.min(own.delivered))
        };
        let (own, session) = (self.clone(), session.clone());
        all.filter_map(move |mut event| {
            let index = event.event_id.as_deref().and_then(|it| it.parse::<u64>().ok());
            let is_new = index.is_none_or(|index| {
                event.event_id = Some((index + 1).to_string());
                if let Some(own) = own.0.lock().sessions.get_mut(&session) {
                    own.delivered = own.delivered.max(index + 1);
                }
                index >= from
            });
            std::future::ready(is_new.then_some(event))
        })
    }

    /// The client of that session reads events without a message.
    pub(super) fn note_reads_empty(&self, session: &SessionId) {
        self.0.lock().sessions.entry(session.clone()).or_default().reads_empty = true;
    }

    /// Whether it does; a client that does not takes each for a broken one.
    pub(super) fn reads_empty(&self, session: &SessionId) -> bool {
        self.0.lock().sessions.get(session).is_some_and(|it| it.reads_empty)
    }

    /// Removes all events of the session.
    pub(super) fn forget(&self, session: &SessionId) {
        let mut kept = self.0.lock();
        let freed = kept.sessions.remove(session).map_or(0, |it| it.bytes);
        kept.bytes -= freed;
    }

    /// Removes expired events and those of closed sessions.
    pub(super) fn sweep(&self, open: &[SessionId]) {
        let (open, now) = (open.iter().collect::<HashSet<_>>(), Instant::now());
        let mut kept = self.0.lock();
        kept.sessions.retain(|id, own| {
            own.expire(now);
            open.contains(id)
        });
        kept.bytes = kept.sessions.values().map(|it| it.bytes).sum();
    }
}

/// The ids of requests that are not answered yet, each with its session.
pub(super) type Open = Arc<Mutex<HashSet<(SessionId, RequestId)>>>;

/// The id of a request while it is not answered.
pub(super) struct Claim(Open, (SessionId, RequestId));

impl Claim {
    /// The id, unless it is in use.
    pub(super) fn try_new(open: &Open, session: &SessionId, id: &RequestId) -> Option<Self> {
        let key = (session.clone(), id.clone());
        open.lock().insert(key.clone()).then(|| Self(open.clone(), key))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

/// Keeps what goes out in the answer to one request.
struct EventRecorder {
    replay: Arc<Replay>,
    session: SessionId,
    number: Option<u64>,
    claim: Option<Claim>,
}

impl EventRecorder {
    fn keep(&mut self, event: &ServerSseMessage) {
        if matches!(
            event.message.as_deref(),
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
        ) {
            self.claim = None;
        }
        let Some((index, number)) = event.event_id.as_deref().and_then(of_request) else { return };
        // A long answer is counted before others have to wait for it.
        let event = Event::new(index, event);
        let mut kept = self.replay.0.lock();
        if self.number.replace(number).is_none() {
            kept.begin(&self.session, number);
        }
        kept.keep(&self.session, number, event);
    }
}

impl Drop for EventRecorder {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut kept = self.replay.0.lock();
        if let Some(sent) = kept.sessions.get_mut(&self.session).and_then(|it| it.sent(number)) {
            sent.ended = Some(Instant::now());
            sent.more.notify_waiters();
        }
    }
}

/// The stream of the answer to one request, which is kept, be there a client or not.
pub(super) struct Recorded<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static>(
    Option<(S, EventRecorder)>,
);

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Recorded<S> {
    pub(super) fn new(stream: S, replay: &Arc<Replay>, session: &SessionId, claim: Claim) -> Self {
        let (replay, session, claim) = (replay.clone(), session.clone(), Some(claim));
        Self(Some((stream, EventRecorder { replay, session, number: None, claim })))
    }
}

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Stream for Recorded<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some((stream, keeper)) = &mut self.0 else { return Poll::Ready(None) };
        let next = std::task::ready!(stream.poll_next_unpin(context));
        match &next {
            Some(event) => keeper.keep(event),
            None => self.0 = None,
        }
        Poll::Ready(next)
    }
}

impl<S: Stream<Item = ServerSseMessage> + Send + Unpin + 'static> Drop for Recorded<S> {
    fn drop(&mut self) {
        if let Some((mut stream, mut keeper)) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // Ends with the request or session.
            runtime.spawn(async move {
                while let Some(event) = stream.next().await {
                    keeper.keep(&event);
                }
            });
        }
    }
}

/// Event and request number of an event id of the SDK.
fn of_request(event_id: &str) -> Option<(u64, u64)> {
    let (index, number) = event_id.split_once('/')?;
    Some((index.parse().ok()?, number.parse().ok()?))
}

/// Bytes of `message` as JSON.
fn length(message: &impl serde::Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Serialized from valid JSON.
    let _ = serde_json::to_writer(&mut count, message);
    count.0
}

#[cfg(test)]
mod tests {
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
        assert!(
            Claim::try_new(&open, &session, &RequestId::Number(1)).is_none(),
            "it still goes on"
        );
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
}
