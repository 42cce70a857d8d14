//! The reader's settings, and the data stored by this browser.

use leptos::prelude::*;

use super::notice::Sure;
use crate::browser::{self, Keep};
use crate::operator::units;
use crate::page::page;
use crate::reader::{self, PERMANENT, kind};
use crate::settings::{self, Motion, Theme};
use crate::text::{Key, Lang};

/// The view `#/settings`.
#[component]
pub(crate) fn PreferencesView() -> impl IntoView {
    browser::focus_soon("stage");
    let language = move |lang: Lang| {
        let choose = move |_| page().speak(lang);
        let name = if lang == Lang::Ja { "日本語" } else { "English" };
        view! {
            <label class="choice" lang=lang.tag()>
                <input type="radio" name="language" prop:checked=move || Lang::spoken() == lang on:change=choose/>
                {name}
            </label>
        }
    };
    let theme = move |theme: Theme| {
        view! {
            <label class="choice">
                <input type="radio" name="theme" prop:checked=move || page().theme.get() == theme
                    on:change=move |_| page().theme.set(theme)/>
                {move || theme.key().say()}
            </label>
        }
    };
    let motion = move |(motion, key): (Motion, Key)| {
        view! {
            <label class="choice">
                <input type="radio" name="motion" prop:checked=move || page().motion.get() == motion
                    on:change=move |_| page().motion.set(motion)/>
                {key}
            </label>
        }
    };
    view! {
        <div class="preferences">
            <h1 tabindex="-1" id="stage">{Key::Preferences}</h1>
            <p class="hint">{Key::PreferencesHint}</p>
            <fieldset class="preference">
                <legend>{Key::PreferencesLanguage}</legend>
                {[Lang::Ja, Lang::En].map(language).into_iter().collect_view()}
            </fieldset>
            <fieldset class="preference">
                <legend>{Key::Theme}</legend>
                {Theme::ALL.map(theme).into_iter().collect_view()}
            </fieldset>
            <fieldset class="preference">
                <legend>{Key::PreferencesMotion}</legend>
                {[(Motion::System, Key::ThemeSystem), (Motion::Less, Key::PreferencesLess)]
                    .map(motion).into_iter().collect_view()}
            </fieldset>
            <Notices/>
            <StoredData/>
        </div>
    }
}

/// Whether notifications about pending items are shown while the page is hidden.
#[component]
fn Notices() -> impl IntoView {
    let is_denied = RwSignal::new(false);
    let change = move |event| {
        let is_wanted = event_target_checked(&event);
        if !is_wanted {
            is_denied.set(false);
            return page().notices.set(false);
        }
        leptos::task::spawn_local(async move {
            let is_allowed = settings::ask_for_notices().await;
            page().notices.set(is_allowed);
            let _ = is_denied.try_set(!is_allowed);
        });
    };
    view! {
        <fieldset class="preference">
            <legend>{Key::PreferencesNotices}</legend>
            <label class="choice">
                <input type="checkbox" aria-describedby="notices-hint" prop:checked=page().notices on:change=change/>
                {Key::PreferencesNoticesOn}
            </label>
            <p id="notices-hint" class="hint">{Key::PreferencesNoticesHint}</p>
            <p class="error" role="alert">
                {move || is_denied.get().then_some(Key::PreferencesNoticesDenied)}
            </p>
        </fieldset>
    }
}

/// The data stored in this browser, and the button to clear it.
#[component]
fn StoredData() -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let clear = Callback::new(move |()| reader::forget(false));
    let keep = Callback::new(move |()| {
        is_asking.set(false);
        browser::focus_soon("preferences-clear");
    });
    view! {
        <section class="preference" aria-labelledby="preferences-kept">
            <h2 id="preferences-kept" class="section-title">{Key::PreferencesKept}</h2>
            <p class="hint">{Key::PreferencesKeptHint}</p>
            <ul class="preferences-kept">
                {stored_bytes().into_iter().map(|(key, bytes)| view! {
                    <li><span>{key}</span><span class="is-number">{units::bytes(bytes)}</span></li>
                }).collect_view()}
            </ul>
            {move || match is_asking.get() {
                false => any_view! {
                    <button type="button" class="quiet is-grave" id="preferences-clear"
                        on:click=move |_| is_asking.set(true)>{Key::PreferencesClear}</button>
                },
                true => any_view! {
                    <Sure id="preferences-keep" ask=Key::PreferencesClearAsk
                        yes=Key::PreferencesClearYes no=Key::PreferencesClearNo
                        on_yes=clear on_no=keep/>
                },
            }}
        </section>
    }
}

/// Stored bytes by category.
fn stored_bytes() -> Vec<(Key, u64)> {
    let kinds = [Key::PreferencesChats, Key::PreferencesTyped, PERMANENT];
    let mut sums = kinds.map(|it| (it, 0));
    for keep in [Keep::Browser, Keep::Tab] {
        for name in keep.names() {
            let sum = sums.iter_mut().find(|it| it.0 == kind(&name));
            sum.into_iter().for_each(|it| it.1 += keep.bytes(&name));
        }
    }
    sums.to_vec()
}
