//! Saved turns of conversations: the messages so far, and the calls that wait for the person. A turn
//! never changes, so that a conversation can continue from an earlier one.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolkit::{fresh_id, log, sql};

use crate::{Answered, Part, PendingCall, Provider, config::ChatConfig};

/// Bytes of one piece of a document, and pieces written or read at once, within the limits of a row and a batch.
const PIECE_BYTES: usize = 900_000;
const PIECES_AT_ONCE: usize = 8;

/// A saved turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedTurn {
    pub(crate) assistant: String,
    pub(crate) provider: Provider,
    pub(crate) model: String,
    /// The provider's own messages, verbatim.
    pub(crate) transcript: Value,
    /// The person's message, if the model has not received it yet because calls still wait.
    #[serde(rename = "said")]
    pub(crate) undelivered: Vec<Part>,
    /// Calls of the last turn that wait.
    pub(crate) waiting: Vec<PendingCall>,
    /// Other calls of the same turn.
    pub(crate) answered: Vec<Answered>,
    /// Ids of both, in the order in which they were decided.
    pub(crate) order: Vec<String>,
}

/// Saves `turn` and returns its id, which cannot be guessed.
///
/// # Errors
/// If it is too large or the database fails.
pub(crate) fn save(owner: &str, turn: &SavedTurn, limits: &ChatConfig) -> Result<String, String> {
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
    // Written after its pieces, so that an incomplete turn is never found.
    written.push(toolkit::sql!(put, id.as_str(), owner, waits, number(document.len())));
    for batch in written.chunks(PIECES_AT_ONCE) {
        sql::transact_all(batch).map_err(|it| format!("the database: {it:?}"))?;
    }
    if let Err(error) = make_room(&id, limits) {
        log::warning(&format!("old conversations are not removed: {error:?}"));
    }
    Ok(id)
}

/// Finds a turn of `owner`; `None` if it is missing or this version cannot read it.
///
/// # Errors
/// If the database fails.
pub(crate) fn find(id: &str, owner: &str) -> Result<Option<SavedTurn>, sql::Error> {
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

/// Removes the oldest turns beyond the limits. Removes from the caller who has most, so that others
/// keep their share; turns that wait for a person go last.
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

/// Splits `text` into at least one piece of at most `bytes_max` bytes.
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

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_document_at_character_boundaries() {
        let text = "窓口".repeat(100);
        for most in [3, 4, 7, 600, 601] {
            let pieces = pieces(&text, most);
            assert!(pieces.iter().all(|it| it.len() <= most));
            assert_eq!(pieces.concat(), text);
        }
        assert_eq!(pieces("", 10), [""]);
    }
}
