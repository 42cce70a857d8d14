//! What every map on this page shares: Leaflet, loaded once, what its crate leaves out, and the coastline.

use js_sys::{Array, JSON, Object, Reflect, WeakRef};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::browser;

const SCRIPT: &str = "vendor/leaflet/leaflet.js";
const STYLE: &str = "vendor/leaflet/leaflet.css";
const LAND: &str = "land.json";
const ROADS: &str = "roads.json";
/// The pane of what lies under everything.
const GROUND: &str = "ground";
/// The box that the coastline was clipped to.
const SEA: &str = r#"{"type":"Polygon","coordinates":[[[138.9,34.85],[140.6,34.85],[140.6,36.1],[138.9,36.1],[138.9,34.85]]]}"#;
/// Must stay on the map: the coastline's licence asks for it.
pub(crate) const CREDIT: &str = "© OpenStreetMap contributors (ODbL)";

// The crate has these in its source and does not export them, or takes options that it does not know.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = L, js_name = geoJSON, catch)]
    pub(crate) fn geo_json(
        json: &JsValue,
        options: &JsValue,
    ) -> Result<leaflet::FeatureGroup, JsValue>;
    #[wasm_bindgen(js_namespace = L, js_name = circleMarker)]
    pub(crate) fn circle_marker(place: &leaflet::LatLng, options: &JsValue) -> leaflet::Layer;
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
    pub(crate) fn bind_element(
        this: &Labelled,
        content: &web_sys::Element,
        options: &JsValue,
    ) -> JsValue;
    /// A layer that can carry an element as its tooltip; the crate takes only strings.
    pub(crate) type Labelled;
    /// Tells when an element changes its size.
    pub(crate) type ResizeObserver;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(callback: &JsValue) -> ResizeObserver;
    #[wasm_bindgen(method)]
    pub(crate) fn observe(this: &ResizeObserver, element: &web_sys::Element);
    #[wasm_bindgen(method)]
    pub(crate) fn disconnect(this: &ResizeObserver);
}

/// A map in `element`, with these options; its Leaflet is loaded first where it is not there yet.
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

/// Sea and coastline under everything else. A map without them still shows its places.
pub(crate) async fn add_land(map: &leaflet::Map) {
    let Some(land) = fetched(LAND).await else { return };
    // Beyond the box land and sea are not known, and the map does not tell them apart.
    for (shape, name) in [(JSON::parse(SEA).unwrap_or_default(), "map-sea"), (land, "map-land")] {
        add_shape(map, &shape, &ground(name));
    }
}

/// The main roads of the bundled network, so that a route does not lie in the void.
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

/// Listens to a map or a layer for as long as it lives.
pub(crate) fn on<T: wasm_bindgen::convert::FromWasmAbi + 'static>(
    target: &JsValue,
    event: &str,
    run: impl Fn(T) + 'static,
) {
    let run = Closure::<dyn Fn(T)>::new(run).into_js_value();
    target.unchecked_ref::<leaflet::Evented>().on(event, &run);
}

/// A map for its own listeners: where they held it, it would be kept for ever, and its elements with it.
pub(crate) fn weakly(map: &leaflet::Map) -> impl Fn() -> Option<leaflet::Map> + 'static {
    let map = WeakRef::new(map.unchecked_ref::<Object>());
    move || map.deref().map(JsCast::unchecked_into)
}

/// How the ground is drawn: it takes no clicks, and lies under everything even where it comes late.
fn ground(name: &str) -> Object {
    let options = Object::new();
    set(&options, "style", &class(name));
    set(&options, "interactive", &JsValue::FALSE);
    set(&options, "pane", &GROUND.into());
    options
}

/// Options that say nothing but a class: colours come from the style sheet, so that they follow the theme.
pub(crate) fn class(name: &str) -> Object {
    let style = Object::new();
    set(&style, "className", &name.into());
    style
}

/// Sets a property of a plain object, which cannot fail.
pub(crate) fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// An element of a class that says this and nothing else.
pub(crate) fn element(tag: &str, class: &str, text: &str) -> Option<web_sys::Element> {
    let element = document().create_element(tag).ok()?;
    element.set_class_name(class);
    element.set_text_content(Some(text));
    Some(element)
}
