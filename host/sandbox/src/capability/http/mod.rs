//! The package `wasi:http`: requests to granted hosts only.
//!
//! The component builds a request with wasmtime's implementation of wasi:http. Sending is ours: the request is checked
//! here against the grants, given its secrets and counted; [`client`] resolves the host, checks the resolved address,
//! and connects to that very address.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, Method};
use http_body::Body;
use reqwest::Url;
use tokio::time::Instant;
use wasmtime_wasi_http::{
    Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
};

use crate::capability::{
    recording::Recording,
    state::{CallContext, CallState},
};
use base::grants::{
    hosts::{self, GrantedHost},
    http::Place,
    secret::{Mask, encoded},
};

mod budget;
mod client;
mod taped;

use budget::{Budget, Report};
use budget::{Incoming, Outgoing as OutgoingBody};
use client::Failed;
pub use client::{Outgoing, body_within};

/// Bytes that one set of headers may have, ours and the host's alike.
pub const HEADER_BYTES_MAX: usize = 64 << 10;
/// The message for a request that is not sent.
const REFUSED: &str = "is refused";
/// Bytes that a component may write into a request's body in one go.
const CHUNK_BYTES_MAX: usize = 64 << 10;

/// The outgoing HTTP of one call.
pub struct CallHttp {
    ctx: WasiHttpCtx,
    sender: Sender,
}

impl CallHttp {
    fn new(context: &CallContext) -> Self {
        let mut ctx = WasiHttpCtx::new();
        ctx.set_field_size_limit(HEADER_BYTES_MAX);
        let sender = Sender {
            outgoing: context.setup.http.clone(),
            budget: Arc::new(Budget::new(&context.setup.http.limits)),
            report: Report::new(context),
            deadline: context.deadline.into(),
            recording: context.round.recording.clone(),
        };
        Self { ctx, sender }
    }
}

impl WasiHttpView for CallState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        // One table for all resources, because body streams belong to wasi:io.
        let Self { http, table, context, .. } = self;
        let http = http.get_or_insert_with(|| CallHttp::new(context));
        WasiHttpCtxView { hooks: &mut http.sender, table, ctx: &mut http.ctx }
    }
}

type Sent = (http::Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

impl WasiHttpHooks for Sender {
    /// The name of the host follows from the URL, and from nothing else.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK_BYTES_MAX
    }

    fn p3_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK_BYTES_MAX
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Sent, Error>> + Send> {
        let sender = self.clone();
        // Now, and not when it is sent: uses are kept in the order in which they begin.
        let taped = self.recording.as_ref().map(|it| taped::begin(it, &request));
        Box::new(async move {
            let options = options.unwrap_or_default();
            let response = match taped {
                Some(taped) => sender.send_taped(taped, request, options).await?,
                None => sender.send(request, options).await?,
            };
            let done: Box<dyn Future<Output = _> + Send> = Box::new(std::future::ready(Ok(())));
            Ok((response, done))
        })
    }
}

/// Sends the requests of one call.
#[derive(Clone)]
struct Sender {
    outgoing: Arc<Outgoing>,
    budget: Arc<Budget>,
    report: Report,
    /// Deadline of the call.
    deadline: Instant,
    recording: Option<Arc<Recording>>,
}

impl Sender {
    async fn send(
        self,
        request: http::Request<WasiBody>,
        options: RequestOptions,
    ) -> Result<http::Response<WasiBody>, Error> {
        self.budget.admit(&self.report)?;
        let (parts, body) = request.into_parts();
        let (method, url) = (parts.method, read_url(&parts.uri)?);
        let host = self.granted(&method, &url, &parts.headers)?;
        let mut outgoing = prepare(host, method.clone(), &url, parts.headers)?;
        let span = self.report.span.child("http");
        if let Some(trace) = span.traceparent().and_then(|it| HeaderValue::try_from(it).ok()) {
            outgoing.headers_mut().insert("traceparent", trace);
        }
        self.take(size(outgoing.headers()) + outgoing.url().as_str().len())?;

        let until = self.deadline.min(Instant::now() + self.budget.timeout);
        self.report.tally.http_request();
        let answer = self.exchange(host, outgoing, body);
        let head_until = options.first_byte_timeout.map_or(until, |timeout| {
            until.min(Instant::now() + timeout + options.connect_timeout.unwrap_or_default())
        });
        let response = match tokio::time::timeout_at(head_until, answer).await {
            Ok(Ok(response)) => response,
            Ok(Err(failed)) => return Err(self.failed(&method, &url, &host.mask, failed)),
            Err(_) => {
                self.report.exceeded("http_timeout_ms");
                return Err(Error::HttpResponseTimeout);
            }
        };
        self.report.answered(&method, &url, response.status().as_u16());
        self.receive(response, &host.mask, until, options.between_bytes_timeout)
    }

    /// The entry that grants the request; without one, the operator reads what would.
    fn granted(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
    ) -> Result<&GrantedHost, Error> {
        let hosts = &self.outgoing.hosts;
        let Some(host) = hosts.find(method, url, headers) else {
            let lines = hosts.lines(&self.report.component, method, url);
            self.report.warn(method, url, REFUSED, &format!("it is not granted; {lines}\n"));
            return Err(Error::HttpRequestDenied);
        };
        // Names are checked when they are resolved, addresses are not resolved.
        if !host.grant.private && hosts::of_url(url).is_some_and(hosts::is_private) {
            self.report.warn(method, url, REFUSED, &client::Prohibited.to_string());
            return Err(Error::DestinationIpProhibited);
        }
        Ok(host)
    }

    fn take(&self, bytes: usize) -> Result<(), Error> {
        if self.budget.bytes(bytes as u64) {
            return Ok(());
        }
        self.report.exceeded("http_bytes_max");
        Err(Error::HttpRequestBodySize(Some(self.budget.bytes_max)))
    }

    async fn exchange(
        &self,
        host: &GrantedHost,
        mut request: reqwest::Request,
        body: WasiBody,
    ) -> Result<reqwest::Response, Failed> {
        let reach = self.outgoing.reach(host.grant.private).await;
        let reach = reach.map_err(|error| Failed::read(error, true))?;
        if !body.is_end_stream() {
            let body = OutgoingBody { body: body.into(), budget: self.budget.clone() };
            *request.body_mut() = Some(reqwest::Body::wrap(body));
        }
        let answer = reach.client.execute(request).await;
        answer.map_err(|error| Failed::read(error, reach.has_roots))
    }

    fn failed(&self, method: &Method, url: &Url, mask: &Mask, failed: Failed) -> Error {
        match &failed.error {
            Error::HttpRequestBodySize(_) => self.report.exceeded("http_bytes_max"),
            Error::ConnectionTimeout => self.report.exceeded("http_connect_ms"),
            Error::DestinationIpProhibited => self.report.warn(method, url, REFUSED, &failed.why),
            _ => self.report.warn(method, url, "failed", &mask.text(&failed.why)),
        }
        failed.error
    }

    /// The answer as the component may see it.
    fn receive(
        &self,
        response: reqwest::Response,
        mask: &Mask,
        until: Instant,
        pause: Option<Duration>,
    ) -> Result<http::Response<WasiBody>, Error> {
        let response: http::Response<reqwest::Body> = response.into();
        let (mut parts, body) = response.into_parts();
        let head = size(&parts.headers);
        if head > HEADER_BYTES_MAX {
            return Err(Error::HttpResponseHeaderSectionSize(u32::try_from(head).ok()));
        }
        let coming = body.size_hint().lower();
        if !self.budget.bytes(head as u64) || coming > self.budget.bytes_left() {
            self.report.exceeded("http_bytes_max");
            return Err(Error::HttpResponseBodySize(Some(self.budget.bytes_max)));
        }
        mask_headers(&mut parts.headers, mask);
        let (budget, report, mask) = (self.budget.clone(), self.report.clone(), mask.clone());
        let body = Incoming { body, budget, report, mask, deadline: until, pause }.into_body();
        Ok(http::Response::from_parts(parts, http_body_util::BodyExt::boxed_unsync(body)))
    }
}

/// Parses the URL as the client will, so that checked and sent URL agree.
fn read_url(uri: &http::Uri) -> Result<Url, Error> {
    let url = Url::parse(&uri.to_string()).map_err(|_| Error::HttpRequestUriInvalid)?;
    if !url.has_host() || !url.username().is_empty() || url.password().is_some() {
        return Err(Error::HttpRequestUriInvalid);
    }
    Ok(url)
}

/// The request with the secrets of its host, whatever the component put in their place.
fn prepare(
    host: &GrantedHost,
    method: Method,
    url: &Url,
    headers: HeaderMap,
) -> Result<reqwest::Request, Error> {
    let mut request = reqwest::Request::new(method, url.clone());
    *request.headers_mut() = headers;
    for (place, secret) in &host.secrets {
        match place {
            Place::Header(name) => {
                let mut value = HeaderValue::from_str(secret.expose())
                    .map_err(|_| Error::ConfigurationError)?;
                value.set_sensitive(true);
                request.headers_mut().insert(name.clone(), value);
            }
            Place::Query(name) => {
                let query = request.url().query().unwrap_or_default();
                let query = with_query(query, name, secret.expose());
                request.url_mut().set_query(Some(&query));
            }
        }
    }
    Ok(request)
}

/// `query` with `name` once, and of this value.
fn with_query(query: &str, name: &str, value: &str) -> String {
    let is_other = |piece: &&str| {
        let mut url = Url::parse("http://query/").expect("it is a URL");
        url.set_query(Some(piece));
        url.query_pairs().all(|(found, _)| found != name)
    };
    let mut pieces: Vec<_> = query.split('&').filter(|it| !it.is_empty()).collect();
    pieces.retain(is_other);
    let secret = format!("{}={}", encoded(name), encoded(value));
    pieces.push(&secret);
    pieces.join("&")
}

fn mask_headers(headers: &mut HeaderMap, mask: &Mask) {
    if mask.is_empty() {
        return;
    }
    for value in headers.values_mut() {
        let mut bytes = value.as_bytes().to_vec();
        mask.bytes(&mut bytes);
        if bytes != value.as_bytes() {
            *value = HeaderValue::from_bytes(&bytes).unwrap_or(HeaderValue::from_static("*"));
        }
    }
}

/// Bytes of `headers` as HTTP/1 writes them.
fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_in_query_replaces_component_value() {
        assert_eq!(with_query("", "key", "s&t"), "key=s%26t");
        assert_eq!(with_query("a=1&key=mine&b=%20&%6bey=too", "key", "s"), "a=1&b=%20&key=s");
    }

    #[test]
    fn parses_numeric_hosts_like_the_client() {
        let read =
            |it: &str| read_url(&it.parse().unwrap()).map(|it| it.host_str().map(str::to_owned));
        for same in ["http://2130706433/", "http://127.1/", "http://0x7f.0.0.1/", "http://0177.1/"]
        {
            assert_eq!(read(same).unwrap().as_deref(), Some("127.0.0.1"), "{same}");
        }
        assert!(read("http://user:word@a.example/").is_err());
    }
}
