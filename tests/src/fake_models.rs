//! Model providers, played by this process from the public documentation of their APIs. They refuse
//! undocumented requests, record what they receive, and answer with a test's script, one reply per request.

use std::{
    collections::{BTreeMap, VecDeque},
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header},
};
use futures::{StreamExt, stream};
use serde_json::Value;
use tokio::sync::Semaphore;
use url::Url;

pub mod claude;
pub mod gemini;
pub mod openai;

/// Maximum bytes of a request body.
const BODY_BYTES_MAX: usize = 64 << 20;

/// The reply to a valid request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Answers with this message in the provider's unstreamed JSON; the fake streams it if the request
    /// wants a stream.
    Message(Value, Course),
    /// Fails with this status and an optional retry time.
    Error {
        /// The HTTP status.
        status: u16,
        /// The value of `Retry-After`.
        retry_after: Option<&'static str>,
    },
    /// Fails with this status and this message.
    Refusal(u16, &'static str),
    /// Answers 200 with bytes that are no JSON.
    Nonsense,
    /// Never answers.
    Hang,
}

/// The course of a streamed answer.
#[derive(Clone, Debug, Default)]
pub enum Course {
    /// The whole answer.
    #[default]
    Whole,
    /// The connection breaks after so many events.
    Cut(usize),
    /// The stream ends regularly after so many events.
    Ended(usize),
    /// The event after so many is no JSON.
    Broken(usize),
    /// The stream hangs after so many events; the connection stays open.
    Stalled(usize),
    /// Each event waits for a permit of the test.
    Stepped(Arc<Semaphore>),
    /// After so many events this one follows, for example an error, and the stream ends.
    Instead(usize, Sse),
    /// After so many events this one follows, then the others.
    Between(usize, Sse),
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Sse {
    /// The `event:` line, for providers that write one.
    pub name: Option<&'static str>,
    /// The JSON of its `data:` line.
    pub data: String,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The method: `GET`, `POST`.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query's parameters in order, decoded.
    pub query: Vec<(String, String)>,
    /// Headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body as JSON.
    pub body: Value,
    /// The rule that it broke, as in the answer.
    pub broke: Option<String>,
}

impl ReceivedRequest {
    /// The value of a header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// A broken rule: the status and the message of the provider.
#[derive(Clone, Debug)]
pub struct Broken(pub u16, pub String);

/// The differences between providers.
pub trait Provider: Send + Sync + 'static {
    /// Checks the request against the documented rules.
    fn judge(&self, received: &ReceivedRequest) -> Result<(), Broken>;

    /// Whether the request wants a stream.
    fn is_streamed(&self, received: &ReceivedRequest) -> bool;

    /// The unstreamed response for a message, with the fields of every response.
    fn whole(&self, received: &ReceivedRequest, message: &Value) -> Value;

    /// The same as a stream.
    fn events(&self, received: &ReceivedRequest, message: &Value) -> Vec<Sse>;

    /// The body of an error.
    fn error(&self, status: u16, message: &str) -> Value;

    /// The response to a request that uses no scripted reply, such as a list of models.
    fn unscripted(&self, received: &ReceivedRequest) -> Option<Value> {
        let _ = received;
        None
    }
}

/// A fake provider on a port of its own.
pub struct FakeModel {
    /// The base URL, `http://127.0.0.1:PORT`.
    pub url: String,
    fake_state: Arc<FakeState>,
}

struct FakeState {
    provider: Box<dyn Provider>,
    script: Mutex<VecDeque<Reply>>,
    received: Mutex<Vec<ReceivedRequest>>,
    /// When each event of the last stream was handed to the network.
    sent: Mutex<Vec<Instant>>,
}

impl FakeModel {
    /// Starts it on a free port.
    pub async fn start(provider: impl Provider) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let fake_state = Arc::new(FakeState {
            provider: Box::new(provider),
            script: Mutex::default(),
            received: Mutex::default(),
            sent: Mutex::default(),
        });
        let service = Router::new().fallback(serve).with_state(fake_state.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { url, fake_state }
    }

    /// Appends a reply to the script.
    pub fn then(&self, reply: Reply) -> &Self {
        lock(&self.fake_state.script).push_back(reply);
        self
    }

    /// Appends a complete message to the script.
    pub fn says(&self, message: Value) -> &Self {
        self.then(Reply::Message(message, Course::Whole))
    }

    /// Appends a failure with this status to the script.
    pub fn fails(&self, status: u16) -> &Self {
        self.then(Reply::Error { status, retry_after: None })
    }

    /// All requests so far, including invalid ones.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        lock(&self.fake_state.received).clone()
    }

    /// The bodies of valid requests to the model.
    pub fn bodies(&self) -> Vec<Value> {
        let received =
            self.received().into_iter().filter(|it| it.method == "POST" && it.broke.is_none());
        received.map(|it| it.body).collect()
    }

    /// The rules broken so far, as in the answers.
    pub fn broken(&self) -> Vec<String> {
        self.received().into_iter().filter_map(|it| it.broke).collect()
    }

    /// The number of unused replies in the script.
    pub fn left(&self) -> usize {
        lock(&self.fake_state.script).len()
    }

    /// When each event of the last stream was handed to the network.
    pub fn sent(&self) -> Vec<Instant> {
        lock(&self.fake_state.sent).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(
    State(fake_state): State<Arc<FakeState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response<Body> {
    let body = axum::body::to_bytes(body, BODY_BYTES_MAX).await.unwrap_or_default();
    let url = Url::parse(&format!("http://fake{uri}")).expect("it is a path");
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let mut received = ReceivedRequest {
        method: method.to_string(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers: headers.iter().map(header).collect(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        broke: None,
    };
    let judged = fake_state.provider.judge(&received);
    received.broke = judged.as_ref().err().map(|it| it.1.clone());
    lock(&fake_state.received).push(received.clone());
    if let Err(Broken(status, message)) = judged {
        return json(status, &fake_state.provider.error(status, &message));
    }
    if let Some(response) = fake_state.provider.unscripted(&received) {
        return json(200, &response);
    }
    let reply = lock(&fake_state.script).pop_front();
    match reply {
        Some(Reply::Message(message, course)) => {
            message_of(fake_state, &received, &message, course)
        }
        Some(Reply::Error { status, retry_after }) => {
            let mut response =
                json(status, &fake_state.provider.error(status, "as the test wishes"));
            if (300..400).contains(&status) {
                let elsewhere = HeaderValue::from_static("http://10.20.30.40:8080/moved?key=x");
                response.headers_mut().insert(header::LOCATION, elsewhere);
            }
            if let Some(seconds) = retry_after {
                response
                    .headers_mut()
                    .insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
            }
            response
        }
        Some(Reply::Refusal(status, message)) => {
            json(status, &fake_state.provider.error(status, message))
        }
        Some(Reply::Nonsense) => text("text/event-stream", Body::from("data: <html>\n\n")),
        Some(Reply::Hang) => pending().await,
        None => {
            json(501, &fake_state.provider.error(501, "nothing is written down for this request"))
        }
    }
}

fn message_of(
    fake_state: Arc<FakeState>,
    received: &ReceivedRequest,
    message: &Value,
    course: Course,
) -> Response<Body> {
    let provider = &fake_state.provider;
    if !provider.is_streamed(received) {
        return json(200, &provider.whole(received, message));
    }
    let mut events = provider.events(received, message);
    let mut end = End::Orderly;
    let mut gate = None;
    match course {
        Course::Whole => {}
        Course::Cut(after) => {
            events.truncate(after);
            end = End::Torn;
        }
        Course::Ended(after) => events.truncate(after),
        Course::Broken(after) => {
            events.truncate(after);
            events.push(Sse { name: events.last().and_then(|it| it.name), data: "{\"ty".into() });
        }
        Course::Stalled(after) => {
            events.truncate(after);
            end = End::Never;
        }
        Course::Stepped(permits) => gate = Some(permits),
        Course::Instead(after, event) => {
            events.truncate(after);
            events.push(event);
        }
        Course::Between(after, event) => events.insert(after, event),
    }
    lock(&fake_state.sent).clear();
    let events = stream::iter(events).then(move |event| {
        let (gate, fake_state) = (gate.clone(), fake_state.clone());
        async move {
            if let Some(gate) = gate {
                gate.acquire().await.expect("it is never closed").forget();
            }
            lock(&fake_state.sent).push(Instant::now());
            Ok::<_, std::io::Error>(event.bytes())
        }
    });
    let end = stream::once(end.come()).filter_map(|it| async move { it });
    text("text/event-stream", Body::from_stream(events.chain(end)))
}

/// The end of a stream.
enum End {
    Orderly,
    Torn,
    Never,
}

impl End {
    async fn come(self) -> Option<Result<Bytes, std::io::Error>> {
        match self {
            Self::Orderly => None,
            Self::Torn => Some(Err(std::io::Error::other("the connection breaks"))),
            Self::Never => pending().await,
        }
    }
}

impl Sse {
    fn bytes(&self) -> Bytes {
        let name = self.name.map_or_else(String::new, |it| format!("event: {it}\n"));
        Bytes::from(format!("{name}data: {}\n\n", self.data))
    }
}

fn json(status: u16, body: &Value) -> Response<Body> {
    let mut response = text("application/json", Body::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).expect("it is a status");
    response
}

fn text(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The first field of `value` that is not among `names`, if it is an object.
pub fn unknown_field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    let fields = value.as_object()?;
    fields.keys().map(String::as_str).find(|it| !names.contains(it))
}
