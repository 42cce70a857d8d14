//! Models of other people, played by this process: made from the public documentation of their APIs.
//! They refuse what the documentation does not know, remember what they are asked, and answer what a
//! test has written down for them, one reply a request.

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

/// Bytes of a request that a fake reads: more than any of them takes.
const BODY_BYTES_MAX: usize = 64 << 20;

/// What a fake does with a request that breaks no rule.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Answers with this message, in the provider's own JSON as it would come without streaming; the
    /// fake streams it where streaming is asked for.
    Message(Value, Course),
    /// Fails with this status, saying when to come back where that is given.
    Error {
        /// The HTTP status.
        status: u16,
        /// The header `Retry-After`, as it is written.
        retry_after: Option<&'static str>,
    },
    /// Refuses it with this status, in these words.
    Refusal(u16, &'static str),
    /// Answers 200 with bytes that are no JSON.
    Nonsense,
    /// It takes the request and never answers.
    Hang,
}

/// How a streamed answer goes on.
#[derive(Clone, Debug, Default)]
pub enum Course {
    /// The answer comes to its end.
    #[default]
    Whole,
    /// The connection breaks after so many events.
    Cut(usize),
    /// The stream ends orderly after so many events, as if it were all.
    Ended(usize),
    /// The event after so many is no JSON.
    Broken(usize),
    /// Nothing more comes after so many events; the connection stays.
    Stalled(usize),
    /// Each event waits for a permit of the test's.
    Stepped(Arc<Semaphore>),
    /// The event after so many is this one (an error in the middle, say), and the stream ends.
    Instead(usize, Sse),
    /// This one comes after so many events, and the others after it.
    Between(usize, Sse),
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Sse {
    /// Its `event:` line, with the providers that write one.
    pub name: Option<&'static str>,
    /// The JSON of its `data:` line.
    pub data: String,
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The method: `GET`, `POST`.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// In its order, decoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body that was posted, as JSON.
    pub body: Value,
    /// Which rule it broke, in the text of the answer.
    pub broke: Option<String>,
}

impl Asked {
    /// The header of that name; nothing, where it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// A rule that a request broke: the status, and what the provider says.
#[derive(Clone, Debug)]
pub struct Broken(pub u16, pub String);

/// What distinguishes one provider from another.
pub trait Provider: Send + Sync + 'static {
    /// Whether the request keeps the documented rules.
    fn judge(&self, asked: &Asked) -> Result<(), Broken>;

    /// Whether the request wants a stream.
    fn is_streamed(&self, asked: &Asked) -> bool;

    /// The message as it is answered without streaming, completed with what every message has.
    fn whole(&self, asked: &Asked, message: &Value) -> Value;

    /// The same as a stream.
    fn events(&self, asked: &Asked, message: &Value) -> Vec<Sse>;

    /// The body of an error.
    fn error(&self, status: u16, message: &str) -> Value;

    /// What is answered to anything that takes no reply from the script (lists of models).
    fn beside(&self, asked: &Asked) -> Option<Value> {
        let _ = asked;
        None
    }
}

/// One of them under an address of its own.
pub struct FakeModel {
    /// The base URL, `http://127.0.0.1:PORT`.
    pub url: String,
    fake_state: Arc<FakeState>,
}

struct FakeState {
    provider: Box<dyn Provider>,
    script: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Asked>>,
    /// When each event of the last stream was handed to the network.
    sent: Mutex<Vec<Instant>>,
}

impl FakeModel {
    /// Opens it on a free port.
    pub async fn start(provider: impl Provider) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let fake_state = Arc::new(FakeState {
            provider: Box::new(provider),
            script: Mutex::default(),
            asked: Mutex::default(),
            sent: Mutex::default(),
        });
        let service = Router::new().fallback(serve).with_state(fake_state.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { url, fake_state }
    }

    /// Writes down what it does with the next request that has nothing written down yet.
    pub fn then(&self, reply: Reply) -> &Self {
        lock(&self.fake_state.script).push_back(reply);
        self
    }

    /// The same, with a message that comes whole.
    pub fn says(&self, message: Value) -> &Self {
        self.then(Reply::Message(message, Course::Whole))
    }

    /// Fails once with this status.
    pub fn fails(&self, status: u16) -> &Self {
        self.then(Reply::Error { status, retry_after: None })
    }

    /// Each request so far, those that broke a rule among them.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.fake_state.asked).clone()
    }

    /// The bodies of those that ask the model, and broke no rule.
    pub fn bodies(&self) -> Vec<Value> {
        let asked = self.asked().into_iter().filter(|it| it.method == "POST" && it.broke.is_none());
        asked.map(|it| it.body).collect()
    }

    /// The rules that were broken so far, as the answers named them.
    pub fn broken(&self) -> Vec<String> {
        self.asked().into_iter().filter_map(|it| it.broke).collect()
    }

    /// How many replies are written down that were not asked for.
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
    let mut asked = Asked {
        method: method.to_string(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers: headers.iter().map(header).collect(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        broke: None,
    };
    let judged = fake_state.provider.judge(&asked);
    asked.broke = judged.as_ref().err().map(|it| it.1.clone());
    lock(&fake_state.asked).push(asked.clone());
    if let Err(Broken(status, message)) = judged {
        return json(status, &fake_state.provider.error(status, &message));
    }
    if let Some(beside) = fake_state.provider.beside(&asked) {
        return json(200, &beside);
    }
    let reply = lock(&fake_state.script).pop_front();
    match reply {
        Some(Reply::Message(message, course)) => message_of(fake_state, &asked, &message, course),
        Some(Reply::Error { status, retry_after }) => {
            let mut response =
                json(status, &fake_state.provider.error(status, "as the test wishes"));
            if let Some(it) = retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(it));
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
    asked: &Asked,
    message: &Value,
    course: Course,
) -> Response<Body> {
    let provider = &fake_state.provider;
    if !provider.is_streamed(asked) {
        return json(200, &provider.whole(asked, message));
    }
    let mut events = provider.events(asked, message);
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

/// What comes after the last event.
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
