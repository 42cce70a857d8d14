//! Selects the pictures from which the next one is made (ILL-45): tiles in a dialog.

use leptos::prelude::*;

use super::pictures::{Overlay, name};
use crate::browser;
use crate::cards::picture::{Kind, Picked, Picture, SHOTS_MAX, Shared, Shot};
use crate::chat::entry::Reply;
use crate::text::Key;

/// Asks in a dialog; a reader who closes it can reopen it from the conversation.
#[component]
pub(super) fn Picker(
    pictures: Vec<Shared<Picture>>,
    reply: Memo<Option<Reply>>,
    on_reply: Callback<Reply>,
) -> impl IntoView {
    let shots: Vec<Shot> =
        pictures.into_iter().take(SHOTS_MAX).map(|it| Shot::new(it, Kind::Card)).collect();
    let picked = RwSignal::new(Picked::all(shots.len()));
    let shots = StoredValue::new(shots);
    let is_open = RwSignal::new(reply.get_untracked().is_none());
    let answer = Callback::new(move |reply: Reply| {
        is_open.set(false);
        on_reply.run(reply);
    });
    view! {
        <div class="card-ask">
            {move || match reply.get() {
                None => any_view! {
                    <p>{Key::PickTitle}</p>
                    <div class="actions">
                        <button type="button" aria-haspopup="dialog" on:click=move |_| is_open.set(true)>
                            {Key::PickReopen}
                        </button>
                        <button type="button" class="quiet"
                            on:click=move |_| answer.run(Reply::Cancelled)>{Key::PickCancel}</button>
                    </div>
                },
                Some(Reply::Chosen(ids)) => any_view! {
                    <p class="card-said is-good">
                        {move || Key::PickDone.fill(&[&ids.len().to_string()])}
                    </p>
                },
                Some(_) => any_view! { <p class="card-said">{Key::PickCancelled}</p> },
            }}
            <Overlay is_open class="picker" label=Key::PickTitle>
                <Tiles shots picked answer is_open/>
            </Overlay>
        </div>
    }
}

#[component]
fn Tiles(
    shots: StoredValue<Vec<Shot>>,
    picked: RwSignal<Picked>,
    answer: Callback<Reply>,
    is_open: RwSignal<bool>,
) -> impl IntoView {
    let count = move || {
        let (chosen, all) = picked.with(Picked::counts);
        Key::PickCount.fill(&[&chosen.to_string(), &all.to_string()])
    };
    let is_empty = Memo::new(move |_| picked.with(Picked::is_empty));
    let hint_id = format!("pick-{}", browser::next_number());
    let described = hint_id.clone();
    let hint = move || if is_empty.get() { Key::PickEmpty } else { Key::PickHint }.say();
    let all = shots.with_value(Vec::len);
    let choose_all = move |_| {
        let is_full = picked.with_untracked(Picked::is_full);
        picked.set(if is_full { Picked::none(all) } else { Picked::all(all) });
    };
    let all_key = move || if picked.with(Picked::is_full) { Key::PickNone } else { Key::PickAll };
    let confirm = move |_| {
        if !is_empty.get_untracked() {
            let chosen = picked.with_untracked(|it| shots.with_value(|all| it.select(all.clone())));
            answer.run(Reply::Chosen(chosen.iter().map(|it| it.picture.id.clone()).collect()));
            browser::focus_if_lost("chat-input");
        }
    };
    let tiles = shots.get_value().into_iter().enumerate().map(|(index, shot)| {
        view! { <Tile index shot picked/> }
    });
    view! {
        <div class="picker-body">
            <h2 tabindex="-1" autofocus=true>{Key::PickTitle}</h2>
            <p class="hint" id=hint_id>{hint}</p>
            <div class="picker-state">
                <p role="status">{count}</p>
                <button type="button" class="quiet small" on:click=choose_all>
                    {move || all_key().say()}
                </button>
            </div>
            <ul class="pictures">{tiles.collect_view()}</ul>
            <div class="actions picker-actions">
                <button type="button" class="main-action" on:click=confirm aria-describedby=described
                    aria-disabled=move || is_empty.get().then_some("true")>{Key::PickConfirm}</button>
                <button type="button" class="quiet" on:click=move |_| answer.run(Reply::Cancelled)>
                    {Key::PickCancel}
                </button>
                <button type="button" class="plain" on:click=move |_| is_open.set(false)>
                    {Key::PickLater}
                </button>
            </div>
        </div>
    }
}

#[component]
fn Tile(index: usize, shot: Shot, picked: RwSignal<Picked>) -> impl IntoView {
    let url = shot.url();
    let called = move || name(index, &shot);
    view! {
        <li class="picture">
            <label class="pick">
                <input type="checkbox" prop:checked=move || picked.with(|it| it.has(index))
                    on:change=move |_| picked.update(|it| it.turn(index))/>
                // Labelled by the name beside it.
                {match url {
                    Some(url) => any_view! { <img src=url alt="" loading="lazy" decoding="async"/> },
                    None => any_view! { <span class="hint">{Key::PictureGone}</span> },
                }}
                <span class="picture-name">{called}</span>
            </label>
        </li>
    }
}
