//! What `distance_compare` put out: origins against destinations, the fastest of each origin marked.

use leptos::prelude::*;
use output::navigation::{Comparison, Element};

use crate::text::Key;
use crate::views::notice::Empty;

/// Rows and columns drawn at most; the tool takes 25 of each.
const SIDE_MAX: usize = 25;

/// Draws the table.
#[component]
pub(crate) fn ComparisonView(comparison: Comparison) -> impl IntoView {
    let Comparison { rows, origin_addresses, destination_addresses } = comparison;
    if rows.is_empty() {
        return view! { <Empty title=Key::RoutesNone/> }.into_any();
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
    view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=Key::ComparisonName>
            <table class="data-table comparison">
                <caption class="only-heard">{Key::ComparisonName}</caption>
                <thead><tr><th scope="col">{Key::ComparisonCorner}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The one that takes least time of those that can be reached; none of one alone.
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
        return view! {
            <td class="is-none"><span title=status>{key}</span></td>
        }
        .into_any();
    }
    let text = |it: Option<output::navigation::Measure>| it.map(|it| it.text);
    let (usual, traffic) = (text(element.duration), text(element.duration_in_traffic));
    let time = traffic.clone().or_else(|| usual.clone()).unwrap_or_default();
    let usual = usual.filter(|_| traffic.is_some());
    view! {
        <td class:is-fastest=is_fastest>
            <span class="comparison-time">{time}</span>
            {is_fastest.then(|| view! {
                <span class="route-tag">{Key::RouteFastest}</span>
            })}
            <span class="comparison-far">{text(element.distance)}</span>
            {usual.map(|usual| view! {
                <span class="comparison-far">{move || Key::RouteUsual.fill(&[&usual])}</span>
            })}
        </td>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use output::navigation::Measure;

    use super::*;

    fn element(usual: Option<u64>, traffic: Option<u64>) -> Element {
        let measure = |value| Measure { text: String::new(), value };
        let (duration, duration_in_traffic) = (usual.map(measure), traffic.map(measure));
        Element { duration, duration_in_traffic, ..Element::default() }
    }

    #[test]
    fn fastest_is_fastest_in_traffic_of_those_that_can_be_reached() {
        let row = [element(Some(10), Some(50)), element(None, None), element(Some(40), None)];
        assert_eq!(fastest(&row), Some(2));
        assert_eq!(fastest(&row[..2]), None, "one alone is not marked");
        assert_eq!(fastest(&[element(Some(9), None), element(Some(9), None)]), None);
        assert_eq!(fastest(&[]), None);
    }
}
