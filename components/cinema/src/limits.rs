//! What every argument of a tool keeps to.

use output::text::is_blank;
use toolkit::{Problem, Stop};

/// How long an identifier may be, and a name that a caller makes up: of a user, a conversation, an
/// idempotency key.
pub const NAME_CHARS_MAX: usize = 200;

/// What is wrong with a text that must say something, in at most `max` characters.
pub fn length(pointer: &str, text: &str, max: usize) -> Option<Problem> {
    let fits = !is_blank(text) && text.chars().count() <= max;
    let message = || format!("must have 1 to {max} characters, and not spaces alone");
    (!fits).then(|| Problem::at(pointer, message()))
}

/// What is wrong with an identifier that something may have: nothing is named as long as that.
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
