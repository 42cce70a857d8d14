//! Sends a request as bytes and reads as much of the response as arrives.

use std::{
    io,
    net::SocketAddr,
    sync::{Mutex, Once},
    time::Duration,
};

use host::{config::ComponentConfig, grants::Grant};
use serde_json::{Value, json};
use tests::{
    client::{Client, LEGACY, LegacySession, MODERN},
    server::{Folders, TestServer},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    runtime::Handle,
};

use crate::{
    judge::{common_part, judge},
    request::{Request, SESSION, STATE},
};

/// Time-out of an answer.
const HANGS_AFTER: Duration = Duration::from_secs(20);
/// Maximum bytes of an answer's body.
const BODY_BYTES_MAX: usize = 16 << 20;

/// The received part of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// None where the connection ended without an answer.
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header, once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0 == name).map(|it| &*it.1)
    }

    /// The type of its body.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.header("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim()
    }

    /// The messages in its JSON or event stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.kind() == "text/event-stream" {
            return events(&self.body);
        }
        serde_json::from_slice(&self.body).ok().into_iter().collect()
    }
}

fn events(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n");
    let data = text.split("\n\n").map(|event| {
        let lines: Vec<_> = event.lines().filter_map(|it| it.strip_prefix("data:")).collect();
        lines.join("\n")
    });
    data.filter_map(|it| serde_json::from_str(it.trim()).ok()).collect()
}

/// Sends `request` over a connection of its own; an error where no answer comes in time.
pub(crate) async fn exchange(addr: SocketAddr, request: &Request) -> Result<Answer, String> {
    let exchanged = tokio::time::timeout(HANGS_AFTER, over(addr, request));
    match exchanged.await {
        Ok(Ok(answer)) => Ok(answer),
        // The server may end a connection that makes no sense while we still write.
        Ok(Err(error)) => match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Ok(Answer::default()),
            _ => Err(format!("no answer: {error}")),
        },
        Err(_) => Err("it hangs".to_owned()),
    }
}

async fn over(addr: SocketAddr, request: &Request) -> io::Result<Answer> {
    let stream = TcpStream::connect(addr).await?;
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let wire = request.wire(&addr.to_string());
    let is_head = request.method() == b"HEAD";
    let is_get = request.method() == b"GET";
    let has_own_length = request.has_own_length();
    // Beside the reading: a server may answer before it has read everything.
    let writing = async {
        let written = writer.write_all(&wire).await;
        if has_own_length {
            // What promises more than it has would be waited for.
            let _ = writer.shutdown().await;
        }
        written
    };
    let mut reader = BufReader::new(reader);
    let (written, read) = tokio::join!(writing, read(&mut reader, is_head, is_get));
    match (written, read) {
        (_, Ok(answer)) if answer.status.is_some() => Ok(answer),
        (Err(error), _) => Err(error),
        (Ok(()), read) => read,
    }
}

type Reader = BufReader<tokio::net::tcp::OwnedReadHalf>;

async fn read(reader: &mut Reader, is_head: bool, is_get: bool) -> io::Result<Answer> {
    let mut answer = Answer::default();
    loop {
        let Some(line) = line(reader).await? else { return Ok(answer) };
        answer.status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
        answer.headers = headers(reader).await?;
        // What comes first may be only leave to go on.
        if answer.status.is_some_and(|it| it != 100) {
            break;
        }
    }
    if is_head || matches!(answer.status, Some(204 | 304)) {
        return Ok(answer);
    }
    let length = answer.header("content-length").and_then(|it| it.parse::<usize>().ok());
    if let Some(length) = length {
        answer.body = vec![0; length.min(BODY_BYTES_MAX)];
        reader.read_exact(&mut answer.body).await?;
    } else if answer.header("transfer-encoding") == Some("chunked") {
        chunks(reader, &mut answer, is_get).await?;
    } else {
        // Up to the end of the connection, as HTTP 1.0 has it; a stream may have none.
        let is_stream = answer.kind() == "text/event-stream";
        let is_heard = |answer: &Answer| is_get || events(&answer.body).iter().any(is_enough);
        while answer.body.len() < BODY_BYTES_MAX && !(is_stream && is_heard(&answer)) {
            if reader.read_buf(&mut answer.body).await? == 0 {
                break;
            }
        }
    }
    Ok(answer)
}

async fn line(reader: &mut Reader) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    match reader.read_until(b'\n', &mut line).await? {
        0 => Ok(None),
        _ => Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned())),
    }
}

async fn headers(reader: &mut Reader) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    while let Some(line) = line(reader).await?.filter(|it| !it.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(headers)
}

/// Reads a chunked body to its end, or an event stream up to the awaited message.
async fn chunks(reader: &mut Reader, answer: &mut Answer, is_get: bool) -> io::Result<()> {
    let is_stream = answer.kind() == "text/event-stream";
    while answer.body.len() < BODY_BYTES_MAX {
        if is_stream && (is_get || events(&answer.body).iter().any(is_enough)) {
            return Ok(());
        }
        let Some(line) = line(reader).await? else { return Ok(()) };
        let length = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(length, 16).map_err(io::Error::other)?;
        let mut chunk = vec![0; length + 2];
        reader.read_exact(&mut chunk).await?;
        if length == 0 {
            return Ok(());
        }
        answer.body.extend_from_slice(&chunk[..length]);
    }
    Ok(())
}

/// Whether this completes the exchange: an answer, a question to the client, or the acknowledgement of a
/// subscription.
fn is_enough(message: &Value) -> bool {
    let has = |name| message.get(name).is_some();
    has("id") && (has("result") || has("error") || has("method"))
        || message["method"] == "notifications/subscriptions/acknowledged"
}

// Two servers that get the same requests, one with the fast path and one without.

/// All panics of this process, including caught ones.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Components that the servers load.
const COMPONENTS: [&str; 2] = ["echo", "library"];
/// Interval and maximum number of checks for idleness.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 1_200;
/// Number of checks until the start has settled.
const LOOKS_AT_FIRST: usize = 20;

/// The two servers, which must answer alike.
pub(crate) struct Pair {
    short: TestServer,
    sdk: TestServer,
    tasks: usize,
}

impl Pair {
    /// Starts both servers.
    pub(crate) async fn start() -> Self {
        remember_panics();
        let start = async |fast_path| {
            let folders = Folders::new();
            for name in COMPONENTS {
                folders.put(name, &tests::component_bytes(name));
            }
            let grants = Some([Grant::Events].into());
            let library = ComponentConfig { grants, ..ComponentConfig::default() };
            TestServer::start(folders, |config| {
                config.fast_path = fast_path;
                config.components.insert("library".to_owned(), library);
            })
            .await
        };
        let mut pair = Self { short: start(true).await, sdk: start(false).await, tasks: 0 };
        pair.serves().await.unwrap();
        // The first session brings a task along that looks after all of them, for good.
        for server in pair.servers() {
            LegacySession::open(&server.url()).await.delete().await;
        }
        pair.tasks = usize::MAX;
        for _ in 0..LOOKS_AT_FIRST {
            tokio::time::sleep(LOOK_EVERY).await;
            pair.tasks = pair.tasks.min(tasks());
        }
        pair
    }

    fn servers(&self) -> [&TestServer; 2] {
        [&self.short, &self.sdk]
    }

    /// Sends `request` to both servers and compares their answers.
    pub(crate) async fn check(&self, request: &Request) -> Result<(), String> {
        let short = ask(&self.short, request).await?;
        let sdk = ask(&self.sdk, request).await?;
        for answer in [&short, &sdk] {
            judge(request, answer).map_err(|it| format!("{it}\n{answer:?}"))?;
        }
        let gists = (common_part(&short), common_part(&sdk));
        if gists.0 != gists.1 {
            return Err(format!("the two ways differ:\n{}\n{}", gists.0, gists.1));
        }
        let panics = std::mem::take(&mut *PANICS.lock().unwrap());
        if !panics.is_empty() {
            return Err(format!("it panicked: {panics:?}"));
        }
        self.serves().await
    }

    /// Whether both still answer a plain call.
    async fn serves(&self) -> Result<(), String> {
        let meta = Client::meta();
        let body = json!({
            "jsonrpc": "2.0", "id": "good", "method": "tools/call",
            "params": { "_meta": meta, "name": "echo", "arguments": { "value": { "a": 1 } } },
        });
        let headers = [&MCP[..], &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call")]];
        let headers = [headers.concat(), vec![("mcp-name", "echo")]].concat();
        let good = Request::of("POST /mcp HTTP/1.1", &headers, &body.to_string());
        for server in self.servers() {
            let answer = exchange(addr(server), &good).await?;
            let last = answer.messages().pop().unwrap_or_default();
            if last["result"]["structuredContent"] != json!({ "value": { "a": 1 } }) {
                return Err(format!("a good call is no longer answered: {answer:?}"));
            }
        }
        Ok(())
    }

    /// Waits until no task and no call is left.
    pub(crate) async fn is_idle(&self) -> Result<(), String> {
        let mut left = String::new();
        for _ in 0..LOOKS_MAX {
            let each = self.servers().map(|server| {
                let metrics = &server.server().calls.watch.metrics;
                COMPONENTS.map(|name| metrics.component(name)).map(|it| it.running + it.queued)
            });
            let calls: u64 = each.as_flattened().iter().sum();
            if calls == 0 && tasks() <= self.tasks {
                return Ok(());
            }
            left = format!("{calls} calls and {} tasks, {} at first", tasks(), self.tasks);
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(format!("there are left: {left}"))
    }
}

/// The headers of every message.
const MCP: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// Sends `request` with this server's session and state, and removes what it leaves.
async fn ask(server: &TestServer, request: &Request) -> Result<Answer, String> {
    let mut request = request.clone();
    let mut session = None;
    if request.names(SESSION) {
        let id = open(server).await?;
        request = request.with_in_head(SESSION, &id);
        session = Some(id);
    }
    if request.names(STATE) {
        let asked = server.client().call("greet", json!({})).await;
        // With its quotation marks: bare, it would read as differently as a session's id.
        let state = asked["requestState"].to_string();
        request = request.with(&format!("\"{STATE}\""), &state);
    }
    let answer = exchange(addr(server), &request).await;
    let made = answer.iter().filter_map(|it| it.header("mcp-session-id")).map(str::to_owned);
    for id in made.chain(session) {
        let headers = [("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)];
        let bye = Request::of("DELETE /mcp HTTP/1.1", &headers, "");
        exchange(addr(server), &bye).await?;
    }
    answer
}

/// Opens a session that can be asked questions.
async fn open(server: &TestServer) -> Result<String, String> {
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": LEGACY, "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "fuzz", "version": "1" },
        },
    });
    let hello = Request::of("POST /mcp HTTP/1.1", &MCP, &hello.to_string());
    let answer = exchange(addr(server), &hello).await?;
    let id = answer.header("mcp-session-id").ok_or("no session is to be had")?.to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let headers = [&MCP[..], &[("mcp-session-id", &*id), ("mcp-protocol-version", LEGACY)]];
    let ready = Request::of("POST /mcp HTTP/1.1", &headers.concat(), &ready.to_string());
    exchange(addr(server), &ready).await?;
    Ok(id)
}

fn addr(server: &TestServer) -> SocketAddr {
    server.server().addr.unwrap()
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

fn remember_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A test that fails panics too, on a thread of its own; that is no finding.
            let is_test = panic.location().is_some_and(|it| it.file().starts_with("tests/fuzz"));
            if !is_test {
                PANICS.lock().unwrap_or_else(|it| it.into_inner()).push(panic.to_string());
            }
            before(panic);
        }));
    });
}

/// Bytes of this process's memory that are in use, where the system reports it.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}
