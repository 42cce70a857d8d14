//! What a field for files looks like: a place to drop them, a button to choose them, and their list.

use leptos::prelude::*;
use web_sys::FileList;

use super::cut;
use super::files::{Item, State, Tray};
use crate::error::CallError;
use crate::text::{Key, Lang};
use crate::views::drop::FileDrop;
use output::form::size_of;

const NAME_MAX: usize = 120;

pub(super) fn draw(tray: Tray) -> AnyView {
    let spot = tray.spot;
    let is_several = tray.rules.with_value(|it| it.multiple);
    let accept = tray.rules.with_value(|it| it.accept.join(","));
    let described = format!("{} {}", spot.part("rules"), spot.part("error"));
    let choose = if is_several { Key::FileChooseMany } else { Key::FileChoose };
    view! {
        <FileDrop ids=[spot.part("choose"), spot.part("input"), described] accept is_several
            words=[Key::FileDrop.into(), choose.into()]
            is_shut=Signal::derive(move || spot.is_closed())
            take=move |files: &FileList| tray.add(files)>
            {rules(tray)}
        </FileDrop>
        {list(tray)}
    }
    .into_any()
}

/// What is accepted, as text.
fn rules(tray: Tray) -> impl IntoView {
    let spot = tray.spot;
    let said = move || {
        let lang = Lang::spoken();
        tray.rules.with_value(|rules| {
            let accept = (!rules.accept.is_empty())
                .then(|| lang.fill(Key::FileAccept, &[&cut(&rules.accept.join(" "), NAME_MAX)]));
            let size = rules.size_max.map(|it| lang.fill(Key::FileSizeMax, &[&size_of(it)]));
            accept.into_iter().chain(size).collect::<Vec<_>>().join(lang.comma())
        })
    };
    view! { <p class="drop-rules" id=spot.part("rules")>{said}</p> }
}

fn list(tray: Tray) -> impl IntoView {
    let spot = tray.spot;
    let is_some = move || tray.items.with(|it| !it.is_empty());
    let is_some = Memo::new(move |_| is_some());
    move || {
        is_some.get().then(|| {
            view! {
                <ul class="files" aria-label=Key::FileList>
                    <For each=move || tray.items.get() key=|it| it.key
                        children=move |item| row(tray, item)/>
                </ul>
            }
        })
    }
}

fn row(tray: Tray, item: Item) -> impl IntoView {
    let spot = tray.spot;
    let Item { key, named, picture, state, .. } = item;
    let name = cut(&named.name, NAME_MAX);
    let about = format!("{} · {}", size_of(named.size), cut(&named.kind, NAME_MAX));
    let own = name.clone();
    let remove_name = move || Key::FileRemove.fill(&[&own]);
    let own = name.clone();
    let is_failed = move || state.with(|it| matches!(it, State::Failed(_)));
    let is_failed = Memo::new(move |_| is_failed());
    let retry = move || {
        let own = own.clone();
        is_failed.get().then(|| {
            view! {
                <button type="button" class="quiet small"
                    aria-label=move || Key::FileRetry.fill(&[&own])
                    on:click=move |_| tray.retry(key)>{Key::Retry}</button>
            }
        })
    };
    let ending = named.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ending: String = ending.chars().take(4).collect::<String>().to_uppercase();
    // What only calls itself a picture cannot be drawn.
    let picture = RwSignal::new(picture);
    let picture = move || match picture.get() {
        Some(url) => view! {
            <img class="file-picture" src=url alt="" on:error=move |_| picture.set(None)/>
        }
        .into_any(),
        None => view! { <span class="file-picture" aria-hidden="true">{ending.clone()}</span> }
            .into_any(),
    };
    view! {
        <li class="file" class:is-wrong=move || {
            state.with(|it| matches!(it, State::Failed(_) | State::Refused(_)))
        }>
            {picture}
            <div class="file-about">
                <span class="file-name">{name}</span>
                <span class="file-facts">{about}</span>
                {standing(tray, state)}
            </div>
            <div class="file-actions">
                {retry}
                <button type="button" class="plain small file-remove" aria-label=remove_name
                    disabled=move || spot.is_closed() on:click=move |_| tray.remove(key)>"×"</button>
            </div>
        </li>
    }
}

/// How far it is: a bar while it is on its way, a text before and after.
fn standing(tray: Tray, state: RwSignal<State>) -> impl IntoView {
    let said = move || {
        let lang = Lang::spoken();
        state.with(|it| match it {
            State::Waiting => lang.say(Key::FileWaiting).to_owned(),
            State::Sending(share) => {
                lang.fill(Key::FileSending, &[&format!("{:.0}", share * 100.0)])
            }
            State::Here(_) => lang.say(Key::FileSent).to_owned(),
            State::Refused(wrong) => tray.words(wrong),
            State::Failed(error) => {
                format!("{} {}", lang.say(Key::FileFailed), why(error, lang))
            }
        })
    };
    let is_sending = move || state.with(|it| matches!(it, State::Waiting | State::Sending(_)));
    let is_sending = Memo::new(move |_| is_sending());
    let share = move || match state.get() {
        State::Sending(share) => Some(share.to_string()),
        _ => None,
    };
    view! {
        {move || is_sending.get().then(|| view! {
            <progress max="1" value=share aria-label=Key::FileList></progress>
        })}
        <span class="file-state" class:is-here=move || state.with(|it| matches!(it, State::Here(_)))>
            {said}
        </span>
    }
}

fn why(error: &CallError, lang: crate::text::Lang) -> String {
    match error {
        CallError::Refused(refusal) if refusal.status == 413 => {
            lang.say(Key::FileTooLarge).to_owned()
        }
        error => error.mend(lang),
    }
}
