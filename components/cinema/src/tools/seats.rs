//! `list_available_seats`, `suggest_seats` and `keep_choice`: seats before they are taken.

use output::cinema::{PriceList, ReservedSeat, Seat, SeatKind, SeatMap, SeatSuggestion, total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Hints, Problem, Stop, Text, Tool, User, caller, fresh_id, sql};

use super::{NAME_CHARS_MAX, SEATS, at_most, reject_problems};
use crate::{
    clock::Clock,
    hall::{Hall, text_map},
    holds,
    refusals::{length, not_enough_seats, not_open},
    reservation::seats_per_reservation_max,
    rules,
    suggestion::{avoided, suggest},
};

// `list_available_seats`: free seats of a showing (CIN-30 to CIN-35).

/// 指定上映時間枠の空席一覧を取得。
/// en: Lists the seats of a showtime that are free.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAvailableSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 任意。true なら予約済みの座席も含める
    /// en: Optional. With true, the seats that are taken as well
    #[serde(default)]
    include_reserved: bool,
    /// 任意。自分の仮押さえ（hold_token か hold_id）。その座席も is_mine として含める
    /// en: Optional. One's own hold, by hold_token or hold_id: its seats are listed as is_mine
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
}

impl Tool for ListAvailableSeats {
    const NAME: &str = "list_available_seats";
    const TITLE: Text = Text { ja: "座席空き状況提示", en: "List free seats" };
    const LABELS: &[(&str, Text)] = &[(
        "include_reserved",
        Text { ja: "予約済みの座席も含める", en: "Include reserved seats" },
    )];
    const HINTS: Hints = Hints::READ_ONLY;
    const VIEW: Option<&str> = Some("seat_map");
    const APP: Option<&str> = Some(SEATS.uri);
    type Output = SeatMap;

    fn call(self, user: &User) -> Result<SeatMap, Stop> {
        let token = self.hold_token.as_deref();
        reject_problems([
            at_most("/showtime_id", &self.showtime_id),
            token.and_then(|it| at_most("/hold_token", it)),
        ])?;
        let own = token.map(holds::resolve).transpose()?;
        let mut hall = Hall::load(&self.showtime_id, own.as_deref(), &Clock::for_call()?)?;
        name_view(user);
        user.show(text_map(&hall.seats));
        hall.seats.retain(|it| self.include_reserved || it.is_free() || it.is_mine);
        hall.map()
    }
}

// `suggest_seats`: the best free seats.

/// おすすめの空席（並び・中央・後ろ寄り）を一般席から提案。予約はしない。
/// en: Suggests the best free ordinary seats: together, central, away from the front. Nothing is reserved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestSeats {
    /// 上映時間枠のID（list_showtimes の showtime_id）
    /// en: The showtime, as list_showtimes names it
    #[schemars(length(max = 200))]
    showtime_id: String,
    /// 席数
    /// en: How many seats
    #[schemars(range(min = 1))]
    count: u32,
    /// 任意。true なら車椅子スペースを含め、あれば同伴者席を添える。指定がなければ含めない
    /// en: Optional. With true, a wheelchair place with a companion's seat where there is one, else none
    #[serde(default)]
    wheelchair: bool,
    /// 任意。車椅子スペースの数。wheelchair が true で指定がなければ1
    /// en: Optional. How many wheelchair places. One with wheelchair alone
    #[schemars(range(min = 1))]
    wheelchair_places: Option<u32>,
    /// 任意。true ならプレミアム席から提案する。指定がなければ、より安い一般席から
    /// en: Optional. With true, premium seats first; else ordinary ones, where they cost less
    #[serde(default)]
    premium: bool,
}

impl Tool for SuggestSeats {
    const NAME: &str = "suggest_seats";
    const TITLE: Text = Text { ja: "おすすめ座席", en: "Suggest seats" };
    const LABELS: &[(&str, Text)] = &[
        ("wheelchair", Text { ja: "車椅子スペースを含める", en: "With a wheelchair place" }),
        ("premium", Text { ja: "プレミアム席から", en: "Premium seats first" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = SeatSuggestion;

    fn call(self, _: &User) -> Result<SeatSuggestion, Stop> {
        let seats_max = seats_per_reservation_max()?;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let fits = (1..=seats_max).contains(&count);
        let wrong = || Problem::at("/count", format!("must be from 1 to {seats_max}"));
        let places = self.wheelchair_places.unwrap_or(u32::from(self.wheelchair));
        let wheelchairs = usize::try_from(places).unwrap_or(usize::MAX);
        let is_asked = self.wheelchair_places.is_some();
        let places_fit = !is_asked || !fits || (1..=count).contains(&wheelchairs);
        let too_many = || {
            Problem::at("/wheelchair_places", format!("must be from 1 to count, which is {count}"))
        };
        reject_problems([
            at_most("/showtime_id", &self.showtime_id),
            (!fits).then(wrong),
            (!places_fit).then(too_many),
        ])?;
        let rules = rules::set()?;
        let Hall { showtime, seats, prices, closed_because } =
            Hall::load(&self.showtime_id, None, &Clock::for_call()?)?;
        if showtime.is_open == Some(false) {
            return Err(not_open(&showtime, closed_because.as_deref()));
        }
        let avoided = avoided(self.premium, prices.as_ref());
        let Some(found) = suggest(&seats, count, wheelchairs, rules, avoided) else {
            let (places, free): (Vec<_>, Vec<_>) = seats
                .iter()
                .filter(|it| it.is_free())
                .partition(|it| it.kind == SeatKind::Wheelchair);
            return Err(not_enough_seats(&self.showtime_id, free.len(), places.len()));
        };
        let (sentence, sentence_en) = found.sentences();
        let priced = |list: &PriceList| -> Vec<_> {
            let seats = found.parts.iter().flatten();
            let priced = |seat: &&Seat| ReservedSeat {
                seat_id: seat.seat_id.clone(),
                row: seat.row.clone(),
                number: seat.number,
                price: Some(list.of(seat.kind)),
            };
            seats.map(priced).collect()
        };
        let priced = prices.as_ref().map(priced).unwrap_or_default();
        Ok(SeatSuggestion {
            showtime_id: self.showtime_id,
            seat_ids: found.parts.iter().flatten().map(|it| it.seat_id.clone()).collect(),
            total: total(&priced),
            seats: priced,
            is_split: found.parts.len() > 1,
            sentence,
            sentence_en,
        })
    }
}

// `keep_choice`: stores a person's choice in an app, for when its frame is reloaded (APP-6).

/// Key of the view's number in the result of `list_available_seats`.
const VIEW: &str = "cinema/view";
/// Maximum stored views of one caller; the oldest are deleted.
const VIEWS_MAX: u32 = 500;
/// Maximum seats of a choice.
const SEATS_MAX: usize = 100;

/// 画面で選択中の座席などを保持し、保持している内容を返す。
/// en: Keeps what is chosen in a view of the seats, and answers what is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepChoice {
    /// 画面の番号（list_available_seats の結果の _meta にある cinema/view）
    /// en: The view: cinema/view in the _meta of the result of list_available_seats
    #[schemars(length(min = 1, max = 200))]
    view: String,
    /// 任意。保持する内容。指定がなければ、保持している内容を返すだけ
    /// en: Optional. What to keep; without it, what is kept is answered
    choice: Option<Choice>,
}

/// What has been chosen, whom it is for, and what has come of it.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Choice {
    /// Whom the seats are for, as far as it is typed.
    /// en: Whom the seats are for, as far as it is typed
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    user_id: String,
    /// The seats.
    /// en: The seats
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(max = 200)))]
    seat_ids: Vec<String>,
    /// The hold on them.
    /// en: The hold on them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    hold_token: Option<String>,
    /// Until when, as the hold says it.
    /// en: Until when, as the hold says it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    held_until: Option<String>,
    /// The key under which they are reserved once.
    /// en: The key under which they are reserved once
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    idempotency_key: Option<String>,
    /// The reservation that was made of them.
    /// en: The reservation that was made of them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    reservation_id: Option<String>,
}

/// What is kept.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct KeptChoice {
    /// The choice; nothing where none is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<Choice>,
}

impl Tool for KeepChoice {
    const NAME: &str = "keep_choice";
    const TITLE: Text = Text { ja: "選択の保持", en: "Keep a choice" };
    const HINTS: Hints = Hints::ADDITIVE.union(Hints::IDEMPOTENT);
    const META: Option<&str> = Some(r#"{"ui":{"visibility":["app"]}}"#);
    type Output = KeptChoice;

    fn call(self, _: &User) -> Result<KeptChoice, Stop> {
        reject_problems([length("/view", &self.view, NAME_CHARS_MAX)])?;
        let Some(choice) = self.choice else { return read(&self.view) };
        let many = Problem::at("/choice/seat_ids", format!("must be at most {SEATS_MAX}"));
        let long = choice.seat_ids.iter().find_map(|it| at_most("/choice/seat_ids", it));
        let text = |pointer, it: &Option<String>| it.as_deref().and_then(|it| at_most(pointer, it));
        reject_problems([
            at_most("/choice/user_id", &choice.user_id),
            (choice.seat_ids.len() > SEATS_MAX).then_some(many),
            long,
            text("/choice/hold_token", &choice.hold_token),
            text("/choice/held_until", &choice.held_until),
            text("/choice/idempotency_key", &choice.idempotency_key),
            text("/choice/reservation_id", &choice.reservation_id),
        ])?;
        let (principal, now) = (caller::principal(), Clock::for_call()?.second());
        sql::transact([
            sql!(
                "INSERT INTO choices (view, principal, choice, kept_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (view) DO UPDATE SET choice = $3, kept_at = $4 WHERE choices.principal = $2",
                &self.view,
                &principal,
                toolkit::export::written(&choice),
                now,
            ),
            sql!(
                format!(
                    "DELETE FROM choices WHERE principal = $1 AND view NOT IN (SELECT view FROM choices \
                     WHERE principal = $1 ORDER BY kept_at DESC, view LIMIT {VIEWS_MAX})"
                ),
                &principal,
            ),
        ])?;
        read(&self.view)
    }
}

/// Reads the stored choice of a caller's view.
fn read(view: &str) -> Result<KeptChoice, Stop> {
    let of_view = "SELECT choice FROM choices WHERE view = $1 AND principal = $2";
    let [found] = sql::query([sql!(of_view, view, caller::principal())])?;
    let choice = found.first::<(String,)>()?.and_then(|(it,)| serde_json::from_str(&it).ok());
    Ok(KeptChoice { choice })
}

/// Numbers the view that will show a result, for clients with apps.
fn name_view(user: &User) {
    if toolkit::apps::are_shown() {
        user.tell(VIEW, fresh_id("view"));
    }
}
