//! Resolves hosts and connects only to the address that was checked.

use std::{error::Error as StdError, io, net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use reqwest::{
    Certificate, Client, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect,
};
use tokio::sync::OnceCell;
use wasmtime_wasi_http::Error;

use super::{HEADER_BYTES_MAX, budget::TooMuch};
use base::{
    call::causes,
    grants::hosts::{self, Hosts},
    install_tls_provider,
    limits::Limits,
};

/// Connections to one host that are kept for the next request.
const IDLE_MAX: usize = 8;
/// Idle lifetime of connections.
const IDLE: Duration = Duration::from_secs(30);

/// Granted hosts of one component, and its connections.
#[derive(Debug, Default)]
pub struct Outgoing {
    pub hosts: Hosts,
    pub limits: Limits,
    /// Separate pools for public and private hosts, which never share a connection.
    public: OnceCell<HttpClient>,
    private: OnceCell<HttpClient>,
    /// Additional trusted CA certificates.
    authorities: Vec<Certificate>,
}

/// A client, and whether it can check certificates.
#[derive(Clone, Debug)]
pub struct HttpClient {
    pub client: Client,
    pub has_roots: bool,
}

impl Outgoing {
    /// Requests to `hosts` under `limits`.
    pub fn new(hosts: Hosts, limits: &Limits) -> Self {
        Self { hosts, limits: limits.clone(), ..Self::default() }
    }

    /// Adds trusted CA certificates.
    #[must_use]
    pub fn trusting(mut self, authorities: Vec<Certificate>) -> Self {
        self.authorities = authorities;
        self
    }

    /// The client for hosts that may, or may not, have private addresses. Made when first needed:
    /// reading the system's certificates takes a while, and off the async workers.
    pub async fn reach(&self, private: bool) -> Result<HttpClient, reqwest::Error> {
        let cell = if private { &self.private } else { &self.public };
        let connect = Duration::from_millis(self.limits.http_connect_ms);
        let authorities = self.authorities.clone();
        let make = async move || {
            let resolver = Checked { private, lookup: Arc::new(lookup) };
            let make = move || build(resolver, connect, &authorities);
            tokio::task::spawn_blocking(make).await.expect("making a client does not panic")
        };
        cell.get_or_try_init(make).await.cloned()
    }
}

/// Reads a body of at most `most` bytes. `None` if it is longer.
pub async fn body_within(mut response: Response, most: usize) -> reqwest::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if bytes.len() + piece.len() > most {
            return Ok(None);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(Some(bytes))
}

fn build(
    resolver: Checked,
    connect: Duration,
    authorities: &[Certificate],
) -> Result<HttpClient, reqwest::Error> {
    install_tls_provider();
    let resolver = Arc::new(resolver);
    let builder = || {
        Client::builder()
            .dns_resolver(resolver.clone())
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(connect)
            .pool_max_idle_per_host(IDLE_MAX)
            .pool_idle_timeout(IDLE)
            .http2_max_header_list_size(HEADER_BYTES_MAX as u32)
            .user_agent(concat!("madoguchi/", env!("CARGO_PKG_VERSION")))
    };
    let merged = match authorities {
        [] => builder(),
        some => builder().tls_certs_merge(some.iter().cloned()),
    };
    if let Ok(client) = merged.build() {
        return Ok(HttpClient { client, has_roots: true });
    }
    // Without root certificates, http still works, and https explains why it does not.
    let client = builder().tls_certs_only(authorities.iter().cloned()).build()?;
    Ok(HttpClient { client, has_roots: !authorities.is_empty() })
}

type Found = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Names to addresses, as the system knows them.
fn lookup(name: String) -> Found {
    Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
}

/// Resolves names to allowed addresses, which are used without another lookup.
struct Checked {
    private: bool,
    lookup: Arc<dyn Fn(String) -> Found + Send + Sync>,
}

/// All addresses of the host are private and not granted.
#[derive(Debug, thiserror::Error)]
#[error("it has an address of this machine or its network; that needs private = true in its entry")]
pub(super) struct Prohibited;

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, private) = ((self.lookup)(name.as_str().to_owned()), self.private);
        Box::pin(async move {
            let mut found = found.await?;
            let before = found.len();
            found.retain(|it| private || !hosts::is_private(it.ip()));
            if found.is_empty() && before > 0 {
                return Err(Prohibited.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;

// An error for the component and the operator.

/// Why a request brought no answer.
pub(super) struct Failed {
    /// The error that the component gets.
    pub error: Error,
    /// Log line for the operator.
    pub why: String,
}

impl Failed {
    /// Classifies an error; `has_roots` tells whether the machine has root certificates.
    pub(super) fn read(error: reqwest::Error, has_roots: bool) -> Self {
        // The URL may carry a secret.
        let error = error.without_url();
        let code = kind(&error);
        let mut why = causes(&error);
        if matches!(code, Error::TlsCertificateError) && !has_roots {
            why += "; this machine has no root certificates to check it with: install them (ca-certificates) or name them in SSL_CERT_FILE";
        }
        Self { error: code, why }
    }
}

/// The cause of `error` that is a `T`; errors of sockets hide those of TLS inside.
fn cause<T: StdError + 'static>(error: &reqwest::Error) -> Option<&T> {
    let mut all =
        std::iter::successors(Some(error as &(dyn StdError + 'static)), |&it| it.source());
    all.find_map(|cause| {
        let hidden = cause.downcast_ref::<io::Error>().and_then(|it| it.get_ref());
        cause.downcast_ref().or_else(|| hidden?.downcast_ref())
    })
}

fn kind(error: &reqwest::Error) -> Error {
    if cause::<Prohibited>(error).is_some() {
        return Error::DestinationIpProhibited;
    }
    if cause::<TooMuch>(error).is_some() {
        return Error::HttpRequestBodySize(None);
    }
    if let Some(tls) = cause::<rustls::Error>(error) {
        return match tls {
            rustls::Error::InvalidCertificate(_) => Error::TlsCertificateError,
            _ => Error::TlsProtocolError,
        };
    }
    if error.is_timeout() {
        return if error.is_connect() {
            Error::ConnectionTimeout
        } else {
            Error::HttpResponseTimeout
        };
    }
    if error.is_dns() {
        return Error::DnsError { rcode: None, info_code: None };
    }
    match cause::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => Error::ConnectionRefused,
        Some(
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof,
        ) => Error::ConnectionTerminated,
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            Error::DestinationIpUnroutable
        }
        _ if error.is_connect() => Error::DestinationUnavailable,
        _ => Error::HttpProtocolError,
    }
}
