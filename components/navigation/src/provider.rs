//! Providers of routes behind one trait, selected by the operator's setting `provider`.

use output::navigation::{Comparison, Details, Place, Route, RouteDetails, Routes, Waypoint};
use toolkit::settings::Unfit;

use crate::{
    ask::{CompareAsk, Language, Mode, RouteAsk},
    refusals::ProviderError,
    settings::{self, Kind},
};

pub mod answers;
pub mod builtin;
pub mod cache;
pub mod client;
pub mod google_legacy;
pub mod google_routes;
pub mod nominatim;
pub mod osrm;
pub mod preferences;
pub mod valhalla;

use cache::Cached;
use client::{DailyQuota, Web};
use nominatim::{Nominatim, RateLimited};

/// Maximum number of routes of a search (NAV-20).
pub(crate) const ROUTES_MAX: usize = 3;

/// The public server, which requires a second between two requests.
const PUBLIC_NOMINATIM: &str = "//nominatim.openstreetmap.org";
const PUBLIC_INTERVAL_MS: u32 = 1_000;

/// Returns the name of a mode in `Details`.
pub(crate) fn travel_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Drive => "driving",
        Mode::Walk => "walking",
        Mode::Cycle => "bicycling",
    }
}

/// Parses as many found routes as requested, and adds the common details.
pub(crate) fn collect_routes<T>(
    found: impl IntoIterator<Item = T>,
    ask: &RouteAsk,
    details: Details,
    geocoded_waypoints: Vec<Waypoint>,
    read: impl Fn(T, &RouteAsk) -> Result<(Route, RouteDetails), ProviderError>,
) -> Result<(Routes, Details), ProviderError> {
    let most = if ask.alternatives { ROUTES_MAX } else { 1 };
    let all = found.into_iter().take(most).map(|it| read(it, ask));
    let (routes, drawn): (Vec<_>, Vec<_>) = all.collect::<Result<_, _>>()?;
    Ok((Routes { routes, geocoded_waypoints }, Details { routes: drawn, ..details }))
}

/// Finds routes, compares pairs, and finds places.
pub trait Provider {
    /// Finds up to three routes over the stops, best first, with details for a page.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError>;

    /// Compares all pairs. An error of a single pair is that pair's status.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError>;

    /// Finds the first place that `address` may mean.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError>;
}

/// Returns the configured provider, with a cache if it is remote.
///
/// # Errors
/// When a setting is invalid.
pub fn configured() -> Result<Box<dyn Provider>, Unfit> {
    let kind = settings::provider()?;
    let counted = || settings::daily_quota().map(|daily_quota| DailyQuota { daily_quota });
    Ok(match kind {
        // It is as fast as a cache, and its maps may be replaced.
        Kind::Builtin => Box::new(builtin::Builtin::here()?),
        Kind::GoogleLegacy => {
            let base = settings::url("google_url")?;
            cached(kind, &base, google_legacy::GoogleLegacy::new(&base, counted()?))
        }
        Kind::GoogleRoutes => {
            let (base, geocoding) =
                (settings::url("google_routes_url")?, settings::url("google_url")?);
            let provider = google_routes::GoogleRoutes::new(&base, &geocoding, counted()?);
            cached(kind, &format!("{base} {geocoding}"), provider)
        }
        Kind::Osrm => {
            let base = settings::url("osrm_url")?;
            cached(kind, &with_places(&base), osrm::Osrm::new(&base, Web, nominatim()?))
        }
        Kind::Valhalla => {
            let base = settings::url("valhalla_url")?;
            cached(kind, &with_places(&base), valhalla::Valhalla::new(&base, Web, nominatim()?))
        }
    })
}

/// Returns the configured geocoder for providers without place names.
fn nominatim() -> Result<Option<Nominatim<RateLimited>>, Unfit> {
    if !settings::is_set("nominatim_url") {
        return Ok(None);
    }
    let base = settings::url("nominatim_url")?;
    let is_public = base.contains(PUBLIC_NOMINATIM);
    let interval_ms = if is_public { PUBLIC_INTERVAL_MS } else { 0 };
    Ok(Some(Nominatim::new(&base, RateLimited { interval_ms })))
}

/// Joins `base` and the geocoder's address for cache keys.
fn with_places(base: &str) -> String {
    format!("{base} {}", toolkit::settings::raw("nominatim_url").unwrap_or_default())
}

/// Adds a cache whose answers are not shared with other providers or addresses.
fn cached(kind: Kind, base: &str, provider: impl Provider + 'static) -> Box<dyn Provider> {
    Box::new(Cached::new(kind, base, provider))
}
