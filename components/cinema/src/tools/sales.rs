//! Staff tools for sales: `close_sales`, `open_sales` and `occupancy`; and for admission: `check_in` and `move_party`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{ToSpan, civil::Date};
use output::cinema::{
    Change, ChangeKind, CheckIn as Outcome, Occupancy as Report, Price, Reservation,
    ReservationStatus, SalesState, SeatRules, ShowtimeOccupancy,
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use toolkit::{Hints, Problem, Stop, Text, Tool, User, caller, sql, sql::Rows};

use super::{FOR_PAGES, at_most, length, reject_problems, reserve::ATTEMPTS_MAX, staff_only};
use crate::{
    clock::{self, Clock, naive},
    hall::{Hall, publish_seats},
    holds::free_expired,
    picks::{Open, Picked, insert_reserved, is_written, on_sale},
    programme::{
        self, Showing, ShowtimeId, Slot, closed, days_asked, days_listed, first_id_of, showings,
    },
    refusals::{
        already_checked_in, not_saved, reservation_not_found, reservation_transferred,
        showtime_not_found, ticket_cancelled,
    },
    reservation::{Stored, as_typed, history_json, seats_json, stored},
    ticket::{Window, judge, opens_before},
    waiting,
};

// `close_sales` and `open_sales`: stop and resume sales of a showing (CIN-95).

/// Maximum characters of a reason.
const REASON_CHARS_MAX: usize = 500;

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

// `check_in`: scans a ticket (CIN-92).

/// Maximum characters of a code.
const CODE_CHARS_MAX: usize = 200;

/// スタッフ用。チケット（QRコードの文字列または予約番号）を読み取り、入場できるか、誰のどの席かを返す。
/// en: For the staff. Scans a ticket, by the text of its QR code or its number: says whether they may go in, who, and
/// on which seats.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckIn {
    /// QRコードの文字列、または予約番号
    /// en: The text of the QR code, or the number of the reservation
    #[schemars(length(min = 1, max = 200))]
    code: String,
    /// 任意。今入場させている上映時間枠のID。別の上映のチケットは使わない
    /// en: Optional. The showtime that is let in now; tickets of others are not used
    #[schemars(length(max = 200))]
    showtime_id: Option<String>,
}

impl Tool for CheckIn {
    const NAME: &str = "check_in";
    const TITLE: Text = Text { ja: "入場確認", en: "Check in" };
    const HINTS: Hints = Hints::ADDITIVE;
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = Outcome;

    fn call(self, _: &User) -> Result<Outcome, Stop> {
        staff_only(Self::NAME)?;
        let showing = self.showtime_id.as_deref();
        reject_problems([
            length("/code", self.code.trim(), CODE_CHARS_MAX),
            showing.and_then(|it| at_most("/showtime_id", it)),
        ])?;
        if let Some(showing) = showing
            && ShowtimeId::read(showing).is_none()
        {
            return Err(showtime_not_found(showing));
        }
        let (clock, before) = (Clock::for_call()?, opens_before()?);
        for _ in 0..ATTEMPTS_MAX {
            let (found, version, window) = self.look(before, &clock)?;
            let outcome = judge(found, showing, window, &clock);
            if !outcome.admitted {
                return Ok(outcome);
            }
            let now = naive(clock.now());
            if mark_used(&outcome.reservation, version, &now)? {
                let reservation =
                    Reservation { checked_in_at: Some(now.clone()), ..outcome.reservation };
                return Ok(Outcome { reservation, first_used_at: Some(now), ..outcome });
            }
        }
        Err(not_saved())
    }
}

impl CheckIn {
    /// Loads the reservation, its version, and its admission period.
    fn look(&self, before: u32, clock: &Clock) -> Result<(Reservation, u32, Window), Stop> {
        let code = &as_typed(&self.code);
        let found = stored(code)?.ok_or_else(|| reservation_not_found(code))?;
        let Stored { version, movie_id, cancelled_at, transferred_at, .. } = found.clone();
        let found = found.reservation();
        match found.status {
            ReservationStatus::Confirmed => {}
            ReservationStatus::Cancelled => {
                return Err(ticket_cancelled(code, cancelled_at.as_deref()));
            }
            ReservationStatus::Transferred => {
                return Err(reservation_transferred(code, transferred_at.as_deref()));
            }
        }
        let duration = sql!("SELECT duration FROM movies WHERE movie_id = $1", movie_id);
        let [duration] = sql::query([duration])?;
        let duration = duration.first::<(u32,)>()?.map(|it| it.0);
        let start = ShowtimeId::read(&found.showtime_id).and_then(|it| it.start());
        let start = start.ok_or_else(|| showtime_not_found(&found.showtime_id))?;
        Ok((found, version, Window::new(start, before, duration, clock)))
    }
}

/// Marks the ticket as used; false if it changed or was scanned concurrently.
fn mark_used(reservation: &Reservation, version: u32, now: &str) -> Result<bool, Stop> {
    let write = sql!(
        "UPDATE reservations SET checked_in_at = $3, checked_in_by = $4, version = version + 1 \
         WHERE reservation_id = $1 AND version = $2 AND status = 'confirmed' \
         AND checked_in_at IS NULL",
        &reservation.reservation_id,
        version,
        now,
        caller::principal(),
    );
    is_written(sql::transact([write.expect(1)]))
}

// `move_party`: moves a reservation to other seats of the same or another showing (CIN-95).

/// Upper limit of a reservation's seats.
const SEATS_MAX: usize = 100;

/// スタッフ用。予約を別の座席、または別の上映に移す。予約番号と料金は変わらず、履歴が残る。
/// en: For the staff. Moves a reservation to other seats, or to another showtime, under the same number and at the same
/// price. The history is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveParty {
    /// 予約のID（reserve_seats の reservation_id）
    /// en: The reservation, as reserve_seats names it
    #[schemars(length(max = 200))]
    reservation_id: String,
    /// 新しい座席のID。今と同じ席数
    /// en: The new seats, as many as before
    #[schemars(length(min = 1), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// 任意。移る先の上映時間枠のID。指定がなければ同じ上映
    /// en: Optional. The showtime to move to. Without it, the same
    #[schemars(length(max = 200))]
    showtime_id: Option<String>,
    /// 任意。理由。履歴に残る
    /// en: Optional. Why; it is kept in the history
    #[schemars(length(min = 1, max = 500))]
    reason: Option<String>,
}

impl Tool for MoveParty {
    const NAME: &str = "move_party";
    const TITLE: Text = Text { ja: "座席移動", en: "Move a party" };
    const HINTS: Hints = Hints::DESTRUCTIVE;
    const VIEW: Option<&str> = Some("reservation");
    const META: Option<&'static str> = Some(FOR_PAGES);
    type Output = Reservation;

    fn call(self, _: &User) -> Result<Reservation, Stop> {
        staff_only(Self::NAME)?;
        let (showing, reason) = (self.showtime_id.as_deref(), self.reason.as_deref());
        reject_problems([
            at_most("/reservation_id", &self.reservation_id),
            showing.and_then(|it| at_most("/showtime_id", it)),
            reason.and_then(|it| length("/reason", it, REASON_CHARS_MAX)),
        ])?;
        let clock = Clock::for_call()?;
        for _ in 0..ATTEMPTS_MAX {
            let not_found = || reservation_not_found(&self.reservation_id);
            let found = stored(&self.reservation_id)?.ok_or_else(not_found)?;
            let version = found.version;
            let found = found.reservation();
            self.can_move(&found)?;
            if let Some(moved) = self.put(&found, version, &clock)? {
                for id in [&found.showtime_id, &moved.showtime_id] {
                    publish_seats(id);
                    waiting::settle_freed(id, &clock)?;
                }
                return Ok(moved);
            }
        }
        Err(not_saved())
    }
}

impl MoveParty {
    fn can_move(&self, found: &Reservation) -> Result<(), Stop> {
        let id = &found.reservation_id;
        match found.status {
            ReservationStatus::Confirmed => {}
            ReservationStatus::Cancelled => return Err(ticket_cancelled(id, None)),
            ReservationStatus::Transferred => return Err(reservation_transferred(id, None)),
        }
        let goes = self.showtime_id.as_ref().is_some_and(|it| *it != found.showtime_id);
        if let Some(at) = found.checked_in_at.as_ref().filter(|_| goes) {
            return Err(already_checked_in(id, at));
        }
        Ok(())
    }

    /// Moves the party; `None` if anything changed concurrently.
    fn put(
        &self,
        found: &Reservation,
        version: u32,
        clock: &Clock,
    ) -> Result<Option<Reservation>, Stop> {
        let showtime_id = self.showtime_id.as_ref().unwrap_or(&found.showtime_id);
        let own: Vec<_> = found.seats.iter().map(|it| it.seat_id.clone()).collect();
        let is_same = *showtime_id == found.showtime_id;
        let picked = Picked {
            showtime_id,
            seat_ids: &self.seat_ids,
            user_id: &found.user_id,
            rules: SeatRules::default(),
            own_seats: if is_same { &own } else { &[] },
        };
        let count = own.len();
        let fits = self.seat_ids.len() == count;
        let wrong = || Problem::at("/seat_ids", format!("must have {count} seats, as before"));
        let [_, _, long, twice] = picked.problems(SEATS_MAX);
        reject_problems([(!fits).then(wrong), long, twice])?;
        let [slots, seats, import, _] = picked.statements(clock);
        let [slots, seats, import] = sql::query([slots, seats, import])?;
        let Open { slot, start } = picked.to_come(slots, clock)?;
        let chosen = picked.free(seats, None, None, clock)?;
        let import = picked.import(import)?;
        let mut seats = chosen.seats;
        seats.sort_by(|one, other| (&one.row, one.number).cmp(&(&other.row, other.number)));
        let now = naive(clock.now());
        let change = Change {
            at: now,
            change: ChangeKind::Moved,
            from_showtime_id: Some(found.showtime_id.clone()),
            from_seat_ids: own.clone(),
            reason: self.reason.clone(),
            ..Change::default()
        };
        let moved = sql!(
            "UPDATE reservations SET showtime_id = $3, seats = $4, movie_id = $5, \
             movie_title = $6, screen_id = $7, theater_name = $8, theater_name_en = $9, \
             start_time = $10, history = $11, movie_title_en = $12, version = version + 1 \
             WHERE reservation_id = $1 AND version = $2 AND status = 'confirmed'",
            &self.reservation_id,
            version,
            showtime_id,
            seats_json(&seats),
            &slot.movie_id,
            &slot.movie_title,
            &slot.screen_id,
            &slot.screen_name,
            slot.screen_name_en.clone(),
            naive(start),
            history_json(&found.history, change),
            slot.movie_title_en.clone(),
        );
        let gone = "DELETE FROM reserved_seats WHERE reservation_id = $1";
        let batch = [
            on_sale(import),
            moved.expect(1),
            sql!(gone, &self.reservation_id),
            free_expired(showtime_id, &seats, clock),
            insert_reserved(showtime_id, &self.reservation_id, &slot.screen_id, &seats),
        ];
        if !is_written(sql::transact(batch))? {
            return Ok(None);
        }
        Ok(stored(&self.reservation_id)?.map(Stored::reservation))
    }
}
