//! At most so many at once: a browser has few connections to one host, and the page's own calls need some.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Lets so many in and the rest wait.
#[derive(Clone)]
pub(crate) struct Gate(Rc<Inner>);

struct Inner {
    free: Cell<usize>,
    waiting: RefCell<VecDeque<Waker>>,
}

/// Leave to go on; given back when it is dropped.
pub(crate) struct Pass(Rc<Inner>);

impl Gate {
    pub(crate) fn new(places: usize) -> Self {
        Self(Rc::new(Inner { free: Cell::new(places), waiting: RefCell::default() }))
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self) -> Pass {
        poll_fn(|context| {
            let free = self.0.free.get();
            if free > 0 {
                self.0.free.set(free - 1);
                return Poll::Ready(Pass(Rc::clone(&self.0)));
            }
            self.0.waiting.borrow_mut().push_back(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get() + 1);
        // All are woken: the first gets the place, and one that gave up loses it for no other.
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
    fn a_gate_lets_so_many_in_and_the_next_when_one_leaves() {
        let gate = Gate::new(2);
        let mut context = Context::from_waker(Waker::noop());
        let (mut first, mut second) = (pin!(gate.enter()), pin!(gate.enter()));
        let Poll::Ready(pass) = first.as_mut().poll(&mut context) else { panic!("the first") };
        let Poll::Ready(_kept) = second.as_mut().poll(&mut context) else { panic!("the second") };
        let mut third = pin!(gate.enter());
        assert!(third.as_mut().poll(&mut context).is_pending());
        drop(pass);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }
}
