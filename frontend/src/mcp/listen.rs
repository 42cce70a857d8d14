//! Receives notifications by one long `subscriptions/listen`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use web_sys::AbortSignal;

use super::wire::{self, Incoming};
use super::{Pieces, is_stream, send};
use crate::browser;
use crate::error::CallError;

/// A received notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// The subscription began: earlier changes may have been missed.
    Listening,
    /// The tools have changed.
    ToolsChanged,
    /// The resource of this URI has changed.
    Updated(String),
}

/// News for a tab, from its own stream or another tab's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum News {
    /// These URIs are subscribed from now on: earlier changes may have been missed.
    Listening { uris: Vec<String>, is_after_gap: bool },
    /// The tools have changed.
    ToolsChanged,
    /// The resource of this URI has changed.
    Updated(String),
    /// The stream has ended; the leader reopens it.
    Ended { is_offline: bool },
}

impl News {
    /// Whether the resource of this URI may have changed.
    pub(crate) fn is_about(&self, uri: &str) -> bool {
        match self {
            Self::Listening { uris, .. } => uris.iter().any(|it| it == uri),
            Self::Updated(updated) => updated == uri,
            Self::ToolsChanged | Self::Ended { .. } => false,
        }
    }
}

/// Maximum silence of a stream: the host sends a keep-alive every 15 seconds.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(50);

/// URI of the calls that wait for the reader's approval.
pub(crate) const APPROVALS: &str = "madoguchi://approvals";

/// Parameters of a subscription to the list of tools and these resources.
pub(crate) fn to(uris: &BTreeSet<String>) -> Value {
    json!({ "toolsListChanged": true, "resourceSubscriptions": uris })
}

/// Listens until the stream ends, as it does when the host or the network goes.
pub(crate) async fn listen(
    wanted: Value,
    abort: Option<&AbortSignal>,
    mut on_received: impl FnMut(Received),
) -> Result<(), CallError> {
    let params = json!({ "notifications": wanted });
    let response = send(browser::next_number(), "subscriptions/listen", params, &[], abort).await?;
    if !is_stream(&response) {
        let text = response.text().await.map_err(|_| CallError::Offline)?;
        return match wire::incoming(&text) {
            Ok(Incoming::Error { error, .. }) => Err(error),
            _ => Err(CallError::unreadable(response.status(), &text)),
        };
    }
    let mut pieces = Pieces::new(response).ok_or(CallError::Offline)?.within(SILENCE_MAX);
    while let Some(text) = pieces.next().await? {
        match wire::incoming(&text)? {
            Incoming::Notice(notice) => received(&notice).into_iter().for_each(&mut on_received),
            Incoming::Error { error, .. } => return Err(error),
            Incoming::Result { .. } => break,
            Incoming::Other => {}
        }
    }
    Ok(())
}

fn received(notice: &Value) -> Option<Received> {
    match notice.get("method")?.as_str()? {
        "notifications/subscriptions/acknowledged" => Some(Received::Listening),
        "notifications/tools/list_changed" => Some(Received::ToolsChanged),
        "notifications/resources/updated" => {
            let uri = notice.pointer("/params/uri")?.as_str()?;
            Some(Received::Updated(uri.to_owned()))
        }
        _ => None,
    }
}

/// Pause before the next attempt: 1 s, 2 s, 4 s … up to 30 s, plus up to a fifth, so that the pages of one host do not
/// reconnect simultaneously.
pub(crate) fn pause(attempt: u32, chance: f64) -> Duration {
    let seconds = f64::from(1_u32 << attempt.min(5)).min(30.0);
    Duration::from_secs_f64(seconds * (1.0 + 0.2 * chance.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_pauses_up_to_30_seconds() {
        let seconds = |attempt| pause(attempt, 0.0).as_secs();
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(seconds), [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(pause(99, 1.0), Duration::from_secs(36));
    }

    #[test]
    fn receives_only_subscribed_notifications() {
        let notice = |method: &str| received(&json!({ "method": method }));
        assert_eq!(notice("notifications/tools/list_changed"), Some(Received::ToolsChanged));
        assert_eq!(notice("notifications/subscriptions/acknowledged"), Some(Received::Listening));
        assert_eq!(notice("notifications/message"), None);
        assert_eq!(notice("notifications/resources/updated"), None, "of nothing");
        let updated = json!({ "method": "notifications/resources/updated",
            "params": { "uri": "conversation://1" } });
        assert_eq!(received(&updated), Some(Received::Updated("conversation://1".to_owned())));
    }
}
