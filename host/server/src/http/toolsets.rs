//! Which tools a request for `/mcp` knows of: those of the toolset that its address names, of its token, or of the
//! default one.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    middleware::Next,
    response::Response,
};
use http::Extensions;

use base::{
    failure::Failure,
    toolsets::{Toolset, Toolsets},
};
use calls::authorization::{Principal, Shape, refusal};

/// The toolset that the token of a request is bound to.
fn of_token(extensions: &Extensions) -> Option<&Arc<Toolset>> {
    extensions.get::<Arc<Principal>>()?.caller.toolset.as_ref()
}

/// `/mcp`, where there is a default toolset. A token's own goes before it.
pub(super) async fn default_one(
    State(toolset): State<Arc<Toolset>>,
    mut request: Request,
    next: Next,
) -> Response {
    if of_token(request.extensions()).is_none() {
        request.extensions_mut().insert(toolset);
    }
    next.run(request).await
}

/// `/mcp/NAME`. For a token that is bound to a toolset there is no other.
pub(super) async fn named(
    State(toolsets): State<Arc<Toolsets>>,
    Path(name): Path<String>,
    mut request: Request,
    next: Next,
) -> Response {
    let own = of_token(request.extensions());
    let is_theirs = |it: &Arc<Toolset>| own.is_none_or(|own| Arc::ptr_eq(own, it));
    let Some(toolset) = toolsets.get(&name).filter(|it| is_theirs(it)).cloned() else {
        let theirs = toolsets.iter().filter(|(_, it)| is_theirs(it)).map(|(name, _)| name);
        return unknown(&name, &theirs.collect::<Vec<_>>());
    };
    request.extensions_mut().insert(toolset);
    next.run(request).await
}

fn unknown(name: &str, theirs: &[&str]) -> Response {
    let shown: String = name.chars().take(64).collect();
    let addresses: Vec<_> = theirs.iter().map(|it| format!("/mcp/{it}")).collect();
    let there = addresses.join(", ");
    let message = format!("There is no toolset {shown:?} here; there are {there}, and /mcp.");
    let failure = Failure::new("unknown_toolset", 404, message).with("toolsets", theirs.to_vec());
    refusal(Shape::JsonRpc, &failure)
}
