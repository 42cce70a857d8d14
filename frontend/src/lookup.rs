//! Options from a URL: fetched in part or as a whole (FORM-43, FORM-44), limited, cached for a while, and filtered by
//! typed text.

pub(crate) mod combo;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use gloo_net::http::{Request, Response};
use output::form::{Choice, Lookup, OPTIONS_MAX, is_same};
use serde_json::Value;
use web_sys::{AbortController, AbortSignal};

use crate::access;
use crate::browser;
use crate::error::{CallError, Refusal};
use crate::request::{ConcurrencyLimit, answered, for_json, in_time, lost};
use crate::route::encoded;
use crate::text::{self, Key, Lang};

/// Maximum size of an answer in bytes, as for answers that the host passes on (FORM-49).
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Maximum number of concurrent look-ups. The rest of a browser's six connections to one host is for calls.
const AT_ONCE: usize = 4;
/// Longer than the host waits for other servers.
const DEADLINE: Duration = Duration::from_secs(15);

/// Options in the order of the answer.
pub(crate) type Options = Arc<[Choice]>;

thread_local! {
    static LIMIT: ConcurrencyLimit = ConcurrencyLimit::new(AT_ONCE);
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Aborts a look-up when dropped.
#[derive(Default)]
pub(crate) struct Hold(Option<AbortController>);

impl Hold {
    pub(crate) fn new() -> Self {
        Self(AbortController::new().ok())
    }

    /// The signal for [`fetch`].
    pub(crate) fn stop(&self) -> Option<AbortController> {
        self.0.clone()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// Fetches the options at a URL of [`Lookup::url`] for the form of this id.
pub(crate) async fn fetch(
    form: &str,
    lookup: &Lookup,
    url: &str,
    stop: Option<AbortController>,
) -> Result<Options, CallError> {
    let key = Memory::key(form, lookup, url);
    if let Some(options) = remembered(&key) {
        return Ok(options);
    }
    let address = address_of(url).ok_or_else(|| refusal("invalid_url", url.to_owned()))?;
    let _pass = LIMIT.with(ConcurrencyLimit::clone).enter().await;
    // Another field may have fetched the same meanwhile.
    if let Some(options) = remembered(&key) {
        return Ok(options);
    }
    if stop.as_ref().is_some_and(|it| it.signal().aborted()) {
        return Err(CallError::Stopped);
    }
    let answer = ask(&address, stop).await?;
    let choices = output::form::choices(lookup, &answer);
    let options = Options::from(choices.map_err(|it| refusal("invalid_answer", it))?);
    MEMORY.with_borrow_mut(|it| it.put(key, Arc::clone(&options), browser::now_ms()));
    Ok(options)
}

fn remembered(key: &str) -> Option<Options> {
    MEMORY.with_borrow(|it| it.get(key, browser::now_ms()))
}

async fn ask(address: &str, stop: Option<AbortController>) -> Result<Value, CallError> {
    let signal = stop.as_ref().map(AbortController::signal);
    let late = || refusal("timeout", String::new());
    in_time(DEADLINE, stop, late, read(address, signal.as_ref())).await
}

async fn read(address: &str, signal: Option<&AbortSignal>) -> Result<Value, CallError> {
    let response = answered(for_json(Request::get(address), signal).send().await, signal)?;
    let length = response.headers().get("content-length").and_then(|it| it.parse::<usize>().ok());
    if length.is_some_and(|it| it > ANSWER_BYTES_MAX) {
        return Err(refusal("invalid_answer", "The answer is too long.".to_owned()));
    }
    let status = response.status();
    let text = text(response).await?;
    if status == 401 {
        access::refused();
    }
    if !(200..300).contains(&status) {
        return Err(failed(status, &text));
    }
    serde_json::from_str(&text).map_err(|_| CallError::unreadable(status, &text))
}

async fn text(response: Response) -> Result<String, CallError> {
    let text = response.text().await.map_err(|_| lost())?;
    if text.len() > ANSWER_BYTES_MAX {
        return Err(refusal("invalid_answer", "The answer is too long.".to_owned()));
    }
    Ok(text)
}

/// Parses a failure `{error, message, status}`, or anything else.
pub(crate) fn failed(status: u16, text: &str) -> CallError {
    let refusal = serde_json::from_str::<Refusal>(text).ok().filter(|it| !it.code.is_empty());
    match refusal {
        // The codes of a look-up's own refusals say more than the status.
        Some(refusal) if refusal.code.starts_with("lookup_") => CallError::Refused(refusal.into()),
        refusal => CallError::of_status(status, text).unwrap_or_else(|| match refusal {
            Some(refusal) => CallError::Refused(refusal.into()),
            None => CallError::unreadable(status, text),
        }),
    }
}

/// The message for the reader; the operator's is in the details.
pub(crate) fn why(error: &CallError, lang: Lang) -> String {
    let code = match error {
        CallError::Refused(refusal) => refusal.code.as_str(),
        _ => "",
    };
    let key = match code {
        "lookup_not_allowed" | "lookup_not_elsewhere" | "invalid_url" => Key::LookupNotAllowed,
        "lookup_failed" => Key::LookupNoAnswer,
        "invalid_answer" | "not_found" => Key::LookupUnreadable,
        _ => return error.advice(lang),
    };
    lang.say(key).to_owned()
}

fn refusal(code: &str, message: String) -> CallError {
    CallError::Refused(Box::new(Refusal { code: code.to_owned(), message, ..Refusal::default() }))
}

/// The options whose label contains the typed text, prefix matches first.
pub(crate) fn narrow(options: &[Choice], typed: &str) -> Options {
    let folded = |text: &str| text::folded(text).replace(char::is_whitespace, "");
    let typed = folded(typed);
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for choice in options {
        match folded(&choice.label).find(&typed) {
            Some(0) => first.push(choice.clone()),
            Some(_) => rest.push(choice.clone()),
            None => {}
        }
    }
    first.append(&mut rest);
    first.into()
}

/// Longer than any URL that a host accepts.
const BYTES_MAX: usize = 8 << 10;

/// The address to request for a URL; none if it is neither a path of this host nor an absolute web address, which the
/// host fetches.
fn address_of(url: &str) -> Option<String> {
    // A browser drops control characters and reads `\` as `/`: an apparent path could lead elsewhere and take the token
    // along.
    let is_plain = !url.chars().any(|it| it.is_control() || it == '\\' || it == ' ');
    if !is_plain || url.len() > BYTES_MAX {
        return None;
    }
    if url.starts_with('/') && !url.starts_with("//") {
        return Some(url.to_owned());
    }
    let is_absolute = url.starts_with("https://") || url.starts_with("http://");
    is_absolute.then(|| format!("/api/form/lookup?url={}", encoded(url)))
}

/// Maximum number of cached answers; the oldest is dropped first.
const ANSWERS_MAX: usize = 60;
/// Lifetime of a cached answer.
const AGE_MAX_MS: f64 = 300_000.0;

/// Cached answers by request.
#[derive(Default)]
pub(crate) struct Memory(VecDeque<(String, Options, f64)>);

impl Memory {
    /// Cache key of a request. The same URL may be parsed in two ways.
    pub(crate) fn key(form: &str, lookup: &Lookup, url: &str) -> String {
        let template = lookup.template.as_deref().unwrap_or_default();
        let Lookup { display_field, value_field, .. } = lookup;
        format!("{form}\n{display_field}\n{value_field}\n{template}\n{url}")
    }

    pub(crate) fn get(&self, key: &str, now_ms: f64) -> Option<Options> {
        let found = self.0.iter().find(|(own, _, at_ms)| own == key && now_ms - at_ms < AGE_MAX_MS);
        found.map(|(_, options, _)| Arc::clone(options))
    }

    pub(crate) fn put(&mut self, key: String, options: Options, now_ms: f64) {
        self.0.retain(|(own, ..)| *own != key);
        if self.0.len() >= ANSWERS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((key, options, now_ms));
    }
}

/// Loading state of a field's options.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Offer {
    /// The field it depends on is empty.
    #[default]
    Waiting,
    Loading,
    Ready(Options),
    Failed(CallError),
}

/// The options of one field and the parent value they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Loading {
    pub(crate) offer: Offer,
    /// Number of the latest request: answers to others are stale.
    latest: u32,
}

/// What happens to a field's value once its options are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Settled {
    /// It stays as it is: empty, or not among the first of too many options.
    Same,
    /// It is this option now, with value and label.
    Put(Choice),
    /// It is none of the options and is cleared.
    Clear,
}

impl Loading {
    /// Starts a request. Returns its number, which the answer must carry.
    pub(crate) fn ask(&mut self) -> u32 {
        self.latest = self.latest.wrapping_add(1);
        self.offer = Offer::Loading;
        self.latest
    }

    /// The parent field is empty: a running request is stale.
    pub(crate) fn wait(&mut self) {
        self.latest = self.latest.wrapping_add(1);
        self.offer = Offer::Waiting;
    }

    /// Stores an answer. Returns whether it was the expected one.
    pub(crate) fn answer(&mut self, number: u32, answer: Result<Options, CallError>) -> bool {
        if self.latest != number || self.offer != Offer::Loading {
            return false;
        }
        self.offer = match answer {
            Ok(options) => Offer::Ready(options),
            Err(error) => Offer::Failed(error),
        };
        true
    }
}

/// The value of a field among `options`: `value` if it has one, else `default`. A value chosen under another parent is
/// not kept, though its code may be the same.
pub(crate) fn settle(
    options: &[Choice],
    value: Option<&Value>,
    default: Option<&Value>,
) -> Settled {
    let find = |wanted: &Value| {
        let found = options.iter().find(|it| is_same(&it.value, wanted))?;
        // Keeps the type of the number: 1 does not become 1.0.
        Some(Choice { value: wanted.clone(), label: found.label.clone() })
    };
    match value {
        Some(value) => match find(value) {
            Some(choice) => Settled::Put(choice),
            // The options were truncated: the value may be among the rest.
            None if options.len() >= OPTIONS_MAX => Settled::Same,
            None => Settled::Clear,
        },
        None => default.and_then(find).map_or(Settled::Same, Settled::Put),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn failed_lookup_shows_the_refusals_message() {
        let text = r#"{"error": "gone", "message": "Not there.", "status": 404}"#;
        assert_eq!(why(&failed(404, text), Lang::Ja), "Not there.");
        let text = r#"{"error": "not_found", "message": "Nothing is there.", "status": 404}"#;
        assert_eq!(why(&failed(404, text), Lang::Ja), Lang::Ja.say(Key::LookupUnreadable));
        let text = r#"{"error": "lookup_not_allowed", "message": "Allow it so.", "status": 403}"#;
        let refused = failed(403, text);
        assert_eq!(why(&refused, Lang::En), Lang::En.say(Key::LookupNotAllowed));
        let details = refused.details(&why(&refused, Lang::En));
        assert!(details.is_some_and(|it| it.contains("Allow it so.")), "{refused:?}");
        let CallError::Protocol { code, .. } = failed(502, "<html>") else { panic!("no refusal") };
        assert_eq!(code, 502);
        assert_eq!(failed(401, ""), CallError::Unauthorized);
    }

    #[test]
    fn finds_options_by_label_part_with_prefixes_first() {
        let labels = ["東京都 港区", "港南", "さいたま市", "ＡＢＣタワー"];
        let options = labels.map(|it| Choice { value: Value::Null, label: it.to_owned() });
        let found = |typed: &str| {
            narrow(&options, typed).iter().map(|it| it.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("港"), ["港南", "東京都 港区"]);
        assert_eq!(found("サイタマ"), ["さいたま市"]);
        assert_eq!(found("abc"), ["ＡＢＣタワー"]);
        assert_eq!(found("東京都　港"), ["東京都 港区"]);
        assert_eq!(found(""), labels);
        assert_eq!(found("大阪"), Vec::<String>::new());
    }

    #[test]
    fn calls_own_paths_directly_and_others_through_host() {
        assert_eq!(address_of("/api/demo/users?q=a").as_deref(), Some("/api/demo/users?q=a"));
        assert_eq!(
            address_of("https://api.example.com/users/search?q=%E5%B1%B1&limit=10").as_deref(),
            Some(
                "/api/form/lookup?url=https%3A%2F%2Fapi.example.com%2Fusers%2Fsearch%3Fq%3D%25E5%25B1%25B1%26limit%3D10"
            )
        );
    }

    #[test]
    fn rejects_addresses_that_only_look_like_paths() {
        for url in
            ["//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:x", "", "a"]
        {
            assert_eq!(address_of(url), None, "{url:?}");
        }
        assert_eq!(address_of(&format!("/{}", "x".repeat(BYTES_MAX))), None);
    }

    #[test]
    fn caches_answer_per_form_until_it_expires() {
        let lookup = Lookup::default();
        let mut memory = Memory::default();
        let own = Memory::key("form1", &lookup, "/a");
        memory.put(own.clone(), Options::from([]), 0.0);
        assert!(memory.get(&own, AGE_MAX_MS - 1.0).is_some());
        assert!(memory.get(&own, AGE_MAX_MS).is_none());
        assert!(memory.get(&Memory::key("form2", &lookup, "/a"), 0.0).is_none());
        let other = Lookup { display_field: "name".to_owned(), ..Lookup::default() };
        assert!(memory.get(&Memory::key("form1", &other, "/a"), 0.0).is_none());
        for number in 0..ANSWERS_MAX {
            memory.put(number.to_string(), Options::from([]), 0.0);
        }
        assert!(memory.get(&own, 0.0).is_none(), "the oldest went");
        assert_eq!(memory.0.len(), ANSWERS_MAX);
    }

    fn options(values: &[&str]) -> Options {
        let choice = |it: &&str| Choice { value: json!(it), label: format!("{it}!") };
        values.iter().map(choice).collect()
    }

    #[test]
    fn options_for_a_value_that_changed_meanwhile_are_stale() {
        let mut loading = Loading::default();
        let first = loading.ask();
        let second = loading.ask();
        assert!(!loading.answer(first, Ok(options(&["13"]))));
        assert_eq!(loading.offer, Offer::Loading);
        assert!(loading.answer(second, Err(CallError::Offline)));
        let third = loading.ask();
        loading.wait();
        assert!(!loading.answer(third, Ok(options(&["13"]))), "the parent was emptied");
        assert_eq!(loading.offer, Offer::Waiting);
    }

    #[test]
    fn keeps_value_only_while_among_options() {
        let (kept, gone) = (json!("13"), json!("CA"));
        let options = options(&["13", "27"]);
        let put = |index: usize| Settled::Put(options[index].clone());
        assert_eq!(settle(&options, Some(&kept), None), put(0));
        assert_eq!(settle(&options, Some(&gone), None), Settled::Clear);
        assert_eq!(settle(&options, None, None), Settled::Same, "emptied with its parent");
    }

    #[test]
    fn matches_numbers_in_any_notation() {
        let options = [Choice { value: json!(1.0), label: "one".to_owned() }];
        let one = Choice { value: json!(1), label: "one".to_owned() };
        assert_eq!(settle(&options, Some(&json!(1)), None), Settled::Put(one));
    }

    #[test]
    fn applies_default_only_if_among_loaded_options() {
        let options = options(&["JP", "US"]);
        let (japan, nowhere) = (json!("JP"), json!("XX"));
        let put = Settled::Put(options[0].clone());
        assert_eq!(settle(&options, None, Some(&japan)), put);
        assert_eq!(settle(&options, None, Some(&nowhere)), Settled::Same);
        let other = json!("US");
        let kept = Settled::Put(options[1].clone());
        assert_eq!(settle(&options, Some(&other), Some(&japan)), kept);
    }

    #[test]
    fn keeps_value_beyond_truncated_options() {
        let many = (0..OPTIONS_MAX).map(|it| it.to_string()).collect::<Vec<_>>();
        let many = options(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(settle(&many, Some(&json!("x")), None), Settled::Same);
    }
}
