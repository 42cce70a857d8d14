//! What every argument of a tool keeps to.

use toolkit::{Problem, Stop};

/// How long an identifier may be, and a name that a caller makes up: of a user, a conversation, an
/// idempotency key.
pub const NAME_CHARS_MAX: usize = 200;

/// What is wrong with a text that must have 1 to `max` characters.
#[must_use]
pub fn length(pointer: &str, text: &str, max: usize) -> Option<Problem> {
    let fits = !text.is_empty() && text.chars().count() <= max;
    (!fits).then(|| Problem::at(pointer, format!("must have 1 to {max} characters")))
}

/// What is wrong with an identifier that something may have: nothing is named as long as that.
#[must_use]
pub fn at_most(pointer: &str, id: &str) -> Option<Problem> {
    (id.chars().count() > NAME_CHARS_MAX)
        .then(|| Problem::at(pointer, format!("must have at most {NAME_CHARS_MAX} characters")))
}

/// Stops if anything is wrong.
///
/// # Errors
/// With all that is.
pub fn none_of(problems: impl IntoIterator<Item = Option<Problem>>) -> Result<(), Stop> {
    let problems: Vec<_> = problems.into_iter().flatten().collect();
    if problems.is_empty() { Ok(()) } else { Err(Stop::InvalidArguments(problems)) }
}
