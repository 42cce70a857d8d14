//! Days, fixed or counted from today (FORM-34).

use chrono::NaiveDate;

/// A limit for days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// `2026-11-21`.
    Fixed(NaiveDate),
    /// `today`, `+30days`, `-1week`: so many days after today.
    FromToday(i32),
}

/// What day it is. Whoever fills in knows their own; a server that does not know where they are takes
/// every day that it is somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    /// The first of the days that it may be.
    pub earliest: NaiveDate,
    /// The last of the days that it may be.
    pub latest: NaiveDate,
}
