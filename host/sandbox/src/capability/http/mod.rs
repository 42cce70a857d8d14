//! `wasi:http`: requests to the hosts that the operator granted, and to nothing else.
//!
//! The component builds a request with wasmtime's implementation of wasi:http. Sending it is ours:
//! [`send`] checks it against the grants, adds the secrets and counts; [`client`] finds the host,
//! checks the address that it finds, and connects to that very address.

use std::sync::Arc;

use tokio::time::Instant;
use wasmtime_wasi_http::{
    Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
};

use crate::capability::state::{CallContext, CallState};

mod body;
mod budget;
mod client;
mod failed;
mod report;
mod send;

pub use client::Outgoing;

/// Bytes that one set of headers may have, ours and the host's alike.
pub const HEADER_BYTES_MAX: usize = 64 << 10;
/// Bytes that a component may write into a request's body in one go.
const CHUNK_BYTES_MAX: usize = 64 << 10;

/// The outgoing HTTP of one call.
pub struct CallHttp {
    ctx: WasiHttpCtx,
    sender: Sender,
}

/// Sends the requests of one call.
struct Sender {
    outgoing: Arc<Outgoing>,
    budget: Arc<budget::Budget>,
    report: report::Report,
    deadline: Instant,
}

impl CallHttp {
    fn new(context: &CallContext) -> Self {
        let mut ctx = WasiHttpCtx::new();
        ctx.set_field_size_limit(HEADER_BYTES_MAX);
        let sender = Sender {
            outgoing: context.http.clone(),
            budget: Arc::new(budget::Budget::new(&context.http.limits)),
            report: report::Report::new(context),
            deadline: context.deadline.into(),
        };
        Self { ctx, sender }
    }
}

impl WasiHttpView for CallState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        // One table for all resources: streams of bodies are wasi:io's.
        let Self { http, table, context, .. } = self;
        let http = http.get_or_insert_with(|| CallHttp::new(context));
        WasiHttpCtxView { hooks: &mut http.sender, table, ctx: &mut http.ctx }
    }
}

type Sent = (http::Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

impl WasiHttpHooks for Sender {
    /// The name of the host follows from the URL, and nobody else says it.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK_BYTES_MAX
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Sent, Error>> + Send> {
        let call = send::Request {
            outgoing: self.outgoing.clone(),
            budget: self.budget.clone(),
            report: self.report.clone(),
            deadline: self.deadline,
            options: options.unwrap_or_default(),
        };
        Box::new(async move {
            let response = call.send(request).await?;
            let done: Box<dyn Future<Output = _> + Send> = Box::new(std::future::ready(Ok(())));
            Ok((response, done))
        })
    }
}
