//! Contents of a conversation besides text: calls with outputs, pending items, pictures. Each takes plain values and
//! callbacks; the view decides their effect.

mod call_card;
mod pending;
mod picker;
mod pictures;

use leptos::prelude::*;

pub(crate) use call_card::{Arguments, CallCard};
pub(crate) use pending::{PendingCard, Wanted, as_question, sentence};
pub(crate) use pictures::{PictureGrid, ThreadGallery};

/// Lets a result send a message: a choice made in it is the next one. Provided as a context by views with a
/// conversation; elsewhere results are read-only.
#[derive(Clone, Copy)]
pub(crate) struct Say {
    pub(crate) say: Callback<String>,
    /// Whether an answer is running and nothing can be sent.
    pub(crate) is_busy: Signal<bool>,
}
