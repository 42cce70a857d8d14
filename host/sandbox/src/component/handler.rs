//! Requests to components that implement `wasi:http/incoming-handler`, or `wasi:http/handler` of WASI 0.3 (SYS-45).

use std::{error::Error, pin::pin};

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use tokio::{sync::oneshot, task::unconstrained};
use wasmtime::{Store, component::Instance};
use wasmtime_wasi_http::{
    WasiHttpView,
    p2::bindings::http::types::Scheme,
    p3::{self, bindings::exports::wasi::http::handler},
};

use super::{CallError, Called, LoadedComponent, Round, exports::Handler};
use crate::capability::state::CallState;

/// Why an answer cannot be passed on.
enum Unusable {
    TooLarge,
    Broken(&'static str),
}

type Answered = Result<Response<Bytes>, Unusable>;

impl LoadedComponent {
    /// Whether it answers requests in this way: it has none of the contract's.
    pub fn has_handler(&self) -> bool {
        let exports = &self.exports;
        exports.handler.is_some() && exports.routes.is_none() && exports.endpoints.is_none()
    }

    /// Answers one request in an instance of its own, with as many bytes as may cross the border.
    pub fn respond(&self, request: Request<Bytes>, round: Round) -> Called<'_, Response<Bytes>> {
        Box::pin(async move {
            let call_id = round.call_id;
            let bytes_max = self.setup.limits.output_bytes_max;
            let answered = self.in_long_place(
                &self.queues.routes,
                round,
                |it| it,
                async |store, instance| self.handled(store, instance, request, bytes_max).await,
            );
            answered.await?.map_err(|unusable| match unusable {
                Unusable::TooLarge => {
                    let (component, limit) = (self.name.clone(), "output_bytes_max");
                    CallError::LimitExceeded { component, call_id, limit }
                }
                Unusable::Broken(what) => self.broken(call_id, format!("its answer: {what}")),
            })
        })
    }

    async fn handled(
        &self,
        store: &mut Store<CallState>,
        instance: Instance,
        request: Request<Bytes>,
        bytes_max: usize,
    ) -> wasmtime::Result<Answered> {
        let none = || Ok(Err(Unusable::Broken("there is none")));
        let export = match &self.exports.handler {
            Some(Handler::Incoming(export)) => export,
            Some(Handler::Concurrent(export)) => {
                let handler = export.load(&mut *store, &instance)?;
                return concurrently(store, &handler, request, bytes_max).await;
            }
            None => return none(),
        };
        let handler = export.load(&mut *store, &instance)?;
        let request = request.map(Full::new);
        let (sender, mut receiver) = oneshot::channel();
        let request = store.data_mut().http().new_incoming_request(Scheme::Http, request)?;
        let outparam = store.data_mut().http().new_response_outparam(sender)?;
        let mut call = pin!(handler.call_handle(store, request, outparam));
        let head = tokio::select! {
            biased;
            head = &mut receiver => head,
            called = &mut call => {
                called?;
                match receiver.try_recv() {
                    // All its output has arrived by now.
                    Ok(Ok(response)) => {
                        let whole = unconstrained(collected(response, bytes_max)).now_or_never();
                        let endless = || Err(Unusable::Broken("its body has no end"));
                        return Ok(whole.unwrap_or_else(endless));
                    }
                    Ok(Err(_)) => return Ok(Err(Unusable::Broken("it says that it failed"))),
                    Err(_) => return none(),
                }
            }
        };
        let response = match head {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => return Ok(Err(Unusable::Broken("it says that it failed"))),
            Err(_) => return none(),
        };
        // The body is read while the component writes it.
        let mut whole = pin!(unconstrained(collected(response, bytes_max)));
        tokio::select! {
            biased;
            whole = &mut whole => {
                if whole.is_ok() {
                    // The component may continue after its response.
                    call.await?;
                }
                Ok(whole)
            }
            called = &mut call => {
                called?;
                let endless = || Err(Unusable::Broken("its body has no end"));
                Ok(whole.now_or_never().unwrap_or_else(endless))
            }
        }
    }
}

/// An answer as WASI 0.3 has it: its body is read while the component writes it. What still runs once it is whole ends
/// with it.
async fn concurrently(
    store: &mut Store<CallState>,
    handler: &handler::Guest,
    request: Request<Bytes>,
    bytes_max: usize,
) -> wasmtime::Result<Answered> {
    let http = store.data_mut().http();
    let (request, _) = p3::Request::from_http(http.hooks, request.map(Full::new));
    let request = http.table.push(request)?;
    let answered = store.run_concurrent(async |store| {
        let Ok(response) = handler.call_handle(store, request).await? else {
            return Ok(Err(Unusable::Broken("it says that it failed")));
        };
        let response = store.with(|mut store| {
            let response = store.get().table.delete(response)?;
            response.into_http(store, std::future::ready(Ok(())))
        })?;
        Ok(unconstrained(collected(response, bytes_max)).await)
    });
    answered.await?
}

/// The whole of a response of so many bytes at most.
async fn collected<B>(response: Response<B>, bytes_max: usize) -> Answered
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (parts, body) = response.into_parts();
    match Limited::new(body, bytes_max).collect().await {
        Ok(body) => Ok(Response::from_parts(parts, body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(Unusable::TooLarge),
        Err(_) => Err(Unusable::Broken("its body breaks off")),
    }
}
