//! Cache of remote listings and pictures in the component's database.
//!
//! A failing cache counts as empty. Errors are never cached.

use serde::{Deserialize, Deserializer, de};
use toolkit::{clock::now_s, log, sql, sql::Statement};

use super::remote::Listing;

/// How long a picture is cached, in seconds: catalogues want theirs to be fetched once.
const PICTURE_S: i64 = 30 * 86_400;
/// Maximum size of a cached request, in bytes.
const ASKED_BYTES_MAX: usize = 4_096;
/// Maximum size of a cached answer, in bytes.
const ANSWER_BYTES_MAX: usize = 256 << 10;
/// Maximum number of cached answers.
const ANSWERS_MAX: i64 = 500;
/// Maximum size of all cached pictures together, in bytes.
const PICTURES_BYTES_MAX: i64 = 128 << 20;
/// Size of a piece of a picture that fits into a row, in bytes.
const PIECE_BYTES: usize = 768 << 10;
/// Maximum number of pieces of a picture.
const PIECES_MAX: i64 = 8;

/// Returns the cached listing for a request, unless it has expired.
pub fn listing(request: &str) -> Option<Listing> {
    let read = || -> Result<Option<(String,)>, sql::Error> {
        let select =
            "SELECT answer FROM answers WHERE asked = $1 AND until_s > $2 AND until_s <= $3";
        let now = now_s();
        let [rows] = sql::query([toolkit::sql!(select, request, now, now + PICTURE_S)])?;
        rows.first::<(String,)>()
    };
    let answer = read().unwrap_or_else(log_error);
    answer.and_then(|(text,)| serde_json::from_str(&text).ok())
}

/// Caches a listing for `cache_s` seconds, and deletes expired and excess ones.
pub fn keep_listing(request: &str, listing: &Listing, cache_s: i64) {
    let Ok(text) = serde_json::to_string(listing) else { return };
    if text.len() > ANSWER_BYTES_MAX || request.len() > ASKED_BYTES_MAX {
        return;
    }
    let now = now_s();
    let batch = [
        toolkit::sql!("DELETE FROM answers WHERE until_s <= $1 OR asked = $2", now, request),
        toolkit::sql!(
            "DELETE FROM answers WHERE asked IN (SELECT asked FROM answers \
             ORDER BY until_s DESC, asked LIMIT $1 OFFSET $2)",
            ANSWERS_MAX,
            ANSWERS_MAX - 1
        ),
        toolkit::sql!(
            "INSERT INTO answers (asked, until_s, bytes, answer) VALUES ($1, $2, $3, $4)",
            request,
            now + cache_s.clamp(0, PICTURE_S),
            length(text.len()),
            text
        ),
    ];
    if let Err(error) = sql::transact_all(&batch) {
        log_error(error)
    }
}

/// Returns the cached picture of a URL, with its media type.
pub fn picture(url: &str) -> Option<(String, Vec<u8>)> {
    let read = || -> Result<Option<(String, Vec<u8>)>, sql::Error> {
        let now = now_s();
        let [kept, pieces] = sql::query([
            toolkit::sql!(
                "SELECT mime_type, bytes FROM pictures WHERE url = $1 AND until_s > $2 \
                 AND until_s <= $3",
                url,
                now,
                now + PICTURE_S
            ),
            toolkit::sql!(
                "SELECT content FROM pieces WHERE url = $1 ORDER BY number LIMIT $2",
                url,
                PIECES_MAX
            ),
        ])?;
        let Some((mime_type, bytes)) = kept.first::<(String, i64)>()? else { return Ok(None) };
        let pieces = pieces.read::<(Piece,)>()?;
        let content = pieces.into_iter().flat_map(|it| it.0.0).collect::<Vec<_>>();
        // Incomplete pictures are fetched again.
        Ok((length(content.len()) == bytes).then_some((mime_type, content)))
    };
    read().unwrap_or_else(log_error)
}

/// Caches a picture; the oldest ones make room for it.
pub fn keep_picture(url: &str, mime_type: &str, content: &[u8]) {
    if url.len() > ASKED_BYTES_MAX {
        return;
    }
    let (now, bytes) = (now_s(), length(content.len()));
    let mut batch: Vec<Statement> = vec![
        toolkit::sql!("DELETE FROM pictures WHERE until_s <= $1 OR url = $2", now, url),
        toolkit::sql!(
            "DELETE FROM pictures WHERE url IN (SELECT url FROM (SELECT url, \
             SUM(bytes) OVER (ORDER BY until_s DESC, url) AS total FROM pictures) AS kept \
             WHERE total > $1)",
            PICTURES_BYTES_MAX - bytes
        ),
        toolkit::sql!("DELETE FROM pieces WHERE url NOT IN (SELECT url FROM pictures)"),
        toolkit::sql!(
            "INSERT INTO pictures (url, until_s, bytes, mime_type) VALUES ($1, $2, $3, $4)",
            url,
            now + PICTURE_S,
            bytes,
            mime_type
        ),
    ];
    for (number, piece) in (0_i64..).zip(content.chunks(PIECE_BYTES)) {
        let insert = "INSERT INTO pieces (url, number, content) VALUES ($1, $2, $3)";
        batch.push(toolkit::sql!(insert, url, number, piece.to_vec()));
    }
    if let Err(error) = sql::transact_all(&batch) {
        log_error(error)
    }
}

/// A piece of a picture in a row.
struct Piece(Vec<u8>);

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl de::Visitor<'_> for Bytes {
            type Value = Piece;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Piece, E> {
                Ok(Piece(bytes))
            }
        }

        from.deserialize_byte_buf(Bytes)
    }
}

/// Logs a cache error for the operator.
fn log_error<T: Default>(error: sql::Error) -> T {
    log::warning(&format!("what a source answers is not remembered: {error:?}"));
    T::default()
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
