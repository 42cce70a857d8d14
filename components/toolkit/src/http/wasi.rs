//! HTTP over `wasi:http`.

use std::time::Instant;

use wasip2::{
    clocks::monotonic_clock,
    http::{
        outgoing_handler,
        types::{
            ErrorCode, Fields, IncomingBody, IncomingResponse, Method, OutgoingBody,
            OutgoingRequest, RequestOptions, Scheme, http_error_code,
        },
    },
    io::{
        poll::{Pollable, poll},
        streams::{InputStream, StreamError},
    },
};

use super::{Answer, Error, Incoming, Request, parts};

/// Bytes per read.
const CHUNK_BYTES: u64 = 64 << 10;

/// Body of an answer; the stream is dropped before its parent.
pub(super) struct Body {
    stream: InputStream,
    _incoming: IncomingBody,
    _answer: IncomingResponse,
}

pub(crate) fn exchange(request: &Request) -> Result<Answer, Error> {
    let incoming = begin(request, block)?;
    let mut body = Vec::new();
    while let Some(piece) = incoming.body.as_ref().map_or(Ok(None), |it| it.read(block))? {
        body.extend_from_slice(&piece);
        if body.len() > request.body_bytes_max {
            return Err(Error::TooLarge);
        }
    }
    Ok(Answer { status: incoming.status, headers: incoming.headers, body })
}

/// Sends the request, and returns once the answer begins.
pub(super) fn open(request: &Request, until: Option<Instant>) -> Result<Incoming, Error> {
    match until {
        Some(until) => begin(request, |it| wait(it, until)),
        None => begin(request, block),
    }
}

/// Sends the request, waiting by `wait`; generic, so that waiting without a limit needs no clock.
fn begin(
    request: &Request,
    wait: impl Fn(&Pollable) -> Result<(), Error>,
) -> Result<Incoming, Error> {
    let outgoing = prepare(request)?;
    let body = (!request.body.is_empty()).then(|| outgoing.body());
    let coming = outgoing_handler::handle(outgoing, options(request)).map_err(failed)?;
    if let Some(Ok(body)) = body {
        // If the host stops reading, its answer explains why.
        let _ = write(body, &request.body);
    }
    wait(&coming.subscribe())?;
    let answer = match coming.get() {
        Some(Ok(Ok(answer))) => answer,
        Some(Ok(Err(code))) => return Err(failed(code)),
        _ => return Err(Error::Unavailable("no answer came".to_owned())),
    };
    let not_json = |()| Error::Unavailable("the answer cannot be read".to_owned());
    let (status, headers) = (answer.status(), answer.headers().entries());
    let incoming = answer.consume().map_err(not_json)?;
    let stream = incoming.stream().map_err(not_json)?;
    let body = Some(Body { stream, _incoming: incoming, _answer: answer });
    Ok(Incoming { status, headers, body })
}

impl Body {
    /// Returns the next bytes; `None` at the end.
    pub(super) fn next(&self, until: Option<Instant>) -> Result<Option<Vec<u8>>, Error> {
        match until {
            Some(until) => self.read(|it| wait(it, until)),
            None => self.read(block),
        }
    }

    fn read(
        &self,
        wait: impl Fn(&Pollable) -> Result<(), Error>,
    ) -> Result<Option<Vec<u8>>, Error> {
        loop {
            match self.stream.read(CHUNK_BYTES) {
                Ok(piece) if piece.is_empty() => wait(&self.stream.subscribe())?,
                Ok(piece) => return Ok(Some(piece)),
                Err(StreamError::Closed) => return Ok(None),
                Err(StreamError::LastOperationFailed(error)) => {
                    // Some hosts append a backtrace to the reason.
                    let why = error.to_debug_string();
                    let why = why.lines().next().unwrap_or_default();
                    return Err(match http_error_code(&error).map(failed) {
                        Some(late @ Error::TimedOut) => late,
                        _ => Error::Unavailable(format!("it broke off: {why}")),
                    });
                }
            }
        }
    }
}

/// Blocks until `ready`.
fn block(ready: &Pollable) -> Result<(), Error> {
    ready.block();
    Ok(())
}

/// Blocks until `ready`, or fails at `until`.
fn wait(ready: &Pollable, until: Instant) -> Result<(), Error> {
    let left = until.saturating_duration_since(Instant::now());
    let left = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
    let late = monotonic_clock::subscribe_duration(left);
    match poll(&[ready, &late]).contains(&0) {
        true => Ok(()),
        false => Err(Error::TimedOut),
    }
}

fn options(request: &Request) -> Option<RequestOptions> {
    let timeout = u64::try_from(request.timeout?.as_nanos()).unwrap_or(u64::MAX);
    let options = RequestOptions::new();
    // Hosts without these options have their own timeouts.
    let _ = options.set_first_byte_timeout(Some(timeout));
    let _ = options.set_between_bytes_timeout(Some(timeout));
    Some(options)
}

fn prepare(request: &Request) -> Result<OutgoingRequest, Error> {
    let invalid_url = || Error::InvalidUrl(request.url.clone());
    let parts = parts(&request.url).ok_or_else(invalid_url)?;
    let mut headers = request.headers.clone();
    if !request.body.is_empty() {
        let length = request.body.len().to_string().into_bytes();
        headers.push(("content-length".to_owned(), length));
    }
    let fields = Fields::from_list(&headers)
        .map_err(|error| Error::InvalidRequest(format!("a header ({error:?})")))?;
    let outgoing = OutgoingRequest::new(fields);
    let scheme = if parts.is_https { Scheme::Https } else { Scheme::Http };
    outgoing.set_scheme(Some(&scheme)).map_err(|()| invalid_url())?;
    outgoing.set_authority(Some(parts.authority)).map_err(|()| invalid_url())?;
    let path = if parts.rest.is_empty() { "/" } else { parts.rest };
    outgoing.set_path_with_query(Some(path)).map_err(|()| invalid_url())?;
    let no_method = |()| Error::InvalidRequest(format!("the method {:?}", request.method));
    outgoing.set_method(&method(&request.method)).map_err(no_method)?;
    Ok(outgoing)
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "TRACE" => Method::Trace,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

fn write(body: OutgoingBody, bytes: &[u8]) -> Result<(), StreamError> {
    let Ok(stream) = body.write() else { return Err(StreamError::Closed) };
    let mut left = bytes;
    while !left.is_empty() {
        let room = usize::try_from(stream.check_write()?).unwrap_or(usize::MAX);
        if room == 0 {
            stream.subscribe().block();
            continue;
        }
        let (now, later) = left.split_at(room.min(left.len()));
        stream.write(now)?;
        left = later;
    }
    stream.flush()?;
    stream.subscribe().block();
    stream.check_write()?;
    drop(stream);
    OutgoingBody::finish(body, None).map_err(|_| StreamError::Closed)
}

fn failed(code: ErrorCode) -> Error {
    match code {
        ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited => Error::Denied,
        ErrorCode::HttpResponseTimeout | ErrorCode::ConnectionReadTimeout => Error::TimedOut,
        ErrorCode::HttpRequestUriInvalid => Error::InvalidUrl("what was asked for".to_owned()),
        ErrorCode::HttpRequestMethodInvalid => Error::InvalidRequest("the method".to_owned()),
        ErrorCode::HttpResponseBodySize(_) => {
            Error::Unavailable("the answer is too long".to_owned())
        }
        // `ErrorCode::ConnectionRefused` and so on are WASI's names.
        code => Error::Unavailable(format!("{code:?}").replace("ErrorCode::", "")),
    }
}
