//! What was answered lately, so that many who fill in one form ask its host once.

use serde_json::Value;
use toolkit::{
    clock::now_ms,
    sql::{self, Error, Statement},
};
use url::Url;

/// How long an answer is fresh.
const FRESH_MS: i64 = 60_000;
/// Answers that are kept.
const ANSWERS_MAX: usize = 500;
/// Bytes that they may have together.
const BYTES_MAX: usize = 16 << 20;
/// Bytes that one may have: what the database takes in one row, less the URL.
const ANSWER_BYTES_MAX: usize = 1_000_000;

/// The answer that is fresh, if there is one.
pub(super) fn kept(url: &Url) -> Result<Option<Value>, Error> {
    let now = now_ms();
    let [rows] = sql::query([toolkit::sql!(
        "SELECT answer FROM lookups WHERE url = $1 AND asked_at > $2 AND asked_at <= $3",
        url.as_str(),
        now - FRESH_MS,
        now,
    )])?;
    let answer = rows.first::<(String,)>()?;
    Ok(answer.and_then(|(text,)| serde_json::from_str(&text).ok()))
}

/// Keeps an answer, and lets go of what is old or too much.
pub(super) fn keep(url: &Url, answer: &Value) -> Result<(), Error> {
    let text = answer.to_string();
    if text.len() > ANSWER_BYTES_MAX {
        return Ok(());
    }
    let now = now_ms();
    let [rows] = sql::query([toolkit::sql!(
        "SELECT url, bytes FROM lookups WHERE asked_at > $1 AND asked_at <= $2 AND url <> $3 \
         ORDER BY asked_at DESC, url",
        now - FRESH_MS,
        now,
        url.as_str(),
    )])?;
    let surplus = surplus(rows.read()?, text.len());
    let mut batch = vec![
        // Those of the future, too: the clock may have been set back.
        toolkit::sql!(
            "DELETE FROM lookups WHERE asked_at <= $1 OR asked_at > $2 OR url = $3",
            now - FRESH_MS,
            now,
            url.as_str(),
        ),
    ];
    batch.extend(surplus.iter().map(|it| toolkit::sql!("DELETE FROM lookups WHERE url = $1", it)));
    batch.push(insert(url, &text, now));
    sql::transact_all(&batch).map(|_| ())
}

/// Lets go of what is old, also where there are no more look-ups.
///
/// # Errors
/// Those of the database.
pub fn sweep() -> Result<(), Error> {
    let now = now_ms();
    let old = "DELETE FROM lookups WHERE asked_at <= $1 OR asked_at > $2";
    sql::transact([toolkit::sql!(old, now - FRESH_MS, now)]).map(|_| ())
}

fn insert(url: &Url, text: &str, now: i64) -> Statement {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    toolkit::sql!(
        "INSERT INTO lookups (url, asked_at, bytes, answer) VALUES ($1, $2, $3, $4)",
        url.as_str(),
        now,
        bytes,
        text,
    )
}

/// The URLs to let go of, the newest first in `kept`, where one of `bytes` is to come.
fn surplus(kept: Vec<(String, i64)>, bytes: usize) -> Vec<String> {
    let (mut left, mut room) = (BYTES_MAX.saturating_sub(bytes), ANSWERS_MAX - 1);
    let goes = |(_, bytes): &(String, i64)| {
        let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
        let stays = room > 0 && bytes <= left;
        (left, room) = if stays { (left - bytes, room - 1) } else { (0, 0) };
        !stays
    };
    kept.into_iter().filter(goes).map(|it| it.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_where_there_are_too_many_or_too_much() {
        let kept = |count: usize, bytes: i64| {
            (0..count).map(|it| (it.to_string(), bytes)).collect::<Vec<_>>()
        };
        assert!(surplus(kept(499, 10), 10).is_empty());
        assert_eq!(surplus(kept(501, 10), 10), ["499", "500"]);
        let mebibyte = 1 << 20;
        assert!(surplus(kept(15, mebibyte), 1 << 20).is_empty());
        assert_eq!(surplus(kept(17, mebibyte), 1 << 20), ["15", "16"]);
    }
}
