//! REST endpoints: those of the specifications, blobs, and those of components; and how paths and queries are decoded.

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{DefaultBodyLimit, Request},
    middleware,
    response::{IntoResponse, Response},
};
use http::Method;
use http_body_util::{Full, Limited};

use base::call::Failure;
use calls::authorization::{Shape, refusal};

pub(crate) mod approvals;
pub(crate) mod auth;
pub(crate) mod blobs;
pub(crate) mod endpoints;
pub(crate) mod health;
pub(crate) mod rpc;

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

/// Pairs that a query may have, and bytes that it, or a path, may have.
const PAIRS_MAX: usize = 64;
const BYTES_MAX: usize = 8 << 10;

/// The pairs of a query in their order; a sentence where it has none that can be read.
pub(crate) fn query_pairs(query: &str) -> Result<Vec<(String, String)>, String> {
    if query.len() > BYTES_MAX {
        return Err(format!("The query has {} bytes; {BYTES_MAX} is most.", query.len()));
    }
    let pairs: Vec<_> = query.split('&').filter(|it| !it.is_empty()).collect();
    if pairs.len() > PAIRS_MAX {
        return Err(format!("The query has {} pairs; {PAIRS_MAX} is most.", pairs.len()));
    }
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
    };
    pairs.into_iter().map(pair).collect()
}

/// Decodes `%` escapes.
pub(crate) fn decoded(text: &str) -> Result<String, String> {
    if text.len() > BYTES_MAX {
        return Err(format!("The path has {} bytes; {BYTES_MAX} is most.", text.len()));
    }
    let digit = |it: Option<&u8>| it.and_then(|it| char::from(*it).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (Some(high), Some(low)) = (digit(tail.first()), digit(tail.get(1))) else {
            return Err("The URL has a % without two hexadecimal digits after it.".to_owned());
        };
        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| "The URL is not UTF-8 when it is decoded.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_query_in_order() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            query_pairs("q=%E7%AA%93%E5%8F%A3&near=a+b&flag&&q=2%2B2").unwrap(),
            [pair("q", "窓口"), pair("near", "a b"), pair("flag", ""), pair("q", "2+2")]
        );
        assert_eq!(query_pairs("").unwrap(), []);
    }

    #[test]
    fn rejects_unreadable_or_oversized_query() {
        for (query, part) in [
            ("q=%zz".to_owned(), "hexadecimal"),
            ("q=%e".to_owned(), "hexadecimal"),
            ("q=%ff".to_owned(), "UTF-8"),
            ("a=1&".repeat(PAIRS_MAX + 1), "64 is most"),
            ("a".repeat(BYTES_MAX + 1), "8192 is most"),
        ] {
            let message = query_pairs(&query).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        assert!(query_pairs(&"a=1&".repeat(PAIRS_MAX)).is_ok());
    }
}
