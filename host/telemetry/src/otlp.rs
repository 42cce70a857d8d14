//! Exports spans as OTLP over HTTP with the official SDK, from a bounded queue.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use opentelemetry::{
    Context, KeyValue, TraceFlags, Value,
    propagation::TextMapPropagator,
    trace::{SpanKind, Status, TraceContextExt, Tracer as _, TracerProvider as _},
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    error::{OTelSdkError, OTelSdkResult},
    propagation::TraceContextPropagator,
    trace::{
        BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider, SpanData,
    },
};

use base::call::{CallRequest, Ending, Surface, TraceHeaders};
use base::config::TelemetryConfig;

use crate::timeline::{Timeline, UnderWay};

/// Spans that may wait to be sent; beyond that they are dropped.
const QUEUE_MAX: usize = 4_096;
/// Spans of one request to the collector.
const BATCH_MAX: usize = 512;
/// Batching delay of spans.
const DELAY: Duration = Duration::from_secs(1);
/// Timeout of the collector.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of the last spans at shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Span export, if configured.
#[derive(Clone, Default)]
pub struct Telemetry(Option<Arc<Open>>);

struct Open {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Telemetry {
    /// Must be called on the async runtime, which sends the spans.
    pub fn open(config: &TelemetryConfig) -> Result<Self, String> {
        config.check()?;
        let Some(endpoint) = &config.otlp_endpoint else { return Ok(Self::default()) };
        let failed = |error: &dyn std::fmt::Display| format!("telemetry: {error}");
        base::install_tls_provider();
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(SEND_TIMEOUT);
        // A machine without root certificates traces to a collector beside it all the same.
        let client = match endpoint.starts_with("https:") {
            true => client,
            false => client.tls_certs_only([]),
        };
        let client = client.build().map_err(|it| failed(&it))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_timeout(SEND_TIMEOUT)
            .build()
            .map_err(|it| failed(&it))?;
        let courier = Courier {
            exporter: Arc::new(exporter),
            runtime: tokio::runtime::Handle::current(),
            is_failing: AtomicBool::new(false),
        };
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE_MAX)
            .with_max_export_batch_size(BATCH_MAX)
            .with_scheduled_delay(DELAY)
            .build();
        let sampler = Sampler::TraceIdRatioBased(config.sample_ratio);
        let provider = SdkTracerProvider::builder()
            .with_span_processor(
                BatchSpanProcessor::builder(courier).with_batch_config(batches).build(),
            )
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(
                Resource::builder()
                    .with_service_name(config.service_name.clone())
                    .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
                    .build(),
            )
            .build();
        let tracer = provider.tracer("madoguchi");
        Ok(Self(Some(Arc::new(Open { provider, tracer }))))
    }

    /// Starts the span of a call, with the client's span as parent.
    pub fn call(&self, call: &CallRequest, method: &'static str, id: u64) -> Span {
        let timeline = Some(Timeline::begin());
        let Some(open) = &self.0 else { return Span { timeline, ..Span::default() } };
        let in_meta = parent(&TraceHeaders::of_meta(&call.meta));
        let parent = in_meta.or_else(|| parent(&call.trace)).unwrap_or_default();
        let (name, mut attributes) = match call.surface {
            Surface::Mcp | Surface::McpLegacy => {
                (method, vec![KeyValue::new("mcp.method.name", method)])
            }
            Surface::Rpc => ("rpc", vec![KeyValue::new("rpc.system.name", "jsonrpc")]),
            Surface::Rest => ("rest", Vec::new()),
            Surface::Operator => ("operator", Vec::new()),
            Surface::Agent => ("agent", Vec::new()),
            Surface::Component => ("component", Vec::new()),
        };
        let end = call.name.find('?').unwrap_or(call.name.len());
        let asked = call.name[..call.name.floor_char_boundary(end.min(128))].to_owned();
        attributes.push(KeyValue::new("madoguchi.call", i64::try_from(id).unwrap_or(i64::MAX)));
        attributes.extend(match method {
            "tools/call" => vec![
                KeyValue::new("gen_ai.operation.name", "execute_tool"),
                KeyValue::new("gen_ai.tool.name", asked),
            ],
            "resources/read" => vec![KeyValue::new("mcp.resource.uri", asked)],
            "prompts/get" => vec![KeyValue::new("gen_ai.prompt.name", asked)],
            _ => Vec::new(),
        });
        let span =
            open.tracer.span_builder(name).with_kind(SpanKind::Server).with_attributes(attributes);
        let span = open.tracer.build_with_context(span, &parent);
        Span { exported: Some((open.clone(), parent.with_span(span))), timeline, _under_way: None }
    }

    /// Flushes spans. Blocks for a second at most.
    pub fn close(&self) {
        if let Some(open) = &self.0
            && let Err(error) = open.provider.shutdown_with_timeout(CLOSE_TIMEOUT)
        {
            tracing::warn!("the last traces were not sent: {error}");
        }
    }
}

/// A span that ends with its last handle: one that is exported, or only kept for the operator, or none.
#[derive(Clone, Default)]
pub struct Span {
    exported: Option<(Arc<Open>, Context)>,
    timeline: Option<Timeline>,
    /// Ends with its last handle.
    _under_way: Option<Arc<UnderWay>>,
}

impl Span {
    /// A part of what this span is about.
    pub fn child(&self, name: &'static str) -> Self {
        let exported = self.exported.as_ref().map(|(open, context)| {
            let span = open.tracer.span_builder(name).with_kind(SpanKind::Internal);
            let span = open.tracer.build_with_context(span, context);
            (open.clone(), context.with_span(span))
        });
        let under_way = self.timeline.as_ref().map(|it| Arc::new(it.part(name)));
        Self { exported, timeline: self.timeline.clone(), _under_way: under_way }
    }

    /// Records use of a limit in the timeline.
    pub fn measure(&self, limit: &'static str, used: u64, max: u64) {
        if let Some(timeline) = &self.timeline {
            timeline.measure(limit, used, max);
        }
    }

    /// Takes the timeline of this span's call.
    pub fn take_timeline(&mut self) -> Option<Timeline> {
        self.timeline.take()
    }

    /// Records how the call of this span ended, and which component answered it, by its name and digest.
    pub fn outcome(
        &self,
        round: u32,
        (method, name): (&'static str, &str),
        component: Option<(&str, &str)>,
        ending: Ending,
        value: &str,
    ) {
        let Some((_, context)) = &self.exported else { return };
        let span = context.span();
        if let Some((component, digest)) = component {
            // Only existing names become span names, because clients may send anything, and URIs are too many.
            match method {
                "tools/call" | "prompts/get" => span.update_name(format!("{method} {name}")),
                _ => span.update_name(method),
            }
            span.set_attribute(KeyValue::new("madoguchi.component", component.to_owned()));
            span.set_attribute(KeyValue::new("madoguchi.component.digest", digest.to_owned()));
        }
        span.set_attribute(KeyValue::new("madoguchi.round", i64::from(round)));
        span.set_attribute(KeyValue::new("madoguchi.outcome", value.to_owned()));
        if !matches!(ending, Ending::Done | Ending::Asked) {
            span.set_attribute(KeyValue::new("error.type", Value::from(ending.name())));
        }
        if ending.is_error() {
            span.set_status(Status::error(value.to_owned()));
        }
    }

    /// Records that another server answers the call of this span.
    pub fn server(&self, (method, name): (&str, &str), server: &str) {
        let Some((_, context)) = &self.exported else { return };
        let span = context.span();
        // A URI may be as long and as private as an argument.
        if matches!(method, "tools/call" | "prompts/get") {
            span.update_name(format!("{method} {name}"));
        }
        span.set_attribute(KeyValue::new("madoguchi.server", server.to_owned()));
    }

    /// `traceparent` of an outgoing request.
    pub fn traceparent(&self) -> Option<String> {
        let (_, context) = self.exported.as_ref()?;
        let span = context.span();
        let context = span.span_context();
        let flags = (context.trace_flags() & TraceFlags::SAMPLED).to_u8();
        context
            .is_valid()
            .then(|| format!("00-{}-{}-{flags:02x}", context.trace_id(), context.span_id()))
    }
}

/// Parses the parent from headers. `None` if missing or invalid by the W3C's rules.
fn parent(headers: &TraceHeaders) -> Option<Context> {
    let text = headers.parent.as_deref().filter(|it| is_traceparent(it))?;
    let mut carrier =
        std::collections::HashMap::from([("traceparent".to_owned(), text.to_owned())]);
    if let Some(state) = headers.state.as_deref() {
        carrier.insert("tracestate".to_owned(), state.to_owned());
    }
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier);
    context.span().span_context().is_valid().then_some(context)
}

/// Stricter than the SDK, which takes fields of any length.
fn is_traceparent(text: &str) -> bool {
    let lengths = [2, 32, 16, 2];
    let is_hex = |it: &str| it.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
    let fields: Vec<_> = text.splitn(5, '-').collect();
    let fits = fields.iter().zip(lengths).all(|(it, length)| it.len() == length && is_hex(it));
    fits && fields.len() >= 4 && fields[0] != "ff" && (fields.len() == 4 || fields[0] != "00")
}

/// Carries batches from the SDK's thread to the collector by the server's runtime.
#[derive(Debug)]
struct Courier {
    exporter: Arc<SpanExporter>,
    runtime: tokio::runtime::Handle,
    /// Whether the last batch did not arrive: logged once, not for each.
    is_failing: AtomicBool,
}

impl opentelemetry_sdk::trace::SpanExporter for Courier {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exporter = self.exporter.clone();
        let send = async move {
            tokio::time::timeout(SEND_TIMEOUT, exporter.export(batch))
                .await
                .unwrap_or(Err(OTelSdkError::Timeout(SEND_TIMEOUT)))
        };
        // The runtime has gone where it cannot be joined: so has the server.
        let sent = self.runtime.spawn(send).await;
        let sent = sent.unwrap_or(Err(OTelSdkError::AlreadyShutdown));
        let was_failing = self.is_failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_failing => {
                tracing::warn!("traces do not reach their collector: {error}");
            }
            Ok(()) if was_failing => tracing::info!("traces reach their collector again"),
            _ => {}
        }
        sent
    }

    fn set_resource(&mut self, resource: &Resource) {
        if let Some(exporter) = Arc::get_mut(&mut self.exporter) {
            exporter.set_resource(resource);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn accepts_w3c_trace_parent_only() {
        let of = |it: &str| TraceHeaders { parent: Some(it.into()), state: None };
        let context = parent(&of(PARENT)).unwrap();
        assert!(context.span().span_context().is_remote());
        let later = PARENT.replacen("00", "01", 1) + "-more";
        assert!(parent(&of(&later)).is_some(), "a later version may have more fields");
        for wrong in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(parent(&of(wrong)).is_none(), "{wrong}");
        }
    }

    #[test]
    fn request_meta_precedes_headers() {
        let meta = format!(r#"{{"progressToken":1,"traceparent":"{PARENT}","tracestate":"a=b"}}"#);
        let headers = TraceHeaders::of_meta(&meta);
        assert_eq!(headers.parent.as_deref(), Some(PARENT));
        assert_eq!(headers.state.as_deref(), Some("a=b"));
        assert_eq!(TraceHeaders::of_meta(r#"{"traceparent":7}"#), TraceHeaders::default());
    }
}
