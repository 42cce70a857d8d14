//! Seats that are held: told, let go, or reserved. They are looked up each time, since the person may have moved or
//! released them on the page meanwhile.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use language::{
    context::{TurnContext, failure, output},
    say,
    turn::{Answered, Decision},
};

use super::{
    answers::{named, recount},
    besides,
    cancel::number,
    fares::money,
    reserve::lines,
    rules::{Goal, USER},
    showings::shown,
    titles::Sentence,
    visit::{Asked, HOLD, HOLDS, RELEASE, RESERVE, Settled, USER_MAX, Visit},
    words,
};

/// What is done with seats that are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Deed {
    Tell,
    Release,
    Reserve,
}

/// A hold as the cinema told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) hold_id: String,
    pub(super) user: String,
    pub(super) showtime: String,
    pub(super) seats: Vec<String>,
    /// When it ends.
    pub(super) until: String,
    /// What the seats would cost, in the smallest unit of a currency.
    #[serde(default)]
    total: Option<(u64, String)>,
}

impl Kept {
    /// The hold that a tool told.
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

    /// Those that `list_holds` told, the newest first.
    pub(super) fn all(found: &Value) -> Vec<Self> {
        found["holds"].as_array().into_iter().flatten().filter_map(Self::read).collect()
    }

    fn named(&self, context: &TurnContext<'_>) -> String {
        self.seats.join(context.language.pick("・", ", "))
    }
}

/// Something that is to be done with what is held.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Held {
    deed: Deed,
    user: Option<String>,
    /// The showing that was talked about.
    showing: Option<Settled>,
    /// What was held here before, as the person knows it.
    before: Option<Kept>,
    /// Whether the user is waited for.
    waits: bool,
}

/// What comes before what is done with held seats.
#[derive(Clone, Copy, Debug)]
pub(super) enum Before<'a> {
    Visit(&'a Visit),
    Held(&'a Held),
}

impl Held {
    /// What `utterance` asks for; what it leaves out is taken from the visit `before` it.
    pub(super) fn of(utterance: &Sentence, deed: Deed, before: Option<Before<'_>>) -> Self {
        let user = utterance.numbers.id(USER).map(str::to_owned);
        let user = user.or_else(|| utterance.booker.clone());
        let (of_before, showing, before) = match before {
            Some(Before::Visit(it)) => (it.user.clone(), it.showing.clone(), it.held.clone()),
            Some(Before::Held(it)) => (it.user.clone(), it.showing.clone(), it.before.clone()),
            None => Default::default(),
        };
        Self { deed, user: user.or(of_before), showing, before, waits: false }
    }

    /// What `utterance` wants to be done next with the same seats.
    pub(super) fn next_deed(utterance: &Sentence, goal: Option<Goal>) -> Option<Deed> {
        let lets_go = match goal {
            Some(Goal::Release) => true,
            Some(Goal::Cancel) => {
                number(utterance).is_none() && !utterance.has(&[words::RESERVATION])
            }
            _ => goal.is_none() && besides::leaves(utterance),
        };
        match () {
            () if lets_go => Some(Deed::Release),
            () if goal.is_none() && besides::asks_how_long(utterance) => Some(Deed::Tell),
            () if matches!(goal, None | Some(Goal::Book)) && besides::confirms(utterance) => {
                Some(Deed::Reserve)
            }
            () => None,
        }
    }

    /// The visit in which so many other seats of the same showing are chosen, where `utterance` says how many.
    pub(super) fn recounted(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<Visit> {
        let showing = self.showing.clone()?;
        let text: String = utterance.lower.iter().collect();
        let count = utterance.numbers.people().or_else(|| recount(&text))?;
        let is_other = utterance.title().is_some() || utterance.asks();
        if is_other || self.waits || self.deed != Deed::Reserve {
            return None;
        }
        let mut visit = Visit::of(utterance, Goal::Book, None);
        (visit.showing, visit.user, visit.count) = (Some(showing), self.user.clone(), Some(count));
        visit.remark = self.before.as_ref().map(|it| {
            let seats = it.named(context);
            context.say(
                format!("予約はしていません。{seats} の仮押さえは、手放すか期限が来るまで残ります。"),
                format!("Nothing was reserved; {seats} stay held until you let them go or the time is up."),
            )
        });
        Some(visit)
    }

    /// Takes in whose seats they are, where that was asked for; whether it was that.
    pub(super) fn worded(&mut self, utterance: &Sentence) -> bool {
        if !self.waits {
            return false;
        }
        let user = utterance.numbers.id(USER).map(str::to_owned);
        let user = user.or_else(|| utterance.booker.clone()).or_else(|| named(utterance));
        let Some(user) = user else { return false };
        (self.user, self.waits) = (Some(user.chars().take(USER_MAX).collect()), false);
        true
    }

    /// What the showing of `one` is called, where that is known and no mere number.
    fn label(&self, one: &Kept) -> Option<&str> {
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
            return self.found(context, &Kept::all(found));
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

    /// Goes on from what is held now, which may be other seats than before, or none.
    fn found(&mut self, context: &mut TurnContext<'_>, holds: &[Kept]) -> Decision {
        let Some(newest) = holds.first() else {
            let before = self.before.take().map(|it| it.named(context));
            let gone = match before {
                Some(seats) => context.say(
                    format!("{seats} の仮押さえは、手放されたか期限が切れています。"),
                    format!("{seats}: no longer held; they were let go, or the time is up. "),
                ),
                None => {
                    context.say("今、仮押さえしている座席はありません。", "No seats are held now. ")
                }
            };
            let done = match self.deed {
                Deed::Reserve => context.say(
                    "予約はしていません。席を選び直すときは、そう書いてください。",
                    "Nothing was reserved. To choose seats anew, just say so.",
                ),
                Deed::Tell | Deed::Release => String::new(),
            };
            return context.conclude(format!("{gone}{done}").trim_end().to_owned());
        };
        let seats = newest.named(context);
        let moved = self.before.as_ref().filter(|it| it.seats != newest.seats).map(|before| {
            let before = before.named(context);
            context.say(
                format!("座席は {before} から {seats} に変わっています。"),
                format!("The seats have changed from {before} to {seats}. "),
            )
        });
        let moved = moved.unwrap_or_default();
        match self.deed {
            Deed::Tell => {
                let lines = holds.iter().map(|one| {
                    let (seats, until) = (one.named(context), shown(&one.until, context.language));
                    let known = self.label(one);
                    // Of several, the number of the showing tells them apart.
                    let showing = known.or((holds.len() > 1).then_some(&*one.showtime));
                    let head = showing.map_or_else(String::new, |it| {
                        context.say(format!("{it}、"), format!("{it}, "))
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
            Deed::Release => {
                let reason = context
                    .say(format!("{moved}{seats} を手放す"), format!("{moved}To let {seats} go"));
                context.only(RELEASE, json!({ "hold_token": newest.hold_id }), reason)
            }
            Deed::Reserve => {
                let label = self.label(newest).map_or_else(String::new, |it| {
                    context.say(format!("{it}の"), format!(": {it}"))
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
    /// Holds the seats: the call waits for the person.
    pub(super) fn hold(&mut self, context: &mut TurnContext<'_>) -> Decision {
        let (Some(user), Some(showing)) = (&self.user, &self.showing) else {
            return self.list_seats(context);
        };
        let arguments =
            json!({ "user_id": user, "showtime_id": showing.id, "seat_ids": self.seats });
        let (label, seats) = (showing.label.clone(), self.seats.join(", "));
        let reason = context
            .say(format!("{label}の座席 {seats} を仮押さえ"), format!("To hold {seats}: {label}"));
        self.asked = Some(Asked::Leave);
        let reason = self.noted(reason);
        context.only(HOLD, arguments, reason)
    }

    /// What is held is on the person's own plan of the hall too, with the time that is left.
    pub(super) fn was_held(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        (self.asked, self.is_hold, self.held) = (None, false, Kept::read(found));
        self.seats.clear();
        let Some(held) = &self.held else { return context.conclude(String::new()) };
        let (seats, until) = (held.named(context), shown(&held.until, context.language));
        context.conclude(context.say(
            format!("{seats} を {until} まで仮押さえしました。座席表にもあなたの席として表示されます。「予約して」で確定、「手放して」で取りやめます。"),
            format!("{seats}: held until {until}, and shown as yours on the plan of the hall. Write \"book them\" to reserve, or \"let them go\"."),
        ))
    }

    /// Whether seats that are taken may be the person's own hold, so that it is looked up.
    pub(super) fn looks_for_hold(&self, context: &TurnContext<'_>) -> bool {
        self.user.is_some() && self.hold_token.is_none() && !self.has_looked && context.has(HOLDS)
    }

    /// Asks what is held for the user.
    pub(super) fn list_holds(&mut self, context: &mut TurnContext<'_>) -> Decision {
        self.has_looked = true;
        let showing = self.showing.as_ref().map(|it| it.id.clone());
        let arguments = json!({ "user_id": self.user, "showtime_id": showing });
        let reason =
            context.say("ご自身の仮押さえかを確認", "To see whether the seats are held for you");
        context.only(HOLDS, arguments, reason)
    }

    /// Seats that the person holds already are reserved; others are proposed where they are not.
    pub(super) fn holds_found(&mut self, context: &mut TurnContext<'_>, found: &Value) -> Decision {
        let holds = Kept::all(found);
        let has = |it: &&Kept| self.seats.iter().all(|seat| it.seats.contains(seat));
        self.hold_token = holds.iter().find(has).map(|it| it.hold_id.clone());
        match self.hold_token {
            Some(_) => self.reserve(context),
            None => self.list_seats(context),
        }
    }
}
