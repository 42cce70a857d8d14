//! Features on a map, and the common parts of all maps: loading Leaflet, bindings missing in its crate, and the bundled
//! coastline.

use js_sys::{Array, JSON, Object, Reflect, WeakRef};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;

use crate::browser;
use crate::geo::Features;
use crate::text::Key;

/// Draws points, lines and areas.
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

/// Creates a map in `element` with these features.
async fn drawn(
    element: &web_sys::HtmlElement,
    features: &Features,
) -> Result<leaflet::Map, JsValue> {
    let options = Object::new();
    // The wheel scrolls the page, also over a map.
    set(&options, "scrollWheelZoom", &JsValue::FALSE);
    let map = open(element, &options).await?;
    map.set_view(&leaflet::LatLng::new(35.55, 139.75), 9.0);
    let control = Reflect::get(&map, &"attributionControl".into())?;
    for (name, text) in [("setPrefix", "Leaflet"), ("addAttribution", CREDIT)] {
        let say: js_sys::Function = Reflect::get(&control, &name.into())?.dyn_into()?;
        say.call1(&control, &text.into())?;
    }
    add_land(&map).await;
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
    set(&fit, "padding", &Array::of2(&32.into(), &32.into()));
    set(&fit, "maxZoom", &13.into());
    set(&fit, "animate", &JsValue::FALSE);
    map.fit_bounds_with_options(&layer.get_bounds(), &fit);
    Ok(map)
}

/// Leaflet prefers the style of a feature to that of its marker.
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

/// A name beside a point, as an element, because Leaflet treats a string as markup.
fn bind_title(marker: &leaflet::Layer, title: &str) {
    let Some(element) = element("span", "", title) else { return };
    let options = Object::new();
    set(&options, "className", &"map-title".into());
    set(&options, "direction", &"top".into());
    set(&options, "offset", &Array::of2(&0.into(), &(-8).into()));
    marker.unchecked_ref::<Labelled>().bind_element(&element, &options);
}

const SCRIPT: &str = "vendor/leaflet/leaflet.js";
const STYLE: &str = "vendor/leaflet/leaflet.css";
const LAND: &str = "land.json";
const ROADS: &str = "roads.json";
/// The pane below everything.
const GROUND: &str = "ground";
/// The box to which the coastline was clipped.
const SEA: &str = r#"{"type":"Polygon","coordinates":[[[138.9,34.85],[140.6,34.85],[140.6,36.1],[138.9,36.1],[138.9,34.85]]]}"#;
/// Required on the map by the coastline's licence.
pub(crate) const CREDIT: &str = "© OpenStreetMap contributors (ODbL)";

// The crate does not export these, or takes options unknown to it.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = L, js_name = geoJSON, catch)]
    pub(crate) fn geo_json(
        json: &JsValue,
        options: &JsValue,
    ) -> Result<leaflet::FeatureGroup, JsValue>;
    #[wasm_bindgen(js_namespace = L, js_name = circleMarker)]
    fn circle_marker(place: &leaflet::LatLng, options: &JsValue) -> leaflet::Layer;
    #[wasm_bindgen(js_namespace = L, js_name = polyline)]
    pub(crate) fn polyline(points: &Array, options: &JsValue) -> leaflet::Layer;
    #[wasm_bindgen(js_namespace = L, js_name = marker)]
    pub(crate) fn marker(place: &leaflet::LatLng, options: &JsValue) -> leaflet::Layer;
    #[wasm_bindgen(js_namespace = L, js_name = divIcon)]
    pub(crate) fn div_icon(options: &JsValue) -> JsValue;
    #[wasm_bindgen(js_namespace = L, js_name = svg)]
    pub(crate) fn svg(options: &JsValue) -> JsValue;
    #[wasm_bindgen(js_namespace = L, js_name = tileLayer)]
    pub(crate) fn tile_layer(url: &str, options: &JsValue) -> leaflet::Layer;
    #[wasm_bindgen(method, js_class = "Layer", js_name = bindTooltip)]
    fn bind_element(this: &Labelled, content: &web_sys::Element, options: &JsValue) -> JsValue;
    /// A layer with an element as tooltip; the crate accepts only strings.
    type Labelled;
    /// Observes changes of an element's size.
    pub(crate) type ResizeObserver;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(callback: &JsValue) -> ResizeObserver;
    #[wasm_bindgen(method)]
    pub(crate) fn observe(this: &ResizeObserver, element: &web_sys::Element);
    #[wasm_bindgen(method)]
    pub(crate) fn disconnect(this: &ResizeObserver);
}

/// Creates a map in `element` with these options, loading Leaflet first if needed.
pub(crate) async fn open(
    element: &web_sys::HtmlElement,
    options: &Object,
) -> Result<leaflet::Map, JsValue> {
    browser::load_once(STYLE, SCRIPT).await?;
    if browser::wants_less_motion() {
        for name in ["zoomAnimation", "fadeAnimation", "markerZoomAnimation", "inertia"] {
            set(options, name, &JsValue::FALSE);
        }
    }
    let map = leaflet::Map::new_with_element(element, options.unchecked_ref())?;
    let pane = map.create_pane_by_name(GROUND);
    pane.set_class_name(&format!("{} map-ground", pane.class_name()));
    Ok(map)
}

/// Adds sea and coastline below everything. A map works without them.
pub(crate) async fn add_land(map: &leaflet::Map) {
    let Some(land) = fetched(LAND).await else { return };
    // Outside the box, land and sea are unknown and drawn alike.
    for (shape, name) in [(JSON::parse(SEA).unwrap_or_default(), "map-sea"), (land, "map-land")] {
        add_shape(map, &shape, &ground(name));
    }
}

/// Adds the main roads of the bundled network, so that a route has surroundings.
pub(crate) async fn add_roads(map: &leaflet::Map) {
    let Some(roads) = fetched(ROADS).await else { return };
    let by_class = Closure::<dyn Fn(JsValue) -> JsValue>::new(|feature: JsValue| {
        let properties = Reflect::get(&feature, &"properties".into()).unwrap_or_default();
        let kind = Reflect::get(&properties, &"class".into()).ok().and_then(|it| it.as_string());
        class(&format!("map-road is-{}", kind.unwrap_or_default())).into()
    });
    let options = ground("");
    set(&options, "style", &by_class.into_js_value());
    add_shape(map, &roads, &options);
}

async fn fetched(name: &str) -> Option<JsValue> {
    let response = gloo_net::http::Request::get(name).send().await.ok()?;
    response.text().await.ok().and_then(|it| JSON::parse(&it).ok())
}

fn add_shape(map: &leaflet::Map, shape: &JsValue, options: &Object) {
    if let Ok(layer) = geo_json(shape, options) {
        layer.unchecked_ref::<leaflet::Layer>().add_to(map);
    }
}

/// Listens to a map or layer for as long as it exists.
pub(crate) fn on<T: wasm_bindgen::convert::FromWasmAbi + 'static>(
    target: &JsValue,
    event: &str,
    run: impl Fn(T) + 'static,
) {
    let run = Closure::<dyn Fn(T)>::new(run).into_js_value();
    target.unchecked_ref::<leaflet::Evented>().on(event, &run);
}

/// A weak reference to a map for its own listeners, which would otherwise keep it and its elements alive.
pub(crate) fn weakly(map: &leaflet::Map) -> impl Fn() -> Option<leaflet::Map> + 'static {
    let map = WeakRef::new(map.unchecked_ref::<Object>());
    move || map.deref().map(JsCast::unchecked_into)
}

/// Options of the ground: not clickable, and below everything even if added late.
fn ground(name: &str) -> Object {
    let options = Object::new();
    set(&options, "style", &class(name));
    set(&options, "interactive", &JsValue::FALSE);
    set(&options, "pane", &GROUND.into());
    options
}

/// Options with a class only: colours come from the style sheet, to follow the theme.
pub(crate) fn class(name: &str) -> Object {
    let style = Object::new();
    set(&style, "className", &name.into());
    style
}

/// Sets a property of a plain object, which cannot fail.
pub(crate) fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// An element with a class and a text.
pub(crate) fn element(tag: &str, class: &str, text: &str) -> Option<web_sys::Element> {
    let element = document().create_element(tag).ok()?;
    element.set_class_name(class);
    element.set_text_content(Some(text));
    Some(element)
}
