//! Parses one item of a list: label, type, options and constraints.

use language::{
    say::capital,
    scan::{hiragana, marks},
};
use serde_json::{Map, Value, json};

use super::{
    DEFAULT, Field,
    bounds::{self, Bounds},
    kinds::{self, CANONICAL, FREE, Kind, WORDS, YES_NO},
    options::{self, OPTION_MAX, is_count, parts, unquote},
    plain::days,
    text::{self, Text},
};

/// Maximum characters of a label.
const LABEL_MAX: usize = 60;
/// Maximum words, or Japanese characters, of the label of an unknown field.
const FREE_WORDS_MAX: usize = 5;
const FREE_CHARS_MAX: usize = 16;
const OPTIONS_MAX: usize = 50;
/// Units in brackets behind a label.
const UNITS: &str = "円|千円|万円|税込|税抜|人|名|個|枚|本|台|時間|分|日|歳|cm|kg|km|g|m|%|℃|度|yen|jpy|usd|$|people|hours|minutes|days";

/// Result of an item.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// One or several fields of a kind, whether they are certain, unknown words, and the condition.
    Fields { fields: Vec<Field>, is_sure: bool, left: Vec<String>, when: Option<String> },
    /// Name of an unwanted field.
    Denied(String),
    /// Properties of the field before.
    More(Box<Field>),
    /// No field.
    Nothing,
}

pub(super) const REQUIRED: &str = "必須項目|必須|ひっす|必ず|入力必須|required|mandatory|compulsory|obligatory|a must|must be filled in|must be filled|can't be empty|may not be empty|must be ticked|must be checked|has to be filled in|needs to be filled in|is needed";
pub(super) const OPTIONAL: &str = "必須じゃなくていい|必須じゃなくて|必須じゃない|必須でなくていい|必須でなくて|必須ではない|必須ではなく|必須にしない|必須にしなく|任意|にんい|なくてもいい|なくてもok|無くてもいい|書かなくてもいい|入力しなくてもいい|あれば|できれば|もしあれば|省略可|doesn't have to be filled in|don't have to be filled in|doesn't have to be|don't have to be|doesn't need to be filled in|doesn't need to be|need not be|isn't required|aren't required|isn't mandatory|optionally|optional|not required|not mandatory|not needed|needn't be filled in|nobody has to fill in|no one has to fill in|if any|if there are any|if there are some|if there is one|if they have one|if they want|if they like|if applicable|can be left empty|can be empty|can be blank|may be empty|may be blank";
pub(super) const SEVERAL: &str = "複数選択可|複数回答可|複数可|複数選択|複数選べ|複数回答|複数|いくつでも|好きなだけ|全て選|すべて選|multiple choice allowed|multiple answers|multiple|select all that apply|all that apply|any number|several|more than one|as many as they like";
const DENIED_BEHIND: &str = "はいらない|はいりません|は要らない|は要りません|は不要|は必要ない|は聞かなくていい|は聞かない|は無しで|はなしで|なしで|無しで|抜きで|は除いて|以外|はやめて|は入れないで";
const DENIED_BEFORE: &str = "no need to ask for|no need for|there is no need for|you need not ask for|no|without|but not|not|don't ask for|do not ask for|don't need|skip|omit|leave out|except for|except|minus";
const LEADS: &str = "that they|作って|つくって|作成して|じゃあ|やはり|can you|could you|would you|will you|me about|me for|me|us|and|also|then|we need|i need|you need|we want|i want|it should have|finally|the guests|guests|people|everyone|everybody|them|users|customers|visitors|members|a|an|the|some|their|your|my|our|his|her|please|one for|a field for|field for|fields for|box for|space for|place for|room for|question about|question on|ask for|asks for|asking for|ask them|ask|for|to|with|of|big|small|quick|short|simple|free|single|just|only|maybe|let them|they can|what is|what's|やっぱり|やっぱ|あと|それから|それと|それに|また|そして|最後に|と|や|に|で|を|も|は|項目は|質問は|内容は|項目";
const TAILS: &str = "that's|that is|that are|that|っていう|といった|みたいな|which is|which are|must be|should be|has to be|needs to be|じゃないとだめ|でないとだめ|じゃないとダメ|でないとダメ|じゃないと駄目|でないと駄目|限定|の二つ|の三つ|の四つ|の五つ|の2つ|の3つ|の4つ|の5つ|の2点|の3点|の三点|をそれぞれ|それぞれ|each|as a form|in a form|as a|as|of|but|field|fields|box|input|please|pls|plz|thanks|thank you|too|as well|if possible|section|の欄も|の欄|記入欄|入力欄|欄|の項目|だけ|など|とか|等|の入力|を入力|を記入|について|にして|です|します|を聞いて|を聞く|を選ばせて|を選んでもらう|を選ぶ|を選択|を選べる|から選ぶ|から選択|で選ぶ|を答えてもらう|を書ける|を書いてもらう|に書いてもらう感じ|を出してもらう|を出す|をお願いいたします|をお願いします|お願いいたします|お願い致します|お願いします|お願い|ください|よろしく|がほしい|が欲しい|もほしい|も欲しい|が必要|の順に選ばせて|の順に|の順で|を|は|が|も|に|で|の|と|か|ね|よ";
/// Words for types.
const TYPES: &[(&str, &str)] = &[
    (
        "select",
        "a drop-down list|drop-down list|drop-down menu|drop-down|dropdown list|dropdown menu|dropdown|drop down|select box|pull-down|pulldown|pick list|プルダウン|ドロップダウン|セレクトボックス|リストから選択",
    ),
    ("radio", "radio buttons|radio button|radio|ラジオボタン|ラジオ"),
    (
        "checkbox",
        "on/off switch|on/off toggle|on-off switch|toggle switch|toggle|のオンオフ|オンオフ|のオン・オフ|オン・オフ|のオン/オフ|オン/オフ|トグルスイッチ|トグル|checkboxes|checkbox|check boxes|check box|tick boxes|tick box|tickbox|tick-box|チェックボックス|チェック欄",
    ),
    ("range", "slider|sliding scale|scale|スライダー|つまみ"),
    (
        "textarea",
        "large text box|big text box|textbox for|text area|textarea|long text|multi-line text|multiline text|multi-line|multiline|free text|free-text|long answer|long|自由に書いてもらう感じ|自由に書いてもらう|自由に書ける|自由に記入|自由入力|自由回答|複数行|長文",
    ),
    ("number", "as a number|numeric|number field|数字で入力|数字で|数値で|数値"),
    ("date", "date picker|datepicker|カレンダーから選択|カレンダーから|カレンダーで"),
    ("file", "to upload|upload of|uploads of|upload|uploads|upload a|アップロード|添付"),
    ("text", "text box|textbox|text field|short text|short answer|テキスト入力|テキスト|手入力"),
    ("autocomplete", "with a search box|search box|社員の中から検索|社員から検索"),
];
/// Beginnings and endings of labels, with their type.
const SHAPES: &[(&str, &str, &str)] = &[
    ("datetime", "日時", "when *"),
    ("date", "日|日付|年月日|期日|日取り", "date|day|date *"),
    (
        "number",
        "数|人数|年数|回数|金額|料金|費用|値段|身長|体重|体温|気温|温度|額|量",
        "how many *|number of *|how much *|count|amount|cost|weight|height|price|fee|total",
    ),
    (
        "file",
        "写真|画像|領収書|レシート|証明書|履歴書|ファイル|pdf|スキャン|請求書|見積書",
        "photo|photos|scan|picture|pictures|screenshot|screenshots|receipt|receipts|document|documents|pdf|resume|certificate|file|invoice",
    ),
    (
        "textarea",
        "理由|感想|意見|詳細|説明|内容|自由記述|ひとこと|一言|コメント",
        "why *|describe *|tell us *|comments|thoughts|remark|remarks|reason|explanation|details",
    ),
    ("range", "満足度|評価|おすすめ度|理解度", "rating|score|stars"),
];
/// Questions with a yes or no answer.
pub(super) const YES_OR_NO: &str = "whether *|if they *|do you *|do they *|are you *|are they *|would you *|would they *|will you *|will they *|can you *|have you *|did you *|may we *|can we *|should we *|is it *|is this *";
const YES_NO_WORDS: &str =
    "はいかいいえで|はいかいいえ|はい・いいえ|はい/いいえ|yes or no|yes/no|yes / no|y/n|yes no";

/// Parses `written`; `is_listed` if it is certainly in a list of fields.
pub(super) fn item(written: &str, is_listed: bool) -> Item {
    let mut text = Text::new(written);
    if let Some(name) = denied(&text) {
        return Item::Denied(name);
    }
    if let Some(field) = end_of_time(&text.text().to_lowercase()).filter(|_| is_listed) {
        return Item::Fields { fields: vec![field], is_sure: true, left: Vec::new(), when: None };
    }
    if let Some(field) = text::heading(&text) {
        return Item::Fields { fields: vec![field], is_sure: true, left: Vec::new(), when: None };
    }
    let mut about = About::default();
    if Text::new(written).has("添付|アップロード|貼") && !text.text().is_ascii() {
        about.kind = Some("file");
    }
    cut_verb(&mut text);
    condition(&mut text, &mut about);
    brackets(&mut text, &mut about);
    about.rest(&mut text);
    about.inline(&mut text);
    // `種類はS、M、L`: the options follow the label's particle.
    let particle = text.find("は|が", 1).filter(|_| !text.chars[0].is_ascii());
    if let Some((from, to)) = particle {
        let behind = text.piece(to, text.len());
        let mut rest = Text::new(&behind);
        rest.strip(LEADS, TAILS);
        let is_label = known(&Text::new(&text.piece(0, from))).is_some()
            || about.is_known() && to < text.len();
        if is_label {
            if rest.len() > 0 {
                about.left.push(rest.text());
            }
            text = Text::new(&text.piece(0, from));
        }
    }
    // `max 3 guests` counts people.
    const COUNTED: &str = "guests|people|members|visitors|users|customers";
    let is_counted = about.bounds.is_number() && marks(COUNTED).any(|it| it == text.text().trim());
    // `name, email, guests`: in a list it is a field.
    let is_kind = is_listed && known(&text).is_some_and(|it| it.2);
    if !is_counted && !is_kind {
        text.strip(LEADS, TAILS);
    }
    cut_verb(&mut text);
    unquote(&mut text);
    about.field(text, is_listed)
}

/// Label of a field in `written`.
pub(super) fn label(written: &str) -> Option<String> {
    let mut text = Text::new(written);
    text.strip(LEADS, TAILS);
    let label = text.text();
    let is_short = (1..=LABEL_MAX).contains(&label.chars().count());
    (is_short && label.chars().any(char::is_alphanumeric)).then(|| capital(&label))
}

/// Removes the action on the field: `写真を添付できて`, `メアド聞く`, `pick toppings`.
fn cut_verb(text: &mut Text) {
    const STEMS: &str = "きいて|きいと|添付|入力|記入|選|答え|回答|書|聞|教え|提出|登録|送|アップロード|出し|尋ね|集め|チェック|貼|評価して";
    const ENGLISH: &str = "rate|pick|choose|select|enter|give|tell us|tell me|say|state|type|type in|fill in|let people pick|let people choose";
    // `サイト内検索のしやすさ` is a label.
    const SEARCHED: &str = "を検索して選|を検索|で検索して選|で検索";
    let is_hiragana = |it: &char| matches!(it, 'ぁ'..='ん');
    if let Some((begin, end)) = text.find(SEARCHED, 1)
        && text.chars[end..].iter().all(is_hiragana)
    {
        text.cut(begin, text.len());
        return;
    }
    let mut from = 1;
    while let Some((begin, end)) = text.find(STEMS, from) {
        let has_particle = matches!(text.chars[begin - 1], 'を' | 'で' | 'に' | 'も');
        let rest = &text.chars[end..];
        // `から選んで` and `高・中・低で選んで` follow options.
        let is_choice = begin > 1 && text.is_at("から", begin - 2)
            || text.is_at("で選", begin - 1) && options::are_before(&text.piece(0, begin - 1));
        // `誰も答えてない` is a statement.
        let is_no = rest.windows(2).any(|it| it == ['な', 'い']);
        if !is_choice
            && !is_no
            && rest.iter().all(is_hiragana)
            && (has_particle || !rest.is_empty())
        {
            text.cut(begin - usize::from(has_particle), text.len());
            return;
        }
        from = end;
    }
    let is_noun = ["type of", "rate of", "rate per"].iter().any(|it| text.is_at(it, 0));
    if text.find(ENGLISH, 0).is_some_and(|it| it.0 == 0 && it.1 < text.len() && !is_noun) {
        text.strip(ENGLISH, "");
        text.strip(LEADS, "");
    }
}

/// Removes and parses a date's limit relative to today.
pub(super) fn date_bound(text: &mut Text) -> Option<(&'static str, &'static str)> {
    const FUTURE: &str = "can't be in the past|cannot be in the past|not be in the past|never in the past|isn't in the past|過去にできない|過去にはできない|過去はだめ|過去はダメ|過去の日付はだめ|過去の日付はダメ|は今日以降|今日以降|過去の日付は選べないように|過去の日付は選べない|過去の日付は不可|過去の日は選べない|過去は選べない|過去は不可|過去日は不可|no dates in the past|no past dates|past dates must not be possible|past dates are not allowed|not in the past|in the future|from today on|from today";
    const PAST: &str = "can't be in the future|cannot be in the future|not be in the future|never in the future|isn't in the future|未来にできない|未来にはできない|未来はだめ|未来はダメ|は未来を選べないよう|未来を選べない|未来は選べない|未来は不可|未来の日付は選べない|未来の日付は不可|no future dates|no dates in the future|not after today|は今日まで|今日以前|not in the future|in the past";
    const NEXT: &str = "は明日以降|は明日から|を明日以降|明日以降|あす以降|翌日以降|from tomorrow on|from tomorrow|after today|tomorrow or later";
    // `not after today` is the opposite.
    if !text.has(PAST) && text.take(NEXT) {
        return Some(("minDate", "+1days"));
    }
    let (future, past) = (text.find(FUTURE, 0), text.find(PAST, 0));
    // `not in the future` begins before `in the future`.
    let future = future.filter(|it| past.is_none_or(|past| it.0 <= past.0));
    let (from, to) = future.or(past)?;
    text.cut(from, to);
    Some((if future.is_some() { "minDate" } else { "maxDate" }, "today"))
}

/// Field for a short time limit: `from`, `until`.
fn end_of_time(text: &str) -> Option<Field> {
    const ENDS: &[(&str, &str)] = &[
        ("start_date", "from|from when|since|begin|start|start date|開始|開始日|いつから"),
        ("end_date", "to|until|until when|till when|till|end|end date|終了|終了日|いつまで"),
    ];
    let kind = ENDS.iter().find(|it| marks(it.1).any(|it| it == text))?.0;
    super::field_named(kind)
}

/// Whether `text` is only the name of a kind.
pub(super) fn is_kind(text: &str) -> bool {
    let mut text = Text::new(text);
    text.strip(LEADS, TAILS);
    known(&text).is_some_and(|it| it.2)
}

/// Name in `no phone`, `電話番号はいらない`.
pub(super) fn denied(text: &Text) -> Option<String> {
    let behind = text.find(DENIED_BEHIND, 1);
    if let Some((from, _)) = behind {
        return Some(text.piece(0, from));
    }
    let mut bare = text.clone();
    bare.strip("and|but|please|、|で", "");
    let before = bare.find(DENIED_BEFORE, 0).filter(|it| it.0 == 0)?;
    let is_number = bare.chars.get(before.1).is_some_and(char::is_ascii_digit);
    // `no more than four` is a limit, and `not required` a mark.
    let name = bare.piece(before.1, bare.len());
    let is_bound = ["more than", "less than", "required", "mandatory", "needed", "in the"]
        .iter()
        .any(|it| name.trim().starts_with(it));
    (!is_number && !is_bound && !name.trim().is_empty()).then_some(name)
}

/// Properties of a field besides its label.
#[derive(Clone, Debug, Default)]
struct About {
    is_required: Option<bool>,
    is_several: bool,
    kind: Option<&'static str>,
    options: Vec<String>,
    bounds: Bounds,
    more: Map<String, Value>,
    /// Number of fields of this kind.
    copies: Option<usize>,
    /// Kind of files, in the sentence's words.
    files: Option<String>,
    /// Unit of the values, a part of the label.
    unit: Option<String>,
    left: Vec<String>,
    /// Condition, in the sentence's words.
    when: Option<String>,
    /// Whether its options need no label, such as weekdays.
    is_bare_list: bool,
}

impl About {
    fn is_known(&self) -> bool {
        self.kind.is_some()
            || !self.options.is_empty()
            || self.bounds.is_number()
            || self.is_required.is_some()
            || !self.more.is_empty()
            || self.bounds != Bounds::default()
            || self.copies.is_some()
    }

    /// Removes the field's properties from `text`, leaving the label.
    fn rest(&mut self, text: &mut Text) {
        const COPIES: [(&str, usize); 6] = [
            ("を2つ", 2),
            ("を二つ", 2),
            ("を3つ", 3),
            ("を三つ", 3),
            ("第3希望まで", 3),
            ("第2希望まで", 2),
        ];
        if self.options.is_empty() {
            let found = COPIES.iter().find_map(|it| text.find(it.0, 0).map(|span| (span, it.1)));
            if let Some(((from, to), copies)) = found {
                text.cut(from, to);
                self.copies = Some(copies);
            }
        }
        // `with medium preselected`.
        const CHOSEN: &str =
            "preselected|pre-selected|selected by default|as the default|as default|by default";
        if let Some((from, to)) = text.find(CHOSEN, 1) {
            let before = text.piece(0, from);
            if let Some((rest, word)) = before.trim_end().rsplit_once(' ') {
                self.more.insert(DEFAULT.to_owned(), word.into());
                let rest = rest.trim_end().trim_end_matches(" with").to_owned();
                *text = Text::new(&format!("{rest} {}", text.piece(to, text.len())));
            }
        }
        // `low/medium/high default medium`.
        const STATED: &str = "defaults to|defaulting to|default to|default is|default";
        if let Some((from, to)) = text.find(STATED, 1) {
            let value = Text::new(&text.piece(to, text.len()).replacen(':', "", 1)).text();
            if !value.is_empty() && value.is_ascii() && value.split(' ').count() <= 2 {
                self.more.insert(DEFAULT.to_owned(), value.into());
                text.cut(from, text.len());
            }
        }
        if let Some((name, value)) = date_bound(text) {
            self.more.insert(name.to_owned(), value.into());
        }
        if text.take(OPTIONAL) {
            self.is_required = Some(false);
        } else if text.take(REQUIRED) {
            self.is_required = Some(true);
        }
        if text.lower.last() == Some(&'*') {
            text.cut(text.len() - 1, text.len());
            self.is_required = Some(true);
        }
        // `as many toppings as you like`.
        if let Some((from, to)) = text.find("as many", 0)
            && let Some((as_, _)) = text.find("as", to)
        {
            let end = text.find("out of|from", as_).map_or(text.len(), |it| it.0);
            let label = text.piece(to, as_);
            let rest = text.piece(end, text.len());
            *text = Text::new(&format!("{}{label}{rest}", text.piece(0, from)));
            self.is_several = true;
        }
        if text.take(SEVERAL) {
            self.is_several = true;
            text.take("they can pick|you can pick|can pick|they can choose|can choose|may choose|pick|choose|を選んでもらう|を選べる|選択");
        }
        // `yes/no/maybe` are three options.
        let is_more =
            text.has("yes/no/|yes / no /|はい・いいえ・|はい/いいえ/|yes, no, |yes, no or ");
        if !is_more && text.take(YES_NO_WORDS) {
            self.kind = Some("yes_no");
        }
        for (kind, words) in TYPES {
            let is_open = self.kind.is_none() || self.kind == Some("yes_no") && *kind == "radio";
            let Some((from, to)) = text.find(words, 0).filter(|_| is_open) else { continue };
            self.kind = self.kind.or(Some(kind));
            // `the parents upload a signed paper`: the object is the label.
            let behind = text.piece(to, text.len());
            let is_lead = *kind == "file" && from > 0 && text.chars[from].is_ascii();
            let is_object = || {
                let mut behind = Text::new(&behind);
                bounds::take(&mut behind);
                kinds::take(&mut behind);
                behind.chars.iter().any(|it| it.is_alphanumeric())
            };
            match is_lead && is_object() {
                true => *text = Text::new(&behind),
                false => drop(text.cut(from, to)),
            }
        }
        let found = bounds::take(text);
        if found != Bounds::default() {
            text.strip("", "is|are");
        }
        self.bounds = found.or(self.bounds);
        // `max two choices` limits the field before.
        const CHOSEN_OF: &str =
            "choices|choice|options|option|answers|を選択|選択|を選べる|選べる|選択可";
        let rest = text.text();
        if self.bounds.is_number() && marks(CHOSEN_OF).any(|it| it == rest.trim()) {
            *text = Text::new("");
        }
        let mut rest = text.clone();
        let accepted = kinds::take(&mut rest);
        if !accepted.is_empty() && rest.text().chars().any(char::is_alphanumeric) {
            *text = rest;
            self.more.insert("accept".to_owned(), accepted.into());
            self.kind = Some("file");
        }
    }

    /// Parses brackets: options, limits, or a remark.
    fn bracket(&mut self, inner: &str) {
        let mut others = Vec::new();
        for piece in inner.split(['、', ',', ';']) {
            match days(piece) {
                Some(days) => self.more.extend(days),
                None => others.push(piece),
            }
        }
        let inner = others.join("、");
        let list = parts(&inner);
        // `(under 20, 20-39, 40 and over)` are options.
        let bounding = |it: &&String| bounds::take(&mut Text::new(it)) != Bounds::default();
        if list.len() > 2
            && list.iter().filter(bounding).count() > 1
            && !list.iter().any(|it| is_count(it) || kinds::only(it).is_some())
        {
            self.options = list;
            return;
        }
        let mut rest = Vec::new();
        for part in &list {
            let mut text = Text::new(part);
            // `(the phone is optional)` marks another field.
            if !super::marking(part).is_empty() {
                self.left.push(part.clone());
                continue;
            }
            const AT_FIRST: &str = "if nothing chosen|if nothing is chosen|by default|default|as default|初期値|既定|デフォルト";
            if text.take(AT_FIRST) {
                text.strip("is|は|:|の", "is|が|は");
                self.more.insert(DEFAULT.to_owned(), text.text().into());
                continue;
            }
            let mut about = Self::default();
            about.rest(&mut text);
            text.strip(LEADS, "please|too|です|で");
            // `テストから1〜3個`: the last option, and the number of choices.
            let is_of_all = about.bounds.is_number() && text.chars.ends_with(&['か', 'ら']);
            // `S`, `10代`: the rest of an option belongs to it.
            match (text.len() == 0, about.is_known_or_several()) {
                (true, true) => self.join(about),
                (false, true) if about.is_several || is_of_all => {
                    self.join(about);
                    text.strip(LEADS, "から|から選択|選択可|可");
                    rest.push(text.text());
                }
                _ => rest.push(part.clone()),
            }
        }
        match rest.len() {
            0 => {}
            // `金額（円、1000円単位）`.
            1 if marks(UNITS).any(|it| it == rest[0]) => self.unit = rest.pop(),
            1 => {
                // `添付（PDF、5MBまで）`.
                if let Some(accept) = kinds::only(&rest[0]) {
                    self.more.insert("accept".to_owned(), accept.into());
                    self.files = rest.pop();
                    return;
                }
                let mut text = Text::new(&rest[0]);
                let mut about = Self::default();
                about.rest(&mut text);
                about.inline(&mut text);
                self.join(about);
                text.strip(LEADS, TAILS);
                if text.len() > 0 {
                    self.left.push(text.text());
                }
            }
            _ => {
                let fits = |it: &String| (1..=OPTION_MAX).contains(&it.chars().count());
                self.options = rest.into_iter().filter(fits).take(OPTIONS_MAX).collect();
            }
        }
    }

    /// Removes and parses inline options, if none are known.
    fn inline(&mut self, text: &mut Text) {
        if self.options.is_empty()
            && let Some((options, is_bare)) =
                options::inline(text, self.is_several || self.bounds.max.is_some())
        {
            self.options = options;
            self.is_bare_list |= is_bare;
        }
    }

    fn is_known_or_several(&self) -> bool {
        self.is_several || self.is_known()
    }

    fn join(&mut self, other: Self) {
        self.is_required = other.is_required.or(self.is_required);
        self.is_several |= other.is_several;
        self.kind = other.kind.or(self.kind);
        if !other.options.is_empty() {
            self.options = other.options;
        }
        self.bounds = other.bounds.or(self.bounds);
        self.copies = other.copies.or(self.copies);
        self.unit = other.unit.or(self.unit.take());
        self.more.extend(other.more);
        self.left.extend(other.left);
    }

    /// Creates the field with the label `text`.
    fn field(mut self, mut text: Text, is_listed: bool) -> Item {
        let label = text.text();
        let length = label.chars().count();
        let mut known = known(&text);
        // `お客様に来店の希望日`: the audience is no part of the label.
        let audience = text.find("には|に", 1).filter(|it| !text.chars[0].is_ascii() && it.0 <= 12);
        if let Some((from, to)) = audience {
            const PEOPLE: &str = "者|様|員|人|さん|方|客|生|メンバー|ゲスト|みんな|全員";
            let behind = Text::new(&text.piece(to, text.len()));
            let before = text.piece(0, from);
            if self::known(&behind).is_some() || marks(PEOPLE).any(|it| before.ends_with(it)) {
                text = behind;
                known = self::known(&text);
            }
        }
        let label = if length == text.len() { label } else { text.text() };
        if known.is_none() && label.is_empty() {
            let is_more = self.bounds != Bounds::default() || !self.more.is_empty();
            if is_more || self.is_several || self.is_bare_list {
                return Item::More(Box::new(self.more_of()));
            }
            if self.options.is_empty() {
                return Item::Nothing;
            }
        }
        const PART_OF_NAME: &str = "first name|last name|family name|given name|担当者名|参加者名";
        // `規約に同意しないと送れないように`: a purpose in a phrase is no label.
        const PHRASE: &str = "ように|ないと|したら|するか|できる";
        let is_phrase = !text.text().is_ascii() && text.has(PHRASE);
        let is_choice = ["select", "radio", "async-select", "multiselect"];
        // Options change the kind to one that has them.
        let fits =
            |it: &(Kind, usize, bool)| self.options.is_empty() || is_choice.contains(&it.0.kind);
        let is_question = shaped(YES_OR_NO, &text.text().to_lowercase())
            || text.lower.ends_with(&['か'])
            || text.lower.ends_with(&['か', 'ど', 'う', 'か'])
            || text.lower.ends_with(&['の', '有', '無'])
            || text.lower.ends_with(&['の', '可', '否']);
        let known = known.filter(fits).filter(|it| it.2 || !is_question);
        let is_free = known.is_none();
        let is_whole = known.as_ref().is_some_and(|it| it.2);
        let kind = known.map_or(FREE, |it| it.0);
        let label = match (is_whole, marks(CANONICAL).any(|it| it == kind.name)) {
            (true, true) if !marks(PART_OF_NAME).any(|it| text.is_at(it, 0)) => None,
            _ if is_phrase && !is_free => None,
            _ if !label.chars().any(char::is_alphanumeric) => Some(self.options.join(" / ")),
            _ => Some(match &self.unit {
                Some(unit) if label.is_ascii() => format!("{} ({unit})", capital(&label)),
                Some(unit) => format!("{label}（{unit}）"),
                None => capital(&label),
            }),
        };
        let shape = SHAPES.iter().find(|shape| {
            let lower: String = text.lower.iter().collect();
            marks(shape.1).any(|it| lower.ends_with(it)) || shaped(shape.2, &lower)
        });
        let mut type_ = self.kind.filter(|it| *it != "yes_no");
        if is_free && type_.is_none() && self.options.is_empty() {
            type_ = shape.map(|it| it.0).or(self.unit.is_some().then_some("number"));
        }
        // `アイコン（画像のみ）` is a file; a name is not.
        if let Some(words) = self.files.take() {
            if is_free && type_.is_none() {
                type_ = Some("file");
            }
            if type_.unwrap_or(kind.kind) != "file" {
                self.more.remove("accept");
                self.left.push(words);
            }
        }
        let has_days = ["minDate", "maxDate"].iter().any(|it| self.more.contains_key(*it));
        if has_days && !["date", "datetime"].contains(&type_.unwrap_or(kind.kind)) {
            type_ = Some("date");
        }
        let is_yes_no = self.kind == Some("yes_no")
            || is_free && is_question && self.options.is_empty() && type_.is_none();
        let is_sure = !is_free || type_.is_some() || is_yes_no || self.is_known();
        if label.as_ref().is_some_and(|it| it.chars().count() > LABEL_MAX) {
            return Item::Fields {
                fields: Vec::new(),
                is_sure: false,
                left: vec![text.text()],
                when: None,
            };
        }
        let is_short = match label.as_ref() {
            Some(it) if it.is_ascii() => it.split(' ').count() <= FREE_WORDS_MAX,
            Some(it) => it.chars().count() <= FREE_CHARS_MAX,
            None => true,
        };
        if !is_sure && !is_listed && !is_short {
            return Item::Fields {
                fields: Vec::new(),
                is_sure: false,
                left: vec![text.text()],
                when: None,
            };
        }
        if is_yes_no {
            type_ = Some("radio");
            self.more.insert(
                "options".to_owned(),
                serde_json::from_str::<Value>(YES_NO)
                    .map_or(Value::Null, |it| it["options"].clone()),
            );
        }
        self.bound(&kind, label.as_deref().unwrap_or_default(), &mut type_);
        // Several options may be chosen if the item says so, or if they are checkboxes.
        if !self.options.is_empty() && type_ == Some("checkbox") {
            (self.is_several, type_) = (true, None);
        }
        // A checkbox is optional.
        let is_ticked = type_ == Some("checkbox") && kind.kind != "checkbox";
        let is_required = self.is_required.unwrap_or(kind.is_required && !is_ticked);
        let field = Field {
            kind,
            label,
            is_free,
            type_,
            options: self.options,
            is_several: self.is_several,
            more: self.more,
            is_required,
            shown: None,
        };
        let copies = self.copies.filter(|_| is_sure).unwrap_or(1);
        let fields = (1..=copies).map(|number| {
            let mut field = field.clone();
            if copies > 1 {
                let label = field.label.take().unwrap_or_else(|| field.kind.label.0.to_owned());
                field.label = Some(format!("{label} {number}"));
            }
            field
        });
        Item::Fields { fields: fields.collect(), is_sure, left: self.left, when: self.when }
    }

    /// Converts it to properties of the field before.
    fn more_of(mut self) -> Field {
        // `within 30 days` limits a date.
        let mut type_ = self.kind.or(self.bounds.is_days.then_some("date"));
        self.bound(&FREE, "", &mut type_);
        if self.options.is_empty() {
            // `at least two of them` counts options.
            for (name, count) in [("min", "minSelect"), ("max", "maxSelect")] {
                if let Some(value) = self.more.remove(name).filter(|_| self.kind.is_none()) {
                    self.more.insert(count.to_owned(), value);
                    (self.is_several, type_) = (true, None);
                }
            }
        }
        Field {
            type_,
            options: self.options,
            is_several: self.is_several,
            more: self.more,
            is_free: true,
            ..Field::new(FREE)
        }
    }

    /// Assigns the limits to properties of the field's type.
    fn bound(&mut self, kind: &Kind, label: &str, type_: &mut Option<&'static str>) {
        let bounds = self.bounds;
        let base = type_.unwrap_or(kind.kind);
        if !self.options.is_empty() || base == "multi-autocomplete" {
            for (name, value) in [("minSelect", bounds.min), ("maxSelect", bounds.max)] {
                if let Some(value) = value {
                    self.more.insert(name.to_owned(), json!(value as u64));
                    self.is_several |= value as u64 > 1;
                }
            }
            return;
        }
        // `30日以内の納品日`, `過去30日以内の購入日`; `利用日数` is a number.
        if bounds.is_days && ["date", "datetime"].contains(&base) && !label.ends_with('数') {
            let (least, most, sign) = match bounds.is_past {
                true => (bounds.max, bounds.min, '-'),
                false => (bounds.min, bounds.max, '+'),
            };
            for (name, days) in [("minDate", least), ("maxDate", most)] {
                if let Some(days) = days {
                    self.more.insert(name.to_owned(), format!("{sign}{days}days").into());
                }
            }
            if bounds.min.is_none() {
                let name = if bounds.is_past { "maxDate" } else { "minDate" };
                self.more.entry(name).or_insert_with(|| "today".into());
            }
            return;
        }
        // A file field takes one file.
        if bounds.is_number() && base == "file" {
            let most = bounds.max.or(bounds.min).unwrap_or_default();
            if most > 1.0 {
                self.more.insert("multiple".to_owned(), true.into());
            }
            self.left.push(format!("{most} {}", label.to_lowercase()));
        } else if bounds.is_number() {
            if !["number", "range"].contains(&base) {
                let is_feeling = shaped("how *", &label.to_lowercase())
                    && !shaped("how many *|how much *|how old *", &label.to_lowercase());
                *type_ = Some(if is_feeling { "range" } else { "number" });
            }
            for (name, value) in [("min", bounds.min), ("max", bounds.max), ("step", bounds.step)] {
                if let Some(value) = value {
                    self.more.insert(name.to_owned(), bounds::written(value));
                }
            }
        } else if *type_ == Some("range") && kind.kind != "range" {
            self.more.extend([("min".to_owned(), 1.into()), ("max".to_owned(), 5.into())]);
        }
        let lengths = [
            ("minLength", bounds.length_min),
            ("maxLength", bounds.length_max),
            ("rows", bounds.rows),
            ("maxSize", bounds.bytes_max),
        ];
        for (name, value) in lengths {
            if let Some(value) = value {
                self.more.insert(name.to_owned(), value.into());
            }
        }
        if bounds.rows.is_some() {
            *type_ = Some("textarea");
        }
        if bounds.bytes_max.is_some() && kind.kind != "file" {
            *type_ = Some("file");
        }
    }
}

/// Kind named in `label`, its position, and whether it is all of it.
pub(super) fn known(label: &Text) -> Option<(Kind, usize, bool)> {
    // Alone it is a country, within a word it is not.
    if label.text() == "国" {
        return WORDS.at(&['国', '名'], 0).map(|it| (it.0, 0, true));
    }
    // `ナマエ`, often written with narrow characters.
    let is_katakana = |it: &char| matches!(it, '\u{30a1}'..='\u{30f6}' | 'ー');
    if label.lower.iter().all(is_katakana) {
        let kana: Vec<char> = label.lower.iter().map(|it| hiragana(*it)).collect();
        if let Some((kind, _)) = WORDS.at(&kana, 0).filter(|it| it.1 == kana.len()) {
            return Some((kind, 0, true));
        }
    }
    let (mut found, mut at) = (Vec::new(), 0);
    while at < label.len() {
        match WORDS.at(&label.lower, at) {
            Some((kind, length)) => {
                if !kind.name.is_empty() {
                    found.push((kind, at, length));
                }
                at += length;
            }
            None => at += 1,
        }
    }
    // The last noun is the kind; in English the one before `of`.
    let of = label
        .find(" of | for | to | in | at | on | they | you | we | it | that | the ", 0)
        .map_or(label.len(), |it| it.0);
    let before = found.iter().filter(|it| it.1 < of);
    let (kind, at, length) = *before.max_by_key(|it| it.1).or(found.first())?;
    // `dates` within a question is no date field.
    Some((kind, at, length == label.len()))
}

/// Whether `text` matches a shape: a word at its end, or words before `*` at its beginning.
pub(super) fn shaped(shapes: &'static str, text: &str) -> bool {
    marks(shapes).filter(|it| !it.is_empty()).any(|shape| match shape.strip_suffix('*') {
        Some(begin) => text.starts_with(begin),
        None => text == shape || text.ends_with(&format!(" {shape}")),
    })
}

/// Removes and parses the condition.
fn condition(text: &mut Text, about: &mut About) {
    const ENGLISH: &str = "only if|only when|only for those who|only those who";
    const JAPANESE: &str = "人にだけ|人だけに|人だけ|場合だけ|場合のみ|ときだけ|時だけ|方のみ";
    let span = match (text.find(ENGLISH, 0), text.find(JAPANESE, 1)) {
        (Some((from, to)), _) => {
            let end = text.find(" then ", to).map_or(text.len(), |it| it.1);
            Some((from, end))
        }
        (None, Some((_, to))) => Some((0, to)),
        (None, None) => None,
    };
    if let Some((from, to)) = span {
        about.when = Some(text.cut(from, to).trim().trim_end_matches(" then").to_owned());
    }
}

/// Removes and parses the brackets in `text`.
fn brackets(text: &mut Text, about: &mut About) {
    while let Some(open) = text.chars.iter().position(|it| matches!(it, '(' | '[')) {
        let end = text.chars[open..].iter().position(|it| matches!(it, ')' | ']'));
        let Some(end) = end.map(|it| open + it) else {
            text.cut(open, open + 1);
            continue;
        };
        let inner = text.piece(open + 1, end);
        text.cut(open, end + 1);
        about.bracket(&inner);
    }
}
