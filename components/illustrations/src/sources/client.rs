//! HTTP requests to catalogues: sending, rate limits and errors.

use std::time::Duration;

use toolkit::{clock::now_ms, http, log, pace, sql};
use url::Url;

use crate::sources;
use crate::{
    picture,
    refusals::{SourceError, failed},
};

/// Time limit of a request; people do not wait longer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of an answer or a picture, in bytes.
pub const BODY_BYTES_MAX: usize = 4 << 20;
/// Default retry delay of a source at its limit, in seconds.
const RETRY_AFTER_S: u32 = 60;
/// Maximum retry delay that a source may ask for, in seconds.
const RETRY_AFTER_S_MAX: u32 = 86_400;

/// Maximum time that a source is closed, in milliseconds; a later end was stored by a wrong clock.
const CLOSED_MS_MAX: i64 = 86_400_000;

/// The answer of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The header `Retry-After`, in seconds.
    pub retry_after_s: Option<u32>,
    /// The header `Content-Type`, in lower case.
    pub content_type: String,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

/// Sends requests to sources.
pub trait HttpClient {
    /// Returns the answer, with any status.
    ///
    /// # Errors
    /// When there is no answer, or the source is closed.
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError>;

    /// Closes the source for some time.
    fn close(&self, retry_after_s: u32) {
        let _ = retry_after_s;
    }
}

/// The host's network.
#[derive(Clone, Copy, Debug)]
pub struct Network;

impl HttpClient for Network {
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError> {
        let request = http::Request::get(url.as_str())
            .timeout(TIMEOUT)
            .body_bytes_max(BODY_BYTES_MAX)
            .header("accept", accept)
            .header("user-agent", &sources::user_agent());
        let answer = request.send().map_err(|error| request_error(url, &error))?;
        let retry_after_s = answer.header("retry-after").and_then(|it| it.trim().parse().ok());
        let content_type = answer.header("content-type").unwrap_or_default().to_lowercase();
        Ok(Reply { status: answer.status, retry_after_s, content_type, body: answer.body })
    }
}

/// The host's network with a rate limit, and without requests while the source is closed.
#[derive(Clone, Copy, Debug)]
pub struct RateLimited {
    source: &'static str,
    interval_ms: u32,
}

impl RateLimited {
    /// Limits requests to `source` to one per interval, over all calls.
    pub fn new(source: &'static str, interval_ms: u32) -> Self {
        Self { source, interval_ms }
    }

    /// Reserves the next request, and waits for it.
    ///
    /// # Errors
    /// [`SourceError::Limited`] when too many requests wait, or the source is closed.
    fn wait(&self) -> Result<(), SourceError> {
        let now_ms = now_ms();
        let unknown = |_| failed("whose turn it is cannot be told, so nothing is asked");
        let [closed] = sql::query([toolkit::sql!(
            "SELECT closed_until_ms FROM pace WHERE source = $1 AND closed_until_ms > $2 \
             AND closed_until_ms <= $3",
            self.source,
            now_ms,
            now_ms + CLOSED_MS_MAX
        )])
        .map_err(unknown)?;
        if let Some((until_ms,)) = closed.first::<(i64,)>().map_err(unknown)? {
            let left_s = u32::try_from((until_ms - now_ms) / 1_000 + 1).unwrap_or(u32::MAX);
            return Err(SourceError::Limited { retry_after_s: left_s });
        }
        let insert = "INSERT INTO pace (source, at_ms, closed_until_ms) VALUES ($1, $2, 0) \
                      ON CONFLICT (source)";
        let is_turn = pace::wait(insert, self.source, self.interval_ms).map_err(unknown)?;
        is_turn.then_some(()).ok_or(SourceError::Limited { retry_after_s: 5 })
    }
}

impl HttpClient for RateLimited {
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError> {
        self.wait()?;
        Network.get(url, accept)
    }

    fn close(&self, retry_after_s: u32) {
        // A client that goes on is locked out for longer.
        let until_ms = now_ms() + (i64::from(retry_after_s) * 1_000).min(CLOSED_MS_MAX);
        let kept = sql::transact([toolkit::sql!(
            "INSERT INTO pace (source, at_ms, closed_until_ms) VALUES ($1, 0, $2) \
             ON CONFLICT (source) DO UPDATE SET closed_until_ms = $2",
            self.source,
            until_ms
        )]);
        if let Err(error) = kept {
            log::warning(&format!(
                "that {} wants no requests is not remembered: {error:?}",
                self.source
            ));
        }
    }
}

/// Returns an answer with a status of success or in `statuses`. A rate limit without a delay lasts `limit_s`.
///
/// # Errors
/// When the status is another one, or there is no answer.
pub fn fetch(
    client: &impl HttpClient,
    url: &Url,
    statuses: &[u16],
    limit_s: Option<u32>,
) -> Result<Reply, SourceError> {
    check_answer(client, url, "application/json", statuses, limit_s)
}

/// Fetches the picture at `url`. Returns its media type and its bytes.
///
/// # Errors
/// When there is no usable picture.
pub fn picture(
    client: &impl HttpClient,
    url: &Url,
    limit_s: Option<u32>,
) -> Result<(&'static str, Vec<u8>), SourceError> {
    let accept = "image/png, image/jpeg, image/webp, image/gif";
    let reply = check_answer(client, url, accept, &[], limit_s)?;
    let broken = |why: &str| failed(format!("a picture of {} cannot be used: {why}", host(url)));
    let kind = reply.content_type.split(';').next().unwrap_or_default().trim();
    // Some servers name no media type; another type is respected.
    if !(kind.is_empty() || kind.starts_with("image/") || kind == "application/octet-stream") {
        return Err(broken(&format!("it is said to be {}", clipped(kind))));
    }
    let mime_type = picture::mime_type(&reply.body).map_err(|it| broken(&it.to_string()))?;
    Ok((mime_type, reply.body))
}

fn check_answer(
    client: &impl HttpClient,
    url: &Url,
    accept: &str,
    statuses: &[u16],
    limit_s: Option<u32>,
) -> Result<Reply, SourceError> {
    let reply = client.get(url, accept)?;
    match reply.status {
        429 | 503 => {
            // A source that is down for a moment has no limit.
            let limit_s = limit_s.filter(|_| reply.status == 429);
            let requested_s = reply.retry_after_s.or(limit_s).unwrap_or(RETRY_AFTER_S);
            let retry_after_s = requested_s.clamp(1, RETRY_AFTER_S_MAX);
            client.close(retry_after_s);
            Err(SourceError::Limited { retry_after_s })
        }
        status if (200..300).contains(&status) || statuses.contains(&status) => Ok(reply),
        status @ 300..400 => Err(failed(format!(
            "{} answers with the HTTP status {status}; redirects are not followed, name the address that it leads to",
            host(url)
        ))),
        status => Err(failed(format!("{} answers with the HTTP status {status}", host(url)))),
    }
}

/// Converts a failed request into an error that only names the URL's host.
fn request_error(url: &Url, error: &http::Error) -> SourceError {
    let host = host(url);
    failed(match error {
        http::Error::Denied => return SourceError::Denied { host },
        http::Error::TimedOut => format!("{host} answers too late"),
        http::Error::TooLarge => {
            format!("the answer of {host} is larger than {} MiB", BODY_BYTES_MAX >> 20)
        }
        // The message would repeat the URL.
        http::Error::InvalidUrl(_) | http::Error::InvalidRequest(_) => {
            format!("no such request can be sent to {host}")
        }
        other => format!("{host}: {other}"),
    })
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// Returns `text` as one line of at most 100 characters.
pub fn clipped(text: &str) -> String {
    text.chars().take(100).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::picture::tests::png_of;

    /// Returns scripted answers and records requests.
    #[derive(Default)]
    pub(crate) struct Scripted {
        replies: RefCell<Vec<Result<Reply, SourceError>>>,
        pub(crate) requests: RefCell<Vec<String>>,
        closed_s: RefCell<Option<u32>>,
    }

    impl Scripted {
        /// Creates it with statuses and bodies in order.
        pub(crate) fn of(replies: &[(u16, &str)]) -> Self {
            let reply = |(status, body): &(u16, &str)| {
                let body = body.as_bytes().to_vec();
                let content_type = "application/json".to_owned();
                Ok(Reply { status: *status, retry_after_s: None, content_type, body })
            };
            let replies = RefCell::new(replies.iter().rev().map(reply).collect());
            Self { replies, ..Self::default() }
        }

        fn typed(content_type: &str, body: &[u8]) -> Self {
            let (content_type, body) = (content_type.to_owned(), body.to_vec());
            let reply = Reply { status: 200, retry_after_s: None, content_type, body };
            Self { replies: RefCell::new(vec![Ok(reply)]), ..Self::default() }
        }
    }

    impl HttpClient for Scripted {
        fn get(&self, url: &Url, _: &str) -> Result<Reply, SourceError> {
            self.requests.borrow_mut().push(url.to_string());
            self.replies.borrow_mut().pop().unwrap()
        }

        fn close(&self, retry_after_s: u32) {
            *self.closed_s.borrow_mut() = Some(retry_after_s);
        }
    }

    fn url() -> Url {
        Url::parse("https://cards.example/a.png?secret=1").unwrap()
    }

    #[test]
    fn detects_pictures_by_bytes_and_refuses_pages() {
        let good = png_of(4, 4);
        for kind in ["image/png", "image/jpeg", "", "application/octet-stream"] {
            let got = picture(&Scripted::typed(kind, &good), &url(), None).unwrap();
            assert_eq!(got, ("image/png", good.clone()), "{kind}");
        }
        for (kind, body) in [("text/html", &good[..]), ("image/png", b"<html>"), ("image/png", b"")]
        {
            let Err(SourceError::Failed { message }) =
                picture(&Scripted::typed(kind, body), &url(), None)
            else {
                panic!("{kind}")
            };
            assert!(message.contains("cards.example") && !message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn rate_limit_closes_source_until_retry() {
        for (status, limit_s, wait_s) in [
            (429, Some(3_600), 3_600),
            (429, None, RETRY_AFTER_S),
            (503, Some(3_600), RETRY_AFTER_S),
        ] {
            let client = Scripted::of(&[(status, "")]);
            let got = fetch(&client, &url(), &[], limit_s);
            assert_eq!(got, Err(SourceError::Limited { retry_after_s: wait_s }));
            assert_eq!(*client.closed_s.borrow(), Some(wait_s));
        }
    }
}
