//! The third step at the cinema: which seats. Those side by side and near the middle are proposed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Aim, Asked, COUNT_MAX, Choice, SEATS, Visit, films::numbered};
use crate::assistant::{Decision, builtin::desk::Desk};

/// Proposals at once.
const PROPOSALS_MAX: usize = 4;
/// How far back the best row is: in thousandths of the rows.
const BEST_ROW: i64 = 620;
/// Where people want to sit, and the words for it: another best row.
const ROWS: &[(i64, &str)] =
    &[(950, "後ろ|うしろ|後方|最後列|back|rear"), (150, "前の方|前方|最前|前列|front")];

/// A seat that is free.
#[derive(Clone, Debug)]
struct Seat {
    id: String,
    row: String,
    column: i64,
}

impl Visit {
    pub(super) fn list_seats(&mut self, desk: &mut Desk<'_>) -> Decision {
        let Some(showing) = &self.showing else { return self.list_showings(desk) };
        let arguments = json!({ "showtime_id": showing.id });
        let reason = desk.say("空いている席を確認", "To see which seats are free");
        desk.only(SEATS, arguments, reason)
    }

    pub(super) fn seats_found(&mut self, desk: &mut Desk<'_>, found: &Value) -> Decision {
        let seats = read(found);
        self.retitle(desk, found);
        if self.aim != Aim::Book {
            return self.seats_told(desk, &seats);
        }
        let is_free = |id: &String| seats.iter().any(|it| it.id == *id);
        let taken: Vec<_> = self.seats.iter().filter(|it| !is_free(it)).cloned().collect();
        if !taken.is_empty() {
            let list = taken.join(", ");
            self.note =
                Some(desk.say(format!("{list} は空いていません。"), format!("{list}: not free.")));
            self.count = self.count.or(u32::try_from(self.seats.len()).ok());
            self.seats.clear();
        }
        if !self.seats.is_empty() {
            return match self.user {
                Some(_) => self.reserve(desk),
                None => self.ask_user(desk),
            };
        }
        let Some(count) = self.count else { return self.ask_count(desk) };
        if count > COUNT_MAX {
            self.count = None;
            return desk.conclude(desk.say(
                format!("一度に予約できるのは{COUNT_MAX}席までです。何席にしますか？"),
                format!("At most {COUNT_MAX} seats can be reserved at once. How many shall it be?"),
            ));
        }
        let count = count as usize;
        if seats.len() < count {
            self.showing = None;
            return desk.conclude(desk.say(
                format!("空席は{}席だけで、{count}席は取れません。予約はしていません。別の回をお試しください。", seats.len()),
                format!("Only {} seats are left, fewer than {count}. Nothing was reserved; please try another showing.", seats.len()),
            ));
        }
        let best = ROWS
            .iter()
            .find(|it| it.1.split('|').any(|it| self.said.contains(it)))
            .map_or(BEST_ROW, |it| it.0);
        let (groups, is_apart) = proposals(&seats, count, best);
        if is_apart {
            self.note =
                Some(desk.say("並びの席は残っていません。", "No seats side by side are left."));
        }
        self.ask_seats(desk, &groups)
    }

    fn ask_seats(&mut self, desk: &mut Desk<'_>, groups: &[Vec<Seat>]) -> Decision {
        self.choices =
            groups.iter().enumerate().map(|(at, it)| self.choice(desk, at, it)).collect();
        self.asked = Some(Asked::Seats);
        let options: Vec<_> =
            self.choices.iter().map(|it| json!({ "value": it.value, "label": it.label })).collect();
        let first = self.choices.first().map(|it| it.value.clone());
        let label = desk.say("座席", "Seats");
        let mut fields = vec![
            json!({ "name": "seat_ids", "type": "radio", "label": label, "options": options, "default": first, "required": true }),
        ];
        if self.user.is_none() {
            fields.push(user_field(desk));
        }
        let showing = self.showing.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        let asks = self.noted(showing);
        let form = json!({ "title": desk.say("座席の選択", "Choose seats"), "description": asks, "submitLabel": desk.say("予約へ進む", "Go on"), "fields": fields });
        let reason = desk.say("座席とお名前を尋ねるため", "To ask for the seats and the name");
        let list = numbered(&self.choices);
        let words = desk.say(
            format!("{asks}\n{list}\n席の番号と、ユーザーIDを教えてください（例:「1番、ユーザーIDは u-1」）。"),
            format!("{asks}\n{list}\nWhich one, and what is your user ID (such as \"number 1, user ID u-1\")?"),
        );
        desk.ask(form, reason, words)
    }

    fn ask_user(&mut self, desk: &mut Desk<'_>) -> Decision {
        self.asked = Some(Asked::Seats);
        self.choices.clear();
        let seats = self.seats.join(", ");
        let form = json!({
            "title": desk.say("ご予約者", "Who is it for?"),
            "description": desk.say(format!("座席: {seats}"), format!("Seats: {seats}")),
            "submitLabel": desk.say("予約へ進む", "Go on"),
            "fields": [user_field(desk)],
        });
        let reason = desk.say("どなたの予約かを尋ねるため", "To ask whom it is for");
        let words = desk.say("ユーザーIDを教えてください。", "What is your user ID?");
        desk.ask(form, reason, words)
    }

    fn ask_count(&mut self, desk: &mut Desk<'_>) -> Decision {
        self.asked = Some(Asked::Seats);
        self.choices.clear();
        let fields: Vec<_> = self.count_field(desk).into_iter().collect();
        let form = json!({ "title": desk.say("席数", "How many seats?"), "submitLabel": desk.say("次へ", "Next"), "fields": fields });
        let reason = desk.say("席数を尋ねるため", "To ask how many seats");
        let words = desk.say("何席にしますか？", "How many seats shall it be?");
        desk.ask(form, reason, words)
    }

    fn seats_told(&mut self, desk: &Desk<'_>, seats: &[Seat]) -> Decision {
        let count = seats.len();
        let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for it in seats {
            rows.entry(&it.row).or_default().push(it.id.trim_start_matches(it.row.as_str()));
        }
        let lines: Vec<_> =
            rows.iter().map(|(row, it)| format!("- {row}: {}", it.join(" "))).collect();
        let showing = self.showing.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        let taken: Vec<_> =
            self.seats.iter().filter(|id| !seats.iter().any(|it| it.id == **id)).cloned().collect();
        let named = match (self.seats.is_empty(), taken.is_empty()) {
            (true, _) => String::new(),
            (_, true) => desk.say(
                format!("{} は空いています。", self.seats.join(", ")),
                format!("{}: free. ", self.seats.join(", ")),
            ),
            (_, false) => desk.say(
                format!("{} は空いていません。", taken.join(", ")),
                format!("{}: not free. ", taken.join(", ")),
            ),
        };
        self.seats.clear();
        let head = desk.say(
            format!("{showing}の空席は{count}席です。{named}"),
            format!("{showing}: {count} seats are free. {named}"),
        );
        let next = desk.say(
            "予約するときは「A5とA6を予約して」のように書いてください。",
            "To book, write for example \"book A5 and A6\".",
        );
        desk.conclude(format!("{head}\n{}\n{next}", lines.join("\n")))
    }

    fn choice(&self, desk: &Desk<'_>, at: usize, group: &[Seat]) -> Choice {
        let ids: Vec<_> = group.iter().map(|it| it.id.clone()).collect();
        let best =
            if at == 0 { desk.say("（おすすめ）", " (recommended)") } else { String::new() };
        Choice {
            value: ids.join(","),
            label: format!("{}{best}", ids.join(desk.language.pick("・", ", "))),
            words: vec![ids.join(",")],
        }
    }

    /// What the tool knows of the showing is shown from now on.
    fn retitle(&mut self, desk: &Desk<'_>, found: &Value) {
        let start = found["showtime"]["start_time"].as_str();
        let title = found["showtime"]["movie_title"].as_str();
        let label = self.film.as_ref().map(|it| it.label.clone()).or(title.map(str::to_owned));
        if let (Some(start), Some(showing)) = (start, &mut self.showing) {
            let when = super::showings::shown(start, desk.language);
            showing.label = match label {
                Some(film) => desk.say(format!("「{film}」{when}"), format!("{film}, {when}")),
                None => when,
            };
        }
    }
}

fn user_field(desk: &Desk<'_>) -> Value {
    let label = desk.say("お名前または利用者ID", "Name or user ID");
    json!({ "name": "user_id", "type": "text", "label": label, "required": true, "minLength": 1, "maxLength": super::USER_MAX })
}

fn read(found: &Value) -> Vec<Seat> {
    let seats = found["seats"].as_array().into_iter().flatten();
    let free = seats.filter(|it| it["is_reserved"] != true && it["kind"] != "wheelchair");
    let seat = |it: &Value| {
        let column = it["column"].as_i64().or(it["number"].as_i64())?;
        Some(Seat {
            id: it["seat_id"].as_str()?.to_owned(),
            row: it["row"].as_str()?.to_owned(),
            column,
        })
    };
    free.filter_map(seat).collect()
}

/// The best groups of `count` seats, at most one a row; whether they are apart, since none is together.
fn proposals(seats: &[Seat], count: usize, best_row: i64) -> (Vec<Vec<Seat>>, bool) {
    let mut rows: BTreeMap<&str, Vec<&Seat>> = BTreeMap::new();
    for it in seats {
        rows.entry(&it.row).or_default().push(it);
    }
    let (least, most) = seats
        .iter()
        .fold((i64::MAX, i64::MIN), |it, seat| (it.0.min(seat.column), it.1.max(seat.column)));
    // Twice the middle, to stay with whole numbers.
    let middle = least + most;
    let last = i64::try_from(rows.len()).unwrap_or(1).saturating_sub(1).max(1);
    let mut groups: Vec<(i64, Vec<Seat>)> = Vec::new();
    for (at, row) in rows.values_mut().enumerate() {
        row.sort_by_key(|it| it.column);
        let depth = i64::try_from(at).unwrap_or_default() * 1_000 / last;
        let off_row = (depth - best_row).abs() / 50;
        let together = row
            .windows(count)
            .filter(|it| it.windows(2).all(|it| it[1].column == it[0].column + 1));
        let scored = together.map(|it| {
            let sides = it[0].column + it[count - 1].column;
            ((sides - middle).abs() + off_row, it)
        });
        if let Some((score, group)) = scored.min_by_key(|it| it.0) {
            groups.push((score, group.iter().map(|it| (*it).clone()).collect()));
        }
    }
    if groups.is_empty() {
        let mut all: Vec<_> = seats.to_vec();
        all.sort_by_key(|it| (2 * it.column - middle).abs());
        all.truncate(count);
        all.sort_by(|a, b| (&a.row, a.column).cmp(&(&b.row, b.column)));
        return (vec![all], count > 1);
    }
    groups.sort_by_key(|it| it.0);
    (groups.into_iter().take(PROPOSALS_MAX).map(|it| it.1).collect(), false)
}
