//! The words of the five counters: which phrase means what. All that the built-in model hears besides
//! dates, numbers, names and the wishes for a way is in this table.

/// What a phrase means by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Film,
    Showtimes,
    Seat,
    Free,
    Vacant,
    Ticket,
    Reserve,
    Want,
    Reservation,
    Reserved,
    See,
    Cancel,
    List,
    Card,
    Theme,
    Thumbnail,
    Compose,
    Versus,
    Make,
    Form,
    Inquire,
    Route,
    Go,
    Distance,
    Duration,
    Where,
    Compare,
    History,
    Converse,
    Chain,
    Agents,
    /// Conversations that there are.
    Talks,
    Running,
    Ended,
    /// What there is of something.
    Exists,
    /// What the person has reserved.
    Mine,
    /// Something that runs is to end.
    Halt,
    /// What things are called.
    Names,
    Wheelchair,
    /// What it costs, which is not known here.
    Price,
    /// What a film is about.
    About,
    Who,
    /// Something is to be deleted, which nothing here does.
    Delete,
    /// A reservation is to become another one, which is cancelling and booking anew.
    Change,
    Record,
    Show,
    How,
    Can,
    Playing,
    /// What no counter here has.
    Elsewhere,
    Help,
    Greeting,
    Thanks,
    Not,
    NoDoing,
    Proceed,
    Another,
    Pause,
    Stop,
    Lead,
    Filler,
}

/// Phrases, `|` between them, in lower case; the longest that fits counts.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        Word::Film,
        "始まるのある|始まるのは|始まるやつ|anything by|something by|films by|movies by|directed by|anything starting|anything on|something on|anything playing|anything showing|anything good|something short|something to watch|anything to watch|何か観|何か見|なにか観|何か面白い|何かない|何かやって|なんかやって|何やって|なにやって|何を観|何を見|何が観|何が見|何観|なに観|間に合う回|これからの回|間に合う|回を教|映画|えいが|夜の回|昼の回|朝の回|夕方の回|最終回|映画館|レイトショー|ナイトショー|currently showing|currently playing|that's showing|that is showing|showing now|showing today|showing tonight|showing tomorrow|showing on|showing this|on the big screen|at the movies|シネマ|作品|上映作品|上映中|上映している|上映してる|上映される|上映する|上映は|公開中|公開している|やってる映画|\
         movie|movies|film|films|what's on|what is on|what's playing|what is playing|what's showing|what is showing|cinema|screening|screenings|now showing|in theaters|in theatres",
    ),
    (
        Word::Showtimes,
        "は何時?|は何時ですか|は何時から|は何時に|は何時の|は何時まで|何時にやって|何時にある|next showing|next screening|上映時間|上映時刻|上映スケジュール|上映予定|上映回|上映枠|時間枠|時間帯|タイムテーブル|上映時間枠|\
         何時から|何時の回|何時に始|何時に上映|何時上映|何時開始|何時ごろから|開始時間|開始時刻|いつ上映|上映は何時|スケジュール|\
         showtime|showtimes|show times|screening time|screening times|what time|what times|when is|when does|\
         time slots|timetable|schedule|start times|starting times|session times",
    ),
    (
        Word::Seat,
        "席|座席|座れ|シート|席次|隣同士|並びで|横並びで|adjoining|adjacent|並びの席|seat|seats|seating|side by side|next to each other",
    ),
    (
        Word::Vacant,
        "how full|how busy|how packed|wheelchair spaces|wheelchair space|wheelchair seats|wheelchair seat|車椅子席|車いす席|車椅子の席|車いすの席|空席|残席|空席状況|席が空|席は空|席の空|座席の空|空いている席|空いてる席|席はまだ|席まだ|席ある|席はある|席あり|seats left|seats available|available seats|free seats|\
         open seats|seats free|seats open|empty seats|vacant seats|seat map|seat availability|seats are still|seats remaining|seats are left|seats are available|\
         seats are free|sold out|tickets left|tickets available|fully booked|booked up|席ってもう|席って埋|席は埋|席が埋|埋まって|埋まり|満員|満席",
    ),
    (
        Word::Free,
        "空き|空いて|空いてる|あいて|あいてる|残って|余って|残り|空き状況|available|availability|free|left|vacant|\
         unreserved|still open",
    ),
    (Word::Ticket, "チケット|tix|切符|前売|鑑賞券|ticket|tickets|admission"),
    (
        Word::Reserve,
        "make a reservation|make a booking|reservation for|a reservation at|a booking for|予約|予約お願い|予約をお願い|取りたい|とりたい|取って|とって|取れ|とれ|取ろう|とろう|お取り|確保|押さえ|おさえ|買いたい|買って|\
         購入|申し込みたい|ブッキング|手配|取ります|book|booking|reserve|reserving|buying|purchasing|buy|purchase|grab|secure|get us",
    ),
    (
        Word::Want,
        "ください|下さい|ほしい|欲しい|お願い|おねがい|頼む|i'd like|i would like|i need|i want|we need|we want|we'd like|get me|get|give me|need|\
         want",
    ),
    (
        Word::Reservation,
        "予約番号|予約内容|予約の内容|予約id|予約の詳細|予約情報|予約を見|予約を表示|予約を調べ|予約を教え|予約状況|reservation number|\
         reservation|booking number|booking details",
    ),
    (
        Word::Reserved,
        "予約しました|予約した。|予約したよ|予約したけど|予約したんだ|予約したのに|予約してあ|予約済|予約してしま|予約しちゃ|予約していた|\
         予約してた|予約したばかり|予約した映画|予約した席|予約した日|予約できました|予約は済|取りました|取ったよ|取ったけど|取った。|取ってあ|取ったんだ|\
         取ってしま|買いました|買った。|買ったよ|買ったけど|買ってあ|観ました|見ました|観てきた|見てきた|観た。|見た。|観たよ|見たよ|観たけど|昨日|きのう|先週|先日|先月|この前|\
         一昨日|おととい|booked|already reserved|have reserved|has reserved|i reserved|we reserved|bought|yesterday|last week|last night|\
         last month|last friday|last saturday|last sunday|the other day|i watched|we watched|i saw|we saw|i've seen|have seen",
    ),
    (
        Word::See,
        "観たい|見たい映画|観る|観られ|観に|見に行|みに行|観よう|見られる映画|観れ|鑑賞|鑑賞したい|watch|watching|go to the movies|\
         see a movie|see a film|to see",
    ),
    (
        Word::Cancel,
        "キャンセル|取り消|取消|とりけし|払い戻|解約|cancel|cancels|cancelling|canceling|cancellation|cancelled|canceled|\
         kill|refund|call off|undo",
    ),
    (
        Word::List,
        "って何が|一覧|リスト|何が|なにが|どんな|何を|なにか|何か|何の|どの|ラインナップ|おすすめ|お勧め|人気|評価|面白い|list|what's on|what is on|\
         what's playing|what is playing|what's showing|what is showing|anything|anything good|which|what|recommend|best rated|\
         recommendation|highest rated|popular",
    ),
    (
        Word::Card,
        "の画像|画像を見|画像が見|an image of|a picture of|picture of|pictures of|image of|絵を|の絵|カード|カードの|カードイラスト|イラスト|イラストの|アートワーク|絵柄|モンスター|カード画像|card|cards|illustration|illustrations|artwork|\
         artworks|card art|art|monster|monsters",
    ),
    (
        Word::Theme,
        "カード群|カードセット|card sets|sets|factions|テーマ|テーマの|系統|シリーズ|アーキタイプ|カテゴリ|カテゴリー|デッキ|系の|系テーマ|系カード|系で|theme|themes|themed|archetype|archetypes|deck|\
         decks",
    ),
    (
        Word::Thumbnail,
        "動画用の画像|動画の画像|動画に使う画像|動画用画像|動画の表紙|動画用のイラスト|video image|image for my video|picture for my video|cover for my video|image for a video|picture for a video|video cover|thumbnial|thumnail|tumbnail|thumbnal|サムネール|cover for my|the cover|cover:|cover for the|cover for a|cover with|cover of|a cover|youtube cover|cover art|thumb|thumbs|サムネ|サムネイル|サムネイル画像|サムネ画像|バナー|見出し画像|表紙|thumbnail|thumbnails|banner|cover image|cover picture",
    ),
    (
        Word::Compose,
        "in one image|in one picture|into one image|into one picture|in a single image|in a single picture|一枚の画像|1枚の画像|一枚の絵に|1枚の絵に|画像を作|絵を作|画像を生成|画像生成|画像にして|並べた画像|合成|コラージュ|compose|collage|make an image|make a picture|create an image|create a picture|generate an image|generate a picture|draw a picture|draw an image",
    ),
    (
        Word::Versus,
        "対決|対戦|バトル|戦って|戦う|戦い|ぶつか| 対 |戦わせ|fight|fights|fighting|face off|facing off|vs|vs.|versus|against|battle|duel",
    ),
    (
        Word::Make,
        "作って|つくって|作成|作り|作りたい|作る|生成|用意して|用意し|組み立て|デザイン|作ってほしい|作って欲しい|作れ|作成して|make|create|build|\
         generate|design|prepare|draw|set up|put together",
    ),
    (
        Word::Form,
        "最新の回答|回答一覧|届いた回答|フォーム|アンケート|入力欄|入力画面|入力フォーム|調査票|申込書|申込フォーム|申し込みフォーム|問い合わせフォーム|記入欄|貸出票|依頼票|注文票|申請書|受付票|質問票|記入用紙|希望調査|意識調査|登録画面|登録の画面|form|forms|survey|\
         surveys|questionnaire|poll|input fields|sign-up sheet|sign up sheet|signup sheet|signup form",
    ),
    (
        Word::Inquire,
        "を聞く|を聞い|聞きたい|を出してもらう|を選んでもらう|選ばせて|を尋ね|をたずね|を質問|を入力|を記入|を集め|を収集|入力してもら|書いてもら|教えてもら|答えてもら|asking|asks|ask for|ask people|ask them|ask everyone|ask the guests|ask our|ask my|\
         ask me|ask the user|collect|collects|collecting|gather|fill in|fields for|fields",
    ),
    (
        Word::Route,
        "ルート|ルート検索|ルート案内|道順|行き方|行きかた|経路|ナビ|案内|道のり|道案内|への道|までの道|へのルート|どう行け|どうやって行|どう行く|\
         route|routes|directions|the way to|way to|navigate|navigation|drive|driving|how do i get|how can i get|how to get|\
         how do we get|how to reach|get from|get to|take me to|take me|travel from|go from|path",
    ),
    (
        Word::Go,
        "行きたい|いきたい|に行きたい|へ行きたい|まで行きたい|に行く|へ行く|まで行く|まで行って|に向かい|へ向かい|に向かって|へ向かって|に向かう|へ向かう|まで歩|まで車|\
         まで徒歩|まで運転|に帰|へ帰|まで帰|移動|go to|going to get|get home|head to|heading to|drive to|walk to|travel to",
    ),
    (
        Word::Distance,
        "近い順|距離|何キロ|何km|何メートル|どれくらい離れ|どのくらい離れ|どれぐらい離れ|近いのは|一番近いの|how far|distance|distances|how many kilometers|\
         how many kilometres|how many km|how many miles|closest|nearest|which is closer|closer|far from|far away from",
    ),
    (
        Word::Duration,
        "which one's quicker|which one is quicker|which is quicker|which one's faster|which one is faster|所要時間|何分|何時間|どれくらいかか|どのくらいかか|どれぐらいかか|時間はどれ|時間はどの|how long|travel time|travel times|drive time|\
         driving time|driving times|minutes",
    ),
    (
        Word::Where,
        "どこ|どのへん|どの辺|場所|緯度|経度|座標|位置|所在地|の住所|住所を調|地図で|地図に|地図上|マップ|where is|where's|where|located|\
         location|coordinates|coordinate|latitude|longitude|lat/long|locate|on the map|on a map|geocode|find the place|map",
    ),
    (
        Word::Compare,
        "どっちが長|どちらが長|どっちが短|どちらが短|どっちが評価|どちらが評価|どっちの方が評価|どっちが人気|どちらが人気|which is better|better rated|higher rated|which is rated|which is longer|which is shorter|which one is longer|which one is shorter|is longer|is shorter|比較|比べ|くらべ|見比べ|どっちが近|どちらが近|どっちが早|どちらが早|compare|comparing|comparison|versus",
    ),
    (
        Word::History,
        "履歴|会話の記録|対話の記録|やり取り|やりとり|ログ|conversation history|history|transcript|chat log|what was said|past conversation",
    ),
    (
        Word::Converse,
        "会話させ|会話をさせ|会話して|会話をして|会話を始め|会話を開始|対話させ|対話をさせ|話させ|話をさせ|話し合|話しあ|議論|相談させ|相談して|やり取りをさせ|\
         talk to each other|talk with each other|talk about|have a conversation|start a conversation|\
         begin a conversation|let them talk|discuss|chat about|chat with|chat with each other|a conversation between|talk to|talk with|talk",
    ),
    (Word::Chain, "しりとり|尻取り|しり取り|shiritori|word chain|word-chain|last letter game"),
    (
        Word::Agents,
        "エージェント同士|エージェントたち|エージェント達|エージェント|ai同士|aiたち|two agents|the agents|agents|bots",
    ),
    (
        Word::Record,
        "記録して|記録し|書き留め|残して|保存して|record|log this|write down|save this message",
    ),
    (
        Word::Show,
        "確認したい|確認して|確認させて|just looking|just browsing|looking at|wondering|見せて|みせて|見たい|みたい|教えて|おしえて|知りたい|調べて|しらべて|探して|さがして|検索|表示|出して|取得|show|show me|tell me|find|search|look up|fetch|display|see|list|bring up|\
         let me see|want to know|pull up",
    ),
    (
        Word::How,
        "作り方を|作り方は|作り方が|how do i make|how can i make|how to make|って何?|って何ですか|とは何|とはなに|って何のこと|what is a form|what's a form|why can't|why does|why do|なぜ予約|どうして予約|なんで予約|どうやって予約|どうすれば予約|予約方法|予約の方法|予約のしかた|予約の仕方|予約するには|予約はどう|方法を教えて|使い方を|の手順|how do i book|\
         how do i reserve|how can i book|how can i reserve|how to book|how to reserve|how does booking|how does the booking|\
         how does reservation|how do reservations",
    ),
    (
        Word::Mine,
        "予約ってどれ|予約ってある|予約って何|予約は何が|予約は何を|予約どれ|予約は入って|取ったチケット|買ったチケット|予約したチケット|取った座席|買った席|tickets have i|tickets did i|seats have i|tickets i bought|tickets i have|予約したやつ|予約したもの|予約した分|予約リスト|取った予約|取った席|俺の席|私の席|僕の席|わたしの席|自分の席|俺の予約|私の予約|僕の予約|わたしの予約|自分の予約|予約入って|予約が入って|予約できて|\
         予約は取れて|予約取れて|予約が取れて|予約ちゃんと|予約を確認|予約の確認|予約確認|予約一覧|予約の一覧|予約してる|予約している|\
         予約してるの|予約した内容|予約履歴|予約したもの|予約って入って|予約はどうな|予約どうな|my seat|my seats|my booking|my bookings|my reservation|\
         my reservations|my tickets|have i booked|did i book|i have booked|have we booked|booked so far|i've booked|reservation go through|\
         booking go through|booking confirmed|reservation confirmed|reservations do i have|bookings do i have|do i have a reservation|\
         do i have a booking|do i have any reservations|do i have any bookings|have i reserved|did i reserve",
    ),
    (Word::Talks, "会話|対話|おしゃべり|conversation|conversations|dialogue|dialogues|chats"),
    (
        Word::Running,
        "動いて|動いている|動いてる|進行中|続いて|実行中|走って|やり取り中|会話中|話し中|話している|話してる|今の会話|talking|chatting|active|running|going on|in progress|ongoing|underway|still talking|talking now|currently talking",
    ),
    (
        Word::Ended,
        "終わった|終わっ|終わり|終了した|終了し|終了済|完了した|完了し|済んだ|ended|finished|over yet|completed|is done|are done|closed|過去の",
    ),
    (
        Word::Exists,
        "作った|答えた?|答えました|答えてくれ|answers|new answers|今ある|いまある|既にある|すでにある|ある?|あるの|あるか|ありますか|ありますでしょうか|あります?|何件|いくつある|何種類|何個ある|いくつあ|種類|全種類|全部見|全部教|全部の|\
         回答状況|回答され|回答済|回答は|回答が|回答を見|回答の一覧|回答一覧|回答の内容|未回答|返事は|返事が|届いて|送信され|提出され|入力され|答えてない|答えていない|\
         existing|are there|is there any|do i have|do we have|have we got|has anyone|did anyone|did anybody|has anybody|has somebody|\
         do you have|do you know|have you got|got any|pending|waiting for|unanswered|answered|submitted|submissions|submission|\
         responses|filled in|filled out|fill in the|fill out the|replies|replied|responded|so far|every",
    ),
    (
        Word::Halt,
        "止めて|とめて|止めさせ|やめさせ|打ち切|停止して|停止|終わらせ|終了させ|終了して|終わりにして|中断して|中断|stop all|end all|halt all|stop|terminate|abort|stop the|end the|halt the|kill the|abort the|stop that conversation|stop this conversation|stop conversation|end conversation",
    ),
    (
        Word::Price,
        "支払い|支払|決済|pay with|pay by|payment|いくら|料金|値段|入場料|鑑賞料|キャンセル料|キャンセル代|how much|price|prices|cost|costs|fee|fees|cancellation fee",
    ),
    (
        Word::About,
        "上映時間どのくらい|上映時間どれくらい|上映時間はどのくらい|上映時間はどれくらい|上映時間は何時間|上映時間って何分|って何分|は何分|って何時間|は何時間|あらすじ|ストーリー|どんな話|どんな映画|どういう話|どういう映画|何の話|どんな内容|内容|解説|story of|plot|synopsis|storyline|what happens in|is about|film about|movie about|films about|movies about|one about|the one with|it about|上映時間は何分|何分の映画|何時間の映画|何時間くらいの映画|running time|runtime|run time|how long is",
    ),
    (
        Word::Change,
        "変えて|変更して|かえて|変更したい|変更でき|変更は|変更をお願い|変えたい|変更する|変更方法|change my|change the|reschedule|move my|swap my|switch my|modify my",
    ),
    (
        Word::Delete,
        "締め切|締切|受付を終|無効に|閉じて|close the|close my|削除|消して|消去|delete|remove all|erase|wipe",
    ),
    (Word::Names, "名前だけ|名称だけ|names of|just the names|only the names|name of each"),
    (Word::Wheelchair, "車椅子|車いす|車イス|くるまいす|wheelchair|wheelchairs"),
    (Word::Who, "誰|だれ|どなた|who can|who is here|who else"),
    (Word::Can, "できます|できる|可能|can|could|possible"),
    (
        Word::Elsewhere,
        "a taxi|a cab|an uber|taxi for|taxi to|タクシーを呼|タクシー呼|タクシーを手配|タクシーを予約|配車|popcorn|snack|snacks|coke|a drink|drinks|ポップコーン|コーラ|飲み物を頼|ドリンク|売店|souvenir|グッズ|draw me|draw a|draw us|paint me|描いてほし|描いてくだ|絵を描いて|新しく描|lottery|train ticket|train tickets|bus ticket|concert ticket|concert tickets|plane ticket|plane tickets|宝くじ|電車の切符|新幹線の切符|メールで|メール送|送信して|send me an email|email it|ラーメン|カフェ|美容|予報|占い|翻訳|レシピ|料理|電話して|メールを送|タイマー|アラーム|冗談|ジョーク|小説|joke|jokes|poem|recipe|translate|alarm|timer|restaurant booking|レストラン|ホテル|旅館|宿|飛行機|航空券|新幹線|病院|歯医者|美容院|居酒屋|焼肉|寿司|ピザ|コンサート|ライブ|天気|気温|株価|ニュース|為替|\
         flight|flights|hotel|hotels|restaurant|restaurants|dinner|lunch|pizza|doctor|dentist|haircut|weather|forecast|concert|concerts|stock price|news",
    ),
    (
        Word::Playing,
        "やってますか|やっていますか|やってる?|やってるの|やってますよね|やっている?|上映してますか|かかってますか|かかっていますか|まだやって|playing|on anywhere|still on",
    ),
    (
        Word::Help,
        "what can i do|what can i actually do|what can i really do|what can i ask|what else can i|can i do here|what all can|何が頼め|何を頼め|なにを頼め|何してくれ|何をしてくれ|何ができ|なにができ|ヘルプ|使い方|できることは|できること|help|what can you|what do you do|who are you|あなたは誰|誰ですか|自己紹介|\
         how does this work",
    ),
    (
        Word::Greeting,
        "こんにちは|こんばんは|おはよう|はじめまして|やあ|もしもし|hello|hi there|hi|hey|good morning|good evening|\
         good afternoon",
    ),
    (Word::Thanks, "ありがとう|サンキュー|助かりました|助かった|thanks|thank you|thx|cheers"),
    (
        Word::Not,
        "はいらない|はいらん|はいりません|はいらなく|たくない|たくありません|ないで|なくて|ないよう|しないで|しなくて|しなくても|せずに|しません|しない|せず|やめて|やめと|やめる|やめます|不要|いらない|いらん|いりません|要らない|要りません|必要ない|必要はな|\
         必要ありません|結構です|取らないで|取らなくて|とらないで|とらなくて|買わないで|買わなくて|作らないで|作らなくて|つくらないで|押さえないで|\
         押さえなくて|見せないで|予約なし|したくない|作りたくない|つもりはない|つもりはありま|まだいい|まだしな|まだ予約|やっぱりいい|don't|do not|dont|not|\
         never|without|no need|rather not|won't|will not|wouldn't|shouldn't|should not|stop|didn't|did not|no longer",
    ),
    (
        Word::NoDoing,
        "止めないで|とめないで|終わらせないで|停止しないで|don't stop|do not stop|don't end|do not end|don't pause|行くのはやめ|まで行くのはやめ|に行くのはやめ|へ行くのはやめ|まで行くのをやめ|に行くのをやめ|へ行くのをやめ|調べないで|調べなくて|検索しないで|検索しなくて|検索は不要|検索不要|何もしないで|なにもしないで|表示しないで|探さないで|呼び出さないで|実行しないで|\
         取得しないで|don't search|don't look|don't do anything|do nothing|do not search|don't call|don't run|don't fetch|don't show|\
         never mind|nevermind|forget it|forget about it|stop that|no thanks|no, thanks|no thank you|やっぱりやめ|もういい|忘れて|会話させないで|会話をさせないで|話させないで|don't let|do not let|don't have",
    ),
    (Word::Proceed, "はい|うん|進めて|続けて|それで|了解|yes|yeah|yep|go ahead|sure|proceed"),
    (Word::Another, "他の|ほかの|別の|another|other|different"),
    (Word::Pause, "、|,|けど|けれど|but|however|が、|ので|から、|just|only|instead"),
    (Word::Stop, "。|!|?|\n|;|.|…"),
    (
        Word::Lead,
        "バイクで|原付で|オートバイで|トラックで|スクーターで|一番短い距離で|一番短い距離|最短距離で|最短距離|短い距離で|最短の距離で|距離が短い|距離の短い|距離が一番短い|距離が最短|shortest distance|least distance|高速を使わずに|高速を使わないで|高速を使わず|高速道路を使わずに|高速道路を使わないで|高速使わずに|高速使わないで|高速なしで|高速抜きで|\
         高速を避けて|高速道路を避けて|高速を通らずに|高速に乗らずに|高速で|高速道路で|有料道路を使わずに|有料道路を避けて|有料道路なしで|有料を避けて|\
         渋滞を避けて|渋滞を回避して|混雑を避けて|フェリーを使わずに|フェリーなしで|下道で|一般道で|一番早く|一番速く|最速で|最短で|最短ルートで|なるべく早く|\
         できるだけ早く|早く|安く|一番安く|無料で|無料の道で|歩いて|徒歩で|車で|自動車で|クルマで|右折少なめで|右折を避けて|右折を少なくして|今から|いまから|\
         これから|すぐに|急いで|のんびり|ゆっくり|タクシーで|ドライブで|できれば|なるべく|できるだけ|使わずに|使わないで|避けて|渋滞なしで|経由せずに",
    ),
    (
        Word::Filler,
        "の列で|の列|列で|並べた|並んだ|not in the front rows|not in the front row|not in the front|not at the front|not too close to the screen|not too close|not in the back rows|not in the back|確認いらない|確認はいらない|確認不要|確認なしで|聞かなくていい|no need to ask me|no need to ask|without asking|don't ask me|文字なし|文字無し|文字は無し|文字はなし|タイトルなし|タイトル無し|no text|without text|no title|without a title|入れた|最前列|最後列|前列|後列|最後の|最初の|最後|最初|変えて|変更して|直して|かえて|全部|すべて|全て|時間つき|時間付き|つきで|付きで|以外|don't know|do not know|don't mind|do not mind|not sure|why not|why don't|why don't you|if not|not yet|not much|not too|not only|isn't it|じゃないですか|かもしれない|かもしれません|知らない|知りません|分からない|わからない|分かりません|わかりません|間違いない|問題ない|だけ|やっぱり|やはり|やっぱ|さっき|前に|うーん|えー|あー|ね、|よろしく|宜しく|お疲れ|失礼|申し訳|ございます|ございません|いたします|致します|くださいませ|みたいな|ような|みたい|って|なんて|とりあえず|さて|ところで|ちなみに|もし|もう|まだ|すぐ|必ず|ちゃんと|しっかり|ゆっくり|普通に|普通|actually|what's on your mind|what's on the|what is on the|いただけないでしょうか|いただけませんか|いただけないですか|もらえないでしょうか|もらえませんか|もらえない|くれないでしょうか|くれませんか|くれない|ないでしょうか|ないでしょう|ないですか|感じ|雰囲気|迫力|かっこいい|カッコいい|かわいい|可愛い|動画|実況|配信|派手|綺麗|きれい|素敵|強そう|好き|使って|使った|入れて|並べて|載せて|最新|公式|参考|背景|キャラ|用の|向け|pls|plz|タイトル|題名|見出し|テキスト|文言|って書いて|今|いま|ここ|そこ|あそこ|あなた|カードゲーム|クレジットカード|ポイントカード|会員カード|card game|credit card|business card|for a card|えっと|ええと|あの|あのー|すみません|すいません|すみませんが|ちょっと|まず|じゃあ|では|それじゃ|それでは|ねえ|なあ|今度|今回|そろそろ|一緒に|いっしょに|\
         みんなで|みんな|彼女|彼氏|友達|友人|家族|子供|子ども|こども|妻|夫|旦那|嫁|両親|母|父|息子|娘|同僚|私|わたし|僕|ぼく|俺|うち|自分|大人|小人|学生|シニア|\
         分|枚|名|人|席分|人分|真ん中|中央|後ろ|うしろ|前の方|前方|後方|通路側|端|あたり|付近|頃|ごろ|くらい|ぐらい|以降|以後|以前|まで|くだ|です|ます|でしょうか|ですか|\
         ますか|かな|よね|いい|良い|よさそう|ある|あります|ありますか|あれば|ない|なんか|なにか|もの|やつ|やって|やってる|やっている|やってます|している|してる|公開|上映|観|見|\
         ほう|方|どっちも|どっちが|どっち|どちらが|どちら|どれ|どう|なに|何|いつ|何時|時間|予定|回|たち|場合|とき|時|の方|について|関する|という|一番|いちばん|なるべく|できれば|とか|とにかく|ぜひ|是非|\
         please|the|a|an|some|any|for|me|us|my|our|your|to|of|on|at|in|with|and|is|are|be|there|that|this|it|i|we|you|do|does|\
         will|would|like|want|wanna|i'm|we're|let's|hey|ok|okay|next|so|then|also|from|by|who|how|good|nice|best|people|persons|\
         adults|adult|kids|kid|children|child|friends|friend|wife|husband|row|middle|centre|center|back|front|aisle|around|about|\
         after|before|until|till|have|has|had|many|much|still|going|if|or|one|go|out|up|i'd|we'd|yet|time|times|showing|shows|\
         show|day|night|evening|morning|afternoon|noon|today|tonight|tomorrow|week|weekend|am|pm|details|info|information|where|when",
    ),
];
