//! `close_sales` and `open_sales`: whether seats of a showing are sold (CIN-95).

use output::cinema::SalesState;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User, caller, sql};

use super::{at_most, length, none_of};
use crate::{
    clock::{Clock, naive},
    hall::Hall,
    notices::seats_changed,
    sales::closed,
    staff, waiting,
};

/// How long a reason may be.
pub(super) const REASON_CHARS_MAX: usize = 500;

/// スタッフ用。上映回の販売を止める。予約済みの座席はそのまま残る。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseSales {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。理由。予約しようとした人に示す
    #[schemars(length(min = 1, max = 500))]
    reason: Option<String>,
}

impl Tool for CloseSales {
    const NAME: &str = "close_sales";
    const TITLE: Text = Text { ja: "販売停止", en: "Close sales" };
    const ENGLISH: English = English {
        description: "For the staff. Closes the sales of a showtime. What is reserved stays reserved.",
        arguments: &[
            ("showtime_id", "The showtime, as list_showtimes names it"),
            ("reason", "Optional. Why; told to who wants to reserve"),
        ],
    };
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(staff::FOR_PAGES);
    type Output = SalesState;

    fn call(self, _: &User) -> Result<SalesState, Stop> {
        staff::only(Self::NAME)?;
        let reason = self.reason.as_deref();
        none_of([
            at_most("/showtime_id", &self.showtime_id),
            reason.and_then(|it| length("/reason", it, REASON_CHARS_MAX)),
        ])?;
        let clock = Clock::of_call()?;
        Hall::of(&self.showtime_id, None, &clock)?;
        let close = sql!(
            "INSERT INTO closed_sales (showtime_id, closed_at, closed_by, reason) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (showtime_id) DO UPDATE SET reason = $4",
            &self.showtime_id,
            naive(clock.now()),
            caller::principal(),
            self.reason.clone(),
        );
        sql::transact([close])?;
        seats_changed(&self.showtime_id);
        state(self.showtime_id)
    }
}

/// スタッフ用。止めた販売を再開する。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSales {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
}

impl Tool for OpenSales {
    const NAME: &str = "open_sales";
    const TITLE: Text = Text { ja: "販売再開", en: "Open sales" };
    const ENGLISH: English = English {
        description: "For the staff. Opens the sales of a showtime that were closed.",
        arguments: &[("showtime_id", "The showtime, as list_showtimes names it")],
    };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    const META: Option<&'static str> = Some(staff::FOR_PAGES);
    type Output = SalesState;

    fn call(self, _: &User) -> Result<SalesState, Stop> {
        staff::only(Self::NAME)?;
        none_of([at_most("/showtime_id", &self.showtime_id)])?;
        let clock = Clock::of_call()?;
        Hall::of(&self.showtime_id, None, &clock)?;
        let open = "DELETE FROM closed_sales WHERE showtime_id = $1";
        sql::transact([sql!(open, &self.showtime_id)])?;
        seats_changed(&self.showtime_id);
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
