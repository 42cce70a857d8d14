//! The messages of an app (JSON-RPC 2.0): the page's reaction to each, and their limits.

use serde_json::{Map, Value, json};

use crate::browser::is_link;

/// The MCP Apps revision of the page.
pub(crate) const VERSION: &str = "2026-01-26";

/// Maximum number of characters of one message.
const MESSAGE_CHARS_MAX: usize = 1 << 20;
/// Messages an app may send at once, and then per second.
const BURST: f64 = 300.0;
const PER_SECOND: f64 = 150.0;
/// Malformed messages after which an app is ended.
const MALFORMED_MAX: u32 = 20;
/// Messages bypassing the frame in between after which an app is ended.
const DIRECT_MAX: u32 = 100;
/// Maximum number of concurrent calls and reads, and of all calls of one app.
const CALLS_AT_ONCE: usize = 4;
const CALLS_MAX: usize = 500;
/// Maximum size of a call's arguments in bytes.
const ARGUMENTS_BYTES_MAX: usize = 256 << 10;
/// Maximum number of characters of a name, an address, a text for the chat, and a text for a model.
const NAME_MAX: usize = 256;
const ADDRESS_MAX: usize = 2_000;
const TEXT_MAX: usize = 4_000;
/// Refusals by the person after which they are asked no more.
const DENIED_MAX: usize = 5;
/// Height of an app in CSS pixels: the minimum, and the maximum share of the window.
pub(crate) const HEIGHT_MIN: f64 = 160.0;
pub(crate) const HEIGHT_SHARE: f64 = 0.7;

/// Why an app was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Flood,
    Size,
    Malformed,
    /// It navigated to another document.
    Left,
    /// It asked for that itself, or the person closed it.
    Closed,
}

impl Reason {
    /// Parses the reason given by the frame between page and app.
    fn of_frame(reason: &str) -> Self {
        match reason {
            "size" => Self::Size,
            "left" => Self::Left,
            _ => Self::Flood,
        }
    }
}

/// The page's reaction to a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Nothing,
    /// Send this to the app.
    Send(Value),
    /// The frame is ready: hand over the document.
    Show,
    /// Answer the app's initialization.
    Welcome {
        id: Value,
    },
    /// The app has initialized.
    Listens,
    Resize(f64),
    Call {
        id: Value,
        name: String,
        arguments: Value,
    },
    Read {
        id: Value,
        uri: String,
    },
    /// Put text into the chat's input.
    Write {
        id: Value,
        text: String,
    },
    Open {
        id: Value,
        url: String,
    },
    /// Set the text that a model gets with the next message; empty for none.
    SetContext {
        id: Value,
        text: String,
    },
    Mode {
        id: Value,
        is_fullscreen: bool,
    },
    End(Reason),
}

/// The page's side of one app's protocol.
#[derive(Debug)]
pub(crate) struct Bridge {
    has_begun: bool,
    /// Whether the app has initialized.
    listens: bool,
    left: f64,
    at_ms: Option<f64>,
    malformed: u32,
    direct: u32,
    running: usize,
    total: usize,
    denied: usize,
}

impl Bridge {
    pub(crate) fn new() -> Self {
        Self {
            has_begun: false,
            listens: false,
            left: BURST,
            at_ms: None,
            malformed: 0,
            direct: 0,
            running: 0,
            total: 0,
            denied: 0,
        }
    }

    /// Counts a finished call or read.
    pub(crate) fn finish_call(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Counts a refusal by the person.
    pub(crate) fn count_denial(&mut self) {
        self.denied += 1;
    }

    /// Whether the person may be asked again.
    pub(crate) fn may_ask(&self) -> bool {
        self.denied < DENIED_MAX
    }

    /// Counts a message that bypassed the frame in between; it is not read.
    pub(crate) fn take_direct(&mut self) -> Act {
        self.direct += 1;
        if self.direct > DIRECT_MAX { Act::End(Reason::Flood) } else { Act::Nothing }
    }

    /// Handles a message at a time in milliseconds.
    pub(crate) fn take(&mut self, text: &str, now_ms: f64) -> Act {
        let passed = now_ms - self.at_ms.replace(now_ms).unwrap_or(now_ms);
        self.left = (self.left + passed.max(0.0) / 1_000.0 * PER_SECOND).min(BURST) - 1.0;
        if self.left < 0.0 {
            return Act::End(Reason::Flood);
        }
        if text.len() > MESSAGE_CHARS_MAX * 4 {
            return Act::End(Reason::Size);
        }
        let Ok(Value::Object(mut message)) = serde_json::from_str(text) else {
            return self.malformed(None);
        };
        let id = message.remove("id");
        let is_id = id.as_ref().is_none_or(|it| match it {
            Value::String(id) => id.len() <= NAME_MAX,
            it => it.is_i64() || it.is_u64(),
        });
        let is_rpc = message.get("jsonrpc") == Some(&Value::from("2.0"));
        if !is_rpc || !is_id {
            return self.malformed(id.filter(|_| is_id));
        }
        let params = match message.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return self.malformed(id),
        };
        match (message.get("method"), id) {
            (Some(Value::String(method)), Some(id)) => self.request(method, id, params),
            (Some(Value::String(method)), None) => self.notice(method, &params),
            // The page's only request is the one to shut down.
            (None, Some(_)) if message.contains_key("result") || message.contains_key("error") => {
                Act::Nothing
            }
            (_, id) => self.malformed(id),
        }
    }

    fn malformed(&mut self, id: Option<Value>) -> Act {
        self.malformed += 1;
        if self.malformed > MALFORMED_MAX {
            return Act::End(Reason::Malformed);
        }
        id.map_or(Act::Nothing, |id| {
            Act::Send(error(&id, -32_600, "not a request of JSON-RPC 2.0"))
        })
    }

    fn notice(&mut self, method: &str, params: &Map<String, Value>) -> Act {
        match method {
            "ui/notifications/sandbox-proxy-ready" => Act::Show,
            "ui/notifications/sandbox-ended" => {
                let reason = params.get("reason").and_then(Value::as_str).unwrap_or_default();
                Act::End(Reason::of_frame(reason))
            }
            "ui/notifications/initialized" if self.has_begun && !self.listens => {
                self.listens = true;
                Act::Listens
            }
            "ui/notifications/size-changed" => match params.get("height").and_then(Value::as_f64) {
                Some(height) if height.is_finite() => Act::Resize(height),
                _ => Act::Nothing,
            },
            "ui/notifications/request-teardown" => Act::End(Reason::Closed),
            _ => Act::Nothing,
        }
    }

    fn request(&mut self, method: &str, id: Value, mut params: Map<String, Value>) -> Act {
        let wrong = |id: &Value, fault: &str| Act::Send(error(id, -32_602, fault));
        match method {
            "ping" => return Act::Send(result(&id, json!({}))),
            "ui/initialize" => {
                self.has_begun = true;
                return Act::Welcome { id };
            }
            _ if !self.has_begun => {
                return Act::Send(error(&id, -32_600, "begin with ui/initialize"));
            }
            _ => {}
        }
        let mut text = |name: &str, max: usize| match params.remove(name) {
            Some(Value::String(text)) if !text.is_empty() && text.len() <= max => Some(text),
            _ => None,
        };
        match method {
            "tools/call" => {
                let Some(name) = text("name", NAME_MAX) else {
                    return wrong(&id, "name: must be the name of a tool");
                };
                let arguments = match params.remove("arguments") {
                    None | Some(Value::Null) => json!({}),
                    Some(it @ Value::Object(_)) => it,
                    Some(_) => return wrong(&id, "arguments: must be an object"),
                };
                if arguments.to_string().len() > ARGUMENTS_BYTES_MAX {
                    return wrong(&id, "arguments: too long");
                }
                self.begin(&id).unwrap_or(Act::Call { id, name, arguments })
            }
            "resources/read" => match text("uri", ADDRESS_MAX) {
                Some(uri) => self.begin(&id).unwrap_or(Act::Read { id, uri }),
                None => wrong(&id, "uri: must be the URI of a resource"),
            },
            "ui/open-link" => match text("url", ADDRESS_MAX).filter(|it| is_link(it)) {
                Some(url) => Act::Open { id, url },
                None => wrong(&id, "url: must be an address with http or https and no password"),
            },
            "ui/message" => {
                if params.get("role") != Some(&Value::from("user")) {
                    return wrong(&id, "role: must be user");
                }
                match texts(params.get("content")) {
                    Some(text) if !text.is_empty() => Act::Write { id, text },
                    _ => wrong(&id, "content: must be text, of at most 4000 characters"),
                }
            }
            "ui/update-model-context" => {
                let context = match params.get("content") {
                    None | Some(Value::Null) => Some(String::new()),
                    content => texts(content),
                };
                let structured = params.get("structuredContent").filter(|it| !it.is_null());
                let context = context.map(|it| match structured {
                    Some(more) if it.is_empty() => more.to_string(),
                    Some(more) => format!("{it}\n{more}"),
                    None => it,
                });
                match context.filter(|it| it.chars().count() <= TEXT_MAX) {
                    Some(text) => Act::SetContext { id, text },
                    None => wrong(&id, "content: must be text, of at most 4000 characters"),
                }
            }
            "ui/request-display-mode" => match params.get("mode").and_then(Value::as_str) {
                Some(mode @ ("inline" | "fullscreen" | "pip")) => {
                    Act::Mode { id, is_fullscreen: mode == "fullscreen" }
                }
                _ => wrong(&id, "mode: must be inline or fullscreen"),
            },
            _ => Act::Send(error(&id, -32_601, "not served here")),
        }
    }

    /// Counts a new call. Returns the refusal if there are too many.
    fn begin(&mut self, id: &Value) -> Option<Act> {
        if self.running >= CALLS_AT_ONCE {
            return Some(Act::Send(error(id, -32_000, "too many calls at once")));
        }
        if self.total >= CALLS_MAX {
            return Some(Act::Send(error(id, -32_000, "this app has made too many calls")));
        }
        (self.running, self.total) = (self.running + 1, self.total + 1);
        None
    }
}

/// Joins the texts of content blocks; none if too long or not text.
fn texts(content: Option<&Value>) -> Option<String> {
    let blocks = content?.as_array()?.iter();
    let texts: Option<Vec<&str>> = blocks
        .map(|block| {
            let is_text = block.get("type").and_then(Value::as_str) == Some("text");
            block.get("text").and_then(Value::as_str).filter(|_| is_text)
        })
        .collect();
    Some(texts?.join("\n")).filter(|it| it.chars().count() <= TEXT_MAX)
}

/// Clamps the wanted height of an app to a window of that height.
pub(crate) fn height(wanted: f64, window: f64) -> f64 {
    let max = (window * HEIGHT_SHARE).max(HEIGHT_MIN);
    if wanted.is_finite() { wanted.clamp(HEIGHT_MIN, max) } else { HEIGHT_MIN }
}

pub(crate) fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(crate) fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": format!("ui/notifications/{method}"), "params": params })
}

#[cfg(test)]
mod tests;
