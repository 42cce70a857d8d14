//! Recognizes orders that depend on something that is not known.

use crate::scan::marks;

/// Whether one of `orders` in a lowercase text depends on something: `無料なら取り消して`, `stop it if they repeat a word`;
/// `できれば` is polite.
pub fn depends(text: &str, orders: &'static str) -> bool {
    let text = text.replace(['’', '‘'], "'");
    match text.is_ascii() {
        true => depends_in_english(&text),
        false => depends_in_japanese(&text, orders),
    }
}

/// Such a condition before one of `orders`.
fn depends_in_japanese(text: &str, orders: &'static str) -> bool {
    const CONDITIONS: &str =
        "なら|だったら|かったら|であれば|ければ|れば|たら|んなら|場合は|場合だけ|場合のみ|場合に限";
    const POLITE: &str = "よければ|良ければ|よろしければ|宜しければ|よかったら|よろしかったら|できれば|出来れば|できるなら|出来るなら|できたら|可能なら|可能であれば|可能だったら|可能でしたら|差し支えなければ|問題なければ|お手数でなければ|ご迷惑でなければ|時間があれば|時間があったら|まだ間に合うなら|まだ間に合えば|まだ間に合うようなら|それなら|そうなら|だったらもう|の方なら|のほうなら|の予約なら";
    /// Words that only sound like a condition: `行かなければならない`, `熱が出たらしい`.
    const OTHERS: &str = "もしかしたら|もしかすれば|ひょっとしたら|なければなら|なければいけ|ければいけ|ねばなら|てはなら|ちゃならな|ならない|ならなく|ならなか|たらしい|たらしく|ならびに|なんなら|何なら|なんだったら|何だったら";
    const THEN: &str = "それでしたら|そうでしたら|でしたら|そういうことなら|だったら|なら|それなら|そしたら|そうしたら|したら|だとしたら";
    let text = marks(POLITE)
        .chain(marks(OTHERS))
        .fold(text.to_owned(), |it, phrase| it.replace(phrase, ""));
    let text = text.trim_start_matches([' ', '、', ',']);
    let text = marks(THEN).find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    let order = marks(orders).filter_map(|it| text.rfind(it)).max();
    let before = &text[..order.unwrap_or(0)];
    marks(CONDITIONS).any(|it| before.contains(it))
}

/// Such a condition anywhere.
fn depends_in_english(text: &str) -> bool {
    const CONDITIONS: &str =
        "if|only if|unless|as long as|so long as|provided|provided that|assuming|in case";
    /// Polite where nothing follows: `cancel it if you can`, but not `if you can refund me`.
    const POLITE: &str = "if possible|if at all possible|if you can|if you could|if you would|if you will|if you like|if you please|if i can|if i could|if i may|if you don't mind|if you dont mind|if you have time|if you have a moment|if you have a minute|if that's ok|if that's okay|if thats ok|if that's all right|if that's alright|if it's ok|if it's okay|if it's possible|if it is possible|if that's possible|if it's still possible|if it is still possible|provided it's still possible|if it's not too much trouble|if it is not too much trouble|if it isn't too much trouble|if it's no trouble|if it's all the same|if it is all the same|if it's all the same to you|if it is all the same to you";
    /// What is asked, doubted or only said by the way: `tell me if it worked`.
    const ASKS: &str = "see if|check if|know if|tell me if|ask if|wonder if|wondering if|sure if|unsure if|even if|unless i'm mistaken|if i'm not mistaken|if i remember";
    const BEHIND: &str =
        ".|,|!|?|;|please |pls |cancel|could you|can you|and |then |i'd|i would|i want";
    let text = marks(ASKS).fold(text.to_owned(), |it, phrase| it.replace(phrase, ""));
    let is_polite = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty() || marks(BEHIND).any(|it| rest.starts_with(it.trim_end()))
    };
    let text = marks(POLITE).fold(text, |it, phrase| match it.split_once(phrase) {
        Some((before, behind)) if is_polite(behind) => format!("{before}{behind}"),
        _ => it,
    });
    let words: Vec<_> = text.split(|it: char| !it.is_ascii_alphanumeric()).collect();
    marks(CONDITIONS).any(|phrase| {
        let phrase: Vec<_> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|it| it == phrase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_depends_on_what_is_not_known() {
        const ORDERS: &str = "止め|終わら";
        for text in [
            "誰かが同じ言葉を言ったら止めて",
            "喧嘩になるなら終わらせて",
            "stop it if someone repeats a word",
            "stop them unless they agree",
        ] {
            assert!(depends(text, ORDERS), "{text}");
        }
        for text in
            ["止めて", "できれば止めて", "よかったら終わらせて", "stop it if you can", "stop it"]
        {
            assert!(!depends(text, ORDERS), "{text}");
        }
    }
}
