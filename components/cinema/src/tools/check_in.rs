//! `check_in`: a ticket is scanned at the door (CIN-92).

use output::cinema::{CheckIn as Outcome, Reservation, ReservationStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, caller, sql};

use super::{at_most, length, none_of, reservations::ATTEMPTS_MAX};
use crate::{
    clock::{Clock, naive},
    door::{Window, judge, opens_before},
    picks::is_written,
    programme::ShowtimeId,
    refusals::{
        not_saved, reservation_not_found, reservation_transferred, showtime_not_found,
        ticket_cancelled,
    },
    reservation::{Stored, as_typed, stored},
    staff,
};

/// How long the text of a code may be.
const CODE_CHARS_MAX: usize = 200;

/// スタッフ用。チケット（QRコードの文字列または予約番号）を読み取り、入場できるか、誰のどの席かを返す。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckIn {
    /// QRコードの文字列、または予約番号
    #[schemars(length(min = 1, max = 200))]
    code: String,
    /// 任意。今入場させている上映時間枠のID。別の上映のチケットは使わない
    #[schemars(length(max = 200))]
    showtime_id: Option<String>,
}

impl Tool for CheckIn {
    const NAME: &str = "check_in";
    const TITLE: Text = Text { ja: "入場確認", en: "Check in" };
    const ENGLISH: English = English {
        description: "For the staff. Scans a ticket, by the text of its QR code or its number: says whether they may go in, who, and on which seats.",
        arguments: &[
            ("code", "The text of the QR code, or the number of the reservation"),
            (
                "showtime_id",
                "Optional. The showtime that is let in now; tickets of others are not used",
            ),
        ],
    };
    const HINTS: Hints = Hints::ADDITIVE;
    const META: Option<&'static str> = Some(staff::FOR_PAGES);
    type Output = Outcome;

    fn call(self, _: &User) -> Result<Outcome, Stop> {
        staff::only(Self::NAME)?;
        let showing = self.showtime_id.as_deref();
        none_of([
            length("/code", self.code.trim(), CODE_CHARS_MAX),
            showing.and_then(|it| at_most("/showtime_id", it)),
        ])?;
        if let Some(showing) = showing
            && ShowtimeId::read(showing).is_none()
        {
            return Err(showtime_not_found(showing));
        }
        let (clock, before) = (Clock::of_call()?, opens_before()?);
        for _ in 0..ATTEMPTS_MAX {
            let (found, version, window) = self.look(before, &clock)?;
            let outcome = judge(found, showing, window, &clock);
            if !outcome.admitted {
                return Ok(outcome);
            }
            let now = naive(clock.now());
            if use_up(&outcome.reservation, version, &now)? {
                let reservation =
                    Reservation { checked_in_at: Some(now.clone()), ..outcome.reservation };
                return Ok(Outcome { reservation, first_used_at: Some(now), ..outcome });
            }
        }
        Err(not_saved())
    }
}

impl CheckIn {
    /// The reservation, how often it was changed, and when it is let in.
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
        Ok((found, version, Window::of(start, before, duration, clock)))
    }
}

/// Uses the ticket; false where it has changed meanwhile, or was scanned elsewhere.
fn use_up(reservation: &Reservation, version: u32, now: &str) -> Result<bool, Stop> {
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
