//! Client ID metadata documents. They are fetched from public addresses only, without redirects, within limits of time
//! and size, and cached.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use base::{grants::hosts::Hosts, limits::Limits};
use parking_lot::Mutex;
use reqwest::{StatusCode, header::ACCEPT};
use sandbox::capability::http::{Outgoing, body_within};
use serde_json::Value;
use tokio::sync::Semaphore;
use url::Url;

use super::{Problem, document_url, read};
use crate::state::Client;

/// Bytes that a document may have.
const BYTES_MAX: usize = 16 << 10;
/// Time limit of a fetch.
const TIME_MAX: Duration = Duration::from_secs(5);
/// How long a document is cached, and how many are.
const KEPT_FOR: Duration = Duration::from_secs(300);
const KEPT_MAX: usize = 256;
/// Documents that are fetched at a time.
const AT_ONCE: usize = 8;

/// Documents, and the way to them.
pub(crate) struct Documents {
    may_be_private: bool,
    outgoing: Outgoing,
    kept: Mutex<HashMap<String, (Instant, Arc<Client>)>>,
    places: Semaphore,
}

impl Documents {
    pub(crate) fn new(may_be_private: bool) -> Self {
        Self {
            may_be_private,
            outgoing: Outgoing::new(Hosts::default(), &Limits::default()),
            kept: Mutex::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// Whether `client_id` can be the address of a document.
    pub(crate) fn check(&self, client_id: &str) -> Result<Url, Problem> {
        document_url(client_id, self.may_be_private)
    }

    /// Returns the client whose document is at `client_id`.
    ///
    /// # Errors
    /// Why there is none, or none that is taken.
    pub(crate) async fn get(&self, client_id: &str) -> Result<Arc<Client>, Problem> {
        let url = self.check(client_id)?;
        let kept = self.kept.lock().get(client_id).filter(|it| it.0 > Instant::now()).cloned();
        if let Some((_, client)) = kept {
            return Ok(client);
        }
        let wrong = |what: &str| ("invalid_client", format!("the client's document {what}"));
        let Ok(_place) = self.places.try_acquire() else {
            return Err((
                "temporarily_unavailable",
                "too many documents are fetched now".to_owned(),
            ));
        };
        let fetched = tokio::time::timeout(TIME_MAX, self.fetch(url)).await;
        let document = fetched.unwrap_or(Err("did not come in time")).map_err(wrong)?;
        if document["client_id"] != client_id {
            return Err(wrong("is of another client_id than its address"));
        }
        if !needs_no_secret(&document) {
            return Err(wrong(
                "must have \"none\" as token_endpoint_auth_method, or among token_endpoint_auth_methods_supported, and no secret",
            ));
        }
        let client = read(client_id.to_owned(), &document, None).map_err(|(_, what)| {
            ("invalid_client", format!("the client's document is not right: {what}"))
        })?;
        let client = Arc::new(client);
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_MAX {
            kept.retain(|_, it| it.0 > Instant::now());
        }
        if kept.len() < KEPT_MAX {
            kept.insert(client_id.to_owned(), (Instant::now() + KEPT_FOR, client.clone()));
        }
        Ok(client)
    }

    async fn fetch(&self, url: Url) -> Result<Value, &'static str> {
        let failed = |_: reqwest::Error| "cannot be fetched";
        let web = self.outgoing.reach(self.may_be_private).await.map_err(failed)?;
        let request = web.client.get(url).header(ACCEPT, "application/json");
        let response = request.send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            return Err("must be answered with status 200 at its very address");
        }
        let bytes = body_within(response, BYTES_MAX).await.map_err(failed)?;
        match serde_json::from_slice(&bytes.ok_or("is too large")?) {
            Ok(it @ Value::Object(_)) => Ok(it),
            _ => Err("is no JSON object"),
        }
    }
}

/// Whether the client may authenticate without a secret: by its method, or by one of those it supports.
fn needs_no_secret(document: &Value) -> bool {
    let preferred = &document["token_endpoint_auth_method"];
    let others = document["token_endpoint_auth_methods_supported"].as_array();
    let has_none = others.is_some_and(|it| it.iter().any(|it| it == "none"));
    document["client_secret"].is_null() && (preferred.is_null() || preferred == "none" || has_none)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn client_preferring_key_may_omit_it() {
        let one = "token_endpoint_auth_method";
        let all = "token_endpoint_auth_methods_supported";
        for right in [
            json!({}),
            json!({ one: "none" }),
            json!({ one: "private_key_jwt", all: ["none", "private_key_jwt"] }),
        ] {
            assert!(needs_no_secret(&right), "{right}");
        }
        for wrong in [
            json!({ one: "private_key_jwt" }),
            json!({ one: "private_key_jwt", all: ["private_key_jwt"] }),
            json!({ one: "client_secret_post", all: "none" }),
            json!({ one: "none", "client_secret": "s" }),
        ] {
            assert!(!needs_no_secret(&wrong), "{wrong}");
        }
    }
}
