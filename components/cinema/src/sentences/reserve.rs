//! Last step: the reservation, which the person approves.

use serde_json::{Value, json};

use language::{Language, context::TurnContext, turn::Decision};

use super::{
    fares::money,
    showings::format_start,
    visit::{Question, RESERVATION, RESERVE, Visit},
};

impl Visit {
    /// Reserves the seats; the call waits for approval.
    pub(super) fn reserve(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let (Some(user), Some(showing)) = (&self.user, &self.showing) else {
            return self.list_seats(context);
        };
        let mut arguments =
            json!({ "user_id": user, "showtime_id": showing.id, "seat_ids": self.seats });
        if let Some(hold) = &self.hold_token {
            arguments["hold_token"] = json!(hold);
        }
        let (label, seats) = (showing.label.clone(), self.seats.join(", "));
        let total = self.fares.total(&self.seats, context);
        let reason = context.say(
            format!("{label}の座席 {seats} を予約{total}"),
            format!("To reserve {seats}: {label}{total}"),
        );
        self.question = Some(Question::Approval);
        let reason = self.noted(reason);
        context.only(RESERVE, arguments, reason)
    }

    /// Repeats a name that came since the question `before`, where a form asks for the rest.
    pub(super) fn repeat_name(
        &mut self,
        before: (Option<String>, Option<Question>),
        context: &TurnContext<'_>,
    ) {
        let is_asked = before.1 == Some(Question::Showing) || self.seats.is_empty();
        let new = self.user.as_ref().filter(|it| before.0.as_ref() != Some(*it));
        if let Some(user) = new.filter(|_| is_asked) {
            let name = context
                .say(format!("お名前は「{user}」で承りました。"), format!("It is for {user}."));
            let remark = self.remark.take().into_iter().chain([name]);
            self.remark = Some(remark.collect::<Vec<_>>().join(" "));
        }
    }

    pub(super) fn reserved(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        (self.question, self.held, self.hold_token) = (None, None, None);
        (self.is_made, self.wanted.instead) = (true, None);
        self.seats.clear();
        let text = context.say("予約が完了しました。", "Your seats are reserved.");
        let next = self.later.take().map(|later| {
            context.say(
                format!("\n続けて「{later}」を予約するには、もう一度そう書いてください。"),
                format!("\nFor the other booking, write \"{later}\" again."),
            )
        });
        let next = next.unwrap_or_default();
        context.conclude(format!("{text}\n{}{next}", lines(context, found)))
    }

    pub(super) fn look_up(&self, context: &mut TurnContext<'_>) -> Decision {
        let Some(id) = &self.reservation else {
            return context.conclude(context.say(
                "予約番号（reservation_id）を書いてください。例:「予約番号 r-123 の内容を見せて」",
                "Please write the reservation's number, such as \"show me reservation r-123\".",
            ));
        };
        let reason = context.say("予約の内容を確認", "To look the reservation up");
        context.only(RESERVATION, json!({ "reservation_id": id }), reason)
    }

    pub(super) fn handle_shown(
        &mut self,
        context: &mut TurnContext<'_>,
        found: &Value,
    ) -> Decision {
        let text = match found["status"].as_str() {
            Some("cancelled") => {
                context.say("この予約は取り消されています。", "This reservation was cancelled.")
            }
            Some("transferred") => given_away(context),
            _ => context.say("予約の内容です。", "The reservation:"),
        };
        context.conclude(format!("{text}\n{}", lines(context, found)))
    }
}

/// States that a reservation was given away.
pub(super) fn given_away(context: &TurnContext<'_>) -> String {
    context.say(
        "この予約はほかの方に譲られました。座席は譲られた方の予約になっています。",
        "This reservation was given away; its seats are booked for the other person.",
    )
}

/// Formats a reservation: number, film, time, seats, price and state.
pub(super) fn lines(context: &TurnContext<'_>, found: &Value) -> String {
    let text = |name: &str| found[name].as_str();
    let seats =
        found["seats"].as_array().into_iter().flatten().filter_map(|it| it["seat_id"].as_str());
    let screen = context
        .language
        .pick(text("theater_name"), text("theater_name_en").or(text("theater_name")));
    let film =
        context.language.pick(text("movie_title"), text("movie_title_en").or(text("movie_title")));
    let rows = [
        (context.say("予約番号", "Number"), text("reservation_id").map(str::to_owned)),
        (context.say("映画", "Film"), film.map(str::to_owned)),
        (
            context.say("日時", "Time"),
            text("start_time").map(|it| format_start(it, context.language)),
        ),
        (context.say("スクリーン", "Screen"), screen.map(str::to_owned)),
        (context.say("座席", "Seats"), Some(seats.collect::<Vec<_>>().join(", "))),
        (context.say("お名前", "For"), text("user_id").map(str::to_owned)),
        (context.say("合計", "Total"), total(&found["total"], context.language)),
        (
            context.say("入場", "Checked in"),
            text("checked_in_at").map(|it| format_start(it, context.language)),
        ),
        (context.say("譲り先", "Given to"), text("transferred_to").map(str::to_owned)),
    ];
    let lines = rows.into_iter().filter_map(|(name, it)| Some(format!("- {name}: {}", it?)));
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) fn total(price: &Value, language: Language) -> Option<String> {
    Some(money(price["amount"].as_u64()?, price["currency"].as_str()?, language))
}

#[cfg(test)]
mod tests {
    use language::trial::{Talk, call, concluded, output};
    use serde_json::json;

    const TOOLS: &str = include_str!("../../tools.json");

    #[test]
    fn does_not_book_twice() {
        for (sentence, later) in [
            ("Reserve A5 and A6 of showtime st-2 for user u-1", "Make it three seats"),
            ("Reserve A5 and A6 of showtime st-2 for user u-1", "Can I move it to Monday?"),
            ("上映回 st-2 の A5とA6 を予約して。ユーザーIDは u-1", "やっぱり3枚にして"),
            ("上映回 st-2 の A5とA6 を予約して。ユーザーIDは u-1", "月曜に変更して"),
        ] {
            let mut talk = Talk::new(super::super::next, TOOLS);
            talk.say(sentence);
            talk.back(&[output(json!({ "reservation_id": "r-9", "status": "confirmed" }))]);
            let text = concluded(&talk.say(later)).text();
            assert!(text.contains("made already") || text.contains("もう完了"), "{later}: {text}");
        }
    }

    #[test]
    fn reports_the_state_of_a_reservation() {
        let given = json!({ "reservation_id": "rsv-1", "status": "transferred", "transferred_to": "u-2",
            "seats": [{ "seat_id": "A5" }], "total": { "currency": "JPY", "amount": 2000 } });
        let used = json!({ "reservation_id": "rsv-1", "status": "confirmed",
            "seats": [{ "seat_id": "A5" }], "checked_in_at": "2026-11-21T18:20:00" });
        for (found, japanese, english) in [
            (
                &given,
                ["譲られました", "合計: 2,000円", "譲り先: u-2"],
                ["given away", "¥2,000", "u-2"],
            ),
            (&used, ["予約の内容", "入場: ", "18:20"], ["The reservation", "Checked in", "18:20"]),
        ] {
            let sentences = [
                ("予約番号 rsv-1 の内容を見せて", japanese),
                ("show me reservation rsv-1", english),
            ];
            for (sentence, answer) in sentences {
                let mut talk = Talk::new(super::super::next, TOOLS);
                assert_eq!(call(&talk.say(sentence)).0, "get_reservation", "{sentence}");
                let text = concluded(&talk.back(&[output(found.clone())])).text();
                assert!(answer.iter().all(|it| text.contains(it)), "{answer:?}: {text}");
            }
        }
    }

    #[test]
    fn cancelling_releases_held_seats() {
        for (sentence, later) in [
            ("Hold A5 and A6 of showtime st-2 for user u-1", "cancel"),
            ("上映回 st-2 の A5とA6 を仮押さえして。ユーザーIDは u-1", "キャンセル"),
        ] {
            let mut talk = Talk::new(super::super::next, TOOLS);
            talk.say(sentence);
            let hold = json!({ "hold_id": "hd-1", "showtime_id": "st-2", "user_id": "u-1",
                "seats": [{ "seat_id": "A5" }], "expires_at": "2026-11-21T10:11:00" });
            talk.back(&[output(hold.clone())]);
            assert_eq!(call(&talk.say(later)).0, "list_holds", "{later}");
            let next = talk.back(&[output(json!({ "holds": [hold] }))]);
            assert_eq!(call(&next).0, "release_hold", "{later}");
        }
    }

    #[test]
    fn waiting_list_is_no_cancellation() {
        for sentence in ["Put me on the waiting list", "キャンセル待ちに2名で入れて"] {
            let mut talk = Talk::new(super::super::next, TOOLS);
            let text = concluded(&talk.say(sentence)).text();
            assert!(text.contains("waiting list") || text.contains("キャンセル待ち"), "{text}");
        }
    }
}
