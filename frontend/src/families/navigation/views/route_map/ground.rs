//! What lies under the routes: the built-in coast, or the tiles that the operator named.

use js_sys::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::access;
use crate::families::navigation::labels::{self, Label};
use crate::views::map::leaf::{self, CREDIT, on, set};

const PLACES: &str = "places.json";
const PAGE: &str = "api/page";
/// Characters of an attribution at most.
const CREDIT_MAX: usize = 300;

/// What the ground is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Ground {
    /// The built-in coast.
    #[default]
    BuiltIn,
    /// Tiles, with their attribution.
    Tiles(String),
    /// The built-in coast, because tiles do not come.
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

/// Lays the ground, and says in `ground` what it is; later too, when tiles fail.
pub(super) async fn lay(map: &leaflet::Map, ground: RwSignal<Ground>) {
    if let Some(tiles) = asked().await {
        lay_tiles(map, &tiles, ground);
        ground.try_set(Ground::Tiles(plain(&tiles.attribution)));
    } else {
        leaf::add_land(map).await;
        leaf::add_roads(map).await;
    }
}

/// The names on the built-in ground. A map without them is still a map.
pub(super) async fn names() -> Vec<Label> {
    let Ok(response) = gloo_net::http::Request::get(PLACES).send().await else {
        return Vec::new();
    };
    response.text().await.map(|it| labels::read(&it)).unwrap_or_default()
}

/// The tiles that the host names; most hosts name none.
async fn asked() -> Option<Tiles> {
    let mut request = gloo_net::http::Request::get(PAGE);
    if let Some(authorization) = access::header() {
        request = request.header("Authorization", &authorization);
    }
    let response = request.send().await.ok().filter(gloo_net::http::Response::ok)?;
    let tiles = response.json::<PageAnswer>().await.ok()?.tiles?;
    let is_safe = tiles.url.starts_with("https://") || tiles.url.starts_with("http://");
    is_safe.then_some(tiles)
}

/// Tiles of which not one has come when the first fails are given up.
fn lay_tiles(map: &leaflet::Map, tiles: &Tiles, ground: RwSignal<Ground>) {
    let options = Object::new();
    set(&options, "maxNativeZoom", &tiles.max_zoom.unwrap_or(19.0).into());
    set(&options, "maxZoom", &19.into());
    let layer = leaf::tile_layer(&tiles.url, &options);
    let has_come = StoredValue::new(false);
    on(&layer, "tileload", move |_: JsValue| {
        has_come.try_set_value(true);
    });
    let own_map = leaf::weakly(map);
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
            leaf::add_land(&map).await;
            leaf::add_roads(&map).await;
        });
    });
    layer.add_to(map);
}

/// Markup of an attribution as the text that it says: what others wrote is drawn as text.
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

/// What the map must say of whose work it is: Leaflet's, the ground's, the routes'.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribution_is_text_whatever_markup_it_has() {
        let usual = "&copy; <a href=\"https://www.openstreetmap.org/copyright\">OpenStreetMap</a> contributors";
        assert_eq!(plain(usual), "© OpenStreetMap contributors");
        assert_eq!(plain("<script>alert(1)</script>"), "alert(1)");
        assert_eq!(plain("a < b"), "a");
        assert!(plain(&"x".repeat(9_999)).len() <= CREDIT_MAX);
    }

    #[test]
    fn whose_work_it_is_is_said_once_and_always() {
        assert_eq!(credit(&Ground::BuiltIn, ""), format!("Leaflet | {CREDIT}"));
        assert_eq!(credit(&Ground::TilesFailed, CREDIT), format!("Leaflet | {CREDIT}"));
        let tiles = Ground::Tiles("© Tiles".to_owned());
        assert_eq!(credit(&tiles, "© Routes"), "Leaflet | © Tiles · © Routes");
    }
}
