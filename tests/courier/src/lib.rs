//! A component that fetches URLs and returns all that it can see, for tests of the host's outgoing HTTP.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Stop, Text, Tool, User, http, settings};

toolkit::export_tools!(Fetch, FetchOften, TellAll);

/// 頼まれたものを取ってくる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fetch {
    /// 取ってくるもののURL
    url: String,
    /// HTTPのメソッド
    #[serde(default = "get")]
    method: String,
    /// ヘッダー
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// 送る本文
    #[serde(default)]
    body: String,
    /// 送る本文をこの大きさまで繰り返す
    #[serde(default)]
    body_bytes: usize,
    /// リダイレクトに従うかどうか
    #[serde(default)]
    follow: bool,
    /// 逆さに書いた言葉：取ってきたあと、自分のメモリーに正しい向きで在るかどうかを調べる
    #[serde(default)]
    look_for_reversed: String,
}

fn get() -> String {
    "GET".to_owned()
}

/// The response.
#[derive(Serialize, JsonSchema)]
struct Fetched {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
    found_in_memory: bool,
}

impl Tool for Fetch {
    const NAME: &str = "fetch";
    const TITLE: Text = Text { ja: "取ってくる", en: "Fetch" };
    const ENGLISH: English = English {
        description: "Fetches what it is told to.",
        arguments: &[
            ("url", "What to fetch"),
            ("method", "The HTTP method"),
            ("headers", "Headers"),
            ("body", "The body to send"),
            ("body_bytes", "Repeats the body up to this size"),
            ("follow", "Whether to follow redirects"),
            ("look_for_reversed", "A word written backwards to look for in memory afterwards"),
        ],
    };
    type Output = Fetched;

    fn call(self, _: &User) -> Result<Fetched, Stop> {
        let body = match self.body_bytes {
            0 => self.body.into_bytes(),
            bytes => self.body.bytes().cycle().take(bytes).collect(),
        };
        let request = http::Request::new(&self.method, &self.url).body(body);
        let request = self.headers.iter().fold(request, |it, (name, value)| it.header(name, value));
        let request = if self.follow { request.follow_redirects() } else { request };
        let answer = request.body_bytes_max(64 << 20).send()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let headers = answer.headers.iter().map(|(name, value)| (name.clone(), text(value)));
        Ok(Fetched {
            status: answer.status,
            headers: headers.collect(),
            body: text(&answer.body),
            found_in_memory: has_reversed(self.look_for_reversed.as_bytes()),
        })
    }
}

/// 同じものを何度も取ってくる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FetchOften {
    /// 取ってくるもののURL
    url: String,
    /// 回数
    times: u32,
}

/// The outcome of each request.
#[derive(Serialize, JsonSchema)]
struct Often {
    outcomes: Vec<String>,
}

impl Tool for FetchOften {
    const NAME: &str = "fetch_often";
    const TITLE: Text = Text { ja: "何度も取ってくる", en: "Fetch often" };
    const ENGLISH: English = English {
        description: "Fetches the same thing again and again.",
        arguments: &[("url", "What to fetch"), ("times", "How often")],
    };
    type Output = Often;

    fn call(self, _: &User) -> Result<Often, Stop> {
        let fetch = |_| match http::get(&self.url) {
            Ok(answer) => answer.status.to_string(),
            Err(error) => error.to_string(),
        };
        Ok(Often { outcomes: (0..self.times).map(fetch).collect() })
    }
}

/// 自分に見えるものをすべて話す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TellAll {
    /// 読む設定の名前
    settings: Vec<String>,
    /// 逆さに書いた言葉：自分のメモリーに正しい向きで在るかどうかを調べる
    look_for_reversed: String,
}

/// Everything that the component can see.
#[derive(Serialize, JsonSchema)]
struct All {
    environment: BTreeMap<String, String>,
    arguments: Vec<String>,
    settings: BTreeMap<String, String>,
    found_in_memory: bool,
}

impl Tool for TellAll {
    const NAME: &str = "tell_all";
    const TITLE: Text = Text { ja: "すべて話す", en: "Tell all" };
    const ENGLISH: English = English {
        description: "Tells all that it sees of the world.",
        arguments: &[
            ("settings", "Names of settings to read"),
            ("look_for_reversed", "A word written backwards to look for in memory"),
        ],
    };
    type Output = All;

    fn call(self, _: &User) -> Result<All, Stop> {
        let read = |name: &String| Some((name.clone(), settings::raw(name)?));
        Ok(All {
            environment: std::env::vars().collect(),
            arguments: std::env::args().collect(),
            settings: self.settings.iter().filter_map(read).collect(),
            found_in_memory: has_reversed(self.look_for_reversed.as_bytes()),
        })
    }
}

// Searches the component's whole memory, like a hostile component.

/// Whether the reverse of `reversed` is anywhere in this instance's memory; reversed, so that the search does not find
/// its own argument.
pub(crate) fn has_reversed(reversed: &[u8]) -> bool {
    let length = reversed.len();
    if length == 0 {
        return false;
    }
    let is_here = |at: usize| (0..length).all(|it| byte(at + it) == reversed[length - 1 - it]);
    // References to address 0 are invalid in Rust, and it has none of our data.
    (1..size().saturating_sub(length)).any(is_here)
}

#[cfg(target_arch = "wasm32")]
fn size() -> usize {
    std::arch::wasm32::memory_size(0) * (64 << 10)
}

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "reads its own memory, which is what this component is for")]
fn byte(at: usize) -> u8 {
    // SAFETY: every address below `size()` can be read, and a byte has no wrong value.
    unsafe { std::ptr::read_volatile(at as *const u8) }
}

#[cfg(not(target_arch = "wasm32"))]
fn size() -> usize {
    0
}

#[cfg(not(target_arch = "wasm32"))]
fn byte(_: usize) -> u8 {
    0
}
