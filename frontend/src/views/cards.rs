//! What stands in a conversation beside its text: calls with what they put out, what waits for the
//! reader, pictures. Each takes plain values and callbacks; the place decides what comes of them.

mod call_card;
mod pending;
mod picker;
mod pictures;

use leptos::prelude::*;

pub(crate) use call_card::{Arguments, CallCard};
pub(crate) use pending::{PendingCard, asked};
pub(crate) use pictures::{PictureGrid, ThreadGallery};

/// How a result speaks for the reader: what is chosen in it is the next message. Provided as a context
/// by the place that has a conversation; elsewhere results are only to look at.
#[derive(Clone, Copy)]
pub(crate) struct Say {
    /// Sends a message.
    pub(crate) say: Callback<String>,
    /// Whether an answer is on its way, and nothing can be sent.
    pub(crate) is_busy: Signal<bool>,
}
