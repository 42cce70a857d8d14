//! Remarks outside all requests: farewells, apologies, praise, complaints, and questions about the
//! answerer, the language or the time.

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    clock::JAPAN,
    language::Language,
    scan::{hiragana, marks},
};

/// Kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// Ends the conversation.
    Farewell,
    /// Apologizes.
    Apology,
    /// Praises the answer.
    Praise,
    /// Complains about the answer.
    Blame,
    /// Acknowledges the answer, or hesitates.
    Musing,
    /// Withdraws the request.
    Nothing,
    /// Asks who answers.
    Answerer,
    /// Asks why an approval or an answer is required.
    Reason,
    /// Asks for another language.
    Tongue,
    /// Asks for the time or the date.
    Clock,
    /// Tells of danger to life.
    Emergency,
    /// Is in neither of the two languages.
    Foreign,
}

/// Phrases of each kind, in lower case and without punctuation.
const PHRASES: &[(Aside, &str)] = &[
    (
        Aside::Farewell,
        "さようなら|さよなら|またね|じゃあね|またあした|また明日|また今度|では また|それでは また|バイバイ|ばいばい|おやすみ|おやすみなさい|おつかれ|おつかれさま|お疲れ|お疲れ様|お疲れさま|おつ|おつー|乙|失礼します|以上です|これで終わり|これで以上|\
         bye|bye bye|goodbye|good bye|good night|see you|see ya|see you later|see you soon|take care|that's all|thats all|that is all|that's it|thats it|that will be all|that'll be all|i'm done|im done|have a nice day|have a good day",
    ),
    (
        Aside::Apology,
        "ごめん|ごめんなさい|ごめんね|すみません|すいません|すまん|申し訳ない|申し訳ありません|失礼しました|失礼|間違えた|間違えました|\
         sorry|i'm sorry|im sorry|my bad|oops|apologies|excuse me|ignore that|sorry ignore that|sorry my mistake|my mistake",
    ),
    (
        Aside::Praise,
        "すごい|すごいね|すごーい|凄い|さすが|えらい|いいね|いいねえ|いいじゃん|やるね|やるじゃん|賢い|かしこい|めっちゃいい|めちゃいい|すごくいい|すごいいい|とてもいい|いい感じ|気に入った|気に入りました|ばっちり|バッチリ|かわいい|可愛い|かっこいい|最高|完璧|素晴らしい|すばらしい|面白い|おもしろい|うれしい|嬉しい|\
         great|nice|nice one|lol|haha|wow|cool|awesome|amazing|good job|well done|very good|excellent|brilliant|wonderful|impressive|lovely|lol nice|you're great|youre great|you are great|you're good|you are good|that's great|that's nice|love it|i love it|so cute|so cool|very nice|perfect|i like it|good bot",
    ),
    (
        Aside::Blame,
        "ふざけんな|ふざけるな|バカ|ばか|馬鹿|あほ|アホ|役に立たない|役立たず|使えない|つまらない|ひどい|だめだな|ダメだな|だめじゃん|死ね|くたばれ|うるさい|違う|ちがう|そうじゃない|違うって|そういうことじゃない|分かってない|わかってない|\
         stupid|you're stupid|you are stupid|useless|you're useless|you are useless|this is useless|idiot|you suck|this sucks|that's wrong|thats wrong|that is wrong|wrong|not what i meant|that's not what i meant|thats not what i meant|not what i asked|that's not what i asked|you don't understand|you dont understand|bad bot|fuck off|fuck you|screw you|shut up",
    ),
    (
        Aside::Musing,
        "おk|おけ|おっけー|オッケー|りょ|残念|うーん|うーーん|んー|ふーん|へえ|へー|ほう|ふむ|なるほど|なるほどね|そうか|そうなんだ|そうですか|そっか|まあいい|まあいっか|えっと|えーと|ええと|あの|調子どう|調子はどう|元気|お元気|\
         hm|hmm|hmmm|hmm ok|uh|um|er|i see|ah ok|oh ok|ah i see|oh i see|okay then|alright|all right|got it|fair enough|interesting|makes sense|how are you|how are you doing|how's it going|hows it going|what's up|whats up|test|testing|テスト",
    ),
    (
        Aside::Nothing,
        "いいや|いや いい|いや いいです|いえ いいです|もういいです|いいや もう|もういいや|まあいいや|なんでもない|何でもない|なんでもありません|何でもありません|なんでもないです|気にしないで|やっぱいい|やっぱりいい|やっぱりなし|やっぱなし|なかったことにして|なかったことに|無かったことにして|無かったことに|白紙に戻して|白紙にして|取りやめ|取りやめで|取りやめて|取りやめにして|\
         it's nothing|its nothing|doesn't matter|doesnt matter|it doesn't matter|skip it|leave it|drop it|don't worry|dont worry|scratch that|scrap it|scrap that|bin it|call it off|forget i said that|forget i said anything|forget i asked|forget what i said|pretend i didn't say that|pretend i said nothing",
    ),
    (
        Aside::Answerer,
        "あなた誰|あなただれ|君誰|あなたはだれ|あなたは誰|あなたは何|あなたって何|君はだれ|君は誰|きみはだれ|お名前は何|君の名前|君の名前は何|あなたの名前|あなたの名前は何|あなたのお名前|ai|あなたはai|君はai|きみはai|aiですか|人間|あなたは人間|君は人間|ロボット|ボット|あなたはロボット|chatgpt|あなたはchatgpt|gemini|claude|どのモデル|モデルは何|何のモデル|\
         who are you|what are you|who is this|who am i talking to|who am i speaking to|what's your name|whats your name|what is your name|do you have a name|are you ai|are you an ai|are you a bot|are you a robot|are you human|are you a human|are you real|are you a person|are you a real person|are you chatgpt|are you gpt|are you gemini|are you claude|are you a language model|are you an llm|is this ai|is this an ai|is this a bot|which model are you|what model are you|which model is this|what model is this",
    ),
    (
        Aside::Reason,
        "なんで聞いた|なんで聞く|なんで聞いたの|なんで聞くの|なぜ聞いた|なぜ聞く|なぜ聞くの|どうして聞いた|どうして聞くの|どうして聞いたの|なんで許可がいるの|なんで許可が必要|なぜ許可が必要|どうして許可が必要|なんで承認がいるの|なんで承認が必要|なぜ承認が必要|どうして承認が必要|許可って何|承認って何|なんで許可がいる|なんで承認がいる|\
         why did you ask|why did you ask me|why do you ask|why do you ask me|why are you asking|why are you asking me|why did you have to ask|why do you need my approval|why do you need my permission|why do i need to approve|why do i have to approve|why do i need to allow it|why do i have to allow it|why do i need to confirm|why do i have to confirm|why the approval|what's the approval for|what is the approval for",
    ),
    (
        Aside::Tongue,
        "英語で|英語で話して|英語で答えて|英語で返して|英語でお願い|英語でお願いします|英語にして|英語|英語で書いて|英語は話せる|日本語で|日本語で話して|日本語で答えて|日本語で返して|日本語でお願い|日本語でお願いします|日本語にして|日本語|日本語で書いて|中国語で答えて|中国語で|韓国語で|韓国語で答えて|中国語話せる|韓国語話せる|フランス語話せる|英語話せる|日本語話せる|\
         in english|english|speak english|answer in english|reply in english|talk in english|switch to english|can you speak english|do you speak english|could you answer in english|can you answer in english|use english|back to english|in japanese|japanese|speak japanese|answer in japanese|reply in japanese|talk in japanese|switch to japanese|do you speak japanese|can you speak japanese|can you answer in japanese|use japanese|back to japanese|speak french|in french|in chinese|in german|in spanish|do you speak french|do you speak german|do you speak chinese|do you speak spanish",
    ),
    (
        Aside::Clock,
        "今何時|いま何時|今は何時|今の時刻|現在の時刻|現在時刻|今何時何分|今日何曜日|今日は何曜日|今日は何日|今日何日|今日って何日|今日って何曜日|今日の日付|今日は何月何日|今日何月何日|\
         what time is it|what time is it now|what's the time|whats the time|what is the time|do you have the time|current time|time now|what day is it|what day is it today|what day is today|what's the date|whats the date|what is the date|what's today's date|what is today's date|today's date|what date is it|what date is it today|what's the date today|what year is it",
    ),
];

/// Filler words before and after a remark.
const FILLERS: (&str, &str) = (
    "ありがとう|ありがと|ありがとうございます|thanks|thank you|めっちゃ|すごく|とても|それは|今のは|いまのは|さっきのは|今の話は|さっきの話は|この話は|じゃあ|では|それじゃ|やっぱり|やっぱ|あ|ああ|えっと|ねえ|ところで|で|ほんと|本当に|まじで|so|ok|okay|oh|ah|well|hey|and|then|now|no|please|btw|by the way|just|but|actually|haha|lol|sorry|can you|could you|tell me",
    "ですか|でしょうか|だっけ|でしたっけ|でした|ですね|ですよ|です|なの|なのか|だよ|だね|だな|だ|かな|っけ|さん|ください|教えて|教えてください|知ってる|わかる|分かる|ね|よ|な|は|の|か|わ|please|pls|plz|then|now|again|though|mate|man|instead|for me|everyone|all|thanks|today",
);
/// Longest remark, in characters.
const CHARS_MAX: usize = 40;

impl Aside {
    /// Classifies `text` if it contains nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        if is_emergency(text) {
            return Some(Self::Emergency);
        }
        if is_foreign(text) {
            return Some(Self::Foreign);
        }
        if text.chars().count() > CHARS_MAX {
            return None;
        }
        let lower = text.to_lowercase().replace(['’', '‘'], "'");
        // Punctuation, and laughter after a word: `すごいwww`.
        let is_mark = |it: char| !it.is_alphanumeric() && !matches!(it, '\'' | 'ー');
        let words: Vec<&str> = lower.split(is_mark).filter(|it| !it.is_empty()).collect();
        let joined = words.join(" ");
        let mut rest = joined.trim_end_matches(['w', 'ｗ', '笑']).trim_end();
        rest = if rest.is_empty() || rest.is_ascii() { joined.as_str() } else { rest };
        // `面白いの？` asks about a thing and is no praise.
        let asks = lower.trim_end().ends_with(['?', '？']) || joined.ends_with('の');
        let find = |text: &str| {
            let found = PHRASES.iter().find(|it| marks(it.1).any(|it| it == text));
            found.filter(|it| !asks || !matches!(it.0, Self::Praise | Self::Blame))
        };
        loop {
            let long = rest.trim_end_matches('ー');
            let folded: String = rest.chars().map(hiragana).collect();
            if let Some(found) = find(rest).or_else(|| find(long)).or_else(|| find(&folded)) {
                return Some(found.0);
            }
            rest = without_filler(rest)?;
        }
    }

    /// Answers the remark; examples may follow.
    pub fn answer(self, language: Language, now: Timestamp) -> String {
        let (japanese, english) = match self {
            Self::Farewell => ("またいつでもどうぞ。", "Goodbye; come back any time."),
            Self::Apology => {
                ("お気になさらず。どうぞ続けてください。", "No problem at all. Please go on.")
            }
            Self::Praise => ("ありがとうございます。", "Thank you!"),
            Self::Blame => (
                "お役に立てず申し訳ありません。別の言い方で書いてみてください。",
                "I am sorry that this was no help. Please try other words.",
            ),
            Self::Musing => ("はい、ご用件をどうぞ。", "I am here; what may I do for you?"),
            Self::Nothing => ("分かりました。何もしていません。", "Very well: nothing was done."),
            Self::Answerer => (
                "この窓口の内蔵プランナーです。AIモデルも人間も使わず、決まった規則で文を読んで答えています。",
                "I am this service's built-in planner: no person and no AI model, but fixed rules that read sentences.",
            ),
            Self::Reason => (
                "予約や取り消しのように何かを変える操作は、実行の前に必ずご本人に確かめる決まりです。許可されるまでは何も行いません。",
                "Whatever changes something, such as a booking or a cancellation, is put to you before it is done. Nothing happens until you allow it.",
            ),
            Self::Tongue => (
                "答えの言語は、画面の言語の設定と同じです（日本語か英語）。設定の「言語」で変えられます。文はどちらの言語でも読めます。",
                "Answers are in the language of the page, which is English or Japanese; its settings change it. Sentences may be in either.",
            ),
            Self::Clock => return clock(language, now),
            Self::Emergency => (
                "命に関わるときは、いますぐ119番（火事・救急）か110番（警察）に電話してください。この窓口からは通報できません。",
                "If there is danger to life, please call 119 (fire, ambulance) or 110 (police) in Japan right now. I cannot call for help from here.",
            ),
            Self::Foreign => (
                "ここで読めるのは日本語と英語の文だけです。 / I read Japanese and English only.",
                "I read English and Japanese only. / ここで読めるのは日本語と英語の文だけです。",
            ),
        };
        language.pick(japanese, english).to_owned()
    }

    /// Whether examples of requests follow the answer.
    pub(crate) fn has_examples(self) -> bool {
        matches!(self, Self::Answerer | Self::Blame | Self::Musing)
    }
}

/// Whether `text` tells of danger to life, and not of a film, a title or a form about it.
fn is_emergency(text: &str) -> bool {
    const JAPANESE: &str = "火事です|火事だ|火事が起き|家が燃えて|救急車を呼|救急車呼|救急車をお願い|警察を呼|警察呼|意識がない|意識がありま|息をしてい|息をしてな|息をしてま|息してな|血が止まら|出血して|人が倒れ|倒れている人|襲われて|殺され|死にたい|自殺したい";
    const ENGLISH: &str = "house is on fire|building is on fire|there is a fire|there's a fire|call an ambulance|need an ambulance|call the police|need the police|heart attack|can't breathe|cannot breathe|not breathing|is unconscious|is bleeding|i'm bleeding|i am bleeding|are bleeding|badly hurt|seriously injured|being attacked|kill myself|want to die|suicidal";
    /// What is made with words, or played.
    const MADE: &str = "タイトル|題|サムネ|フォーム|アンケート|カード|という|title|titled|called|thumbnail|form|survey|questionnaire|card|cards|film|films|movie|movies|scene|scenes|discuss|debate|talk|game|play|drill|laughing";
    /// Words behind the phrase that are no noun, such as in `heart attack symptoms`.
    const FURTHER: &str = "at|in|on|near|nearby|here|please|help|and|but|now|right|badly|heavily|from|again|anymore|very|so|next|outside|inside|out|for|to|i|he|she|they|we|my|because|where";
    /// Cries and courtesy behind a Japanese phrase.
    const CRIES: [&str; 8] =
        ["助けて", "早く", "来て", "誰か", "動か", "下さい", "今すぐ", "願いします"];
    let lower = without_quoted(&text.to_lowercase().replace(['’', '‘'], "'"));
    let words: Vec<&str> = words(&lower).collect();
    let is_said = |it: &str| if it.is_ascii() { words.contains(&it) } else { lower.contains(it) };
    if marks(MADE).any(is_said) {
        return false;
    }
    let is_end = |it: char| "、。，．！？,.!?\n".contains(it);
    let is_kanji = |it: char| matches!(it, '々' | '\u{4e00}'..='\u{9fff}');
    // `殺される映画` and `意識がないときの対応` go on with a noun, `必死にたいへん` begins before.
    let is_told = |mark: &str| {
        lower.match_indices(mark).any(|(at, _)| {
            let clause = lower[at + mark.len()..].split(is_end).next().unwrap_or_default();
            let rest = CRIES.iter().fold(clause.to_owned(), |rest, it| rest.replace(it, ""));
            let is_like = ["ほど", "くらい", "ぐらい"].iter().any(|it| rest.starts_with(it));
            let is_word = mark.starts_with('死') && lower[..at].ends_with(is_kanji);
            let is_hot = mark.starts_with('血') && lower[..at].ends_with(is_kanji);
            let is_clause =
                rest.chars().all(|it| matches!(it, '\u{3041}'..='\u{309f}' | 'ー' | 'w' | ' '));
            is_clause && !is_like && !is_word && !is_hot
        })
    };
    let is_called = |mark: &str| {
        lower.match_indices(mark).any(|(at, _)| {
            let rest = &lower[at + mark.len()..];
            let next = rest.trim_start();
            let next = next.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
            !rest.starts_with(char::is_alphanumeric)
                && (!rest.starts_with(' ')
                    || next.is_empty()
                    || marks(FURTHER).any(|it| it == next))
        })
    };
    marks(JAPANESE).any(is_told) || marks(ENGLISH).any(is_called)
}

/// Returns `text` without what is quoted, which is a name or a title.
fn without_quoted(text: &str) -> String {
    const MARKS: [(char, char); 4] = [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”')];
    let mut text = text.to_owned();
    for (open, close) in MARKS {
        while let Some((before, behind)) = text.split_once(open) {
            let rest = behind.split_once(close).map_or("", |it| it.1);
            text = format!("{before} {rest}");
        }
    }
    text
}

/// Returns the words of `text`, with their apostrophes and hyphens.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|it: char| !it.is_alphanumeric() && !matches!(it, '\'' | '-'));
    all.filter(|it| !it.is_empty())
}

/// Whether `text` is in a language that is not read here: by its letters, or by several of its common words.
fn is_foreign(text: &str) -> bool {
    /// Characters of simplified Chinese that Japanese does not have, and pronouns and particles.
    const CHINESE: &str = "你们吗么这请谢话说时给让从问电图发买觉谁哪您";
    const COMMON: [&str; 4] = [
        "bonjour|merci|voudrais|vous|comment|où|aller|chemin|pour|avec|quel|quelle|est|le|je|à|s'il|plaît|puis-je",
        "hola|gracias|quiero|por|favor|cómo|dónde|hablas|español|quisiera|puedo|puedes|para|el|cuál|ir|está|qué",
        "ich|möchte|bitte|danke|nach|wie|guten|komme|nicht|und|ist|der|das|wo|sprechen|deutsch|zum|kannst|du",
        "ciao|grazie|vorrei|buongiorno|andare|puoi|posso|il|che|è|parli|italiano",
    ];
    /// Words of an English sentence around a name: `send 你好 to worker-a`.
    const ENGLISH: &str = "the|is|are|and|of|to|from|for|with|make|show|send|find|let|ask|asking|titled|called|named|form|movie|film|card|tickets|today|tomorrow|how|what|when|where";
    let is_kana = |it: char| matches!(it, '\u{3041}'..='\u{30ff}');
    if text.chars().any(is_kana) {
        return false;
    }
    let lower = without_quoted(&text.to_lowercase());
    let words: Vec<&str> = words(&lower).collect();
    let is_english = marks(ENGLISH).any(|it| words.contains(&it));
    let is_letter = |it: &char| matches!(it, '\u{0400}'..='\u{0e7f}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}');
    let letters = lower.chars().filter(|it| it.is_alphabetic()).count();
    if lower.chars().filter(is_letter).count() * 2 > letters || lower.contains(['¿', '¡']) {
        return letters > 0 && !is_english;
    }
    if lower.chars().any(|it| CHINESE.contains(it)) {
        return !is_english;
    }
    let count = |table: &&str| table.split('|').filter(|it| words.contains(it)).count();
    let most = if is_english { 3 } else { 2 };
    COMMON.iter().map(count).max().is_some_and(|it| it > most || it > 1 && words.len() < 5)
}

/// Removes one filler word from `text`.
fn without_filler(text: &str) -> Option<&str> {
    let lead = marks(FILLERS.0).filter_map(|filler| {
        let rest = text.strip_prefix(filler)?;
        (!filler.is_ascii() || rest.starts_with(' ')).then(|| rest.trim_start())
    });
    let tail = marks(FILLERS.1).filter_map(|filler| {
        let rest = text.strip_suffix(filler)?;
        (!filler.is_ascii() || rest.ends_with(' ')).then(|| rest.trim_end())
    });
    lead.chain(tail).filter(|it| !it.is_empty()).min_by_key(|it| it.len())
}

/// Formats the date and time in Japan.
fn clock(language: Language, now: Timestamp) -> String {
    let now = now.to_zoned(TimeZone::fixed(JAPAN));
    let day = usize::try_from(now.weekday().to_monday_zero_offset()).unwrap_or_default();
    let name = ["月", "火", "水", "木", "金", "土", "日"][day];
    let (year, month, date) = (now.year(), now.month(), now.day());
    match language {
        Language::Japanese => format!(
            "{year}年{month}月{date}日（{name}）{}時{:02}分です（日本時間）。",
            now.hour(),
            now.minute()
        ),
        Language::English => {
            format!("It is {} in Japan.", now.strftime("%H:%M on %A, %-d %B %Y"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_remarks_with_filler_words() {
        for (text, expected) in [
            ("ごめん", Aside::Apology),
            ("あ、ごめんなさい！", Aside::Apology),
            ("すごいね", Aside::Praise),
            ("すごーい", Aside::Praise),
            ("いいねwww", Aside::Praise),
            ("lol nice", Aside::Praise),
            ("you’re great!", Aside::Praise),
            ("バカだな", Aside::Blame),
            ("役に立たないな", Aside::Blame),
            ("well, that's wrong", Aside::Blame),
            ("うーん…", Aside::Musing),
            ("残念でした", Aside::Musing),
            ("ウーン", Aside::Musing),
            ("それは残念でしたね。", Aside::Musing),
            ("hmm, ok", Aside::Musing),
            ("いいや", Aside::Nothing),
            ("なんでもないです", Aside::Nothing),
            ("君の名前は？", Aside::Answerer),
            ("AIなの？", Aside::Answerer),
            ("are you ChatGPT?", Aside::Answerer),
            ("英語で話して", Aside::Tongue),
            ("やっぱ日本語で", Aside::Tongue),
            ("フランス語話せる？", Aside::Tongue),
            ("in English please", Aside::Tongue),
            ("じゃあ今何時？", Aside::Clock),
            ("今日何曜日だっけ", Aside::Clock),
            ("ok so what time is it?", Aside::Clock),
            ("why did you ask me?", Aside::Reason),
            ("なんで聞いたの？", Aside::Reason),
            ("どうして承認が必要なの", Aside::Reason),
            ("scrap it", Aside::Nothing),
            ("bye!", Aside::Farewell),
            ("じゃあね〜", Aside::Farewell),
            ("おつ", Aside::Farewell),
            ("おk", Aside::Musing),
            ("助けて！火事です", Aside::Emergency),
            ("人が倒れています", Aside::Emergency),
            ("映画館で人が倒れています！早く助けて", Aside::Emergency),
            ("道に人が倒れていて動かない", Aside::Emergency),
            ("火事だよ早く来て", Aside::Emergency),
            ("息をしてません", Aside::Emergency),
            ("救急車を呼んで下さい", Aside::Emergency),
            ("父の意識がないんです。どうすれば？", Aside::Emergency),
            ("もう死にたい", Aside::Emergency),
            ("I think he is having a heart attack, help", Aside::Emergency),
            ("there's a fire in the kitchen", Aside::Emergency),
            ("I want to die", Aside::Emergency),
            ("someone is bleeding on the way to Haneda", Aside::Emergency),
            ("Please call an ambulance!", Aside::Emergency),
            ("你能帮我吗", Aside::Foreign),
            ("¿Hablas español?", Aside::Foreign),
            ("Bonjour, je voudrais aller de Shibuya à Ueno", Aside::Foreign),
            ("Wie komme ich nach Ueno?", Aside::Foreign),
            ("길을 알려 주세요", Aside::Foreign),
            ("Как пройти?", Aside::Foreign),
        ] {
            assert_eq!(Aside::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn request_is_no_aside() {
        for text in [
            "火事のシーンがある映画",
            "恋人が殺される映画",
            "殺されるシーンのある映画を見せて",
            "ゾンビに襲われて逃げる映画ある？",
            "死にたいほど退屈、今日の映画は？",
            "必死にたいへんな映画",
            "熱血が止まらない",
            "救急車を呼ぶ訓練の参加フォームを作って",
            "意識がないときの対応についてのアンケートを作って",
            "タイトルを火事だ！にして",
            "サムネイルのタイトルは火事だ！、雪兎ユキで",
            "worker-aとworker-bで火事だと想定して話し合って",
            "make a form about heart attack symptoms",
            "is there a movie called Heart Attack today?",
            "title: House is on Fire",
            "let worker-a and worker-b discuss what to do when there is a fire",
            "there is a fire station near Shibuya, take me there",
            "I want to die laughing, show me comedies",
            "make a form titled 你好吗",
            "send 你好 to worker-a",
            "make a form asking ¿Cómo te llamas?",
            "a form for the ICH, DER and DAS teams",
            "El Torito, El Paso",
            "Паразиты today?",
            "「火事です」というサムネイル",
            "救急車のカード",
            "a film about a fire",
            "a card with fire",
            "the way to the police station",
            "Amélie",
            "七人の侍",
            "上野 銀座",
            "東京駅→横浜駅",
            "le mans to das boot",
            "come, 3 per person",
            "add a comment and pour",
            "Per favore cards",
            "route to El Torito",
            "",
            "明日のゴジラは何時？",
            "what time is it on tomorrow?",
            "君の名は。",
            "英語でサムネイルを作って",
            "名前を聞くフォーム",
            "すごいカードを見せて",
            "sorry, from Ueno",
            "1番",
            "もっと早い道",
            "面白いの？",
            "おもしろい？",
            "is it great?",
            "ひどい？",
        ] {
            assert_eq!(Aside::parse(text), None, "{text}");
        }
    }

    #[test]
    fn answers_with_the_time_in_japan() {
        let now: Timestamp = "2026-11-21T01:05:00Z".parse().unwrap();
        let say = |language| Aside::Clock.answer(language, now);
        assert_eq!(say(Language::Japanese), "2026年11月21日（土）10時05分です（日本時間）。");
        assert_eq!(say(Language::English), "It is 10:05 on Saturday, 21 November 2026 in Japan.");
    }
}
