//! The trusted root of identity signatures: certificate authorities and logs (Sigstore's `trusted_root.json`).

use std::time::Duration;

use rustls::pki_types::{CertificateDer, UnixTime};
use serde::Deserialize;
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert, ring};

use super::{
    PublicKey,
    bundle::{Certificate, Encoded, LogId},
    certificate::Named,
};

/// The use that a certificate of a timestamp authority is for: timestamps (1.3.6.1.5.5.7.3.8).
const TIMESTAMPS: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 8];
/// The use that a certificate of a signer is for: code signing (1.3.6.1.5.5.7.3.3).
const CODE_SIGNING: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 3];

/// Authorities and logs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrustedRoot {
    #[serde(default)]
    tlogs: Vec<Log>,
    #[serde(default)]
    certificate_authorities: Vec<Authority>,
    #[serde(default)]
    timestamp_authorities: Vec<Authority>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    public_key: LogKey,
    log_id: LogId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogKey {
    raw_bytes: Encoded,
    #[serde(default)]
    valid_for: Period,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Authority {
    cert_chain: Chain,
    #[serde(default)]
    valid_for: Period,
}

#[derive(Deserialize)]
struct Chain {
    certificates: Vec<Certificate>,
}

#[derive(Default, Deserialize)]
struct Period {
    start: Option<String>,
    end: Option<String>,
}

impl Period {
    /// Whether that second of Unix time is in it; what cannot be read holds nothing.
    fn has(&self, second: u64) -> bool {
        let read = |it: &String| it.parse::<jiff::Timestamp>().ok();
        let second = i64::try_from(second).unwrap_or(i64::MAX);
        let has_begun = |it: &String| read(it).is_some_and(|it| it.as_second() <= second);
        let is_not_over = |it: &String| read(it).is_some_and(|it| second <= it.as_second());
        self.start.as_ref().is_none_or(has_begun) && self.end.as_ref().is_none_or(is_not_over)
    }
}

impl TrustedRoot {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let root: Self =
            serde_json::from_slice(bytes).map_err(|it| format!("it is no trusted root: {it}"))?;
        let has_times = !root.tlogs.is_empty() || !root.timestamp_authorities.is_empty();
        match root.certificate_authorities.is_empty() || !has_times {
            true => {
                Err("it has no certificateAuthorities, or neither tlogs nor timestampAuthorities"
                    .to_owned())
            }
            false => Ok(root),
        }
    }

    /// Whether a log entry is required.
    pub(super) fn has_logs(&self) -> bool {
        !self.tlogs.is_empty()
    }

    /// Keys of timestamp authorities valid at that time: those of the root, and those among `certificates` issued by
    /// them.
    pub(super) fn timestamp_keys(
        &self,
        certificates: &[&[u8]],
        second: u64,
    ) -> Result<Vec<PublicKey>, String> {
        let mut why =
            "no timestamp authority of the trusted root was valid at that time".to_owned();
        let mut keys = Vec::new();
        for authority in self.timestamp_authorities.iter().filter(|it| it.valid_for.has(second)) {
            let own = authority.cert_chain.certificates.first();
            let own = own.map(|it| it.raw_bytes.0.as_slice());
            for certificate in own.into_iter().chain(certificates.iter().copied()) {
                match authority.issued(certificate, second, TIMESTAMPS) {
                    Ok(()) => {
                        let named = Named::read(certificate);
                        keys.extend(named.and_then(|it| PublicKey::of_spki(&it.key)));
                    }
                    Err(what) => why = format!("of its timestamp, {what}"),
                }
            }
        }
        if keys.is_empty() { Err(why) } else { Ok(keys) }
    }

    /// Key of a log valid at that time.
    pub(super) fn log(&self, id: &[u8], second: u64) -> Result<PublicKey, String> {
        let log = self.tlogs.iter().find(|it| it.log_id.key_id.0 == id);
        let log = log.ok_or_else(|| "its log is not of the trusted root".to_owned())?;
        if !log.public_key.valid_for.has(second) {
            return Err("its log was not trusted at that time".to_owned());
        }
        let key = PublicKey::of_spki(&log.public_key.raw_bytes.0);
        key.ok_or_else(|| "its log has a kind of key that is not known here".to_owned())
    }

    /// Verifies a certificate at that time and returns its names.
    pub(super) fn verify(&self, certificate: &[u8], second: u64) -> Result<Named, String> {
        let mut why = "no authority of the trusted root was valid at that time".to_owned();
        for authority in self.certificate_authorities.iter().filter(|it| it.valid_for.has(second)) {
            match authority.issued(certificate, second, CODE_SIGNING) {
                Ok(()) => {
                    let named = Named::read(certificate);
                    return named.ok_or_else(|| "its certificate cannot be read".to_owned());
                }
                Err(what) => why = what,
            }
        }
        Err(why)
    }
}

impl Authority {
    /// Whether it has made the certificate out for that use, and it was valid at that second.
    ///
    /// # Errors
    /// Why not.
    fn issued(&self, certificate: &[u8], second: u64, usage: &'static [u8]) -> Result<(), String> {
        let der = CertificateDer::from(certificate);
        let leaf = EndEntityCert::try_from(&der)
            .map_err(|_| "its certificate cannot be read".to_owned())?;
        let none = || "an authority of the trusted root has no certificate".to_owned();
        let chain = self.cert_chain.certificates.iter();
        let chain: Vec<_> =
            chain.map(|it| CertificateDer::from(it.raw_bytes.0.as_slice())).collect();
        let (root, between) = chain.split_last().ok_or_else(none)?;
        let anchors = [anchor_from_trusted_cert(root).map_err(|_| none())?];
        let verified = leaf.verify_for_usage(
            &[
                ring::ECDSA_P256_SHA256,
                ring::ECDSA_P256_SHA384,
                ring::ECDSA_P384_SHA256,
                ring::ECDSA_P384_SHA384,
                ring::ED25519,
            ],
            &anchors,
            between,
            UnixTime::since_unix_epoch(Duration::from_secs(second)),
            KeyUsage::required(usage),
            None,
            None,
        );
        verified.map(drop).map_err(|it| error_text(&it))
    }
}

fn error_text(error: &webpki::Error) -> String {
    match error {
        webpki::Error::CertExpired { .. } => {
            "its certificate had expired when the signature was made".to_owned()
        }
        webpki::Error::CertNotValidYet { .. } => {
            "its certificate was not valid yet when the signature was made".to_owned()
        }
        webpki::Error::UnknownIssuer => {
            "its certificate is by no authority of the trusted root".to_owned()
        }
        other => format!("its certificate does not hold: {other}"),
    }
}
