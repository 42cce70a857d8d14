//! Prices of seats.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use language::{Language, context::TurnContext, say::grouped, turn::Decision};
use output::cinema::Price;

use super::visit::Visit;

/// Prices of a showing's seats, by their ids.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Fares {
    currency: String,
    amounts: BTreeMap<String, u64>,
}

impl Fares {
    /// Reads the prices of a hall's seats.
    pub(super) fn read(found: &Value) -> Self {
        let seats = found["seats"].as_array().into_iter().flatten();
        let list = &found["prices"];
        let fare = |seat: &Value| {
            let kind = seat["kind"].as_str().unwrap_or("standard");
            let amount = list[kind].as_u64().or(list["standard"].as_u64())?;
            Some((seat["seat_id"].as_str()?.to_owned(), amount))
        };
        let currency = list["currency"].as_str().unwrap_or_default().to_owned();
        Self { currency, amounts: seats.filter_map(fare).collect() }
    }

    /// Keeps only these seats.
    pub(super) fn keep<'a>(&mut self, seats: impl Iterator<Item = &'a String>) {
        let seats: Vec<_> = seats.collect();
        self.amounts.retain(|it, _| seats.contains(&it));
    }

    /// What `seats` cost together, unless a price is unknown.
    pub(super) fn cost(&self, seats: &[String], context: &TurnContext<'_>) -> Option<String> {
        let total: Option<u64> = seats.iter().map(|it| self.amounts.get(it)).sum();
        let total = total.filter(|it| *it > 0 && !self.currency.is_empty())?;
        let total = money(total, &self.currency, context.language);
        Some(match seats {
            [_] => total,
            _ => context.say(format!("合計 {total}"), format!("{total} in all")),
        })
    }

    /// The same in brackets, or nothing.
    pub(super) fn total(&self, seats: &[String], context: &TurnContext<'_>) -> String {
        let cost = self.cost(seats, context);
        cost.map_or_else(String::new, |it| context.say(format!("（{it}）"), format!(" ({it})")))
    }
}

impl Visit {
    /// Total of the wished seats of a kind, in brackets.
    fn total_of(
        &self,
        amount: u64,
        kind: &str,
        currency: &str,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        // One place for a wheelchair, with the seats beside it, is not taken by all.
        let is_for_all = !matches!(kind, "wheelchair" | "companion");
        let count = self.count.filter(|it| *it > 1 && is_for_all)?;
        let total = money(amount.checked_mul(count.into())?, currency, context.language);
        Some(context.say(format!("（{count}席で{total}）"), format!(" ({total} for {count})")))
    }

    /// Answers with the price of each kind of seat.
    pub(super) fn answer_prices(&mut self, context: &TurnContext<'_>, found: &Value) -> Decision {
        const KINDS: [(&str, &str, &str); 5] = [
            ("standard", "一般席", "Standard seat"),
            ("premium", "プレミアム席", "Premium seat"),
            ("wheelchair", "車椅子スペース", "Wheelchair place"),
            ("companion", "車椅子の同伴席", "Seat beside a wheelchair place"),
            ("pair", "ペア席（1席）", "One seat of a pair"),
        ];
        let list = &found["prices"];
        let currency = list["currency"].as_str().unwrap_or_default();
        let lines: Vec<_> = KINDS
            .iter()
            .filter_map(|(kind, japanese, english)| {
                let amount = list[*kind].as_u64()?;
                let price = money(amount, currency, context.language);
                let total = self.total_of(amount, kind, currency, context).unwrap_or_default();
                Some(format!("- {}: {price}{total}", context.language.pick(japanese, english)))
            })
            .collect();
        self.asks_price = false;
        let showing = self.showing.as_ref().map(|it| it.label.clone()).unwrap_or_default();
        let lines = lines.join("\n");
        let text = match lines.is_empty() {
            true => context.say(
                format!("{showing}の料金は登録されていません。"),
                format!("No prices are set for {showing}."),
            ),
            false => context.say(
                format!(
                    "{showing}の料金（1席）です。スクリーンによって異なることがあります。\n{lines}"
                ),
                format!("Prices for {showing}, each seat; other screens may differ:\n{lines}"),
            ),
        };
        let text = self.noted(text);
        context.conclude(text)
    }
}

/// Formats an amount in minor units: `2,000円`, `¥2,000`, otherwise with the currency's code.
pub(super) fn money(amount: u64, currency: &str, language: Language) -> String {
    let decimal = Price { currency: currency.to_owned(), amount }.decimal();
    let (whole, rest) = decimal.split_once('.').unwrap_or((&decimal, ""));
    let mut text = grouped(whole);
    if !rest.is_empty() {
        text.push('.');
        text.push_str(rest);
    }
    match currency {
        "JPY" => language.pick(format!("{text}円"), format!("¥{text}")),
        _ => format!("{text} {currency}"),
    }
}

#[cfg(test)]
mod tests {
    use language::{
        trial::{Talk, call, concluded, output},
        turn::ToolResult,
    };
    use serde_json::json;

    const TOOLS: &str = include_str!("../../tools.json");

    fn one(name: &str, thing: serde_json::Value) -> ToolResult {
        let mut all = json!({});
        all[name] = json!([thing]);
        output(all)
    }

    #[test]
    fn answers_prices_from_the_catalogue() {
        for (sentence, price) in [
            ("How much is a ticket?", "Standard seat: ¥2,000"),
            ("What do seats cost?", "Premium seat: ¥2,600"),
            ("チケットはいくら？", "一般席: 2,000円"),
            ("席の料金を教えて", "プレミアム席: 2,600円"),
            ("大人2枚と子供1枚でいくら？", "一般席: 2,000円（3席で6,000円）"),
            ("How much for 4 adults?", "Standard seat: ¥2,000 (¥8,000 for 4)"),
        ] {
            let mut talk = Talk::new(super::super::next, TOOLS);
            assert_eq!(call(&talk.say(sentence)).0, "list_movies", "{sentence}");
            let film = json!({ "movie_id": "akira", "title": "AKIRA", "title_en": "Akira" });
            talk.back(&[one("movies", film)]);
            let showing = json!({ "showtime_id": "st-1", "start_time": "2026-11-22T10:00:00", "available_seats_count": 9, "is_open": true });
            let next = talk.back(&[one("showtimes", showing)]);
            assert_eq!(call(&next).0, "list_available_seats", "{sentence}");
            let prices = json!({ "currency": "JPY", "standard": 2000, "premium": 2600 });
            let answer = talk.back(&[output(json!({ "seats": [], "prices": prices }))]);
            let text = concluded(&answer).text();
            assert!(text.contains(price) && !text.contains('※'), "{text}");
        }
    }
    /// Four rows of six, the third one premium; ordinary seats in front of it are free where `has_ordinary`.
    fn hall(has_ordinary: bool) -> ToolResult {
        let all = ["A", "B", "C", "D"].iter().flat_map(|row| (1..=6).map(move |it| (*row, it)));
        let seat = |(row, number): (&str, u32)| {
            let kind = if row == "C" { "premium" } else { "standard" };
            json!({ "seat_id": format!("{row}{number}"), "row": row, "number": number, "kind": kind,
                "is_reserved": row != "C" && !has_ordinary })
        };
        let prices = json!({ "currency": "JPY", "standard": 2000, "premium": 2600 });
        output(json!({ "seats": all.map(seat).collect::<Vec<_>>(), "prices": prices }))
    }

    /// Labels of the seats that are offered.
    fn offered(sentence: &str, has_ordinary: bool) -> Vec<String> {
        let mut talk = Talk::new(super::super::next, TOOLS);
        assert_eq!(call(&talk.say(sentence)).0, "list_available_seats", "{sentence}");
        let form = call(&talk.back(&[hall(has_ordinary)])).1["form_schema"].clone();
        let options = form["fields"][0]["options"].as_array().unwrap();
        options.iter().map(|it| it["label"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn offers_ordinary_seats_first_with_prices() {
        let shown = offered("上映回 st-2 を2席予約したい", true);
        assert_eq!(shown[0], "B3・B4（おすすめ、合計 4,000円）");
        assert_eq!(shown.last().unwrap(), "C3・C4（プレミアム席、合計 5,200円）");
        assert_eq!(shown.len(), 4, "{shown:?}");
        let shown = offered("Book one seat of showtime st-2", true);
        assert!(shown[0].ends_with(" (recommended, ¥2,000)"), "{shown:?}");
        let shown = offered("上映回 st-2 を2席予約したい", false);
        assert_eq!(shown, ["C3・C4（おすすめ、プレミアム席、合計 5,200円）"]);
    }

    #[test]
    fn offers_premium_seats_on_request() {
        for (sentence, expected) in [
            (
                "上映回 st-2 をプレミアム席で2席予約したい",
                "C3・C4（おすすめ、プレミアム席、合計 5,200円）",
            ),
            (
                "Book two premium seats of showtime st-2",
                "C3, C4 (recommended, premium, ¥5,200 in all)",
            ),
        ] {
            assert_eq!(offered(sentence, true)[0], expected, "{sentence}");
        }
    }
}
