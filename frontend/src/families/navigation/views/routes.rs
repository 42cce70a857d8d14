//! The routes side by side: the selected one, and the differences of the others (NAV-64); and its steps, linked with
//! the map both ways.

use leptos::prelude::*;
use output::navigation::{RouteDetails, Step, Toll, kilometres};

use crate::families::navigation::board::Board;
use crate::families::navigation::found::{self, Alternative, Found, STEPS_MAX};
use crate::text::{Key, Lang};

/// Facts of the selected route.
#[component]
pub(super) fn Chosen() -> impl IntoView {
    let board: Board = expect_context();
    let own =
        Memo::new(move |_| board.run.with(|run| run.found.alternatives.get(run.chosen).cloned()));
    let fact = move |key: Key, value: String, class: &'static str| {
        view! {
            <div class=class>
                <dt>{key}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    move || {
        own.get().map(|own| {
            let lang = Lang::spoken();
            let traffic = own.route.duration_in_traffic.clone();
            let toll = toll_text(&own.details, lang);
            let warnings = own.route.warnings.clone();
            view! {
                <dl class="nav-facts">
                    {match traffic {
                        Some(traffic) => {
                            let usual = own.route.duration.text.clone();
                            let usual = (usual != traffic.text).then_some(usual);
                            any_view! {
                                {fact(Key::NavTrafficTime, traffic.text, "is-main")}
                                {usual.map(|it| fact(Key::NavUsualTime, it, ""))}
                            }
                        }
                        None => fact(Key::NavTime, own.route.duration.text.clone(), "is-main")
                            .into_any(),
                    }}
                    {fact(Key::NavDistance, own.route.distance.text.clone(), "is-main")}
                    {fact(Key::NavRoute, name(&own), "is-wide")}
                    {toll.map(|it| fact(Key::NavToll, it, "is-wide"))}
                </dl>
                {(!warnings.is_empty()).then(|| view! {
                    <div class="nav-warnings">
                        <p class="label">{Key::RouteWarnings}</p>
                        <ul>{warnings.into_iter().take(20).map(|it| view! { <li>{it}</li> })
                            .collect_view()}</ul>
                    </div>
                })}
            }
        })
    }
}

/// All routes, if there are several, with one selected.
#[component]
pub(super) fn Routes() -> impl IntoView {
    let board: Board = expect_context();
    let found = Memo::new(move |_| board.run.with(|it| (it.found.clone(), it.advised)));
    let table = move |(found, advised): (Found, Option<usize>)| {
        let marks = Marks { fastest: found.fastest(), shortest: found.shortest(), advised };
        let kinds = Kind::known_in(&found);
        let head = move |key: Key| {
            view! { <th role="columnheader" scope="col">{key}</th> }
        };
        let rows = found.alternatives.iter().enumerate();
        let rows = rows.map(|(index, own)| row(board, index, own, marks, &kinds)).collect_view();
        (found.alternatives.len() > 1).then(|| {
            view! {
                <fieldset class="nav-routes" role="radiogroup">
                    <legend class="section-title">
                        {Key::NavRoutes}
                        <span class="count">{found.alternatives.len()}</span>
                    </legend>
                    <table role="table" aria-label=Key::NavCompared>
                        <thead role="rowgroup"><tr role="row">
                            {head(Key::NavRoute)}
                            {kinds.iter().map(|it| head(it.key())).collect_view()}
                        </tr></thead>
                        <tbody role="rowgroup">{rows}</tbody>
                    </table>
                </fieldset>
            }
        })
    };
    move || table(found.get())
}

/// A compared property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Traffic,
    /// The time without traffic, beside the one in it.
    Usual,
    Time,
    Distance,
    Toll,
}

/// Indices of the outstanding routes.
#[derive(Clone, Copy)]
struct Marks {
    fastest: Option<usize>,
    shortest: Option<usize>,
    advised: Option<usize>,
}

impl Kind {
    /// Unknown properties have no column.
    fn known_in(found: &Found) -> Vec<Self> {
        let all = &found.alternatives;
        let has_traffic = all.iter().any(|it| it.route.duration_in_traffic.is_some());
        // The same time is not stated twice.
        let is_other = |one: &Alternative| {
            one.route
                .duration_in_traffic
                .as_ref()
                .is_none_or(|own| own.text != one.route.duration.text)
        };
        let has_usual = all.iter().any(is_other);
        let has_toll = all.iter().any(|it| it.details.toll.is_some());
        let kinds = [
            (Self::Traffic, has_traffic),
            (Self::Usual, has_traffic && has_usual),
            (Self::Time, !has_traffic),
            (Self::Distance, true),
            (Self::Toll, has_toll),
        ];
        kinds.into_iter().filter(|it| it.1).map(|it| it.0).collect()
    }

    fn key(self) -> Key {
        match self {
            Self::Traffic => Key::NavTrafficTime,
            Self::Usual => Key::NavUsualTime,
            Self::Time => Key::NavTime,
            Self::Distance => Key::NavDistance,
            Self::Toll => Key::NavToll,
        }
    }

    fn text(self, own: &Alternative, lang: Lang) -> String {
        let text = match self {
            Self::Traffic => own.route.duration_in_traffic.as_ref().map(|it| it.text.clone()),
            Self::Usual | Self::Time => Some(own.route.duration.text.clone()),
            Self::Distance => Some(own.route.distance.text.clone()),
            Self::Toll => own.details.toll.as_ref().map(|it| amount(it, lang)),
        };
        text.unwrap_or_else(|| "—".to_owned())
    }

    /// Difference between a route and the selected one.
    fn difference(self, own: &Alternative, base: &Alternative, lang: Lang) -> Option<String> {
        Some(match self {
            Self::Traffic => found::time(own.seconds(), base.seconds(), lang),
            Self::Usual | Self::Time => {
                found::time(own.route.duration.value, base.route.duration.value, lang)
            }
            Self::Distance => found::distance(own.route.distance.value, base.route.distance.value),
            Self::Toll => {
                return found::toll(own.details.toll.as_ref()?, base.details.toll.as_ref()?);
            }
        })
    }
}

fn row(
    board: Board,
    index: usize,
    own: &Alternative,
    marks: Marks,
    kinds: &[Kind],
) -> impl IntoView + use<> {
    let is_chosen = Memo::new(move |_| board.run.with(|it| it.chosen) == index);
    let tag = |mark: Option<usize>, key: Key, class: &'static str| {
        let is_marked = mark == Some(index);
        is_marked.then(|| view! { <span class=class>{key}</span>" " })
    };
    let time = own.route.duration_in_traffic.as_ref().unwrap_or(&own.route.duration);
    let received = format!("{} {}", time.text, own.route.distance.text);
    let cells = kinds.iter().map(|kind| cell(board, index, own, *kind)).collect_view();
    let own = own.clone();
    let title = move || name(&own);
    view! {
        <tr role="row" class="nav-row" class:is-chosen=move || is_chosen.get()
            on:click=move |_| board.choose(index)>
            <td role="cell" class="nav-row-name">
                <label>
                    <input type="radio" name="nav-route" value=index
                        prop:checked=move || is_chosen.get() on:change=move |_| board.choose(index)/>
                    <span>
                        {title}" "
                        {tag(marks.fastest, Key::RouteFastest, "nav-tag is-fastest")}
                        {tag(marks.shortest, Key::RouteShortest, "nav-tag is-shortest")}
                        {tag(marks.advised, Key::NavAdvised, "nav-tag is-advised")}
                        <span class="only-heard">{received}</span>
                    </span>
                </label>
            </td>
            {cells}
        </tr>
    }
}

fn cell(board: Board, index: usize, own: &Alternative, kind: Kind) -> impl IntoView + use<> {
    let own = StoredValue::new(own.clone());
    let text = move || own.with_value(|it| kind.text(it, Lang::spoken()));
    let difference = move || {
        let lang = Lang::spoken();
        board.run.with(|run| {
            let base = run.found.alternatives.get(run.chosen).filter(|_| run.chosen != index)?;
            own.with_value(|it| kind.difference(it, base, lang))
        })
    };
    view! {
        <td role="cell" data-label=move || kind.key().say()>
            <span class="nav-value">{text}</span>
            {move || difference().map(|it| view! { " "<span class="nav-difference">{it}</span> })}
        </td>
    }
}

/// The route's name.
pub(super) fn name(own: &Alternative) -> String {
    let summary = own.route.summary.trim();
    if summary.is_empty() { Key::NavUnnamed.say().to_owned() } else { summary.to_owned() }
}

/// The tolls as text; none if unknown.
fn toll_text(details: &RouteDetails, lang: Lang) -> Option<String> {
    let metres = details.toll_metres.filter(|it| *it > 0);
    let on_roads = metres.map(|it| lang.fill(Key::NavTollRoads, &[&kilometres(it)]));
    match (details.toll.as_ref().map(|it| amount(it, lang)), on_roads) {
        (Some(amount), Some(roads)) => Some(format!("{amount} ({roads})")),
        (amount, roads) => amount.or(roads),
    }
}

fn amount(toll: &Toll, lang: Lang) -> String {
    match toll {
        toll if toll.amount <= 0.0 => lang.say(Key::NavTollNone).to_owned(),
        toll if toll.is_estimate => lang.fill(Key::NavTollAbout, &[&found::money(toll)]),
        toll => found::money(toll),
    }
}

/// Id of a step's button.
pub(super) fn id(step: usize) -> String {
    format!("nav-step{step}")
}

/// The list of steps: everything that the map shows.
#[component]
pub(super) fn Steps() -> impl IntoView {
    let board: Board = expect_context();
    let steps = Memo::new(move |_| {
        board.run.with(|run| {
            let own = run.found.alternatives.get(run.chosen);
            own.map(|it| it.route.steps.clone()).unwrap_or_default()
        })
    });
    let count = move || Key::NavStepCount.fill(&[&steps.with(Vec::len).to_string()]);
    let list = move || {
        let steps = steps.get();
        if steps.is_empty() {
            return any_view! { <p class="hint">{Key::NavNoSteps}</p> };
        }
        let last = steps.len() - 1;
        let steps = steps.into_iter().take(STEPS_MAX).enumerate();
        let item = move |(index, it): (usize, Step)| step(board, index, it, index == last);
        any_view! { <ol class="nav-steps">{steps.map(item).collect_view()}</ol> }
    };
    view! {
        <section class="nav-directions" aria-labelledby="nav-steps-title">
            <h3 class="section-title" id="nav-steps-title">
                {Key::NavSteps}<span class="count">{count}</span>
            </h3>
            {list}
        </section>
    }
}

fn step(board: Board, index: usize, step: Step, is_last: bool) -> impl IntoView {
    let is_shown = Memo::new(move |_| board.step.get() == Some(index));
    let show = move || board.step.set(Some(index));
    let facts: Vec<String> =
        [step.distance, step.duration].into_iter().filter(|it| !it.is_empty()).collect();
    let maneuver = step.maneuver.as_deref().or(is_last.then_some("arrive"));
    let (turn, is_mirrored) = arrow(maneuver);
    view! {
        <li>
            <button type="button" class="nav-step" id=id(index) class:is-shown=move || is_shown.get()
                aria-current=move || is_shown.get().then_some("step")
                on:click=move |_| show() on:focus=move |_| show()
                on:mouseenter=move |_| show()>
                <svg class="nav-turn" class:is-mirrored=is_mirrored viewBox="0 0 24 24" width="24"
                    height="24" aria-hidden="true" focusable="false"><path d=turn.path()/></svg>
                <span class="nav-step-text">{step.instruction}</span>
                <span class="nav-step-facts">{facts.join(" · ")}</span>
            </button>
        </li>
    }
}

/// The arrow of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Straight,
    Slight,
    Corner,
    Sharp,
    Back,
    Fork,
    Merge,
    Roundabout,
    Ferry,
    Arrive,
}

/// The arrow of a Google maneuver, and whether it is mirrored: arrows are drawn to the right.
pub(crate) fn arrow(maneuver: Option<&str>) -> (Turn, bool) {
    let name = maneuver.unwrap_or_default();
    let is_left = name.ends_with("left");
    let turn = match name.trim_end_matches("-left").trim_end_matches("-right") {
        "turn-slight" | "ramp" | "keep" => Turn::Slight,
        "turn" => Turn::Corner,
        "turn-sharp" => Turn::Sharp,
        "uturn" => Turn::Back,
        "fork" => Turn::Fork,
        "merge" => Turn::Merge,
        "roundabout" => Turn::Roundabout,
        "ferry" | "ferry-train" => Turn::Ferry,
        "arrive" | "destination" => Turn::Arrive,
        // `straight`, none, and unknown ones.
        _ => Turn::Straight,
    };
    (turn, is_left)
}

impl Turn {
    /// The path of the arrow, for `<path d=…>`.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Straight => "M12 21V4M6 10l6-6 6 6",
            Self::Slight => "M8 21v-7l9-9M9 5h8v8",
            Self::Corner => "M7 21v-9h12M13 6l6 6-6 6",
            Self::Sharp => "M7 21V5l10 12M17 9v8H9",
            Self::Back => "M7 21V9a5 5 0 0 1 10 0v9M12 13l5 5 5-5",
            Self::Fork => "M12 21v-7l7-8M13 5h6v6M12 14L6 7",
            Self::Merge => "M12 3v18M7 8l5-5 5 5M6 21l6-8",
            Self::Roundabout => "M9 22v-5M9 17a5 5 0 1 1 5-5M14 12h7M17 8l4 4-4 4",
            Self::Ferry => "M3 15h18l-3 5H6zM7 15V9h10v6M12 9V4",
            Self::Arrive => "M6 22V3h12l-3 4 3 4H6",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::navigation::found::tests::{details, route, routes};

    fn found(tolls: [Option<f64>; 2], traffic: Option<u64>) -> Found {
        let mut more = details("東京駅");
        for (own, amount) in more.routes.iter_mut().zip(tolls) {
            let toll = |amount| Toll { currency: "JPY".to_owned(), amount, is_estimate: true };
            own.toll = amount.map(toll);
        }
        let mut found = Found::default();
        let both = [route(0, 31_200, 2_460, traffic), route(1, 28_900, 4_200, None)];
        found.take("", routes(&both), more);
        found
    }

    #[test]
    fn omits_columns_without_values() {
        assert_eq!(Kind::known_in(&found([None, None], None)), [Kind::Time, Kind::Distance]);
        let all = [Kind::Traffic, Kind::Usual, Kind::Distance, Kind::Toll];
        assert_eq!(Kind::known_in(&found([Some(1_320.0), None], Some(3_120))), all);
        let mut free = found([None, None], Some(2_460));
        free.alternatives.truncate(1);
        assert_eq!(
            Kind::known_in(&free),
            [Kind::Traffic, Kind::Distance],
            "one time is stated once"
        );
    }

    #[test]
    fn columns_show_difference_to_selected_route() {
        let found = found([Some(1_320.0), Some(0.0)], Some(3_120));
        let [base, own] = &found.alternatives[..] else { panic!("two routes") };
        let difference = |kind: Kind| kind.difference(own, base, Lang::En).unwrap();
        // Without its own traffic data, the other route keeps its usual duration.
        assert_eq!(difference(Kind::Traffic), "+18 min");
        assert_eq!(difference(Kind::Time), "+29 min");
        assert_eq!(difference(Kind::Distance), "−2.3 km");
        assert_eq!(difference(Kind::Toll), "−¥1,320");
        assert_eq!(Kind::Toll.text(base, Lang::En), "about ¥1,320");
        assert_eq!(Kind::Toll.text(own, Lang::Ja), "なし");
        assert_eq!(Kind::Traffic.text(own, Lang::En), "—");
    }

    #[test]
    fn does_not_compare_unknown_tolls() {
        let found = found([Some(1_320.0), None], None);
        let [base, own] = &found.alternatives[..] else { panic!("two routes") };
        assert_eq!(Kind::Toll.difference(own, base, Lang::Ja), None);
        assert_eq!(Kind::Toll.text(own, Lang::Ja), "—");
        let roads = RouteDetails { toll_metres: Some(26_000), ..own.details.clone() };
        assert_eq!(toll_text(&roads, Lang::En).as_deref(), Some("toll roads 26.0 km"));
    }

    #[test]
    fn every_google_maneuver_has_an_arrow() {
        assert_eq!(arrow(Some("turn-right")), (Turn::Corner, false));
        assert_eq!(arrow(Some("turn-slight-left")), (Turn::Slight, true));
        assert_eq!(arrow(Some("turn-sharp-right")), (Turn::Sharp, false));
        assert_eq!(arrow(Some("uturn-left")), (Turn::Back, true));
        assert_eq!(arrow(Some("roundabout-right")), (Turn::Roundabout, false));
        assert_eq!(arrow(Some("ramp-left")), (Turn::Slight, true));
        assert_eq!(arrow(Some("fork-right")), (Turn::Fork, false));
        assert_eq!(arrow(Some("keep-left")), (Turn::Slight, true));
        assert_eq!(arrow(Some("merge")), (Turn::Merge, false));
        assert_eq!(arrow(Some("ferry")), (Turn::Ferry, false));
        assert_eq!(arrow(Some("straight")), (Turn::Straight, false));
    }

    #[test]
    fn missing_or_unknown_maneuver_goes_straight() {
        assert_eq!(arrow(None), (Turn::Straight, false));
        assert_eq!(arrow(Some("teleport")).0, Turn::Straight);
    }
}
