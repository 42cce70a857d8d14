//! What went wrong on the way, for the component and for the operator.

use std::{error::Error as StdError, io};

use base::failure::causes;
use wasmtime_wasi_http::Error;

use super::{body::TooMuch, client::Prohibited};

/// Why a request brought no answer.
pub(super) struct Failed {
    /// The error that the component gets.
    pub error: Error,
    /// For the operator, in one line.
    pub why: String,
}

impl Failed {
    /// The error of a client whose machine has, or has not, root certificates.
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
