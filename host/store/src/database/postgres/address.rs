//! The address of a PostgreSQL server and its connection settings.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::CONNECT_TIME;
use super::server::{ANSWER_TIME, ServerError};

const EXAMPLE: &str = "postgres://USER:PASSWORD@HOST:5432/DATABASE is how one looks, with %40 for an @ in the password";

/// Address of the database server (STO-1).
#[derive(Clone)]
pub struct Address {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; it may hold a password, so nothing shows it.
    pub url: String,
    /// Additional trusted CA certificates (PEM file).
    pub ca: Option<PathBuf>,
    /// Connections for each component, at most.
    pub connections_max: usize,
    /// Name of this node.
    pub node: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("ca", &self.ca).finish_non_exhaustive()
    }
}

/// Host and user, for errors.
pub(super) struct Place {
    pub(super) at: String,
    pub(super) user: String,
    pub(super) database: String,
}

/// Reads an address.
///
/// # Errors
/// What is wrong, without repeating it.
pub fn check_address(url: &str) -> Result<(), ServerError> {
    parse(url).map(drop)
}

pub(super) fn parse(url: &str) -> Result<(Config, Place), ServerError> {
    let wrong = |why: &str| ServerError(format!("store.url {why}; {EXAMPLE}"));
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(wrong("is not the address of a PostgreSQL server"));
    }
    let (bare, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut options, mut mode) = (Vec::new(), None);
    for option in query.split('&').filter(|it| !it.is_empty()) {
        match option.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            // The host sets these itself.
            Some((
                "connect_timeout" | "channel_binding" | "sslnegotiation" | "host" | "port",
                _,
            )) => {
                options.push(option);
            }
            _ => {
                return Err(wrong(
                    "has an option that is not known; sslmode, sslnegotiation, channel_binding, connect_timeout, host and port are",
                ));
            }
        }
    }
    let text =
        if options.is_empty() { bare.to_owned() } else { format!("{bare}?{}", options.join("&")) };
    let mut config: Config = text.parse().map_err(|_secret| wrong("cannot be read"))?;
    let (Some(user), Some(database)) = (config.get_user(), config.get_dbname()) else {
        return Err(wrong("names no user or no database"));
    };
    let (user, database) = (user.to_owned(), database.to_owned());
    let mut is_here = !config.get_hosts().is_empty();
    let mut at = Vec::new();
    for (index, host) in config.get_hosts().iter().enumerate() {
        let port = config.get_ports().get(index).or(config.get_ports().first()).unwrap_or(&5432);
        match host {
            Host::Tcp(name) => {
                let address = name.parse::<std::net::IpAddr>();
                is_here &= name == "localhost" || address.is_ok_and(|it| it.is_loopback());
                at.push(format!("{name}:{port}"));
            }
            Host::Unix(path) => at.push(path.display().to_string()),
        }
    }
    if at.is_empty() {
        return Err(wrong("names no host"));
    }
    let mode = match mode {
        Some("disable") => SslMode::Disable,
        Some("prefer") => SslMode::Prefer,
        // A certificate is always verified.
        Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
        Some(_) => {
            return Err(wrong(
                "has an sslmode that is not known: disable, prefer or require is right",
            ));
        }
        None if is_here => SslMode::Disable,
        None => SslMode::Require,
    };
    config.ssl_mode(mode).application_name("madoguchi");
    config.connect_timeout(config.get_connect_timeout().copied().unwrap_or(CONNECT_TIME));
    config.keepalives_idle(CONNECT_TIME).keepalives_interval(ANSWER_TIME).keepalives_retries(2);
    Ok((config, Place { at: at.join(", "), user, database }))
}

pub(super) fn tls(ca: Option<&PathBuf>) -> Result<MakeRustlsConnect, ServerError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = ca {
        let wrong = |why: String| ServerError(format!("store.ca: {}: {why}", file.display()));
        let found = CertificateDer::pem_file_iter(file).map_err(|it| wrong(it.to_string()))?;
        let found: Result<Vec<_>, _> = found.collect();
        let found = found.map_err(|it| wrong(it.to_string()))?;
        if roots.add_parsable_certificates(found).0 == 0 {
            return Err(wrong("it has no certificate that can be read".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|it| ServerError(format!("TLS: {it}")))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_wrong_address_with_example_and_no_secret() {
        for url in [
            "mysql://u:hunter2@h/d",
            "hunter2",
            "postgres://u:hunter2@h",
            "postgres://u:hunter2@:x/d",
            "postgres://u:hunter2@h:port/d",
            "postgres://u:hunter2@h/d?hunter2=1",
            "postgres://u:hunter2@h/d?sslmode=hunter2",
            "postgres:///d",
        ] {
            let Err(error) = parse(url) else { panic!("{url}") };
            let text = format!("{error} {error:?}");
            assert!(text.contains(EXAMPLE) && !text.contains("hunter2"), "{text}");
        }
        let address = Address {
            url: "postgres://u:hunter2@h/d".into(),
            ca: None,
            connections_max: 2,
            node: "n".into(),
        };
        assert!(!format!("{address:?}").contains("hunter2"));
    }

    #[test]
    fn remote_connection_is_encrypted_unless_disabled() {
        let mode = |url: &str| parse(url).map(|it| it.0.get_ssl_mode()).unwrap();
        for url in
            ["postgres://u@localhost/d", "postgres://u@127.0.0.1:5/d", "postgres://u@%2Frun%2Fx/d"]
        {
            assert_eq!(mode(url), SslMode::Disable, "{url}");
        }
        assert_eq!(mode("postgres://u@db.example/d"), SslMode::Require);
        assert_eq!(mode("postgresql://u@db.example/d?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgres://u@db.example/d?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://u@localhost/d?sslmode=prefer"), SslMode::Prefer);
    }
}
