//! Who finds routes: one trait, one shape of answers, chosen by the operator's setting `provider`.

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

use cache::Remembering;
use client::{Counted, Web};
use nominatim::{Nominatim, Paced};

/// Routes that one search may have (NAV-20).
pub(crate) const ROUTES_MAX: usize = 3;

/// The public server, which wants a second between two requests.
const PUBLIC_NOMINATIM: &str = "//nominatim.openstreetmap.org";
const PUBLIC_PACE_MS: u32 = 1_000;

/// What `Details` calls a way of travelling.
pub(crate) fn travel_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Drive => "driving",
        Mode::Walk => "walking",
        Mode::Cycle => "bicycling",
    }
}

/// As many of the routes that were found as are asked for, each as `read` reads it, beside what is the same for all.
pub(crate) fn gathered<T>(
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

/// Finds routes, compares pairs, and knows places.
pub trait Provider {
    /// Up to three routes over the stops on the way, best first, and what a page draws beside them.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError>;

    /// Each pair's distance and time. What is wrong with one pair is that pair's status.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError>;

    /// The first place that `address` may mean.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError>;
}

/// The provider that the operator chose, with its memory where it is somewhere else.
///
/// # Errors
/// When a setting does not fit.
pub fn chosen() -> Result<Box<dyn Provider>, Unfit> {
    let kind = settings::provider()?;
    let counted = || settings::daily_quota().map(|daily_quota| Counted { daily_quota });
    Ok(match kind {
        // It is as fast as any memory, and its maps may be replaced.
        Kind::Builtin => Box::new(builtin::Builtin::here()?),
        Kind::GoogleLegacy => {
            let base = settings::url("google_url")?;
            remembering(kind, &base, google_legacy::GoogleLegacy::new(&base, counted()?))
        }
        Kind::GoogleRoutes => {
            let (base, geocoding) =
                (settings::url("google_routes_url")?, settings::url("google_url")?);
            let provider = google_routes::GoogleRoutes::new(&base, &geocoding, counted()?);
            remembering(kind, &format!("{base} {geocoding}"), provider)
        }
        Kind::Osrm => {
            let base = settings::url("osrm_url")?;
            remembering(kind, &with_places(&base), osrm::Osrm::new(&base, Web, nominatim()?))
        }
        Kind::Valhalla => {
            let base = settings::url("valhalla_url")?;
            remembering(
                kind,
                &with_places(&base),
                valhalla::Valhalla::new(&base, Web, nominatim()?),
            )
        }
    })
}

/// The geocoder for providers that know roads alone, where the operator named one.
fn nominatim() -> Result<Option<Nominatim<Paced>>, Unfit> {
    if !settings::is_set("nominatim_url") {
        return Ok(None);
    }
    let base = settings::url("nominatim_url")?;
    let is_public = base.contains(PUBLIC_NOMINATIM);
    let interval_ms = if is_public { PUBLIC_PACE_MS } else { 0 };
    Ok(Some(Nominatim::new(&base, Paced { interval_ms })))
}

/// `base` beside the geocoder's address.
fn with_places(base: &str) -> String {
    format!("{base} {}", toolkit::settings::raw("nominatim_url").unwrap_or_default())
}

/// With a cache of its own: answers of another provider or from other addresses are not used for this one.
fn remembering(kind: Kind, base: &str, provider: impl Provider + 'static) -> Box<dyn Provider> {
    Box::new(Remembering::new(kind, base, provider))
}
