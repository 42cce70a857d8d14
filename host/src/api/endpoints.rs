//! `GET /api/COMPONENT/PATH`: look-ups that a component answers, under its limits.

use std::{borrow::Cow, sync::Arc};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, Uri, header};

use super::query;
use serde_json::Value;

use crate::{
    authorization::{Shape, insufficient_scope},
    caller::{Caller, Owner},
    component::{CallError, Request},
    config::Aliases,
    failure::Failure,
    registry::Registry,
};

/// What the endpoint works on.
#[derive(Clone)]
pub(crate) struct Endpoints {
    pub(crate) registry: Registry,
    /// Other names for what components answer.
    pub(crate) aliases: Arc<Aliases>,
}

pub(crate) async fn answer(
    State(endpoints): State<Endpoints>,
    uri: Uri,
    headers: HeaderMap,
    extensions: Extensions,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let (status, body) = match endpoints.get(&uri, caller).await {
        Ok(json) => (StatusCode::OK, json),
        Err(it) if it.error == "insufficient_scope" => {
            return insufficient_scope(Shape::Rest, Value::Null, &it);
        }
        Err(it) => {
            let status = StatusCode::from_u16(it.status).unwrap_or(StatusCode::BAD_REQUEST);
            (status, it.object().to_string())
        }
    };
    let mut response = (status, body).into_response();
    let fixed = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

impl Endpoints {
    async fn get(&self, uri: &Uri, caller: Caller) -> Result<String, Failure> {
        let path = uri.path().strip_prefix("/api/").unwrap_or_default();
        let (name, path) = path.split_once('/').unwrap_or((path, ""));
        let (name, path) = match self.aliases.get(name) {
            Some(alias) => (alias.component.as_str(), alias.path(path)),
            None => (name, Cow::Borrowed(path)),
        };
        let not_found = |message: String| Failure::new("not_found", 404, message);
        let bad = |message: String| Failure::new("invalid_params", 400, message);
        let component = self.registry.catalog().component(name).cloned();
        let Some(component) = component else {
            let shown: String = name.chars().take(64).collect();
            return Err(not_found(format!("There is no component {shown}.")));
        };
        if let Some(why) = component.why_no_endpoints() {
            return Err(not_found(why));
        }
        if !caller.may_use(Owner::Component(name)) {
            return Err(CallError::Forbidden { scope: format!("component:{name}") }.into());
        }
        let request = Request {
            path: query::decode(&path).map_err(bad)?,
            query: query::pairs(uri.query().unwrap_or_default()).map_err(bad)?,
            meta: "{}".to_owned(),
        };
        let found = component.get(&request, caller).await?;
        found.ok_or_else(|| not_found(format!("The component {name} serves nothing there.")))
    }
}
