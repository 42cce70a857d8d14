//! Texts for requests that are not understood, incomplete or refused by a tool.

use serde_json::Value;
use toolkit::dialogue::Sample;

use crate::{context::TurnContext, language::Language, scan::QUOTES, turn::Failure, vocabulary};

/// Maximum characters of a citation.
const CITED_MAX: usize = 60;

/// Shortens `text` for a list or an error.
pub fn short(text: &str) -> String {
    let mut short: String = text.chars().take(CITED_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Something a family can do, with an example.
#[derive(Debug)]
pub struct Skill<G: 'static> {
    /// Its goals.
    pub goals: &'static [G],
    /// Tools that it needs.
    pub tools: &'static [&'static str],
    /// Whether one of the tools is enough.
    pub is_one_enough: bool,
    /// Its name, in Japanese and English.
    pub name: (&'static str, &'static str),
    /// An example, in Japanese and English.
    pub example: (&'static str, &'static str),
    /// Whether short texts mention it.
    pub is_featured: bool,
}

impl<G> Skill<G> {
    fn is_on_offer(&self, context: &TurnContext<'_>) -> bool {
        self.tools.iter().all(|it| context.has(it))
    }
}

/// Explains what is missing for `goal`, if a tool is not on offer.
pub fn missing<G: PartialEq>(
    context: &TurnContext<'_>,
    skills: &[Skill<G>],
    goal: &G,
) -> Option<String> {
    let skill = skills.iter().find(|it| it.goals.contains(goal))?;
    let lacking: Vec<_> = skill.tools.iter().filter(|it| !context.has(it)).copied().collect();
    if lacking.is_empty() || skill.is_one_enough && lacking.len() < skill.tools.len() {
        return None;
    }
    let (tools, examples) = (lacking.join(", "), examples(context, skills));
    let what = context.language.pick(skill.name.0, skill.name.1);
    if let Some(assistant) = vocabulary::assistant_with(&lacking, context.language) {
        return Some(context.say(
            format!("{what}はここではできないため、何もしていません。「{assistant}」に書いてください。"),
            format!("For {what}, please write to \"{assistant}\"; it cannot be done here, and nothing was done."),
        ));
    }
    Some(context.say(
        format!("{what}には {tools} が必要ですが、いまは利用できません。{examples}"),
        format!("For {what}, {tools} is needed, which is not on offer now. {examples}"),
    ))
}

/// Lists examples of what is on offer.
pub fn examples<G>(context: &TurnContext<'_>, skills: &[Skill<G>]) -> String {
    let can = skills.iter().filter(|it| it.is_on_offer(context));
    listed(context.language, can.map(|it| context.language.pick(it.example.0, it.example.1)))
}

/// Formats sentences as examples.
pub(crate) fn listed<'a>(language: Language, sentences: impl Iterator<Item = &'a str>) -> String {
    let line = |it: &str| language.pick(format!("- 「{it}」"), format!("- \"{it}\""));
    let lines: Vec<_> = sentences.map(line).collect();
    if lines.is_empty() {
        let none = ("いま使えるツールはありません。", "There are no tools on offer now.");
        return language.pick(none.0, none.1).to_owned();
    }
    let head = language.pick("たとえば、次のように書いてください。", "You can write, for example:");
    format!("{head}\n{}", lines.join("\n"))
}

/// Returns the examples of a family, the best first, with the tools they need.
pub fn samples<G>(skills: &[Skill<G>], tag: &str) -> Vec<Sample> {
    let all =
        skills.iter().filter(|it| it.is_featured).chain(skills.iter().filter(|it| !it.is_featured));
    let sample = |skill: &Skill<G>| Sample {
        text: if tag == "ja" { skill.example.0 } else { skill.example.1 }.to_owned(),
        tools: skill.tools.iter().map(|it| (*it).to_owned()).collect(),
    };
    all.map(sample).collect()
}

/// Text for a sentence that is not understood.
pub(crate) const NOT_UNDERSTOOD: (&str, &str) = (
    "その文は理解できなかったため、何もしていません。私は決まった言い回しだけが分かる内蔵プランナーです。",
    "I did not understand that, so nothing was done. I am the built-in planner and know set phrases only.",
);

/// Answers a sentence that is not understood.
pub fn not_understood<G>(context: &TurnContext<'_>, skills: &[Skill<G>]) -> String {
    let head = context.say(NOT_UNDERSTOOD.0, NOT_UNDERSTOOD.1);
    format!("{head}\n{}", examples(context, skills))
}

/// Answers a date that does not exist.
pub fn no_such_day(context: &TurnContext<'_>, day: &str) -> String {
    context.say(
        format!("「{day}」という日はないため、何もしていません。日付を確かめて、もう一度書いてください。"),
        format!("There is no such day as {day}, so nothing was done. Please check the date and write it again."),
    )
}

/// Confirms that nothing is done.
pub fn nothing(context: &TurnContext<'_>) -> String {
    context.say("分かりました。何もしていません。", "Very well: nothing was done.")
}

/// Answers a request that is understood but not supported.
pub fn elsewhere<G>(context: &TurnContext<'_>, skills: &[Skill<G>]) -> String {
    let head = context.say(ELSEWHERE.0, ELSEWHERE.1);
    format!("{head}\n{}", examples(context, skills))
}

pub(crate) const ELSEWHERE: (&str, &str) = (
    "それはこの窓口ではできないため、何もしていません。内蔵プランナーが分かるのは決まった言い回しだけです。",
    "That cannot be done here, so nothing was done. The built-in planner knows set phrases only.",
);

/// Reports unused words.
pub fn unused(context: &TurnContext<'_>, words: &[String]) -> String {
    let list: Vec<_> =
        words.iter().map(|it| context.say(format!("「{it}」"), format!("\"{it}\""))).collect();
    let list = list.join(context.language.pick("", ", "));
    context.say(
        format!("※{list}の部分は分からないため、考慮していません。"),
        format!("Note: I did not understand {list} and left it out."),
    )
}

/// Asks back about an ambiguous sentence, with its unused words and the two nearest readings.
pub fn unsure<G: PartialEq>(
    context: &TurnContext<'_>,
    skills: &[Skill<G>],
    words: &[String],
    goals: &[G],
) -> String {
    let near = goals.iter().filter_map(|goal| skills.iter().find(|it| it.goals.contains(goal)));
    let lines: Vec<_> = near
        .filter(|it| it.is_on_offer(context))
        .take(2)
        .map(|skill| {
            context.say(
                format!("- {}なら、たとえば「{}」", skill.name.0, skill.example.0),
                format!("- For {}, write for example \"{}\"", skill.name.1, skill.example.1),
            )
        })
        .collect();
    if lines.is_empty() {
        return not_understood(context, skills);
    }
    let quoted: Vec<_> =
        words.iter().map(|it| context.say(format!("「{it}」"), format!("\"{it}\""))).collect();
    let quoted = quoted.join(context.language.pick("", ", "));
    let ask = match lines.len() {
        1 => ("こちらのことでしょうか？", "Is this what you mean?"),
        _ => ("次のどちらでしょうか？", "Which of these is it?"),
    };
    let head = match words.is_empty() {
        true => context.say(
            format!("ご希望をはっきり読み取れなかったため、まだ何もしていません。{}", ask.0),
            format!("I am not sure what you wish, so nothing was done yet. {}", ask.1),
        ),
        false => context.say(
            format!("{quoted}の部分が分からないため、まだ何もしていません。{}", ask.0),
            format!("I do not understand {quoted}, so nothing was done yet. {}", ask.1),
        ),
    };
    format!("{head}\n{}", lines.join("\n"))
}

/// Whether a sentence is Japanese: it has kana outside quotations and names.
fn is_in_japanese(text: &str) -> bool {
    let mut end = None;
    text.chars().any(|sign| {
        match (end, QUOTES.iter().find(|quotes| quotes.0 == sign)) {
            (Some(quote), _) if quote == sign => end = None,
            (None, Some((_, quote))) => end = Some(*quote),
            (None, None) => return matches!(sign, 'ぁ'..='ゖ'),
            (Some(_), _) => {}
        }
        false
    })
}

/// Capitalizes `text`.
pub fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |it| it.to_uppercase().chain(rest).collect())
}

/// Groups digits by threes: `1,320`.
pub fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count and its English noun: `1 seat`, `2 seats`.
pub fn counted(count: impl ToString, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Describes a tool's error and what to do.
pub fn failed(context: &TurnContext<'_>, failure: &Failure) -> String {
    // The details of a person's denial are for models.
    if failure.error == "not_allowed" {
        return context.say(
            "承認されなかったため、何もしていません。",
            "As you did not allow it, nothing was done.",
        );
    }
    // Texts in Japanese only have an English version in the details.
    let english = failure.data.get("english").and_then(Value::as_str);
    let english = english.filter(|_| context.language == Language::English);
    let mut text = english.unwrap_or(&failure.message).to_owned();
    let is_read = is_in_japanese(&text);
    let own = context.holder.codes.iter().find(|it| it.0 == failure.error);
    if let (Some(own), Language::Japanese, false) = (own, context.language, is_read) {
        let subjects = context.holder.subjects.iter();
        let name = subjects.into_iter().find_map(|it| failure.data.get(*it)?.as_str());
        text = name.map_or_else(String::new, |it| format!("「{it}」: ")) + own.1;
    }
    let names = ["suggestions", "similar", "close_names", "names", "candidates"]
        .iter()
        .find_map(|it| failure.data.get(*it)?.as_array());
    let names: Vec<_> =
        names.into_iter().flatten().filter_map(|it| it.as_str().or(it["name"].as_str())).collect();
    if !names.is_empty() && !text.contains(names[0]) {
        let list = names.join(context.language.pick("、", ", "));
        text.push_str(
            &context.say(format!(" 近い名前: {list}。"), format!(" Close names: {list}.")),
        );
    }
    match failure.status {
        404 => {
            text + &context.say(
                " 名前を確かめて、もう一度書いてください。",
                " Check the name and write it again.",
            )
        }
        429 | 503 => {
            text + &context
                .say(" しばらくしてからもう一度お試しください。", " Try again in a while.")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use toolkit::dialogue::Name;

    use super::*;
    use crate::{context::FamilyInfo, vocabulary::ASSISTANT};

    static FAMILY_INFO: FamilyInfo = FamilyInfo { family: "things", codes: &[], subjects: &[] };

    fn context(calls: &mut u64, language: Language) -> TurnContext<'_> {
        TurnContext {
            holder: &FAMILY_INFO,
            language,
            now: jiff::Timestamp::UNIX_EPOCH,
            offers: &[],
            calls,
            is_given_up: false,
        }
    }

    #[test]
    fn reports_error_in_english_if_available() {
        let mut failure = Failure::new("validation_error", 400, "選択肢がありません。");
        failure.data.insert("english".to_owned(), json!("It has no options."));
        for (language, text) in [
            (Language::English, "It has no options."),
            (Language::Japanese, "選択肢がありません。"),
        ] {
            assert_eq!(failed(&context(&mut 0, language), &failure), text);
        }
    }

    #[test]
    fn reports_denial_in_the_persons_language() {
        let failure = Failure::new("not_allowed", 403, "The person did not allow this call.");
        for (language, text) in [(Language::English, "As you did"), (Language::Japanese, "承認")]
        {
            assert!(failed(&context(&mut 0, language), &failure).starts_with(text));
        }
    }

    #[test]
    fn missing_tools_are_those_of_another_assistant() {
        let name = |title: &str, english: &str, tool: &str| Name {
            kind: ASSISTANT.to_owned(),
            name: title.to_owned(),
            english: Some(english.to_owned()),
            within: None,
            also: vec![tool.to_owned()],
            hints: Vec::new(),
            moods: Vec::new(),
        };
        let skills = [Skill {
            goals: &[1],
            tools: &["list_films", "book"],
            is_one_enough: false,
            name: ("予約", "booking"),
            example: ("予約して", "Book it"),
            is_featured: true,
        }];
        let names = [name("映画", "Films", "book"), name("窓口", "Counter", "*")];
        let text = |language| missing(&context(&mut 0, language), &skills, &1).unwrap();
        for (names, ja, en) in [
            (&names[..], "「窓口」に書いて", "write to \"Counter\""),
            (&names[..1], "list_films, book が必要", "list_films, book is needed"),
        ] {
            vocabulary::set_other_families(names);
            assert!(text(Language::Japanese).contains(ja), "{}", text(Language::Japanese));
            assert!(text(Language::English).contains(en), "{}", text(Language::English));
        }
        vocabulary::set_other_families(&[]);
    }

    #[test]
    fn asks_about_a_single_reading() {
        let skill = |goal| Skill {
            goals: goal,
            tools: &[],
            is_one_enough: false,
            name: ("物", "things"),
            example: ("物を見せて", "Show me things"),
            is_featured: true,
        };
        let skills = [skill(&[1]), skill(&[2])];
        let mut calls = 0;
        let context = context(&mut calls, Language::English);
        let ask = |goals: &[i32]| unsure(&context, &skills, &[], goals);
        assert!(ask(&[1]).contains("Is this what you mean?"), "{}", ask(&[1]));
        assert!(ask(&[1, 2]).contains("Which of these"), "{}", ask(&[1, 2]));
    }

    #[test]
    fn quoted_name_does_not_make_a_sentence_japanese() {
        for text in ["There is no theme \"緑っぽい\".", "No place named “ひので” is known.", "No."]
        {
            assert!(!is_in_japanese(text), "{text}");
        }
        for text in ["「Green」というテーマはありません。", "満席です"] {
            assert!(is_in_japanese(text), "{text}");
        }
    }
}
