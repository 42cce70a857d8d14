//! Checks of every request before its body is read: host name, origin, authentication and rate limits.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::SystemTime,
};

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts};
use ipnet::IpNet;
use serde_json::Value;

use accounts::Accounts;

use super::{
    allowed::{self, Allowed},
    listener,
    resource::ProtectedResource,
};
use crate::{
    operator::{self, OperatorAccess},
    page::is_probed,
};
use base::{call::Failure, caller::Caller, config::Config, grants::hosts::literal, scopes::Scope};
use calls::{
    authorization::{
        Authority, Gateway, Peer, Principal, Rate, Shape, Stranger, Strangers, StrangersRate,
        Unauthorized, bearer, insufficient_scope, refusal as denied, token_in_query, too_many,
        too_many_open, unauthorized, unknown_operator,
    },
    shares::{STRANGERS_BODY_BYTES_MAX, Share, Shares, UnderWay},
};
use registry::Registry;
use telemetry::metrics::{Metrics, Refused};
use tokio_util::sync::CancellationToken;

/// Header of modern requests with their method.
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Header with the client address behind a proxy.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Rules for hosts, origins and callers.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Rules>);

struct Rules {
    allowed: Allowed,
    authority: Authority,
    shares: Shares,
    /// Rate limits of unknown senders. `None` without limits.
    strangers: Option<Arc<Strangers>>,
    /// Default language.
    language: Option<HeaderValue>,
    /// The proxies that are trusted to name their clients.
    trusted_proxies: Vec<IpNet>,
    /// Counters of refusals.
    metrics: Metrics,
    /// Password gateway, if there is a chat.
    gateway: Option<Gateway>,
    operators: Operators,
    /// Whether people have accounts here, at addresses for which no token is needed.
    has_accounts: bool,
    /// Whether there are addresses of toolsets.
    has_toolsets: bool,
    /// Paths beside `/api` where components answer.
    elsewhere: Vec<String>,
    /// Resource metadata with identity providers, if there are any.
    resource: Option<Arc<ProtectedResource>>,
}

/// Authenticators besides tokens: chat password, operator key and accounts.
pub(super) type Authenticators = (Option<Gateway>, Option<OperatorAccess>, Option<Accounts>);

/// Operator authentication.
struct Operators {
    /// Opened by what the operator shows on this machine, where commands are served.
    access: Option<OperatorAccess>,
    /// The operator, as a caller.
    principal: Arc<Principal>,
    /// Common share of operators' bodies, which include components.
    share: Share,
}

impl Operators {
    fn new(access: Option<OperatorAccess>) -> Self {
        let share = operator::share();
        let scopes = [Scope::Operator].into_iter().collect();
        let caller = Caller::named("operator", &[Scope::Operator.to_string()], scopes);
        let principal = Arc::new(Principal::new(caller, share.clone()));
        Self { access, principal, share }
    }
}

/// Limits and identity of an accepted request.
pub(super) struct Pass {
    pub(super) share: Share,
    /// Format of refusals.
    pub(super) shape: Shape,
    /// Bytes that its body may have.
    pub(super) bytes_max: usize,
    /// Whether its body is kept in memory.
    pub(super) is_kept: bool,
    /// End of its subscriptions.
    pub(super) expires: Option<SystemTime>,
    /// Cancels its subscriptions early.
    pub(super) ended: Option<CancellationToken>,
    /// Scopes granted by this server, which a request for more scopes must include.
    pub(super) held: Option<Arc<[String]>>,
    /// The page elsewhere that may read the answer.
    pub(super) page: Option<HeaderValue>,
    /// Its place among the answers of its sender, where these are counted.
    pub(super) under_way: Option<UnderWay>,
}

impl Pass {
    /// For operator routes, which authenticate themselves.
    pub(super) fn operators(share: Share) -> Self {
        let (shape, bytes_max) = (Shape::Rest, usize::MAX);
        let (expires, ended, held, page, under_way) = (None, None, None, None, None);
        Self { share, shape, bytes_max, is_kept: true, expires, ended, held, page, under_way }
    }
}

/// Why a request is not accepted, or not yet.
pub(super) enum NotPassed {
    /// Refused with this response.
    Away(Box<Response>),
    /// The identity provider must be asked first.
    Later,
}

impl From<Box<Response>> for NotPassed {
    fn from(answer: Box<Response>) -> Self {
        Self::Away(answer)
    }
}

/// Result of asking an identity provider.
pub(super) type Resolved = Result<Option<Arc<Principal>>, Unauthorized>;

impl Guard {
    /// Lets in by the password of `gateway` and by the operator's key of `access`, where there are such; finds
    /// tools in `registry`.
    pub(crate) fn new(
        config: &Config,
        metrics: Metrics,
        (gateway, access, accounts): Authenticators,
        registry: Option<Registry>,
    ) -> Self {
        let largest = config.largest_body();
        let connections = &config.connections;
        let bodies_max = connections.bodies_bytes_max(largest);
        // One caller may have at most half of the connections, which leaves room for others behind the same address.
        let under_way_max = listener::connections_max(connections) / 2;
        let shares = Shares::new(bodies_max, largest, connections.answers_bytes_max)
            .answering(under_way_max);
        let has_accounts = accounts.is_some();
        let authority = Authority::from_config(config, &shares, accounts);
        let resource = authority
            .oauth()
            .map(|it| Arc::new(ProtectedResource::new(config, it.clone(), registry)));
        let rules = Rules {
            allowed: Allowed::new(config),
            authority,
            resource,
            shares,
            strangers: config
                .rate
                .as_ref()
                .map(|it| Arc::new(Strangers::new(|| Rate::new(it, &config.live_nodes)))),
            language: config.language.as_ref().and_then(|it| it.0.parse().ok()),
            trusted_proxies: config.trusted_proxies.clone(),
            metrics,
            gateway,
            operators: Operators::new(access),
            has_accounts,
            has_toolsets: !config.toolsets.is_empty(),
            elsewhere: config.endpoints.elsewhere().map(str::to_owned).collect(),
        };
        Self(Arc::new(rules))
    }

    /// A share for requests that pass no guard.
    pub(crate) fn share(&self) -> Share {
        self.0.shares.of_caller()
    }

    /// Accepts a request from `connected` and adds its sender to its extensions, or refuses it. `resolved` is the
    /// identity provider's answer, if it was asked.
    pub(super) fn pass(
        &self,
        parts: &mut Parts,
        connected: IpAddr,
        resolved: Option<Resolved>,
    ) -> Result<Pass, NotPassed> {
        let rules = &*self.0;
        let away = |why: &Failure| {
            rules.metrics.refused(Refused::Address);
            NotPassed::Away(Box::new(denied(Shape::Rest, why)))
        };
        // Clients on pages elsewhere read it, too: it is the same for all of them.
        if let Some(resource) = rules.resource.as_ref().filter(|it| it.is_described_at(parts)) {
            rules.allowed.check_host(parts).map_err(|why| away(&why))?;
            return Err(NotPassed::Away(Box::new(resource.describe(parts))));
        }
        let page = rules.allowed.check(parts).map_err(|why| away(&why))?;
        if let Some(page) = page.clone().filter(|_| allowed::is_preflight(parts)) {
            return Err(NotPassed::Away(Box::new(allowed::preflight(page, &parts.headers))));
        }
        let peer = rules.peer(&parts.headers, connected);
        let admitted = match is_operators(parts.uri.path()) {
            true => rules.admit_operator(parts, peer, resolved),
            false => rules.admit(parts, peer, resolved),
        };
        match (admitted, page) {
            (Ok(pass), page) => Ok(Pass { page, ..pass }),
            (Err(NotPassed::Away(refusal)), Some(page)) => {
                Err(NotPassed::Away(Box::new(allowed::readable(*refusal, page))))
            }
            (Err(turned), _) => Err(turned),
        }
    }

    /// Authenticates with identity providers if necessary.
    pub(super) async fn resolve(&self, headers: &HeaderMap, connected: IpAddr) -> Resolved {
        self.0.authority.resolve(headers, self.0.peer(headers, connected)).await
    }

    /// Resource metadata, if there are identity providers.
    pub(super) fn resource(&self) -> Option<&Arc<ProtectedResource>> {
        self.0.resource.as_ref()
    }
}

/// Whether `path` is behind the password gateway.
fn is_behind_gateway(path: &str) -> bool {
    path == "/api/chat" || path == "/api/approvals" || path.starts_with("/api/approvals/")
}

/// Whether load balancers ask there how the server is, without a token and also while it stops.
pub(super) fn is_probe(path: &str) -> bool {
    matches!(path, "/api/health" | "/api/ready")
}

/// Whether `path` is for operators only.
fn is_operators(path: &str) -> bool {
    is_at(path, "/api/operator")
}

/// Whether `path` is `place` or something below it.
fn is_at(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Refuses a compressed body with the remedy.
fn must_be_plain(headers: &HeaderMap, shape: Shape) -> Result<(), NotPassed> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    if encodings.all(|it| it.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    let why = "Bodies are read as they come: send this one without Content-Encoding.";
    let mut refusal = denied(shape, &Failure::new("unsupported_media_type", 415, why));
    refusal.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Err(NotPassed::Away(Box::new(refusal)))
}

impl Rules {
    /// Accepts operators: with the key of this start on this machine, or a token with the scope.
    fn admit_operator(
        &self,
        parts: &mut Parts,
        peer: IpAddr,
        resolved: Option<Resolved>,
    ) -> Result<Pass, NotPassed> {
        let operators = &self.operators;
        let access = operators.access.as_ref().filter(|_| peer.is_loopback());
        let is_shown =
            |it: &OperatorAccess| bearer(&parts.headers).is_ok_and(|token| it.opens(token));
        let principal = match access.is_some_and(is_shown) {
            true => Some(operators.principal.clone()),
            false => self.identify(parts, (Shape::Rest, peer), resolved)?,
        };
        parts.headers.remove(header::AUTHORIZATION);
        let Some(principal) = principal else {
            self.metrics.refused(Refused::Unauthorized);
            return Err(NotPassed::Away(Box::new(unknown_operator())));
        };
        if !principal.caller.is_operator() {
            let why = "Looking after this server needs a token with the scope `operator`; yours has it not.";
            let failure = Failure::new("forbidden", 403, why).with("scope", "operator");
            let refusal = insufficient_scope(Shape::Rest, Value::Null, &failure);
            return Err(NotPassed::Away(Box::new(refusal)));
        }
        must_be_plain(&parts.headers, Shape::Rest)?;
        parts.extensions.insert(principal);
        Ok(Pass::operators(operators.share.clone()))
    }

    fn admit(
        &self,
        parts: &mut Parts,
        peer: IpAddr,
        resolved: Option<Resolved>,
    ) -> Result<Pass, NotPassed> {
        let is_accounts = self.has_accounts && accounts::is_path(parts.uri.path());
        let shape = shape(parts, self.has_toolsets, &self.elsewhere).filter(|_| !is_accounts);
        let is_asked = !self.authority.is_open() || self.strangers.is_some();
        let found = match shape.filter(|_| is_asked) {
            Some(shape) => self.identify(parts, (shape, peer), resolved)?,
            None => None,
        };
        // Nothing behind this needs it, so nothing can give it away.
        parts.headers.remove(header::AUTHORIZATION);
        let has_language = found.as_ref().is_some_and(|it| it.caller.locale.is_some());
        if let Some(language) = self.language.as_ref().filter(|_| !has_language) {
            parts.headers.entry(header::ACCEPT_LANGUAGE).or_insert_with(|| language.clone());
        }
        if parts.uri.path() == "/api/auth" {
            parts.extensions.insert(Peer(peer));
        }
        if is_accounts {
            parts.extensions.insert(accounts::Peer(peer));
        }
        let is_stranger = found.is_none() && !self.authority.is_open();
        if is_stranger {
            parts.extensions.insert(Stranger);
        }
        let shape = shape.unwrap_or(Shape::Rest);
        // The chat refuses strangers with its own answer, and reads nothing before.
        let is_chat = parts.uri.path() == "/api/chat";
        if is_stranger && !is_chat && announced(&parts.headers) > STRANGERS_BODY_BYTES_MAX {
            self.metrics.refused(Refused::Unauthorized);
            let why = if is_accounts { TOO_LARGE_FOR_ACCOUNTS } else { TOO_LARGE };
            let failure = Failure::new("payload_too_large", 413, why);
            return Err(NotPassed::Away(Box::new(denied(shape, &failure))));
        }
        must_be_plain(&parts.headers, shape)?;
        let share = match &found {
            Some(principal) => &principal.share,
            None if is_stranger => self.shares.of_stranger(peer),
            None => self.shares.of_anonymous(peer),
        };
        let Some(under_way) = share.begin() else {
            self.metrics.refused(Refused::Rate);
            return Err(NotPassed::Away(Box::new(too_many_open(shape))));
        };
        let path = parts.uri.path();
        Ok(Pass {
            share: share.clone(),
            shape,
            bytes_max: if is_stranger { STRANGERS_BODY_BYTES_MAX } else { usize::MAX },
            // Files are written as they come.
            is_kept: path != "/api/blobs",
            expires: found.as_ref().and_then(|it| it.expires).filter(|_| is_subscription(parts)),
            held: found.as_ref().and_then(|it| it.held.clone()),
            ended: found.and_then(|it| it.ended.clone()),
            page: None,
            under_way: Some(under_way),
        })
    }

    /// Authenticates and applies rate limits. `None` for anonymous callers.
    fn identify(
        &self,
        parts: &mut Parts,
        (shape, peer): (Shape, IpAddr),
        resolved: Option<Resolved>,
    ) -> Result<Option<Arc<Principal>>, NotPassed> {
        if !self.authority.is_open() && parts.uri.query().is_some_and(has_token) {
            self.metrics.refused(Refused::Unauthorized);
            return Err(NotPassed::Away(Box::new(token_in_query(shape))));
        }
        let is_resolved = resolved.is_some();
        let found = resolved.unwrap_or_else(|| self.authority.principal(&parts.headers));
        let taken = match (&found, &self.strangers) {
            (Ok(Some(principal)), _) => principal.rate.as_ref().map_or(Ok(()), |it| it.take()),
            // Counted before the sender was known.
            _ if is_resolved => Ok(()),
            (_, Some(strangers)) => strangers.for_peer(peer).take(),
            (_, None) => Ok(()),
        };
        taken.map_err(|wait_ms| {
            self.metrics.refused(Refused::Rate);
            Box::new(too_many(shape, wait_ms))
        })?;
        let path = parts.uri.path();
        let principal = match found {
            Ok(None) => None,
            Ok(Some(principal)) => Some(principal),
            Err(Unauthorized::Unresolved) if !is_resolved => return Err(NotPassed::Later),
            // A probe of whether the server lives has no token; a client that knows the password of
            // the chat, which is asked for there, needs none.
            Err(Unauthorized::Missing) if self.is_for_strangers(path) => {
                let gateway = self.gateway.as_ref().filter(|_| is_behind_gateway(path));
                gateway.and_then(|it| it.principal(&parts.headers, &self.shares))
            }
            Err(why) => {
                self.metrics.refused(Refused::Unauthorized);
                return Err(NotPassed::Away(Box::new(unauthorized(shape, why))));
            }
        };
        if let Some(principal) = &principal {
            parts.extensions.insert(principal.clone());
        }
        // A batch is many requests in one, and counts as many.
        if let (None, Some(strangers), Shape::JsonRpc) = (&principal, &self.strangers, shape) {
            parts.extensions.insert(StrangersRate { strangers: strangers.clone(), peer });
        }
        Ok(principal)
    }

    fn is_for_strangers(&self, path: &str) -> bool {
        match path {
            path if is_probe(path) => true,
            path if path == "/api/auth" || is_behind_gateway(path) => {
                self.gateway.as_ref().is_some_and(|it| it.is_there())
            }
            _ => false,
        }
    }

    /// Client address: from the last trusted proxy, else of the connection.
    fn peer(&self, headers: &HeaderMap, connected: IpAddr) -> IpAddr {
        let is_trusted = |address: IpAddr| {
            let peer = address.to_canonical();
            self.trusted_proxies.iter().any(|it| it.contains(&peer))
        };
        if self.trusted_proxies.is_empty() || !is_trusted(connected) {
            return connected;
        }
        let values = headers.get_all(FORWARDED_FOR).iter().filter_map(|it| it.to_str().ok());
        let mut hops: Vec<_> = values.flat_map(|it| it.split(',')).map(str::trim).collect();
        while let Some(hop) = hops.pop() {
            match address_of(hop) {
                Some(peer) if is_trusted(peer) => {}
                Some(peer) => return peer,
                None => break,
            }
        }
        connected
    }
}

/// The address that a proxy names; some write the port behind it, and IPv6 in brackets.
fn address_of(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<SocketAddr>().ok().map(|it| it.ip());
    literal(hop).or_else(with_port)
}

/// Error for a too large body of an unknown sender.
pub(super) const TOO_LARGE: &str = "This server wants to know who calls before it reads that much. Send `Authorization: Bearer TOKEN`, with a token from the operator.";

/// The same where people sign in and clients register, who have no token yet.
const TOO_LARGE_FOR_ACCOUNTS: &str = "Nothing that is sent here is as large; send less.";

/// Whether a query has a token in it (RFC 6750, 2.3).
fn has_token(query: &str) -> bool {
    query.split('&').any(|it| it.split('=').next() == Some("access_token"))
}

/// Declared body length.
fn announced(headers: &HeaderMap) -> usize {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    length.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Whether the answer is a stream of notifications: it ends with the caller's token.
fn is_subscription(parts: &Parts) -> bool {
    let listens = || parts.headers.get(METHOD).is_some_and(|it| it == "subscriptions/listen");
    parts.uri.path().starts_with("/mcp") && (parts.method == Method::GET || listens())
}

/// Format of refusals for a request. `None` for files of the page, which are public.
fn shape(parts: &Parts, has_toolsets: bool, elsewhere: &[String]) -> Option<Shape> {
    let path = parts.uri.path();
    match path {
        _ if elsewhere.iter().any(|it| is_at(path, it)) => Some(Shape::Rest),
        "/mcp" | "/mcp/" | "/rpc" | "/rpc/" => Some(Shape::JsonRpc),
        _ if has_toolsets && path.starts_with("/mcp/") => Some(Shape::JsonRpc),
        _ if path.starts_with("/api/") => Some(Shape::Rest),
        _ if matches!(parts.method, Method::GET | Method::HEAD) || is_probed(path) => None,
        _ => Some(Shape::Rest),
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;

    use super::*;

    fn parts(method: &str, path: &str) -> Parts {
        Request::builder().method(method).uri(path).body(()).unwrap().into_parts().0
    }

    #[test]
    fn only_page_files_are_public() {
        let elsewhere = ["/projects".to_owned(), "/token".to_owned()];
        let of = |method: &str, path: &str| shape(&parts(method, path), true, &elsewhere);
        for path in ["/", "/index.html", "/seats", "/assets/app.js", "/api", "/f/abc"] {
            assert_eq!((of("GET", path), of("HEAD", path)), (None, None), "{path}");
            assert!(of("POST", path).is_some() && of("DELETE", path).is_some(), "{path}");
        }
        let api = ["/api/health", "/api/ready", "/api/blobs/1", "/api/cinema/x", "/api/"];
        for path in ["/mcp", "/mcp/", "/mcp/a", "/rpc", "/rpc/"].into_iter().chain(api) {
            for method in ["GET", "HEAD", "POST", "PUT", "OPTIONS"] {
                assert!(of(method, path).is_some(), "{method} {path}");
            }
        }
        for path in ["/register", "/.well-known/oauth-protected-resource/mcp"] {
            assert_eq!(of("POST", path), None, "{path}");
        }
        for path in ["/projects", "/projects/", "/projects/1/x", "/token", "/token/x"] {
            for method in ["GET", "HEAD", "POST", "DELETE"] {
                assert!(of(method, path).is_some(), "a component answers {method} {path}");
            }
        }
        assert_eq!(of("GET", "/projectsx"), None, "another file");
    }

    #[test]
    fn trusts_only_last_hop_of_configured_proxies() {
        let peer = |trusted: &[&str], connected: &str, hops: &[&str]| {
            let mut config = Config::defaults();
            let file = format!("trusted_proxies = {trusted:?}");
            config.trusted_proxies = toml::from_str::<Config>(&file).unwrap().trusted_proxies;
            let metrics = calls::record::Watch::disabled(Default::default()).metrics;
            let mut headers = HeaderMap::new();
            for hop in hops {
                headers.append(FORWARDED_FOR, hop.parse().unwrap());
            }
            let guard = Guard::new(&config, metrics, (None, None, None), None);
            guard.0.peer(&headers, connected.parse().unwrap()).to_string()
        };
        assert_eq!(peer(&[], "127.0.0.1", &["192.0.2.1"]), "127.0.0.1");
        let trusted = ["127.0.0.1", "10.0.0.1"];
        assert_eq!(peer(&trusted, "192.0.2.9", &["192.0.2.1"]), "192.0.2.9");
        assert_eq!(peer(&trusted, "127.0.0.1", &["192.0.2.1"]), "192.0.2.1");
        assert_eq!(peer(&trusted, "127.0.0.1", &["8.8.8.8, 192.0.2.1, 10.0.0.1"]), "192.0.2.1");
        assert_eq!(peer(&trusted, "127.0.0.1", &["8.8.8.8", "192.0.2.1"]), "192.0.2.1");
        assert_eq!(peer(&trusted, "127.0.0.1", &["192.0.2.1, nonsense"]), "127.0.0.1");
        assert_eq!(peer(&trusted, "127.0.0.1", &[]), "127.0.0.1");
        // Pods behind an ingress have any address of a network.
        let network = ["10.0.0.0/8", "::ffff:172.16.0.1"];
        for connected in ["10.1.2.3", "::ffff:10.1.2.3", "172.16.0.1"] {
            let hops = ["8.8.8.8, 192.0.2.1, 10.200.0.1"];
            assert_eq!(peer(&network, connected, &hops), "192.0.2.1", "{connected}");
        }
        assert_eq!(peer(&network, "11.1.2.3", &["192.0.2.1"]), "11.1.2.3");
        for (hop, client) in [
            ("192.0.2.1:5678", "192.0.2.1"),
            ("[2001:db8::1]:5678", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("192.0.2.1:x", "127.0.0.1"),
        ] {
            assert_eq!(peer(&trusted, "127.0.0.1", &[hop]), client, "{hop}");
            assert_eq!(peer(&trusted, "127.0.0.1", &[hop, "10.0.0.1:443"]), client, "{hop}");
        }
    }
}
