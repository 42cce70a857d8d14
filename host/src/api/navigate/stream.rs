//! The answer as a stream of events (NAV-9). The work is done by the stream itself: it ends, with all
//! its calls, when the client goes.

use std::{convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response, Sse,
    sse::{Event, KeepAlive},
};
use futures::{FutureExt, StreamExt, future::ready, stream};
use http::{HeaderName, HeaderValue};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::Job;
use crate::assistant::{self, Teller};

/// Events that wait for a client that is slow to read.
const WAITING_MAX: usize = 32;
/// How long it may be quiet, or somebody on the way takes it for dead.
const QUIET: Duration = Duration::from_secs(10);

pub(super) fn answer(job: Job) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let work = work(job, Teller::new(sender, "reasoning_delta"));
    let work = work.into_stream().filter_map(|()| ready(None));
    let events = ReceiverStream::new(receiver).map(|it| Ok::<_, Infallible>(written(&it)));
    let keep_alive = KeepAlive::new().interval(QUIET);
    let mut response =
        Sse::new(stream::select(work, events)).keep_alive(keep_alive).into_response();
    // Proxies that gather what they pass on would turn events into one answer.
    let name = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(name, HeaderValue::from_static("no"));
    response
}

async fn work(job: Job, teller: Teller) {
    match job.run(&teller).await {
        Ok((mut body, selected)) => {
            body["selected"] = selected;
            teller.tell("done", || body).await;
        }
        Err(refusal) => teller.tell("error", || refusal.event()).await,
    }
}

fn written(event: &assistant::Event) -> Event {
    // JSON has no line breaks outside of strings, and none in them either.
    Event::default().event(event.name).data(Value::to_string(&event.data))
}
