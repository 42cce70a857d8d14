//! Answers what no family understands: greetings, thanks, prices, and sentences that mean nothing here.
//!
//! It is never as sure as a family that claims a sentence, so it leads only where none does.

use language::{
    contract::Told,
    message::{Part, text_of},
    small_talk::{Said, answer},
    turn::{Conclusion, Decision},
};
use toolkit::dialogue::{Reply, Turn};

toolkit::export_tools!();
toolkit::export_dialogue!(next);

/// What comes next.
///
/// # Errors
/// Where a JSON document of the turn cannot be read.
pub fn next(turn: Turn) -> Result<Reply, String> {
    let told = Told::read(turn, None)?;
    if told.is_theirs {
        return Ok(told.nothing());
    }
    let (text, turn) = (text_of(&told.task.message), told.turn());
    let said = Said {
        text: &text,
        language: told.task.language,
        now: told.task.now,
        names: &told.names,
        offers: turn.offers,
    };
    let (text, confidence) = answer(&said);
    let conclusion = Conclusion { parts: vec![Part::text(text)], choice: None };
    Ok(told.reply(Decision::Conclude(conclusion), &told.memory, confidence))
}
