//! `list_available_seats`: which seats of a showing are free (CIN-30 to CIN-35).

use output::cinema::SeatMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::{at_most, choice, none_of};
use crate::{clock::Clock, hall::Hall, holds, seats::text_map};

/// 指定上映時間枠の空席一覧を取得。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAvailableSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。true なら予約済みの座席も含める
    #[serde(default)]
    include_reserved: bool,
    /// 任意。自分の仮押さえ（hold_token か hold_id）。その座席も is_mine として含める
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
}

impl Tool for ListAvailableSeats {
    const NAME: &str = "list_available_seats";
    const TITLE: Text = Text { ja: "座席空き状況提示", en: "List free seats" };
    const ENGLISH: English = English {
        description: "Lists the seats of a showtime that are free.",
        arguments: &[
            ("showtime_id", "The showtime, as list_showtimes names it"),
            ("include_reserved", "Optional. With true, the seats that are taken as well"),
            (
                "hold_token",
                "Optional. One's own hold, by hold_token or hold_id: its seats are listed as is_mine",
            ),
        ],
    };
    const LABELS: &[(&str, Text)] = &[(
        "include_reserved",
        Text { ja: "予約済みの座席も含める", en: "Include reserved seats" },
    )];
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("seat_map");
    const APP: Option<&str> = Some(crate::app::SEATS.uri);
    type Output = SeatMap;

    fn call(self, user: &User) -> Result<SeatMap, Stop> {
        let token = self.hold_token.as_deref();
        none_of([
            at_most("/showtime_id", &self.showtime_id),
            token.and_then(|it| at_most("/hold_token", it)),
        ])?;
        let own = token.map(holds::named).transpose()?;
        let mut hall = Hall::of(&self.showtime_id, own.as_deref(), &Clock::of_call()?)?;
        choice::name_view(user);
        user.show(text_map(&hall.seats));
        hall.seats.retain(|it| self.include_reserved || it.is_free() || it.is_mine);
        hall.map()
    }
}
