//! Views of navigation outputs: routes on a map with alternatives, steps, warnings and file export; places;
//! comparisons.

mod shown;

use leptos::prelude::*;
use output::navigation::{
    Comparison, Details, Element, Measure, Place, Route, RouteDetails, Routes,
};

use super::route_map::{Pin, RouteMap, Scene};
use crate::browser;
use crate::page::page;
use crate::text::{Key, Lang};
use crate::views::notice::Empty;
use crate::views::output::copy;
use shown::{Shown, StepList};

/// Maximum number of warnings shown.
const WARNINGS_MAX: usize = 20;

/// Draws the routes; details that a provider does not give are omitted.
#[component]
pub(crate) fn RoutesView(routes: Routes, details: Option<Details>) -> impl IntoView {
    let Some(shown) = Shown::new(routes, details) else {
        return any_view! { <Empty title=Key::RoutesNone/> };
    };
    let (from, to) = shown.names();
    let heading = (!from.is_empty() && !to.is_empty())
        .then(|| view! { <p class="routes-ends">{format!("{from} → {to}")}</p> });
    let after = format!("after-map-{}", browser::unique());
    let has_line = shown.has_line();
    let map = has_line.then(|| view! { <Map shown after=after.clone()/> });
    any_view! {
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
}

/// The map, a link past it, and the highlighted step as text.
#[component]
fn Map(shown: Shown, after: String) -> impl IntoView {
    let scene = Signal::derive(move || shown.scene());
    let light = move |point: usize| {
        shown.light(point);
        if let Some(text) = untrack(|| shown.step_text(Lang::spoken())) {
            page().announce(text);
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

/// Duration of a route, including traffic if known.
fn time(route: &Route) -> &Measure {
    route.duration_in_traffic.as_ref().unwrap_or(&route.duration)
}

/// The index of the smallest value; none if all are equal.
fn least(mut values: impl Iterator<Item = u64> + Clone) -> Option<usize> {
    let (index, least) = values.clone().enumerate().min_by_key(|(_, value)| *value)?;
    values.any(|it| it != least).then_some(index)
}

/// The alternatives as radio buttons: the keyboard equivalent of clicking on the map.
#[component]
fn Choice(shown: Shown) -> impl IntoView {
    let group = format!("routes-{}", browser::unique());
    let (fastest, shortest, count) = shown.with(|routes| {
        let fastest = least(routes.iter().map(|it| time(&it.route).value));
        (fastest, least(routes.iter().map(|it| it.route.distance.value)), routes.len())
    });
    let option = move |index: usize| {
        let (summary, time, usual, distance) = shown.with(|routes| {
            let route = &routes[index].route;
            let traffic = route.duration_in_traffic.as_ref();
            let usual = traffic.filter(|it| it.text != route.duration.text);
            let usual = usual.map(|_| route.duration.text.clone());
            (route.summary.clone(), time(route).text.clone(), usual, route.distance.text.clone())
        });
        let toll = move |lang: Lang| {
            shown.with(|it| it[index].details.as_ref().and_then(|it| toll(it, lang)))
        };
        let tag = |is_marked: bool, key: Key| {
            is_marked.then(|| view! { <span class="route-tag">{key}</span> })
        };
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

/// The tolls as text.
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

/// Warnings for a person who follows the route.
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

/// Exports the chosen route.
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

#[component]
pub(crate) fn PlaceView(place: Place) -> impl IntoView {
    let (lat, lng) = (place.location.lat, place.location.lng);
    let is_on_globe = lat.abs() <= 90.0 && lng.abs() <= 180.0;
    let coordinates = StoredValue::new(format!("{lat:.6}, {lng:.6}"));
    let name = place.formatted_address.clone();
    let after = StoredValue::new(format!("after-map-{}", browser::unique()));
    let map = is_on_globe.then(|| {
        let scene = Scene { goal: Some(Pin { lat, lng, name }), ..Scene::default() };
        let scene = Signal::derive(move || scene.clone());
        view! {
            <div class="routes-map">
                <button type="button" class="skip is-inner" on:click=move |_| {
                    after.with_value(|it| browser::focus(it));
                }>{Key::MapSkip}</button>
                <RouteMap scene on_choose=|_| () on_step=|_| () is_place=true/>
            </div>
        }
    });
    let copied = move |_| coordinates.with_value(|it| copy(it, Key::Copied));
    view! {
        <div class="routes is-place">
            {map}
            <dl class="place-facts" tabindex="-1" id=after.get_value()>
                <div class="entry">
                    <dt>{Key::PlaceAddress}</dt>
                    <dd>{place.formatted_address}</dd>
                </div>
                <div class="entry">
                    <dt>{Key::PlaceCoordinates}</dt>
                    <dd class="place-coordinates">
                        <code>{coordinates.get_value()}</code>
                        <button type="button" class="quiet small" on:click=copied>{Key::Copy}</button>
                    </dd>
                </div>
            </dl>
        </div>
    }
}

/// Maximum number of rows and columns drawn; the tool takes 25 of each.
const SIDE_MAX: usize = 25;

#[component]
pub(crate) fn ComparisonView(comparison: Comparison) -> impl IntoView {
    let Comparison { rows, origin_addresses, destination_addresses } = comparison;
    if rows.is_empty() {
        return any_view! { <Empty title=Key::RoutesNone/> };
    }
    let heads = destination_addresses.into_iter().take(SIDE_MAX);
    let heads = heads.map(|name| view! { <th scope="col">{name}</th> }).collect_view();
    let mut origins = origin_addresses.into_iter();
    let row = |row: output::navigation::Row| {
        let elements: Vec<Element> = row.elements.into_iter().take(SIDE_MAX).collect();
        let fastest = fastest(&elements);
        let cell =
            |(index, element): (usize, Element)| cell(element, fastest == Some(index)).into_any();
        let cells = elements.into_iter().enumerate().map(cell).collect_view();
        let origin = origins.next().unwrap_or_default();
        view! { <tr><th scope="row">{origin}</th>{cells}</tr> }
    };
    let rows = rows.into_iter().take(SIDE_MAX).map(row).collect_view();
    any_view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=Key::ComparisonName>
            <table class="data-table comparison">
                <caption class="only-heard">{Key::ComparisonName}</caption>
                <thead><tr><th scope="col">{Key::ComparisonCorner}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// The index of the fastest reachable one; none if there is only one, or all are equally fast.
fn fastest(elements: &[Element]) -> Option<usize> {
    let reached =
        |it: &Element| it.duration_in_traffic.as_ref().or(it.duration.as_ref()).map(|it| it.value);
    let times = elements.iter().enumerate().filter_map(|(index, it)| Some((index, reached(it)?)));
    let best = times.clone().min_by_key(|(_, value)| *value)?;
    times.clone().any(|it| it.1 != best.1).then_some(best.0)
}

fn cell(element: Element, is_fastest: bool) -> impl IntoView {
    if element.status != "OK" {
        let key = match element.status.as_str() {
            "NOT_FOUND" => Key::ComparisonNotFound,
            "ZERO_RESULTS" => Key::ComparisonNoWay,
            _ => Key::ComparisonUnknown,
        };
        let status = element.status;
        return any_view! { <td class="is-none"><span title=status>{key}</span></td> };
    }
    let text = |it: Option<Measure>| it.map(|it| it.text);
    let (usual, traffic) = (text(element.duration), text(element.duration_in_traffic));
    let time = traffic.clone().or_else(|| usual.clone()).unwrap_or_default();
    let usual = usual.filter(|it| traffic.as_ref().is_some_and(|own| own != it));
    any_view! {
        <td class:is-fastest=is_fastest>
            <span class="comparison-time">{time}</span>
            {is_fastest.then(|| view! { <span class="route-tag">{Key::RouteFastest}</span> })}
            <span class="comparison-far">{text(element.distance)}</span>
            {usual.map(|usual| view! {
                <span class="comparison-far">{move || Key::RouteUsual.fill(&[&usual])}</span>
            })}
        </td>
    }
}

#[cfg(test)]
mod tests {
    use output::navigation::{Measure, Toll};

    use super::*;

    #[test]
    fn marks_the_least_unless_all_are_equal() {
        assert_eq!(least([3, 1, 2].into_iter()), Some(1));
        assert_eq!(least([2, 2].into_iter()), None);
        assert_eq!(least([5].into_iter()), None);
        assert_eq!(least([].into_iter()), None);
    }

    #[test]
    fn duration_includes_traffic() {
        let measure = |value| Measure { text: String::new(), value };
        let mut route = Route { duration: measure(60), ..Route::default() };
        assert_eq!(time(&route).value, 60);
        route.duration_in_traffic = Some(measure(90));
        assert_eq!(time(&route).value, 90);
    }

    #[test]
    fn route_without_tolls_is_free_and_unknown_toll_empty() {
        let with = |toll| RouteDetails { toll, ..RouteDetails::default() };
        let free = Toll { currency: "JPY".to_owned(), amount: 0.0, is_estimate: false };
        assert_eq!(toll(&with(Some(free)), Lang::En).as_deref(), Some("No tolls"));
        assert_eq!(toll(&with(None), Lang::En), None);
    }

    fn element(usual: Option<u64>, traffic: Option<u64>) -> Element {
        let measure = |value| Measure { text: String::new(), value };
        let (duration, duration_in_traffic) = (usual.map(measure), traffic.map(measure));
        Element { duration, duration_in_traffic, ..Element::default() }
    }

    #[test]
    fn fastest_is_by_traffic_among_reachable_routes() {
        let row = [element(Some(10), Some(50)), element(None, None), element(Some(40), None)];
        assert_eq!(fastest(&row), Some(2));
        assert_eq!(fastest(&row[..2]), None, "one alone is not marked");
        assert_eq!(fastest(&[element(Some(9), None), element(Some(9), None)]), None);
        assert_eq!(fastest(&[]), None);
    }
}
