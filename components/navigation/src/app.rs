//! The app that shows routes on a map in MCP clients (APP-4), and its resource.

use serde_json::json;
use toolkit::{
    Stop, Text, User,
    apps::App,
    resources::{Contents, Page, Resources},
};

use crate::settings::{self, Tiles};

/// The app that shows routes on the bundled map or on the operator's tiles.
pub const ROUTES: App = App {
    uri: "ui://navigation/routes",
    name: "routes_app",
    title: Text { ja: "ルート地図", en: "Route map" },
    style: include_str!("../app/routes.css"),
    script: &[
        NO_TILES,
        "const LAND = ",
        include_str!("../../output/map/land.json"),
        ";\nconst ROADS = ",
        include_str!("../../output/map/roads.json"),
        ";\nconst PLACES = ",
        include_str!("../../output/map/places.json"),
        ";\n",
        include_str!("../app/routes.js"),
    ],
};

/// The placeholder for the operator's tiles in the script.
const NO_TILES: &str = "const TILES = null;\n";

/// The app.
pub struct NavigationResources;

impl Resources for NavigationResources {
    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let tiles = settings::tiles()?;
        Ok(vec![ROUTES.resource(&origins(tiles.as_ref()))].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        if uri != ROUTES.uri {
            return Ok(None);
        }
        let tiles = settings::tiles()?;
        let images = origins(tiles.as_ref());
        let Some(tiles) = tiles else { return Ok(Some(vec![ROUTES.contents(&images)])) };
        let Tiles { url, attribution, max_zoom } = tiles;
        let map = json!({ "url": url.as_str(), "attribution": attribution, "max_zoom": max_zoom });
        // Escapes texts so that they cannot end the script.
        let tiles = map.to_string().replace('<', "\\u003c");
        let html = ROUTES.html().replace(NO_TILES, &format!("const TILES = {tiles};\n"));
        Ok(Some(vec![ROUTES.contents_of(html, &images)]))
    }
}

/// Returns the origins of pictures.
fn origins(tiles: Option<&Tiles>) -> Vec<String> {
    tiles.into_iter().map(Tiles::origin).collect()
}
