//! Access to the operator listener: clients of this machine with the token, and no pages.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, Method, StatusCode, header};
use serde::{Deserialize, Serialize};

use base::grants::address::host_of;
use calls::{
    authorization::{bearer, caller_of, forbidden, unknown_operator},
    refusal::refusal,
};
use store::{
    private,
    seal::{Seal, random},
};

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
pub(super) async fn check(
    State(access): State<OperatorAccess>,
    request: Request,
    next: Next,
) -> Response {
    let authority = request.uri().authority().map(|it| it.as_str());
    match access.refuses(request.headers(), authority) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

/// Limits read-only operators to reads, and audits changes. The guard accepts operators only.
pub(super) async fn check_scope(request: Request, next: Next) -> Response {
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
