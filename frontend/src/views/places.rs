//! Navigation links: a row in the header, a menu in a narrow window, a bar at the foot of a phone.

use std::mem::discriminant;

use leptos::prelude::*;

use crate::browser;
use crate::home::Activities;
use crate::page::page;
use crate::route::Route;
use crate::table::{self, Place};
use crate::text::Key;

/// Maximum number of entries in a phone's bar; if there are more, the last opens the others.
const BAR_MAX: usize = 5;
const MENU_ICON: &str = "M3 5h14M3 10h14M3 15h14";
const MORE_ICON: &str = "M3.5 10h1M9.5 10h1M15.5 10h1";
const CHAT_ICON: &str = "M3 4h14v10H9l-4 3v-3H3z";
const TOOLS_ICON: &str = "M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h5v5h-5z";

#[derive(Clone, Copy)]
struct NavLink {
    /// None for a view of the page itself.
    place: Option<&'static Place>,
    start: fn() -> Route,
    name: Key,
    icon: &'static str,
}

impl NavLink {
    fn to(place: &'static Place) -> Self {
        Self { place: Some(place), start: place.start, name: place.name, icon: place.icon }
    }

    fn has(&self, route: &Route) -> bool {
        let is_own = || discriminant(route) == discriminant(&(self.start)());
        self.place.map_or_else(is_own, |it| it.has(route))
    }
}

/// All links in order.
fn nav_links() -> Vec<NavLink> {
    let own = |start, name, icon| NavLink { place: None, start, name, icon };
    let mut nav_links = table::places().map(NavLink::to).collect::<Vec<_>>();
    let at = nav_links.len().min(1);
    let own = [
        own(|| Route::Chat(None), Key::ChatPlace, CHAT_ICON),
        own(|| Route::Counter(None), Key::Counter, TOOLS_ICON),
    ];
    nav_links.splice(at..at, own);
    nav_links
}

/// How many of all links stand in the bar itself.
fn in_bar(all: usize) -> usize {
    if all > BAR_MAX { BAR_MAX - 1 } else { all }
}

/// The navigation. Families whose tools the reader may not use have no link.
#[component]
pub(crate) fn Places() -> impl IntoView {
    let is_open = RwSignal::new(false);
    let is_shown = move |nav_link: &NavLink| {
        let is_served = match nav_link.place {
            Some(place) => place.is_shown(),
            None => nav_link.name != Key::ChatPlace || page().has_assistants.get(),
        };
        is_served || page().route.with(|it| nav_link.has(it))
    };
    let shown = Memo::new(move |_| {
        let all = nav_links().into_iter().enumerate();
        all.filter(|(_, nav_link)| is_shown(nav_link)).map(|(at, _)| at).collect::<Vec<_>>()
    });
    Effect::new(move |_| {
        page().route.track();
        is_open.set(false);
        // The row can be too short for all links: the current one is scrolled into view.
        request_animation_frame(|| browser::reveal_first(".places [aria-current]"));
    });
    let toggle = move |first: &'static str| {
        is_open.update(|it| *it = !*it);
        if is_open.get_untracked() {
            browser::focus_first_soon(first);
        }
    };
    let close = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && is_open.get_untracked() {
            is_open.set(false);
            // Only the visible one of the two takes the focus.
            browser::focus("places-menu");
            browser::focus("places-more");
        }
    };
    let leave = move |event: &leptos::ev::Event| {
        if is_open.get_untracked() && !browser::is_within(event, ".places") {
            is_open.set(false);
        }
    };
    let _pressed = window_event_listener(leptos::ev::pointerdown, move |event| leave(&event));
    let _focused = window_event_listener(leptos::ev::focusin, move |event| leave(&event));
    let links = move |is_first: bool| {
        let shown = shown.get();
        let (first, rest) = shown.split_at(in_bar(shown.len()));
        let nav_links = nav_links();
        let part = if is_first { first } else { rest };
        part.iter()
            .filter_map(|at| nav_links.get(*at))
            .map(|nav_link| link(*nav_link))
            .collect_view()
    };
    // Pending items of hidden links are indicated on the menu.
    let is_rest_here = Memo::new(move |_| {
        let (shown, nav_links) = (shown.get(), nav_links());
        let mut rest = shown.iter().skip(in_bar(shown.len())).filter_map(|at| nav_links.get(*at));
        page().route.with(|route| rest.any(|it| it.has(route)))
    });
    let has_rest = Memo::new(move |_| shown.with(|it| it.len() > BAR_MAX));
    view! {
        <nav class="places" class:is-open=is_open aria-label=Key::Places
            on:keydown=close>
            <button type="button" class="plain places-button places-menu" id="places-menu" aria-controls="places"
                aria-expanded=move || is_open.get().to_string() on:click=move |_| toggle(".places a")>
                {icon(MENU_ICON)}
                <span>{Key::PlacesMenu}</span>
            </button>
            <div class="places-all" id="places">
                {move || links(true)}
                {move || has_rest.get().then(|| view! {
                    <button type="button" class="plain places-button places-more" id="places-more"
                        aria-controls="places-rest" class:is-here=is_rest_here aria-expanded=move || is_open.get().to_string()
                        on:click=move |_| toggle(".places-rest a")>
                        {icon(MORE_ICON)}
                        <span>{Key::PlacesMore}</span>
                    </button>
                    <div class="places-rest" id="places-rest">{move || links(false)}</div>
                })}
            </div>
        </nav>
    }
}

fn link(nav_link: NavLink) -> impl IntoView {
    let activities: Activities = expect_context();
    let is_here = Memo::new(move |_| page().route.with(|it| nav_link.has(it)));
    let waiting = Memo::new(move |_| activities.waiting_at(&(nav_link.start)()));
    view! {
        <a href=(nav_link.start)().hash() aria-current=move || is_here.get().then_some("page")>
            {icon(nav_link.icon)}
            <span>{nav_link.name}</span>
            {move || (waiting.get() > 0).then(|| view! {
                " "<span class="inbox-count">{waiting}</span>
            })}
        </a>
    }
}

fn icon(path: &'static str) -> impl IntoView {
    view! {
        <svg aria-hidden="true" focusable="false" viewBox="0 0 20 20"><path d=path></path></svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_bar_has_at_most_five_entries() {
        for all in 0..12 {
            let bar = in_bar(all);
            let entries = bar + usize::from(all > bar);
            assert!(entries <= BAR_MAX && bar <= all, "{all}: {bar}");
        }
    }
}
