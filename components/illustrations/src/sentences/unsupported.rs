//! Answers to unsupported requests about cards, such as their values in a game or other drawings.

use language::{Language, context::TurnContext, scan::marks, utterance::Piece, words::Word};

use super::{
    catalogue::Spotted,
    request::cards_in,
    sentence::Sentence,
    themes::{samples, theme_names},
    wording::{bare, subtitle},
    words,
};

const STATS: &str = "攻撃力|守備力|防御力|ステータス|レアリティ|レア度|能力値|特殊能力|効果|何が強い|どっちが強い|一番強い|どれが強い|強さ|コスト|attack points|attack power|attack|defense|defence|stats|stat|abilities|ability|effects|effect|rarity|rare|hit points|hp|power level|mana cost|strong|stronger|strongest|worth";
const REDRAWN: &str = "描き直|書き直|かき直|描きなお|加工し|塗り替|塗りかえ|解像度|高画質|リサイズ|大きいサイズ|動かして|アニメーションにして|redraw|re-draw|repaint|recolor|recolour|restyle|animate|resize|resolution|upscale|in 4k|in 8k";
const RESHAPED: &str = "縦長|縦型|縦向き|横長|正方形|文字の色|文字色|portrait|square|vertical|大きく|おおきく|大きめに|小さく|ちいさく|小さめに|明るく|あかるく|暗く|くらく|鮮やかに|拡大|縮小|太字|フォント|bigger|larger|smaller|brighter|darker|enlarge|zoom|zoom in|font|bold|bolder";
const RENAMED: &str = "名前を変え|名前変え|改名|rename|change the name of";
const OF_WHICH: &str = "belong|どのテーマ|何のテーマ|なんのテーマ|どこのテーマ|テーマは何|テーマはどれ|テーマってどれ|テーマは?|which theme|what theme|which set|what set|what deck|which deck";
const BEFORE: &str = "昨日|前回|先週|この前|こないだ|先日|以前の|yesterday|yesterday's|last time|last week|last week's|previous|earlier";
const AGAIN: &str =
    "同じ|もう一度|また|みたいな|と一緒|の続き|same|again|like the one|as before|another one like";

/// Answers an unsupported request. `is_known` says that a picture was composed before.
pub(super) fn refusal(
    utterance: &Sentence,
    is_known: bool,
    context: &TurnContext<'_>,
) -> Option<String> {
    let written: Vec<Piece> = subtitle(utterance).into_iter().chain(bare(utterance)).collect();
    let is_free = |at: usize| !written.iter().any(|it| (it.from..it.to).contains(&at));
    let says = |words: &'static str| {
        marks(words).any(|mark| {
            (0..utterance.lower.len()).any(|at| {
                is_free(at)
                    && utterance.is_at(mark, at)
                    && (!mark.is_ascii() || utterance.is_word(at, mark))
            })
        })
    };
    let spotted = cards_in(utterance, &written);
    let about = [words::CARD, words::THUMBNAIL, words::THEME];
    let is_picture = utterance.has(&[words::THUMBNAIL, words::COMPOSE]);
    let is_about = utterance.tokens.iter().any(|it| about.contains(&it.word))
        || spotted.iter().any(|it| it.is_name);
    if utterance.has(&[Word::THEIRS]) || !is_about {
        return None;
    }
    // The theme of a card is known.
    if let ([only], true) = (&spotted[..], says(OF_WHICH)) {
        let (name, theme) = context
            .language
            .pick((only.card.japanese, only.card.theme), (only.card.english, theme_of(only)));
        return Some(context.say(
            format!("「{name}」のテーマは「{theme}」です。"),
            format!("{name} is of the theme {theme}."),
        ));
    }
    if utterance.has(&[Word::DELETE]) || says(RENAMED) {
        let names = names_in_brackets(&spotted, context);
        return Some(context.say(
            format!("カード{names}を消したり変えたりすることはできないため、何もしていません。イラストを見ることと、サムネイルを作ることができます。"),
            format!("Cards{names} cannot be deleted or changed here, so nothing was done. I can show illustrations and make thumbnails."),
        ));
    }
    if says(REDRAWN) || is_sized(utterance) {
        let names = names_in_brackets(&spotted, context);
        return Some(context.say(
            format!("イラスト{names}を描き直したり、大きさを変えたりすることはできないため、何もしていません。サムネイルの大きさは 1280×720 です。いまあるイラストを見ることと、それを並べたサムネイルを作ることができます。"),
            format!("Illustrations{names} cannot be redrawn or resized, so nothing was done. Thumbnails are 1280x720. I can show the illustrations that there are and lay them out as a thumbnail."),
        ));
    }
    if !is_picture && says(STATS) {
        let (theme, _) = samples(context.language);
        return Some(context.say(
            format!("カードにあるのは名前と説明とイラストだけで、攻撃力や効果などの情報はないため、何もしていません。「{theme}のカードを見せて」のように書くとイラストをお見せします。"),
            format!("Cards have names, descriptions and illustrations only: there are no stats, effects or values, so nothing was done. Write for example \"show me the cards of {theme}\" to see some."),
        ));
    }
    if is_picture && !is_known && says(BEFORE) && says(AGAIN) {
        let (_, [one, other]) = samples(context.language);
        return Some(context.say(
            format!("以前のサムネイルは分からないため、何もしていません。カードかテーマの名前と、タイトルを書いてください。例:「{one}と{other}のサムネイル、タイトルは「決勝」」"),
            format!("I do not know that earlier thumbnail, so nothing was done. Please name the cards or the theme, and the title, such as \"a thumbnail of {one} and {other}, titled \"Final\"\"."),
        ));
    }
    None
}

/// Answers a request to change the size or brightness of what was shown, without another card's name.
pub(super) fn refuse_resize(utterance: &Sentence, context: &TurnContext<'_>) -> Option<String> {
    let is_bare = utterance.spotted(true).is_empty()
        && utterance.themes().is_empty()
        && utterance.quoted.is_empty()
        && !utterance.has(&[Word::THEIRS, Word::THEIR_ACTION]);
    (is_bare && (utterance.says(RESHAPED) || is_sized(utterance))).then(|| {
        context.say(
            "イラストや文字の大きさ・明るさは変えられないため、何もしていません。サムネイルでは、カード・並び・題・背景の色を変えられます。",
            "The size and brightness of illustrations and letters cannot be changed, so nothing was done. On a thumbnail, the cards, their order, the title and the colours behind them can.",
        )
    })
}

/// Returns the English name of a card's theme.
fn theme_of(spotted: &Spotted) -> &'static str {
    let japanese = theme_names(Language::Japanese);
    let at = japanese.iter().position(|name| *name == spotted.card.theme);
    at.and_then(|at| theme_names(Language::English).get(at).copied()).unwrap_or(spotted.card.theme)
}

/// Formats the cards' names in brackets.
fn names_in_brackets(spotted: &[Spotted], context: &TurnContext<'_>) -> String {
    let names: Vec<_> =
        spotted.iter().map(|it| context.language.pick(it.card.japanese, it.card.english)).collect();
    match names.is_empty() {
        true => String::new(),
        false => {
            let names = names.join(context.language.pick("、", "; "));
            context.say(format!("（{names}）"), format!(" ({names})"))
        }
    }
}

/// Whether the sentence has a size in pixels: `1920x1080`.
fn is_sized(utterance: &Sentence) -> bool {
    let is_digit = |at: usize| utterance.lower.get(at).is_some_and(char::is_ascii_digit);
    (1..utterance.lower.len()).any(|at| {
        matches!(utterance.lower[at], 'x' | '×' | '*')
            && (1..=3).all(|it| at.checked_sub(it).is_some_and(is_digit))
            && (1..=3).all(|it| is_digit(at + it))
    })
}
