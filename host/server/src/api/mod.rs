//! REST endpoints: those of the specifications, blobs, and those of components.

pub(crate) mod approvals;
pub(crate) mod auth;
pub(crate) mod blobs;
pub(crate) mod endpoints;
pub(crate) mod health;

pub(crate) mod query;
pub(crate) mod rpc;
pub(crate) mod services;

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{DefaultBodyLimit, Request},
    middleware,
    response::{IntoResponse, Response},
};
use http::Method;
use http_body_util::{Full, Limited};

use base::failure::Failure;
use calls::authorization::{Shape, refusal};

/// An error as `/api` has them.
pub(crate) struct Refused(Failure);

impl<E: Into<Failure>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        refusal(Shape::Rest, &self.0)
    }
}

/// The answer to another method than one that is served there.
pub(crate) async fn other_method(method: Method) -> Refused {
    let message = format!("{method} is not served here; the header Allow says what is.");
    Failure::new("method_not_allowed", 405, message).into()
}
/// `routes` whose requests' bodies have at most `bytes_max` bytes. One that is announced to be longer is not read at all,
/// nor does its client learn that it may go on (`100 Continue`).
pub(crate) fn limited<S: Clone + Send + Sync + 'static>(
    routes: Router<S>,
    bytes_max: usize,
) -> Router<S> {
    let within = move |request: Request| async move {
        request.map(|body| match body.size_hint().lower() > bytes_max as u64 {
            // The handlers' extractors say what is wrong as if they had read so far.
            true => Body::new(Limited::new(Full::new(Bytes::from_static(b"-")), 0)),
            false => body,
        })
    };
    routes.layer(middleware::map_request(within)).layer(DefaultBodyLimit::max(bytes_max))
}
