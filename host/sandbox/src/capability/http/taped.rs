//! HTTP requests of recorded and replayed calls: read completely, or answered from the record.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::{
    super::recording::{Bytes, Recording, Taped},
    Sender,
};

type Make = fn() -> Error;

/// Errors that come back as they were; any other comes back as its text.
const ERRORS: [(&str, Make); 14] = [
    ("DestinationNotFound", || Error::DestinationNotFound),
    ("DestinationUnavailable", || Error::DestinationUnavailable),
    ("DestinationIpProhibited", || Error::DestinationIpProhibited),
    ("ConnectionRefused", || Error::ConnectionRefused),
    ("ConnectionTerminated", || Error::ConnectionTerminated),
    ("ConnectionTimeout", || Error::ConnectionTimeout),
    ("ConnectionReadTimeout", || Error::ConnectionReadTimeout),
    ("ConnectionLimitReached", || Error::ConnectionLimitReached),
    ("TlsProtocolError", || Error::TlsProtocolError),
    ("TlsCertificateError", || Error::TlsCertificateError),
    ("HttpRequestDenied", || Error::HttpRequestDenied),
    ("HttpRequestUriInvalid", || Error::HttpRequestUriInvalid),
    ("HttpResponseIncomplete", || Error::HttpResponseIncomplete),
    ("HttpResponseTimeout", || Error::HttpResponseTimeout),
];

/// A host's response in a record.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Came { status: u16, headers: Vec<(String, String)>, body: Bytes },
    Failed(String),
}

/// Starts a use: this request, without its body yet.
pub(super) fn begin(recording: &Arc<Recording>, request: &Request<WasiBody>) -> Taped {
    let head = json!({
        "method": request.method().as_str(),
        "url": request.uri().to_string(),
        "headers": headers(recording, request.headers()),
    });
    recording.take("http.send", head)
}

/// `all` as they may be shown.
fn headers(recording: &Recording, all: &HeaderMap) -> Vec<(String, String)> {
    let shown = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.to_string(), recording.shown(name.as_str(), &value))
    };
    all.iter().map(shown).collect()
}

impl Sender {
    pub(super) async fn send_taped(
        self,
        taped: Taped,
        request: Request<WasiBody>,
        options: RequestOptions,
    ) -> Result<Response<WasiBody>, Error> {
        let bytes_max = usize::try_from(self.budget.bytes_max).unwrap_or(usize::MAX);
        let (parts, body) = request.into_parts();
        let body = Limited::new(body, bytes_max).collect().await;
        let body = body.map_err(|_| Error::HttpRequestBodySize(Some(self.budget.bytes_max)))?;
        let body = body.to_bytes();
        taped.add("body", Bytes::value(&body));
        if let Some(given) = taped.given::<Answer>().await {
            return given.read();
        }
        let answer = self.send(Request::from_parts(parts, full(body)), options).await;
        let answer = match answer {
            Ok(response) => read_completely(response).await,
            Err(error) => Err(error),
        };
        taped
            .keep_as(answer, Answer::recorded)
            .map(|(parts, body)| Response::from_parts(parts, full(body)))
    }
}

type CompleteResponse = (http::response::Parts, bytes::Bytes);

async fn read_completely(response: Response<WasiBody>) -> Result<CompleteResponse, Error> {
    let (parts, body) = response.into_parts();
    Ok((parts, body.collect().await?.to_bytes()))
}

fn full(bytes: bytes::Bytes) -> WasiBody {
    Full::new(bytes).map_err(|it| match it {}).boxed_unsync()
}

impl Answer {
    fn recorded(recording: &Recording, answer: &Result<CompleteResponse, Error>) -> Value {
        let answer = match answer {
            Ok((parts, body)) => Self::Came {
                status: parts.status.as_u16(),
                headers: headers(recording, &parts.headers),
                body: Bytes::encode(body),
            },
            Err(error) => Self::Failed(format!("{error:?}")),
        };
        serde_json::to_value(answer).unwrap_or_default()
    }

    fn read(self) -> Result<Response<WasiBody>, Error> {
        match self {
            Self::Came { status, headers, body } => {
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                let body = full(body.into_bytes().into());
                response.body(body).map_err(|_| Error::HttpProtocolError)
            }
            Self::Failed(text) => {
                let entry = ERRORS.iter().find(|(name, _)| *name == text);
                Err(entry.map_or_else(|| Error::InternalError(Some(text)), |(_, it)| it()))
            }
        }
    }
}
