//! Common to all requests of the page: headers, deadlines, and the number of concurrent ones.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use gloo_net::http::{Request, RequestBuilder, Response};
use leptos::prelude::set_timeout_with_handle;
use serde::Serialize;
use web_sys::{AbortController, AbortSignal};

use crate::access;
use crate::browser;
use crate::error::CallError;

type Lost = Box<dyn Fn()>;

thread_local!(static WHEN_LOST: RefCell<Option<Lost>> = const { RefCell::new(None) });

/// Registers the callback for requests that do not reach the host.
pub(crate) fn set_on_lost(when_lost: impl Fn() + 'static) {
    WHEN_LOST.set(Some(Box::new(when_lost)));
}

/// Adds the headers of every request: language and authorization. `stop` aborts the request.
pub(crate) fn with_headers(request: RequestBuilder, stop: Option<&AbortSignal>) -> RequestBuilder {
    let request =
        request.header("Accept-Language", &browser::document_language()).abort_signal(stop);
    match access::header() {
        Some(authorization) => request.header("Authorization", &authorization),
        None => request,
    }
}

/// A request for JSON, which ends with `stop`.
pub(crate) fn for_json(request: RequestBuilder, stop: Option<&AbortSignal>) -> RequestBuilder {
    with_headers(request.header("Accept", "application/json"), stop)
}

/// Adds a JSON body.
pub(crate) fn with_json(
    request: RequestBuilder,
    body: &impl Serialize,
) -> Result<Request, CallError> {
    request.json(body).map_err(|error| CallError::page(&error.to_string()))
}

/// Awaits with a deadline; `late` makes the error.
pub(crate) async fn in_time<T>(
    deadline: Duration,
    stop: Option<AbortController>,
    late: impl FnOnce() -> CallError,
    work: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let is_late = Rc::new(Cell::new(false));
    let flag = Rc::clone(&is_late);
    let give_up = move || {
        flag.set(true);
        stop.iter().for_each(AbortController::abort);
    };
    let timer = set_timeout_with_handle(give_up, deadline).ok();
    let result = work.await;
    timer.iter().for_each(|it| it.clear());
    if is_late.get() && result.is_err() { Err(late()) } else { result }
}

/// Unwraps a response. A failed request is reported, since the host may be gone.
pub(crate) fn answered<E>(
    sent: Result<Response, E>,
    stop: Option<&AbortSignal>,
) -> Result<Response, CallError> {
    sent.map_err(|_| match stop {
        Some(signal) if signal.aborted() => CallError::Stopped,
        _ => lost(),
    })
}

/// Reports a missing or incomplete response.
pub(crate) fn lost() -> CallError {
    WHEN_LOST.with_borrow(|all| all.iter().for_each(|when_lost| when_lost()));
    CallError::Offline
}

/// Limits the number of concurrent holders; others wait.
#[derive(Clone)]
pub(crate) struct ConcurrencyLimit(Rc<Inner>);

struct Inner {
    free: Cell<usize>,
    waiting: RefCell<VecDeque<Waker>>,
}

/// A slot of the limit, released when dropped.
pub(crate) struct Permit(Rc<Inner>);

impl ConcurrencyLimit {
    pub(crate) fn new(places: usize) -> Self {
        Self(Rc::new(Inner { free: Cell::new(places), waiting: RefCell::default() }))
    }

    pub(crate) async fn enter(&self) -> Permit {
        poll_fn(|context| {
            let free = self.0.free.get();
            if free > 0 {
                self.0.free.set(free - 1);
                return Poll::Ready(Permit(Rc::clone(&self.0)));
            }
            self.0.waiting.borrow_mut().push_back(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get() + 1);
        // All are woken: the first gets the slot, and a cancelled waiter costs no other its turn.
        let waiting = std::mem::take(&mut *self.0.waiting.borrow_mut());
        waiting.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    #[test]
    fn reports_every_lost_request() {
        let lost = Rc::new(Cell::new(0));
        let count = Rc::clone(&lost);
        set_on_lost(move || count.set(count.get() + 1));
        for _ in 0..2 {
            assert_eq!(answered(Err(()), None).unwrap_err(), CallError::Offline);
        }
        assert_eq!(lost.get(), 2);
    }

    #[test]
    fn limits_concurrent_requests() {
        let limit = ConcurrencyLimit::new(2);
        let mut context = Context::from_waker(Waker::noop());
        let (mut first, mut second) = (pin!(limit.enter()), pin!(limit.enter()));
        let Poll::Ready(pass) = first.as_mut().poll(&mut context) else { panic!("the first") };
        let Poll::Ready(_kept) = second.as_mut().poll(&mut context) else { panic!("the second") };
        let mut third = pin!(limit.enter());
        assert!(third.as_mut().poll(&mut context).is_pending());
        drop(pass);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }
}
