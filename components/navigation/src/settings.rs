//! What the operator set: who finds routes, where they are asked, how often, and over which maps.

use serde::Deserialize;
use toolkit::{
    Problem,
    settings::{self, Unfit},
};
use url::Url;

/// Requests a day, where the operator set no other number (NAV-57).
const DAILY_QUOTA: u32 = 1_000;
/// Maps that are looked for, where the operator named none.
const MAP: &str = "map";
/// Maps that may be named.
const MAPS_MAX: usize = 16;

/// The providers that find routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The maps in here: no key, no network.
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

    /// The settings that it cannot do without.
    fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Builtin | Self::GoogleLegacy | Self::GoogleRoutes => &[],
            // Without `nominatim_url` they take `lat,lng` alone.
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

/// Where Google's API of directions and places is.
pub const GOOGLE: &str = "https://maps.googleapis.com";
/// Where Google's API of routes is.
pub const GOOGLE_ROUTES: &str = "https://routes.googleapis.com";

/// Base addresses: the setting, and what it is where the operator set none.
const URLS: [(&str, Option<&str>); 5] = [
    ("google_url", Some(GOOGLE)),
    ("google_routes_url", Some(GOOGLE_ROUTES)),
    ("osrm_url", None),
    ("valhalla_url", None),
    ("nominatim_url", None),
];

/// Who finds routes: `provider`.
///
/// # Errors
/// When the setting names none.
pub fn provider() -> Result<Kind, Unfit> {
    let Some(name) = settings::get::<String>("provider")? else { return Ok(Kind::default()) };
    let names = "must be builtin, google-legacy, google-routes, osrm or valhalla";
    Kind::read(name.trim()).ok_or_else(|| Unfit::new("provider", names))
}

/// Where a provider is: `google_url`, `google_routes_url`, `osrm_url`, `valhalla_url`, `nominatim_url`.
/// Without a slash at the end.
///
/// # Errors
/// When the setting is no such address, or is missing where nothing stands in for it.
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

/// Whether the operator set it.
pub fn is_set(name: &str) -> bool {
    settings::raw(name).is_some()
}

/// Requests a day that go out to a provider that counts them: `daily_quota`; 0 lets none out.
///
/// # Errors
/// When the setting is no such number.
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

/// Granted files that are maps, in the order in which they are asked: `maps`.
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

/// Tiles that lie below the routes in the app: as under `[page.tiles]`, which the component cannot read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiles {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` in it.
    pub url: String,
    /// Whose map it is.
    pub attribution: String,
    /// The greatest zoom that there are tiles for.
    #[serde(default = "zoom")]
    pub max_zoom: u8,
}

fn zoom() -> u8 {
    19
}

impl Tiles {
    /// Scheme, host and port of the address.
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

/// The tiles that the operator set: `tiles`.
///
/// # Errors
/// When the setting is no such thing.
pub fn tiles() -> Result<Option<Tiles>, Unfit> {
    let tiles = settings::get::<Tiles>("tiles")?;
    if tiles.as_ref().is_some_and(|it| !it.fits()) {
        let message = "must have a url of https (or http of this machine) with {z}, {x} and {y} once each, \
                       an attribution of at most 300 characters, and a max_zoom up to 24";
        return Err(Unfit::new("tiles", message));
    }
    Ok(tiles)
}

/// Looks at all of them before the component serves.
///
/// # Errors
/// What the operator has to fix.
pub fn configure() -> Result<(), Vec<Problem>> {
    let mut problems: Vec<Unfit> = Vec::new();
    let kind = provider().unwrap_or_else(|error| {
        problems.push(error);
        Kind::default()
    });
    for (name, _) in URLS {
        // What is set must fit; what is needed must be set.
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
    fn a_base_address_is_one_of_the_web_and_carries_nothing() {
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
    fn tiles_come_from_one_place_that_is_known() {
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
    fn the_demo_is_another_word_for_what_is_built_in() {
        assert_eq!(Kind::read("demo"), Some(Kind::Builtin));
        assert_eq!(Kind::read("valhalla"), Some(Kind::Valhalla));
        assert_eq!(Kind::read("bing"), None);
    }
}
