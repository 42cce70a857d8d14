//! What `geocode` put out: a place on the map, with its address and its coordinates to copy.

use leptos::prelude::*;
use output::navigation::Place;

use crate::browser;
use crate::families::navigation::views::route_map::{Pin, RouteMap, Scene};
use crate::page::page;
use crate::text::Key;

/// Draws the place.
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
    let copy = move |_| {
        if coordinates.with_value(|it| browser::copy(it)) {
            page().announce_key(Key::Copied);
        }
    };
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
                        <button type="button" class="quiet small" on:click=copy>{Key::Copy}</button>
                    </dd>
                </div>
            </dl>
        </div>
    }
}
