//! An answer that the host streams: the browser's ReadableStream as a row of events.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use gloo_net::http::Response;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use super::sse::{Event, Events};
use crate::browser;
use crate::error::CallError;

/// Reads one response's events; dropping it closes the stream.
pub(crate) struct Pieces {
    reader: ReadableStreamDefaultReader,
    events: Events,
    ready: VecDeque<Event>,
    /// How long the host may send nothing at all; none where it may as long as it likes.
    silence: Option<Duration>,
}

impl Pieces {
    pub(crate) fn of(response: Response) -> Option<Self> {
        let reader = response.body()?.get_reader().unchecked_into();
        Some(Self { reader, events: Events::default(), ready: VecDeque::new(), silence: None })
    }

    /// Takes a stream for broken on which nothing comes for so long, not even what keeps it alive: a network that
    /// goes, or a computer that sleeps, ends no connection.
    pub(super) fn within(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// The next event's data; none when the host has ended the stream.
    pub(super) async fn next(&mut self) -> Result<Option<String>, CallError> {
        Ok(self.next_event().await?.map(|it| it.data))
    }

    /// The next event with its name.
    pub(crate) async fn next_event(&mut self) -> Result<Option<Event>, CallError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Some(piece) = self.piece().await.map_err(|error| broken(&error))? else {
                return Ok(None);
            };
            let events = self.events.feed(&piece.to_vec());
            self.ready = events.map_err(|_| CallError::page("an event was too long"))?.into();
        }
    }

    async fn piece(&self) -> Result<Option<Uint8Array>, JsValue> {
        let read = JsFuture::from(self.reader.read());
        let read = match self.silence {
            None => read.await?,
            Some(silence) => match select(read, pin!(browser::sleep(silence))).await {
                Either::Left((read, _)) => read?,
                Either::Right(_) => return Err(JsValue::NULL),
            },
        };
        if Reflect::get(&read, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        Reflect::get(&read, &"value".into())?.dyn_into().map(Some)
    }
}

/// A stream breaks when the network does, or when the user stops the call.
fn broken(error: &JsValue) -> CallError {
    let name = Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
    if name.as_deref() == Some("AbortError") { CallError::Stopped } else { CallError::Offline }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        let cancelled = JsFuture::from(self.reader.cancel());
        // It fails when the call was stopped, which is as good.
        wasm_bindgen_futures::spawn_local(async move { drop(cancelled.await) });
    }
}
