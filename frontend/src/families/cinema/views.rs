//! Views of the cinema: films, showtimes, halls, bookings and tickets.

use std::time::Duration;

use leptos::prelude::*;

use crate::browser;

pub(crate) mod box_office;
pub(crate) mod choice;
pub(crate) mod hall;
pub(crate) mod history;
pub(crate) mod movies;
pub(crate) mod request;
pub(crate) mod staff;
pub(crate) mod ticket;

/// Refreshes when the reader returns, and every `age` while they look.
fn stay_fresh(age: Duration, ask: impl Fn() + Copy + 'static) {
    let ask = move || {
        if browser::is_visible() {
            ask();
        }
    };
    let timer = set_interval_with_handle(ask, age);
    let focus = window_event_listener(leptos::ev::focus, move |_| ask());
    let visibility = window_event_listener(leptos::ev::visibilitychange, move |_| ask());
    on_cleanup(move || {
        if let Ok(timer) = timer {
            timer.clear();
        }
        focus.remove();
        visibility.remove();
    });
}
