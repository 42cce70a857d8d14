//! The Leaflet drawing, updated when scene, viewport or language change.

use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Array, Object};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::ground::{self, Ground, Label, Room};
use super::{MapHandlers, Pin, Scene, pins};
use crate::families::navigation::line::{self, Point, Viewport, Weights};
use crate::families::navigation::place::Area;
use crate::text::Lang;
use crate::views::map::{self, ResizeObserver, class, on, set};

/// Initial centre: the middle of Tokyo (NAV-61).
const CENTRE: Point = (35.68, 139.76);
const ZOOM: f64 = 11.0;
/// Maximum zoom for a short route.
const FIT_ZOOM_MAX: f64 = 16.0;
/// Maximum zoom for a single place, to show its surroundings.
const FIT_PLACE_ZOOM_MAX: f64 = 13.0;
/// The pane of names: above routes, below pins, not clickable.
const NAMES: &str = "names";

/// Signals of the map's changes to the view.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub(super) moved: RwSignal<u32>,
    pub(super) resized: RwSignal<u32>,
    pub(super) ground: RwSignal<Ground>,
}

/// What the drawing depends on besides result and viewport: selection, step, language, ground.
type Look = (usize, Option<(usize, usize)>, Lang, Ground);

/// A map and its layers.
pub(super) struct Drawing {
    map: leaflet::Map,
    routes: leaflet::LayerGroup,
    names: leaflet::LayerGroup,
    pins: leaflet::LayerGroup,
    labels: Vec<Label>,
    ground: RwSignal<Ground>,
    observer: ResizeObserver,
    handlers: MapHandlers,
    shown: Option<(Scene, Lang)>,
    look: Option<Look>,
    /// One per line of the scene.
    weights: Vec<Rc<Weights>>,
    /// The zoom and viewport that the lines are drawn for; wider than the visible one.
    drawn_for: Option<(f64, Viewport)>,
    resized: u32,
}

impl Drawing {
    pub(super) async fn open(
        element: web_sys::HtmlElement,
        moves: Moves,
        handlers: MapHandlers,
    ) -> Result<Self, JsValue> {
        let options = Object::new();
        // Replaced by our own: in both languages, with attributions as text rather than markup.
        set(&options, "zoomControl", &JsValue::FALSE);
        set(&options, "attributionControl", &JsValue::FALSE);
        set(&options, "maxZoom", &19.into());
        set(&options, "minZoom", &3.into());
        // Fitting to whole zoom levels could waste three quarters of the map.
        set(&options, "zoomSnap", &0.5.into());
        let map = map::open(&element, &options).await?;
        map.set_view(&leaflet::LatLng::new(CENTRE.0, CENTRE.1), ZOOM);
        let pane = map.create_pane_by_name(NAMES);
        pane.set_class_name(&format!("{} map-names", pane.class_name()));
        ground::lay(&map, moves.ground).await;
        let labels = ground::names().await;
        let group = || {
            let group = leaflet::LayerGroup::new();
            group.add_to(&map);
            group
        };
        on(&map, "moveend", move |_: JsValue| bump(moves.moved));
        if let Some(on_place) = handlers.on_place {
            let weak = map::weakly(&map);
            on(&map, "click", move |event: leaflet::MouseEvent| {
                if let Some(map) = weak() {
                    pins::ask(&map, &event.lat_lng(), on_place);
                }
            });
            // For keyboards: Enter asks about the middle of the map.
            let weak = map::weakly(&map);
            on(&map, "keydown", move |event: JsValue| {
                let Some(map) = weak() else { return };
                let element = map.get_container();
                if pins::is_enter_on(&event, &element) {
                    pins::ask(&map, &map.get_center(), on_place);
                    pins::focus_question(&element);
                }
            });
        }
        let resized = Closure::<dyn Fn()>::new(move || bump(moves.resized)).into_js_value();
        let observer = ResizeObserver::new(&resized);
        observer.observe(&element);
        Ok(Self {
            routes: group(),
            names: group(),
            pins: group(),
            map,
            labels,
            ground: moves.ground,
            observer,
            handlers,
            shown: None,
            look: None,
            weights: Vec::new(),
            drawn_for: None,
            resized: 0,
        })
    }

    pub(super) fn close(self) {
        self.observer.disconnect();
        self.map.remove();
    }

    pub(super) fn zoom_in(&self) {
        self.map.zoom_in(1.0);
    }

    pub(super) fn zoom_out(&self) {
        self.map.zoom_out(1.0);
    }

    /// Fits all routes.
    pub(super) fn fit(&self) {
        if let Some((scene, _)) = &self.shown {
            fit(&self.map, scene);
        }
    }

    /// Draws the changes of a scene for the current viewport.
    pub(super) fn show(&mut self, scene: Scene, lang: Lang, resized: u32) {
        if self.resized != resized {
            self.resized = resized;
            self.map.invalidate_size(false);
        }
        let old = self.shown.replace((scene.clone(), lang));
        let old_scene = old.as_ref().map(|(scene, _)| scene);
        let is_same_result = old_scene.is_some_and(|it| is_same_lines(it, &scene));
        if !is_same_result {
            let weights = |it: &Arc<Vec<Point>>| Rc::new(Weights::compute(it));
            self.weights = scene.lines.iter().map(weights).collect();
            // A reader who just clicked a place sees it already.
            let is_seen = scene.lines.is_empty() && scene.area.is_none() && {
                let mut ends = [&scene.start, &scene.goal].into_iter().flatten();
                ends.all(|it| self.viewport().1.has((it.lat, it.lng)))
            };
            if !is_seen || self.drawn_for.is_none() {
                fit(&self.map, &scene);
            }
        }
        let old_pins = old.as_ref().map(|(it, lang)| (&it.start, &it.goal, &it.stops, *lang));
        if old_pins != Some((&scene.start, &scene.goal, &scene.stops, lang)) {
            self.draw_pins(&scene, lang);
        }
        let look = (scene.chosen, scene.step, lang, self.ground.get_untracked());
        let is_same_look = is_same_result && self.look.as_ref() == Some(&look);
        self.look = Some(look);
        let (zoom, viewport) = self.viewport();
        let is_good = |it: &(f64, Viewport)| it.0 == zoom && it.1.holds(&viewport);
        if !is_same_look || !self.drawn_for.as_ref().is_some_and(is_good) {
            let wide = viewport.widened();
            self.draw_routes(&scene, zoom, &wide);
            self.draw_names(&scene, lang, zoom, &wide);
            self.drawn_for = Some((zoom, wide));
        }
    }

    /// The current zoom and viewport.
    fn viewport(&self) -> (f64, Viewport) {
        let bounds = self.map.get_bounds();
        let (low, high) = (bounds.get_south_west(), bounds.get_north_east());
        let viewport =
            Viewport { south: low.lat(), west: low.lng(), north: high.lat(), east: high.lng() };
        (self.map.get_zoom(), viewport)
    }

    /// Alternatives first, so that the selected route lies on top, and the clickable one last.
    fn draw_routes(&self, scene: &Scene, zoom: f64, viewport: &Viewport) {
        self.routes.clear_layers();
        let add = |name: &str, shape: &Array, is_clicked: bool| {
            let options = class(name);
            set(&options, "interactive", &is_clicked.into());
            set(&options, "bubblingMouseEvents", &JsValue::FALSE);
            set(&options, "smoothFactor", &1.into());
            let layer = map::polyline(shape, &options);
            self.routes.add_layer(&layer);
            layer
        };
        if let Some(area) = &scene.area {
            add("map-area", &shape(&area.outline(), &[(0..5).collect()]), false);
        }
        let shapes = scene.lines.iter().zip(&self.weights);
        let shapes: Vec<Array> = shapes
            .map(|(line, weights)| shape(line, &line::drawn(line, weights, zoom, viewport)))
            .collect();
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by_key(|it| *it == scene.chosen);
        for index in &order {
            let kind = if *index == scene.chosen { "is-chosen" } else { "is-other" };
            add(&format!("route-casing {kind}"), &shapes[*index], false);
            add(&format!("route-line {kind}"), &shapes[*index], false);
        }
        if let (Some(line), Some((from, to))) = (scene.lines.get(scene.chosen), scene.step) {
            let part = line.get(from..=to.min(line.len().saturating_sub(1))).unwrap_or_default();
            if part.len() > 1 {
                let shape =
                    shape(part, &line::drawn(part, &Weights::compute(part), zoom, viewport));
                add("route-step-casing", &shape, false);
                add("route-step", &shape, false);
            }
        }
        for index in order {
            let hit = add("route-hit", &shapes[index], true);
            let (handlers, line) = (self.handlers, Arc::clone(&scene.lines[index]));
            let is_chosen = index == scene.chosen;
            on(&hit, "click", move |event: leaflet::MouseEvent| {
                let place = event.lat_lng();
                if !is_chosen {
                    handlers.on_choose.run(index);
                } else if let Some(point) = line::nearest(&line, (place.lat(), place.lng())) {
                    handlers.on_step.run(point);
                }
            });
        }
    }

    fn draw_pins(&self, scene: &Scene, lang: Lang) {
        self.pins.clear_layers();
        let goal = if self.handlers.is_place { &pins::PLACE } else { &pins::GOAL };
        let above = pins::stand_above(scene.start.as_ref(), scene.goal.as_ref());
        let stops = scene.stops.iter().enumerate();
        let stops = stops.map(|(index, it)| (Some(it), &pins::STOP, index + 1, false));
        // The ends lie on top.
        let ends = [
            (scene.start.as_ref(), &pins::START, 0, above.0),
            (scene.goal.as_ref(), goal, 0, above.1),
        ];
        for (pin, kind, number, is_above) in stops.chain(ends) {
            let layer = pin.and_then(|it| pins::pin(it, kind, number, is_above, lang));
            if let Some(layer) = layer {
                self.pins.add_layer(&layer);
            }
        }
    }

    /// Draws the names of the built-in ground; tiles have their own.
    fn draw_names(&self, scene: &Scene, lang: Lang, zoom: f64, viewport: &Viewport) {
        self.names.clear_layers();
        if matches!(self.ground.get_untracked(), Ground::Tiles(_)) {
            return;
        }
        let above = pins::stand_above(scene.start.as_ref(), scene.goal.as_ref());
        let ends = [(&scene.start, above.0), (&scene.goal, above.1)];
        let ends = ends.into_iter().filter_map(|(pin, is_above)| Some((pin.as_ref()?, is_above)));
        let ends = ends.chain(scene.stops.iter().map(|it| (it, false)));
        let rooms = ends
            .flat_map(|(it, is_above)| Room::of_pin((it.lat, it.lng), &it.name, is_above, zoom));
        let rooms: Vec<Room> = rooms.collect();
        for label in ground::written(&self.labels, lang, zoom, viewport, &rooms) {
            if let Some(layer) = pins::name(label, lang, NAMES) {
                self.names.add_layer(&layer);
            }
        }
    }
}

fn bump(signal: RwSignal<u32>) {
    // The view may be gone while its map still moves.
    signal.try_update(|it| *it = it.wrapping_add(1));
}

/// Whether only the selection changed, not the result.
fn is_same_lines(one: &Scene, other: &Scene) -> bool {
    let is_same = |(a, b): (&Arc<Vec<Point>>, &Arc<Vec<Point>>)| Arc::ptr_eq(a, b) || a == b;
    let is_same_pin = |a: &Option<Pin>, b: &Option<Pin>| {
        let place = |it: &Pin| (it.lat, it.lng);
        a.as_ref().map(place) == b.as_ref().map(place)
    };
    one.lines.len() == other.lines.len()
        && one.area == other.area
        && one.lines.iter().zip(&other.lines).all(is_same)
        && is_same_pin(&one.start, &other.start)
        && is_same_pin(&one.goal, &other.goal)
}

/// Fits the area if it is shown, else all alternatives and the ends.
fn fit(map: &leaflet::Map, scene: &Scene) {
    let ends: Vec<Point> =
        [&scene.start, &scene.goal].into_iter().flatten().map(|it| (it.lat, it.lng)).collect();
    let area = scene.area.as_ref().map(Area::outline);
    let viewport = match &area {
        Some(outline) => line::around(outline.iter()),
        None => line::around(scene.lines.iter().flat_map(|it| it.iter()).chain(&ends)),
    };
    let Some(viewport) = viewport else { return };
    let low = leaflet::LatLng::new(viewport.south, viewport.west);
    let high = leaflet::LatLng::new(viewport.north, viewport.east);
    let options = Object::new();
    // Space for the names of the ends and the buttons.
    set(&options, "paddingTopLeft", &Array::of2(&56.into(), &60.into()));
    set(&options, "paddingBottomRight", &Array::of2(&72.into(), &66.into()));
    let is_place = area.is_none() && scene.lines.iter().all(|it| it.is_empty()) && ends.len() < 2;
    let zoom_max = if is_place { FIT_PLACE_ZOOM_MAX } else { FIT_ZOOM_MAX };
    set(&options, "maxZoom", &zoom_max.into());
    // Such an animation moves everything, which prefers-reduced-motion forbids.
    set(&options, "animate", &JsValue::FALSE);
    map.fit_bounds_with_options(&leaflet::LatLngBounds::new(&low, &high), &options);
}

/// Converts runs of a line for Leaflet.
fn shape(line: &[Point], runs: &[Vec<usize>]) -> Array {
    let pair = |it: &usize| Array::of2(&line[*it].0.into(), &line[*it].1.into());
    runs.iter().map(|run| run.iter().map(pair).collect::<Array>()).collect()
}
