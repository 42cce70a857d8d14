//! Third step: the seats. Proposes adjacent ones near the middle.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use language::{context::TurnContext, say, scan::marks, turn::Decision};

use super::{
    conditions::Position,
    fares::Fares,
    films::numbered,
    showings::titled,
    visit::{Aim, COUNT_MAX, Choice, Question, SEATS, SUGGEST, USER_MAX, Visit},
};

/// Maximum proposals at once.
const PROPOSALS_MAX: usize = 4;
/// Best row, in thousandths of the hall's depth.
const BEST_ROW: i64 = 620;
/// Best row at the front and at the back.
const FRONT_ROW: i64 = 0;
const BACK_ROW: i64 = 1_000;
/// Best row in the middle.
const MIDDLE_ROW: i64 = 560;
/// Penalty for seats off the aisle if one is requested; exceeds any distance.
const OFF_AISLE: i64 = 10_000;

/// A free seat.
#[derive(Clone, Debug, Default)]
struct Seat {
    id: String,
    row: String,
    column: i64,
    is_premium: bool,
    /// Whether it costs more than an ordinary seat.
    is_dear: bool,
}

impl Visit {
    pub(super) fn list_seats(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let Some(showing) = &self.showing else { return self.list_showings(context) };
        let arguments = json!({ "showtime_id": showing.id });
        let reason = context.say("空いている席を確認", "To see which seats are free");
        context.only(SEATS, arguments, reason)
    }

    pub(super) fn handle_seats(
        &mut self,
        context: &mut TurnContext<'_>,
        found: &Value,
    ) -> Decision {
        let seats = read(found, self.wanted.wheelchair);
        let edges = edges(found);
        self.fares = Fares::read(found);
        self.retitle(context, found);
        if self.asks_price {
            return self.answer_prices(context, found);
        }
        if self.aim != Aim::Book {
            return self.show_seats(context, found, &seats);
        }
        let is_free = |id: &String| seats.iter().any(|it| it.id == *id);
        let taken: Vec<_> = self.seats.iter().filter(|it| !is_free(it)).cloned().collect();
        if !taken.is_empty() && !self.is_hold && self.looks_for_hold(context) {
            return self.list_holds(context);
        }
        if !taken.is_empty() {
            self.note = Some(not_offered(context, found, &taken));
            self.count = self.count.or(u32::try_from(self.seats.len()).ok());
            self.seats.clear();
        }
        if !self.seats.is_empty() {
            self.fares.keep(self.seats.iter());
            return match self.user {
                Some(_) if self.is_hold => self.hold(context),
                Some(_) => self.reserve(context),
                None => self.ask_user(context),
            };
        }
        let Some(count) = self.count else { return self.ask_count(context) };
        if count > COUNT_MAX {
            self.count = None;
            return context.conclude(context.say(
                format!("一度に予約できるのは{COUNT_MAX}席までです。何席にしますか？"),
                format!("At most {COUNT_MAX} seats can be reserved at once. How many shall it be?"),
            ));
        }
        if self.wanted.wheelchair && context.has(SUGGEST) {
            return self.suggest(context, count);
        }
        let count = count as usize;
        if seats.len() < count {
            self.showing = None;
            return context.conclude(context.say(
                format!("空席は{}席だけで、{count}席は取れません。予約はしていません。別の回をお試しください。", seats.len()),
                format!("Only {} left, fewer than {count}. Nothing was reserved; please try another showing.", say::counted(seats.len(), "seat")),
            ));
        }
        let seats = match &self.wanted.row {
            Some(row) => {
                let of_row: Vec<_> = seats.iter().filter(|it| it.row == *row).cloned().collect();
                if of_row.len() < count {
                    self.note = Some(context.say(
                        format!("{row}列に{count}席の空きはありません。"),
                        format!("Row {row} has fewer than {} left.", say::counted(count, "seat")),
                    ));
                    seats
                } else {
                    of_row
                }
            }
            None => seats,
        };
        const NOT_THERE: &str = "not in the|not at the front|not too close|以外|は嫌|じゃない";
        let is_denied = marks(NOT_THERE).any(|it| self.sentence.to_lowercase().contains(it));
        let position = self.wanted.position.filter(|_| !is_denied);
        let (groups, is_apart) = proposals(&seats, &edges, count, position, self.wanted.premium);
        let chosen = groups.first().map(Vec::as_slice).unwrap_or_default();
        let mut notes = Vec::new();
        if is_apart {
            notes
                .push(context.say("並びの席は残っていません。", "No seats side by side are left."));
        }
        if let Some(place) = position.filter(|it| !is_there(*it, chosen, &seats, &edges)) {
            let place = position_name(place, context);
            notes.push(context.say(
                format!("{place}に{count}席の空きは見つからないため、近い席です。"),
                format!("There is no room for {count} {place}; these are the nearest."),
            ));
        }
        if self.wanted.premium && !chosen.iter().any(|it| it.is_premium) {
            notes.push(context.say(
                "空いているプレミアム席は見つかりません。",
                "No premium seats like that are free.",
            ));
        }
        if !notes.is_empty() {
            self.note = Some(notes.join(context.language.pick("", " ")));
        }
        self.ask_seats(context, &groups)
    }

    /// Asks for a suggestion for wheelchairs, because only the cinema knows which seats belong together.
    fn suggest(&mut self, context: &mut TurnContext<'_>, count: u32) -> Decision {
        let Some(showing) = &self.showing else { return self.list_showings(context) };
        let arguments = json!({ "showtime_id": showing.id, "count": count, "wheelchair": true });
        let reason =
            context.say("車椅子スペースを含む席を探す", "To find seats with a wheelchair place");
        context.only(SUGGEST, arguments, reason)
    }

    /// Proposes the suggested seats.
    pub(super) fn suggested(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        let ids = found["seat_ids"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let seat = |id: &str| Seat { id: id.to_owned(), ..Seat::default() };
        let group: Vec<_> = ids.map(seat).collect();
        let sentence = context.language.pick(&found["sentence"], &found["sentence_en"]);
        let reason = sentence.as_str().map(str::to_owned);
        self.note = [self.note.take(), reason]
            .into_iter()
            .flatten()
            .reduce(|one, other| format!("{one} {other}"));
        self.ask_seats(context, &[group])
    }

    fn ask_seats(&mut self, context: &mut TurnContext<'_>, groups: &[Vec<Seat>]) -> Decision {
        self.choices =
            groups.iter().enumerate().map(|(at, it)| self.choice(context, at, it)).collect();
        self.fares.keep(groups.iter().flatten().map(|it| &it.id));
        self.question = Some(Question::Seats);
        let options: Vec<_> =
            self.choices.iter().map(|it| json!({ "value": it.value, "label": it.label })).collect();
        let first = self.choices.first().map(|it| it.value.clone());
        let label = context.say("座席", "Seats");
        let mut fields = vec![
            json!({ "name": "seat_ids", "type": "radio", "label": label, "options": options, "default": first, "required": true }),
        ];
        if self.user.is_none() {
            fields.push(user_field(context));
        }
        let showing = self.showing.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        let asks = self.noted(showing);
        let form = json!({ "title": context.say("座席の選択", "Choose seats"), "description": asks, "submitLabel": context.say("予約へ進む", "Go on"), "fields": fields });
        let reason = context.say("座席とお名前を尋ねるため", "To ask for the seats and the name");
        let list = numbered(&self.choices);
        let text = context.say(
            format!("{asks}\n{list}\n席の番号と、ユーザーIDを教えてください（例:「1番、ユーザーIDは u-1」）。"),
            format!("{asks}\n{list}\nWhich one, and what is your user ID (such as \"number 1, user ID u-1\")?"),
        );
        context.ask(form, reason, text)
    }

    fn ask_user(&mut self, context: &mut TurnContext<'_>) -> Decision {
        self.question = Some(Question::Seats);
        self.choices.clear();
        let seats = self.seats.join(", ");
        let seats = context.say(format!("座席: {seats}"), format!("Seats: {seats}"));
        let form = json!({
            "title": context.say("ご予約者", "Who is it for?"),
            "description": self.noted(seats),
            "submitLabel": context.say("予約へ進む", "Go on"),
            "fields": [user_field(context)],
        });
        let reason = context.say("どなたの予約かを尋ねるため", "To ask whom it is for");
        let text = context.say("ユーザーIDを教えてください。", "What is your user ID?");
        context.ask(form, reason, text)
    }

    fn ask_count(&mut self, context: &mut TurnContext<'_>) -> Decision {
        self.question = Some(Question::Seats);
        self.choices.clear();
        let fields: Vec<_> = self.count_field(context).into_iter().collect();
        let mut form = json!({ "title": context.say("席数", "How many seats?"), "submitLabel": context.say("次へ", "Next"), "fields": fields });
        let notes = self.noted(String::new());
        if !notes.is_empty() {
            form["description"] = notes.trim_end().into();
        }
        let reason = context.say("席数を尋ねるため", "To ask how many seats");
        let text = context.say("何席にしますか？", "How many seats shall it be?");
        context.ask(form, reason, text)
    }

    fn show_seats(&mut self, context: &TurnContext<'_>, found: &Value, seats: &[Seat]) -> Decision {
        let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for it in seats {
            rows.entry(&it.row).or_default().push(it.id.trim_start_matches(it.row.as_str()));
        }
        // For an end of the hall, shows the nearer half of the rows.
        let end = self.wanted.position.filter(|it| matches!(it, Position::Front | Position::Back));
        let half = rows.len().div_ceil(2);
        let end = end.filter(|_| rows.len() > 1 && self.seats.is_empty());
        match end {
            Some(Position::Back) => {
                let skipped = rows.len() - half;
                rows = rows.into_iter().skip(skipped).collect();
            }
            Some(_) => rows = rows.into_iter().take(half).collect(),
            None => {}
        }
        let part = match end {
            Some(Position::Back) => context.say("後ろ半分の列の", " in the back half"),
            Some(_) => context.say("前半分の列の", " in the front half"),
            None => String::new(),
        };
        let count: usize = rows.values().map(Vec::len).sum();
        let lines: Vec<_> =
            rows.iter().map(|(row, it)| format!("- {row}: {}", it.join(" "))).collect();
        let showing = self.showing.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        let taken: Vec<_> =
            self.seats.iter().filter(|id| !seats.iter().any(|it| it.id == **id)).cloned().collect();
        let named = match (self.seats.is_empty(), taken.is_empty()) {
            (true, _) => String::new(),
            (_, true) => context.say(
                format!("{} は空いています。", self.seats.join(", ")),
                format!("{}: free. ", self.seats.join(", ")),
            ),
            (_, false) => not_offered(context, found, &taken) + context.language.pick("", " "),
        };
        self.seats.clear();
        let chair = match self.wanted.wheelchair {
            true => context.say("車椅子用の", "wheelchair "),
            false => String::new(),
        };
        let seats = if count == 1 { "seat" } else { "seats" };
        let are = if count == 1 { " is" } else { " are" };
        let head = context.say(
            format!("{showing}の{part}{chair}空席は{count}席です。{named}"),
            format!("{showing}: {count} {chair}{seats}{part}{are} free. {named}"),
        );
        let next = context.say(
            "予約するときは「A5とA6を予約して」のように書いてください。",
            "To book, write for example \"book A5 and A6\".",
        );
        let text = self.noted(format!("{head}\n{}\n{next}", lines.join("\n")));
        context.conclude(text)
    }

    fn choice(&self, context: &TurnContext<'_>, at: usize, group: &[Seat]) -> Choice {
        let ids: Vec<_> = group.iter().map(|it| it.id.clone()).collect();
        let best = (at == 0).then(|| context.say("おすすめ", "recommended"));
        let kind = group.iter().any(|it| it.is_premium);
        let kind = kind.then(|| context.say("プレミアム席", "premium"));
        let facts = [best, kind, self.fares.cost(&ids, context)];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        let list = facts.join(context.language.pick("、", ", "));
        let facts = match facts.is_empty() {
            true => String::new(),
            false => context.say(format!("（{list}）"), format!(" ({list})")),
        };
        Choice {
            value: ids.join(","),
            label: format!("{}{facts}", ids.join(context.language.pick("・", ", "))),
            words: vec![ids.join(",")],
            name: None,
        }
    }

    /// Updates the showing's label from the tool's output.
    fn retitle(&mut self, context: &TurnContext<'_>, found: &Value) {
        let start = found["showtime"]["start_time"].as_str();
        let title = |name| found["showtime"][name].as_str();
        let own = title("movie_title");
        let title = context.language.pick(own, title("movie_title_en").or(own));
        let label = self.film.as_ref().map(|it| it.label.clone()).or(title.map(str::to_owned));
        if let (Some(start), Some(showing)) = (start, &mut self.showing) {
            showing.label = titled(label.as_deref(), start, context.language);
        }
    }
}

fn user_field(context: &TurnContext<'_>) -> Value {
    let label = context.say("お名前または利用者ID", "Name or user ID");
    json!({ "name": "user_id", "type": "text", "label": label, "required": true, "minLength": 1, "maxLength": USER_MAX })
}

/// Free seats, for wheelchairs or for others.
fn read(found: &Value, wheelchair: bool) -> Vec<Seat> {
    let seats = found["seats"].as_array().into_iter().flatten();
    let free = seats.filter(|it| it["is_reserved"] != true && is_for(&it["kind"], wheelchair));
    let prices = &found["prices"];
    let is_dearer = prices["premium"].as_u64() > prices["standard"].as_u64();
    let seat = |listed| {
        let seat = seat(listed)?;
        Some(Seat { is_dear: seat.is_premium && is_dearer, ..seat })
    };
    free.filter_map(seat).collect()
}

/// Says why the named seats are not offered: taken, or for wheelchairs, companions or pairs.
fn not_offered(context: &TurnContext<'_>, found: &Value, named: &[String]) -> String {
    let seats = || found["seats"].as_array().into_iter().flatten();
    let is_free =
        |id: &String| seats().any(|it| it["seat_id"] == id.as_str() && it["is_reserved"] != true);
    let is_there = |id: &String| seats().any(|it| it["seat_id"] == id.as_str());
    let (named, absent): (Vec<_>, Vec<_>) = named.iter().cloned().partition(is_there);
    let (special, taken): (Vec<_>, Vec<_>) = named.into_iter().partition(is_free);
    let mut notes = Vec::new();
    if !absent.is_empty() {
        let list = absent.join(", ");
        notes.push(
            context.say(format!("{list} という席はありません。"), format!("{list}: no such seat.")),
        );
    }
    if !taken.is_empty() {
        let list = taken.join(", ");
        notes.push(context.say(format!("{list} は空いていません。"), format!("{list}: not free.")));
    }
    if !special.is_empty() {
        let list = special.join(", ");
        notes.push(context.say(
            format!("{list} は車椅子・付き添い・ペアの席なので、座席表でお選びください。"),
            format!(
                "{list}: for wheelchairs, companions or pairs; choose them on the plan of the hall."
            ),
        ));
    }
    notes.join(context.language.pick("", " "))
}

/// Whether a kind of seat is proposed. Pairs and companion seats are chosen on the page.
fn is_for(kind: &Value, wheelchair: bool) -> bool {
    match kind.as_str() {
        Some("companion" | "pair") => false,
        kind => (kind == Some("wheelchair")) == wheelchair,
    }
}

fn seat(seat: &Value) -> Option<Seat> {
    let column = seat["column"].as_i64().or(seat["number"].as_i64())?;
    Some(Seat {
        id: seat["seat_id"].as_str()?.to_owned(),
        row: seat["row"].as_str()?.to_owned(),
        column,
        is_premium: seat["kind"] == "premium",
        is_dear: false,
    })
}

/// Seats at the end of a row or at an aisle, including taken ones.
fn edges(found: &Value) -> BTreeSet<String> {
    let all: Vec<_> = found["seats"].as_array().into_iter().flatten().filter_map(seat).collect();
    let places: BTreeSet<_> = all.iter().map(|it| (it.row.as_str(), it.column)).collect();
    let is_edge = |seat: &&Seat| {
        let has_neighbour = |column: i64| places.contains(&(seat.row.as_str(), column));
        !has_neighbour(seat.column - 1) || !has_neighbour(seat.column + 1)
    };
    all.iter().filter(is_edge).map(|it| it.id.clone()).collect()
}

/// Whether the seats are at the requested position.
fn is_there(position: Position, chosen: &[Seat], seats: &[Seat], edges: &BTreeSet<String>) -> bool {
    let rows: BTreeSet<_> = seats.iter().map(|it| it.row.as_str()).collect();
    let at = |row: &str| rows.iter().position(|it| *it == row).unwrap_or_default() * 4;
    let depth = rows.len().saturating_sub(1);
    match position {
        Position::Front => chosen.iter().all(|it| at(&it.row) <= depth),
        Position::Back => chosen.iter().all(|it| at(&it.row) >= 3 * depth),
        Position::Aisle => chosen.iter().any(|it| edges.contains(&it.id)),
        Position::Middle => {
            let columns = seats.iter().map(|it| it.column);
            let ends = columns.clone().min().unwrap_or(0) + columns.clone().max().unwrap_or(0);
            let width = columns.clone().max().unwrap_or(0) - columns.min().unwrap_or(0) + 1;
            let own: i64 = chosen.iter().map(|it| 2 * it.column - ends).sum();
            let count = i64::try_from(chosen.len().max(1)).unwrap_or(1);
            // Central is within the middle third of the hall.
            let is_central = (3 * own / count).abs() <= width;
            is_central && chosen.iter().all(|it| (depth..=3 * depth).contains(&at(&it.row)))
        }
    }
}

fn position_name(position: Position, context: &TurnContext<'_>) -> String {
    match position {
        Position::Front => context.say("前方", "at the front"),
        Position::Back => context.say("後方", "at the back"),
        Position::Middle => context.say("真ん中", "in the middle"),
        Position::Aisle => context.say("通路側", "at an aisle"),
    }
}

/// Best groups of `count` seats, and whether they are apart because none is together. In each row the best group of
/// either class: those that cost more come after the others, and only one of them, unless premium seats are requested.
fn proposals(
    seats: &[Seat],
    edges: &BTreeSet<String>,
    count: usize,
    position: Option<Position>,
    premium: bool,
) -> (Vec<Vec<Seat>>, bool) {
    let best_row = match position {
        Some(Position::Front) => FRONT_ROW,
        Some(Position::Back) => BACK_ROW,
        Some(Position::Middle) => MIDDLE_ROW,
        Some(Position::Aisle) | None => BEST_ROW,
    };
    // The requested position outweighs everything else.
    let (center_weight, row_divisor) = match position {
        Some(Position::Middle) => (3, 20),
        Some(Position::Front | Position::Back) => (1, 5),
        Some(Position::Aisle) | None => (1, 50),
    };
    let mut rows: BTreeMap<&str, Vec<&Seat>> = BTreeMap::new();
    for it in seats {
        rows.entry(&it.row).or_default().push(it);
    }
    let (least, most) = seats
        .iter()
        .fold((i64::MAX, i64::MIN), |it, seat| (it.0.min(seat.column), it.1.max(seat.column)));
    // Twice the middle, to use integers.
    let middle = least + most;
    let last = i64::try_from(rows.len()).unwrap_or(1).saturating_sub(1).max(1);
    let is_late = |it: &Seat| if premium { !it.is_premium } else { it.is_dear };
    let mut groups: Vec<(bool, i64, Vec<Seat>)> = Vec::new();
    for (at, row) in rows.values_mut().enumerate() {
        row.sort_by_key(|it| it.column);
        let depth = i64::try_from(at).unwrap_or_default() * 1_000 / last;
        let off_row = (depth - best_row).abs() / row_divisor;
        let together = row
            .windows(count)
            .filter(|it| it.windows(2).all(|it| it[1].column == it[0].column + 1));
        let scored = together.map(|seats| {
            let twice_center = seats[0].column + seats[count - 1].column;
            let is_off =
                position == Some(Position::Aisle) && !seats.iter().any(|it| edges.contains(&it.id));
            let off_aisle = if is_off { OFF_AISLE } else { 0 };
            let score = center_weight * (twice_center - middle).abs() + off_row + off_aisle;
            (seats.iter().any(|it| is_late(it)), score, seats)
        });
        let scored: Vec<_> = scored.collect();
        for class in [false, true] {
            let best = scored.iter().filter(|it| it.0 == class).min_by_key(|it| it.1);
            groups.extend(best.map(|(_, score, group)| {
                (class, *score, group.iter().map(|it| (*it).clone()).collect())
            }));
        }
    }
    if groups.is_empty() {
        let mut all: Vec<_> = seats.to_vec();
        all.sort_by_key(|it| (is_late(it), (2 * it.column - middle).abs()));
        all.truncate(count);
        all.sort_by(|a, b| (&a.row, a.column).cmp(&(&b.row, b.column)));
        return (vec![all], count > 1);
    }
    groups.sort_by_key(|it| (it.0, it.1));
    let late = groups.iter().position(|it| it.0).unwrap_or(groups.len());
    let others = groups.split_off(late);
    groups.truncate(PROPOSALS_MAX - usize::from(!others.is_empty()));
    let others_max = if groups.is_empty() { PROPOSALS_MAX } else { 1 };
    groups.extend(others.into_iter().take(others_max));
    (groups.into_iter().map(|it| it.2).collect(), false)
}
