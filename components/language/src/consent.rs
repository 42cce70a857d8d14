//! Recognizes a bare yes, no or question about the state, while a form or an approval is pending.

use crate::scan::begins;

/// A bare answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Do it.
    Yes,
    /// Do not do it.
    No,
    /// Asks about the state: `どうなった？`, `is it done?`.
    Asks,
}

const YES: &str = "はい|うん|ええ|それで|そうして|そうしてください|いいよ|いいですよ|了解|了解です|進めて|進めてください|続けて|続けてください|お願い|お願いします|お願いいたします|おねがい|おねがいします|頼みます|頼む|オーケー|オッケー|許可|許可します|許可する|承認|承認します|確定|確定で|確定して|確定します|予約確定|決定|決定で|それでいい|それでいいです|よろしくお願いします|よろしく|yes|yeah|yep|yup|sure|ok|okay|go ahead|proceed|do it|do that|please do|go for it|confirm|confirmed|allow|allow it|i allow it|approve|approved|that's right|correct|sounds good|looks good|that works|that's fine|perfect|absolutely|of course";
const NO: &str = "いいえ|いえ|いや|いやいや|ううん|結構です|けっこうです|結構|やめて|やめてください|やめる|やめます|だめ|だめです|ダメ|ダメです|駄目|駄目です|しないで|しないでください|いやいい|いや、いい|いや、いいです|いや、いいや|いや、もういい|いえ、いいです|もういい|もういいです|いらない|いらないです|いりません|要らない|要りません|不要です|no|nope|nah|no thanks|no thank you|i'm good|not now|don't|do not|don't do it|don't do that|please don't|stop|rather not|i'd rather not";
const ASKS: &str = "どうなった|どうなってる|どうなっている|どうなりました|どうなっています|まだ|まだなの|終わった|終わりました|済んだ|済みました|できた|できました|完了した|完了しました|結果は|結果見せて|結果を見せて|結果教えて|結果を教えて|how's it going|how is it going|is it done|is that done|are we done|are you done|done yet|is it done yet|did it work|did that work|did it go through|what happened|any news|any progress|what's the status|what did they say|what was said|show me the result|show me the results|show the result|show the results";
/// Filler words around it.
const FILLERS: &str = "結局|so|で、|です|ます|か|の|かな|で|ください|じゃあ|では|それでは|今|いま|そうですね|もう|今は|ありがとう|ありがとうございます|ね|よ|please|thanks|thank you|then|now|well|just|and";

/// Parses `text`, if it contains nothing else.
pub fn consent(text: &str) -> Option<Consent> {
    let lower = text.to_lowercase().replace(['’', '‘'], "'");
    let (mut rest, mut found) = (lower.as_str(), None);
    loop {
        rest = rest
            .trim_start_matches(|it: char| it.is_whitespace() || "、。,.!！?？…ー〜~".contains(it));
        if rest.is_empty() {
            return found;
        }
        let longest = |table| begins(rest, table).unwrap_or(0);
        let (yes, no, asks, beside) = (longest(YES), longest(NO), longest(ASKS), longest(FILLERS));
        let length = yes.max(no).max(asks).max(beside);
        if length == 0 {
            return None;
        }
        if length > beside {
            let means = match () {
                () if asks == length => Consent::Asks,
                () if no >= yes => Consent::No,
                () => Consent::Yes,
            };
            if found.is_some_and(|it| it != means) {
                return None;
            }
            found = Some(means);
        }
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_bare_answers() {
        for (text, expected) in [
            ("yes", Some(Consent::Yes)),
            ("Yes, please!", Some(Consent::Yes)),
            ("ok, go ahead", Some(Consent::Yes)),
            ("はい、お願いします。", Some(Consent::Yes)),
            ("うん、それでお願い", Some(Consent::Yes)),
            ("no", Some(Consent::No)),
            ("いや、いいです。", Some(Consent::No)),
            ("いいです", None),
            ("no thanks.", Some(Consent::No)),
            ("いえ、結構です", Some(Consent::No)),
            ("いいえ、しないでください", Some(Consent::No)),
            ("確定でお願いします", Some(Consent::Yes)),
            ("それでいいです", Some(Consent::Yes)),
            ("looks good, go ahead", Some(Consent::Yes)),
            ("どうなった？", Some(Consent::Asks)),
            ("まだですか？", Some(Consent::Asks)),
            ("is it done yet?", Some(Consent::Asks)),
            ("今どうなってる？", Some(Consent::Asks)),
            ("結局どうなった？", Some(Consent::Asks)),
            ("so did it work?", Some(Consent::Asks)),
            ("結果見せて", Some(Consent::Asks)),
            ("what did they say?", Some(Consent::Asks)),
            ("予約の結果を見せて", None),
            ("まだ決めてない", None),
            ("予約は何時まで？", None),
            ("no, Sunday", None),
            ("yes, but three seats", None),
            ("please", None),
            ("はいくら？", None),
            ("いやいや、火曜で", None),
            ("Noah", None),
            ("yes no", None),
        ] {
            assert_eq!(consent(text), expected, "{text}");
        }
    }
}
