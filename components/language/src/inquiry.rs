//! Recognizes questions about an action that do not order it: whether it was done, and what its consequences are.

use crate::{
    coverage::{self, Used},
    scan::{self, marks},
    utterance::{Token, Utterance},
    words::Word,
};

/// Words before a question.
const LEADS: &str =
    "so |and |but |ok |okay |wait |well |hmm |oh |sorry |then |now |just |actually |also ";
/// Actions of every family.
const ACTIONS: &[Word] = &[Word::MAKE, Word::CANCEL, Word::HALT, Word::DELETE];
/// Maximum distance of a condition from its action, in characters.
const REACH: usize = 28;

/// The lowercase question, without the words before it.
fn question(utterance: &Utterance) -> String {
    let text: String = utterance.lower.iter().collect();
    let mut rest = text.trim();
    while let Some(tail) = marks(LEADS).find_map(|it| rest.strip_prefix(it.trim_end())) {
        let Some(behind) = tail.strip_prefix([' ', ',']) else { break };
        rest = behind.trim_start();
    }
    rest.to_owned()
}

fn begins(text: &str, table: &'static str) -> bool {
    scan::begins(text, table).is_some()
}

fn is_action(utterance: &Utterance, token: &Token) -> bool {
    ACTIONS.contains(&token.word) || utterance.vocabulary.actions.contains(&token.word)
}

/// Whether `utterance` asks if an action was done: `did you book it?`, `予約した？`.
pub fn asks_whether_done(utterance: &Utterance) -> bool {
    const DID: &str = "did you|didn't you|did it|did that|did they|did we|did i|did the";
    const STATES: &str = "have you|have they|has it|has that|has my|has the|has anything|was it|was that|was anything|were they|was the|were the|was my|were my|is it|is that|are they|is anything|is the|are the|is my|are my";
    // Participles besides the family's own.
    const MADE: &str = "done|made|cancelled|canceled|deleted|removed";
    const QUESTION_WORDS: &str =
        "何|なに|誰|だれ|いつ|どこ|どれ|どの|どっち|どちら|いくら|なぜ|なんで|どう";
    const NONE: &str = "何も|なにも|誰も|だれも|どれも|どこも";
    const PAST: &str = "た|んだ|済み|済|完了";
    const LASTS: &str =
        "てる|ている|てます|ています|てある|てあります|てない|ていない|てません|ていません";
    // Ongoing states: `明日やってる？`.
    const GOES_ON: &str = "やっ|空い|あい|残っ|続い|動い";
    let own = || marks(utterance.vocabulary.done);
    let text = question(utterance);
    let marked = text.ends_with('?');
    let text = text.trim_end_matches(['?', '!', '。', '.', ' ']);
    // `何も予約してないよね？` contains a negated pronoun.
    let text = marks(NONE).fold(text.to_owned(), |it, none| it.replace(none, ""));
    let text = text.as_str();
    // An order may follow the question.
    if text.contains(['?', '。']) {
        return false;
    }
    if text.is_ascii() || begins(text, DID) {
        let is_made = |it: &str| marks(MADE).chain(own()).any(|made| made == it);
        let is_state = || text.split(|it: char| !it.is_ascii_alphanumeric()).skip(2).any(is_made);
        return begins(text, DID) || begins(text, STATES) && is_state();
    }
    let mut asked =
        marks("んでしょうか|でしょうか|のですか|んですか|ですか|かな|か|よね|ね|っけ|の");
    let asked = asked.find_map(|it| text.strip_suffix(it));
    let end = asked.unwrap_or(text).trim_end_matches(['よ', 'の', 'ん']);
    let is_past = |end: &str| {
        let lasting = marks(LASTS).filter_map(|it| end.strip_suffix(it)).min_by_key(|it| it.len());
        let is_done = |rest: &str| !marks(GOES_ON).any(|it| rest.ends_with(it));
        marks(PAST).any(|it| end.ends_with(it)) || lasting.is_some_and(is_done)
    };
    (marked || asked.is_some())
        && (own().any(|it| !it.is_ascii() && text.contains(it))
            || utterance.tokens.iter().any(|it| is_action(utterance, it)))
        && !marks(QUESTION_WORDS).any(|it| text.contains(it))
        && (is_past(end) || is_past(text))
}

/// Whether `utterance` asks for the consequences of an action, or whether to do it: `what happens if I
/// cancel it?`, `取り消すとどうなる？`.
pub fn is_hypothetical(utterance: &Utterance) -> bool {
    const HAPPENS: &str = "what happens|what will happen|what would happen|what'll happen|what'd happen|should i|should we|must i|ought i|do i have to|do we have to|do i need to|do we need to|is it better to|would it be better|how do the|how do they|how does|how would|how will|why do|why does|why should|why would|what does it mean";
    const ORDERS: &str = "can you|could you|would you|will you|please";
    const FAVOURS: &str = "てくれ|でくれ|てもら|でもら|てくださ|てほし|お願い";
    const IF: [&str; 8] =
        ["if i ", "if we ", "if you ", "if one ", "when i ", "when we ", "once i ", "after i "];
    const OPEN: &str = "とどうな|たらどうな|ばどうな|場合どうな|場合はどうな|と何が起|たら何が起|とどういう|たらどういう";
    const CONDITION: &str =
        "すると|したら|すれば|した場合|する場合|したあと|した後|すと|ると|れば|せば|たら";
    /// Questions for advice.
    const ADVICE: &str =
        "たほうがいい|た方がいい|たほうが良い|た方が良い|たほうがよい|た方がよい|べき";
    let text = question(utterance);
    let is_advice = utterance.asks() && marks(ADVICE).any(|it| text.contains(it));
    if is_advice || begins(&text, HAPPENS) || marks(OPEN).any(|it| text.contains(it)) {
        return true;
    }
    let actions = || utterance.tokens.iter().filter(|it| is_action(utterance, it));
    let piece = |from: usize, to: usize| -> String {
        utterance.lower[from..to.min(utterance.lower.len())].iter().collect()
    };
    // `do I get a mail?` is no order.
    let is_order = |token: &Token| match utterance.lower[token.from].is_ascii() {
        true => token.word == Word::SHOW,
        false => [Word::SHOW, Word::WANT].contains(&token.word),
    };
    // `取れたら予約してくれる？` orders the action after the condition.
    let is_ordered = |from: usize| {
        let behind = piece(from, usize::MAX);
        marks(FAVOURS).chain(marks(ORDERS)).any(|it| behind.contains(it))
            || utterance.tokens.iter().any(|it| it.from >= from && is_order(it))
    };
    utterance.asks()
        && !begins(&text, ORDERS)
        && actions().any(|it| match utterance.lower[it.from].is_ascii() {
            true => {
                let before = piece(it.from.saturating_sub(REACH), it.from);
                let at = IF.iter().filter_map(|it| before.rfind(it)).max();
                at.is_some_and(|at| !before[at..].contains([',', '.', '?'])) && !is_ordered(it.to)
            }
            false => {
                let behind = piece(it.to, it.to + 6);
                marks(CONDITION).any(|phrase| {
                    behind.starts_with(phrase)
                        || behind.contains(phrase) && phrase.chars().count() > 2
                }) && !is_ordered(it.to)
            }
        })
}

/// Whether `utterance` asks for the last result again without naming it: `もう一度見せて`, `make it again`.
pub(crate) fn asks_again(utterance: &Utterance) -> bool {
    const AGAIN: &str = "もう一度|もういちど|もう1度|もう一回|もういっかい|もう1回|もっかい|もっぺん|再度|再表示|again|once more|one more time";
    const SHOWS: &str = "見せ|みせ|見たい|みたい|出し|表示|お願い|言って|いって|教えて|おしえて|作って|作り直して|つくって|生成して|show|see|display|list|please|say|tell|make|generate|create|draw";
    let text = utterance.text().to_lowercase();
    let text = text.trim().trim_end_matches(['。', '.', '!', '?']);
    let again = marks(AGAIN).filter(|it| text.contains(it)).max_by_key(|it| it.len());
    let Some(again) = again else { return false };
    let rest = text.replacen(again, "", 1);
    let is_shown = rest.trim().is_empty() || marks(SHOWS).any(|it| rest.contains(it));
    let is_word = |word: &String| marks(SHOWS).chain([again]).any(|it| it.contains(word.as_str()));
    is_shown
        && !utterance.has(&[Word::NOT, Word::CANCEL, Word::THEIRS, Word::ANOTHER])
        && !rest.split(' ').any(|it| matches!(it, "more" | "less"))
        && utterance.numbers.counts.is_empty()
        && utterance.when.spans.is_empty()
        && coverage::unused(utterance, &Used::default()).iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, vocabulary::Vocabulary};

    const LEND: Word = Word::own(0);
    static LIBRARY: Vocabulary = Vocabulary {
        phrases: &[(LEND, "lend|borrow|reserve|貸出|借り|予約")],
        actions: &[LEND],
        done: "reserved|held|予約",
        ..Vocabulary::NONE
    };

    fn read(text: &str) -> Utterance {
        Utterance::parse(text, Date::constant(2026, 11, 21), &LIBRARY)
    }

    #[test]
    fn recognizes_questions_whether_it_was_done() {
        for text in [
            "did you reserve it?",
            "so did you reserve Emma",
            "Have you cancelled it yet?",
            "was anything reserved?",
            "wait, is it reserved?",
            "are they held now?",
            "予約した？",
            "もう予約しましたか",
            "予約してくれた?",
            "予約できてる？",
            "まだ予約してないよね？",
            "キャンセルしたの？",
            "予約済み？",
            "予約済みですか？",
            "キャンセルしたんですか？",
            "has my booking been cancelled?",
            "didn't you reserve it?",
            "何も予約してないよね？",
            "なにも予約されてない？",
        ] {
            assert!(asks_whether_done(&read(text)), "{text}");
        }
        for text in [
            "reserve it",
            "can you reserve it?",
            "is it good?",
            "was it good?",
            "have you two of them?",
            "is it free?",
            "did you reserve it? if not, reserve it",
            "予約して",
            "予約した。",
            "予約したい？",
            "何を予約した？",
            "いつ予約したっけ",
            "明日やってる？",
            "席は空いてる？",
            "席はまだ残っていますか",
            "予約できますか",
            "明日上映してる？",
            "売店は開いてる？",
            "is it crowded?",
            "is it still being screened?",
            // Actions of other families.
            "has it been sent?",
            "もう送った？",
        ] {
            assert!(!asks_whether_done(&read(text)), "{text}");
        }
    }

    #[test]
    fn last_result_is_asked_for_again() {
        for text in [
            "もう一度見せて",
            "もう一回作って",
            "もう1回生成して",
            "show it again",
            "make it again please",
            "once more",
        ] {
            assert!(asks_again(&read(text)), "{text}");
        }
        for text in [
            "もう一回は作らないで",
            "もう一回別のを作って",
            "make another one again",
            "make it more fun again",
            "もう一枚作って",
            "もう一度暗くして",
            "make it again without Emma",
            "don't make it again",
        ] {
            assert!(!asks_again(&read(text)), "{text}");
        }
    }

    #[test]
    fn question_about_consequences_is_no_order() {
        for text in [
            "what happens if I cancel b-1?",
            "What would happen when we reserve two?",
            "should I reserve it now?",
            "will I get a mail if I reserve it?",
            "if I borrow two, do I pay?",
            "if I reserve two for tomorrow, do I get a mail?",
            "do I have to cancel it?",
            "取り消すとどうなりますか",
            "予約したらどうなるの？",
            "予約するとメールは来る？",
            "キャンセルした場合、返金はある？",
        ] {
            assert!(is_hypothetical(&read(text)), "{text}");
        }
        for text in [
            "cancel b-1",
            "could you reserve two if I go?",
            "can I reserve two for tomorrow?",
            "reserve two if you can",
            "予約して",
            "予約できる？",
            "予約したら、地図も見せてくれる？",
            "借りられたら予約してくれる？",
            "キャンセルしたら別のを予約してもらえますか",
            "if I can borrow two, can you reserve them?",
            "借りたい",
        ] {
            assert!(!is_hypothetical(&read(text)), "{text}");
        }
    }
}
