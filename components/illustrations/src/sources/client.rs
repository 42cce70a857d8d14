//! Requests to catalogues elsewhere: how they go out, the pause between two of them, and the errors when nothing
//! usable comes back.

use std::time::Duration;

use toolkit::{clock::now_ms, http, log, pace, sql};
use url::Url;

use super::settings;
use crate::{
    picture,
    refusals::{SourceError, failed},
};

/// How long a source may take: a person does not wait longer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes that an answer or a picture may have.
pub const BODY_BYTES_MAX: usize = 4 << 20;
/// When to try again, where a source that is at its limit does not say.
const RETRY_AFTER_S: u32 = 60;
/// The longest time that a source may ask to be left alone for, in seconds.
const RETRY_AFTER_S_MAX: u32 = 86_400;

/// The longest time that a source is left alone, in milliseconds; one further ahead was written by a
/// clock that has been put right since.
const CLOSED_MS_MAX: i64 = 86_400_000;

/// What a source answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// What `Retry-After` says, in seconds.
    pub retry_after_s: Option<u32>,
    /// What `Content-Type` says, in lower case.
    pub content_type: String,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

/// Brings requests to sources.
pub trait Carrier {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// When there is none, or nothing may be asked.
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError>;

    /// Says how long the source wants to be left alone.
    fn close(&self, retry_after_s: u32) {
        let _ = retry_after_s;
    }
}

/// The network, through the host.
#[derive(Clone, Copy, Debug)]
pub struct Network;

impl Carrier for Network {
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError> {
        let request = http::Request::get(url.as_str())
            .timeout(TIMEOUT)
            .body_bytes_max(BODY_BYTES_MAX)
            .header("accept", accept)
            .header("user-agent", &settings::user_agent());
        let answer = request.send().map_err(|error| unanswered(url, &error))?;
        let retry_after_s = answer.header("retry-after").and_then(|it| it.trim().parse().ok());
        let content_type = answer.header("content-type").unwrap_or_default().to_lowercase();
        Ok(Reply { status: answer.status, retry_after_s, content_type, body: answer.body })
    }
}

/// The same with a pause between two requests, and none at all while the source wants none.
#[derive(Clone, Copy, Debug)]
pub struct Paced {
    source: &'static str,
    interval_ms: u32,
}

impl Paced {
    /// At most one request to `source` in so many milliseconds, whichever calls they come from.
    pub fn new(source: &'static str, interval_ms: u32) -> Self {
        Self { source, interval_ms }
    }

    /// Takes the next turn, and waits for it.
    ///
    /// # Errors
    /// [`SourceError::Limited`] when too many wait already, or the source is to be left alone.
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

impl Carrier for Paced {
    fn get(&self, url: &Url, accept: &str) -> Result<Reply, SourceError> {
        self.wait()?;
        Network.get(url, accept)
    }

    fn close(&self, retry_after_s: u32) {
        // A client that asks on is shut out for longer.
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

/// The answer of a source whose limit, where it says none, holds for `limit_s`; a status that is
/// success, or among `statuses`.
///
/// # Errors
/// When the status is another, or there is no answer.
pub fn asked(
    carrier: &impl Carrier,
    url: &Url,
    statuses: &[u16],
    limit_s: Option<u32>,
) -> Result<Reply, SourceError> {
    answered(carrier, url, "application/json", statuses, limit_s)
}

/// The picture at `url`: its media type and its bytes.
///
/// # Errors
/// When there is none.
pub fn picture(
    carrier: &impl Carrier,
    url: &Url,
    limit_s: Option<u32>,
) -> Result<(&'static str, Vec<u8>), SourceError> {
    let accept = "image/png, image/jpeg, image/webp, image/gif";
    let reply = answered(carrier, url, accept, &[], limit_s)?;
    let broken = |why: &str| failed(format!("a picture of {} cannot be used: {why}", host(url)));
    let kind = reply.content_type.split(';').next().unwrap_or_default().trim();
    // Some servers name no kind; a server that names another one means it.
    if !(kind.is_empty() || kind.starts_with("image/") || kind == "application/octet-stream") {
        return Err(broken(&format!("it is said to be {}", clipped(kind))));
    }
    let mime_type = picture::mime_type(&reply.body).map_err(|it| broken(&it.to_string()))?;
    Ok((mime_type, reply.body))
}

fn answered(
    carrier: &impl Carrier,
    url: &Url,
    accept: &str,
    statuses: &[u16],
    limit_s: Option<u32>,
) -> Result<Reply, SourceError> {
    let reply = carrier.get(url, accept)?;
    match reply.status {
        429 | 503 => {
            // One that is down for a moment has no limit.
            let limit_s = limit_s.filter(|_| reply.status == 429);
            let asked_s = reply.retry_after_s.or(limit_s).unwrap_or(RETRY_AFTER_S);
            let retry_after_s = asked_s.clamp(1, RETRY_AFTER_S_MAX);
            carrier.close(retry_after_s);
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

/// Why there is no answer; of the URL its host alone.
fn unanswered(url: &Url, error: &http::Error) -> SourceError {
    let host = host(url);
    failed(match error {
        http::Error::Denied => return SourceError::Denied { host },
        http::Error::TimedOut => format!("{host} answers too late"),
        http::Error::TooLarge => {
            format!("the answer of {host} is larger than {} MiB", BODY_BYTES_MAX >> 20)
        }
        // It would repeat the URL.
        http::Error::InvalidUrl(_) | http::Error::InvalidRequest(_) => {
            format!("no such request can be sent to {host}")
        }
        other => format!("{host}: {other}"),
    })
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// `text` in one line of at most 100 characters.
pub fn clipped(text: &str) -> String {
    text.chars().take(100).map(|it| if it.is_control() { ' ' } else { it }).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::picture::tests::png_of;

    /// Gives the scripted answers, and remembers what it was asked.
    #[derive(Default)]
    pub(crate) struct Scripted {
        replies: RefCell<Vec<Result<Reply, SourceError>>>,
        pub(crate) asked: RefCell<Vec<String>>,
        closed_s: RefCell<Option<u32>>,
    }

    impl Scripted {
        /// These bodies one after another, each with its status.
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

    impl Carrier for Scripted {
        fn get(&self, url: &Url, _: &str) -> Result<Reply, SourceError> {
            self.asked.borrow_mut().push(url.to_string());
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
    fn a_picture_is_what_its_bytes_are_and_never_a_page() {
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
    fn a_limit_says_when_and_closes_the_source() {
        for (status, limit_s, wait_s) in [
            (429, Some(3_600), 3_600),
            (429, None, RETRY_AFTER_S),
            (503, Some(3_600), RETRY_AFTER_S),
        ] {
            let carrier = Scripted::of(&[(status, "")]);
            let got = asked(&carrier, &url(), &[], limit_s);
            assert_eq!(got, Err(SourceError::Limited { retry_after_s: wait_s }));
            assert_eq!(*carrier.closed_s.borrow(), Some(wait_s));
        }
    }
}
