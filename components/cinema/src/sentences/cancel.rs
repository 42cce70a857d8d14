//! Cancels a reservation: looks it up, shows it, and cancels when the person approves.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use language::{
    condition,
    consent::{Consent, consent},
    context::{TurnContext, failure, output},
    say,
    scan::{folded, marks},
    turn::{Answered, Decision},
    utterance::Utterance,
    words::Word,
};

use super::{
    answers::{ordinal, place, short_name},
    reserve::{given_away, lines, total},
    rules::RESERVATION_ID,
    showings::format_start,
    titles::Sentence,
    visit::{RESERVATION, RESERVE},
};

pub(super) const CANCEL: &str = "cancel_reservation";
const RESERVATIONS: &str = "list_reservations";
/// Maximum reservations offered at once.
const OFFERED_MAX: usize = 10;
/// Maximum reservations remembered in one conversation.
const BOOKINGS_MAX: usize = 20;

/// A reservation that was made or looked up in this conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Booking {
    id: String,
    title: String,
    #[serde(default)]
    title_en: String,
    start: String,
    #[serde(default)]
    seats: Vec<String>,
    #[serde(default)]
    total: Value,
}

impl Booking {
    /// Reads the output of `list_reservations`.
    fn parse_all(found: &Value) -> Vec<Self> {
        let read = |entry: &Value| {
            let text = |name: &str| entry[name].as_str().map(str::to_owned);
            Some(Self {
                id: text("reservation_id")?,
                title: text("movie_title").unwrap_or_default(),
                title_en: text("movie_title_en").unwrap_or_default(),
                start: text("start_time").unwrap_or_default(),
                seats: seat_ids(entry),
                total: entry["total"].clone(),
            })
        };
        let all = found["reservations"].as_array().into_iter().flatten();
        all.filter_map(read).take(OFFERED_MAX).collect()
    }

    /// Title in the language of the answer.
    fn title_in(&self, context: &TurnContext<'_>) -> &str {
        let english = if self.title_en.is_empty() { &self.title } else { &self.title_en };
        context.language.pick(&self.title, english)
    }
}

/// Valid reservations of this conversation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Bookings(Vec<Booking>);

impl Bookings {
    /// Updates them from results of calls.
    pub(super) fn parse(&mut self, answered: &[Answered]) {
        for tool in [RESERVE, RESERVATION, CANCEL] {
            let Some(found) = output(answered, tool) else { continue };
            let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
            let id = text("reservation_id");
            let holds = !matches!(found["status"].as_str(), Some("cancelled" | "transferred"));
            if !holds {
                self.0.retain(|it| it.id != id);
            } else if !id.is_empty() {
                let (title, title_en) = (text("movie_title"), text("movie_title_en"));
                let (start, seats) = (text("start_time"), seat_ids(found));
                let total = found["total"].clone();
                let booking = Booking { id, title, title_en, start, seats, total };
                // Positions are stable, so that `cancel the second one` works.
                match self.0.iter_mut().find(|it| it.id == booking.id) {
                    Some(known) => *known = booking,
                    None => self.0.push(booking),
                }
            }
        }
        let surplus = self.0.len().saturating_sub(BOOKINGS_MAX);
        self.0.drain(..surplus);
    }

    /// Reservations that `utterance` may mean, by film or day; otherwise all.
    fn candidates(&self, utterance: &Utterance) -> Vec<Booking> {
        let fold = |text: &str| folded(text).iter().collect::<String>();
        let text = fold(&utterance.text());
        let day = utterance.when.date.map(|it| it.to_string());
        let named: Vec<_> = self
            .0
            .iter()
            .filter(|booking| {
                let (title, english) = (fold(&booking.title), fold(&booking.title_en));
                let is_titled = !english.is_empty() && text.contains(&english)
                    || !title.is_empty()
                        && (text.contains(&title)
                            || parts(&booking.title).iter().any(|part| text.contains(&fold(part))));
                is_titled || day.as_ref().is_some_and(|day| booking.start.starts_with(day.as_str()))
            })
            .cloned()
            .collect();
        if named.is_empty() { self.0.clone() } else { named }
    }

    /// Answers a question about reservations of this conversation: `which seats did I get?`, `さっきの予約、何時だっけ`. Right
    /// after a booking (`is_made`), bare questions for a time, a place or a price count as well.
    pub(super) fn recall_bookings(
        &self,
        utterance: &Sentence,
        is_made: bool,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        const RECALLS: &str = "だっけ|でしたっけ|だったっけ|になった|になりました|になってる|だった?|でした?|取れた|取れて|さっきの予約|さっき取った|さっき予約|did i get|did i book|did i pay|did i just|did we get|did we book|did you book|did you get|did it cost|was my|was our|are we sitting|am i sitting|do we sit|do i sit|are my|are our|was it|was that";
        const ABOUT: &str = "予約|席|何時|いつ|どこ|いくら|合計|総額|番号|スクリーン|何列|何枚|何の映画|どの映画|seat|seats|sitting|sit|time|when|where|cost|total|pay|number|screen|row|film|movie|ticket|tickets|book";
        const BARE: &str = "合計|いくら|合計は|合計いくら|合計はいくら|全部でいくら|何時から|何時|何時だっけ|席は|席はどこ|席どこ|スクリーンは|スクリーンどこ|予約できた|予約取れた|取れた|取れてる|which seats|what seats|what time|what's the total|how much was it|how much in total|did that work|did it work|did it go through|is it booked|am i booked|are we booked";
        const OTHERS: &[Word] = &[Word::CANCEL, Word::CHANGE, Word::THEIRS, Word::ANOTHER];
        const NEXT: &str = "次の|最終|最後の|空席|空いて|上映|やって|レイト|駅|next|last|free|left|showing|is on|are on|station";
        const OWN: &str = "予約|取っ|取れ|book|did i|did we|my |our ";
        let text: String = utterance.lower.iter().collect();
        let text = text.trim_matches(['?', '？', '。', '.', '!', ' ', '、']);
        let text = text.strip_suffix("ですか").or(text.strip_suffix("でしたか")).unwrap_or(text);
        let is_bare = is_made && marks(BARE).any(|it| it == text);
        let is_named = || {
            let title = utterance.title().map(|it| it.to_lowercase());
            title.is_none_or(|title| {
                let own = |it: &Booking| [it.title.to_lowercase(), it.title_en.to_lowercase()];
                self.0.iter().flat_map(own).any(|it| it.contains(&title))
                    || utterance.says(RECALLS) && title.contains("さっき")
            })
        };
        let is_recall = || {
            utterance.asks()
                && utterance.says(RECALLS)
                && utterance.says(ABOUT)
                && !utterance.has(OTHERS)
                && !utterance.says(NEXT)
                && utterance.numbers.counts.is_empty()
                && utterance.numbers.marked.is_empty()
                // `明日の羅生門は何時からだっけ` is about the programme.
                && (utterance.when.spans.is_empty() || utterance.says(OWN))
                && is_named()
        };
        (!self.0.is_empty() && (is_bare || is_recall())).then(|| self.described(context))
    }

    /// Describes the reservations of this conversation, or asks for what a look-up needs.
    pub(super) fn described(&self, context: &TurnContext<'_>) -> String {
        match self.lines(context) {
            Some(lines) => context.say(
                format!("この会話での予約です。\n{lines}\nほかの予約は、予約番号（rsv-…）を書くと確認できます。"),
                format!("Reservations of this conversation:\n{lines}\nTo see another one, write its number (rsv-…)."),
            ),
            None => context.say(
                "この会話で行った予約はありません。予約を確認するには予約番号（rsv-…）を書いてください。例:「予約番号 r-123 の内容を見せて」",
                "Nothing was reserved in this conversation. To look a reservation up, write its number (rsv-…), such as \"show me reservation r-123\".",
            ),
        }
    }

    /// Formats each on a line.
    fn lines(&self, context: &TurnContext<'_>) -> Option<String> {
        let lines: Vec<_> = self
            .0
            .iter()
            .map(|booking| {
                let start = format_start(&booking.start, context.language);
                let seats = booking.seats.join(context.language.pick("・", ", "));
                let more = [Some(seats), total(&booking.total, context.language)];
                let more = more.into_iter().flatten().filter(|it| !it.is_empty());
                let line = format!("- {}: {} {start}", booking.id, booking.title_in(context));
                [line].into_iter().chain(more).collect::<Vec<_>>().join(" / ")
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// Seats of a reservation.
fn seat_ids(found: &Value) -> Vec<String> {
    let seats = found["seats"].as_array().into_iter().flatten();
    seats.filter_map(|it| it["seat_id"].as_str().map(str::to_owned)).collect()
}

/// Parts of a title that identify it: `トトロ` of となりのトトロ.
fn parts(title: &str) -> Vec<String> {
    let pieces = title.split(|it: char| matches!(it, '\u{3041}'..='\u{3096}' | ' ' | '。' | '・'));
    pieces.filter(|it| it.chars().count() > 2).map(str::to_owned).collect()
}

/// A cancellation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cancel {
    id: Option<String>,
    choices: Vec<Booking>,
    /// Whether the person only asks how to cancel, or cancels all.
    asks_how: bool,
    is_all: bool,
    /// Whether it waits for the number.
    pub(super) waits: bool,
    /// User whose reservations are listed, because the number is unknown.
    user: Option<String>,
    /// Whether the user was asked for.
    asks_whose: bool,
    /// Whether it is wished on a condition, `無料なら`, and whether that was answered.
    is_conditional: bool,
    was_conditional: bool,
}

impl Cancel {
    pub(super) fn new(utterance: &Sentence, bookings: &Bookings) -> Self {
        const ALL: &str =
            "全員|みんなの|全て|すべて|全部|everyone|everybody|every |all |everything";
        let mut id = number(utterance);
        let choices = if id.is_some() { Vec::new() } else { bookings.candidates(utterance) };
        let text: String = utterance.lower.iter().collect();
        let is_all = marks(ALL).any(|it| text.contains(it)) && id.is_none();
        let asks_how = id.is_none()
            && utterance.has(&[Word::CAN, Word::HOW])
            && !text.contains("please")
            && !text.contains("my ")
            && !text.contains("ください")
            && !text.contains("お願い");
        let user = utterance.user();
        if let (Some(place), 2..) = (place(utterance), choices.len()) {
            id = choices.get(place).map(|it| it.id.clone());
        }
        let is_conditional = has_condition(utterance);
        Self { id, choices, asks_how, is_all, user, is_conditional, ..Self::default() }
    }

    /// Drops the condition if `utterance` repeats the wish without it: `それでもキャンセルして`, `yes, cancel it`.
    pub(super) fn goes_ahead(&mut self, utterance: &Sentence) -> bool {
        let is_same = number(utterance).is_none_or(|it| Some(it) == self.id);
        let is_said =
            utterance.has(&[Word::CANCEL]) || consent(&utterance.text()) == Some(Consent::Yes);
        let goes_on = self.was_conditional
            && self.id.is_some()
            && is_same
            && is_said
            && !utterance.denies(&[Word::CANCEL])
            && !utterance.asks()
            && !has_condition(utterance);
        (self.was_conditional, self.is_conditional) = (self.was_conditional && !goes_on, false);
        goes_on
    }

    /// Asks for the user if `utterance` says that the number is unknown.
    pub(super) fn ask_for_user(
        &mut self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        const FORGETS: &str = "わからない|分からない|わかんない|分かんない|わかりません|分かりません|忘れ|覚えて|なくし|失くし|知らない|知りません|don't know|dont know|do not know|don't remember|dont remember|do not remember|can't remember|cannot remember|forgot|forgotten|lost|no idea|さっき取った|さっきの|さっき予約|この前の|この間の|昨日取った|昨日の|the one i just|the one from|the last one i|the one i booked|the one i made";
        let is_known = number(utterance).is_some() || utterance.user().is_some();
        if !self.waits || is_known || !utterance.says(FORGETS) || !context.has(RESERVATIONS) {
            return None;
        }
        self.asks_whose = true;
        Some(context.say(
            "予約番号の代わりに、予約した方のお名前かユーザーIDを書いてください。予約を調べます。まだ何も取り消していません。",
            "Then write the name or the user ID that it was booked for, and I look it up. Nothing was cancelled yet.",
        ))
    }

    /// Switches to the other of two reservations if `utterance` says so; returns whether it did.
    pub(super) fn switch_to_other(&mut self, utterance: &Sentence) -> bool {
        const OTHER: &str = "the other|other one|もう一つ|もうひとつ|もう1つ|もう一方|もう片方|別のほう|別の方|逆のほう|逆の方|そっちじゃな|そっちでは";
        let [one, two] = &self.choices[..] else { return false };
        let Some(id) = self.id.as_ref().filter(|_| utterance.says(OTHER)) else { return false };
        let other = if *id == one.id { &two.id } else { &one.id };
        self.id = Some(other.clone());
        true
    }

    /// Reads the number if it is awaited; returns whether it was one.
    pub(super) fn answer_in_text(&mut self, utterance: &Sentence) -> bool {
        let text = utterance.text();
        let chosen = ordinal(&text.to_lowercase())
            .and_then(|it| self.choices.get(it))
            .map(|it| it.id.clone());
        if let Some(id) = number(utterance).or(chosen) {
            (self.id, self.waits) = (Some(id), false);
            return true;
        }
        let name = || short_name(utterance).filter(|_| self.asks_whose);
        let Some(user) = utterance.user().or_else(name) else { return false };
        (self.user, self.waits, self.asks_whose) = (Some(user), false, false);
        true
    }

    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((_, failure)) = failure(answered) {
            if failure.error == "not_allowed" {
                return context.conclude(context.say(
                    "承認されなかったため、取り消していません。",
                    "As you did not allow it, nothing was cancelled.",
                ));
            }
            let message = say::failed(context, failure);
            return context.conclude(context.say(
                format!("取り消していません。{message}"),
                format!("Nothing was cancelled. {message}"),
            ));
        }
        if let Some(found) = output(answered, CANCEL) {
            let text = context.say(
                "予約を取り消しました。座席は空きました。",
                "The reservation is cancelled, and its seats are free again.",
            );
            return context.conclude(format!("{text}\n{}", lines(context, found)));
        }
        if let Some(found) = output(answered, RESERVATION) {
            return self.confirm(context, found);
        }
        if self.is_all {
            return context.conclude(context.say(
                "まとめて取り消すことはできません。何も取り消していません。ご自分の予約は、予約番号を1つずつ書いてください。",
                "I do not cancel reservations all at once; nothing was cancelled. Please write the number of the one of yours that you mean.",
            ));
        }
        if let Some(found) = output(answered, RESERVATIONS) {
            self.choices = Booking::parse_all(found);
            if self.choices.is_empty() {
                let user = self.user.take().unwrap_or_default();
                self.waits = true;
                return context.conclude(context.say(
                    format!("{user} の予約はありません。何も取り消していません。予約番号（rsv-…）でも調べられます。"),
                    format!("There is no reservation for {user}, and nothing was cancelled. Its number (rsv-…) will do as well."),
                ));
            }
        } else if let Some(user) = self.user.as_ref().filter(|_| self.lists_bookings(context)) {
            let reason = context
                .say(format!("{user} の予約を確認"), format!("To see what {user} has booked"));
            return context.only(RESERVATIONS, json!({ "user_id": user }), reason);
        }
        if let [only] = &self.choices[..] {
            self.id = self.id.take().or(Some(only.id.clone()));
        }
        if let Some(id) = self.id.clone().filter(|_| !self.asks_how) {
            let reason = context
                .say("取り消す予約の内容を確認", "To see the reservation that is to be cancelled");
            return context.only(RESERVATION, json!({ "reservation_id": id }), reason);
        }
        self.waits = true;
        let lines: Vec<_> = self
            .choices
            .iter()
            .enumerate()
            .map(|(at, booking)| {
                format!(
                    "{}. {} {}（{}）",
                    at + 1,
                    booking.title_in(context),
                    format_start(&booking.start, context.language),
                    booking.id
                )
            })
            .collect();
        let list = if lines.is_empty() { String::new() } else { format!("\n{}", lines.join("\n")) };
        let free = if self.asks_how {
            context.say(
                "予約は上映開始前まで取り消せます。",
                "A reservation can be cancelled until the showing begins. ",
            )
        } else {
            String::new()
        };
        context.conclude(context.say(
            format!("{free}どの予約を取り消しますか？予約番号（rsv-…）を書いてください。まだ何も取り消していません。{list}"),
            format!("{free}Which reservation shall be cancelled? Please write its number (rsv-…). Nothing was cancelled yet.{list}"),
        ))
    }

    /// Whether to list the user's reservations.
    fn lists_bookings(&self, context: &TurnContext<'_>) -> bool {
        self.id.is_none() && self.choices.is_empty() && !self.asks_how && context.has(RESERVATIONS)
    }

    /// Proposes the cancellation: the person sees the reservation and approves.
    fn confirm(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        let text = |name: &str| found[name].as_str().unwrap_or_default();
        let over = match text("status") {
            "cancelled" => Some(context.say(
                "この予約はすでに取り消されています。",
                "This reservation is cancelled already.",
            )),
            "transferred" => Some(given_away(context)),
            _ => None,
        };
        if let Some(head) = over {
            return context.conclude(format!("{head}\n{}", lines(context, found)));
        }
        if self.is_conditional {
            (self.is_conditional, self.was_conditional) = (false, true);
            let head = context.say(
                "条件つきの取り消しはできないため、何も取り消していません。手数料や返金は登録されていません。この予約を取り消すには、「キャンセルして」と続けてください。",
                "I cannot cancel on a condition, so nothing was cancelled. Fees and refunds are not on record here. To cancel this reservation anyway, go on with \"cancel it\".",
            );
            return context.conclude(format!("{head}\n{}", lines(context, found)));
        }
        if !context.has(CANCEL) {
            let head = context.say(
                "取り消しのツール（cancel_reservation）はいま利用できません。",
                "The tool cancel_reservation is not on offer now.",
            );
            return context.conclude(format!("{head}\n{}", lines(context, found)));
        }
        let arguments =
            json!({ "reservation_id": text("reservation_id"), "user_id": text("user_id") });
        let seats =
            found["seats"].as_array().into_iter().flatten().filter_map(|it| it["seat_id"].as_str());
        let seats = seats.collect::<Vec<_>>().join(", ");
        let (title, when) =
            (text("movie_title"), format_start(text("start_time"), context.language));
        let title_en = found["movie_title_en"].as_str().unwrap_or(title);
        let reason = context.say(
            format!("予約を取り消し: 「{title}」{when} 座席 {seats}"),
            format!("To cancel the reservation: {title_en} – {when}, seats {seats}"),
        );
        context.only(CANCEL, arguments, reason)
    }
}

/// Whether the cancellation depends on something that is not known: `無料なら`, `only if I get my money back`.
fn has_condition(utterance: &Utterance) -> bool {
    const ORDERS: &str = "キャンセル|取り消|取消|とりけ";
    // `rsv-8なら` names it.
    let named = number(utterance).map(|it| format!("{}なら", it.to_lowercase()));
    let text: String = utterance.lower.iter().collect();
    condition::depends(&named.map_or_else(|| text.clone(), |it| text.replace(&it, "")), ORDERS)
}

/// Reservation number in `utterance`, by its label or its form.
pub(super) fn number(utterance: &Utterance) -> Option<String> {
    // `my booking number again` has none.
    let is_written = |id: &&str| !id.chars().all(|it| it.is_ascii_lowercase());
    if let Some(id) = utterance.numbers.id(RESERVATION_ID).filter(is_written) {
        return Some(id.to_owned());
    }
    let text = utterance.text();
    let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let words = text.split(|it| !is_sign(it));
    let is_number = |word: &&str| {
        let lower = word.to_ascii_lowercase();
        let has_digit = word.contains(|it: char| it.is_ascii_digit());
        let is_named = ["rsv", "r-", "res"].iter().any(|head| lower.starts_with(head));
        lower.starts_with("rsv-") && word.len() > 4
            || has_digit && is_named && word.len() > 2
            || has_digit
                && word.contains(['-', '_'])
                && word.len() > 5
                && word.contains(|it: char| it.is_ascii_alphabetic())
    };
    words.into_iter().find(is_number).map(str::to_owned)
}
