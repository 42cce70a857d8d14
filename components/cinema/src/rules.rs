//! The operator's rules for choosing seats, and the errors for choices that break them (CIN-91).

use output::cinema::{Broken, SeatRule, SeatRules};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolkit::{Problem, Stop, refused, settings, settings::Unfit};

use crate::refusals::say;

/// Upper limit of the setting; more than any hall has.
const PER_PERSON_MAX: u32 = 1_000;

/// The setting `rules`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Setting {
    no_single_gap: bool,
    companion_beside_wheelchair: bool,
    pairs_together: Option<bool>,
    seats_per_person_max: Option<u32>,
}

/// Reads the rules. By default only pairs have to stay together.
///
/// # Errors
/// If the setting is invalid.
pub fn set() -> Result<SeatRules, Unfit> {
    read(settings::get("rules")?.unwrap_or_default())
}

fn read(setting: Setting) -> Result<SeatRules, Unfit> {
    let max = setting.seats_per_person_max;
    if max.is_some_and(|it| !(1..=PER_PERSON_MAX).contains(&it)) {
        let message = format!("must be from 1 to {PER_PERSON_MAX}");
        let problem = Problem::at("/seats_per_person_max", message);
        return Err(Unfit { name: "rules".to_owned(), problem });
    }
    Ok(SeatRules {
        no_single_gap: setting.no_single_gap,
        companion_beside_wheelchair: setting.companion_beside_wheelchair,
        pairs_together: setting.pairs_together.unwrap_or(true),
        seats_per_person_max: max,
    })
}

/// Rejects a choice with its seats, how to correct it, and others `instead` if there are some.
pub fn refusal(broken: &[Broken], instead: Option<&[String]>) -> Stop {
    let (mut ja, mut en): (Vec<_>, Vec<_>) = broken.iter().map(Broken::sentences).unzip();
    let mut details = json!({ "rules": broken });
    if let Some(seat_ids) = instead {
        let list = |it: &str| seat_ids.join(it);
        ja.push(format!("{}なら選べます。", list("、")));
        en.push(format!("These would do: {}.", list(", ")));
        details["suggestion"] = json!({ "seat_ids": seat_ids });
    }
    let ja = ja.concat();
    details["message_ja"] = json!(ja);
    refused("seats_against_rules", 409, say(ja, en.join(" "))).with(details)
}

/// The person would have too many seats of a showing (`/seat_ids` lists the surplus).
pub fn too_many(max: u32, has: u32, seat_ids: &[String]) -> Stop {
    let broken = Broken { rule: SeatRule::SeatsPerPersonMax, seat_ids: seat_ids.to_vec() };
    let ja = format!(
        "一人が一つの上映で持てるのは{max}席までです（今は{has}席）。席を減らしてください。"
    );
    let en = format!(
        "One person may have {max} seats of a showing, and has {has}; choose fewer, or give some back."
    );
    refused("seats_against_rules", 409, say(&ja, en)).with(json!({
        "rules": [broken],
        "seats_per_person_max": max,
        "seats_count": has,
        "message_ja": ja,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_rules_only_keep_pairs_together() {
        let rules = read(Setting::default()).unwrap();
        assert_eq!(rules, SeatRules { pairs_together: true, ..SeatRules::default() });
    }

    #[test]
    fn limit_per_person_is_at_least_one() {
        let with = |it| Setting { seats_per_person_max: Some(it), ..Setting::default() };
        assert!(read(with(1)).is_ok());
        let unfit = read(with(0)).unwrap_err();
        assert_eq!(Problem::from(unfit).pointer, "/rules/seats_per_person_max");
    }

    #[test]
    fn rejected_choice_names_seats_and_alternatives() {
        let broken = Broken { rule: SeatRule::NoSingleGap, seat_ids: vec!["A1".into()] };
        let Stop::Refused(message) = refusal(&[broken], Some(&["B1".into(), "B2".into()])) else {
            panic!()
        };
        assert_eq!((message.code.as_str(), message.status), ("seats_against_rules", 409));
        assert!(message.message.starts_with("A1 would be left alone;"), "{}", message.message);
        assert!(message.message.ends_with("These would do: B1, B2."), "{}", message.message);
        let details: serde_json::Value = serde_json::from_str(&message.details.unwrap()).unwrap();
        assert_eq!(details["rules"][0]["rule"], "no_single_gap");
        assert_eq!(details["suggestion"]["seat_ids"][1], "B2");
    }
}
