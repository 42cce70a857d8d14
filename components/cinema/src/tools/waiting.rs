//! `join_waiting_list`, `leave_waiting_list` and `list_waiting`: waiting lists of full showings (CIN-94).

use output::cinema::{Hold, Left, Waiting, WaitingList, WaitingState};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Problem, Stop, Text, Tool, User, caller, fresh_id, sql};

use super::{NAME_CHARS_MAX, at_most, labels, length, reject_problems, reserve::ATTEMPTS_MAX};
use crate::{
    clock::{Clock, naive},
    hall::{Hall, publish_seats, publish_waiting},
    holds::{self, Held},
    picks::{Picked, is_written},
    programme::{self, ShowtimeId, Slot},
    refusals::{
        already_waiting, not_open, not_saved, seats_are_free, waiting_list_full, waiting_not_found,
    },
    reservation::seats_per_reservation_max,
    rules,
    suggestion::suggest,
    waiting::{self, Entry, OF_SHOWTIME_MAX, OF_USER_MAX},
};

/// 満席の上映のキャンセル待ちに登録する。空席が出ると先着順に仮押さえし、list_waiting の offer で知らせる。
/// en: Waits for seats of a showtime that has none. Seats that are freed are held for the first whom they fit;
/// list_waiting says so.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinWaitingList {
    /// 待つ利用者のID
    /// en: Who waits
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 席数
    /// en: How many seats
    #[schemars(range(min = 1))]
    count: u32,
    /// 任意。false なら離れた席でもよい。指定がなければ並び席
    /// en: Optional. With false, the seats may be apart
    #[serde(default = "yes")]
    together: bool,
    /// 任意。true なら車椅子スペースを含む席を待つ。指定がなければ含まない席
    /// en: Optional. With true, a wheelchair place among them, else none
    #[serde(default)]
    wheelchair: bool,
}

fn yes() -> bool {
    true
}

impl Tool for JoinWaitingList {
    const NAME: &str = "join_waiting_list";
    const TITLE: Text = Text { ja: "キャンセル待ち登録", en: "Join a waiting list" };
    const LABELS: &[(&str, Text)] = &[
        labels::SHOWTIME,
        ("together", Text { ja: "並び席", en: "Side by side" }),
        ("wheelchair", Text { ja: "車椅子スペースを含む席", en: "With a wheelchair place" }),
    ];
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    type Output = Waiting;

    fn call(self, _: &User) -> Result<Waiting, Stop> {
        let seats_max = seats_per_reservation_max()?;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let fits = (1..=seats_max).contains(&count);
        let wrong = || Problem::at("/count", format!("must be from 1 to {seats_max}"));
        reject_problems([
            length("/user_id", &self.user_id, NAME_CHARS_MAX),
            at_most("/showtime_id", &self.showtime_id),
            (!fits).then(wrong),
        ])?;
        let clock = Clock::for_call()?;
        waiting::settle_freed(&self.showtime_id, &clock)?;
        for _ in 0..ATTEMPTS_MAX {
            if let Some(waiting) = self.join(count, &clock)? {
                return Ok(waiting);
            }
        }
        Err(not_saved())
    }
}

impl JoinWaitingList {
    /// Joins, if that is possible and useful; `None` if the list changed concurrently.
    fn join(&self, count: usize, clock: &Clock) -> Result<Option<Waiting>, Stop> {
        let [of_user, of_showing] = sql::query([
            waiting::live_of_user(&self.user_id),
            waiting::live_of_showing(&self.showtime_id),
        ])?;
        let (of_user, of_showing) = (of_user.read::<Entry>()?, of_showing.read::<Entry>()?);
        if let Some(before) = of_user.iter().find(|it| it.showtime_id == self.showtime_id) {
            let asked = (self.count, self.together, self.wheelchair);
            if (before.seats_count, before.together, before.wheelchair) != asked {
                return Err(already_waiting(&before.waiting_id));
            }
            return to_output(before.clone(), clock).map(Some);
        }
        self.check_reason(count, clock)?;
        let full = |count: usize, max: u32| u32::try_from(count).unwrap_or(u32::MAX) >= max;
        if full(of_showing.len(), OF_SHOWTIME_MAX) {
            return Err(waiting_list_full(true, OF_SHOWTIME_MAX));
        }
        if full(of_user.len(), OF_USER_MAX) {
            return Err(waiting_list_full(false, OF_USER_MAX));
        }
        let live = "SELECT COUNT(*) FROM waiting WHERE state IN ('waiting', 'offered') AND";
        let join = format!(
            "INSERT INTO waiting \
             (waiting_id, place, user_id, showtime_id, seats_count, together, joined_at, state, \
             wheelchair, principal) \
             SELECT $1, (SELECT COALESCE(MAX(place), 0) + 1 FROM waiting), $2, $3, $4, $5, $6, \
             'waiting', $9, $10 WHERE ({live} showtime_id = $3) < $7 AND ({live} user_id = $2) < $8"
        );
        let id = fresh_id("wait");
        let join = sql!(
            join,
            &id,
            &self.user_id,
            &self.showtime_id,
            self.count,
            self.together,
            clock.second(),
            OF_SHOWTIME_MAX,
            OF_USER_MAX,
            self.wheelchair,
            caller::principal(),
        );
        if !is_written(sql::transact([join.expect(1)]))? {
            return Ok(None);
        }
        let [entries] = sql::query([waiting::live_of_user(&self.user_id)])?;
        let entry = entries.read::<Entry>()?.into_iter().find(|it| it.waiting_id == id);
        entry.map(|it| to_output(it, clock)).transpose()
    }

    /// Rejects waiting if the showing cannot be booked, has suitable free seats, or the user may not have more.
    fn check_reason(&self, count: usize, clock: &Clock) -> Result<(), Stop> {
        let hall = Hall::load(&self.showtime_id, None, clock)?;
        if hall.showtime.is_open == Some(false) {
            return Err(not_open(&hall.showtime, hall.closed_because.as_deref()));
        }
        let rules = rules::set()?;
        let seat_ids = vec![String::new(); count];
        let (showtime_id, user_id) = (self.showtime_id.as_str(), self.user_id.as_str());
        let picked = Picked { showtime_id, seat_ids: &seat_ids, user_id, rules, own_seats: &[] };
        let [owned_count] = sql::query([picked.owned_count(None, clock)])?;
        picked.check_owned(owned_count)?;
        let found = suggest(&hall.seats, count, usize::from(self.wheelchair), rules, None);
        match found.filter(|it| !self.together || it.parts.len() == 1) {
            None => Ok(()),
            Some(found) => {
                let seats = found.parts.into_iter().flatten();
                let seats: Vec<_> = seats.map(|it| it.seat_id.clone()).collect();
                Err(seats_are_free(&self.showtime_id, &seats))
            }
        }
    }
}

/// キャンセル待ちをやめる。仮押さえの案内があれば、次の人に回る。
/// en: Waits no longer. Seats that are offered go to the next.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaveWaitingList {
    /// キャンセル待ち（join_waiting_list の waiting_id）
    /// en: The entry, as join_waiting_list names it
    #[schemars(length(max = 200))]
    waiting_id: String,
    /// 待っている利用者のID。一致しなければやめられない
    /// en: Who waits; only they can leave
    #[schemars(length(max = 200))]
    user_id: String,
}

impl Tool for LeaveWaitingList {
    const NAME: &str = "leave_waiting_list";
    const TITLE: Text = Text { ja: "キャンセル待ち取消", en: "Leave a waiting list" };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    type Output = Left;

    fn call(self, _: &User) -> Result<Left, Stop> {
        reject_problems([
            at_most("/waiting_id", &self.waiting_id),
            at_most("/user_id", &self.user_id),
        ])?;
        let clock = Clock::for_call()?;
        for _ in 0..ATTEMPTS_MAX {
            let entry = "SELECT showtime_id, hold_id, state FROM waiting \
                 WHERE waiting_id = $1 AND user_id = $2";
            let [entry] = sql::query([sql!(entry, &self.waiting_id, &self.user_id)])?;
            let entry = entry.first::<(String, Option<String>, WaitingState)>()?;
            let not_found = || waiting_not_found(&self.waiting_id);
            let (showtime_id, hold_id, state) = entry.ok_or_else(not_found)?;
            if !matches!(state, WaitingState::Waiting | WaitingState::Offered) {
                return Ok(Left { left: false });
            }
            let mut batch =
                vec![waiting::end(&self.waiting_id, WaitingState::Left, &clock).expect(1)];
            batch.extend(hold_id.iter().flat_map(|it| holds::end(it, &clock)));
            if is_written(sql::transact_all(&batch))? {
                if hold_id.is_some() {
                    publish_seats(&showtime_id);
                }
                publish_waiting(&self.user_id);
                waiting::settle_freed(&showtime_id, &clock)?;
                return Ok(Left { left: true });
            }
        }
        Err(not_saved())
    }
}

/// 利用者のキャンセル待ちを古い順に取得。offer があれば、その hold_id で期限までに予約するか、仮押さえ解除で断る。
/// en: Lists what a user waits for, oldest first. An offer is a hold: reserve with its hold_id before it ends, or
/// decline with release_hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWaiting {
    /// 待っている利用者のID
    /// en: Who waits
    #[schemars(length(min = 1, max = 200))]
    user_id: String,
}

impl Tool for ListWaiting {
    const NAME: &str = "list_waiting";
    const TITLE: Text = Text { ja: "キャンセル待ち一覧", en: "List what one waits for" };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = WaitingList;

    fn call(self, _: &User) -> Result<WaitingList, Stop> {
        reject_problems([length("/user_id", &self.user_id, NAME_CHARS_MAX)])?;
        waits_for(&self.user_id, &Clock::for_call()?)
    }
}

/// Entries of a user.
///
/// # Errors
/// If the database fails.
pub fn waits_for(user_id: &str, clock: &Clock) -> Result<WaitingList, Stop> {
    let [entries] = sql::query([waiting::live_of_user(user_id)])?;
    let entries = entries.read::<Entry>()?.into_iter();
    let to_come = |entry: &Entry| {
        let start = ShowtimeId::read(&entry.showtime_id).and_then(|it| it.start());
        !entry.is_expired(clock) && start.is_some_and(|it| !clock.has_passed(it))
    };
    let waiting = entries.filter(to_come).map(|it| to_output(it, clock));
    Ok(WaitingList { waiting: waiting.collect::<Result<_, _>>()? })
}

/// Converts an entry for its user.
fn to_output(entry: Entry, clock: &Clock) -> Result<Waiting, Stop> {
    let id = ShowtimeId::read(&entry.showtime_id);
    let (screen_id, starts) =
        id.as_ref().map_or(("", ""), |it| (it.screen_id.as_str(), it.starts.as_str()));
    let seats = holds::seats_of(entry.hold_id.as_deref().unwrap_or_default());
    let [ahead, slots, seats] = sql::query([
        waiting::count_before(&entry),
        programme::of_screen(screen_id, starts),
        seats,
    ])?;
    let slots = slots.read::<Slot>()?;
    let showing = id.and_then(|it| programme::on(&slots, it.date));
    let prices = showing.as_ref().and_then(|it| it.slot.price_list());
    let (ahead,) = ahead.first::<(u32,)>()?.unwrap_or_default();
    let is_waiting = entry.state == WaitingState::Waiting;
    let seats = holds::read_seats(seats, prices.as_ref())?;
    let offer = Some(()).filter(|()| entry.is_offered(clock));
    Ok(Waiting {
        offer: offer.and_then(|()| hold(&entry, seats, clock)),
        waiting_id: entry.waiting_id,
        user_id: entry.user_id,
        showtime_id: entry.showtime_id,
        seats_count: entry.seats_count,
        together: entry.together,
        wheelchair: entry.wheelchair,
        joined_at: clock.shows(entry.joined_at),
        state: entry.state,
        position: is_waiting.then_some(ahead + 1),
        movie_title: showing.as_ref().map(|it| it.slot.movie_title.clone()),
        start_time: showing.map(|it| naive(it.begins(clock))),
    })
}

fn hold(entry: &Entry, seats: Vec<output::cinema::ReservedSeat>, clock: &Clock) -> Option<Hold> {
    let held = Held {
        hold_id: entry.hold_id.clone()?,
        principal: entry.principal.clone(),
        user_id: entry.user_id.clone(),
        showtime_id: entry.showtime_id.clone(),
        made_at: entry.made_at?,
        expires_at: entry.expires_at?,
    };
    Some(held.to_output(None, seats, clock))
}
