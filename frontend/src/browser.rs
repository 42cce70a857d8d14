//! Access to browser features: storage, focus, scrolling, files, address.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use leptos::html::Input;
use leptos::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{
    Blob, BlobPropertyBag, HtmlAnchorElement, HtmlElement, Node, ScrollIntoViewOptions,
    ScrollLogicalPosition, Storage, Url, VisibilityState,
};

/// Reports panics on the browser's console.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        web_sys::console::error_1(&panic.to_string().into());
    }));
}

/// A storage of the browser.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keep {
    /// Kept in this browser: settings, the reader's name.
    Browser,
    /// Kept in this tab: what was typed.
    Tab,
}

thread_local!(static IS_SHUT: Cell<bool> = const { Cell::new(false) });

impl Keep {
    /// Full storage key for a name.
    pub(crate) fn name(name: &str) -> String {
        format!("madoguchi.{name}")
    }

    fn storage(self) -> Option<Storage> {
        let window = window();
        // A browser may forbid storage; the page then forgets, and works.
        match self {
            Self::Browser => window.local_storage().ok().flatten(),
            Self::Tab => window.session_storage().ok().flatten(),
        }
    }

    /// Returns the value stored under a name.
    pub(crate) fn get<T: DeserializeOwned>(self, name: &str) -> Option<T> {
        let text = self.storage()?.get_item(&Self::name(name)).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Stops all further storing: the page is about to reload.
    pub(crate) fn shut() {
        IS_SHUT.set(true);
    }

    /// Stores a value under a name.
    pub(crate) fn put(self, name: &str, value: &impl Serialize) {
        if IS_SHUT.get() {
            return;
        }
        if let (Some(storage), Ok(text)) = (self.storage(), serde_json::to_string(value)) {
            // A full storage forgets, and the page works.
            let _ = storage.set_item(&Self::name(name), &text);
        }
    }

    /// Whether a value is stored under a name.
    pub(crate) fn has(self, name: &str) -> bool {
        self.storage().is_some_and(|it| matches!(it.get_item(&Self::name(name)), Ok(Some(_))))
    }

    /// Lists the names of all stored values.
    pub(crate) fn names(self) -> Vec<String> {
        let Some(storage) = self.storage() else { return Vec::new() };
        let keys = (0..storage.length().unwrap_or(0)).filter_map(|it| storage.key(it).ok()?);
        keys.filter_map(|it| it.strip_prefix("madoguchi.").map(str::to_owned)).collect()
    }

    /// Size of a stored value in bytes, as browsers count it.
    pub(crate) fn bytes(self, name: &str) -> u64 {
        let text = self.storage().and_then(|it| it.get_item(&Self::name(name)).ok()?);
        text.map_or(0, |it| it.len() as u64)
    }

    /// Removes the value stored under a name.
    pub(crate) fn remove(self, name: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.remove_item(&Self::name(name));
        }
    }
}

/// The reader's preferred languages, most preferred first.
pub(crate) fn languages() -> Vec<String> {
    let languages = window().navigator().languages();
    languages.iter().filter_map(|it| it.as_string()).collect()
}

/// The language of the document.
pub(crate) fn document_language() -> String {
    let element = document().document_element();
    element.and_then(|it| it.get_attribute("lang")).unwrap_or_default()
}

/// Saves a file on the reader's device. It is never opened: uploaded content runs nowhere here.
pub(crate) fn download(name: &str, bytes: &[u8], mime: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    save(name, &Blob::new_with_u8_array_sequence_and_options(&parts, &options)?)
}

/// Saves a file that the browser holds already.
pub(crate) fn save(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser has taken it up by then.
    set_timeout(move || drop(Url::revoke_object_url(&url)), Duration::from_secs(60));
    Ok(())
}

/// Whether the reader asked the browser to save data.
pub(crate) fn saves_data() -> bool {
    let get = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &name.into());
    let connection = get(&window().navigator(), "connection");
    connection.and_then(|it| get(&it, "saveData")).is_ok_and(|it| it.is_truthy())
}

pub(crate) async fn sleep(time: Duration) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        set_timeout(
            move || {
                let _ = resolve.call0(&JsValue::UNDEFINED);
            },
            time,
        );
    });
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}

/// Awaits several futures concurrently. Returns their outputs in the given order.
pub(crate) async fn all<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut outcomes: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for (future, outcome) in futures.iter_mut().zip(&mut outcomes) {
            if outcome.is_none() {
                match Pin::new(future).poll(context) {
                    Poll::Ready(value) => *outcome = Some(value),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outcomes.into_iter().flatten().collect()
}

/// Focuses an element once the page has been redrawn, unless the reader has gone to a field meanwhile.
pub(crate) fn focus_soon(id: impl Into<String>) {
    let id = id.into();
    unless_typing(move || focus(&id));
}

/// Focuses the first element matching a CSS selector once the page has been redrawn, unless the reader has gone to a
/// field meanwhile.
pub(crate) fn focus_first_soon(css: &'static str) {
    unless_typing(move || focus_first(css));
}

thread_local! {
    /// The field focused last by the page itself.
    static FOCUSED: RefCell<Option<web_sys::Element>> = const { RefCell::new(None) };
    /// Where the focus was when what is being drawn was asked for.
    static ASKED_FROM: RefCell<Option<Focus>> = const { RefCell::new(None) };
}

/// What had the focus at some time.
#[derive(Clone)]
pub(crate) struct Focus(Option<web_sys::Element>);

impl Focus {
    /// Where it was when what is being drawn was asked for: now, unless a part is drawn late.
    pub(crate) fn asked_from() -> Self {
        let early = ASKED_FROM.with_borrow(Clone::clone);
        early.unwrap_or_else(|| Self(document().active_element()))
    }

    /// Draws what was asked for while this had the focus, and is drawn late: its view must not take the focus from a
    /// field that the reader has gone to meanwhile.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce() -> T) -> T {
        let outer = ASKED_FROM.replace(Some(self.clone()));
        let drawn = draw();
        ASKED_FROM.set(outer);
        drawn
    }
}

/// Moves the focus once the page has been redrawn, unless the reader has gone to a field meanwhile.
fn unless_typing(go: impl FnOnce() + 'static) {
    let Focus(before) = Focus::asked_from();
    let check = move || {
        let active = document().active_element();
        let is_field = |it: &web_sys::Element| it.matches(FIELDS).unwrap_or_default();
        let is_own = FOCUSED.with_borrow(|own| own.is_some() && *own == active);
        if active == before || is_own || !active.as_ref().is_some_and(is_field) {
            go();
            FOCUSED.set(document().active_element());
        }
    };
    set_timeout(check, Duration::from_millis(30));
}

/// What is typed in.
const FIELDS: &str = "input:not([type=checkbox], [type=radio], [type=file]), textarea, select";

/// Whether the event's target is within an element matching a CSS selector.
pub(crate) fn is_within(event: &leptos::ev::Event, css: &str) -> bool {
    let element = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|it| matches!(it.closest(css), Ok(Some(_))))
}

/// When the current view is disposed of while an element matching `css` contains the focus, focuses the element of that
/// id.
pub(crate) fn hand_on(css: &'static str, id: &'static str) {
    on_cleanup(move || {
        let active = document().active_element();
        if active.is_some_and(|it| matches!(it.closest(css), Ok(Some(_)))) {
            focus_if_lost(id);
        }
    });
}

/// Removes an element from the page.
pub(crate) fn remove(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.remove();
    }
}

/// Id of the element around every view. It takes the focus if no part of a view does.
pub(crate) const MAIN: &str = "main";

/// Focuses an element, if it exists.
pub(crate) fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let at = window().scroll_y().unwrap_or_default();
        let _ = element.unchecked_into::<HtmlElement>().focus();
        // All of a view is not what the reader looks for: they stay where they are in it.
        if id == MAIN {
            window().scroll_to_with_x_and_y(0.0, at);
        }
    }
}

/// Focuses the first element matching a CSS selector.
pub(crate) fn focus_first(css: &str) {
    if let Some(first) = document().query_selector(css).ok().flatten() {
        let _ = first.unchecked_into::<HtmlElement>().focus();
    }
}

/// Focuses an element if nothing has the focus because its element was removed.
pub(crate) fn focus_if_lost(id: impl Into<String>) {
    focus_back(None, id);
}

/// If the focus is lost, returns it to the element that had it `before`, if that is a button still on the page, else to
/// that of the id.
pub(crate) fn focus_back(before: Option<web_sys::Element>, id: impl Into<String>) {
    let id = id.into();
    let check = move || {
        let active = document().active_element();
        let is_nowhere = |element: web_sys::Element| {
            element.tag_name() == "BODY"
                || element.id() == MAIN
                || element.has_attribute("disabled")
        };
        if active.is_none_or(is_nowhere) {
            match before.filter(|it| it.is_connected() && it.tag_name() == "BUTTON") {
                Some(before) => drop(before.unchecked_into::<HtmlElement>().focus()),
                None => focus(&id),
            }
        }
    };
    set_timeout(check, Duration::from_millis(30));
}

/// Whether the focus left the listening element rather than moving within it.
pub(crate) fn is_left(event: &leptos::ev::FocusEvent) -> bool {
    let node = |it: Option<web_sys::EventTarget>| it.and_then(|it| it.dyn_into::<Node>().ok());
    let (own, next) = (node(event.current_target()), node(event.related_target()));
    !own.zip(next).is_some_and(|(own, next)| own.contains(Some(&next)))
}

/// An input that mirrors `shown`. The caret stays where it is if the text is the same.
pub(crate) fn mirrored(shown: impl Fn() -> String + 'static) -> NodeRef<Input> {
    let node = NodeRef::<Input>::new();
    Effect::new(move |_| {
        let value = shown();
        if let Some(input) = node.get().filter(|it| it.value() != value) {
            input.set_value(&value);
        }
    });
    node
}

/// How often to check whether the mouse button was released.
const RELEASE_TIME: Duration = Duration::from_millis(40);

/// Runs `then`, but while a mouse button is down only after it was released and has clicked: the click would miss a
/// target that `then` moves away.
pub(crate) fn once_released(then: impl FnOnce() + 'static) {
    let page = document().document_element();
    if page.is_some_and(|it| it.matches(":active").unwrap_or_default()) {
        set_timeout(move || once_released(then), RELEASE_TIME);
    } else {
        then();
    }
}

/// Scrolls an element into view, as little as possible.
pub(crate) fn reveal(id: &str) {
    scroll_to(document().get_element_by_id(id));
}

/// Scrolls an element into the middle of the window.
pub(crate) fn reveal_in_the_middle(id: &str) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Center);
    options.set_inline(ScrollLogicalPosition::Center);
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Scrolls the first element matching a CSS selector into view, as little as possible.
pub(crate) fn reveal_first(css: &str) {
    scroll_to(document().query_selector(css).ok().flatten());
}

/// Scrolls only a list, sideways, until one of its elements is in the middle.
pub(crate) fn centre(list: &web_sys::Element, id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let (around, own) = (list.get_bounding_client_rect(), element.get_bounding_client_rect());
        let beyond = own.left() - around.left() - (around.width() - own.width()) / 2.0;
        list.set_scroll_left(list.scroll_left() + beyond as i32);
    }
}

/// Scrolls only within a list until one of its elements is visible.
pub(crate) fn reveal_within(list: &str, css: &str) {
    let find = |css: &str| document().query_selector(css).ok().flatten();
    if let Some((list, element)) = find(list).zip(find(css)) {
        let (around, own) = (list.get_bounding_client_rect(), element.get_bounding_client_rect());
        if own.top() < around.top() || own.bottom() > around.bottom() {
            let middle = own.top() - around.top() - (around.height() - own.height()) / 2.0;
            list.set_scroll_top(list.scroll_top() + middle as i32);
        }
    }
}

fn scroll_to(element: Option<web_sys::Element>) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    options.set_inline(ScrollLogicalPosition::Nearest);
    if let Some(element) = element {
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

#[wasm_bindgen]
extern "C" {
    /// `navigator.locks`, which web-sys has only as unstable.
    pub(crate) type Locks;
    #[wasm_bindgen(method)]
    pub(crate) fn request(
        this: &Locks,
        name: &str,
        options: &JsValue,
        granted: &js_sys::Function,
    ) -> js_sys::Promise;
}

/// The locks shared by the windows of this browser; none in a page that came over HTTP from another machine.
pub(crate) fn locks() -> Option<Locks> {
    let found = js_sys::Reflect::get(&window().navigator(), &"locks".into()).ok()?;
    (!found.is_undefined() && !found.is_null()).then(|| found.unchecked_into())
}

/// Runs `act` if no other window of this browser has run something under this name; one that is closed does not count.
pub(crate) fn first(name: String, act: impl FnOnce() + 'static) {
    thread_local!(static OWN: RefCell<Vec<String>> = RefCell::default());
    let Some(locks) = locks().filter(|_| !OWN.with_borrow(|it| it.contains(&name))) else {
        return act();
    };
    let options = js_sys::Object::new();
    let _ = js_sys::Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE);
    let own = name.clone();
    let granted = Closure::once_into_js(move |lock: JsValue| {
        if lock.is_null() {
            return JsValue::UNDEFINED;
        }
        OWN.with_borrow_mut(|it| it.push(own));
        act();
        // Never settles: the lock is held until the window is closed.
        js_sys::Promise::new(&mut |_, _| ()).into()
    });
    let _ = locks.request(&name, &options, granted.unchecked_ref());
}

/// Whether the page is visible.
pub(crate) fn is_visible() -> bool {
    document().visibility_state() == VisibilityState::Visible
}

/// Whether the reader asked the page or their system for reduced motion.
pub(crate) fn wants_less_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    let page = document().document_element();
    let is_set = page.is_some_and(|it| it.get_attribute("data-motion").as_deref() == Some("less"));
    is_set || query.ok().flatten().is_some_and(|it| it.matches())
}

/// Loads a style sheet and a script that define a global, once.
pub(crate) async fn load_once(style: &str, script: &str) -> Result<(), JsValue> {
    let document = document();
    if document.get_element_by_id(script).is_none() {
        let head = document.query_selector("head")?.ok_or(JsValue::NULL)?;
        let sheet = document.create_element("link")?;
        sheet.set_attribute("rel", "stylesheet")?;
        sheet.set_attribute("href", style)?;
        head.append_child(&sheet)?;
        let element = document.create_element("script")?;
        element.set_id(script);
        element.set_attribute("src", script)?;
        head.append_child(&element)?;
    }
    let element = document.get_element_by_id(script).ok_or(JsValue::NULL)?;
    // A second view waits for the same script; one that is there is not waited for.
    if element.has_attribute("data-loaded") {
        return Ok(());
    }
    let loaded = js_sys::Promise::new(&mut |resolve, reject| {
        let element = element.clone();
        let done = Closure::once_into_js(move || {
            let _ = element.set_attribute("data-loaded", "");
            let _ = resolve.call0(&JsValue::UNDEFINED);
        });
        let target = document.get_element_by_id(script);
        if let Some(target) = target {
            let _ = target.add_event_listener_with_callback("load", done.unchecked_ref());
            let _ = target.add_event_listener_with_callback("error", &reject);
        }
    });
    wasm_bindgen_futures::JsFuture::from(loaded).await.map(drop)
}

/// Copies text to the clipboard. Returns false if the browser has none.
pub(crate) fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into());
    // Absent on an origin that is not secure.
    if clipboard.is_ok_and(|it| it.is_undefined()) {
        return false;
    }
    drop(navigator.clipboard().write_text(text));
    true
}

/// Whether an input method is still composing: the key belongs to it, not to the page.
pub(crate) fn is_composing(event: &leptos::ev::KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}

/// Whether the event is an Escape that belongs to no input method. The event is then consumed.
pub(crate) fn takes_escape(event: &leptos::ev::KeyboardEvent) -> bool {
    let closes = event.key() == "Escape" && !is_composing(event);
    if closes {
        event.prevent_default();
        event.stop_propagation();
    }
    closes
}

/// Returns a number unique on this page, for ids of elements and requests.
pub(crate) fn next_number() -> u32 {
    thread_local!(static LAST: Cell<u32> = const { Cell::new(0) });
    LAST.with(|last| {
        last.set(last.get().wrapping_add(1));
        last.get()
    })
}

/// Returns 128 random bits in hexadecimal.
pub(crate) fn unique() -> String {
    let mut bytes = [0_u8; 16];
    let crypto = window().crypto();
    if crypto.and_then(|it| it.get_random_values_with_u8_array(&mut bytes)).is_err() {
        bytes.fill_with(|| (js_sys::Math::random() * 256.0) as u8);
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The part of the address after `#`.
pub(crate) fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// Navigates to another hash, adding a history entry.
pub(crate) fn set_hash(hash: &str) {
    let _ = window().location().set_hash(hash);
}

/// The page's full address, for sharing.
pub(crate) fn address() -> String {
    window().location().href().unwrap_or_default()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// Whether a text is a plain web address.
pub(crate) fn is_link(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let is_plain = !url.chars().any(|it| it.is_control() || it.is_whitespace() || it == '\\');
    is_plain && !host.is_empty() && !host.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_web_links() {
        for good in ["https://a.example/x?y#z", "http://a.example"] {
            assert!(is_link(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://",
            "https:///x",
            "ftp://a.example",
            "https://bank.example@evil.example",
            "https://a.example\\@b",
            "https://a\nb",
            "//a.example",
            "file:///etc",
        ] {
            assert!(!is_link(bad), "{bad}");
        }
    }
}
