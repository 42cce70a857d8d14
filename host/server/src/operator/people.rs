//! Operator routes for user accounts.

use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Operator, routes::read_or_none};
use crate::api::Refused;
use accounts::{AccountError, Accounts};
use base::call::Failure;

type Named = (State<Operator>, Path<String>);
type Answer = Result<Json<Value>, Refused>;

/// Default scope of an account.
const EVERYTHING: &str = "*";

/// `{"scopes": ["*"]}`: what an account may do.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    scopes: Option<Vec<String>>,
}

fn given(body: &[u8]) -> Result<Option<Vec<String>>, Failure> {
    let Given { scopes } = read_or_none(body, "{\"scopes\": [\"SCOPE\", …]}")?;
    Ok(scopes)
}

fn accounts(operator: &Operator) -> Result<&Accounts, Failure> {
    operator.accounts.as_ref().ok_or_else(|| {
        let what = "this server has no accounts; enabled = true under [accounts] in the configuration begins with them";
        Failure::new("no_accounts", 409, what)
    })
}

fn failure(error: AccountError) -> Failure {
    match error {
        AccountError::Wrong(what) => Failure::invalid(what),
        AccountError::Exists => {
            let what = "there is an account of that name already; `madoguchi account link NAME` makes a new link for it";
            Failure::new("exists", 409, what)
        }
        AccountError::Unknown => {
            let what =
                "there is no such account or device; `madoguchi account list` says which there are";
            Failure::new("unknown_account", 404, what)
        }
        AccountError::Full => {
            Failure::new("too_many", 409, "there are too many accounts; remove one first")
        }
        AccountError::Disk(error) => {
            Failure::new("unavailable", 503, format!("this cannot be kept now: {error}"))
        }
    }
}

pub(super) async fn list(State(operator): State<Operator>) -> Answer {
    let accounts = accounts(&operator)?;
    accounts.look().await;
    Ok(Json(accounts.list()))
}

pub(super) async fn create((State(operator), Path(name)): Named, body: Bytes) -> Answer {
    let scopes = given(&body)?.unwrap_or_else(|| vec![EVERYTHING.to_owned()]);
    let link = accounts(&operator)?.create(&name, scopes).await.map_err(failure)?;
    Ok(Json(json!({ "name": name, "link": link })))
}

/// `{"anew": true}`: whether earlier access is revoked.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Linked {
    anew: bool,
}

pub(super) async fn link((State(operator), Path(name)): Named, body: Bytes) -> Answer {
    let Linked { anew } = read_or_none(&body, "{\"anew\": true}, or empty")?;
    let link = accounts(&operator)?.link(&name, anew).await.map_err(failure)?;
    Ok(Json(json!({ "name": name, "link": link })))
}

pub(super) async fn rescope((State(operator), Path(name)): Named, body: Bytes) -> Answer {
    // A request without scopes is refused, because it rather means to look than to give everything.
    let scopes = given(&body)?.ok_or_else(|| {
        Failure::invalid(
            "which scopes? {\"scopes\": [\"SCOPE\", …]} says, or --scopes at the command line",
        )
    })?;
    accounts(&operator)?.rescope(&name, scopes.clone()).await.map_err(failure)?;
    Ok(Json(json!({ "name": name, "scopes": scopes })))
}

pub(super) async fn remove((State(operator), Path(name)): Named) -> Answer {
    accounts(&operator)?.remove(&name).await.map_err(failure)?;
    Ok(Json(json!({ "name": name, "removed": true })))
}

pub(super) async fn end_device(
    State(operator): State<Operator>,
    Path((name, device)): Path<(String, String)>,
) -> Answer {
    accounts(&operator)?.end_device(&name, &device).await.map_err(failure)?;
    Ok(Json(json!({ "name": name, "device": device, "ended": true })))
}
