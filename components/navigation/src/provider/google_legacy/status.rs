//! Google's statuses, as what they mean here (NAV-40).

use crate::{
    error::ProviderError,
    provider::{
        carrier::{Reply, clipped, failed},
        plain::plain,
    },
};

/// When to try again after a limit of requests a second, where Google does not say.
const RETRY_S: u32 = 60;

/// What a status other than `OK` means. `message` is Google's, for developers; the arguments that it
/// names in quotes are among `fields`, which are Google's names beside ours.
pub(crate) fn error(status: &str, message: &str, fields: &[(&str, &str)]) -> ProviderError {
    match status {
        "ZERO_RESULTS" => ProviderError::NoRoute,
        "OVER_QUERY_LIMIT" => ProviderError::OverQueryLimit { retry_after_s: RETRY_S },
        "OVER_DAILY_LIMIT" => ProviderError::OverQueryLimit { retry_after_s: 3_600 },
        "REQUEST_DENIED" => ProviderError::Denied,
        "INVALID_REQUEST" => invalid(status, message, fields),
        _ if status.starts_with("MAX_") && status.ends_with("_EXCEEDED") => {
            invalid(status, message, fields)
        }
        // Any other status is another host's text.
        other => failed(&format!("Google answers with the status {}", clipped(other))),
    }
}

fn invalid(status: &str, message: &str, fields: &[(&str, &str)]) -> ProviderError {
    let named = |it: &&(&str, &str)| message.contains(&format!("'{}'", it.0));
    let pointer = match (status, fields.iter().find(named)) {
        (_, Some((_, pointer))) => (*pointer).to_owned(),
        _ => String::new(),
    };
    let message = match message {
        "" => format!("Google answers with the status {status}"),
        it => format!("{status}: {}", clipped(&plain(it))),
    };
    ProviderError::Invalid { pointer, message }
}

/// Whether the HTTP status lets the answer be read at all.
pub(crate) fn successful(reply: &Reply) -> Result<(), ProviderError> {
    match reply.status {
        _ if reply.is_success() => Ok(()),
        429 => Err(ProviderError::OverQueryLimit {
            retry_after_s: reply.retry_after_s.unwrap_or(RETRY_S),
        }),
        401 | 403 => Err(ProviderError::Denied),
        other => Err(failed(&format!("the provider answers with the HTTP status {other}"))),
    }
}
