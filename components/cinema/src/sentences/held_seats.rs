//! Held seats: lists, releases or reserves them. They are looked up each time, because the person may
//! have changed them on the page.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use language::{
    context::{TurnContext, failure, output},
    say,
    turn::{Answered, Decision},
};

use super::{
    answers::{recount, short_name},
    cancel::number,
    fares::money,
    questions,
    reserve::lines,
    rules::{Goal, USER},
    showings::format_start,
    titles::Sentence,
    visit::{HOLD, HOLDS, Question, RELEASE, RESERVE, Selection, USER_MAX, Visit},
    words,
};

/// Action on held seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HoldAction {
    Tell,
    Release,
    Reserve,
}

/// A hold as last reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownHold {
    pub(super) hold_id: String,
    pub(super) user: String,
    pub(super) showtime: String,
    pub(super) seats: Vec<String>,
    /// Expiry.
    pub(super) until: String,
    /// Total price in minor units, and its currency.
    #[serde(default)]
    total: Option<(u64, String)>,
}

impl KnownHold {
    /// Reads a tool's hold.
    pub(super) fn read(found: &Value) -> Option<Self> {
        let text = |name: &str| found[name].as_str().map(str::to_owned);
        let seats = found["seats"].as_array()?.iter();
        Some(Self {
            hold_id: text("hold_id")?,
            user: text("user_id")?,
            showtime: text("showtime_id")?,
            seats: seats.filter_map(|it| it["seat_id"].as_str().map(str::to_owned)).collect(),
            until: text("expires_at")?,
            total: found["total"]["amount"]
                .as_u64()
                .zip(found["total"]["currency"].as_str().map(str::to_owned)),
        })
    }

    /// Reads the output of `list_holds`, newest first.
    pub(super) fn parse_all(found: &Value) -> Vec<Self> {
        found["holds"].as_array().into_iter().flatten().filter_map(Self::read).collect()
    }

    fn describe(&self, context: &TurnContext<'_>) -> String {
        self.seats.join(context.language.pick("・", ", "))
    }
}

/// A request about held seats.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Held {
    #[serde(rename = "deed")]
    action: HoldAction,
    user: Option<String>,
    /// Showing of the conversation.
    showing: Option<Selection>,
    /// Hold as the person last knew it.
    before: Option<KnownHold>,
    /// Whether it waits for the user.
    waits: bool,
}

/// The plan before a request about held seats.
#[derive(Clone, Copy, Debug)]
pub(super) enum Before<'a> {
    Visit(&'a Visit),
    Held(&'a Held),
}

impl Held {
    /// Creates the request, completing it from the plan `before`.
    pub(super) fn new(
        utterance: &Sentence,
        action: HoldAction,
        before: Option<Before<'_>>,
    ) -> Self {
        let user = utterance.numbers.id(USER).map(str::to_owned);
        let user = user.or_else(|| utterance.booker.clone());
        let (of_before, showing, before) = match before {
            Some(Before::Visit(it)) => (it.user.clone(), it.showing.clone(), it.held.clone()),
            Some(Before::Held(it)) => (it.user.clone(), it.showing.clone(), it.before.clone()),
            None => Default::default(),
        };
        Self { action, user: user.or(of_before), showing, before, waits: false }
    }

    /// Next action on the same seats.
    pub(super) fn next_action(utterance: &Sentence, goal: Option<Goal>) -> Option<HoldAction> {
        let lets_go = match goal {
            Some(Goal::Release) => true,
            Some(Goal::Cancel) => {
                number(utterance).is_none() && !utterance.has(&[words::RESERVATION])
            }
            _ => goal.is_none() && questions::abandons(utterance),
        };
        match () {
            () if lets_go => Some(HoldAction::Release),
            () if goal.is_none() && questions::asks_how_long(utterance) => Some(HoldAction::Tell),
            () if matches!(goal, None | Some(Goal::Book)) && questions::confirms(utterance) => {
                Some(HoldAction::Reserve)
            }
            () => None,
        }
    }

    /// Visit that chooses another number of seats of the same showing.
    pub(super) fn with_new_count(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<Visit> {
        let showing = self.showing.clone()?;
        let text: String = utterance.lower.iter().collect();
        let count = utterance.numbers.people().or_else(|| recount(&text))?;
        let is_other = utterance.title().is_some() || utterance.asks();
        if is_other || self.waits || self.action != HoldAction::Reserve {
            return None;
        }
        let mut visit = Visit::new(utterance, Goal::Book, None);
        (visit.showing, visit.user, visit.count) = (Some(showing), self.user.clone(), Some(count));
        visit.remark = self.before.as_ref().map(|hold| {
            let seats = hold.describe(context);
            context.say(
                format!("予約はしていません。{seats} の仮押さえは、手放すか期限が来るまで残ります。"),
                format!("Nothing was reserved; {seats} stay held until you let them go or the time is up."),
            )
        });
        Some(visit)
    }

    /// Reads the user if that was asked; returns whether it was one.
    pub(super) fn answer_in_text(&mut self, utterance: &Sentence) -> bool {
        if !self.waits {
            return false;
        }
        let user = utterance.numbers.id(USER).map(str::to_owned);
        let user = user.or_else(|| utterance.booker.clone()).or_else(|| short_name(utterance));
        let Some(user) = user else { return false };
        (self.user, self.waits) = (Some(user.chars().take(USER_MAX).collect()), false);
        true
    }

    /// Label of the hold's showing, if known.
    fn label(&self, one: &KnownHold) -> Option<&str> {
        let showing = self.showing.as_ref().filter(|it| it.id == one.showtime)?;
        (showing.label != showing.id).then_some(showing.label.as_str())
    }

    pub(super) fn next(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if let Some((tool, failure)) = failure(answered) {
            let text = say::failed(context, failure);
            let nothing = match tool == RESERVE {
                true => context.say("予約はしていません。", "Nothing was reserved. "),
                false => String::new(),
            };
            return context.conclude(nothing + &text);
        }
        if let Some(found) = output(answered, RESERVE) {
            let text = context.say("予約が完了しました。", "Your seats are reserved.");
            return context.conclude(format!("{text}\n{}", lines(context, found)));
        }
        if output(answered, RELEASE).is_some() {
            return context.conclude(context.say(
                "仮押さえした座席を手放しました。ほかの方が選べます。",
                "The seats are let go; others can have them now.",
            ));
        }
        if let Some(found) = output(answered, HOLDS) {
            return self.handle_found(context, &KnownHold::parse_all(found));
        }
        let Some(user) = &self.user else {
            self.waits = true;
            return context.conclude(context.say(
                "どなたの仮押さえですか？ユーザーIDを書いてください（例:「ユーザーIDは u-1」）。",
                "Whose seats are they? Please write the user ID, such as \"user ID u-1\".",
            ));
        };
        let mut arguments = json!({ "user_id": user });
        if let Some(showing) = &self.showing {
            arguments["showtime_id"] = json!(showing.id);
        }
        let reason = context.say("今の仮押さえを確認", "To see what is held now");
        context.only(HOLDS, arguments, reason)
    }

    /// Continues with the current hold, which may have changed or ended.
    fn handle_found(&mut self, context: &mut TurnContext<'_>, holds: &[KnownHold]) -> Decision {
        let Some(newest) = holds.first() else {
            let before = self.before.take().map(|it| it.describe(context));
            let find_unavailable = match before {
                Some(seats) => context.say(
                    format!("{seats} の仮押さえは、手放されたか期限が切れています。"),
                    format!("{seats}: no longer held; they were let go, or the time is up. "),
                ),
                None => {
                    context.say("今、仮押さえしている座席はありません。", "No seats are held now. ")
                }
            };
            let done = match self.action {
                HoldAction::Reserve => context.say(
                    "予約はしていません。席を選び直すときは、そう書いてください。",
                    "Nothing was reserved. To choose seats anew, just say so.",
                ),
                HoldAction::Tell | HoldAction::Release => String::new(),
            };
            return context.conclude(format!("{find_unavailable}{done}").trim_end().to_owned());
        };
        let seats = newest.describe(context);
        let moved = self.before.as_ref().filter(|it| it.seats != newest.seats).map(|before| {
            let before = before.describe(context);
            context.say(
                format!("座席は {before} から {seats} に変わっています。"),
                format!("The seats have changed from {before} to {seats}. "),
            )
        });
        let moved = moved.unwrap_or_default();
        match self.action {
            HoldAction::Tell => {
                let lines = holds.iter().map(|one| {
                    let (seats, until) =
                        (one.describe(context), format_start(&one.until, context.language));
                    let known = self.label(one);
                    // Several holds are distinguished by their showing.
                    let showing = known.or((holds.len() > 1).then_some(&*one.showtime));
                    let head = showing.map_or_else(String::new, |label| {
                        context.say(format!("{label}、"), format!("{label}, "))
                    });
                    context.say(
                        format!("- {seats}（{head}{until} まで）"),
                        format!("- {seats} ({head}until {until})"),
                    )
                });
                let lines = lines.collect::<Vec<_>>().join("\n");
                let head = context.say("仮押さえ中の座席です。", "Seats that are held:");
                context.conclude(format!("{moved}{head}\n{lines}"))
            }
            HoldAction::Release => {
                let reason = context
                    .say(format!("{moved}{seats} を手放す"), format!("{moved}To let {seats} go"));
                context.only(RELEASE, json!({ "hold_token": newest.hold_id }), reason)
            }
            HoldAction::Reserve => {
                let label = self.label(newest).map_or_else(String::new, |label| {
                    context.say(format!("{label}の"), format!(": {label}"))
                });
                let total = newest.total.as_ref().map_or_else(String::new, |(amount, currency)| {
                    let total = money(*amount, currency, context.language);
                    context.say(format!("（合計 {total}）"), format!(" ({total} in all)"))
                });
                let reason = context.say(
                    format!("{moved}{label}仮押さえした {seats} を予約{total}"),
                    format!("{moved}To reserve {seats}, which are held{label}{total}"),
                );
                let arguments = json!({
                    "user_id": newest.user, "showtime_id": newest.showtime,
                    "seat_ids": newest.seats, "hold_token": newest.hold_id,
                });
                context.only(RESERVE, arguments, reason)
            }
        }
    }
}

impl Visit {
    /// Holds the seats; the call waits for approval.
    pub(super) fn hold(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let (Some(user), Some(showing)) = (&self.user, &self.showing) else {
            return self.list_seats(context);
        };
        let arguments =
            json!({ "user_id": user, "showtime_id": showing.id, "seat_ids": self.seats });
        let (label, seats) = (showing.label.clone(), self.seats.join(", "));
        let reason = context
            .say(format!("{label}の座席 {seats} を仮押さえ"), format!("To hold {seats}: {label}"));
        self.question = Some(Question::Approval);
        let reason = self.noted(reason);
        context.only(HOLD, arguments, reason)
    }

    /// The held seats also appear on the page, with the remaining time.
    pub(super) fn handle_hold(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        (self.question, self.is_hold, self.held) = (None, false, KnownHold::read(found));
        self.seats.clear();
        let Some(held) = &self.held else { return context.conclude(String::new()) };
        let (seats, until) = (held.describe(context), format_start(&held.until, context.language));
        context.conclude(context.say(
            format!("{seats} を {until} まで仮押さえしました。座席表にもあなたの席として表示されます。「予約して」で確定、「手放して」で取りやめます。"),
            format!("{seats}: held until {until}, and shown as yours on the plan of the hall. Write \"book them\" to reserve, or \"let them go\"."),
        ))
    }

    /// Whether taken seats may be the person's own hold, which is then looked up.
    pub(super) fn looks_for_hold(&self, context: &TurnContext<'_>) -> bool {
        self.user.is_some() && self.hold_token.is_none() && !self.has_looked && context.has(HOLDS)
    }

    /// Lists the user's holds.
    pub(super) fn list_holds(&mut self, context: &mut TurnContext<'_>) -> Decision {
        self.has_looked = true;
        let showing = self.showing.as_ref().map(|it| it.id.clone());
        let arguments = json!({ "user_id": self.user, "showtime_id": showing });
        let reason =
            context.say("ご自身の仮押さえかを確認", "To see whether the seats are held for you");
        context.only(HOLDS, arguments, reason)
    }

    /// Reserves seats that the person already holds; otherwise proposes others.
    pub(super) fn handle_holds(
        &mut self,
        context: &mut TurnContext<'_>,
        found: &Value,
    ) -> Decision {
        let holds = KnownHold::parse_all(found);
        let has = |it: &&KnownHold| self.seats.iter().all(|seat| it.seats.contains(seat));
        self.hold_token = holds.iter().find(has).map(|it| it.hold_id.clone());
        match self.hold_token {
            Some(_) => self.reserve(context),
            None => self.list_seats(context),
        }
    }
}
