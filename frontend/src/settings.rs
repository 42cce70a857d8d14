//! The reader's settings: language, colours, motion, notifications. Stored in the browser, applied to the document.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::{self, Keep};
use crate::text::{Key, Lang};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Name for the style sheet and `<select>`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Label for the reader.
    pub(crate) fn key(self) -> Key {
        match self {
            Self::System => Key::ThemeSystem,
            Self::Light => Key::ThemeLight,
            Self::Dark => Key::ThemeDark,
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// How much is animated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Motion {
    /// As set on the device.
    #[default]
    System,
    Less,
}

impl Motion {
    /// Name for the style sheet.
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Less => "less",
        }
    }
}

/// The stored language, or the browser's.
pub(crate) fn language() -> RwSignal<Lang> {
    let stored_signal = Keep::Browser.get("language");
    let lang =
        RwSignal::new(stored_signal.unwrap_or_else(|| Lang::preferred(&browser::languages())));
    Effect::new(move |before: Option<Lang>| {
        let lang = lang.get();
        if before.is_some_and(|before| before != lang) {
            Keep::Browser.put("language", &lang);
        }
        set_on_document("lang", lang.tag());
        lang
    });
    lang
}

/// A setting stored under that name, or its default. Each change is stored and applied.
fn stored_signal<T>(name: &'static str, apply: fn(T)) -> RwSignal<T>
where
    T: Copy + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let value = RwSignal::new(Keep::Browser.get(name).unwrap_or_default());
    Effect::new(move |before: Option<T>| {
        let value: T = value.get();
        if before.is_some_and(|before| before != value) {
            Keep::Browser.put(name, &value);
        }
        apply(value);
        value
    });
    value
}

/// The stored theme, or the device's.
pub(crate) fn theme() -> RwSignal<Theme> {
    stored_signal("theme", |it: Theme| set_on_document("data-theme", it.name()))
}

/// The stored motion setting, or the device's.
pub(crate) fn motion() -> RwSignal<Motion> {
    stored_signal("motion", |it: Motion| set_on_document("data-motion", it.name()))
}

/// Whether the reader wants notifications about pending items.
pub(crate) fn notices() -> RwSignal<bool> {
    stored_signal("notices", |_| {})
}

/// The browser's notification API, if available.
fn notification_api() -> Option<Function> {
    Reflect::get(&window(), &"Notification".into()).ok()?.dyn_into().ok()
}

/// Asks the browser for permission to show notifications.
pub(crate) async fn ask_for_notices() -> bool {
    let request = || -> Option<Promise> {
        let notices = notification_api()?;
        let ask: Function =
            Reflect::get(&notices, &"requestPermission".into()).ok()?.dyn_into().ok()?;
        ask.call0(&notices).ok()?.dyn_into().ok()
    };
    let Some(permission) = request() else { return false };
    wasm_bindgen_futures::JsFuture::from(permission).await.is_ok_and(|it| it == "granted")
}

/// Shows a notification, unless the page is visible or the browser forbids it.
pub(crate) fn give_notice(text: &str) {
    if browser::is_visible() {
        return;
    }
    if let Some(notices) = notification_api() {
        // A browser that requires a service worker shows none.
        let _ = Reflect::construct(&notices, &js_sys::Array::of1(&JsValue::from_str(text)));
    }
}

fn set_on_document(name: &str, value: &str) {
    if let Some(element) = document().document_element() {
        // The names are ours and valid.
        let _ = element.set_attribute(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_theme_by_name() {
        for theme in Theme::ALL {
            assert_eq!(Theme::of_name(theme.name()), Some(theme));
        }
        assert_eq!(Theme::of_name("sepia"), None);
    }
}
