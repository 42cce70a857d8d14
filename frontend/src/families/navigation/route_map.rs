//! A map of routes: all drawn, one selected with a highlighted step; clicks select routes, steps or ends.

mod drawing;
mod ground;
mod pins;

use std::sync::Arc;
use std::time::Duration;

use js_sys::Reflect;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use output::navigation::End;
use wasm_bindgen::prelude::*;

use crate::browser;
use crate::families::navigation::line::Point;
use crate::families::navigation::place::{Area, is_on_globe};
use crate::page::page;
use crate::text::{Key, Lang};
use drawing::{Drawing, Moves};
use ground::Ground;

/// The content of the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scene {
    /// Complete lines of (lat, lng), one per route.
    pub(crate) lines: Vec<Arc<Vec<Point>>>,
    /// The route drawn on top.
    pub(crate) chosen: usize,
    pub(crate) start: Option<Pin>,
    pub(crate) goal: Option<Pin>,
    /// The stops of the selected route, in order.
    pub(crate) stops: Vec<Pin>,
    /// The highlighted points of the selected line: from, to.
    pub(crate) step: Option<(usize, usize)>,
    /// The area covered by the host's map, if it is to be shown.
    pub(crate) area: Option<Area>,
    pub(crate) tone: Tone,
    /// Attribution of the routes, shown on the map.
    pub(crate) attribution: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pin {
    pub(crate) lat: f64,
    pub(crate) lng: f64,
    pub(crate) name: String,
}

impl Pin {
    /// The pin of an end or a stop; none if it is nowhere on the globe.
    pub(crate) fn new(end: &End) -> Option<Self> {
        let name = end.name.clone();
        is_on_globe(end.location).then_some(Self {
            lat: end.location.lat,
            lng: end.location.lng,
            name,
        })
    }
}

/// Colour of the selected route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Found by the AI mode.
    Ai,
    /// Found by the normal mode.
    Normal,
    /// Found by neither mode.
    #[default]
    Plain,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Ai => "is-ai",
            Self::Normal => "is-normal",
            Self::Plain => "is-plain",
        }
    }
}

/// The role of a clicked place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceAs {
    Origin,
    Goal,
}

/// Handlers of the map and the names of the ends.
#[derive(Clone, Copy)]
struct MapHandlers {
    on_choose: Callback<usize>,
    on_step: Callback<usize>,
    /// None if clicked places have no role.
    on_place: Option<Callback<(f64, f64, PlaceAs)>>,
    is_place: bool,
}

/// Draws routes with one selected.
#[component]
pub(crate) fn RouteMap(
    #[prop(into)] scene: Signal<Scene>,
    /// Called with a clicked route.
    #[prop(into)]
    on_choose: Callback<usize>,
    /// Called with a clicked point of the selected route.
    #[prop(into)]
    on_step: Callback<usize>,
    /// Called with the role of a clicked place; without it the map does not ask.
    #[prop(optional, into)]
    on_place: Option<Callback<(f64, f64, PlaceAs)>>,
    /// Whether the goal is a single place rather than a destination.
    #[prop(optional)]
    is_place: bool,
) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let around = NodeRef::<html::Div>::new();
    let has_failed = RwSignal::new(false);
    let is_ready = RwSignal::new(false);
    let drawing = StoredValue::new_local(None::<Drawing>);
    let hint = RwSignal::new(None::<Key>);
    let ground = RwSignal::new(Ground::default());
    let moves = Moves { moved: RwSignal::new(0), resized: RwSignal::new(0), ground };
    let handlers = MapHandlers { on_choose, on_step, on_place, is_place };
    Effect::new(move |_| {
        let Some(element) = node.get() else { return };
        spawn_local(async move {
            match Drawing::open(element.unchecked_into(), moves, handlers).await {
                // The view may be gone by now.
                Ok(drawn) if drawing.try_with_value(|_| ()).is_some() => {
                    drawing.set_value(Some(drawn));
                    is_ready.set(true);
                }
                Ok(drawn) => drawn.close(),
                Err(_) => drop(has_failed.try_set(true)),
            }
        });
    });
    Effect::new(move |_| {
        if !is_ready.get() {
            return;
        }
        moves.moved.track();
        page().lang.track();
        ground.track();
        let is_resized = moves.resized.get();
        let scene = scene.get();
        drawing.update_value(|drawing| {
            if let Some(drawing) = drawing {
                drawing.show(scene, Lang::now(), is_resized);
            }
        });
    });
    Effect::new(move |_| {
        if let Some(element) = around.get() {
            mind(&element, hint);
        }
    });
    on_cleanup(move || {
        if let Some(Some(drawing)) = drawing.try_update_value(Option::take) {
            drawing.close();
        }
    });
    let with_map = move |run: fn(&Drawing)| {
        drawing.with_value(|it| it.as_ref().map(run));
    };
    let notice = move || match ground.get() {
        _ if has_failed.get() => Some(Key::MapFailed),
        Ground::TilesFailed => Some(Key::MapTilesFailed),
        Ground::BuiltIn | Ground::Tiles(_) => None,
    };
    let keys = format!("map-keys-{}", browser::unique());
    let keys_id = keys.clone();
    let credit =
        move || scene.with(|it| ground.with(|ground| ground::credit(ground, &it.attribution)));
    view! {
        <div class=move || format!("route-map {}", scene.with(|it| it.tone).class()) node_ref=around>
            <div class="map-canvas" node_ref=node role="region" aria-describedby=keys
                aria-label=Key::RouteMapName></div>
            <div class="map-buttons">
                <MapButton label=Key::ZoomIn sign="＋" on_click=move || with_map(Drawing::zoom_in)/>
                <MapButton label=Key::ZoomOut sign="－" on_click=move || with_map(Drawing::zoom_out)/>
                <MapButton label=Key::MapFit sign="⤢" on_click=move || with_map(Drawing::fit)/>
            </div>
            <p class="map-hint" class:is-shown=move || hint.get().is_some() aria-hidden="true">
                {hint}
            </p>
            <p class="map-credit">{credit}</p>
            <p class="only-heard" id=keys_id>{Key::RouteMapKeys}</p>
            {move || notice().map(|key| view! { <p class="map-notice">{key.say()}</p> })}
        </div>
    }
}

/// A button on the map.
#[component]
fn MapButton(label: Key, sign: &'static str, on_click: impl Fn() + 'static) -> impl IntoView {
    view! {
        <button type="button" class="map-button" title=label
            aria-label=label on:click=move |_| on_click()>
            <span aria-hidden="true">{sign}</span>
        </button>
    }
}

/// How long a hint stays: enough to read it once.
const HINT_TIME: Duration = Duration::from_millis(1_600);

/// Passes only intended gestures to the map. `element` surrounds the map, so it receives events first.
pub(super) fn mind(element: &web_sys::HtmlElement, hint: RwSignal<Option<Key>>) {
    let count = StoredValue::new(0_u32);
    let show = move |key: Key| {
        // The view may be gone while its elements still receive events.
        if hint.try_set(Some(key)).is_some() {
            return;
        }
        let Some(number) = count.try_update_value(|count| {
            *count = count.wrapping_add(1);
            *count
        }) else {
            return;
        };
        let hide = move || {
            if count.try_get_value() == Some(number) {
                hint.try_set(None);
            }
        };
        set_timeout(hide, HINT_TIME);
    };
    listen(element, "wheel", move |event| {
        if !is_set(&event, "ctrlKey") && !is_set(&event, "metaKey") {
            event.stop_propagation();
            show(Key::MapWheelHint);
        }
    });
    listen(element, "touchstart", move |event| {
        if fingers(&event) < 2 && is_on_map(&event) {
            event.stop_propagation();
        }
    });
    listen(element, "touchmove", move |event| {
        if fingers(&event) < 2 && is_on_map(&event) {
            event.stop_propagation();
            show(Key::MapTouchHint);
        }
    });
}

/// Listens in the capture phase, before the map.
fn listen(element: &web_sys::HtmlElement, event: &str, run: impl Fn(web_sys::Event) + 'static) {
    let run = Closure::<dyn Fn(web_sys::Event)>::new(run).into_js_value();
    // An existing element accepts a listener.
    let _ = element.add_event_listener_with_callback_and_bool(event, run.unchecked_ref(), true);
}

fn is_set(event: &web_sys::Event, name: &str) -> bool {
    Reflect::get(event, &name.into()).is_ok_and(|it| it.is_truthy())
}

fn fingers(event: &web_sys::Event) -> u32 {
    let touches = Reflect::get(event, &"touches".into());
    let count = touches.and_then(|it| Reflect::get(&it, &"length".into()));
    count.ok().and_then(|it| it.as_f64()).unwrap_or_default() as u32
}

/// Whether the event targets the map itself rather than a button or popup on it.
fn is_on_map(event: &web_sys::Event) -> bool {
    let target = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|it| matches!(it.closest("button, .leaflet-popup"), Ok(None)))
}
