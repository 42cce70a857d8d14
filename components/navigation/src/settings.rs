//! The operator's settings: provider, addresses, quota, maps and tiles.

use serde::Deserialize;
use toolkit::{
    Problem,
    settings::{self, Unfit},
};
use url::Url;

/// Default number of requests per day (NAV-57).
const DAILY_QUOTA: u32 = 1_000;
/// Default name of the map.
const MAP: &str = "map";
/// Maximum number of maps.
const MAPS_MAX: usize = 16;

/// The providers that find routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The built-in maps, without key and network.
    #[default]
    Builtin,
    /// Google's Directions, Distance Matrix and Geocoding, as the specification calls them.
    GoogleLegacy,
    /// Google's Routes, and its Geocoding.
    GoogleRoutes,
    /// An OSRM server, with Nominatim.
    Osrm,
    /// A Valhalla server, with Nominatim.
    Valhalla,
}

impl Kind {
    /// The name in settings and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::GoogleLegacy => "google-legacy",
            Self::GoogleRoutes => "google-routes",
            Self::Osrm => "osrm",
            Self::Valhalla => "valhalla",
        }
    }

    /// Returns the required settings.
    fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Builtin | Self::GoogleLegacy | Self::GoogleRoutes => &[],
            // Without `nominatim_url` they only accept `lat,lng`.
            Self::Osrm => &["osrm_url"],
            Self::Valhalla => &["valhalla_url"],
        }
    }

    fn read(name: &str) -> Option<Self> {
        let all =
            [Self::Builtin, Self::GoogleLegacy, Self::GoogleRoutes, Self::Osrm, Self::Valhalla];
        match name {
            "demo" => Some(Self::Builtin),
            name => all.into_iter().find(|it| it.name() == name),
        }
    }
}

/// Address of Google's API of directions and places.
pub const GOOGLE: &str = "https://maps.googleapis.com";
/// Address of Google's API of routes.
pub const GOOGLE_ROUTES: &str = "https://routes.googleapis.com";

/// Base addresses: settings and defaults.
const URLS: [(&str, Option<&str>); 5] = [
    ("google_url", Some(GOOGLE)),
    ("google_routes_url", Some(GOOGLE_ROUTES)),
    ("osrm_url", None),
    ("valhalla_url", None),
    ("nominatim_url", None),
];

/// Reads `provider`.
///
/// # Errors
/// When the provider is unknown.
pub fn provider() -> Result<Kind, Unfit> {
    let Some(name) = settings::get::<String>("provider")? else { return Ok(Kind::default()) };
    let names = "must be builtin, google-legacy, google-routes, osrm or valhalla";
    Kind::read(name.trim()).ok_or_else(|| Unfit::new("provider", names))
}

/// Reads a base address, without a slash at the end: `google_url`, `google_routes_url`, `osrm_url`, `valhalla_url` or
/// `nominatim_url`.
///
/// # Errors
/// When the setting is invalid, or missing without a default.
pub fn url(name: &str) -> Result<String, Unfit> {
    let standing_in = URLS.iter().find(|it| it.0 == name).and_then(|it| it.1);
    let Some(text) = settings::get::<String>(name)?.or_else(|| standing_in.map(str::to_owned))
    else {
        return Err(Unfit::new(name, "is missing: the provider that is set needs it"));
    };
    read_url(text.trim()).ok_or_else(|| {
        Unfit::new(
            name,
            "must be a base address, https://host or https://host/path, without ? and #",
        )
    })
}

fn read_url(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let plain = url.query().is_none() && url.fragment().is_none();
    let is_open = url.username().is_empty() && url.password().is_none();
    let fits = matches!(url.scheme(), "http" | "https") && url.host().is_some() && plain && is_open;
    fits.then(|| url.as_str().trim_end_matches('/').to_owned())
}

/// Whether a setting is present.
pub fn is_set(name: &str) -> bool {
    settings::raw(name).is_some()
}

/// Reads `daily_quota`: the number of paid requests per day; 0 allows none.
///
/// # Errors
/// When the setting is no valid number.
pub fn daily_quota() -> Result<u32, Unfit> {
    /// The environment gives texts.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Number(u32),
        Text(String),
    }
    let problem = || Unfit::new("daily_quota", "must be a number of requests: 0 to 4294967295");
    match settings::get::<Number>("daily_quota").map_err(|_| problem())? {
        None => Ok(DAILY_QUOTA),
        Some(Number::Number(it)) => Ok(it),
        Some(Number::Text(it)) => it.trim().parse().map_err(|_| problem()),
    }
}

/// Reads `maps`: the granted map files, in the order of the search.
///
/// # Errors
/// When the setting is no list of names.
pub fn maps() -> Result<Vec<String>, Unfit> {
    let Some(names) = settings::get::<Vec<String>>("maps")? else { return Ok(vec![MAP.into()]) };
    if names.len() > MAPS_MAX {
        return Err(Unfit::new("maps", format!("must be {MAPS_MAX} names at most")));
    }
    match names.iter().position(String::is_empty) {
        Some(index) => Err(Unfit::new("maps", format!("name {index} is empty"))),
        None => Ok(names),
    }
}

/// Tiles below the routes in the app, as in `[page.tiles]`, which the component cannot read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiles {
    /// URL of a tile with `{z}`, `{x}` and `{y}`.
    pub url: String,
    /// The attribution of the map.
    pub attribution: String,
    /// Maximum zoom of the tiles.
    #[serde(default = "zoom")]
    pub max_zoom: u8,
}

fn zoom() -> u8 {
    19
}

impl Tiles {
    /// Returns scheme, host and port of the URL.
    pub fn origin(&self) -> String {
        Url::parse(&self.url).map(|it| it.origin().ascii_serialization()).unwrap_or_default()
    }

    fn fits(&self) -> bool {
        let has_places = ["{z}", "{x}", "{y}"].iter().all(|it| self.url.matches(it).count() == 1);
        let is_fixed = |it: &Url| !it.host_str().unwrap_or_default().contains(['{', '}', '*', '%']);
        let is_local =
            |it: &Url| matches!(it.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        let url = Url::parse(&self.url).ok();
        let url = url.filter(|it| it.scheme() == "https" || it.scheme() == "http" && is_local(it));
        has_places
            && self.max_zoom <= 24
            && self.attribution.chars().count() <= 300
            && url.is_some_and(|it| is_fixed(&it) && it.username().is_empty())
    }
}

/// Reads `tiles`.
///
/// # Errors
/// When the setting is invalid.
pub fn tiles() -> Result<Option<Tiles>, Unfit> {
    let tiles = settings::get::<Tiles>("tiles")?;
    if tiles.as_ref().is_some_and(|it| !it.fits()) {
        let message = "must have a url of https (or http of this machine) with {z}, {x} and {y} once each, \
                       an attribution of at most 300 characters, and a max_zoom up to 24";
        return Err(Unfit::new("tiles", message));
    }
    Ok(tiles)
}

/// Checks all settings before the component serves.
///
/// # Errors
/// The problems for the operator to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let mut problems: Vec<Unfit> = Vec::new();
    let kind = provider().unwrap_or_else(|error| {
        problems.push(error);
        Kind::default()
    });
    for (name, _) in URLS {
        // Present settings must be valid, and required ones present.
        if (is_set(name) || kind.needs().contains(&name))
            && let Err(error) = url(name)
        {
            problems.push(error);
        }
    }
    problems.extend(daily_quota().err());
    problems.extend(maps().err());
    problems.extend(tiles().err());
    let problems: Vec<_> = problems.into_iter().map(Problem::from).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_address_is_http_without_user_or_query() {
        assert_eq!(read_url("http://127.0.0.1:5000/"), Some("http://127.0.0.1:5000".into()));
        assert_eq!(read_url("https://a.example/osrm"), Some("https://a.example/osrm".into()));
        for text in [
            "",
            "a.example",
            "file:///etc",
            "https://a.example?key=1",
            "https://u:p@a.b",
            "https://:p@a.b",
        ] {
            assert_eq!(read_url(text), None, "{text}");
        }
    }

    #[test]
    fn tiles_have_one_fixed_origin() {
        let tiles = |url: &str| Tiles { url: url.into(), attribution: "©".into(), max_zoom: 19 };
        let fine = tiles("https://t.example:8443/a/{z}/{x}/{y}.png?k=1");
        assert!(fine.fits());
        assert_eq!(fine.origin(), "https://t.example:8443");
        assert!(tiles("http://127.0.0.1:9/{z}/{x}/{y}").fits());
        for url in [
            "http://t.example/{z}/{x}/{y}.png",
            "https://{z}.example/{x}/{y}.png",
            "https://t.example/{z}/{x}.png",
            "https://u@t.example/{z}/{x}/{y}.png",
            "data:,{z}{x}{y}",
            "{z}/{x}/{y}",
        ] {
            assert!(!tiles(url).fits(), "{url}");
        }
    }

    #[test]
    fn demo_is_an_alias_of_builtin() {
        assert_eq!(Kind::read("demo"), Some(Kind::Builtin));
        assert_eq!(Kind::read("valhalla"), Some(Kind::Valhalla));
        assert_eq!(Kind::read("bing"), None);
    }
}
