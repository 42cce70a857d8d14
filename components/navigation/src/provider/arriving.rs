//! When to leave so as to be there in time: by what the route takes then.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat};
use output::navigation::{Details, Routes};

use super::Provider;
use crate::{
    ask::{Departure, Language, RouteAsk},
    error::ProviderError,
    words,
};

/// A clock may be that much behind.
const GRACE: Duration = Duration::from_mins(1);

/// Routes that are there at `arrival`. The first question leaves then, so as to know how long it takes,
/// the second that much earlier; the traffic counted is that of the second.
///
/// # Errors
/// Those of the provider, and when one would have had to leave already.
pub fn by(
    provider: &dyn Provider,
    ask: &RouteAsk,
    arrival: SystemTime,
    now: SystemTime,
) -> Result<(Routes, Details), ProviderError> {
    let takes = |routes: &Routes| {
        let route = routes.routes.first();
        let time = route.map(|it| it.duration_in_traffic.as_ref().unwrap_or(&it.duration));
        Duration::from_secs(time.map_or(0, |it| it.value))
    };
    // Providers refuse a time that is over, be it by seconds.
    let departure = |at: SystemTime| if at > now { Departure::At(at) } else { Departure::Now };
    let leaving = |at: SystemTime| RouteAsk { departure: departure(at), ..ask.clone() };
    let (first, _) = provider.routes(&leaving(arrival))?;
    let start = before(arrival, takes(&first), now).ok_or_else(|| late(takes(&first), ask))?;
    let (routes, mut details) = provider.routes(&leaving(start))?;
    let start = before(arrival, takes(&routes), now).ok_or_else(|| late(takes(&routes), ask))?;
    (details.departure_time, details.arrival_time) = (written(start), written(arrival));
    Ok((routes, details))
}

/// When to leave; none where that is over.
fn before(arrival: SystemTime, takes: Duration, now: SystemTime) -> Option<SystemTime> {
    arrival.checked_sub(takes).filter(|it| *it + GRACE >= now)
}

fn late(takes: Duration, ask: &RouteAsk) -> ProviderError {
    let takes = words::duration(takes.as_secs_f64(), ask.language);
    ProviderError::Invalid {
        pointer: String::new(),
        message: match ask.language {
            Language::Japanese => format!("到着時刻に間に合いません。{takes}かかります"),
            Language::English => format!("nobody is there by then any more: it takes {takes}"),
        },
    }
}

/// In Japan's time, which is what most who ask here live by.
fn written(at: SystemTime) -> Option<String> {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let at = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    let japan = chrono::FixedOffset::east_opt(9 * 3_600)?;
    Some(at.with_timezone(&japan).to_rfc3339_opts(SecondsFormat::Secs, false))
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, time::UNIX_EPOCH};

    use super::*;
    use crate::{
        network::NETWORK,
        provider::{builtin, google_legacy::tests::route_ask},
    };

    /// Knows routes, and nothing else.
    struct Fake<F>(F);

    impl<F: Fn(&RouteAsk) -> Result<(Routes, Details), ProviderError>> Provider for Fake<F> {
        fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
            self.0(ask)
        }

        fn compare(
            &self,
            _: &crate::ask::CompareAsk,
        ) -> Result<output::navigation::Comparison, ProviderError> {
            Err(ProviderError::NoRoute)
        }

        fn place(&self, _: &str, _: Language) -> Result<output::navigation::Place, ProviderError> {
            Err(ProviderError::NoRoute)
        }
    }

    #[test]
    fn who_must_leave_this_minute_leaves_now_and_never_before() {
        let now = UNIX_EPOCH + Duration::from_secs(1_795_132_800);
        let arrival = now + Duration::from_secs(570);
        let asked = RefCell::<Vec<Departure>>::default();
        let ten_minutes = Fake(|ask: &RouteAsk| {
            asked.borrow_mut().push(ask.departure);
            let duration = words::seconds(600.0, Language::Japanese);
            let route = output::navigation::Route { duration, ..Default::default() };
            Ok((Routes { routes: vec![route], ..Routes::default() }, Details::default()))
        });
        assert!(by(&ten_minutes, &route_ask(), arrival, now).is_ok());
        assert_eq!(asked.into_inner(), [Departure::At(arrival), Departure::Now]);
    }

    #[test]
    fn one_leaves_as_long_before_as_the_way_takes_then() {
        // 9:00 on Friday, 20 November 2026 in Japan.
        let arrival = UNIX_EPOCH + Duration::from_secs(1_795_132_800);
        let ask = RouteAsk {
            origin: "東京駅".to_owned(),
            destination: "横浜駅".to_owned(),
            ..route_ask()
        };
        let now = arrival - Duration::from_hours(5);
        let bundled = Fake(|ask: &RouteAsk| {
            builtin::routes(&[graph::Graph::open(NETWORK).unwrap()], ask, UNIX_EPOCH)
        });
        let (routes, details) = by(&bundled, &ask, arrival, now).unwrap();
        let takes = routes.routes[0].duration_in_traffic.as_ref().unwrap().value;
        let start = DateTime::parse_from_rfc3339(details.departure_time.as_deref().unwrap());
        assert_eq!(u64::try_from(start.unwrap().timestamp()).unwrap() + takes, 1_795_132_800);
        assert_eq!(details.arrival_time.as_deref(), Some("2026-11-20T09:00:00+09:00"));
        let free = routes.routes[0].duration.value;
        assert!(takes > free, "the rush hour counts: {takes} s, {free} s");
        let late = by(&bundled, &ask, arrival, arrival - Duration::from_mins(10));
        assert!(matches!(late, Err(ProviderError::Invalid { .. })), "{late:?}");
    }
}
