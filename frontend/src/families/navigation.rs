//! Navigation's state: what is wished, what was found, the planner's log and the conversation.

use leptos::prelude::*;
use output::navigation::{Comparison, DETAILS, Place as Found, Routes};

use crate::route::Spot;
use crate::table::{Family, Greeting, NONE, Place, View, counted, fits};
use crate::text::Key;

#[macro_use]
mod words;

pub(crate) mod board;
pub(crate) mod client;
pub(crate) mod differences;
pub(crate) mod drawn;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod found;
mod labels;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod place;
mod planner;
pub(crate) mod position;
pub(crate) mod run;
pub(crate) mod turn;
pub(crate) mod views;
pub(crate) mod wish;

use board::Board;
use drawn::{ComparisonView, PlaceView, RoutesView};
use views::NavigationView;
use wish::Wish;

pub(super) const FAMILY: Family = Family {
    places: &[Place {
        tool: "route_search",
        name: Key::NavPlace,
        start: || Wish::default().route(),
        read: Wish::canonical,
        stage: |route| Wish::of(route).map(|_| String::new()),
        draw: |_| view! { <NavigationView/> }.into_any(),
        title: |page, _| page.say(Key::NavPlace).to_owned(),
    }],
    views: &[
        View::new(
            "routes",
            |value, raw| {
                let routes = fits::<Routes>(value)?;
                // Beside the output; a provider that tells nothing more still has routes.
                let details = raw.get("_meta").and_then(|it| fits(it.get(DETAILS)?));
                Some(view! { <RoutesView routes details/> }.into_any())
            },
            |value| counted(Key::CardRoutes, fits::<Routes>(value)?.routes.len()),
        ),
        View::new(
            "comparison",
            |value, _| {
                let comparison = fits::<Comparison>(value)?;
                Some(view! { <ComparisonView comparison/> }.into_any())
            },
            |value| fits::<Comparison>(value).map(|_| (Key::CardComparison, Vec::new())),
        ),
        View::new(
            "place",
            |value, _| {
                let place = fits::<Found>(value)?;
                Some(view! { <PlaceView place/> }.into_any())
            },
            |_| Some((Key::CardPlace, Vec::new())),
        ),
    ],
    example: Some(("route_search", Key::ChatExWay)),
    greeting: Some(Greeting {
        assistant: "navigation",
        title: Key::ChatWelcomeWay,
        hint: Key::ChatWelcomeWayHint,
        examples: &[Key::ChatExWay, Key::ChatExWayTraffic, Key::ChatExWayCompare],
    }),
    provide: |page| provide_context(Board::new(page)),
    ..NONE
};
