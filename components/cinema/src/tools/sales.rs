//! Staff tools for sales: `close_sales`, `open_sales` and `occupancy`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{ToSpan, civil::Date};
use output::cinema::{Occupancy as Report, Price, SalesState, ShowtimeOccupancy};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use toolkit::{Hints, Problem, Stop, Text, Tool, User, caller, sql, sql::Rows};

use super::{FOR_PAGES, at_most, length, reject_problems, staff_only};
use crate::{
    clock::{self, Clock, naive},
    hall::{Hall, publish_seats},
    programme::{self, Showing, Slot, closed, days_asked, days_listed, first_id_of, showings},
    waiting,
};

// `close_sales` and `open_sales`: stop and resume sales of a showing (CIN-95).

/// Maximum characters of a reason.
pub(super) const REASON_CHARS_MAX: usize = 500;

/// スタッフ用。上映回の販売を止める。予約済みの座席はそのまま残る。
/// en: For the staff. Closes the sales of a showtime. What is reserved stays reserved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseSales {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。理由。予約しようとした人に示す
    /// en: Optional. Why; told to who wants to reserve
    #[schemars(length(min = 1, max = 500))]
    reason: Option<String>,
}

impl Tool for CloseSales {
    const NAME: &str = "close_sales";
    const TITLE: Text = Text { ja: "販売停止", en: "Close sales" };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = SalesState;

    fn call(self, _: &User) -> Result<SalesState, Stop> {
        staff_only(Self::NAME)?;
        let reason = self.reason.as_deref();
        reject_problems([
            at_most("/showtime_id", &self.showtime_id),
            reason.and_then(|it| length("/reason", it, REASON_CHARS_MAX)),
        ])?;
        let clock = Clock::for_call()?;
        Hall::load(&self.showtime_id, None, &clock)?;
        let close = sql!(
            "INSERT INTO closed_sales (showtime_id, closed_at, closed_by, reason) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (showtime_id) DO UPDATE SET reason = $4",
            &self.showtime_id,
            naive(clock.now()),
            caller::principal(),
            self.reason.clone(),
        );
        sql::transact([close])?;
        publish_seats(&self.showtime_id);
        state(self.showtime_id)
    }
}

/// スタッフ用。止めた販売を再開する。
/// en: For the staff. Opens the sales of a showtime that were closed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSales {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
}

impl Tool for OpenSales {
    const NAME: &str = "open_sales";
    const TITLE: Text = Text { ja: "販売再開", en: "Open sales" };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = SalesState;

    fn call(self, _: &User) -> Result<SalesState, Stop> {
        staff_only(Self::NAME)?;
        reject_problems([at_most("/showtime_id", &self.showtime_id)])?;
        let clock = Clock::for_call()?;
        Hall::load(&self.showtime_id, None, &clock)?;
        let open = "DELETE FROM closed_sales WHERE showtime_id = $1";
        sql::transact([sql!(open, &self.showtime_id)])?;
        publish_seats(&self.showtime_id);
        waiting::settle_freed(&self.showtime_id, &clock)?;
        state(self.showtime_id)
    }
}

fn state(showtime_id: String) -> Result<SalesState, Stop> {
    let [found] = sql::query([closed(&showtime_id)])?;
    let is_sales_closed = !found.is_empty();
    let reason = found.first::<(Option<String>,)>()?.and_then(|it| it.0);
    Ok(SalesState { showtime_id, is_sales_closed, reason })
}

// `occupancy`: sold and used seats of the showings of some days (CIN-95).

/// スタッフ用。日ごとの上映回の座席数、販売済み、仮押さえ、入場済み、売上（情報のみ）を取得。
/// en: For the staff. Says of the showings of some days: seats, sold, held, checked in, and what the sold seats cost.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Occupancy {
    /// 任意。最初の日（YYYY-MM-DD）。指定がなければ今日
    /// en: Optional. The first day (YYYY-MM-DD). Without it, today
    from: Option<String>,
    /// 任意。最後の日（YYYY-MM-DD）。指定がなければ販売中の最後の日
    /// en: Optional. The last day (YYYY-MM-DD). Without it, the last one on sale
    until: Option<String>,
}

impl Tool for Occupancy {
    const NAME: &str = "occupancy";
    const TITLE: Text = Text { ja: "稼働状況", en: "Occupancy" };
    const HINTS: Hints = Hints::READ_ONLY;
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = Report;

    fn call(self, _: &User) -> Result<Report, Stop> {
        staff_only(Self::NAME)?;
        let clock = Clock::for_call()?;
        let (from, until) = self.days(&clock)?;
        let (first, end) = (first_id_of(from), first_id_of(until.saturating_add(1.days())));
        let between = "showtime_id >= $1 AND showtime_id < $2";
        let counts = |what: String| sql!(what, &first, &end);
        let [slots, sold, used, held, waiting, closed, revenue] = sql::query([
            programme::select_all(),
            counts(format!(
                "SELECT showtime_id, COUNT(*) FROM reserved_seats WHERE {between} \
                 GROUP BY showtime_id"
            )),
            counts(
                "SELECT s.showtime_id, COUNT(*) FROM reserved_seats s JOIN reservations r \
                 ON r.reservation_id = s.reservation_id WHERE s.showtime_id >= $1 \
                 AND s.showtime_id < $2 AND r.checked_in_at IS NOT NULL GROUP BY s.showtime_id"
                    .to_owned(),
            ),
            counts(
                "SELECT d.showtime_id, COUNT(*) FROM held_seats d JOIN holds h \
                 ON h.hold_id = d.hold_id WHERE d.showtime_id >= $1 AND d.showtime_id < $2 \
                 AND h.expires_at > $3 GROUP BY d.showtime_id"
                    .to_owned(),
            )
            .bind(clock.second()),
            counts(format!(
                "SELECT showtime_id, COUNT(*) FROM waiting WHERE {between} \
                 AND state IN ('waiting', 'offered') GROUP BY showtime_id"
            )),
            counts(format!("SELECT showtime_id FROM closed_sales WHERE {between}")),
            counts(format!(
                "SELECT showtime_id, currency, CAST(SUM(total) AS BIGINT) FROM reservations \
                 WHERE {between} AND status = 'confirmed' AND currency IS NOT NULL \
                 GROUP BY showtime_id, currency ORDER BY showtime_id, currency"
            )),
        ])?;
        let slots = slots.read::<Slot>()?;
        let counted = Counted {
            sold: by_id(sold)?,
            used: by_id(used)?,
            held: by_id(held)?,
            waiting: by_id(waiting)?,
            closed: closed.read::<(String,)>()?.into_iter().map(|it| it.0).collect(),
            revenue: revenue.read()?,
        };
        let days: Vec<_> = from.series(1.day()).take_while(|it| *it <= until).collect();
        let showings = showings(&slots, &days, None, &clock);
        let showtimes: Vec<_> = showings.iter().map(|it| counted.occupancy(it, &clock)).collect();
        Ok(summed(from, until, showtimes))
    }
}

impl Occupancy {
    /// The requested days, which have to be listed.
    fn days(&self, clock: &Clock) -> Result<(Date, Date), Stop> {
        let listed = days_listed(clock.today());
        let last = days_asked(clock.today(), None).last().copied().unwrap_or(clock.today());
        let day = |pointer: &str, text: Option<&str>, default: Date| {
            let day = text.map_or(Some(default), clock::date).filter(|it| listed.contains(it));
            day.ok_or_else(|| {
                let (first, last) = (listed.start(), listed.end());
                Problem::at(pointer, format!("must be a date from {first} to {last}, YYYY-MM-DD"))
            })
        };
        let from = day("/from", self.from.as_deref(), clock.today());
        let until = day("/until", self.until.as_deref(), last);
        match (from, until) {
            (Ok(from), Ok(until)) => {
                let is_before = until < from;
                let wrong = || Problem::at("/until", "must not be before `from`");
                reject_problems([is_before.then(wrong)])?;
                Ok((from, until))
            }
            (from, until) => Err(Stop::InvalidArguments(
                [from.err(), until.err()].into_iter().flatten().collect(),
            )),
        }
    }
}

/// Counts by showtime.
struct Counted {
    sold: BTreeMap<String, u32>,
    used: BTreeMap<String, u32>,
    held: BTreeMap<String, u32>,
    waiting: BTreeMap<String, u32>,
    closed: BTreeSet<String>,
    revenue: Vec<(String, String, u64)>,
}

fn by_id<T: DeserializeOwned>(rows: Rows) -> Result<BTreeMap<String, T>, Stop> {
    Ok(rows.read::<(String, T)>()?.into_iter().collect())
}

impl Counted {
    fn occupancy(&self, showing: &Showing<'_>, clock: &Clock) -> ShowtimeOccupancy {
        let id = showing.id();
        let count = |of: &BTreeMap<String, u32>| of.get(&id).copied().unwrap_or_default();
        let revenue = self.revenue.iter().filter(|it| it.0 == id);
        let price = |it: &(String, String, u64)| Price { currency: it.1.clone(), amount: it.2 };
        ShowtimeOccupancy {
            movie_id: showing.slot.movie_id.clone(),
            movie_title: showing.slot.movie_title.clone(),
            theater_name: showing.slot.screen_name.clone(),
            start_time: naive(showing.begins(clock)),
            seats_count: showing.slot.seats_count,
            sold_count: count(&self.sold),
            held_count: count(&self.held),
            checked_in_count: count(&self.used),
            waiting_count: count(&self.waiting),
            is_sales_closed: self.closed.contains(&id),
            has_begun: !showing.is_open(clock),
            revenue: revenue.map(price).collect(),
            showtime_id: id,
        }
    }
}

fn summed(from: Date, until: Date, showtimes: Vec<ShowtimeOccupancy>) -> Report {
    let sum = |of: fn(&ShowtimeOccupancy) -> u32| showtimes.iter().map(of).sum();
    let mut revenue = BTreeMap::<&str, u64>::new();
    for price in showtimes.iter().flat_map(|it| &it.revenue) {
        *revenue.entry(&price.currency).or_default() += price.amount;
    }
    let price = |(currency, amount): (&str, u64)| Price { currency: currency.to_owned(), amount };
    Report {
        from: from.to_string(),
        until: until.to_string(),
        seats_count: sum(|it| it.seats_count),
        sold_count: sum(|it| it.sold_count),
        held_count: sum(|it| it.held_count),
        checked_in_count: sum(|it| it.checked_in_count),
        revenue: revenue.into_iter().map(price).collect(),
        showtimes,
    }
}
