//! Files: a drop zone, a button, and the list; checked against the rules and uploaded before the form is sent.

use std::collections::HashMap;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{FILES_MAX, Fault, Field, Files, Wrong, size_of};
use serde_json::Value;
use web_sys::{File, FileList, Url};

use super::{Spot, around_set, cut};
use crate::browser;
use crate::error::CallError;
use crate::families::forms::language;
use crate::families::forms::upload::{self, Named, Upload};
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::drop::FileDrop;

#[derive(Clone)]
pub(super) struct Item {
    pub(super) key: u32,
    pub(super) named: Named,
    /// URL of its preview.
    pub(super) picture: Option<String>,
    pub(super) state: RwSignal<State>,
    /// None if it was uploaded before this page was opened.
    file: Option<File>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Waiting,
    /// Being uploaded, with the progress from 0 to 1.
    Sending(f64),
    /// Uploaded under this id.
    Uploaded(String),
    /// Not accepted by the field.
    Refused(Wrong),
    Failed(CallError),
}

#[derive(Clone, Copy)]
pub(super) struct Tray {
    pub(super) spot: Spot,
    pub(super) items: RwSignal<Vec<Item>, LocalStorage>,
    pub(super) rules: StoredValue<Files>,
    label: StoredValue<String>,
    uploads: StoredValue<HashMap<u32, Upload>, LocalStorage>,
    last_key: StoredValue<u32>,
}

/// `file` (FORM-36).
pub(super) fn files(spot: Spot, field: Field, rules: Files) -> AnyView {
    let tray = Tray {
        spot,
        items: RwSignal::new_local(Vec::new()),
        rules: StoredValue::new(rules),
        label: StoredValue::new(field.label.clone()),
        uploads: StoredValue::new_local(HashMap::new()),
        last_key: StoredValue::new(0),
    };
    tray.follow();
    let widget = draw(tray);
    around_set(spot, field, "group", widget, ().into_any())
}

impl Item {
    fn id(&self) -> Option<String> {
        self.state.with_untracked(|it| match it {
            State::Uploaded(id) => Some(id.clone()),
            _ => None,
        })
    }
}

impl Tray {
    /// Keeps the list in step with the field's value.
    fn follow(self) {
        Effect::new(move |_| {
            let held = self.spot.form_state.value(self.spot.index);
            if held == self.value() {
                return;
            }
            let held = match held {
                Some(Value::Array(values)) => values,
                held => held.into_iter().collect(),
            };
            self.items.with_untracked(|it| it.iter().for_each(forget));
            self.uploads.update_value(HashMap::clear);
            let item = |value: &Value| {
                let id = value.get("fileId").and_then(Value::as_str)?.to_owned();
                Some(self.item(Named::read(value)?, None, State::Uploaded(id)))
            };
            self.items.set(held.iter().filter_map(item).collect());
            self.count();
        });
        on_cleanup(move || {
            self.items.try_with_untracked(|it| it.iter().for_each(forget));
            if self.spot.form_state.is_closed.try_get_untracked().is_some() {
                self.spot.form_state.set_uploads(self.spot.index, 0);
            }
        });
    }

    fn item(self, named: Named, file: Option<File>, state: State) -> Item {
        let key = self.last_key.get_value().wrapping_add(1);
        self.last_key.set_value(key);
        let picture = file.as_ref().filter(|_| named.is_picture());
        let picture = picture.and_then(|it| Url::create_object_url_with_blob(it).ok());
        Item { key, named, picture, state: RwSignal::new(state), file }
    }

    fn is_several(self) -> bool {
        self.rules.with_value(|it| it.multiple)
    }

    /// The field's value: the uploaded files.
    fn value(self) -> Option<Value> {
        let mut values = self.items.with_untracked(|items| {
            let value = |it: &Item| Some(it.named.value(&it.id()?));
            items.iter().filter_map(value).collect::<Vec<_>>()
        });
        if self.is_several() {
            return (!values.is_empty()).then_some(Value::Array(values));
        }
        values.pop()
    }

    /// Updates the form's value and its number of missing files.
    fn publish(self) {
        if self.spot.form_state.is_closed.try_get_untracked().is_some() {
            self.count();
            self.spot.form_state.put(self.spot.index, self.value());
        }
    }

    fn count(self) {
        let count = |items: &Vec<Item>| items.iter().filter(|it| it.id().is_none()).count();
        let count = self.items.with_untracked(count);
        self.spot.form_state.set_uploads(self.spot.index, count);
    }

    /// Adds chosen or dropped files.
    pub(super) fn add(self, list: &FileList) {
        if self.spot.form_state.is_closed.get_untracked() {
            return;
        }
        let files = (0..list.length()).filter_map(|it| list.get(it)).take(FILES_MAX + 1);
        let mut files: Vec<File> = files.collect();
        if files.is_empty() {
            return;
        }
        let room = if self.is_several() {
            FILES_MAX - self.items.with_untracked(Vec::len).min(FILES_MAX)
        } else {
            // A new file replaces the previous one.
            self.items.with_untracked(|it| it.iter().for_each(forget));
            self.items.set(Vec::new());
            self.uploads.update_value(HashMap::clear);
            1
        };
        if files.len() > room {
            files.truncate(room);
            let max = if self.is_several() { FILES_MAX } else { 1 };
            page().notify_fill(Key::FileTooMany, &max.to_string());
        }
        for file in files {
            let named = Named::from_file(&file);
            let wrong = self.rules.with_value(|it| wrong(it, &named));
            let is_right = wrong.is_none();
            let item = self.item(named, Some(file), wrong.map_or(State::Waiting, State::Refused));
            if let State::Refused(wrong) = item.state.get_untracked() {
                page().announce(self.explain(&wrong));
            }
            self.items.update(|it| it.push(item.clone()));
            if is_right {
                self.send(&item);
            }
        }
        self.publish();
    }

    /// Why a file is not accepted.
    pub(super) fn explain(self, wrong: &Wrong) -> String {
        let label = self.label.get_value();
        let fault = Fault { field: String::new(), label, wrong: wrong.clone() };
        fault.message(language(Lang::now()))
    }

    fn send(self, item: &Item) {
        let Some(file) = item.file.clone() else { return };
        let (key, state) = (item.key, item.state);
        let name = item.named.name.clone();
        state.set(State::Waiting);
        let is_wanted = move || state.try_get_untracked() == Some(State::Waiting) && self.has(key);
        let keep = move |upload| {
            self.uploads.try_update_value(|it| it.insert(key, upload));
        };
        let on_progress = move |share| {
            state.try_set(State::Sending(share));
        };
        let on_end = move |result| self.end(key, state, &name, result);
        spawn_local(async move {
            upload::send(file, is_wanted, keep, on_progress, on_end).await;
        });
    }

    fn has(self, key: u32) -> bool {
        self.items.try_with_untracked(|it| it.iter().any(|it| it.key == key)) == Some(true)
    }

    fn end(self, key: u32, state: RwSignal<State>, name: &str, result: Result<String, CallError>) {
        if !self.has(key) {
            return;
        }
        let announcement = if result.is_ok() { Key::FileSentNow } else { Key::FileFailedNow };
        state.try_set(match result {
            Ok(id) => State::Uploaded(id),
            Err(error) => State::Failed(error),
        });
        page().announce_fill(announcement, &[name]);
        self.publish();
        // Dropped later: this is called by it.
        let drop_it = move || {
            self.uploads.try_update_value(|it| it.remove(&key));
        };
        set_timeout(drop_it, std::time::Duration::ZERO);
    }

    /// Retries a failed upload.
    pub(super) fn retry(self, key: u32) {
        let items = self.items.get_untracked();
        if let Some(item) = items.iter().find(|it| it.key == key) {
            self.send(item);
            self.count();
        }
    }

    /// Removes a file and aborts its upload.
    pub(super) fn remove(self, key: u32) {
        let items = self.items.get_untracked();
        let Some(item) = items.iter().find(|it| it.key == key) else { return };
        forget(item);
        self.uploads.update_value(|it| drop(it.remove(&key)));
        self.items.update(|it| it.retain(|it| it.key != key));
        page().announce_fill(Key::FileRemoved, &[&item.named.name]);
        self.publish();
        browser::focus_soon(self.spot.part("choose"));
    }
}

/// Releases the preview of a picture.
fn forget(item: &Item) {
    if let Some(picture) = &item.picture {
        // The URL was created by this page.
        let _ = Url::revoke_object_url(picture);
    }
}

/// Checks a file by name and size.
fn wrong(rules: &Files, named: &Named) -> Option<Wrong> {
    if !rules.takes(&named.name, &named.kind) {
        return Some(Wrong::FileKind(named.name.clone()));
    }
    let max = rules.size_max.filter(|max| named.size > *max);
    max.map(|max| Wrong::FileSize(named.name.clone(), max))
}

const NAME_MAX: usize = 120;

pub(super) fn draw(tray: Tray) -> AnyView {
    let spot = tray.spot;
    let is_several = tray.rules.with_value(|it| it.multiple);
    let accept = tray.rules.with_value(|it| it.accept.join(","));
    let described = format!("{} {}", spot.part("rules"), spot.part("error"));
    let choose = if is_several { Key::FileChooseMany } else { Key::FileChoose };
    any_view! {
        <FileDrop ids=[spot.part("choose"), spot.part("input"), described] accept is_several
            texts=[Key::FileDrop.into(), choose.into()]
            is_shut=Signal::derive(move || spot.is_closed())
            take=move |files: &FileList| tray.add(files)>
            {rules(tray)}
        </FileDrop>
        {list(tray)}
    }
}

/// The rules as text.
fn rules(tray: Tray) -> impl IntoView {
    let spot = tray.spot;
    let text = move || {
        let lang = Lang::spoken();
        tray.rules.with_value(|rules| {
            let accept = (!rules.accept.is_empty())
                .then(|| lang.fill(Key::FileAccept, &[&cut(&rules.accept.join(" "), NAME_MAX)]));
            let size = rules.size_max.map(|it| lang.fill(Key::FileSizeMax, &[&size_of(it)]));
            accept.into_iter().chain(size).collect::<Vec<_>>().join(lang.comma())
        })
    };
    view! { <p class="drop-rules" id=spot.part("rules")>{text}</p> }
}

fn list(tray: Tray) -> impl IntoView {
    let is_some = Memo::new(move |_| tray.items.with(|it| !it.is_empty()));
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
    let is_failed = Memo::new(move |_| state.with(|it| matches!(it, State::Failed(_))));
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
    // Not every file with a picture's type can be drawn.
    let picture = RwSignal::new(picture);
    let picture = move || match picture.get() {
        Some(url) => any_view! {
            <img class="file-picture" src=url alt="" on:error=move |_| picture.set(None)/>
        },
        None => any_view! { <span class="file-picture" aria-hidden="true">{ending.clone()}</span> },
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

/// State of a file: a bar while uploading, otherwise a text.
fn standing(tray: Tray, state: RwSignal<State>) -> impl IntoView {
    let text = move || {
        let lang = Lang::spoken();
        state.with(|it| match it {
            State::Waiting => lang.say(Key::FileWaiting).to_owned(),
            State::Sending(share) => {
                lang.fill(Key::FileSending, &[&format!("{:.0}", share * 100.0)])
            }
            State::Uploaded(_) => lang.say(Key::FileSent).to_owned(),
            State::Refused(wrong) => tray.explain(wrong),
            State::Failed(error) => {
                format!("{} {}", lang.say(Key::FileFailed), why(error, lang))
            }
        })
    };
    let is_sending =
        Memo::new(move |_| state.with(|it| matches!(it, State::Waiting | State::Sending(_))));
    let share = move || match state.get() {
        State::Sending(share) => Some(share.to_string()),
        _ => None,
    };
    view! {
        {move || is_sending.get().then(|| view! {
            <progress max="1" value=share aria-label=Key::FileList></progress>
        })}
        <span class="file-state" class:is-here=move || state.with(|it| matches!(it, State::Uploaded(_)))>
            {text}
        </span>
    }
}

fn why(error: &CallError, lang: Lang) -> String {
    match error {
        CallError::Refused(refusal) if refusal.status == 413 => {
            lang.say(Key::FileTooLarge).to_owned()
        }
        error => error.advice(lang),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_file_the_field_does_not_take_before_sending() {
        let accept = vec![".pdf".to_owned(), "image/*".to_owned()];
        let rules = Files { accept, size_max: Some(10), multiple: false };
        let named = |name: &str, kind: &str, size: u64| Named {
            name: name.to_owned(),
            kind: kind.to_owned(),
            size,
        };
        assert_eq!(wrong(&rules, &named("見積.PDF", "application/pdf", 10)), None);
        assert_eq!(wrong(&rules, &named("写真.webp", "image/webp", 1)), None);
        let script = wrong(&rules, &named("x.sh", "text/x-sh", 1));
        assert_eq!(script, Some(Wrong::FileKind("x.sh".to_owned())));
        let large = wrong(&rules, &named("a.pdf", "application/pdf", 11));
        assert_eq!(large, Some(Wrong::FileSize("a.pdf".to_owned(), 10)));
        assert_eq!(wrong(&Files::default(), &named("x.sh", "text/x-sh", 1 << 40)), None);
    }
}
