//! Turns that a conversation goes on from: the messages so far, and what waits for the person.
//! A turn never changes, so that an earlier one may be gone on from a second time.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolkit::{fresh_id, log, sql};

use crate::{Answered, Held, Part, Provider, config::ChatConfig};

/// Bytes of one piece of a document, and pieces that are written or read at once: what a row and a batch take.
const PIECE_BYTES: usize = 900_000;
const PIECES_AT_ONCE: usize = 8;

/// One turn, as it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) assistant: String,
    pub(crate) provider: Provider,
    pub(crate) model: String,
    /// The provider's own messages, verbatim.
    pub(crate) transcript: Value,
    /// The person's message that the model has not received yet, because something still waits.
    pub(crate) said: Vec<Part>,
    /// The calls of the last turn that wait.
    pub(crate) waiting: Vec<Held>,
    /// The calls of the same turn that do not.
    pub(crate) answered: Vec<Answered>,
    /// The ids of both, in the order in which they were decided on.
    pub(crate) order: Vec<String>,
}

/// Keeps `turn` of `owner`'s; its number, which cannot be guessed.
///
/// # Errors
/// Why it cannot be kept.
pub(crate) fn keep(owner: &str, turn: &Kept, limits: &ChatConfig) -> Result<String, String> {
    let document = serde_json::to_string(turn).map_err(|it| it.to_string())?;
    let (bytes, most) = (document.len() as u64, limits.turn_bytes_max);
    if bytes > most {
        return Err(format!("the conversation has {bytes} bytes; {most} is most (turn_bytes_max)"));
    }
    let id = fresh_id("turn");
    let put = "INSERT INTO pieces (turn, place, piece) VALUES ($1, $2, $3)";
    let pieces = pieces(&document, PIECE_BYTES).into_iter().enumerate();
    let mut written: Vec<_> =
        pieces.map(|(place, it)| toolkit::sql!(put, id.as_str(), number(place), it)).collect();
    let put = "INSERT INTO turns (id, owner, waits, position, bytes) \
        SELECT $1, $2, $3, coalesce(max(position), 0) + 1, $4 FROM turns";
    let waits = i64::from(!turn.waiting.is_empty());
    // Behind its pieces, for what is not whole is there for none.
    written.push(toolkit::sql!(put, id.as_str(), owner, waits, number(document.len())));
    for batch in written.chunks(PIECES_AT_ONCE) {
        sql::transact_all(batch).map_err(|it| format!("the database: {it:?}"))?;
    }
    if let Err(error) = make_room(&id, limits) {
        log::warning(&format!("old conversations are not removed: {error:?}"));
    }
    Ok(id)
}

/// The turn of that number, if it is there, can be read by this version, and is `owner`'s.
///
/// # Errors
/// Those of the database; the turn may be there all the same.
pub(crate) fn find(id: &str, owner: &str) -> Result<Option<Kept>, sql::Error> {
    let Some(document) = document(id, owner)? else { return Ok(None) };
    let read = serde_json::from_str(&document);
    Ok(read.inspect_err(|it| log::error(&format!("a kept conversation cannot be read: {it}"))).ok())
}

fn document(id: &str, owner: &str) -> Result<Option<String>, sql::Error> {
    let own = "SELECT id FROM turns WHERE id = $1 AND owner = $2";
    let next = "SELECT piece FROM pieces WHERE turn = $1 AND place >= $2 ORDER BY place LIMIT $3";
    let most = number(PIECES_AT_ONCE);
    let [found, first] =
        sql::query([toolkit::sql!(own, id, owner), toolkit::sql!(next, id, 0, most)])?;
    if found.is_empty() {
        return Ok(None);
    }
    let (mut pieces, mut document, mut place) = (first.read::<(String,)>()?, String::new(), 0);
    loop {
        pieces.iter().for_each(|it| document.push_str(&it.0));
        place += pieces.len();
        if pieces.len() < PIECES_AT_ONCE {
            return Ok(Some(document));
        }
        let [more] = sql::query([toolkit::sql!(next, id, number(place), most)])?;
        pieces = more.read()?;
    }
}

/// Removes the oldest where there are too many turns, or too many bytes. The caller with most gives way, so that
/// one with less than an equal share loses nothing to others, and what waits for its person goes last.
fn make_room(newest: &str, limits: &ChatConfig) -> Result<(), sql::Error> {
    loop {
        let all = "SELECT count(*), coalesce(sum(bytes), 0) FROM turns";
        let [all] = sql::query([toolkit::sql!(all)])?;
        let (turns, bytes) = all.first::<(u64, u64)>()?.unwrap_or_default();
        let is_crowded = turns > limits.turns_max;
        if turns < 2 || !is_crowded && bytes <= limits.turns_bytes_max {
            return Ok(());
        }
        let weight = if is_crowded { "count(*)" } else { "sum(bytes)" };
        let heaviest = format!(
            "SELECT id FROM turns WHERE id <> $1 AND owner = \
             (SELECT owner FROM turns WHERE id <> $1 GROUP BY owner ORDER BY {weight} DESC LIMIT 1) \
             ORDER BY waits, position LIMIT 1"
        );
        let [oldest] = sql::query([toolkit::sql!(heaviest, newest)])?;
        let Some((id,)) = oldest.first::<(String,)>()? else { return Ok(()) };
        sql::transact([
            toolkit::sql!("DELETE FROM turns WHERE id = $1", id.as_str()),
            toolkit::sql!("DELETE FROM pieces WHERE turn = $1", id.as_str()),
        ])?;
    }
}

/// `text` in pieces of at most so many bytes; one at least.
fn pieces(text: &str, bytes_max: usize) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while rest.len() > bytes_max {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(bytes_max));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn number(it: usize) -> i64 {
    i64::try_from(it).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_parted_between_its_letters() {
        let text = "窓口".repeat(100);
        for most in [3, 4, 7, 600, 601] {
            let pieces = pieces(&text, most);
            assert!(pieces.iter().all(|it| it.len() <= most));
            assert_eq!(pieces.concat(), text);
        }
        assert_eq!(pieces("", 10), [""]);
    }
}
