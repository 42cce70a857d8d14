//! What the reader set once: language and colours. Kept in the browser, applied to the document.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::browser::{self, Keep};
use crate::text::{Key, Lang};

/// The page's colours.
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

    /// As the style sheet and `<select>` call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What the reader calls it.
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

/// The language kept, or the browser's.
pub(crate) fn language() -> RwSignal<Lang> {
    let kept = Keep::Browser.get("language");
    let lang = RwSignal::new(kept.unwrap_or_else(|| Lang::preferred(&browser::languages())));
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

/// The colours kept, or the device's.
pub(crate) fn theme() -> RwSignal<Theme> {
    let theme = RwSignal::new(Keep::Browser.get("theme").unwrap_or_default());
    Effect::new(move |before: Option<Theme>| {
        let theme: Theme = theme.get();
        if before.is_some_and(|before| before != theme) {
            Keep::Browser.put("theme", &theme);
        }
        set_on_document("data-theme", theme.name());
        theme
    });
    theme
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
    fn every_theme_is_found_by_its_name() {
        for theme in Theme::ALL {
            assert_eq!(Theme::of_name(theme.name()), Some(theme));
        }
        assert_eq!(Theme::of_name("sepia"), None);
    }
}
