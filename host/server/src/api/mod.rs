//! REST endpoints: those of the specifications, blobs, and those of components.

pub(crate) mod approvals;
pub(crate) mod auth;
pub(crate) mod blobs;
pub(crate) mod endpoints;
pub(crate) mod health;

pub(crate) mod query;
pub(crate) mod rpc;
pub(crate) mod services;

use axum::response::{IntoResponse, Response};
use http::Method;

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
