//! Places on a map: Leaflet over the bundled coastline, loaded when the first map is drawn.

pub(crate) mod leaf;

use js_sys::{JSON, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;

use crate::browser;
use crate::geo::Features;
use crate::text::Key;
use leaf::{CREDIT, Labelled, circle_marker, class, geo_json, set};

/// Draws places, lines and areas.
#[component]
pub(crate) fn MapView(features: Features) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let has_failed = RwSignal::new(false);
    let map = StoredValue::new_local(None::<leaflet::Map>);
    let titles = features.titles();
    let after = StoredValue::new(format!("after-map-{}", browser::unique()));
    Effect::new(move |_| {
        let Some(element) = node.get() else { return };
        let features = features.clone();
        spawn_local(async move {
            match drawn(element.unchecked_ref(), &features).await {
                // The view may be gone by now.
                Ok(drawn) if map.try_get_value().is_some() => map.set_value(Some(drawn)),
                Ok(drawn) => drop(drawn.remove()),
                Err(_) => has_failed.set(true),
            }
        });
    });
    on_cleanup(move || {
        if let Some(Some(map)) = map.try_update_value(Option::take) {
            map.remove();
        }
    });
    let place = |title: String| view! { <li>{title}</li> };
    view! {
        <div class="map">
            <button type="button" class="skip is-inner" on:click=move |_| {
                after.with_value(|it| browser::focus(it));
            }>{Key::MapSkip}</button>
            <div class="map-canvas" node_ref=node role="region" aria-label=Key::MapView></div>
            <p class="hint" tabindex="-1" id=after.get_value()>
                {move || if has_failed.get() { Key::MapFailed } else { Key::MapNote }.say()}
            </p>
            {(!titles.is_empty()).then(|| view! {
                <ul class="map-places">{titles.into_iter().take(100).map(place).collect_view()}</ul>
            })}
        </div>
    }
}

/// A map in `element` with these features on it.
async fn drawn(
    element: &web_sys::HtmlElement,
    features: &Features,
) -> Result<leaflet::Map, JsValue> {
    let options = Object::new();
    // A wheel over the map scrolls the page, as everywhere else on it.
    set(&options, "scrollWheelZoom", &JsValue::FALSE);
    let map = leaf::open(element, &options).await?;
    map.set_view(&leaflet::LatLng::new(35.55, 139.75), 9.0);
    let control = Reflect::get(&map, &"attributionControl".into())?;
    for (name, text) in [("setPrefix", "Leaflet"), ("addAttribution", CREDIT)] {
        let say: js_sys::Function = Reflect::get(&control, &name.into())?.dyn_into()?;
        say.call1(&control, &text.into())?;
    }
    leaf::add_land(&map).await;
    let data = JSON::parse(&features.0.to_string())?;
    let options = Object::new();
    let by_kind =
        Closure::<dyn Fn(JsValue) -> JsValue>::new(|feature| class(class_of(&feature)).into());
    set(&options, "style", &by_kind.into_js_value());
    let marker = Closure::<dyn Fn(JsValue, leaflet::LatLng) -> leaflet::Layer>::new(
        |feature: JsValue, place: leaflet::LatLng| {
            let options = class("map-place");
            set(&options, "radius", &8.into());
            let marker = circle_marker(&place, &options);
            if let Some(title) = title_of(&feature) {
                bind_title(&marker, &title);
            }
            marker
        },
    );
    set(&options, "pointToLayer", &marker.into_js_value());
    let layer = geo_json(&data, &options)?;
    layer.unchecked_ref::<leaflet::Layer>().add_to(&map);
    let fit = Object::new();
    set(&fit, "padding", &js_sys::Array::of2(&32.into(), &32.into()));
    set(&fit, "maxZoom", &13.into());
    set(&fit, "animate", &JsValue::FALSE);
    map.fit_bounds_with_options(&layer.get_bounds(), &fit);
    Ok(map)
}

/// Leaflet takes the style of a feature over that of its marker.
fn class_of(feature: &JsValue) -> &'static str {
    let geometry = Reflect::get(feature, &"geometry".into());
    let kind = geometry.and_then(|it| Reflect::get(&it, &"type".into()));
    match kind.ok().and_then(|it| it.as_string()).as_deref() {
        Some("Point" | "MultiPoint") => "map-place",
        Some("LineString" | "MultiLineString") => "map-line",
        _ => "map-area",
    }
}

fn title_of(feature: &JsValue) -> Option<String> {
    let properties = Reflect::get(feature, &"properties".into()).ok()?;
    let title = Reflect::get(&properties, &"title".into()).ok()?.as_string()?;
    (!title.is_empty()).then_some(title)
}

/// A name beside a place: an element of ours, because Leaflet takes a string for markup.
fn bind_title(marker: &leaflet::Layer, title: &str) {
    let Some(element) = leaf::element("span", "", title) else { return };
    let options = Object::new();
    set(&options, "className", &"map-title".into());
    set(&options, "direction", &"top".into());
    set(&options, "offset", &js_sys::Array::of2(&0.into(), &(-8).into()));
    marker.unchecked_ref::<Labelled>().bind_element(&element, &options);
}
