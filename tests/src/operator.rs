//! The operator of a test server, authorized by the key in its data folder.

use std::path::Path;

use host::OperatorKey;
use reqwest::{Method, StatusCode};
use serde_json::Value;

/// A client of one server's operator listener.
#[derive(Clone)]
pub struct Operator {
    http: reqwest::Client,
    /// The URL of the operator's listener.
    pub url: String,
    /// The operator's key.
    pub token: String,
}

impl Operator {
    /// The operator of the server on the data folder `data`.
    pub fn of(data: &Path) -> Self {
        let key = OperatorKey::read(data).expect("it can be read").expect("a server runs there");
        Self {
            http: crate::client::http().build().expect("no options that can fail"),
            url: format!("http://{}", key.addr),
            token: key.token,
        }
    }

    /// One request: the HTTP status and the JSON that came.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Vec<u8>>,
    ) -> (StatusCode, Value) {
        let token = format!("Bearer {}", self.token);
        self.send_as(method, path, body, &[("authorization", &token)]).await
    }

    /// The same with other headers, and without the token.
    pub async fn send_as(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Vec<u8>>,
        headers: &[(&str, &str)],
    ) -> (StatusCode, Value) {
        let request = self.http.request(method, format!("{}/operator/{path}", self.url));
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        let response = request.body(body.into()).send().await.expect("the server answers");
        let status = response.status();
        let text = response.text().await.expect("the body arrives");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}
