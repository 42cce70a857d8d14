//! Requests under `/api/operator`. A refusal there is for the operator to correct and affects nothing else.

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

/// Prefix of all addresses.
const ROOT: &str = "/api/operator/";

/// Fetches a resource.
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
    /// Posts an order and waits for its completion; the answer is ignored.
    pub(crate) async fn order(self, path: &str, body: &Value) -> Result<(), CallError> {
        self.sent(async |key| text(post(path, body, key).await?).await.map(drop)).await
    }

    /// Posts an order. Returns the parsed answer.
    pub(crate) async fn ask<T: DeserializeOwned>(
        self,
        path: &str,
        body: &Value,
    ) -> Result<T, CallError> {
        self.sent(async |key| parsed(post(path, body, key).await?).await).await
    }

    /// A component's table as JSON lines.
    pub(crate) async fn export(self, name: &str, table: &str) -> Result<String, CallError> {
        let (path, body) = (format!("{}/export", component(name)), json!({ "table": table }));
        self.sent(async |key| text(post(&path, &body, key).await?).await).await
    }

    /// Deletes a resource.
    pub(crate) async fn delete(self, path: &str) -> Result<(), CallError> {
        let request = Request::delete(&format!("{ROOT}{path}"));
        self.sent(async |key| {
            text(answered(with_key(request, key).send().await, None)?).await.map(drop)
        })
        .await
    }

    /// Uploads a component. Returns its new state.
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

    /// All data as an archive held by the browser, since it may exceed the page's memory; and its name.
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
            // Fails if the archive is incomplete.
            let blob = JsFuture::from(blob).await.map_err(|_| lost())?;
            Ok((name, blob.unchecked_into()))
        })
        .await
    }
}

/// Address of a component.
pub(crate) fn component(name: &str) -> String {
    format!("components/{}", encoded(name))
}

/// Address of an account or a part of it.
pub(crate) fn account(name: &str, rest: &str) -> String {
    format!("accounts/{}{rest}", encoded(name))
}

/// Address of the calls routed to a component's canary build.
pub(crate) fn canary(name: &str) -> String {
    format!("{}/canary", component(name))
}

/// Address of an action on an upstream server: `accept` or `refuse` its tools, or `reconnect`.
pub(crate) fn server(name: &str, verb: &str) -> String {
    format!("servers/{}/{verb}", encoded(name))
}

/// Replaces the page's own token by the operator's key, if there is one.
fn with_key(request: RequestBuilder, key: Option<&str>) -> RequestBuilder {
    let request = for_json(request, None);
    match key {
        Some(key) => request.header("Authorization", &format!("Bearer {key}")),
        None => request,
    }
}
