//! A running app: its document, the messages to it and its requests. Messages are accepted only from its frame, and all
//! its requests to the host or the person go through here.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::channel::oneshot;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{AbortController, MessageEvent, Window};

use super::bridge::{self, Act, Bridge, Reason};
use super::{Barred, Document, Owner, Surroundings, callable, only_reads, own_name, styles};
use crate::browser;
use crate::call::{Reply, responses};
use crate::chat::talk::Talk;
use crate::dates;
use crate::error::CallError;
use crate::mcp::wire::{Answer, Question, Tool};
use crate::mcp::{self, Round};
use crate::page::page;
use crate::route::Route;
use crate::settings::Theme;
use crate::text::{Key, Lang};

/// Maximum number of open apps.
const OPEN_MAX: usize = 4;
/// How long the frame between page and app may take to report.
const FRAME_TIME: Duration = Duration::from_secs(20);
/// How long a closing app may take to save its state.
const CLOSE_TIME: Duration = Duration::from_millis(700);
/// Maximum number of open questions to the person.
const QUESTIONS_MAX: usize = 4;
/// Maximum number of rounds of one call.
const ROUNDS_MAX: usize = 16;
/// Maximum number of frames searched for the sender of a message.
const FRAMES_MAX: usize = 8;
/// Media query for a device that prefers dark.
const DARK: &str = "(prefers-color-scheme: dark)";
/// Initial height.
const HEIGHT: f64 = 320.0;

thread_local!(static OPEN: Cell<usize> = const { Cell::new(0) });

/// The tool call that an app shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Called {
    pub(crate) arguments: Value,
    pub(crate) outcome: Outcome,
}

/// State of that call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Outcome {
    #[default]
    Running,
    /// MCP's result.
    Done(Value),
    /// It has no result, with the reason.
    Cancelled(String),
}

/// State of an app.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Loading,
    /// Its frame is loaded.
    Framed {
        src: String,
        allow: String,
        has_border: bool,
    },
    Ended(Reason),
    Failed(Failure),
}

/// Why there is no app.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    NoOrigin,
    TooMany,
    /// Its document cannot be fetched.
    Unread(CallError),
    /// Its document cannot be shown, with the reason.
    Unfit(&'static str),
    /// The address of apps does not answer.
    Unreachable(String),
}

/// A request that needs the person's permission.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) number: u32,
    pub(crate) kind: AskKind,
    answer: Arc<Mutex<Option<oneshot::Sender<PersonAnswer>>>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AskKind {
    Call {
        tool: Box<Tool>,
        arguments: Value,
    },
    /// Questions of a running call.
    Answer(Vec<Question>),
    /// Text for the chat's input.
    Write(String),
    Open(String),
}

/// The person's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PersonAnswer {
    No,
    Yes,
    /// Also for later calls of that tool by the app.
    Always,
    Answers(Value),
}

/// A running app.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    talk: Talk,
    number: u32,
    tool: StoredValue<Tool>,
    called: Signal<Called>,
    pub(crate) stage: RwSignal<Stage>,
    pub(crate) frame: NodeRef<html::Iframe>,
    pub(crate) height: RwSignal<f64>,
    pub(crate) is_fullscreen: RwSignal<bool>,
    /// Whether the app has initialized.
    pub(crate) listens: RwSignal<bool>,
    pub(crate) asks: RwSignal<Vec<Ask>>,
    /// Whether waiting for its initialization is over: some apps never initialize.
    pub(crate) is_settled: RwSignal<bool>,
    width: RwSignal<f64>,
    /// Whether the device prefers dark.
    prefers_dark: RwSignal<bool>,
    document: StoredValue<Document>,
    origin: StoredValue<String>,
    bridge: StoredValue<Bridge>,
    allowed: StoredValue<BTreeSet<String>>,
    reported: StoredValue<Option<Surroundings>>,
    is_counted: StoredValue<bool>,
    attempt: StoredValue<u32>,
    abort: StoredValue<Option<AbortController>, LocalStorage>,
}

impl Live {
    /// Opens the app of `tool` for as long as the calling view exists.
    pub(crate) fn open(tool: Tool, called: Signal<Called>) -> Self {
        let live = Self {
            talk: Talk::shared(),
            number: browser::next_number(),
            tool: StoredValue::new(tool),
            called,
            stage: RwSignal::new(Stage::Loading),
            frame: NodeRef::new(),
            height: RwSignal::new(HEIGHT),
            is_fullscreen: RwSignal::new(false),
            listens: RwSignal::new(false),
            asks: RwSignal::new(Vec::new()),
            is_settled: RwSignal::new(false),
            width: RwSignal::new(0.0),
            prefers_dark: RwSignal::new(matches(DARK)),
            document: StoredValue::new(Document::default()),
            origin: StoredValue::new(String::new()),
            bridge: StoredValue::new(Bridge::new()),
            allowed: StoredValue::new(BTreeSet::new()),
            reported: StoredValue::new(None),
            is_counted: StoredValue::new(false),
            attempt: StoredValue::new(0),
            abort: StoredValue::new_local(None),
        };
        let messages = window_event_listener_untyped("message", move |event| {
            if let Ok(event) = event.dyn_into::<MessageEvent>() {
                live.receive(&event);
            }
        });
        let sizes = window_event_listener(leptos::ev::resize, move |_| live.measure());
        let dark = StoredValue::new_local(window().match_media(DARK).ok().flatten());
        let changes = Closure::<dyn Fn()>::new(move || {
            live.prefers_dark.try_set(matches(DARK));
        });
        let changes = StoredValue::new_local(changes);
        let listen = move |is_begun: bool| {
            let Some(dark) = dark.try_get_value().flatten() else { return };
            changes.try_with_value(|listener| {
                let callback = listener.as_ref().unchecked_ref();
                // A browser without such events has one theme.
                let _ = match is_begun {
                    true => dark.add_event_listener_with_callback("change", callback),
                    false => dark.remove_event_listener_with_callback("change", callback),
                };
            });
        };
        listen(true);
        on_cleanup(move || {
            listen(false);
            messages.remove();
            sizes.remove();
            live.send(&json!({ "jsonrpc": "2.0", "id": "end", "method": "ui/resource-teardown", "params": {} }));
            live.cancel_all();
        });
        Effect::new(move |_| live.send_surroundings());
        Effect::new(move |before: Option<Outcome>| {
            let outcome = live.called.with(|it| it.outcome.clone());
            if before.is_some_and(|it| it != outcome) && live.listens.get_untracked() {
                live.send_outcome(&outcome);
            }
            outcome
        });
        live.begin();
        live
    }

    /// What it is called.
    pub(crate) fn title(self) -> String {
        self.tool.with_value(|it| it.title(Lang::spoken()))
    }

    /// Whose it is.
    pub(crate) fn owner(self) -> String {
        self.tool
            .with_value(|it| Owner::of_tool(it).map(|it| it.name().to_owned()))
            .unwrap_or_default()
    }

    /// Starts afresh, without any state of the previous attempt.
    pub(crate) fn begin(self) {
        self.cancel_all();
        self.attempt.update_value(|it| *it += 1);
        self.bridge.set_value(Bridge::new());
        self.allowed.set_value(BTreeSet::new());
        self.reported.set_value(None);
        self.listens.set(false);
        self.is_settled.set(false);
        self.is_fullscreen.set(false);
        self.height.set(HEIGHT);
        self.abort.set_value(AbortController::new().ok());
        if !self.count() {
            return self.stage.set(Stage::Failed(Failure::TooMany));
        }
        self.stage.set(Stage::Loading);
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let stage = match self.load().await {
                Ok(stage) => stage,
                Err(failure) => Stage::Failed(failure),
            };
            if self.attempt.try_get_value() != Some(attempt) {
                return;
            }
            if matches!(stage, Stage::Failed(_)) {
                self.cancel_all();
            }
            self.stage.try_set(stage);
            set_timeout(move || self.check_frame(attempt), FRAME_TIME);
        });
    }

    /// Takes one of the slots for apps.
    fn count(self) -> bool {
        let has_room = OPEN.get() < OPEN_MAX;
        if has_room {
            OPEN.set(OPEN.get() + 1);
            self.is_counted.set_value(true);
        }
        has_room
    }

    /// Cancels everything that the app began.
    fn cancel_all(self) {
        if self.is_counted.try_update_value(std::mem::take) == Some(true) {
            OPEN.set(OPEN.get().saturating_sub(1));
        }
        if let Some(Some(abort)) = self.abort.try_update_value(Option::take) {
            abort.abort();
        }
        self.asks.try_set(Vec::new());
        self.talk.forget_app(self.number);
    }

    async fn load(self) -> Result<Stage, Failure> {
        let origin = super::origin().await.map_err(Failure::Unread)?.ok_or(Failure::NoOrigin)?;
        let gone = Failure::Unread(CallError::Stopped);
        let Some((uri, owner)) = self
            .tool
            .try_with_value(|it| (it.app().unwrap_or_default().to_owned(), Owner::of_tool(it)))
        else {
            return Err(gone);
        };
        let owner = owner.ok_or(Failure::Unfit("the server does not say whose it is"))?;
        let read = mcp::read(&uri, owner.meta(), self.signal().as_ref()).await;
        let read = read.map_err(Failure::Unread)?;
        let document = Document::read(&read, &uri, &origin).map_err(Failure::Unfit)?;
        let stage = Stage::Framed {
            src: format!("{}/?csp={}", origin.origin, document.csp),
            allow: document.allow.clone(),
            has_border: document.has_border,
        };
        self.document.try_set_value(document);
        self.origin.try_set_value(origin.origin);
        Ok(stage)
    }

    fn signal(self) -> Option<web_sys::AbortSignal> {
        self.abort.try_with_value(|it| it.as_ref().map(AbortController::signal)).flatten()
    }

    /// Gives up on a frame that has not reported in time.
    fn check_frame(self, attempt: u32) {
        let is_waiting = self.attempt.try_get_value() == Some(attempt)
            && matches!(self.stage.try_get_untracked(), Some(Stage::Framed { .. }))
            && self.document.try_with_value(|it| !it.html.is_empty()) == Some(true);
        if is_waiting {
            self.cancel_all();
            self.stage.set(Stage::Failed(Failure::Unreachable(self.origin.get_value())));
        }
        self.is_settled.try_set(true);
    }

    fn window(self) -> Option<Window> {
        self.frame.try_get_untracked().flatten()?.content_window()
    }

    /// Handles a message to this window, from any sender.
    fn receive(self, event: &MessageEvent) {
        let (Some(own), Some(source)) = (self.window(), event.source()) else { return };
        let own: &JsValue = own.as_ref();
        let act = if JsValue::from(source.clone()) == *own {
            let is_known = self.origin.try_with_value(|it| *it == event.origin()) == Some(true);
            let Some(text) = event.data().as_string().filter(|_| is_known) else { return };
            self.bridge.try_update_value(|it| it.take(&text, browser::now_ms()))
        } else if is_within(source.into(), own) {
            self.bridge.try_update_value(Bridge::take_direct)
        } else {
            None
        };
        if let Some(act) = act {
            self.act(act);
        }
    }

    fn act(self, act: Act) {
        match act {
            Act::Nothing => {}
            Act::Send(message) => self.send(&message),
            Act::Show => self.show(),
            Act::Welcome { id } => self.welcome(&id),
            Act::Listens => self.send_call(),
            Act::Resize(height) => self.height.set(bridge::height(height, window_height())),
            Act::Call { id, name, arguments } => self.call(id, &name, arguments),
            Act::Read { id, uri } => self.read(id, uri),
            Act::Write { id, text } => self.write(id, text),
            Act::Open { id, url } => self.follow(id, url),
            Act::SetContext { id, text } => {
                let title = self.tool.with_value(|it| it.title(Lang::now()));
                self.talk.set_app_text(self.number, title, text);
                self.send(&bridge::result(&id, json!({})));
            }
            Act::Mode { id, is_fullscreen } => {
                self.is_fullscreen.set(is_fullscreen);
                let mode = if is_fullscreen { "fullscreen" } else { "inline" };
                self.send(&bridge::result(&id, json!({ "mode": mode })));
            }
            Act::End(Reason::Closed) => self.close(),
            Act::End(reason) => self.end(reason),
        }
    }

    /// Ends the app at once.
    fn end(self, reason: Reason) {
        self.cancel_all();
        self.attempt.update_value(|it| *it += 1);
        self.is_fullscreen.set(false);
        self.listens.set(false);
        self.stage.set(Stage::Ended(reason));
        if reason != Reason::Closed {
            page().announce_key(Key::AppEnded);
        }
    }

    /// Ends the app once it has saved its state, or its time for that is over.
    pub(crate) fn close(self) {
        self.send(&json!({ "jsonrpc": "2.0", "id": "end", "method": "ui/resource-teardown", "params": {} }));
        let attempt = self.attempt.get_value();
        let end = move || {
            if self.attempt.try_get_value() == Some(attempt) {
                self.end(Reason::Closed);
            }
        };
        if self.listens.get_untracked() { set_timeout(end, CLOSE_TIME) } else { end() }
    }

    fn send(self, message: &Value) {
        let origin = self.origin.try_get_value().unwrap_or_default();
        if let Some(window) = self.window().filter(|_| !origin.is_empty()) {
            // A closed frame receives nothing.
            let _ = window.post_message(&message.to_string().into(), &origin);
        }
    }

    /// Sends the answer to a request of that attempt, if it is still the current one.
    fn answer_to(self, attempt: u32, message: &Value) {
        if self.attempt.try_get_value() == Some(attempt) {
            self.send(message);
        }
    }

    /// Hands the document over, once per frame.
    fn show(self) {
        let html = self.document.try_update_value(|it| std::mem::take(&mut it.html));
        let allow = self.document.try_with_value(|it| it.allow.clone());
        let Some((html, allow)) = html.filter(|it| !it.is_empty()).zip(allow) else { return };
        let theme = if self.is_dark() { "dark" } else { "light" };
        let title = self.tool.with_value(|it| it.title(Lang::now()));
        self.send(&bridge::notification(
            "sandbox-resource-ready",
            json!({ "html": html, "allow": allow, "title": title, "theme": theme }),
        ));
    }

    fn is_dark(self) -> bool {
        match page().theme.get_untracked() {
            Theme::Light => false,
            Theme::Dark => true,
            Theme::System => self.prefers_dark.get_untracked(),
        }
    }

    fn measure(self) {
        if let Some(frame) = self.frame.try_get_untracked().flatten() {
            self.width.try_set(f64::from(frame.client_width()));
        }
    }

    fn surroundings(self) -> Surroundings {
        Surroundings {
            is_dark: self.is_dark(),
            lang: Lang::now(),
            is_fullscreen: self.is_fullscreen.get_untracked(),
            width: self.width.get_untracked(),
            max_height: (window_height() * bridge::HEIGHT_SHARE).max(bridge::HEIGHT_MIN).floor(),
        }
    }

    fn welcome(self, id: &Value) {
        self.measure();
        let surroundings = self.surroundings();
        let mut context = surroundings.context();
        let style = document()
            .document_element()
            .and_then(|it| window().get_computed_style(&it).ok().flatten());
        let value = |name: &str| style.as_ref()?.get_property_value(name).ok();
        context["styles"] = json!({ "variables": styles(value) });
        context["availableDisplayModes"] = json!(["inline", "fullscreen"]);
        context["userAgent"] = concat!("madoguchi/", env!("CARGO_PKG_VERSION")).into();
        context["platform"] = "web".into();
        context["deviceCapabilities"] = json!({ "touch": matches("(any-pointer: coarse)"), "hover": matches("(hover: hover)") });
        if let Some(zone) = dates::zone() {
            context["timeZone"] = zone.into();
        }
        context["toolInfo"] = self.tool.with_value(|tool| {
            json!({ "tool": {
                "name": own_name(tool), "title": tool.title(surroundings.lang),
                "description": tool.description(surroundings.lang), "inputSchema": tool.input_schema,
            } })
        });
        self.reported.set_value(Some(surroundings));
        self.send(&bridge::result(
            id,
            json!({
                "protocolVersion": bridge::VERSION,
                "hostInfo": { "name": "madoguchi-page", "version": env!("CARGO_PKG_VERSION") },
                "hostCapabilities": {
                    "openLinks": {}, "serverTools": {}, "serverResources": {}, "logging": {},
                    "message": { "text": {} },
                    "updateModelContext": { "text": {}, "structuredContent": {} },
                },
                "hostContext": context,
            }),
        ));
    }

    /// The app has initialized: sends the call and its outcome so far.
    fn send_call(self) {
        self.listens.set(true);
        let Called { arguments, outcome } = self.called.get_untracked();
        self.send(&bridge::notification("tool-input", json!({ "arguments": arguments })));
        self.send_outcome(&outcome);
        self.send_surroundings();
    }

    fn send_outcome(self, outcome: &Outcome) {
        match outcome {
            Outcome::Running => {}
            Outcome::Done(result) => {
                self.send(&bridge::notification("tool-result", result.clone()));
            }
            Outcome::Cancelled(why) => {
                self.send(&bridge::notification("tool-cancelled", json!({ "reason": why })));
            }
        }
    }

    /// Sends the changed properties of the page.
    fn send_surroundings(self) {
        page().theme.track();
        self.prefers_dark.track();
        page().lang.track();
        self.is_fullscreen.track();
        self.width.track();
        let listens = self.listens.get();
        let now = self.surroundings();
        let before = self.reported.get_value();
        let Some(before) = before.filter(|it| listens && *it != now) else { return };
        let (old, mut context) = (before.context(), now.context());
        if let Value::Object(context) = &mut context {
            context.retain(|key, value| old.get(key) != Some(value));
        }
        self.reported.set_value(Some(now));
        self.send(&bridge::notification("host-context-changed", context));
    }

    /// Asks the person. Returns none if they must not be asked again or are gone.
    async fn ask(self, kind: AskKind) -> Option<PersonAnswer> {
        let may_ask = self.bridge.try_with_value(Bridge::may_ask)?;
        if !may_ask || self.asks.try_with_untracked(Vec::len)? >= QUESTIONS_MAX {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        let ask = Ask {
            number: browser::next_number(),
            kind,
            answer: Arc::new(Mutex::new(Some(sender))),
        };
        self.asks.try_update(|it| it.push(ask));
        let lang = Lang::now();
        let title = self.tool.try_with_value(|it| it.title(lang))?;
        page().announce_fill(Key::AppAsksAnnounced, &[&title]);
        let answer = receiver.await.ok();
        if answer == Some(PersonAnswer::No) {
            self.bridge.try_update_value(Bridge::count_denial);
        }
        answer
    }

    /// Handles the person's answer to a question.
    pub(crate) fn answer(self, number: u32, answer: PersonAnswer) {
        let ask = self.asks.with_untracked(|it| it.iter().find(|it| it.number == number).cloned());
        self.asks.update(|it| it.retain(|it| it.number != number));
        let sender = ask.and_then(|it| it.answer.lock().ok()?.take());
        if let Some(sender) = sender {
            let _ = sender.send(answer);
        }
    }

    fn call(self, id: Value, name: &str, arguments: Value) {
        let owner = self.tool.with_value(Owner::of_tool);
        let found = page().tools.with_untracked(|tools| {
            let tools = tools.ready().map_or(&[][..], Vec::as_slice);
            owner.map_or(Err(Barred::Unknown), |it| callable(tools, &it, name).cloned())
        });
        let tool = match found {
            Ok(tool) => tool,
            Err(barred) => {
                let why = match barred {
                    Barred::Unknown => "its own server has no tool of that name",
                    Barred::NotForApps => "that tool is not for apps",
                };
                self.bridge.update_value(Bridge::finish_call);
                return self.send(&bridge::error(&id, -32_602, why));
            }
        };
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let answer = match self.perform(tool, arguments).await {
                Ok(result) => bridge::result(&id, result),
                Err(why) => bridge::error(&id, -32_000, &why),
            };
            self.end_call(attempt, &answer);
        });
    }

    fn end_call(self, attempt: u32, answer: &Value) {
        if self.attempt.try_get_value() == Some(attempt) {
            self.bridge.update_value(Bridge::finish_call);
            self.send(answer);
        }
    }

    /// Makes a call. The person is asked first, unless it only reads or they have allowed the tool already. Returns the
    /// MCP result.
    async fn perform(self, tool: Tool, arguments: Value) -> Result<Value, String> {
        let is_allowed = self.allowed.try_with_value(|it| it.contains(&tool.name)) == Some(true);
        if !only_reads(&tool) && !is_allowed {
            let kind = AskKind::Call { tool: Box::new(tool.clone()), arguments: arguments.clone() };
            match self.ask(kind).await {
                Some(PersonAnswer::Yes) => {}
                Some(PersonAnswer::Always) => {
                    self.allowed.try_update_value(|it| it.insert(tool.name.clone()));
                }
                _ => return Err("the person did not allow it".to_owned()),
            }
        }
        let (mut answers, mut state) = (None, None);
        for _ in 0..ROUNDS_MAX {
            let signal = self.signal();
            let round = Round {
                schema: Some(&tool.input_schema),
                responses: answers.take(),
                state: state.take(),
                abort: signal.as_ref(),
                ..Round::default()
            };
            let result = mcp::call(&tool.name, &arguments, round, &mut |_| {}).await;
            match result.and_then(Answer::parse) {
                Ok(Answer::Done(output)) => return Ok(output.raw),
                Ok(Answer::Asked { questions, state: next }) => {
                    state = next;
                    let keys: Vec<_> =
                        questions.iter().map(|it| (it.key.clone(), Reply::Decline)).collect();
                    answers = Some(match self.ask(AskKind::Answer(questions)).await {
                        Some(PersonAnswer::Answers(answers)) => answers,
                        _ => responses(&keys),
                    });
                }
                Err(CallError::Refused(refusal)) => {
                    let text = json!({ "type": "text", "text": refusal.message });
                    return Ok(json!({ "isError": true, "content": [text] }));
                }
                Err(CallError::Protocol { message, .. }) => return Err(message),
                Err(error) => return Err(error.title(Lang::En).to_owned()),
            }
        }
        Err("it asks without end".to_owned())
    }

    fn read(self, id: Value, uri: String) {
        let owner = self.tool.with_value(Owner::of_tool);
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let meta =
                owner.map(|it| it.meta()).unwrap_or_else(|| json!({ "madoguchi/component": "" }));
            let answer = match mcp::read(&uri, meta, self.signal().as_ref()).await {
                Ok(result) => bridge::result(&id, result),
                Err(CallError::Protocol { message, .. }) => bridge::error(&id, -32_002, &message),
                Err(error) => bridge::error(&id, -32_000, error.title(Lang::En)),
            };
            self.end_call(attempt, &answer);
        });
    }

    fn write(self, id: Value, text: String) {
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let is_put = self.ask(AskKind::Write(text.clone())).await == Some(PersonAnswer::Yes);
            let result = if is_put { json!({}) } else { json!({ "isError": true }) };
            self.answer_to(attempt, &bridge::result(&id, result));
            if is_put {
                self.talk.draft.update(|draft| {
                    if !draft.trim().is_empty() {
                        draft.push('\n');
                    }
                    draft.push_str(&text);
                });
                self.talk.keep_draft();
                page().go(Route::Chat(None));
                browser::focus_soon("chat-input");
            }
        });
    }

    /// Asks the person whether to open a page; the button that they press opens it.
    fn follow(self, id: Value, url: String) {
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let is_open = self.ask(AskKind::Open(url)).await == Some(PersonAnswer::Yes);
            let result = if is_open { json!({}) } else { json!({ "isError": true }) };
            self.answer_to(attempt, &bridge::result(&id, result));
        });
    }
}

/// Whether a media query matches.
fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|it| it.matches())
}

fn window_height() -> f64 {
    window().inner_height().ok().and_then(|it| it.as_f64()).unwrap_or_default()
}

/// Whether a window is nested below `outer`.
fn is_within(mut window: JsValue, outer: &JsValue) -> bool {
    for _ in 0..FRAMES_MAX {
        let parent = js_sys::Reflect::get(&window, &"parent".into()).unwrap_or(JsValue::NULL);
        if parent == *outer {
            return true;
        }
        if parent == window || !parent.is_object() {
            return false;
        }
        window = parent;
    }
    false
}
