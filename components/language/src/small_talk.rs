//! Answers small talk without calls: greetings, thanks, prices, and requests that no family supports.

use jiff::Timestamp;
use toolkit::dialogue::Name;

use crate::{
    aside::Aside,
    consent::{Consent, consent},
    context::{signature, today},
    language::Language,
    rules::Percent,
    say::{ELSEWHERE, NOT_UNDERSTOOD, listed},
    scan::marks,
    turn::Offer,
    utterance::Utterance,
    vocabulary::{self, Vocabulary},
    words::Word,
};

/// Message sent when a person closes a form (FORM-9).
pub const CLOSED: &str = "フォーム入力をキャンセルしました。";
/// Kind of names that are examples: `within` is the component, `also` are the tools it needs.
const SAMPLE: &str = "sample";
/// Examples per component.
const SAMPLES_MAX: usize = 2;

/// Kind of a sentence outside all families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing is to be done.
    Nothing,
    /// Asks how something is done.
    How,
    /// Asks for a price.
    Price,
    /// Asks to delete something.
    Delete,
    /// Asks to send something to people.
    Sending,
    /// Begins with an unsupported errand, such as calling or buying.
    Errand,
    /// Asks for something that no family has.
    Elsewhere,
    /// Asks what is possible.
    Help,
    /// Thanks for an answer.
    Thanks,
    /// A greeting, such as `hello`.
    Greeting,
    /// Another remark.
    Aside(Aside),
}

/// Returns the text after thanks or a greeting.
pub fn after_thanks(text: &str) -> Option<&str> {
    const POLITE: &str = "どうもありがとうございます|ありがとうございました|ありがとうございます|どうもありがとう|ありがとう|ありがと|サンキュー|どうも|助かります|助かりました|こんにちは|こんばんは|おはようございます|おはよう|thank you so much|thank you very much|thank you|thanks a lot|thanks so much|many thanks|thanks|thx|cheers|hello|hi|hey";
    const MARKS: &str = "、。,.!！…~〜ー♪ ";
    const THEN: &str = "じゃあ|じゃ|それじゃあ|それじゃ|それでは|では|now|so|then";
    let begins = |text: &str, table: &'static str| {
        let head =
            |it: &&str| text.get(..it.len()).is_some_and(|head| head.eq_ignore_ascii_case(it));
        marks(table).filter(head).map(str::len).max()
    };
    let behind = &text[begins(text, POLITE)?..];
    let rest = behind.trim_start_matches(|it| MARKS.contains(it));
    let is_apart = behind[..behind.len() - rest.len()].chars().any(|it| it != ' ');
    // `now` has to be a whole word.
    let then = begins(rest, THEN).filter(|word| {
        let behind = rest[*word..].chars().next();
        !rest.is_ascii() || behind.is_some_and(|it| !it.is_ascii_alphanumeric())
    });
    let rest = rest[then.unwrap_or(0)..].trim_start_matches(|it| MARKS.contains(it));
    (is_apart && rest.chars().filter(|it| it.is_alphanumeric()).count() > 1).then_some(rest)
}

impl Manner {
    /// Whether it only accompanies the rest of the sentence.
    pub fn is_polite(self) -> bool {
        matches!(self, Self::Help | Self::Thanks | Self::Greeting | Self::Aside(_))
    }

    /// Whether it asks for something unsupported.
    pub fn is_elsewhere(self) -> bool {
        matches!(self, Self::Delete | Self::Sending | Self::Errand | Self::Elsewhere)
    }
}

/// Returns the kinds of `utterance`, with the confidence that precedes a family's own reading.
pub fn manners(utterance: &Utterance) -> impl Iterator<Item = (Manner, Percent)> {
    const SENDING: &str = "を送って|に送って|送っといて|送っておいて|を送信|に送信|転送して|please send |send an email|send a mail|send my|send everyone|forward ";
    let has = |word: Word| utterance.has(&[word]);
    let text: String = utterance.lower.iter().collect();
    let aside = Aside::parse(&utterance.text());
    let is_nothing = has(Word::NO_DOING) || utterance.withdraws() || aside == Some(Aside::Nothing);
    let aside = aside.filter(|_| !is_nothing);
    let is_new = has(Word::MAKE);
    let all = [
        (Manner::Nothing, 99, is_nothing),
        (Manner::How, 96, has(Word::HOW)),
        (Manner::Price, 95, has(Word::PRICE) && !is_new),
        (Manner::Delete, 88, has(Word::DELETE) && !is_new),
        (Manner::Sending, 73, marks(SENDING).any(|it| text.contains(it))),
        (Manner::Errand, 73, utterance.is_errand()),
        (Manner::Elsewhere, 68, has(Word::ELSEWHERE) && !has(Word::WHERE)),
        (Manner::Help, 10, has(Word::HELP)),
        (Manner::Thanks, 9, has(Word::THANKS)),
        (Manner::Greeting, 8, has(Word::GREETING)),
    ];
    let aside = aside.map(|it| (Manner::Aside(it), 98));
    aside.into_iter().chain(all.into_iter().filter(|it| it.2).map(|it| (it.0, it.1)))
}

/// Whether `text` withdraws the request: `never mind`, `やっぱりいいや`.
pub fn is_nothing(text: &str) -> bool {
    static WORDS: Vocabulary = Vocabulary::NONE;
    let utterance = Utterance::parse(text, today(Timestamp::UNIX_EPOCH), &WORDS);
    manners(&utterance).any(|it| it.0 == Manner::Nothing)
}

/// Whether `text` only takes back the last change: `undo`, `やっぱり元に戻して`.
pub fn takes_back(text: &str) -> bool {
    const UNDO: &str = "元に戻して|もとに戻して|前に戻して|さっきの状態に戻して|戻して|今の変更は取り消して|今の変更は取り消し|今のなし|今のはなし|さっきのほうがいい|さっきの方がいい|さっきのがいい|前のほうがいい|前の方がいい|前のほうがよかった|前の方がよかった|the previous one|the one before|i liked the previous one better|i prefer the previous one|undo|undo that|undo the last change|undo the change|change it back|change that back|put it back|go back to the previous version|revert|revert that|revert it|なかったことにして|なかったことに|無かったことにして|無かったことに|undo it|今のは白紙に戻して|さっきのは白紙に戻して|今の変更は白紙に戻して|さっきの変更は白紙に戻して";
    const LEADS: &str = "やっぱり|やっぱ|やはり|あ、|いや、|ごめん、|actually |no, |and |ok |please |さっきのは|さっきの変更は|さっきの変更を|さっきの変更|さっきの|今のは|今の変更は|今の変更を|今の変更|今の|いまの|それは|それ|oh, |sorry, ";
    const TAILS: &str = "ください|下さい|ほしい|くれる|ね|。|、|!|！|.|?|？| please";
    let text = text.to_lowercase();
    let mut text = text.trim();
    while let Some(rest) = marks(TAILS).find_map(|it| text.strip_suffix(it)) {
        text = rest;
    }
    loop {
        // Before each lead, since some begin as what they lead to: `今のなし`.
        if marks(UNDO).any(|it| it == text) {
            return true;
        }
        match marks(LEADS).find_map(|it| text.strip_prefix(it)) {
            Some(rest) => text = rest.trim_start_matches([' ', '、', ',']),
            None => return false,
        }
    }
}

/// Input of small talk.
#[derive(Clone, Copy, Debug)]
pub struct SmallTalk<'a> {
    /// The sentence as written.
    pub text: &'a str,
    /// Language of the answer.
    pub language: Language,
    /// When it was sent.
    pub now: Timestamp,
    /// Names declared by the components: words and examples.
    pub names: &'a [Name],
    /// Tools on offer.
    pub offers: &'a [Offer],
}

/// Returns the answer and the confidence, from 0 to 1.
pub fn answer(talk: &SmallTalk<'_>) -> (String, f32) {
    static WORDS: Vocabulary = Vocabulary::NONE;
    vocabulary::set_other_families(talk.names);
    let text = talk.text.trim();
    let say = |it: (&str, &str)| talk.language.pick(it.0, it.1).to_owned();
    let utterance = Utterance::parse(text, today(talk.now), &WORDS);
    let (text, confidence) = match manners(&utterance).next().map(|it| it.0) {
        _ if text == CLOSED => (say(STOPPED), 0.15),
        _ if text.starts_with('{') => (say(FORM), 0.15),
        Some(Manner::Nothing) => (Aside::Nothing.answer(talk.language, talk.now), 0.15),
        Some(Manner::How | Manner::Help) => (talk.examples(usize::MAX), 0.15),
        Some(Manner::Price) => (format!("{}{}", say(PRICE), talk.examples(SAMPLES_MAX)), 0.15),
        Some(Manner::Delete | Manner::Sending | Manner::Errand | Manner::Elsewhere) => {
            (format!("{}\n{}", say(ELSEWHERE), talk.examples(SAMPLES_MAX)), 0.15)
        }
        Some(Manner::Thanks) => (say(("どういたしまして。", "You are welcome.")), 0.15),
        Some(Manner::Aside(it)) => {
            let examples = if it.has_examples() { talk.examples(1) } else { String::new() };
            let text = it.answer(talk.language, talk.now);
            (format!("{text}\n{examples}").trim().to_owned(), 0.15)
        }
        Some(Manner::Greeting) => (format!("{}{}", say(HELLO), talk.examples(SAMPLES_MAX)), 0.15),
        _ if takes_back(text) => (say(NOT_DONE), 0.15),
        None if consent(text).is_some_and(|it| it != Consent::Asks) => (say(UNASKED), 0.15),
        None if utterance.points_back() => (say(POINTLESS), 0.15),
        None => (format!("{}\n{}", say(NOT_UNDERSTOOD), talk.examples(SAMPLES_MAX)), 0.05),
    };
    (text + signature(talk.language), confidence)
}

/// Answer when a form is closed.
pub(crate) const STOPPED: (&str, &str) =
    ("中止しました。予約などは何もしていません。", "Stopped; nothing was reserved or changed.");
const NOT_DONE: (&str, &str) = (
    "元に戻せる直前の変更はないため、何もしていません。",
    "There is no last change that could be taken back, so nothing was done.",
);
const FORM: (&str, &str) = (
    "フォームの回答を受け取りましたが、続きの用件が分かりません。",
    "A form's answers arrived, but I do not know what they are for.",
);
const PRICE: (&str, &str) = (
    "何の料金か分からないと、料金や支払いのことはお答えできません。何もしていません。",
    "I can say nothing of prices or payment without knowing what it is for; nothing was done. ",
);
const HELLO: (&str, &str) =
    ("こんにちは。内蔵プランナーです。", "Hello, I am the built-in planner. ");
const UNASKED: (&str, &str) = (
    "お返事を待っているものはないため、何もしていません。ご用件を書いてください。",
    "Nothing waits for an answer, so nothing was done. Please write what you would like.",
);
const POINTLESS: (&str, &str) = (
    "どれのことか分からないため、何もしていません。名前や番号を書いてください。",
    "I do not know which one you mean, so nothing was done. Please write its name or number.",
);

impl SmallTalk<'_> {
    /// Lists up to `most` examples of each component.
    fn examples(&self, most: usize) -> String {
        let mut lines: Vec<(Option<&str>, &str)> = Vec::new();
        let has = |tool: &String| self.offers.iter().any(|it| it.name == *tool);
        for it in self.names.iter().filter(|it| it.kind == SAMPLE && it.also.iter().all(has)) {
            let within = it.within.as_deref();
            if lines.iter().filter(|it| it.0 == within).count() < most {
                lines.push((within, &it.name));
            }
        }
        listed(self.language, lines.into_iter().map(|it| it.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str, within: &str, tool: &str) -> Name {
        Name {
            kind: SAMPLE.to_owned(),
            name: text.to_owned(),
            english: None,
            within: Some(within.to_owned()),
            also: vec![tool.to_owned()],
            hints: Vec::new(),
            moods: Vec::new(),
        }
    }

    #[test]
    fn lists_examples_without_claiming() {
        let offer = |name: &str| Offer {
            name: name.to_owned(),
            arguments: Vec::new(),
            required: Vec::new(),
            is_read_only: true,
        };
        let names =
            [sample("What is lent?", "library", "list_books"), sample("Sing!", "choir", "sing")];
        let offers = [offer("list_books")];
        for (text, starts) in [
            ("hello", "Hello"),
            ("Thank you very much!", "You are welcome"),
            ("ok bye", "Goodbye"),
            ("See you later!", "Goodbye"),
            ("What can you do?", "You can write"),
            ("How much is that?", "I can say nothing of prices"),
            ("Never mind", "Very well"),
            ("it doesn't matter", "Very well"),
            ("yes", "Nothing waits for an answer"),
            ("undo", "There is no last change"),
            ("やっぱり元に戻して", "There is no last change"),
            ("今の変更なかったことに", "There is no last change"),
            ("helo", "Hello"),
            ("godo morning!", "Hello"),
            ("こんちには", "Hello"),
            ("thnaks", "You are welcome"),
            ("ありがとお！", "You are welcome"),
            ("who are you?", "I am this service's built-in planner"),
            ("Good bye!", "Goodbye"),
            (CLOSED, "Stopped"),
            ("Colourless green ideas", ""),
        ] {
            let now = Timestamp::UNIX_EPOCH;
            let talk = SmallTalk {
                text,
                language: Language::English,
                now,
                names: &names,
                offers: &offers,
            };
            let (answer, confidence) = answer(&talk);
            assert!(confidence < 0.2, "{text}");
            assert!(answer.starts_with(starts) && !answer.contains("Sing!"), "{text}: {answer}");
            let is_unknown = starts.is_empty();
            assert!(!is_unknown || answer.contains("What is lent?"), "{answer}");
        }
    }

    #[test]
    fn request_follows_thanks() {
        for (text, rest) in [
            ("ありがとう、1番を2枚お願い", Some("1番を2枚お願い")),
            ("ありがとうございます！じゃあ帰りは？", Some("帰りは？")),
            ("Thanks, now show me the second", Some("show me the second")),
            ("thank you! so 2 seats please", Some("2 seats please")),
            ("Hello, book it", Some("book it")),
            ("thanks for the list", None),
            ("どうもならない", None),
            ("ありがとう！", None),
            ("hi there", None),
            ("hidden, please", None),
        ] {
            assert_eq!(after_thanks(text), rest, "{text}");
        }
    }
}
