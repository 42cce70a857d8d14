//! What to take along: the link to the search, the directions, the line; and whose routes these are.

use leptos::prelude::*;

use super::routes::name;
use crate::browser;
use crate::families::navigation::board::Board;
use crate::families::navigation::export::ExportedRoute;
use crate::families::navigation::found::Alternative;
use crate::page::page;
use crate::text::Key;

/// The buttons below the steps.
#[component]
pub(super) fn Share() -> impl IntoView {
    let board: Board = expect_context();
    let chosen =
        move || board.run.with_untracked(|run| run.found.alternatives.get(run.chosen).cloned());
    let copy = move |text: String, done: Key| {
        page().notify(if browser::copy(&text) { done } else { Key::NavNotCopied });
    };
    let copy_steps = move |_| {
        if let Some(own) = chosen() {
            copy(directions(&own, &name(&own)), Key::Copied);
        }
    };
    let save = move |is_gpx: bool| {
        let exported = board.run.with_untracked(|run| {
            let own = run.found.alternatives.get(run.chosen)?;
            let ends = (run.query.from.as_str(), run.query.to.as_str());
            let attribution = &run.found.attribution;
            Some(ExportedRoute::of(&own.route, Some(&own.details), &own.line, ends, attribution))
        });
        if let Some(exported) = exported {
            exported.save(is_gpx);
        }
    };
    let (provider, attribution) = (
        Memo::new(move |_| board.run.with(|it| it.found.provider.clone())),
        Memo::new(move |_| board.run.with(|it| it.found.attribution.clone())),
    );
    let source = move || {
        let name = match provider.get() {
            name if name == "builtin" => Key::NavBuiltin.say().to_owned(),
            name => name,
        };
        (!name.is_empty()).then(|| Key::NavProvider.fill(&[&name]))
    };
    let data = move || {
        let data = attribution.get();
        (!data.is_empty()).then(|| Key::NavData.fill(&[&data]))
    };
    view! {
        <div class="nav-share actions">
            <button type="button" class="quiet small"
                on:click=move |_| copy(browser::address(), Key::NavLinkCopied)>{Key::NavCopyLink}</button>
            <button type="button" class="quiet small" on:click=copy_steps>{Key::NavCopySteps}</button>
            <button type="button" class="quiet small" on:click=move |_| save(true)>{Key::RouteGpx}</button>
            <button type="button" class="quiet small" on:click=move |_| save(false)>
                {Key::RouteGeoJson}
            </button>
            <button type="button" class="quiet small" on:click=move |_| drop(window().print())>
                {Key::NavPrint}
            </button>
        </div>
        <div class="nav-source hint">
            {move || source().map(|it| view! { <p>{it}</p> })}
            {move || data().map(|it| view! { <p>{it}</p> })}
            <p>{Key::NavNotForDriving}</p>
        </div>
    }
}

/// The directions as text: to be sent, or read out.
fn directions(own: &Alternative, name: &str) -> String {
    let time = own.route.duration_in_traffic.as_ref().unwrap_or(&own.route.duration);
    let mut text = format!("{name} ({}, {})\n", own.route.distance.text, time.text);
    for (index, step) in own.route.steps.iter().enumerate() {
        let facts = [step.distance.as_str(), step.duration.as_str()];
        let facts: Vec<&str> = facts.into_iter().filter(|it| !it.is_empty()).collect();
        let facts =
            if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        text.push_str(&format!("{}. {}{facts}\n", index + 1, step.instruction));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::navigation::found::Found;
    use crate::families::navigation::found::tests::{details, route, routes};

    #[test]
    fn directions_are_a_numbered_list_below_what_the_route_is() {
        let mut found = Found::default();
        let mut own = route(0, 32_400, 2_700, None);
        own.steps[0].distance = "200 m".to_owned();
        found.take("", routes(&[own]), details("東京駅"));
        let text = directions(&found.alternatives[0], "0 経由");
        assert_eq!(text, "0 経由 (32400, 2700)\n1. 進む (200 m)\n2. 着く\n");
    }
}
