//! Elements on the map: both ends, names, and the popup about a place.

use js_sys::{Array, Object};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::ground::Label;
use super::{Pin, PlaceAs};
use crate::text::{Key, Lang};
use crate::views::map::{self, class, set};

/// Maximum number of characters of a pin's name.
const NAME_MAX: usize = 40;

/// Kind of pin: CSS class, label, sign; stops are numbered.
pub(super) struct Kind(&'static str, Key, Option<Key>);

pub(super) const START: Kind = Kind("pin is-start", Key::MapStart, Some(Key::MapStartShort));
pub(super) const GOAL: Kind = Kind("pin is-goal", Key::MapGoal, Some(Key::MapGoalShort));
pub(super) const PLACE: Kind = Kind("pin is-place", Key::MapPlace, Some(Key::MapPlaceShort));
pub(super) const STOP: Kind = Kind("pin is-place", Key::MapStop, None);

/// Whether the names of the ends stand above their pins: the northern one's does, so that no name lies between them.
pub(super) fn stand_above(start: Option<&Pin>, goal: Option<&Pin>) -> (bool, bool) {
    let (start, goal) = (start.map(|it| it.lat), goal.map(|it| it.lat));
    let is_start_above = start.zip(goal).is_some_and(|(start, goal)| start >= goal);
    (is_start_above, start.is_some() && goal.is_some() && !is_start_above)
}

/// An end or the `number`th stop of the route, distinguished by colour, shape and sign, with its name.
pub(super) fn pin(
    pin: &Pin,
    kind: &Kind,
    number: usize,
    is_above: bool,
    lang: Lang,
) -> Option<leaflet::Layer> {
    let Kind(name, label, short) = *kind;
    let head = map::element("span", "pin-head", "")?;
    let text: String = pin.name.chars().take(NAME_MAX).collect();
    let sign = short.map_or_else(|| number.to_string(), |it| lang.say(it).to_owned());
    let received = format!("{} {text}", lang.say(label));
    for (attribute, value) in [("role", "img"), ("aria-label", received.trim())] {
        head.set_attribute(attribute, value).ok()?;
    }
    head.append_child(&map::element("span", "pin-sign", &sign)?.into()).ok()?;
    if !text.is_empty() {
        let side = if is_above { "pin-name is-above" } else { "pin-name" };
        head.append_child(&map::element("span", side, &text)?.into()).ok()?;
    }
    Some(standing(&head, name, (pin.lat, pin.lng), None))
}

/// A name on the ground; for screen readers it is in the list of steps.
pub(super) fn name(label: &Label, lang: Lang, pane: &str) -> Option<leaflet::Layer> {
    let text = map::element("span", "map-label-text", label.text(lang))?;
    text.set_attribute("aria-hidden", "true").ok()?;
    Some(standing(&text, label.class(), label.at(), Some(pane)))
}

/// An element at a position, neither clickable nor focusable.
fn standing(
    element: &web_sys::Element,
    name: &str,
    (lat, lng): (f64, f64),
    pane: Option<&str>,
) -> leaflet::Layer {
    let icon = class(name);
    set(&icon, "html", element);
    set(&icon, "iconSize", &Array::of2(&0.into(), &0.into()));
    let options = Object::new();
    set(&options, "icon", &map::div_icon(&icon));
    set(&options, "interactive", &JsValue::FALSE);
    set(&options, "keyboard", &JsValue::FALSE);
    if let Some(pane) = pane {
        set(&options, "pane", &pane.into());
    }
    map::marker(&leaflet::LatLng::new(lat, lng), &options)
}

/// Opens a popup that asks for the role of a place. Built from elements, because Leaflet treats a string as markup.
pub(super) fn ask(
    map: &leaflet::Map,
    place: &leaflet::LatLng,
    on_place: Callback<(f64, f64, PlaceAs)>,
) {
    let lang = Lang::now();
    let at = (place.lat(), place.lng());
    let Some(content) = map::element("div", "map-ask", "") else { return };
    let answers = [
        (Key::MapSetStart, "quiet small", Some(PlaceAs::Origin)),
        (Key::MapSetGoal, "quiet small", Some(PlaceAs::Goal)),
        (Key::Close, "plain small", None),
    ];
    for (key, name, role) in answers {
        let Some(button) = map::element("button", name, lang.say(key)) else { return };
        let closed = map::weakly(map);
        let run = Closure::<dyn Fn()>::new(move || {
            if let Some(map) = closed() {
                close(&map);
            }
            if let Some(role) = role {
                on_place.run((at.0, at.1, role));
            }
        });
        let run = run.into_js_value();
        // A new element accepts all three.
        let _ = button.set_attribute("type", "button");
        let _ = button.add_event_listener_with_callback("click", run.unchecked_ref());
        let _ = content.append_child(&button);
    }
    let options = class("map-popup");
    set(&options, "minWidth", &180.into());
    // Leaflet's is in English only.
    set(&options, "closeButton", &JsValue::FALSE);
    map.open_popup_with_content_and_options(&content, place, &options);
}

/// Whether a key is Enter on the map itself rather than on something on it.
pub(super) fn is_enter_on(event: &JsValue, map: &web_sys::HtmlElement) -> bool {
    let key = js_sys::Reflect::get(event, &"originalEvent".into()).ok();
    let key = key.and_then(|it| it.dyn_into::<web_sys::KeyboardEvent>().ok());
    let own: &web_sys::EventTarget = map.as_ref();
    key.is_some_and(|it| it.key() == "Enter" && it.target().as_ref() == Some(own))
}

/// Focuses the popup that was just opened.
pub(super) fn focus_question(map: &web_sys::HtmlElement) {
    let button = map.query_selector(".map-ask button").ok().flatten();
    if let Some(button) = button.and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

fn close(map: &leaflet::Map) {
    // The focus would be lost with the button.
    let _ = map.get_container().focus();
    let close = js_sys::Reflect::get(map, &"closePopup".into());
    if let Some(close) = close.ok().and_then(|it| it.dyn_into::<js_sys::Function>().ok()) {
        // Does nothing without a popup.
        let _ = close.call0(map);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn northern_label_stands_above_and_lone_one_below() {
        let at = |lat| Pin { lat, ..Pin::default() };
        let (north, south) = (at(35.7), at(35.4));
        assert_eq!(stand_above(Some(&north), Some(&south)), (true, false));
        assert_eq!(stand_above(Some(&south), Some(&north)), (false, true));
        assert_eq!(stand_above(None, Some(&north)), (false, false));
    }
}
