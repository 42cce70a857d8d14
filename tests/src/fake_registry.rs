//! A registry after the OCI distribution specification (1.1), in memory, on a port of this machine: blobs,
//! manifests, tags, uploads, referrers, and tokens for valid credentials. It refuses what a strict registry
//! refuses, counts its requests, and can be told to fail.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::{StreamExt as _, stream};
use http::{HeaderMap, Method, StatusCode, header};
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::fake_signing::FakeAuthority;
use host::digest::digest;

/// The valid credentials.
pub const ACCOUNT: (&str, &str) = ("ann", "s3cret:pass&word");
/// The media type of a manifest.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// The media type of an index.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// How a registry authenticates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// Not at all.
    #[default]
    Nothing,
    /// By name and password.
    Basic,
    /// By tokens from itself or from another address.
    Tokens(Option<String>),
}

/// A registry's fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Not at all.
    #[default]
    None,
    /// It answers blobs with other bytes of the same length.
    OtherBlobs,
    /// It answers manifests with an added space, under the former digest.
    OtherManifests,
    /// It reports another digest for manifests.
    OtherDigests,
    /// It hangs on requests for blobs.
    Silent,
    /// Its blobs hang after their beginning.
    Stalling,
    /// Its blobs never end.
    Endless,
    /// Its blobs are longer than announced.
    Short,
    /// Its manifests are oversized.
    Oversized,
    /// It redirects requests for blobs to this address.
    Redirecting(String),
    /// It does not support referrers.
    WithoutReferrers,
}

#[derive(Default)]
struct Inner {
    asks: Asks,
    fault: Fault,
    /// Blobs by digest.
    blobs: HashMap<String, Bytes>,
    /// Manifests by repository and digest: media type and bytes.
    manifests: HashMap<(String, String), (String, Bytes)>,
    /// Digests by repository and tag.
    tags: BTreeMap<(String, String), String>,
    uploads: HashMap<String, Bytes>,
    tokens: HashMap<String, String>,
    /// Each request: method, path, and whether it had credentials.
    received: Vec<(String, String, bool)>,
    /// Documents at other paths.
    files: HashMap<String, Value>,
    made: usize,
}

/// Connections over TLS.
struct Secure {
    tcp: tokio::net::TcpListener,
    acceptor: TlsAcceptor,
}

impl axum::serve::Listener for Secure {
    type Io = tokio_rustls::server::TlsStream<tokio::net::TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            // Clients that reject the certificate disconnect.
            if let Ok((stream, from)) = self.tcp.accept().await
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

/// A fake registry on a free port.
#[derive(Clone)]
pub struct FakeRegistry {
    inner: Arc<Mutex<Inner>>,
    /// `127.0.0.1:PORT`.
    pub host: String,
    scheme: &'static str,
}

impl FakeRegistry {
    /// Starts an empty registry without authentication.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let host = listener.local_addr().expect("it listens").to_string();
        let fake = Self { inner: Arc::default(), host, scheme: "http" };
        let router = Router::new().fallback(answer).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    /// The same over TLS, with a certificate of `authority`.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start_secure(authority: &FakeAuthority) -> Self {
        let tcp = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let host = tcp.local_addr().expect("it listens").to_string();
        let (certificate, key) = authority.server.clone();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring has them all")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.into()], PrivatePkcs8KeyDer::from(key).into())
            .expect("the key is the certificate's");
        let listener = Secure { tcp, acceptor: TlsAcceptor::from(Arc::new(config)) };
        let fake = Self { inner: Arc::default(), host, scheme: "https" };
        let router = Router::new().fallback(answer).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no test panics while it answers")
    }

    /// The reference of that name in this registry.
    pub fn reference(&self, rest: &str) -> String {
        format!("oci://{}/{rest}", self.host)
    }

    /// Changes how it authenticates.
    pub fn ask(&self, asks: Asks) {
        self.lock().asks = asks;
    }

    /// Sets its fault.
    pub fn fail(&self, fault: Fault) {
        self.lock().fault = fault;
    }

    /// Serves a document at another path.
    pub fn serve(&self, path: &str, document: Value) {
        self.lock().files.insert(path.to_owned(), document);
    }

    /// The requests so far: method and path.
    pub fn received(&self) -> Vec<String> {
        self.lock().received.iter().map(|it| format!("{} {}", it.0, it.1)).collect()
    }

    /// The number of requests with credentials.
    pub fn secrets(&self) -> usize {
        self.lock().received.iter().filter(|it| it.2).count()
    }

    /// The digest that a tag names.
    ///
    /// # Panics
    /// If there is no such tag.
    pub fn tagged(&self, repository: &str, tag: &str) -> String {
        self.lock().tags[&(repository.to_owned(), tag.to_owned())].clone()
    }

    /// Moves a tag to another manifest.
    pub fn retag(&self, repository: &str, tag: &str, digest: &str) {
        self.lock().tags.insert((repository.to_owned(), tag.to_owned()), digest.to_owned());
    }

    /// Stores a blob and returns its descriptor.
    pub fn blob(&self, media_type: &str, bytes: &[u8]) -> Value {
        let digest = format!("sha256:{}", digest(bytes));
        self.lock().blobs.insert(digest.clone(), Bytes::copy_from_slice(bytes));
        json!({ "mediaType": media_type, "digest": digest, "size": bytes.len() })
    }

    /// The bytes of a blob.
    ///
    /// # Panics
    /// If it is not there.
    pub fn blob_bytes(&self, digest: &str) -> Vec<u8> {
        self.lock().blobs[digest].to_vec()
    }

    /// Stores a manifest, optionally with a tag, and returns its digest.
    ///
    /// # Panics
    /// If it has no media type.
    pub fn manifest(&self, repository: &str, tag: Option<&str>, manifest: &Value) -> String {
        let bytes = Bytes::from(manifest.to_string());
        let digest = format!("sha256:{}", digest(&bytes));
        let media_type = manifest["mediaType"].as_str().expect("it has one").to_owned();
        let mut inner = self.lock();
        inner.manifests.insert((repository.to_owned(), digest.clone()), (media_type, bytes));
        if let Some(tag) = tag {
            inner.tags.insert((repository.to_owned(), tag.to_owned()), digest.clone());
        }
        digest
    }

    /// The bytes of a manifest.
    ///
    /// # Panics
    /// If it is not there.
    pub fn manifest_bytes(&self, repository: &str, digest: &str) -> Vec<u8> {
        self.lock().manifests[&(repository.to_owned(), digest.to_owned())].1.to_vec()
    }

    /// The descriptor of a stored manifest.
    pub fn described(&self, repository: &str, digest: &str) -> Value {
        let size = self.manifest_bytes(repository, digest).len();
        json!({ "mediaType": MANIFEST, "digest": digest, "size": size })
    }

    /// The layer of an artifact that refers to the manifest of that digest.
    ///
    /// # Panics
    /// If nothing does.
    pub fn attached(&self, repository: &str, digest: &str) -> Vec<u8> {
        let inner = self.lock();
        let own = inner.manifests.iter().filter(|it| it.0.0 == repository);
        let mut read = own.filter_map(|it| serde_json::from_slice::<Value>(&it.1.1).ok());
        let found = read.find(|it| it["subject"]["digest"] == digest).expect("one is there");
        inner.blobs[found["layers"][0]["digest"].as_str().expect("it has one")].to_vec()
    }

    /// Stores an artifact that refers to the manifest of that digest, and returns its own digest.
    pub fn attach(&self, repository: &str, to: &str, media_type: &str, bytes: &[u8]) -> String {
        let layer = self.blob(media_type, bytes);
        let config = self.blob("application/vnd.oci.empty.v1+json", b"{}");
        let subject = self.described(repository, to);
        let made = json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": media_type,
            "config": config, "layers": [layer], "subject": subject,
        });
        self.manifest(repository, None, &made)
    }
}

fn error(status: StatusCode, code: &str) -> Response {
    (status, Json(json!({ "errors": [{ "code": code, "message": code.to_lowercase() }] })))
        .into_response()
}

async fn answer(State(fake): State<FakeRegistry>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let query: HashMap<String, String> =
        url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let authorization = text(&parts.headers, header::AUTHORIZATION);
    let Ok(body) = axum::body::to_bytes(body, 128 << 20).await else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, "SIZE_INVALID");
    };
    let is_secret =
        !authorization.is_empty() || String::from_utf8_lossy(&body).contains("refresh_token");
    fake.lock().received.push((parts.method.to_string(), path.clone(), is_secret));
    if path == "/token" {
        return token(&fake, &authorization, &query, &body);
    }
    let file = fake.lock().files.get(&path).cloned();
    if let Some(file) = file {
        return Json(file).into_response();
    }
    let Some((repository, kind, which)) = read(&path) else {
        return error(StatusCode::NOT_FOUND, "NAME_UNKNOWN");
    };
    let writes = parts.method != Method::GET && parts.method != Method::HEAD;
    if let Some(refused) = refused(&fake, &authorization, &repository, writes) {
        return refused;
    }
    match (parts.method.as_str(), kind) {
        ("GET" | "HEAD", "manifests") => manifest(&fake, &repository, which, &parts.headers),
        ("PUT", "manifests") => take_manifest(&fake, &repository, which, &parts.headers, body),
        ("GET" | "HEAD", "blobs") => blob(&fake, which),
        ("POST", "uploads") => {
            let mut inner = fake.lock();
            inner.made += 1;
            let id = inner.made.to_string();
            inner.uploads.insert(id.clone(), Bytes::new());
            let to = format!("/v2/{repository}/blobs/uploads/{id}?state=a");
            (StatusCode::ACCEPTED, [(header::LOCATION, to)]).into_response()
        }
        ("PUT", "uploads") => take_blob(&fake, which, &query, &parts.headers, body),
        ("GET", "referrers") => referrers(&fake, &repository, which),
        ("GET", "tags") => tags(&fake, &repository, &query),
        _ => error(StatusCode::METHOD_NOT_ALLOWED, "UNSUPPORTED"),
    }
}

/// Splits a path into repository, kind and reference.
fn read(path: &str) -> Option<(String, &'static str, &str)> {
    let rest = path.strip_prefix("/v2/")?;
    for (mark, kind) in [
        ("/blobs/uploads/", "uploads"),
        ("/manifests/", "manifests"),
        ("/blobs/", "blobs"),
        ("/referrers/", "referrers"),
        ("/tags/", "tags"),
    ] {
        if let Some((repository, which)) = rest.split_once(mark) {
            return Some((repository.to_owned(), kind, which));
        }
    }
    None
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> String {
    headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned()
}

fn basic() -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", ACCOUNT.0, ACCOUNT.1)))
}

/// The refusal of a request without valid credentials.
fn refused(
    fake: &FakeRegistry,
    authorization: &str,
    repository: &str,
    writes: bool,
) -> Option<Response> {
    let asks = fake.lock().asks.clone();
    let challenge = match asks {
        Asks::Nothing => return None,
        Asks::Basic if authorization == basic() => return None,
        Asks::Basic => "Basic realm=\"fake\", charset=\"UTF-8\"".to_owned(),
        Asks::Tokens(realm) => {
            let actions = if writes { "pull,push" } else { "pull" };
            let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
            let scope = fake.lock().tokens.get(token).cloned().unwrap_or_default();
            let allowed =
                scope.strip_prefix(&format!("repository:{repository}:")).map(str::to_owned);
            if allowed.is_some_and(|it| it == "pull,push" || it == actions) {
                return None;
            }
            let realm = realm.unwrap_or_else(|| format!("{}://{}/token", fake.scheme, fake.host));
            format!(
                "Bearer realm=\"{realm}\",service=\"fake registry\",scope=\"repository:{repository}:{actions}\""
            )
        }
    };
    let mut response = error(StatusCode::UNAUTHORIZED, "UNAUTHORIZED");
    let value = challenge.parse().expect("it is fit for a header");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    Some(response)
}

/// Issues a token for one repository, for name and password or for a token of the identity provider.
fn token(
    fake: &FakeRegistry,
    authorization: &str,
    query: &HashMap<String, String>,
    body: &Bytes,
) -> Response {
    let form: HashMap<String, String> = url::form_urlencoded::parse(body).into_owned().collect();
    let is_refreshed = form.get("grant_type").is_some_and(|it| it == "refresh_token")
        && form.get("refresh_token").is_some_and(|it| it == ACCOUNT.1);
    let fields = if body.is_empty() { query } else { &form };
    let service = fields.get("service").map(String::as_str);
    let Some(scope) = fields.get("scope").filter(|_| service == Some("fake registry")) else {
        return error(StatusCode::BAD_REQUEST, "DENIED");
    };
    if authorization != basic() && !is_refreshed {
        return error(StatusCode::UNAUTHORIZED, "UNAUTHORIZED");
    }
    let mut inner = fake.lock();
    inner.made += 1;
    let token = format!("t0ken-{}", inner.made);
    inner.tokens.insert(token.clone(), scope.clone());
    Json(json!({ "token": token, "expires_in": 300 })).into_response()
}

fn manifest(fake: &FakeRegistry, repository: &str, which: &str, headers: &HeaderMap) -> Response {
    let inner = fake.lock();
    let digest = match which.starts_with("sha256:") {
        true => Some(which.to_owned()),
        false => inner.tags.get(&(repository.to_owned(), which.to_owned())).cloned(),
    };
    let found = digest
        .and_then(|it| Some((inner.manifests.get(&(repository.to_owned(), it.clone()))?, it)));
    let Some(((media_type, bytes), digest)) = found else {
        return error(StatusCode::NOT_FOUND, "MANIFEST_UNKNOWN");
    };
    if !text(headers, header::ACCEPT).contains(media_type.as_str()) {
        return error(StatusCode::NOT_FOUND, "MANIFEST_UNKNOWN");
    }
    let (mut digest, mut bytes) = (digest, bytes.clone());
    match inner.fault {
        Fault::OtherManifests => bytes = [&b" "[..], &bytes].concat().into(),
        Fault::OtherDigests => digest = format!("sha256:{}", "0".repeat(64)),
        Fault::Oversized => bytes = vec![b' '; (4 << 20) + 1].into(),
        _ => {}
    }
    let headers =
        [(header::CONTENT_TYPE.as_str(), media_type.clone()), ("docker-content-digest", digest)];
    (headers, bytes).into_response()
}

fn take_manifest(
    fake: &FakeRegistry,
    repository: &str,
    which: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Response {
    let Ok(manifest) = serde_json::from_slice::<Value>(&body) else {
        return error(StatusCode::BAD_REQUEST, "MANIFEST_INVALID");
    };
    let media_type = text(headers, header::CONTENT_TYPE);
    if manifest["schemaVersion"] != 2 || manifest["mediaType"] != media_type.as_str() {
        return error(StatusCode::BAD_REQUEST, "MANIFEST_INVALID");
    }
    let digest = format!("sha256:{}", digest(&body));
    if which.starts_with("sha256:") && which != digest {
        return error(StatusCode::BAD_REQUEST, "DIGEST_INVALID");
    }
    let mut inner = fake.lock();
    let parts = [&manifest["config"]]
        .into_iter()
        .chain(manifest["layers"].as_array().into_iter().flatten());
    for part in parts.filter(|it| !it.is_null()) {
        let blob = part["digest"].as_str().and_then(|it| inner.blobs.get(it));
        if blob.is_none_or(|it| part["size"] != it.len()) {
            return error(StatusCode::BAD_REQUEST, "MANIFEST_BLOB_UNKNOWN");
        }
    }
    inner.manifests.insert((repository.to_owned(), digest.clone()), (media_type, body));
    if !which.starts_with("sha256:") {
        inner.tags.insert((repository.to_owned(), which.to_owned()), digest);
    }
    let mut response = StatusCode::CREATED.into_response();
    if let Some(subject) = manifest["subject"]["digest"].as_str()
        && inner.fault != Fault::WithoutReferrers
    {
        response.headers_mut().insert("oci-subject", subject.parse().expect("it is a digest"));
    }
    response
}

fn blob(fake: &FakeRegistry, which: &str) -> Response {
    let inner = fake.lock();
    let Some(bytes) = inner.blobs.get(which).cloned() else {
        return error(StatusCode::NOT_FOUND, "BLOB_UNKNOWN");
    };
    type Piece = Result<Bytes, std::io::Error>;
    let never = || stream::once(std::future::pending::<Piece>());
    let stream = match &inner.fault {
        Fault::OtherBlobs => return vec![0_u8; bytes.len()].into_response(),
        Fault::Redirecting(to) => {
            return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to.clone())])
                .into_response();
        }
        Fault::Short => {
            let half = bytes.slice(..bytes.len() / 2);
            return half.into_response();
        }
        Fault::Silent => never().boxed(),
        Fault::Stalling => {
            let first = bytes.slice(..bytes.len() / 2);
            stream::once(async { Ok(first) }).chain(never()).boxed()
        }
        Fault::Endless => stream::repeat_with(|| Ok(Bytes::from(vec![0; 64 << 10]))).boxed(),
        _ => return bytes.into_response(),
    };
    Body::from_stream(stream).into_response()
}

fn take_blob(
    fake: &FakeRegistry,
    id: &str,
    query: &HashMap<String, String>,
    headers: &HeaderMap,
    body: Bytes,
) -> Response {
    let mut inner = fake.lock();
    let is_begun =
        inner.uploads.remove(id).is_some() && query.get("state").is_some_and(|it| it == "a");
    let digest = format!("sha256:{}", digest(&body));
    let is_right = query.get("digest").is_some_and(|it| *it == digest);
    let length = text(headers, header::CONTENT_LENGTH) == body.len().to_string();
    if !is_begun || !is_right || !length {
        return error(StatusCode::BAD_REQUEST, "BLOB_UPLOAD_INVALID");
    }
    inner.blobs.insert(digest, body);
    StatusCode::CREATED.into_response()
}

fn referrers(fake: &FakeRegistry, repository: &str, which: &str) -> Response {
    let inner = fake.lock();
    if inner.fault == Fault::WithoutReferrers {
        return error(StatusCode::NOT_FOUND, "UNSUPPORTED");
    }
    let all = inner.manifests.iter().filter(|it| it.0.0 == repository);
    let about = all.filter_map(|((_, digest), (media_type, bytes))| {
        let manifest: Value = serde_json::from_slice(bytes).ok()?;
        (manifest["subject"]["digest"] == which).then(|| {
            json!({
                "mediaType": media_type, "digest": digest, "size": bytes.len(),
                "artifactType": manifest["artifactType"],
            })
        })
    });
    let index =
        json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": about.collect::<Vec<_>>() });
    ([(header::CONTENT_TYPE, INDEX)], index.to_string()).into_response()
}

/// Tags in their order, a page at a time.
fn tags(fake: &FakeRegistry, repository: &str, query: &HashMap<String, String>) -> Response {
    // Fewer than are asked for, so that there are pages.
    const PAGE: usize = 2;
    let inner = fake.lock();
    let last = query.get("last").cloned().unwrap_or_default();
    let own = inner.tags.keys().filter(|it| it.0 == repository).map(|it| it.1.clone());
    let mut tags: Vec<_> = own.filter(|it| *it > last).collect();
    let more = tags.len() > PAGE;
    tags.truncate(PAGE);
    let next = tags
        .last()
        .filter(|_| more)
        .map(|it| format!("</v2/{repository}/tags/list?n=2&last={it}>; rel=\"next\""));
    let mut response = Json(json!({ "name": repository, "tags": tags })).into_response();
    if let Some(next) = next {
        response.headers_mut().insert(header::LINK, next.parse().expect("it is fit for a header"));
    }
    response
}
