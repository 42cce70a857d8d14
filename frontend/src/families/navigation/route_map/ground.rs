//! The ground below the routes: the built-in coast or the operator's tiles, and the names written at a zoom level
//! without overlaps.

use js_sys::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::access;
use crate::families::navigation::line::{Point, Viewport, projected};
use crate::text::Lang;
use crate::views::map::{self, CREDIT, on, set};

const PLACES: &str = "places.json";
const PAGE: &str = "api/page";
/// Maximum number of characters of an attribution.
const CREDIT_MAX: usize = 300;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Ground {
    /// The built-in coast.
    #[default]
    BuiltIn,
    /// Tiles, with their attribution.
    Tiles(String),
    /// The built-in coast, because the tiles do not load.
    TilesFailed,
}

#[derive(Deserialize)]
struct PageAnswer {
    tiles: Option<Tiles>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tiles {
    url: String,
    #[serde(default)]
    attribution: String,
    max_zoom: Option<f64>,
}

/// Lays the ground and reports its kind in `ground`, also when tiles fail later.
pub(super) async fn lay(map: &leaflet::Map, ground: RwSignal<Ground>) {
    if let Some(tiles) = fetch_tiles().await {
        lay_tiles(map, &tiles, ground);
        ground.try_set(Ground::Tiles(plain(&tiles.attribution)));
    } else {
        map::add_land(map).await;
        map::add_roads(map).await;
    }
}

/// Loads the names of the built-in ground; a map works without them.
pub(super) async fn names() -> Vec<Label> {
    let Ok(response) = gloo_net::http::Request::get(PLACES).send().await else {
        return Vec::new();
    };
    response.text().await.map(|it| read(&it)).unwrap_or_default()
}

/// Fetches the host's tiles; most hosts have none.
async fn fetch_tiles() -> Option<Tiles> {
    let mut request = gloo_net::http::Request::get(PAGE);
    if let Some(authorization) = access::header() {
        request = request.header("Authorization", &authorization);
    }
    let response = request.send().await.ok().filter(gloo_net::http::Response::ok)?;
    let tiles = response.json::<PageAnswer>().await.ok()?.tiles?;
    let is_safe = tiles.url.starts_with("https://") || tiles.url.starts_with("http://");
    is_safe.then_some(tiles)
}

/// Lays the tiles. They are given up if one fails before any has loaded.
fn lay_tiles(map: &leaflet::Map, tiles: &Tiles, ground: RwSignal<Ground>) {
    let options = Object::new();
    set(&options, "maxNativeZoom", &tiles.max_zoom.unwrap_or(19.0).into());
    set(&options, "maxZoom", &19.into());
    let layer = map::tile_layer(&tiles.url, &options);
    let has_come = StoredValue::new(false);
    on(&layer, "tileload", move |_: JsValue| {
        has_come.try_set_value(true);
    });
    let own_map = map::weakly(map);
    on(&layer, "tileerror", move |event: JsValue| {
        let is_first = matches!(ground.try_get_untracked(), Some(Ground::Tiles(_)));
        if !is_first || has_come.try_get_value() != Some(false) {
            return;
        }
        ground.set(Ground::TilesFailed);
        if let Ok(layer) = js_sys::Reflect::get(&event, &"target".into()) {
            layer.unchecked_ref::<leaflet::Layer>().remove();
        }
        let Some(map) = own_map() else { return };
        spawn_local(async move {
            map::add_land(&map).await;
            map::add_roads(&map).await;
        });
    });
    layer.add_to(map);
}

/// Converts an attribution's markup to plain text: foreign markup is never drawn.
fn plain(attribution: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for it in attribution.chars().take(10 * CREDIT_MAX) {
        match it {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            it if !is_tag => text.push(it),
            _ => {}
        }
    }
    let text = text.replace("&copy;", "©").replace("&nbsp;", " ").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CREDIT_MAX).collect()
}

/// The credit shown on the map: Leaflet, ground and routes.
pub(super) fn credit(ground: &Ground, attribution: &str) -> String {
    let ground = match ground {
        Ground::Tiles(credit) => credit.as_str(),
        Ground::BuiltIn | Ground::TilesFailed => CREDIT,
    };
    let own = plain(attribution);
    let mut parts = vec![];
    for part in [ground, own.as_str()] {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    format!("Leaflet | {}", parts.join(" · "))
}

/// Maximum number of names; the viewport is wider than the visible part.
const WRITTEN_MAX: usize = 150;
/// Minimum distance of names in pixels.
const GAP_PX: f64 = 6.0;

/// A name as in the file: kind, Japanese, English, latitude, longitude.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Label(u8, String, String, f64, f64);

impl Label {
    pub(crate) fn text(&self, lang: Lang) -> &str {
        match lang {
            Lang::Ja => &self.1,
            Lang::En => &self.2,
        }
    }

    pub(crate) fn at(&self) -> Point {
        (self.3, self.4)
    }

    pub(crate) fn class(&self) -> &'static str {
        match self.0 {
            0 => "map-label is-big",
            1 => "map-label is-city",
            2 => "map-label is-ward",
            3 => "map-label is-spot",
            _ => "map-label is-water",
        }
    }

    /// Zoom from which it is written.
    fn zoom_min(&self) -> f64 {
        match self.0 {
            0 => 7.0,
            1 => 10.0,
            2 => 11.0,
            3 => 12.0,
            _ => 8.0,
        }
    }

    fn letter_px(&self) -> f64 {
        match self.0 {
            0 => 15.0,
            1 => 13.0,
            _ => 12.0,
        }
    }

    /// The space it takes at a zoom, in pixels of the whole world.
    fn room(&self, lang: Lang, zoom: f64) -> Room {
        let letter = self.letter_px();
        let wide = |it: char| if it.is_ascii() { letter * 0.6 } else { letter };
        let width: f64 = self.text(lang).chars().map(wide).sum();
        let (x, y) = at_zoom(self.at(), zoom);
        // A spot is a dot with its name beside it; other names are centred.
        let (left, right) = if self.0 == 3 {
            (x - 5.0, x + width + 10.0)
        } else {
            (x - width / 2.0, x + width / 2.0)
        };
        Room { left, top: y - letter * 0.7, right, bottom: y + letter * 0.7 }
    }
}

/// A rectangle in pixels of the whole world at a zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Room {
    /// The space of a pin and of the name above or below it.
    pub(crate) fn of_pin(at: Point, name: &str, is_above: bool, zoom: f64) -> [Self; 2] {
        let (x, y) = at_zoom(at, zoom);
        let width: f64 = name.chars().map(|it| if it.is_ascii() { 8.0 } else { 13.0 }).sum();
        let half = width.min(176.0) / 2.0 + 9.0;
        let (top, bottom) = if is_above { (y - 46.0, y - 17.0) } else { (y + 17.0, y + 46.0) };
        let head = Self { left: x - 17.0, top: y - 17.0, right: x + 17.0, bottom: y + 17.0 };
        [head, Self { left: x - half, top, right: x + half, bottom }]
    }

    fn touches(&self, other: &Self) -> bool {
        self.left < other.right + GAP_PX
            && other.left < self.right + GAP_PX
            && self.top < other.bottom + GAP_PX / 2.0
            && other.top < self.bottom + GAP_PX / 2.0
    }
}

fn at_zoom(at: Point, zoom: f64) -> (f64, f64) {
    let (x, y) = projected(at);
    let scale = 2_f64.powf(zoom);
    (x * scale, y * scale)
}

/// Parses the bundled file; a broken one yields no names.
pub(crate) fn read(text: &str) -> Vec<Label> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The names to write, by importance, as far as there is space.
pub(crate) fn written<'a>(
    labels: &'a [Label],
    lang: Lang,
    zoom: f64,
    viewport: &Viewport,
    taken: &[Room],
) -> Vec<&'a Label> {
    let mut rooms = taken.to_vec();
    let mut found = Vec::new();
    let is_asked = |it: &&Label| zoom >= it.zoom_min() && viewport.has(it.at());
    let mut candidates: Vec<&Label> = labels.iter().filter(is_asked).collect();
    candidates.sort_by_key(|it| if it.0 == 4 { 1 } else { it.0 });
    for label in candidates {
        let room = label.room(lang, zoom);
        if found.len() < WRITTEN_MAX && !rooms.iter().any(|it| it.touches(&room)) {
            rooms.push(room);
            found.push(label);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribution_markup_is_text() {
        let usual = "&copy; <a href=\"https://www.openstreetmap.org/copyright\">OpenStreetMap</a> contributors";
        assert_eq!(plain(usual), "© OpenStreetMap contributors");
        assert_eq!(plain("<script>alert(1)</script>"), "alert(1)");
        assert_eq!(plain("a < b"), "a");
        assert!(plain(&"x".repeat(9_999)).len() <= CREDIT_MAX);
    }

    #[test]
    fn shows_map_credit_exactly_once() {
        assert_eq!(credit(&Ground::BuiltIn, ""), format!("Leaflet | {CREDIT}"));
        assert_eq!(credit(&Ground::TilesFailed, CREDIT), format!("Leaflet | {CREDIT}"));
        let tiles = Ground::Tiles("© Tiles".to_owned());
        assert_eq!(credit(&tiles, "© Routes"), "Leaflet | © Tiles · © Routes");
    }

    const BUNDLED: &str = include_str!("../../../../../components/output/map/places.json");
    const ALL: Viewport = Viewport { south: 30.0, west: 130.0, north: 40.0, east: 145.0 };

    #[test]
    fn bundled_names_lie_on_bundled_coast() {
        let labels = read(BUNDLED);
        assert!(labels.len() > 150);
        for label in &labels {
            let (lat, lng) = label.at();
            assert!((34.8..36.15).contains(&lat) && (138.9..140.6).contains(&lng), "{label:?}");
            assert!(!label.1.is_empty() && label.2.is_ascii() && label.0 <= 4, "{label:?}");
        }
        assert!(BUNDLED.len() < 30_000, "a page downloads it");
        assert_eq!(read("{"), []);
    }

    #[test]
    fn names_overlap_no_name_or_pin() {
        let labels = read(BUNDLED);
        let tokyo = (35.681_2, 139.767_1);
        for lang in [Lang::Ja, Lang::En] {
            for zoom in 5..18 {
                let zoom = f64::from(zoom);
                let pin = Room::of_pin(tokyo, "東京駅", true, zoom);
                let found = written(&labels, lang, zoom, &ALL, &pin);
                let rooms: Vec<Room> = found.iter().map(|it| it.room(lang, zoom)).collect();
                for (index, room) in rooms.iter().enumerate() {
                    assert!(pin.iter().all(|it| !it.touches(room)), "{:?}", found[index]);
                    let others = rooms.iter().skip(index + 1);
                    assert!(others.into_iter().all(|it| !it.touches(room)), "{:?}", found[index]);
                }
            }
        }
    }

    #[test]
    fn shows_more_names_when_zoomed_in() {
        let labels = read(BUNDLED);
        let count = |zoom: f64| written(&labels, Lang::Ja, zoom, &ALL, &[]).len();
        assert_eq!(count(5.0), 0);
        let counts = [7.0, 9.0, 11.0, 13.0].map(count);
        assert!(counts.windows(2).all(|it| it[0] < it[1]), "{counts:?}");
        let none = Viewport { south: 60.0, west: 20.0, north: 61.0, east: 25.0 };
        assert!(written(&labels, Lang::Ja, 13.0, &none, &[]).is_empty());
    }
}
