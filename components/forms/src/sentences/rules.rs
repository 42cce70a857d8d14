//! The words of forms, and rules for goals: the first rule matches whose signs are all present and none of whose excluded
//! signs is.

use std::cell::OnceCell;

use Sign::{Denies, Says};
use language::{
    inquiry::is_hypothetical,
    rules::{Rule, rule},
    scan::marks,
    utterance::Utterance,
    words::Word,
};

use super::fields::{self, Reading};

/// Goal of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Make no form.
    Nothing,
    /// Not supported by any tool.
    Elsewhere,
    /// Explain forms.
    Help,
    /// List existing forms.
    Forms,
    /// Make a form.
    Form,
}

/// Sign of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these words, not denied.
    Says(&'static [Word]),
    /// One of these words, denied.
    Denies(&'static [Word]),
    /// A question rather than an order.
    Question,
    /// Answers in a form.
    Answers,
    /// A question for existing forms.
    WhichForm,
    /// A form for a purpose, which is a new one.
    Anew,
    /// A form is requested, and nothing else.
    BareForm,
    /// Forms, requested or not.
    Forms,
    /// An unsupported errand: sending, calling, buying.
    Errand,
    /// Fields of a form.
    Fields,
    /// A question for a form's fields.
    WhichFields,
    /// Fields in a short request, one of them certain: `誕生日きいて`.
    Inquired,
    /// Two or more certain fields.
    Listed,
    /// Nothing of another family.
    Own,
}

/// Things of other families.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// Things and actions of other families.
const ANY_OF_THEIRS: Sign = Says(&[Word::THEIRS, Word::THEIR_ACTION]);
/// Actions on existing forms.
const DONE: Sign = Says(&[Word::CANCEL, Word::DELETE, Word::HALT]);

/// Rules in order of precedence.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(96, Goal::Help, &[Says(&[HOW_TO])], &[]),
    rule(
        86,
        Goal::Forms,
        &[Says(&[FORM]), Says(&[Word::EXISTS, Word::LIST, Word::SHOW, Word::ENDED, Word::WHO])],
        &[Says(&[Word::MAKE, INQUIRE, Word::WANT]), Sign::Fields, Sign::Anew],
    ),
    // A form that is not new is searched among existing ones.
    rule(
        86,
        Goal::Forms,
        &[Denies(&[FORM, Word::MAKE]), Says(&[Word::EXISTS, Word::LIST]), Sign::Forms],
        &[THEIRS],
    ),
    rule(
        86,
        Goal::Forms,
        &[Says(&[FORM]), Sign::WhichForm],
        &[Says(&[Word::MAKE, Word::WANT]), DONE],
    ),
    rule(
        86,
        Goal::Forms,
        &[Says(&[FORM]), Sign::Question],
        &[
            Says(&[Word::MAKE, INQUIRE, Word::WANT, Word::WHERE, Word::CAN]),
            DONE,
            ANY_OF_THEIRS,
            Sign::Fields,
        ],
    ),
    rule(
        86,
        Goal::Forms,
        &[Sign::Answers, Says(&[Word::SHOW, Word::LIST, Word::EXISTS])],
        &[THEIRS, Says(&[Word::MAKE, INQUIRE])],
    ),
    // Sending a form by mail is not supported.
    rule(84, Goal::Elsewhere, &[Sign::Errand, Says(&[FORM])], &[Says(&[Word::MAKE])]),
    // A denied form precedes everything it may ask about.
    rule(84, Goal::Nothing, &[Denies(&[FORM])], &[]),
    // A denied request makes no form.
    rule(
        84,
        Goal::Form,
        &[Says(&[FORM]), Sign::BareForm],
        &[Denies(&[Word::MAKE]), Says(&[Word::WHERE, Word::CHANGE]), DONE],
    ),
    rule(84, Goal::Form, &[Says(&[FORM]), Says(&[Word::MAKE])], &[Denies(&[Word::MAKE])]),
    rule(81, Goal::Form, &[Says(&[INQUIRE]), Sign::Fields], &[THEIRS, Sign::WhichFields]),
    rule(81, Goal::Form, &[Sign::Own, Sign::Inquired], &[]),
    rule(81, Goal::Form, &[Sign::Own, Sign::Listed], &[Says(&[Word::CANCEL])]),
];

/// Whether `utterance` asks for answers: `何て答えたっけ`, `what did they put?`.
pub(super) fn asks_answers(utterance: &Utterance) -> bool {
    const ANSWERS: &str = "答えた|答えました|回答は|回答内容|回答を|の回答|入力した内容|入力内容|書いた内容|結果|何て書いた|なんて書いた|何を入力|何を書いた|集計|did i put|did i answer|did i write|did i enter|did they answer|did they put|did they say|was answered|answers|my answer|my answers|the answer|the results|results|responses";
    const ASKS: &str = "っけ|何て|なんて|何と|何を|なに|教えて|見せて|みせて|確認|見たい|知りたい|だれか|誰か|して|what|show|see|tell|any";
    let is_new = utterance.has(&[Word::MAKE, INQUIRE]);
    !is_new && utterance.says(ANSWERS) && (utterance.asks() || utterance.says(ASKS))
}

/// Whether `utterance` asks which fields a form has, or which are required: `今の項目みせて`, `whats required in it?`.
pub(super) fn asks_fields(utterance: &Utterance) -> bool {
    const OF: &str = "fields|questions|required|mandatory|optional|on the form|in the form|does it ask|does the form ask|項目|質問|必須|任意|何を聞くフォーム";
    const WHICH: &str = "which|what|whats|what's|なのは|どれ|どの|どんな|何|なに";
    const FOR: &str = "what for|何か質問|質問は何のため|質問は何に|なぜ|どうして";
    /// Verbs of showing: at the end in Japanese, at the beginning in English.
    const SHOWN: &str =
        "見せて|みせて|見せ|みせ|見たい|みたい|教えて|おしえて|一覧|確認したい|確認して|確認";
    const SHOWS: &str = "show|list|display|see|tell me|give me|let me see|i want to see|what are";
    const POLITE: &str = "please |can you |could you |now |ok |just |only ";
    const CHANGES: &str = "を必須|は必須に|を任意|は任意に|追加|足して|消して|削除|変えて|変更|もらう|add|remove|make|rename|as|if|when|with|for|asking";
    let asks = utterance.says(WHICH) && utterance.asks() && !utterance.says(FOR);
    let text: String = utterance.lower.iter().collect();
    let opened = marks(POLITE).fold(text.trim(), |it, lead| it.strip_prefix(lead).unwrap_or(it));
    let ended = text.trim_end_matches(['。', '!', '?', ' ']).trim_end_matches("ください");
    let shows = marks(SHOWN).any(|it| ended.ends_with(it))
        || marks(SHOWS).any(|it| opened.strip_prefix(it).is_some_and(|it| it.starts_with(' ')));
    utterance.says(OF)
        && (asks || shows)
        && !utterance.says(CHANGES)
        && !utterance.has(&[Word::MAKE])
}

/// Whether `utterance` requests a form of its own rather than a change: `make a form with …`,
/// `form with email and phone`, `別のフォームで`.
pub(super) fn is_new_form(utterance: &Utterance) -> bool {
    const ANOTHER: &str = "another form|a second form|a new form|a different form|another survey|another poll|別のフォーム|新しいフォーム|もう一つフォーム|もう1つフォーム|もうひとつフォーム|別のアンケート|新しいアンケート";
    const BEGINS: &str = "form with |form for |form asking |form that |a form with |a form for |a form asking |a form that |survey with |survey about |a survey with |a survey about |poll with |a poll ";
    let text: String = utterance.lower.iter().collect();
    let text = text.trim().trim_start_matches("and ").trim_start_matches("now ");
    utterance.has(&[Word::MAKE]) && utterance.has(&[FORM])
        || utterance.says(ANOTHER)
        || marks(BEGINS).any(|it| text.starts_with(it))
}

/// Whether `utterance` adds a field, removes or moves it: `値段も追加して`, `put notes before price`.
pub(super) fn changes_field(utterance: &Utterance) -> bool {
    utterance.says("追加|足して|加えて|入れて|消して|削除|外して|の前に|の後に|の次に|add|include|remove|delete|drop|put|move|rename|before|after")
}

/// Whether `utterance` asks what happens with a form and its answers: `フォームを送るとどうなる？`, `who sees the answers?`.
pub(super) fn asks_about_handling(utterance: &Utterance) -> bool {
    const WONDERS: &str = "who sees|who can see|who will see|who gets|where do the answers|where are the answers|where do answers|edit my answers|change my answers|edit the answers|change the answers|誰が見|誰に見|誰に送|誰に届|どこに保存|どこに送|どこに届|どこへ送|後から直|あとから直|後で直|あとで直|後から変|あとから変|後から編集|あとから編集";
    let text = utterance.text();
    // `How would you rate us? Make a survey of that` is an order.
    let is_all = !text.trim_end_matches(['?', ' ']).contains('?');
    // `Can you make a form asking who gets the last slice?` is an order as well.
    let asks = || utterance.asks() && utterance.says(WONDERS) && !utterance.has(&[Word::MAKE]);
    is_all && (is_hypothetical(utterance) || asks())
}

/// Whether `utterance` requests the same form again: `もう一回同じフォーム出して`, `the same form again`.
pub(super) fn wants_again(utterance: &Utterance) -> bool {
    const SAME: &str = "同じフォーム|同じアンケート|フォームをもう一度|フォームをもう一回|もう一度フォーム|もう一回フォーム|same form|same survey|same poll|form again|survey again|poll again|form once more";
    utterance.says(SAME)
}

/// Goal of `utterance` by the rules.
pub(super) fn goal(utterance: &Utterance) -> Option<(Goal, u8)> {
    const ANSWERS: &str = "回答|返答|返事|返信|提出された|答えてくれ|答えた人|answers|answer |responses|replies|submissions";
    const WHICH: &str = "what forms|which forms|which form|any forms|any form|my forms|どのフォーム|どんなフォーム|フォームって何|フォームは何|アンケートって何|アンケートは何";
    const INQUIRED: &str = "聞いて|きいて|聞いといて|きいといて|訊いて";
    const ANEW: &str =
        "a form to |a form for |a form about |a survey to |a survey for |a survey about ";
    // `order form` is a noun.
    const COMPOUND: &str =
        "order form|order sheet|email form|e-mail form|phone form|mail form|call sheet|call form";
    let reading = OnceCell::<Reading>::new();
    let reading = || reading.get_or_init(|| fields::read(utterance));
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Denies(words) => utterance.denies(words),
        Sign::Question => utterance.asks(),
        Sign::Answers => utterance.says(ANSWERS),
        Sign::WhichForm => utterance.says(WHICH),
        Sign::Anew => utterance.says(ANEW),
        Sign::BareForm => is_bare(utterance),
        Sign::Forms => utterance.tokens.iter().any(|it| it.word == FORM),
        Sign::Errand => utterance.is_errand() && !utterance.says(COMPOUND),
        Sign::Fields => !reading().fields.is_empty(),
        Sign::WhichFields => asks_fields(utterance),
        Sign::Inquired => utterance.says(INQUIRED) && reading().sure > 0,
        Sign::Listed => reading().sure > 1,
        Sign::Own => !utterance.has(&[Word::THEIRS, Word::THEIR_ACTION]),
    };
    language::rules::goal(RULES, has)
}

/// Whether a form is only requested, neither closed nor sent.
fn is_bare(utterance: &Utterance) -> bool {
    const WANTED: &str = "作|つく|お願|おねが|くだ|下さ|頼|たの|用意|準備|欲|ほし|必要|要|いる|いり|くれ|もら|出し|表示|開|入力|使|取|とり|と|やり|やって|して|し|実施|設|組|考|書|記入|配|み|見|送りたい";
    const PARTICLES: [char; 3] = ['を', 'が', 'に'];
    let Some(form) = utterance.tokens.iter().rfind(|it| it.word == FORM) else { return false };
    let rest: String = utterance.lower[form.to..].iter().collect();
    const DONE: &str = "forget|scrap|skip|drop|email|mail|e-mail|forward|print|close|delete|remove|stop|edit|change|rename|send|share|publish|archive|submit|export|copy|duplicate|move|lock|end|cancel|clear|reset|update";
    let text: String = utterance.lower.iter().collect();
    let text = text.trim_start_matches("please ").trim_start_matches("can you ");
    let first = text.split(' ').next().unwrap_or_default();
    if marks(DONE).any(|it| it == first) {
        return false;
    }
    match rest.strip_prefix(PARTICLES) {
        Some(rest) => rest.is_empty() || marks(WANTED).any(|it| rest.starts_with(it)),
        None => true,
    }
}

pub(super) const FORM: Word = Word::own(0);
pub(super) const INQUIRE: Word = Word::own(1);
pub(super) const HOW_TO: Word = Word::own(2);

/// Nouns for the family's things.
pub(super) const NOUNS: &[Word] = &[FORM];
/// Actions.
pub(super) const ACTIONS: &[Word] = &[FORM, INQUIRE];

/// Lowercase phrases, separated by `|`; the longest match wins.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        FORM,
        "出欠を取|出欠をと|出欠取り|出欠とり|出欠確認|出欠の確認|参加者を募|参加を募|日程調整|日程を調整|最新の回答|回答一覧|届いた回答|フォーム|アンケート|入力欄|入力画面|入力フォーム|調査票|申込書|申込フォーム|申し込みフォーム|問い合わせフォーム|記入欄|貸出票|依頼票|注文票|\
         申請書|受付票|質問票|記入用紙|希望調査|意識調査|登録画面|登録の画面|form|forms|survey|surveys|questionnaire|poll|input fields|\
         sign-up sheet|sign up sheet|signup sheet|signup form",
    ),
    (
        INQUIRE,
        "を聞く|を聞い|聞きたい|を出してもらう|を選んでもらう|選ばせて|を尋ね|をたずね|を質問|を入力|を記入|を集め|を収集|入力してもら|書いてもら|教えてもら|答えてもら|asking|\
         asks|ask for|ask people|ask them|ask everyone|ask the guests|ask our|ask my|ask me|ask the user|\
         collect|collects|collecting|gather|fill in|fields for|fields",
    ),
    (
        HOW_TO,
        "what is a form|what's a form|what kind of forms can|what kinds of forms can|フォームって例えば|どんなフォームが作れ|どんなフォームを作れ",
    ),
    (
        Word::EXISTS,
        "答えた?|答えました|答えてくれ|answers|new answers|回答状況|回答され|回答済|回答は|回答が|回答を見|回答の一覧|回答の内容|未回答|返事は|返事が|届いて|\
         送信され|提出され|入力され|答えてない|答えていない|unanswered|answered|submitted|submissions|submission|responses|\
         filled in|filled out|fill in the|fill out the|replies|replied|responded",
    ),
];
