//! The routes of `/api/blobs` take uploads in pieces, and serve files so that none runs as a page.

use std::{io, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;

use base::caller::{Place, Quota, TooMany};
use calls::{
    authorization::{caller_of, forbidden},
    outcome::refusal,
};
use store::blobs::{Blob, BlobError, Blobs, Content, mime};

/// Maximum wait for the next piece of an upload.
const PIECE_WAIT: Duration = Duration::from_secs(30);
/// Content security policy of blobs: nothing runs.
const POLICY: &str = "sandbox; default-src 'none'";

/// Handles an upload: 201 with the blob's id.
pub(crate) async fn put(
    State(blobs): State<Blobs>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Body,
) -> Response {
    let caller = caller_of(&headers, &extensions);
    if !caller.may_upload() {
        let message = "The token may only read; ask the operator for one without read-only.";
        return forbidden(refusal(StatusCode::FORBIDDEN, "insufficient_scope", message), "");
    }
    let text = |name| headers.get(name).map(|it: &HeaderValue| it.to_str().unwrap_or_default());
    let Some(mime_type) = mime::declared(text(header::CONTENT_TYPE)) else {
        let message = "Content-Type is not a media type such as image/png.";
        return refusal(StatusCode::BAD_REQUEST, "invalid_content_type", message);
    };
    let length = text(header::CONTENT_LENGTH).and_then(|it| it.parse().ok());
    match take_in(&blobs, (caller.share(), &mime_type), length, body).await {
        Ok(blob) => created(&blob),
        Err(NotTaken::Blob(error)) => refused(&error, &blobs),
        Err(NotTaken::Slow) => {
            let message = format!("Nothing came for {PIECE_WAIT:?}; send it again.");
            refusal(StatusCode::REQUEST_TIMEOUT, "timeout", &message)
        }
        Err(NotTaken::Broken) => {
            let message = "The upload ended before its end; send it again.";
            refusal(StatusCode::BAD_REQUEST, "incomplete", message)
        }
    }
}

/// Why an upload did not become a blob.
enum NotTaken {
    Blob(BlobError),
    Slow,
    Broken,
}

async fn take_in(
    blobs: &Blobs,
    (owner, mime_type): (Option<Arc<str>>, &str),
    length: Option<u64>,
    body: Body,
) -> Result<Blob, NotTaken> {
    let mut upload = blobs.upload(owner).await.map_err(NotTaken::Blob)?;
    upload.expect(length.unwrap_or(0)).await.map_err(NotTaken::Blob)?;
    let mut pieces = body.into_data_stream();
    loop {
        match tokio::time::timeout(PIECE_WAIT, pieces.next()).await {
            Err(_) => return Err(NotTaken::Slow),
            Ok(Some(Err(_))) => return Err(NotTaken::Broken),
            Ok(Some(Ok(piece))) => upload.write(&piece).await.map_err(NotTaken::Blob)?,
            Ok(None) => return upload.finish(mime_type).await.map_err(NotTaken::Blob),
        }
    }
}

fn created(blob: &Blob) -> Response {
    let expires = i64::try_from(blob.expires_at.as_secs()).unwrap_or(i64::MAX);
    let expires = jiff::Timestamp::from_second(expires).unwrap_or(jiff::Timestamp::MAX);
    let mut body = json!({ "id": blob.id, "size": blob.size, "mimeType": blob.mime_type });
    if let Some(sniffed) = blob.sniffed {
        body["sniffedMimeType"] = sniffed.into();
    }
    body["expiresAt"] = expires.to_string().into();
    let location = format!("/api/blobs/{}", blob.id);
    (StatusCode::CREATED, [(header::LOCATION, location)], axum::Json(body)).into_response()
}

fn refused(error: &BlobError, blobs: &Blobs) -> Response {
    let max = blobs.limits();
    match error {
        BlobError::Unknown => {
            let message = "There is no such blob, or none any more; upload it again.";
            refusal(StatusCode::NOT_FOUND, "not_found", message)
        }
        BlobError::TooLarge(most) => {
            let message = format!(
                "A file may have {most} bytes; send a smaller one, or let the operator raise blob_bytes_max under [blobs]."
            );
            refusal(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", &message)
        }
        BlobError::Full(most) => {
            let message = format!(
                "All files together may have {most} bytes, and do; the unused ones go after {} s, or the operator can raise bytes_max under [blobs].",
                max.ttl_s
            );
            refusal(StatusCode::INSUFFICIENT_STORAGE, "storage_full", &message)
        }
        BlobError::ShareFull(most) => {
            let message = format!(
                "What you have left here may have {most} bytes, and does; the unused files go after {} s, or the operator can raise caller_bytes_max under [blobs].",
                max.ttl_s
            );
            refusal(StatusCode::INSUFFICIENT_STORAGE, "share_full", &message)
        }
        BlobError::ShareBusy(most) => {
            let message = format!(
                "{most} of your uploads are on their way; send this one when one of them is done, or let the operator raise caller_uploads_max under [blobs]."
            );
            let mut response = refusal(StatusCode::TOO_MANY_REQUESTS, "too_many_uploads", &message);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
        BlobError::Busy => {
            let message = "Too many uploads are on their way; try again in a second.";
            refusal(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
        }
        BlobError::DiskFull => {
            tracing::error!("a blob cannot be kept: {error}");
            let message = "The server's disk is full; the operator has to make room.";
            refusal(StatusCode::INSUFFICIENT_STORAGE, "disk_full", message)
        }
        BlobError::Io(_) => {
            tracing::error!("a blob cannot be kept or read: {error}");
            let message = "The store failed; the server's log has the reason. Try again later.";
            refusal(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
        }
    }
}

/// Downloads that can be on their way at a time: each holds an open file.
const DOWNLOADS_MAX: usize = 256;

/// The places of downloads of `blobs`.
pub(crate) fn downloads(blobs: &Blobs) -> Quota {
    Quota::new(DOWNLOADS_MAX, blobs.limits().caller_downloads_max)
}

/// Gives one out, whole or a part of it.
pub(crate) async fn get(
    State((blobs, downloads)): State<(Blobs, Quota)>,
    Path(id): Path<String>,
    headers: HeaderMap,
    extensions: Extensions,
) -> Response {
    let download = match downloads.take(&caller_of(&headers, &extensions)) {
        Ok(download) => download,
        Err(why) => return too_many(&why, blobs.limits().caller_downloads_max),
    };
    let (blob, content) = match blobs.content(&id).await {
        Ok(found) => found,
        Err(error) => return refused(&error, &blobs),
    };
    let tag = format!("\"{}\"", blob.id);
    let mut out = fixed_headers(&blob, &tag);
    let text = |name| headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    if text(header::IF_NONE_MATCH).is_some_and(|it| it.contains(&tag) || it.trim() == "*") {
        return (StatusCode::NOT_MODIFIED, out).into_response();
    }
    let asked = text(header::RANGE).filter(|_| text(header::IF_RANGE).is_none_or(|it| it == tag));
    let (status, from, length) = match part(asked, blob.size) {
        Part::Whole => (StatusCode::OK, 0, blob.size),
        Part::Piece { from, length } => {
            let range = format!("bytes {from}-{}/{}", from + length - 1, blob.size);
            set(&mut out, header::CONTENT_RANGE, &range);
            (StatusCode::PARTIAL_CONTENT, from, length)
        }
        Part::Beyond => {
            set(&mut out, header::CONTENT_RANGE, &format!("bytes */{}", blob.size));
            return (StatusCode::RANGE_NOT_SATISFIABLE, out).into_response();
        }
    };
    set(&mut out, header::CONTENT_LENGTH, &length.to_string());
    (status, out, Body::from_stream(pieces((content, download), from, length))).into_response()
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

fn fixed_headers(blob: &Blob, tag: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let shown = mime::is_inline(&blob.mime_type, blob.sniffed);
    // Nor does the page take it for a part of itself.
    let is_code = mime::is_code(&blob.mime_type);
    let mime_type = if is_code { mime::UNKNOWN } else { &blob.mime_type };
    set(&mut headers, header::CONTENT_TYPE, mime_type);
    set(&mut headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut headers, header::CONTENT_SECURITY_POLICY, POLICY);
    set(&mut headers, header::CONTENT_DISPOSITION, if shown { "inline" } else { "attachment" });
    set(&mut headers, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(&mut headers, header::CACHE_CONTROL, "private, no-cache");
    set(&mut headers, header::ACCEPT_RANGES, "bytes");
    set(&mut headers, header::ETAG, tag);
    headers
}

/// The answer to one download too many.
fn too_many(why: &TooMany, most: usize) -> Response {
    let (status, error, message) = match why {
        TooMany::Own => {
            let message = format!(
                "{most} of your downloads are on their way; ask again when one of them is done, or let the operator raise caller_downloads_max under [blobs]."
            );
            (StatusCode::TOO_MANY_REQUESTS, "too_many_downloads", message)
        }
        TooMany::All => {
            let message =
                format!("{DOWNLOADS_MAX} downloads are on their way; ask again in a second.");
            (StatusCode::SERVICE_UNAVAILABLE, "busy", message)
        }
    };
    let mut response = refusal(status, error, &message);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The bytes of a content, a piece at a time, as fast as the client takes them: so long is its download on its way.
fn pieces(
    held: (Content, Place),
    from: u64,
    length: u64,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let held = Arc::new(held);
    futures::stream::try_unfold((from, length), move |(at, left)| {
        let held = held.clone();
        async move {
            if left == 0 {
                return Ok(None);
            }
            let size = left.min(Content::PIECE_BYTES - at % Content::PIECE_BYTES);
            let bytes = held.0.read(at, usize::try_from(size).unwrap_or(0)).await?;
            if (bytes.len() as u64) < size {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
            }
            Ok(Some((Bytes::from(bytes), (at + size, left - size))))
        }
    })
}

// Which part of a file a client asks for (RFC 9110, 14.2): one range, or the whole.

/// The part of the file to send.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    Whole,
    Piece {
        from: u64,
        length: u64,
    },
    /// A range past the end.
    Beyond,
}

/// Resolves `range` for `size` bytes. Multiple or invalid ranges mean the whole.
pub(super) fn part(range: Option<&str>, size: u64) -> Part {
    let Some(spec) = range.and_then(|it| it.strip_prefix("bytes=")) else { return Part::Whole };
    let Some((first, last)) = spec.trim().split_once('-') else { return Part::Whole };
    let number = |it: &str| it.parse::<u64>().ok().filter(|_| !it.starts_with('+'));
    match (first, number(first), last, number(last)) {
        ("", _, _, Some(0)) => Part::Beyond,
        ("", _, _, Some(_)) if size == 0 => Part::Beyond,
        ("", _, _, Some(tail)) => piece(size.saturating_sub(tail), size - 1),
        (_, Some(from), _, _) if from >= size && (last.is_empty() || number(last).is_some()) => {
            Part::Beyond
        }
        (_, Some(from), "", _) => piece(from, size - 1),
        (_, Some(from), _, Some(to)) if from <= to => piece(from, to.min(size - 1)),
        _ => Part::Whole,
    }
}

fn piece(from: u64, to: u64) -> Part {
    Part::Piece { from, length: to - from + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serves_one_range_and_ignores_other_forms() {
        let part = |range| part(Some(range), 10);
        let piece = |from, length| Part::Piece { from, length };
        assert_eq!(part("bytes=0-0"), piece(0, 1));
        assert_eq!(part("bytes=3-"), piece(3, 7));
        assert_eq!(part("bytes=3-99"), piece(3, 7));
        assert_eq!(part("bytes=-4"), piece(6, 4));
        assert_eq!(part("bytes=-99"), piece(0, 10));
        for whole in ["", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=0-1,3-4", "lines=1-2"] {
            assert_eq!(part(whole), Part::Whole, "{whole}");
        }
        for beyond in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
            assert_eq!(part(beyond), Part::Beyond, "{beyond}");
        }
    }

    #[test]
    fn empty_blob_has_no_range() {
        assert_eq!(part(None, 0), Part::Whole);
        assert_eq!(part(Some("bytes=0-"), 0), Part::Beyond);
        assert_eq!(part(Some("bytes=-1"), 0), Part::Beyond);
    }
}
