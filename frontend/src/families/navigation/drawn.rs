//! What `route_search` put out: the routes on a map, to choose from, with steps, warnings and files to take along.

mod comparison;
mod place;
mod shown;
mod steps;

use leptos::prelude::*;
use output::navigation::{Details, Measure, Route, RouteDetails, Routes};

use crate::browser;
use crate::families::navigation::views::route_map::RouteMap;
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::Empty;
pub(crate) use comparison::ComparisonView;
pub(crate) use place::PlaceView;
use shown::Shown;
use steps::StepList;

/// Warnings shown at most.
const WARNINGS_MAX: usize = 20;

/// Draws the routes; what a provider did not give beside them is left out.
#[component]
pub(crate) fn RoutesView(routes: Routes, details: Option<Details>) -> impl IntoView {
    let Some(shown) = Shown::of(routes, details) else {
        return view! { <Empty title=Key::RoutesNone/> }.into_any();
    };
    let (from, to) = shown.names();
    let heading = (!from.is_empty() && !to.is_empty())
        .then(|| view! { <p class="routes-ends">{format!("{from} → {to}")}</p> });
    let after = format!("after-map-{}", browser::unique());
    let has_line = shown.has_line();
    let map = has_line.then(|| view! { <Map shown after=after.clone()/> });
    view! {
        <div class="routes">
            {heading}
            {map}
            <div class="routes-side" tabindex="-1" id=after>
                <Choice shown/>
                {move || {
                    let route = shown.with_chosen(|it| it.route.clone());
                    view! {
                        <Warnings warnings=route.warnings/>
                        <StepList steps=route.steps lit=shown.step is_placed=shown.is_placed()/>
                    }
                }}
                {has_line.then(|| view! { <Files shown/> })}
            </div>
        </div>
    }
    .into_any()
}

/// The map, a way past it, and the step that is lit up on it as text.
#[component]
fn Map(shown: Shown, after: String) -> impl IntoView {
    let scene = Signal::derive(move || shown.scene());
    let light = move |point: usize| {
        shown.light(point);
        if let Some(told) = untrack(|| shown.step_text(Lang::spoken())) {
            page().announce(told);
        }
    };
    let lit = move || shown.step_text(Lang::spoken());
    view! {
        <div class="routes-map">
            <button type="button" class="skip is-inner" on:click=move |_| browser::focus(&after)>
                {Key::MapSkip}
            </button>
            <RouteMap scene on_choose=move |index| shown.choose(index) on_step=light/>
            {move || lit().map(|text| view! { <p class="routes-lit">{text}</p> })}
        </div>
    }
}

/// How long a route takes; at the time of departure, where that is known.
fn time(route: &Route) -> &Measure {
    route.duration_in_traffic.as_ref().unwrap_or(&route.duration)
}

/// The one with the least; none where all are alike.
fn least(mut values: impl Iterator<Item = u64> + Clone) -> Option<usize> {
    let (index, least) = values.clone().enumerate().min_by_key(|(_, value)| *value)?;
    values.any(|it| it != least).then_some(index)
}

/// The alternatives, one of them chosen: what a click on the map does, for keyboards too.
#[component]
fn Choice(shown: Shown) -> impl IntoView {
    let group = format!("routes-{}", browser::unique());
    let (fastest, shortest, count) = shown.with(|it| {
        let fastest = least(it.iter().map(|it| time(&it.route).value));
        (fastest, least(it.iter().map(|it| it.route.distance.value)), it.len())
    });
    let option = move |index: usize| {
        let (summary, time, usual, distance) = shown.with(|it| {
            let route = &it[index].route;
            let usual = route.duration_in_traffic.as_ref().map(|_| route.duration.text.clone());
            (route.summary.clone(), time(route).text.clone(), usual, route.distance.text.clone())
        });
        let toll = move |lang: Lang| {
            shown.with(|it| it[index].details.as_ref().and_then(|it| toll(it, lang)))
        };
        let tag =
            |is_it: bool, key: Key| is_it.then(|| view! { <span class="route-tag">{key}</span> });
        view! {
            <label class="route-option" class:is-chosen=move || shown.chosen() == index>
                <input type="radio" name=group.clone() value=index.to_string()
                    prop:checked=move || shown.chosen() == index
                    on:change=move |_| shown.choose(index)/>
                <span class="route-time">{time}</span>
                <span class="route-far">{distance}</span>
                {tag(fastest == Some(index), Key::RouteFastest)}
                {tag(shortest == Some(index), Key::RouteShortest)}
                <span class="route-summary">{summary}</span>
                <span class="route-more">
                    {usual.map(|usual| view! {
                        <span>{move || Key::RouteUsual.fill(&[&usual])}</span>
                    })}
                    {move || toll(Lang::spoken()).map(|toll| view! { <span>{toll}</span> })}
                </span>
            </label>
        }
    };
    view! {
        <fieldset class="route-options">
            <legend class="label">{move || Key::RoutesCount.fill(&[&count.to_string()])}</legend>
            {(0..count).map(option).collect_view()}
        </fieldset>
    }
}

/// What the tolls come to, as text.
fn toll(details: &RouteDetails, lang: Lang) -> Option<String> {
    let toll = details.toll.as_ref()?;
    if toll.amount <= 0.0 {
        return Some(lang.say(Key::RouteFree).to_owned());
    }
    let amount = crate::dates::number(toll.amount, lang);
    let money = match toll.currency.as_str() {
        "JPY" if lang == Lang::Ja => format!("{amount}円"),
        "JPY" => format!("¥{amount}"),
        other => format!("{amount} {}", other.chars().take(8).collect::<String>()),
    };
    let key = if toll.is_estimate { Key::RouteTollAbout } else { Key::RouteToll };
    Some(lang.fill(key, &[&money]))
}

/// What a person who follows the route must know.
#[component]
fn Warnings(warnings: Vec<String>) -> impl IntoView {
    let warning = |text: String| view! { <li>{text.chars().take(500).collect::<String>()}</li> };
    (!warnings.is_empty()).then(|| {
        view! {
            <div class="route-warnings">
                <p class="label">{Key::RouteWarnings}</p>
                <ul>{warnings.into_iter().take(WARNINGS_MAX).map(warning).collect_view()}</ul>
            </div>
        }
    })
}

/// The chosen route as a file.
#[component]
fn Files(shown: Shown) -> impl IntoView {
    let save = move |is_gpx: bool| shown.exported().save(is_gpx);
    view! {
        <div class="actions route-files">
            <button type="button" class="quiet small" on:click=move |_| save(true)>{Key::RouteGpx}</button>
            <button type="button" class="quiet small" on:click=move |_| save(false)>
                {Key::RouteGeoJson}
            </button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use output::navigation::Toll;

    use super::*;

    #[test]
    fn the_least_is_marked_where_it_is_less_than_another() {
        assert_eq!(least([3, 1, 2].into_iter()), Some(1));
        assert_eq!(least([2, 2].into_iter()), None);
        assert_eq!(least([5].into_iter()), None);
        assert_eq!(least([].into_iter()), None);
    }

    #[test]
    fn traffic_decides_how_long_a_route_takes() {
        let measure = |value| Measure { text: String::new(), value };
        let mut route = Route { duration: measure(60), ..Route::default() };
        assert_eq!(time(&route).value, 60);
        route.duration_in_traffic = Some(measure(90));
        assert_eq!(time(&route).value, 90);
    }

    #[test]
    fn route_without_tolls_is_free_and_an_unknown_toll_says_nothing() {
        let with = |toll| RouteDetails { toll, ..RouteDetails::default() };
        let free = Toll { currency: "JPY".to_owned(), amount: 0.0, is_estimate: false };
        assert_eq!(toll(&with(Some(free)), Lang::En).as_deref(), Some("No tolls"));
        assert_eq!(toll(&with(None), Lang::En), None);
    }
}
