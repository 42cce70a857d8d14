//! `hold_seats`, `extend_hold`, `release_hold` and `list_holds`: seats kept for a user until they are reserved.

use output::cinema::{Hold, Holds, Released, ReservedSeat};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Stop, Text, Tool, User, caller, fresh_id, sql, sql::Statement};

use super::{NAME_CHARS_MAX, at_most, labels, length, reject_problems};
use crate::{
    clock::Clock,
    hall::publish_seats,
    holds::{self, Held, Minutes, digest, free_expired, insert_seats},
    picks::{Picked, is_written, on_sale},
    refusals::{not_saved, too_many_held},
    reservation::seats_per_reservation_max,
    rules, waiting,
};

/// Maximum attempts while others take seats.
const ATTEMPTS_MAX: u32 = 5;

/// 座席を期限まで仮押さえする。hold_token を付けた reserve_seats で確定し、release_hold で空ける。
/// en: Holds seats of a showtime for some minutes. reserve_seats with the hold_token reserves them before expires_at;
/// release_hold frees them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldSeats {
    /// 仮押さえする利用者のID
    /// en: Whom the seats are held for
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 座席のID。すべて押さえるか、一席も押さえない
    /// en: The seats. All are held, or none
    #[schemars(length(min = 1), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// 任意。分数（通常は10、最長60）
    /// en: Optional. Usually 10, and at most 60
    #[schemars(range(min = 1))]
    minutes: Option<u32>,
    /// 任意。これと入れ替える仮押さえ（hold_token か hold_id）。押さえられなければ元のまま残る
    /// en: Optional. The hold that this one replaces: its hold_token or its hold_id. It stays where this one is refused
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
}

impl Tool for HoldSeats {
    const NAME: &str = "hold_seats";
    const TITLE: Text = Text { ja: "座席仮押さえ", en: "Hold seats" };
    const LABELS: &[(&str, Text)] = &[
        labels::SHOWTIME,
        labels::SEATS,
        ("minutes", Text { ja: "押さえておく時間（分）", en: "For how many minutes" }),
    ];
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Hold;

    fn call(self, _: &User) -> Result<Hold, Stop> {
        let seats_max = seats_per_reservation_max()?;
        let picked = Picked {
            showtime_id: &self.showtime_id,
            seat_ids: &self.seat_ids,
            user_id: &self.user_id,
            rules: rules::set()?,
            own_seats: &[],
        };
        let [showtime, count, long, twice] = picked.problems(seats_max);
        let user = length("/user_id", &self.user_id, NAME_CHARS_MAX);
        let replaced = self.hold_token.as_ref().and_then(|it| at_most("/hold_token", it));
        reject_problems([user, showtime, count, long, twice, replaced])?;
        let minutes = Minutes::set()?.requested(self.minutes)?;
        let clock = Clock::for_call()?;
        let token = fresh_id("hold");
        let replaced = self.hold_token.as_deref().map(holds::resolve).transpose()?;
        waiting::settle_freed(&self.showtime_id, &clock)?;
        for _ in 0..ATTEMPTS_MAX {
            let new = New { token: &token, minutes, replaced: replaced.as_deref() };
            let plan = self.look(&picked, &clock, &new, seats_max)?;
            if let Some(freed) = plan.write(&clock)? {
                publish_seats(&self.showtime_id);
                if let Some(freed) = freed {
                    if freed != self.showtime_id {
                        publish_seats(&freed);
                    }
                    waiting::settle_freed(&freed, &clock)?;
                }
                return Ok(plan.held.to_output(
                    holds::disclosable(token),
                    in_order(plan.seats),
                    &clock,
                ));
            }
        }
        Err(not_saved())
    }
}

/// A requested hold.
struct New<'a> {
    token: &'a str,
    minutes: u32,
    /// Id of the hold that it replaces.
    replaced: Option<&'a str>,
}

impl HoldSeats {
    /// Reads all inputs of the decision in one snapshot.
    fn look(
        &self,
        picked: &Picked<'_>,
        clock: &Clock,
        new: &New<'_>,
        seats_max: usize,
    ) -> Result<Plan, Stop> {
        let own = new.replaced;
        let [slots, seats, import, closed] = picked.statements(clock);
        let counts = Counts::statement(&self.user_id, &self.showtime_id, own, clock);
        let owned_count = picked.owned_count(own, clock);
        let [slots, seats, import, closed, counts, owned_count] =
            sql::query([slots, seats, import, closed, counts, owned_count])?;
        let open = picked.open(slots, closed, clock)?;
        let chosen = picked.free(seats, own, open.slot.price_list().as_ref(), clock)?;
        picked.check_owned(owned_count)?;
        let held = Held {
            hold_id: digest(new.token),
            principal: caller::principal(),
            user_id: self.user_id.clone(),
            showtime_id: self.showtime_id.clone(),
            made_at: clock.second(),
            expires_at: clock.second() + i64::from(new.minutes) * 60,
        };
        let counts = counts.first()?.unwrap_or_default();
        let import = picked.import(import)?;
        let screen_id = open.slot.screen_id;
        let preconditions = picked.preconditions(&chosen, own, clock);
        let replaced = own.map(str::to_owned);
        let seats = chosen.seats;
        Plan { held, seats, screen_id, import, seats_max, preconditions, replaced }.within(counts)
    }
}

/// 仮押さえの期限を、今からの分数に延ばす。押さえた時から最長60分まで。
/// en: Extends a hold that has not ended, at most to an hour after it was made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendHold {
    /// 仮押さえ（hold_seats の hold_token か hold_id）
    /// en: The hold: its hold_token or its hold_id
    #[schemars(length(max = 200))]
    hold_token: String,
    /// 任意。今から何分押さえておくか。通常は指定がなければ10分
    /// en: Optional. For how long from now. Usually 10 without it
    #[schemars(range(min = 1))]
    minutes: Option<u32>,
}

impl Tool for ExtendHold {
    const NAME: &str = "extend_hold";
    const TITLE: Text = Text { ja: "仮押さえ延長", en: "Extend a hold" };
    const LABELS: &[(&str, Text)] =
        &[("minutes", Text { ja: "押さえておく時間（分）", en: "For how many minutes" })];
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Hold;

    fn call(self, _: &User) -> Result<Hold, Stop> {
        reject_problems([at_most("/hold_token", &self.hold_token)])?;
        let set = Minutes::set()?;
        let minutes = set.requested(self.minutes)?;
        let clock = Clock::for_call()?;
        let hold_id = holds::resolve(&self.hold_token)?;
        let [found, seats] = sql::query([holds::of_id(&hold_id), holds::seats_of(&hold_id)])?;
        let mut held = holds::live(found.first()?, &clock)?;
        let cap = held.made_at + i64::from(set.max) * 60;
        let end = (clock.second() + i64::from(minutes) * 60).min(cap).max(held.expires_at);
        if end > held.expires_at {
            let extend = "UPDATE holds SET expires_at = $3 \
                 WHERE hold_id = $1 AND expires_at > $2 AND expires_at < $3";
            sql::transact([sql!(extend, &held.hold_id, clock.second(), end)])?;
            // The stored state decides.
            let [found] = sql::query([holds::of_id(&hold_id)])?;
            held = holds::live(found.first()?, &clock)?;
        }
        let prices = holds::prices_of(&held.showtime_id)?;
        let seats = holds::read_seats(seats, prices.as_ref())?;
        let is_token = self.hold_token != holds::handle(&hold_id);
        let token = if is_token { holds::disclosable(self.hold_token) } else { None };
        Ok(held.to_output(token, seats, &clock))
    }
}

/// 仮押さえをやめ、座席を空ける。終わった仮押さえには何もしない。
/// en: Ends a hold before its time: its seats are free at once. Nothing happens where it has ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseHold {
    /// 仮押さえ（hold_seats の hold_token か hold_id）
    /// en: The hold: its hold_token or its hold_id
    #[schemars(length(max = 200))]
    hold_token: String,
}

impl Tool for ReleaseHold {
    const NAME: &str = "release_hold";
    const TITLE: Text = Text { ja: "仮押さえ解除", en: "Release a hold" };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    type Output = Released;

    fn call(self, _: &User) -> Result<Released, Stop> {
        reject_problems([at_most("/hold_token", &self.hold_token)])?;
        let (hold_id, clock) = (holds::resolve(&self.hold_token)?, Clock::for_call()?);
        let [hold, seats] = holds::end(&hold_id, &clock);
        let declined = waiting::declined(&hold_id, &clock);
        let [_, hold, seats] = sql::transact([declined, hold, seats])?;
        let released = !hold.is_empty();
        if let Some((showtime_id,)) = seats.first::<(String,)>()? {
            publish_seats(&showtime_id);
            waiting::settle_freed(&showtime_id, &clock)?;
        }
        Ok(Released { released })
    }
}

/// 利用者のために今仮押さえ中の座席を新しい順に取得。画面で人が押さえた分も含むので、以前の仮押さえを使う前に確認する。
/// en: Lists the seats that are held for a user now, newest first, by person and assistant alike: look before using an
/// earlier hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListHolds {
    /// 仮押さえした利用者のID
    /// en: Whom the seats are held for
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 任意。この上映時間枠だけ
    /// en: Optional. Of this showtime alone
    #[schemars(length(max = 200))]
    showtime_id: Option<String>,
}

impl Tool for ListHolds {
    const NAME: &str = "list_holds";
    const TITLE: Text = Text { ja: "仮押さえ一覧", en: "List holds" };
    const LABELS: &[(&str, Text)] = &[labels::SHOWTIME];
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Holds;

    fn call(self, _: &User) -> Result<Holds, Stop> {
        let showtime_id = self.showtime_id.as_deref();
        reject_problems([
            length("/user_id", &self.user_id, NAME_CHARS_MAX),
            showtime_id.and_then(|it| at_most("/showtime_id", it)),
        ])?;
        let clock = Clock::for_call()?;
        let [held] = sql::query([holds::of_caller(&self.user_id, showtime_id, &clock)])?;
        let report = |held: Held| {
            let [seats] = sql::query([holds::seats_of(&held.hold_id)])?;
            let prices = holds::prices_of(&held.showtime_id)?;
            let seats = holds::read_seats(seats, prices.as_ref())?;
            Ok(held.to_output(None, seats, &clock))
        };
        let holds = held.read::<Held>()?.into_iter().map(report);
        Ok(Holds { holds: holds.collect::<Result<_, Stop>>()? })
    }
}

fn in_order(mut seats: Vec<ReservedSeat>) -> Vec<ReservedSeat> {
    seats.sort_by(|one, other| (&one.row, one.number).cmp(&(&other.row, other.number)));
    seats
}

// A checked hold, and the transaction that writes it.

/// Maximum held seats of one showing and of all, in multiples of a reservation's maximum.
const OF_SHOWTIME: usize = 2;
const OF_ALL: usize = 4;

/// Held seats of a user: of the showing, and of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
struct Counts {
    of_showtime: u32,
    of_all: u32,
}

impl Counts {
    /// Counts them, without those of the replaced hold.
    fn statement(
        user_id: &str,
        showtime_id: &str,
        replaced: Option<&str>,
        clock: &Clock,
    ) -> Statement {
        sql!(
            "SELECT COUNT(CASE WHEN d.showtime_id = $2 THEN 1 END) AS of_showtime, \
             COUNT(*) AS of_all FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
             WHERE h.user_id = $1 AND h.expires_at > $3 AND h.hold_id <> $4",
            user_id,
            showtime_id,
            clock.second(),
            replaced.unwrap_or_default(),
        )
    }
}

/// A checked hold, valid unless another call is faster.
#[derive(Debug)]
struct Plan {
    /// The row of the hold.
    held: Held,
    /// Its seats.
    seats: Vec<ReservedSeat>,
    /// Identifier of their screen.
    screen_id: String,
    /// Import that it was checked against.
    import: u32,
    /// Maximum seats of one reservation.
    seats_max: usize,
    /// Preconditions of the batch.
    preconditions: Vec<Statement>,
    /// Id of the hold that it replaces.
    replaced: Option<String>,
}

impl Plan {
    /// Returns the plan if its user does not hold too many seats.
    fn within(self, counts: Counts) -> Result<Self, Stop> {
        let (of_showtime, of_all) = self.room();
        if counts.of_showtime > of_showtime || counts.of_all > of_all {
            let (showtime_max, all_max) = (OF_SHOWTIME * self.seats_max, OF_ALL * self.seats_max);
            return Err(too_many_held(showtime_max, all_max, counts.of_showtime, counts.of_all));
        }
        Ok(self)
    }

    /// Seats that the user may already hold: of the showing, and of all.
    fn room(&self) -> (u32, u32) {
        let room = |it: usize| (it * self.seats_max).saturating_sub(self.seats.len());
        let room = |it: usize| u32::try_from(room(it)).unwrap_or(u32::MAX);
        (room(OF_SHOWTIME), room(OF_ALL))
    }

    /// Writes the batch; `None` if its preconditions changed. Returns the showing of the replaced hold.
    fn write(&self, clock: &Clock) -> Result<Option<Option<String>>, Stop> {
        let showtime_id = &self.held.showtime_id;
        let mut batch = vec![on_sale(self.import)];
        batch.extend(self.preconditions.iter().cloned());
        let mut freed_at = None;
        if let Some(replaced) = &self.replaced {
            batch.push(waiting::declined(replaced, clock));
            batch.extend(holds::end(replaced, clock));
            freed_at = Some(batch.len() - 1);
        }
        batch.extend([
            free_expired(showtime_id, &self.seats, clock),
            self.hold(clock),
            insert_seats(&self.held, &self.screen_id, &self.seats),
        ]);
        let mut freed = None;
        let written = sql::transact_all(&batch).map(|rows| {
            freed = freed_at.and_then(|it| rows.into_iter().nth(it));
        });
        if !is_written(written)? {
            return Ok(None);
        }
        let freed = freed.map(|it| it.first::<(String,)>()).transpose()?.flatten();
        Ok(Some(freed.map(|it| it.0)))
    }

    /// Inserts the hold, if the user's concurrent holds leave room.
    fn hold(&self, clock: &Clock) -> Statement {
        let held = &self.held;
        let (of_showtime, of_all) = self.room();
        let count = "SELECT COUNT(*) FROM held_seats d JOIN holds h ON h.hold_id = d.hold_id \
             WHERE h.user_id = $2 AND h.expires_at > $6";
        let hold = format!(
            "INSERT INTO holds (hold_id, user_id, showtime_id, made_at, expires_at, principal) \
             SELECT $1, $2, $3, $4, $5, $9 \
             WHERE ({count} AND d.showtime_id = $3) <= $7 AND ({count}) <= $8"
        );
        sql!(
            hold,
            &held.hold_id,
            &held.user_id,
            &held.showtime_id,
            held.made_at,
            held.expires_at,
            clock.second(),
            of_showtime,
            of_all,
            &held.principal,
        )
        .expect(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(of_showtime: u32, of_all: u32, seats: usize) -> bool {
        let held = Held {
            hold_id: "h".into(),
            principal: "p".into(),
            user_id: "u".into(),
            showtime_id: "st".into(),
            made_at: 0,
            expires_at: 600,
        };
        let seats = vec![ReservedSeat::default(); seats];
        let (screen_id, preconditions) = ("s1".into(), Vec::new());
        let plan = Plan {
            held,
            seats,
            screen_id,
            import: 1,
            seats_max: 10,
            preconditions,
            replaced: None,
        };
        plan.within(Counts { of_showtime, of_all }).is_ok()
    }

    #[test]
    fn limits_held_seats_per_showing_and_in_all() {
        assert!(within(0, 0, 10) && within(10, 10, 10) && within(10, 30, 10));
        assert!(!within(11, 11, 10) && !within(0, 31, 10) && within(0, 39, 1));
    }
}
