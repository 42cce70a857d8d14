//! Words with the same meaning for every family: asking, ordering, refusing, politeness.

/// Meaning of a phrase. Families add their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u8);

/// Number of a family's first own word.
const OWN: u8 = 64;

#[allow(missing_docs, reason = "each is the word that it says, and its phrases are below")]
impl Word {
    pub const WANT: Self = Self(0);
    pub const CANCEL: Self = Self(1);
    pub const LIST: Self = Self(2);
    pub const MAKE: Self = Self(3);
    pub const WHERE: Self = Self(4);
    pub const COMPARE: Self = Self(5);
    pub const HISTORY: Self = Self(6);
    pub const SHOW: Self = Self(7);
    pub const HOW: Self = Self(8);
    pub const RUNNING: Self = Self(9);
    pub const ENDED: Self = Self(10);
    pub const EXISTS: Self = Self(11);
    pub const HALT: Self = Self(12);
    pub const PRICE: Self = Self(13);
    pub const CHANGE: Self = Self(14);
    pub const DELETE: Self = Self(15);
    pub const WHO: Self = Self(16);
    pub const CAN: Self = Self(17);
    pub const ELSEWHERE: Self = Self(18);
    pub const HELP: Self = Self(19);
    pub const GREETING: Self = Self(20);
    pub const THANKS: Self = Self(21);
    pub const NOT: Self = Self(22);
    pub const NO_DOING: Self = Self(23);
    pub const PROCEED: Self = Self(24);
    pub const ANOTHER: Self = Self(25);
    pub const PAUSE: Self = Self(26);
    pub const STOP: Self = Self(27);
    pub const FILLER: Self = Self(28);
    /// A thing of another family.
    pub const THEIRS: Self = Self(29);
    /// An action of another family.
    pub const THEIR_ACTION: Self = Self(30);
    /// Another word of another family.
    pub const THEIR_WORD: Self = Self(31);

    /// Creates a family's word by its number.
    pub const fn own(number: u8) -> Self {
        Self(OWN + number)
    }
}

/// Lowercase phrases, separated by `|`; the longest match wins.
pub(crate) const PHRASES: &[(Word, &str)] = &[
    (
        Word::WANT,
        "ください|下さい|ほしい|欲しい|お願い|おねがい|頼む|i'd like|i would like|i need|i want|we need|we want|we'd like|\
         get me|get|give me|need|want",
    ),
    (
        Word::CANCEL,
        "キャンセル|取り消|取消|とりけし|払い戻|解約|cancel|cancels|cancelling|canceling|cancellation|cancelled|canceled|\
         kill|refund|call off|undo",
    ),
    (
        Word::LIST,
        "って何が|一覧|リスト|何が|なにが|どんな|何を|なにか|何か|何の|どの|ラインナップ|おすすめ|お勧め|人気|評価|面白い|おもしろい|おもろい|list|anything|which|what|\
         recommend|best rated|recommendation|highest rated|popular",
    ),
    (
        Word::MAKE,
        "作って|つくって|作成|作り|作りたい|作る|生成|用意して|用意し|組み立て|デザイン|作ってほしい|作って欲しい|作れ|作成して|make|create|build|generate|\
         design|prepare|draw|set up|put together",
    ),
    (Word::WHERE, "どこ|どのへん|どの辺|場所|位置|where is|where's|where|located|location|locate"),
    (
        Word::COMPARE,
        "どっちが長|どちらが長|どっちが短|どちらが短|どっちが評価|どちらが評価|どっちの方が評価|どっちが人気|どちらが人気|which is better|better rated|\
         higher rated|which is rated|which is longer|which is shorter|which one is longer|\
         which one is shorter|is longer|is shorter|比較|比べ|くらべ|見比べ|どっちが近|どちらが近|どっちが早|どちらが早|compare|\
         comparing|comparison",
    ),
    (Word::HISTORY, "履歴|やり取り|やりとり|ログ|history|transcript"),
    (
        Word::SHOW,
        "確認したい|確認して|確認させて|just looking|just browsing|looking at|wondering|見せて|みせて|見たい|みたい|教えて|おしえて|知りたい|\
         調べて|しらべて|探して|さがして|検索|表示|出して|取得|show|show me|tell me|find|search|look up|fetch|display|see|\
         bring up|let me see|want to know|pull up",
    ),
    (
        Word::HOW,
        "作り方を|作り方は|作り方が|how do i make|how can i make|how to make|って何?|って何ですか|とは何|とはなに|って何のこと|why can't|\
         why does|why do|方法を教えて|使い方を|の手順",
    ),
    (
        Word::RUNNING,
        "動いて|動いている|動いてる|進行中|続いて|実行中|走って|active|running|going on|in progress|ongoing|underway",
    ),
    (
        Word::ENDED,
        "終わった|終わっ|終わり|終了した|終了し|終了済|完了した|完了し|済んだ|ended|finished|over yet|completed|is done|are done|\
         closed|過去の",
    ),
    (
        Word::EXISTS,
        "作った|今ある|いまある|既にある|すでにある|ある?|あるの|あるか|ありますか|ありますでしょうか|あります?|何件|いくつある|何種類|何個ある|いくつあ|種類|全種類|全部見|全部教|\
         全部の|existing|are there|is there any|do i have|do we have|have we got|has anyone|did anyone|\
         did anybody|has anybody|has somebody|do you have|do you know|have you got|got any|pending|\
         waiting for|so far|every",
    ),
    (
        Word::HALT,
        "止めて|とめて|止めさせ|やめさせ|打ち切|停止して|停止|終わらせ|終了させ|終了して|終わりにして|中断して|中断|stop all|end all|halt all|stop|\
         terminate|abort|stop the|end the|halt the|kill the|abort the",
    ),
    (
        Word::PRICE,
        "はいくら|支払い|支払|決済|pay with|pay by|payment|いくら|料金|値段|入場料|鑑賞料|キャンセル料|キャンセル代|割引|学割|値引|ガソリン代|燃料代|交通費|タクシー代|駐車場代|駐車料金|fuel cost|gas cost|parking fee|how much|price|prices|cost|\
         costs|fee|fees|cancellation fee|discount|discounts",
    ),
    (
        Word::CHANGE,
        "変えて|変えられ|変更して|かえて|変更したい|変更でき|変更は|変更をお願い|変えたい|変更する|変更方法|change my|change the|reschedule|move my|\
         swap my|switch my|modify my",
    ),
    (
        Word::DELETE,
        "締め切|締切|受付を終|無効に|閉じて|close the|close my|削除|消して|消去|delete|remove all|erase|wipe",
    ),
    (Word::WHO, "誰|だれ|どなた|who can|who is here|who else"),
    (Word::CAN, "できます|できる|可能|can|could|possible"),
    (
        Word::ELSEWHERE,
        "a taxi|a cab|an uber|taxi for|taxi to|タクシーを呼|タクシー呼|タクシーを手配|タクシーを予約|配車|popcorn|snack|snacks|coke|\
         a drink|drinks|ポップコーン|コーラ|飲み物を頼|ドリンク|売店|souvenir|グッズ|draw me|draw a|draw us|paint me|描いてほし|\
         描いてくだ|絵を描いて|新しく描|lottery|train ticket|train tickets|bus ticket|concert ticket|concert tickets|\
         plane ticket|plane tickets|宝くじ|電車の切符|新幹線の切符|メールで|メール送|送信して|send me an email|email it|ラーメン|カフェ|\
         美容|予報|占い|翻訳|レシピ|料理|電話して|メールを送|リマインダー|reminder|remind me|人間と話|人と話したい|スタッフと話|スタッフの人|スタッフを呼|スタッフに代|店員|係の人|係員|担当者と話|担当者に代|担当者を呼|オペレーター|a human|real person|to a person|with a person|to somebody real|to an agent|to staff|member of staff|staff member|customer service|an operator|the manager|cafe|cafes|coffee shop|タイマー|アラーム|冗談|ジョーク|小説|joke|jokes|poem|recipe|translate|alarm|timer|\
         restaurant booking|レストラン|ホテル|旅館|お宿|宿泊|民宿|宿の予約|宿を予約|宿を取|宿を探|安い宿|飛行機|航空券|新幹線|病院|歯医者|美容院|居酒屋|焼肉|寿司|\
         ピザ|コンサート|ライブ|天気|雨かな|雪かな|will it rain|気温|株価|ニュース|為替|flight|flights|hotel|hotels|restaurant|restaurants|dinner|lunch|\
         pizza|doctor|dentist|haircut|weather|forecast|concert|concerts|stock price|news",
    ),
    (
        Word::HELP,
        "what can i do|what can i actually do|what can i really do|what can i ask|what else can i|\
         can i do here|what all can|何が頼め|何を頼め|なにを頼め|何してくれ|何をしてくれ|何ができ|何できる|何できま|なにができ|なにできる|なにできま|ヘルプ|例を見せ|例を教え|例は|例えば何|例えば?|たとえば?|例文|使い方|an example|some examples|できることは|できること|help|\
         what can you|what do you do|who are you|あなたは誰|誰ですか|自己紹介|how does this work",
    ),
    (
        Word::GREETING,
        "こんにちは|こんちは|こんばんは|おはよう|おはよー|おはよ|はじめまして|やあ|もしもし|hello|hi there|hi|hey|good morning|good evening|good afternoon",
    ),
    (Word::THANKS, "ありがとう|サンキュー|助かりました|助かった|thanks|thank you|thx|cheers"),
    (
        Word::NOT,
        "はいらない|はいらん|はいりません|はいらなく|たくない|たくありません|ないで|なくて|ないよう|しないで|しなくて|しなくても|せずに|しません|しない|せず|やめて|やめと|やめる|\
         やめます|不要|いらない|いらん|いりません|要らない|要りません|必要ない|必要はな|必要ありません|結構です|取らないで|取らなくて|とらないで|とらなくて|買わないで|買わなくて|\
         作らないで|作らなくて|つくらないで|押さえないで|押さえなくて|見せないで|したくない|作りたくない|つもりはない|つもりはありま|まだいい|まだしな|やっぱりいい|don't|\
         do not|dont|not|never|without|no need|rather not|won't|will not|wouldn't|shouldn't|should not|\
         didn't|did not|no longer",
    ),
    (
        Word::NO_DOING,
        "止めないで|とめないで|終わらせないで|停止しないで|don't stop|do not stop|don't end|do not end|don't pause|行くのはやめ|\
         まで行くのはやめ|に行くのはやめ|へ行くのはやめ|まで行くのをやめ|に行くのをやめ|へ行くのをやめ|調べないで|調べなくて|検索しないで|検索しなくて|検索は不要|検索不要|何もしないで|\
         なにもしないで|表示しないで|探さないで|呼び出さないで|実行しないで|取得しないで|don't search|don't look|don't do anything|do nothing|\
         do not search|don't call|don't run|don't fetch|don't show|never mind|nevermind|forget it|\
         forget about it|stop that|no thanks|no, thanks|no thank you|やっぱりやめ|もういい|忘れて|don't let|\
         do not let|don't have",
    ),
    (Word::PROCEED, "はい|うん|進めて|続けて|それで|了解|yes|yeah|yep|go ahead|sure|proceed"),
    (Word::ANOTHER, "他の|ほかの|別の|another|other|different"),
    (Word::PAUSE, "、|,|けど|けれど|but|however|が、|ので|から、|just|only|instead"),
    (Word::STOP, "。|!|?|\n|;|.|…"),
    (
        Word::FILLER,
        "um|uh|erm|それより|それよりも|そういえば|そう言えば|それはそうと|話は変わるけど|話変わるけど|anyway|どこでもいい|どこでもok|どこでも大丈夫|どこでも構わない|締切日|締め切り日|締切り日|まとめて|まとめ|並べた|並んだ|確認いらない|確認はいらない|確認不要|確認なしで|聞かなくていい|no need to ask me|no need to ask|without asking|\
         don't ask me|入れた|最後の|最初の|最後|最初|直して|全部|すべて|全て|時間つき|時間付き|つきで|付きで|以外|don't know|do not know|\
         don't mind|do not mind|not sure|why not|why don't|why don't you|if not|not yet|not much|not too|\
         not only|isn't it|じゃないですか|かもしれない|かもしれません|知らない|知りません|分からない|わからない|分かりません|わかりません|間違いない|問題ない|だけ|\
         やっぱり|やはり|やっぱ|さっき|前に|うーん|ふーん|ふうん|へえ|へー|えー|あー|ね、|よろしく|宜しく|お疲れ|失礼|申し訳|ございます|ございません|いたします|致します|くださいませ|みたいな|ような|って|\
         なんて|とりあえず|さて|ところで|ちなみに|もし|もう|まだ|すぐ|必ず|ちゃんと|しっかり|普通に|普通|actually|what's on your mind|\
         what's on the|what is on the|いただけないでしょうか|いただけませんか|いただけないですか|もらえないでしょうか|もらえませんか|もらえない|くれないでしょうか|\
         くれませんか|くれない|ないでしょうか|ないでしょう|ないですか|感じ|雰囲気|迫力|かっこいい|カッコいい|かわいい|可愛い|派手|綺麗|きれい|素敵|強そう|好き|使って|使った|入れて|\
         並べて|載せて|最新|公式|参考|用の|向け|pls|plz|今|いま|ここ|そこ|あそこ|あなた|えっと|ええと|あの|あのー|すみません|すいません|すみませんが|ごめんね|ごめんなさい|ごめん|ちょっと|まず|じゃあ|\
         では|それじゃ|それでは|ねえ|なあ|今度|今回|そろそろ|一緒に|いっしょに|みんなで|みんな|彼女|彼氏|友達|友人|家族|子供|子ども|こども|妻|夫|旦那|嫁|両親|母|父|息子|娘|\
         同僚|私|わたし|僕|ぼく|俺|うち|自分|大人|おとな|小人|学生|シニア|分|枚|名|人|人分|真ん中|まんなか|まん中|中央|後ろ|うしろ|前の方|前方|後方|端|あたり|付近|頃|ごろ|くらい|ぐらい|以降|\
         以後|以前|まで|くだ|です|ます|でしょうか|ですか|ますか|かな|よね|いい|良い|よさそう|ある|あります|あれば|ない|なんか|もの|やつ|やって|やってる|やっている|やってます|\
         している|してる|見|ほう|方|どっちも|どっちが|どっち|どちらが|どちら|どれ|どう|なに|何|いつ|何時|時間|予定|回|たち|場合|とき|時|の方|について|関する|という|一番|\
         いちばん|とか|とにかく|ぜひ|是非|please|the|a|an|some|any|for|me|us|my|our|your|to|of|on|at|in|with|and|is|\
         are|be|there|that|this|it|i|we|you|do|does|will|would|like|wanna|i'm|we're|let's|ok|okay|next|\
         so|then|also|from|by|who|how|good|nice|best|people|persons|adults|adult|kids|kid|children|child|\
         friends|friend|wife|husband|middle|centre|center|back|front|around|about|after|before|until|\
         till|have|has|had|many|much|still|going|if|or|one|go|out|up|her|him|she|he|them|these|those|i'd|we'd|yet|time|times|day|night|\
         evening|morning|afternoon|noon|today|tonight|tomorrow|week|weekend|am|pm|details|info|\
         information|when",
    ),
];
