//! Words about forms and their answers.

use language::words::Word;

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
        "出欠を取|出欠をと|出欠確認|出欠の確認|参加者を募|参加を募|日程調整|日程を調整|最新の回答|回答一覧|届いた回答|フォーム|アンケート|入力欄|入力画面|入力フォーム|調査票|申込書|申込フォーム|申し込みフォーム|問い合わせフォーム|記入欄|貸出票|依頼票|注文票|\
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
