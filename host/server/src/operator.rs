//! The operator API: on a listener for programs of this machine with the token of this start, and below `/api/operator`
//! for pages and for tokens with the scope `operator`.

mod people;
mod routes;
pub mod storage;

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use accounts::Accounts;
use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
    routing::{any, delete, get, post},
};
use base::{grants::hosts::host_of, limits::ConnectionsConfig, source::FILE_BYTES_MAX};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use calls::{
    Calls,
    authorization::{bearer, caller_of, forbidden, unknown_operator},
    outcome::refusal,
    shares::{Share, Shares},
};
use http::{HeaderMap, Method, StatusCode, header};
use registry::control::Control;
use serde::{Deserialize, Serialize};
use store::{
    private,
    seal::{Seal, random},
};
use tokio::sync::Semaphore;

use crate::api::{health::Health, limited, other_method};

/// Interval of trying to write the operator key.
const WRITE_KEY_EVERY: Duration = Duration::from_secs(2);

/// State of the operator routes.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) control: Control,
    pub(crate) calls: Calls,
    pub(crate) health: Health,
    pub(crate) accounts: Option<Accounts>,
    /// Allows one backup at a time.
    pub(crate) backups: Arc<Semaphore>,
}

/// A bound listener, and the door that lets the operator in.
pub(crate) struct Listening {
    pub(crate) listener: tokio::net::TcpListener,
    pub(crate) access: OperatorAccess,
    /// The key, while it could not be written.
    pub(crate) unwritten: Option<Key>,
}

/// Binds `addr` and writes address and token down in the data folder.
pub(crate) fn listen(addr: SocketAddr, data: &Path, page: Option<String>) -> io::Result<Listening> {
    let listener = TcpListener::bind(addr)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (access, key) = OperatorAccess::make(listener.local_addr()?, data, page)?;
    let unwritten = access.write_key_file(&key).err().map(|error| {
        tracing::error!(
            "{}: operator.json: {error}; until it can be written, no command reaches this server",
            data.display()
        );
        key
    });
    Ok(Listening { listener, access, unwritten })
}

/// Page address on this machine of a server at `addr`.
pub(crate) fn page_on_this_machine(addr: SocketAddr) -> String {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, addr.port()))
}

/// Writes the operator's key down as soon as the disk takes it.
pub(crate) async fn write_key_file(access: OperatorAccess, key: Key) {
    let mut turns = tokio::time::interval(WRITE_KEY_EVERY);
    loop {
        turns.tick().await;
        let (access, key) = (access.clone(), key.clone());
        let written = tokio::task::spawn_blocking(move || access.write_key_file(&key)).await;
        if matches!(written, Ok(Ok(()))) {
            return tracing::info!("operator.json is written: commands reach this server");
        }
    }
}

/// Bytes of the largest body that the operator sends: a component.
const BODY_BYTES_MAX: usize = FILE_BYTES_MAX as usize;

/// Additional bytes accepted, so that routes can explain the error.
const BEYOND: usize = 1 << 20;

/// Share of operators: two of the largest bodies.
pub(crate) fn share() -> Share {
    let largest = BODY_BYTES_MAX.saturating_add(BEYOND);
    Shares::new(largest.saturating_mul(2), largest, ConnectionsConfig::ANSWERS_BYTES).of_caller()
}

/// Everything that the operator's listener answers.
pub(crate) fn routes_of_listener(operator: Operator, access: OperatorAccess) -> Router {
    let routes = Router::new()
        .nest("/operator", routes().route("/call", post(routes::call)))
        .fallback(routes::unknown)
        .method_not_allowed_fallback(other_method)
        .with_state(operator);
    limited(routes, BODY_BYTES_MAX).layer(middleware::from_fn_with_state(access, check))
}

/// Routes below `/api/operator`, without calls: tools are called on the public listener with the caller's rights.
pub(crate) fn public_routes(operator: Operator) -> Router {
    let routes = routes().route("/{*path}", any(routes::unknown)).with_state(operator);
    limited(routes, BODY_BYTES_MAX).layer(middleware::from_fn(check_scope))
}

fn routes() -> Router<Operator> {
    Router::new()
        .route("/now", get(routes::now))
        .route("/components", get(routes::components))
        .route(
            "/components/{name}",
            get(routes::component).post(routes::load).delete(routes::unload),
        )
        .route("/components/{name}/rollback", post(routes::rollback))
        .route("/components/{name}/accept", post(routes::accept))
        .route("/components/{name}/refuse", post(routes::refuse))
        .route("/components/{name}/canary", post(routes::canary).delete(routes::stop_canary))
        .route("/nodes", get(routes::nodes))
        .route("/servers", get(routes::servers))
        .route("/servers/{name}/accept", post(routes::accept_tools))
        .route("/servers/{name}/refuse", post(routes::refuse_tools))
        .route("/servers/{name}/reconnect", post(routes::reconnect))
        .route("/storage", get(storage::all))
        .route("/components/{name}/export", post(storage::export))
        .route("/backup", post(storage::backup))
        .route("/settings", get(routes::settings))
        .route("/tokens", get(routes::tokens))
        .route("/calls/{call}", get(routes::call_rounds))
        .route("/accounts", get(people::list))
        .route("/accounts/{name}", post(people::create).delete(people::remove))
        .route("/accounts/{name}/link", post(people::link))
        .route("/accounts/{name}/scopes", post(people::rescope))
        .route("/accounts/{name}/devices/{device}", delete(people::end_device))
        .route("/metrics", get(routes::metrics))
        .route("/audit", get(routes::audit))
}

// Access to the operator listener: clients of this machine with the token, and no pages.

/// Key file in the data folder of a running server.
const FILE: &str = "operator.json";

/// Operator address and token.
#[derive(Clone, Serialize, Deserialize)]
pub struct Key {
    /// Address of the operator listener.
    pub addr: SocketAddr,
    /// Bearer token.
    pub token: String,
    /// Page address on this machine, which accepts the token. `None` without a page.
    pub page: Option<String>,
}

impl Key {
    /// The key of the server that runs on the data folder `data`, if one does.
    ///
    /// # Errors
    /// When the file cannot be read, or is none of ours.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        let text = private::if_exists(fs::read(data.join(FILE)))?;
        Ok(text.map(|it| serde_json::from_slice(&it)).transpose()?)
    }
}

/// Distinguishes the operator from all other callers. The token itself is not kept.
#[derive(Clone)]
pub(crate) struct OperatorAccess {
    /// HMAC under a process key, so that comparison takes constant time and reveals nothing.
    seal: Seal,
    tag: [u8; 32],
    addr: SocketAddr,
    file: PathBuf,
}

impl OperatorAccess {
    /// Makes a token; the key with it is to be written down.
    pub(crate) fn make(
        addr: SocketAddr,
        data: &Path,
        page: Option<String>,
    ) -> io::Result<(Self, Key)> {
        let token = URL_SAFE_NO_PAD.encode(random()?);
        let access = Self::new(&token, addr, data.join(FILE))?;
        Ok((access, Key { addr, token, page }))
    }

    /// Writes the key file.
    pub(crate) fn write_key_file(&self, key: &Key) -> io::Result<()> {
        private::write(&self.file, &serde_json::to_vec(key)?)
    }

    fn new(token: &str, addr: SocketAddr, file: PathBuf) -> io::Result<Self> {
        let seal = Seal::fresh()?;
        let tag = seal.tag(token.as_bytes());
        Ok(Self { seal, tag, addr, file })
    }

    /// Whether that is the token.
    pub(crate) fn opens(&self, token: &str) -> bool {
        self.seal.verify(token.as_bytes(), &self.tag)
    }

    /// Takes the key away, unless another server has put its own there.
    pub(crate) fn close(&self) {
        let key = self.file.parent().and_then(|it| Key::read(it).ok().flatten());
        if key.is_some_and(|it| it.addr == self.addr && self.opens(&it.token)) {
            let _ = fs::remove_file(&self.file);
        }
    }

    /// Why a request is refused.
    fn refuses(&self, headers: &HeaderMap, authority: Option<&str>) -> Option<Response> {
        let text = |name| headers.get(name).and_then(|it: &http::HeaderValue| it.to_str().ok());
        let forbidden = |why: &str| Some(refusal(StatusCode::FORBIDDEN, "forbidden", why));
        let host = authority.or_else(|| text(header::HOST)).unwrap_or_default().to_lowercase();
        if !["localhost", "127.0.0.1", "[::1]"].contains(&host_of(&host)) {
            return forbidden("The operator is served under the names of this machine only.");
        }
        if headers.contains_key(header::ORIGIN) {
            return forbidden("The operator is served to programs, not to pages.");
        }
        if bearer(headers).is_ok_and(|token| self.opens(token)) {
            return None;
        }
        let why = "Authorization: Bearer TOKEN is needed, with the token in operator.json in the data folder.";
        let mut refusal = refusal(StatusCode::UNAUTHORIZED, "unauthorized", why);
        let challenge = http::HeaderValue::from_static("Bearer");
        refusal.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        Some(refusal)
    }
}

/// Lets the operator in alone.
async fn check(State(access): State<OperatorAccess>, request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(|it| it.as_str());
    match access.refuses(request.headers(), authority) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

/// Limits read-only operators to reads, and audits changes. The guard accepts operators only.
async fn check_scope(request: Request, next: Next) -> Response {
    let caller = caller_of(request.headers(), request.extensions());
    if !caller.is_operator() {
        return unknown_operator();
    }
    if request.method() == Method::GET {
        return next.run(request).await;
    }
    if !caller.may_upload() {
        let why = "Your token has the scope `read-only`: it may look, and change nothing.";
        return forbidden(refusal(StatusCode::FORBIDDEN, "forbidden", why), "operator");
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let (principal, status) = (&*caller.principal, response.status().as_u16());
    tracing::info!(principal, status, "the operator: {method} {path}");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(header::HeaderName, &str)]) -> Option<StatusCode> {
        let addr = SocketAddr::from(([127, 0, 0, 1], 9));
        let access = OperatorAccess::new("right", addr, PathBuf::new()).unwrap();
        let headers = headers.iter().map(|(name, it)| (name.clone(), it.parse().unwrap()));
        let headers: HeaderMap = headers.collect();
        access.refuses(&headers, None).map(|it| it.status())
    }

    #[test]
    fn only_the_token_grants_access() {
        let host = (header::HOST, "127.0.0.1:9");
        let with = |it| status(&[host.clone(), (header::AUTHORIZATION, it)]);
        assert_eq!(with("Bearer right"), None);
        for wrong in ["Bearer wrong", "Bearer ", "right", "Basic right", "Bearer rightt"] {
            assert_eq!(with(wrong), Some(StatusCode::UNAUTHORIZED), "{wrong}");
        }
        assert_eq!(status(&[host]), Some(StatusCode::UNAUTHORIZED));
    }

    #[test]
    fn rejects_pages_and_foreign_hosts_even_with_token() {
        let token = (header::AUTHORIZATION, "Bearer right");
        let host = (header::HOST, "localhost:9");
        assert_eq!(status(&[host.clone(), token.clone()]), None);
        let origin = (header::ORIGIN, "http://localhost:9");
        assert_eq!(status(&[host, token.clone(), origin]), Some(StatusCode::FORBIDDEN));
        let evil = (header::HOST, "evil.example:9");
        assert_eq!(status(&[evil, token]), Some(StatusCode::FORBIDDEN));
    }
}
