//! Routes on a map as an app that other programs show (APP-4), and what can be read of navigation: that app alone.

use serde_json::json;
use toolkit::{
    Stop, Text, User,
    apps::App,
    resources::{Contents, Page, Resources},
};

use crate::settings::{self, Tiles};

/// Routes to look at and to choose from, on the bundled map or on the operator's tiles.
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

/// Where the script is told of the operator's tiles.
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
        // A text cannot end the script that it stands in.
        let tiles = map.to_string().replace('<', "\\u003c");
        let html = ROUTES.html().replace(NO_TILES, &format!("const TILES = {tiles};\n"));
        Ok(Some(vec![ROUTES.contents_of(html, &images)]))
    }
}

/// Where pictures come from.
fn origins(tiles: Option<&Tiles>) -> Vec<String> {
    tiles.into_iter().map(Tiles::origin).collect()
}
