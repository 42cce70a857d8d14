//! Requests under `/api/operator`. A refusal there is the operator's to correct, and closes nothing else.

use gloo_net::http::{Request, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::Operator;
use super::data::Component;
use crate::error::CallError;
use crate::lookup::failed;
use crate::request::{answered, for_json, lost, with_json};
use crate::rest::{parsed, text};
use crate::route::encoded;

/// Under which all of it stands.
const ROOT: &str = "/api/operator/";

/// Reads what stands there.
pub(crate) async fn get<T: DeserializeOwned>(
    path: &str,
    key: Option<&str>,
) -> Result<T, CallError> {
    let sent = with_key(Request::get(&format!("{ROOT}{path}")), key).send().await;
    parsed(answered(sent, None)?).await
}

async fn post(path: &str, body: &Value, key: Option<&str>) -> Result<Response, CallError> {
    let request = with_key(Request::post(&format!("{ROOT}{path}")), key);
    answered(with_json(request, body)?.send().await, None)
}

impl Operator {
    /// Orders something, and waits until it is done; what is answered beside that does not matter.
    pub(crate) async fn order(self, path: &str, body: &Value) -> Result<(), CallError> {
        self.sent(async |key| text(post(path, body, key).await?).await.map(drop)).await
    }

    /// Orders something; what is answered.
    pub(crate) async fn ask<T: DeserializeOwned>(
        self,
        path: &str,
        body: &Value,
    ) -> Result<T, CallError> {
        self.sent(async |key| parsed(post(path, body, key).await?).await).await
    }

    /// What a table of a component holds, as JSON lines.
    pub(crate) async fn export(self, name: &str, table: &str) -> Result<String, CallError> {
        let (path, body) = (format!("{}/export", component(name)), json!({ "table": table }));
        self.sent(async |key| text(post(&path, &body, key).await?).await).await
    }

    /// Takes away what stands there.
    pub(crate) async fn delete(self, path: &str) -> Result<(), CallError> {
        let request = Request::delete(&format!("{ROOT}{path}"));
        self.sent(async |key| {
            text(answered(with_key(request, key).send().await, None)?).await.map(drop)
        })
        .await
    }

    /// Sends a component; how it stands then.
    pub(crate) async fn load(self, name: &str, file: &File) -> Result<Component, CallError> {
        let request = Request::post(&format!("{ROOT}{}", component(name)));
        self.sent(async |key| {
            let request =
                with_key(request, key).header("Content-Type", "application/wasm").body(file);
            let request = request.map_err(|error| CallError::page(&error.to_string()))?;
            parsed(answered(request.send().await, None)?).await
        })
        .await
    }

    /// All that is kept as one archive, which the browser holds: it may be larger than what a page can. And its name.
    pub(crate) async fn backup(self) -> Result<(String, Blob), CallError> {
        let request = Request::post(&format!("{ROOT}backup"));
        self.sent(async |key| {
            let response = answered(with_key(request, key).send().await, None)?;
            if !response.ok() {
                let status = response.status();
                let text = response.text().await.map_err(|_| lost())?;
                return Err(failed(status, &text));
            }
            let named = response.headers().get("Content-Disposition").unwrap_or_default();
            let name = named.split('"').nth(1).unwrap_or("madoguchi-backup.tar").to_owned();
            let raw: web_sys::Response = response.into();
            let blob = raw.blob().map_err(|_| lost())?;
            // It ends in an error where the archive does not end.
            let blob = JsFuture::from(blob).await.map_err(|_| lost())?;
            Ok((name, blob.unchecked_into()))
        })
        .await
    }
}

/// Where a component stands.
pub(crate) fn component(name: &str) -> String {
    format!("components/{}", encoded(name))
}

/// Where an account stands, and what is under it.
pub(crate) fn account(name: &str, rest: &str) -> String {
    format!("accounts/{}{rest}", encoded(name))
}

/// Where it is said which calls the build of a component answers that waits.
pub(crate) fn canary(name: &str) -> String {
    format!("{}/canary", component(name))
}

/// Where the operator's word on another server is taken: `accept` or `refuse` its tools, or `reconnect`.
pub(crate) fn server(name: &str, verb: &str) -> String {
    format!("servers/{}/{verb}", encoded(name))
}

/// With the operator's key in place of the page's own token, where there is one.
fn with_key(request: RequestBuilder, key: Option<&str>) -> RequestBuilder {
    let request = for_json(request, None);
    match key {
        Some(key) => request.header("Authorization", &format!("Bearer {key}")),
        None => request,
    }
}
