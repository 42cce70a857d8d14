//! One connection to an upstream server. It starts with the newest protocol that the server knows and ends when
//! dropped.

use std::{collections::HashMap, io, path::Path, process::Stdio, sync::Arc, time::Duration};

use base::{
    call::{Notification, Notifications, Progress},
    config::servers::{Era, ServerConfig, Way},
    grants::secret::{Mask, Secret},
    install_tls_provider,
};
use parking_lot::Mutex;
use reqwest::{Client, Url, redirect};
use rmcp::{
    ClientHandler, Peer, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ClientJsonRpcMessage, ClientRequest, ErrorCode,
        ExtensionCapabilities, Implementation, JsonRpcMessage, ProgressNotificationParam,
        ProgressToken, ProtocolVersion, RequestId, ServerJsonRpcMessage,
    },
    service::{
        ClientLifecycleMode, NotificationContext, RunningService,
        serve_client_with_lifecycle_and_ct,
    },
    transport::{
        IntoTransport, StreamableHttpClientTransport, Transport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, Empty},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Notify,
    time::Instant,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Server,
    limited::Limited,
    messages::{readable, too_large},
    post::{Failed, SseTransport},
};
use crate::wire::Envelope;

/// Connections that are kept for the next call.
const IDLE_MAX: usize = 8;
/// Idle lifetime of HTTP connections, shorter than servers' to avoid using closed ones.
const IDLE: Duration = Duration::from_secs(4);
/// Connect timeout.
const CONNECT: Duration = Duration::from_secs(10);
/// The SDK's timeout for the first request of the newest era.
const PROBE: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_secs(1);
/// Redirects within one origin.
const REDIRECTS_MAX: usize = 5;
/// Characters of an unknown revision that a message shows.
const VERSION_CHARS_MAX: usize = 32;
/// Timeout for closing.
const CLOSE: Duration = Duration::from_secs(5);
/// Bytes that a command may write to its standard error and see in our log.
const STDERR_BYTES_MAX: usize = 64 << 10;

/// A connection to a server that has answered the handshake.
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) handler: NoticeHandler,
    /// Cancelled when the server has gone, where that can be seen.
    pub(super) closed: CancellationToken,
    _end: DropGuard,
}

impl Connection {
    /// Whether it speaks 2026-07-28.
    pub(super) fn is_modern(&self) -> bool {
        self.peer.peer_info().is_some_and(|it| !it.protocol_version.has_initialize())
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.is_cancelled() || self.peer.is_transport_closed()
    }

    fn new(running: RunningService<RoleClient, NoticeHandler>, end: CancellationToken) -> Self {
        let (peer, handler) = (running.peer().clone(), running.service().clone());
        let closed = CancellationToken::new();
        let is_closed = closed.clone();
        tokio::spawn(async move {
            // Its last deeds take a while: a session that is given back, a command that ends.
            let _ = running.waiting().await;
            is_closed.cancel();
        });
        Self { peer, handler, closed, _end: end.drop_guard() }
    }

    /// Ends it, and waits until it has.
    pub(super) async fn end(self: Arc<Self>) {
        let closed = self.closed.clone();
        drop(self);
        let _ = tokio::time::timeout(CLOSE, closed.cancelled()).await;
    }
}

/// The way to one server: one pooled client for all its connections (ILL-X2).
pub(super) struct Connector {
    http: Option<Client>,
}

impl Connector {
    /// Reads the system's certificates, where they are needed: blocks for a while.
    pub(super) fn new(config: &ServerConfig) -> Result<Self, String> {
        let Way::Url { url, .. } = &config.way else { return Ok(Self { http: None }) };
        install_tls_provider();
        let client = Client::builder()
            .no_proxy()
            .redirect(within_origin())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(IDLE_MAX)
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("madoguchi/", env!("CARGO_PKG_VERSION")));
        // A machine without root certificates reaches what needs none all the same.
        let client = match url.scheme() {
            "https" => client,
            _ => client.tls_certs_only([]),
        };
        let client = client.build().map_err(|it| format!("no client can be made: {it}"))?;
        Ok(Self { http: Some(client) })
    }

    /// Connects, in the newest way that the server knows. What goes wrong may have secrets in it.
    pub(super) async fn connect(&self, server: &Server) -> Result<Connection, Failed> {
        let (config, base) = (&server.config, &server.folder);
        let (Way::Url { url, token }, Some(http)) = (&config.way, &self.http) else {
            return connect_stdio(config, &server.name, base).await;
        };
        let token = token.as_ref().map(|it| it.read(base)).transpose();
        let token = token.map_err(|it| Failed::Unusable(format!("its token: {it}")))?;
        let to = Limited {
            http: http.clone(),
            mask: config.mask(base),
            is_without_stream: Arc::default(),
        };
        if config.era == Era::Sse {
            return connect_sse(to, url, token.as_ref(), config).await;
        }
        let transport = || http_transport(to.clone(), url, token.as_ref(), config);
        let beginning = begin(transport(), config.era);
        let first = match config.era {
            // The first error explains an unreachable server.
            Era::Auto => match tokio::time::timeout(PROBE + MOMENT, beginning).await {
                Ok(first) if !is_of_other_eras(&first) => first,
                // The server may ignore unknown requests.
                other => {
                    match (begin(transport(), Era::Legacy).await, other) {
                        // If that fails as well, the first error counts.
                        (Err(_), Ok(Err(first))) => Err(first),
                        (again, _) => again,
                    }
                }
            },
            _ => beginning.await,
        };
        match first {
            // The server answers, but not to this request. It may support only the oldest transport.
            Err(failed @ (Failed::Unusable(_) | Failed::Lost(_) | Failed::Rpc(_)))
                if config.era == Era::Auto =>
            {
                connect_sse(to.clone(), url, token.as_ref(), config).await.map_err(|_| failed)
            }
            opened => opened,
        }
    }
}

fn http_transport(
    to: Limited,
    url: &Url,
    token: Option<&Secret>,
    config: &ServerConfig,
) -> StreamableHttpClientTransport<Limited> {
    let mut over = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_concurrent_requests(config.calls_max)
        .max_sse_event_size(config.output_bytes_max);
    if let Some(token) = token {
        over = over.auth_header(token.expose());
    }
    StreamableHttpClientTransport::with_client(to, over)
}

async fn connect_sse(
    to: Limited,
    url: &Url,
    token: Option<&Secret>,
    config: &ServerConfig,
) -> Result<Connection, Failed> {
    let timeout = Duration::from_millis(config.timeout_ms);
    let sse = SseTransport::open(to, url, token, timeout, config.output_bytes_max).await?;
    begin(sse, Era::Sse).await
}

/// Connects to a command, and restarts it if its era differs.
async fn connect_stdio(
    config: &ServerConfig,
    name: &str,
    base: &Path,
) -> Result<Connection, Failed> {
    let began = Instant::now();
    let first = begin(child(config, name, base)?, config.era).await;
    let other = match &first {
        _ if config.era != Era::Auto => return first,
        // The server may exit on a request of an unknown era.
        Err(Failed::Unreached(_) | Failed::Lost(_)) => Era::Legacy,
        _ if is_of_other_eras(&first) => Era::Legacy,
        // Perhaps it begins late, and was asked in the era before for that alone.
        Err(Failed::Rpc(_)) if began.elapsed() >= PROBE => Era::Modern,
        _ => return first,
    };
    let again = begin(child(config, name, base)?, other).await;
    again.or(first)
}

/// Whether the server reported that it supports other eras only.
fn is_of_other_eras(first: &Result<Connection, Failed>) -> bool {
    matches!(first, Err(Failed::Rpc(it)) if it.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
}

/// The handshake over `transport`.
async fn begin<T, E, A>(transport: T, era: Era) -> Result<Connection, Failed>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let modern = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match era {
        Era::Auto => ClientLifecycleMode::Auto {
            preferred_versions: modern,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: modern },
        Era::Legacy | Era::Sse => ClientLifecycleMode::Initialize,
    };
    let end = CancellationToken::new();
    // Ends the connection if the handshake is dropped.
    let guard = end.clone().drop_guard();
    let started = serve_client_with_lifecycle_and_ct(
        NoticeHandler::default(),
        transport,
        lifecycle,
        end.clone(),
    );
    let running = started.await.map_err(|it| Failed::of_start(&it))?;
    let version = running.peer().peer_info().map(|it| it.protocol_version.clone());
    known_version(version.as_ref())?;
    guard.disarm();
    Ok(Connection::new(running, end))
}

/// Refuses a revision that is not known here: what the server means by it is not known either.
fn known_version(version: Option<&ProtocolVersion>) -> Result<(), Failed> {
    let known = ProtocolVersion::KNOWN_VERSIONS;
    let Some(other) = version.filter(|it| !known.contains(it)) else { return Ok(()) };
    let other: String = other.as_str().chars().take(VERSION_CHARS_MAX).collect();
    let known = known.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>().join(", ");
    let why =
        format!("it answers `initialize` with the revision {other:?}; these are known: {known}");
    Err(Failed::Unusable(why))
}

/// A command with PATH, HOME and configured variables only.
fn child(config: &ServerConfig, name: &str, base: &Path) -> Result<StdioTransport, Failed> {
    let Way::Command { command, args, env } = &config.way else {
        return Err(Failed::Unusable("it has no command".to_owned()));
    };
    let mut child = Command::new(command);
    child.args(args).env_clear().kill_on_drop(true);
    for variable in ["PATH", "HOME"] {
        if let Some(value) = std::env::var_os(variable) {
            child.env(variable, value);
        }
    }
    for (variable, given) in env {
        let wrong = |it| Failed::Unusable(format!("its variable {variable}: {it}"));
        child.env(variable, given.read(base).map_err(wrong)?.expose());
    }
    let unrunnable = |error: io::Error| {
        let shown = command.display().to_string();
        let hint = if shown.contains(' ') { "; what follows a program stands in args" } else { "" };
        Failed::Unreached(format!("its command {shown} cannot be run: {error}{hint}"))
    };
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().map_err(unrunnable)?;
    let mask = config.mask(base);
    if let Some(stderr) = child.stderr.take() {
        let (server, mask) = (name.to_owned(), mask.clone());
        let log = move |line: &str| tracing::info!(target: "server", server, "{line}");
        tokio::spawn(read_stderr(stderr, mask, log));
    }
    StdioTransport::new(child, config.output_bytes_max, mask).map_err(unrunnable)
}

/// Gives the beginning of what a command writes to `log`, line by line; the rest is read and dropped, so that it does not
/// stall. Lines are masked whole: a secret may come in two pieces.
async fn read_stderr(stderr: impl AsyncRead + Unpin, mask: Mask, log: impl Fn(&str)) {
    let mut stderr = BufReader::new(stderr).take(STDERR_BYTES_MAX as u64);
    let mut line = Vec::new();
    while let Ok(1..) = stderr.read_until(b'\n', &mut line).await {
        if stderr.limit() == 0 {
            line.truncate(line.len() - mask.secret_prefix_len(&line));
        }
        log(mask.text(&String::from_utf8_lossy(&line)).trim_end());
        line.clear();
    }
    let _ = tokio::io::copy(stderr.get_mut(), &mut tokio::io::sink()).await;
}

/// Follows only what keeps the method, and only within the origin: the token goes nowhere else.
fn within_origin() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first();
        let is_within = first.is_some_and(|it| it.origin() == attempt.url().origin());
        let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
        match is_within && keeps_method && attempt.previous().len() <= REDIRECTS_MAX {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

/// Our handler of one connection's notifications. A clone is the same handler.
#[derive(Clone, Default)]
pub(super) struct NoticeHandler(Arc<Received>);

#[derive(Default)]
struct Received {
    changed: Notify,
    calls: Mutex<HashMap<ProgressToken, Followed>>,
}

/// A call, as far as its server notifies of it.
struct Followed {
    /// Destination of progress.
    to: Option<Notifications>,
    goes_on: Arc<Notify>,
}

impl NoticeHandler {
    /// Comes once one of the server's lists has changed since the last time.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// Records a change of its lists.
    pub(super) fn change(&self) {
        self.0.changed.notify_one();
    }

    /// Tracks and forwards progress of a call until the returned guard is dropped.
    pub(super) fn follow(
        &self,
        token: ProgressToken,
        to: Option<Notifications>,
        goes_on: Arc<Notify>,
    ) -> impl Drop + use<'_> {
        self.0.calls.lock().insert(token.clone(), Followed { to, goes_on });
        scopeguard::guard((), move |()| _ = self.0.calls.lock().remove(&token))
    }
}

/// Declares support for apps. Without it, some servers omit app metadata.
pub(super) fn apps() -> ExtensionCapabilities {
    let kinds = json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
    let kinds = kinds.as_object().cloned().unwrap_or_default();
    [("io.modelcontextprotocol/ui".to_owned(), kinds)].into()
}

impl ClientHandler for NoticeHandler {
    /// Apps, which clients of ours show, and nothing else: there is no person here to answer what a server asks in
    /// the middle of a call. What the caller's client can do is sent with each call, to servers that ask by
    /// `input_required`.
    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("madoguchi", env!("CARGO_PKG_VERSION"));
        let mut can = ClientCapabilities::default();
        can.extensions = Some(apps());
        ClientConfig::new(can, this).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let calls = self.0.calls.lock();
        let Some(call) = calls.get(&progress.progress_token) else { return };
        call.goes_on.notify_one();
        if let Some(to) = &call.to {
            let note = Progress {
                progress: progress.progress,
                total: progress.total,
                message: progress.message,
            };
            to.send(Notification::Progress(note));
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change();
    }
}

// Transport to a server that runs as a command: one message per line over standard input and output.

/// Time limits to exit after end of input and after a signal.
const END: Duration = Duration::from_secs(3);

/// A command that runs.
pub(super) struct StdioTransport {
    child: Child,
    input: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    output: BufReader<ChildStdout>,
    line: Line,
    /// Id of the probe for the newest era, and whether it was abandoned.
    probe: Option<RequestId>,
    given_up: Option<RequestId>,
}

impl StdioTransport {
    /// Takes over the pipes of `child`. Lines are limited to `most` bytes.
    pub(super) fn new(mut child: Child, most: usize, mask: Mask) -> io::Result<Self> {
        let taken = || io::Error::other("it has no standard input and output");
        let input = child.stdin.take().ok_or_else(taken)?;
        let output = child.stdout.take().ok_or_else(taken)?;
        let input = AsyncRwTransport::new(tokio::io::empty(), input);
        let (output, line) = (BufReader::new(output), Line::new(most, mask));
        Ok(Self { child, input, output, line, probe: None, given_up: None })
    }

    /// Whether `message` answers an abandoned probe. Servers that start slowly answer both the probe and what
    /// followed.
    fn is_late(&self, message: &ServerJsonRpcMessage) -> bool {
        let answered = match message {
            JsonRpcMessage::Response(it) => Some(&it.id),
            JsonRpcMessage::Error(it) => it.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        answered.is_some() && answered == self.given_up.as_ref()
    }

    /// Whether it ends by itself.
    async fn has_ended(&mut self) -> bool {
        tokio::time::timeout(END, self.child.wait()).await.is_ok()
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            match request.request {
                ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.given_up = self.probe.take(),
                _ => {}
            }
        }
        self.input.send(message)
    }

    /// Cancel-safe.
    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let read = self.output.fill_buf().await;
            let read = read.inspect_err(|it| tracing::warn!(target: "server", "{it}")).ok()?;
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|it| *it == b'\n');
            self.line.take(&read[..end.unwrap_or(read.len())]);
            let used = end.map_or(read.len(), |it| it + 1);
            self.output.consume(used);
            if end.is_some()
                && let Some(message) = self.line.end()
                && !self.is_late(&message)
            {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input.close().await?;
        if self.has_ended().await {
            return Ok(());
        }
        let id = self.child.id().and_then(|it| i32::try_from(it).ok()).and_then(Pid::from_raw);
        if let Some(id) = id
            && kill_process(id, Signal::TERM).is_ok()
            && self.has_ended().await
        {
            return Ok(());
        }
        self.child.kill().await
    }
}

/// A line that is being read; of one that is too long only what it answers is kept.
struct Line {
    most: usize,
    mask: Mask,
    bytes: Vec<u8>,
    cut: Option<Envelope>,
}

impl Line {
    fn new(most: usize, mask: Mask) -> Self {
        Self { most, mask, bytes: Vec::new(), cut: None }
    }

    fn take(&mut self, bytes: &[u8]) {
        if let Some(cut) = &mut self.cut {
            return cut.read(bytes);
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.most {
            self.cut = Some(Envelope::of(&std::mem::take(&mut self.bytes)));
        }
    }

    /// The complete message, or an error in place of a too large answer. `None` for neither.
    fn end(&mut self) -> Option<ServerJsonRpcMessage> {
        let bytes = std::mem::take(&mut self.bytes);
        if let Some(cut) = self.cut.take() {
            let id = cut.answered();
            if id.is_none() {
                tracing::warn!(target: "server", most = self.most, "a line that is too long answers nothing");
            }
            return id.map(too_large);
        }
        let line = bytes.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let note = |error: &serde_json::Error| {
            tracing::debug!(target: "server", "a line that is no message: {error}");
        };
        let line = String::from_utf8_lossy(line);
        serde_json::from_str(&readable(&line, &self.mask)).inspect_err(note).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use serde_json::json;
    use tokio::{io::AsyncWriteExt, process::Command};

    use super::*;

    /// What of `pieces`, each written by itself, comes to the log.
    async fn logged(pieces: &[&[u8]]) -> Vec<String> {
        let mut mask = Mask::default();
        mask.add("hunter2hunter2");
        let (stderr, mut command) = tokio::io::duplex(64);
        let lines = Mutex::new(Vec::new());
        let log = |line: &str| lines.lock().push(line.to_owned());
        let writing = async {
            for piece in pieces {
                command.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            drop(command);
        };
        futures::join!(read_stderr(stderr, mask, log), writing);
        lines.into_inner()
    }

    #[tokio::test]
    async fn masks_secret_that_comes_in_pieces() {
        let pieces: [&[u8]; 4] =
            [b"a hunter2", b"hunter2 b\r\n\xe5\xb8", b"\xad\n", b"c hunter2hunter2"];
        assert_eq!(logged(&pieces).await, ["a [secret] b", "\u{5e2d}", "c [secret]"]);
        let long = "x".repeat(STDERR_BYTES_MAX - 5);
        let cut = logged(&[long.as_bytes(), b"hunter2hunter2\n", b"more\n"]).await;
        assert_eq!(cut, [long], "what is left of a secret at the end is not shown");
    }

    #[test]
    fn refuses_unknown_revisions() {
        let version = |text: &str| {
            let version = serde_json::from_value(json!(text)).unwrap();
            known_version(Some(&version))
        };
        assert!(version("2024-11-05").is_ok() && version("2026-07-28").is_ok());
        assert!(known_version(None).is_ok());
        for other in ["2099-01-01", "1", "", &"x".repeat(100)] {
            let Err(Failed::Unusable(why)) = version(other) else { panic!("{other}") };
            assert!(why.contains("these are known: 2024-11-05, ") && why.len() < 200, "{why}");
        }
    }

    #[tokio::test]
    async fn drops_late_answer_to_a_cancelled_request() {
        let script = r#"
            read discover; read initialize
            echo '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}'
            echo '{"jsonrpc":"2.0","id":1,"result":{}}'
            read end
        "#;
        let mut child = Command::new("sh");
        child.args(["-c", script]).kill_on_drop(true);
        child.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut transport =
            StdioTransport::new(child.spawn().unwrap(), 4_096, Mask::default()).unwrap();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let initialize = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "a", "version": "1" },
        });
        for (id, method, params) in
            [(0, "server/discover", json!({ "_meta": meta })), (1, "initialize", initialize)]
        {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            transport.send(serde_json::from_value(request).unwrap()).await.unwrap();
        }
        let Some(JsonRpcMessage::Response(answer)) = transport.receive().await else {
            panic!("what is waited for")
        };
        assert_eq!(answer.id, RequestId::Number(1));
    }

    #[test]
    fn too_long_line_fails_its_request() {
        let large = "x".repeat(5_000);
        let lines = [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"id":1,"t":"{large}"}}}}"#), "7"),
            (format!(r#"{{"result":{{"t":"{large}"}},"jsonrpc":"2.0","id":"a"}}"#), "a"),
        ];
        for (text, id) in lines {
            for piece in [1, 700, 100_000] {
                let mut line = Line::new(4_000, Mask::default());
                for bytes in text.as_bytes().chunks(piece) {
                    line.take(bytes);
                    assert!(line.bytes.len() <= 4_000);
                }
                let Some(JsonRpcMessage::Error(error)) = line.end() else { panic!("{piece}") };
                assert_eq!(error.id.map(|it| it.to_string()).as_deref(), Some(id), "{piece}");
                line.take(br#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
                assert!(matches!(line.end(), Some(JsonRpcMessage::Response(_))), "what follows");
            }
        }
        let mut line = Line::new(4_000, Mask::default());
        let notice = format!(r#"{{"method":"a/b","params":{{"id":7,"t":"{large}"}}}}"#);
        line.take(notice.as_bytes());
        assert!(line.end().is_none(), "it answers nothing");
        for text in ["", " \r", "hello"] {
            line.take(text.as_bytes());
            assert!(line.end().is_none(), "{text:?}");
        }
    }
}
