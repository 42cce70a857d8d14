//! The texts, one line per key, so that a missing translation does not compile.

use super::Lang;

macro_rules! words {
    (
        $($key:ident: $ja:literal, $en:literal;)*
        @later $($later:ident: $later_ja:literal, $later_en:literal;)*
        @operator $($operator:ident: $operator_ja:literal, $operator_en:literal;)*
    ) => {
        /// Key of a text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Key { $($key,)* $($later,)* $($operator,)* }

        impl Key {
            /// All keys, for the tests.
            #[cfg(test)]
            pub(super) const ALL: &[Self] =
                &[$(Self::$key,)* $(Self::$later,)* $(Self::$operator,)*];

            /// The text, if it is loaded with the page; none for texts of parts.
            pub(super) fn text(self, lang: Lang) -> Option<&'static str> {
                match (lang, self) {
                    $((Lang::Ja, Self::$key) => Some($ja), (Lang::En, Self::$key) => Some($en),)*
                    _ => None,
                }
            }

            /// The text of parts, loaded with the first of them.
            pub(super) fn later_text(self, lang: Lang) -> &'static str {
                match (lang, self) {
                    $(
                        (Lang::Ja, Self::$later) => $later_ja,
                        (Lang::En, Self::$later) => $later_en,
                    )*
                    _ => "",
                }
            }

            /// Whether the text belongs to the operator's views.
            pub(super) fn is_operators(self) -> bool {
                matches!(self, $(Self::$operator)|*)
            }

            /// The text of the operator's views, loaded with them.
            pub(super) fn operator_text(self, lang: Lang) -> &'static str {
                match (lang, self) {
                    $(
                        (Lang::Ja, Self::$operator) => $operator_ja,
                        (Lang::En, Self::$operator) => $operator_en,
                    )*
                    _ => "",
                }
            }
        }
    };
}

with_chat_words! {
    with_field_words; with_navigation_words; with_conversation_words; with_operator_words; words;

    // The frame of the page.
    Skip: "本文へ移動", "Skip to the content";
    Places: "画面の切り替え", "Places";
    PlacesMenu: "メニュー", "Menu";
    PlacesMore: "その他", "More";
    FrontDoor: "ようこそ", "Welcome";
    FrontWhat: "人と AI エージェントが同じツールを使える窓口です。結果は座席表や地図、フォームで見られます。",
        "One counter where people and AI agents use the same tools, and see results as seats, maps and forms.";
    FrontBook: "映画の席を取る", "Book cinema seats";
    FrontRoute: "道順を調べる", "Find a route";
    FrontChat: "アシスタントに頼む", "Ask the assistant";
    FrontTools: "ツールを使う", "Use the tools";
    FrontMine: "進行中のもの", "Going on now";
    FrontApprovals: "承認待ち {0} 件", "{0} {0|approval waits|approvals wait} for you";
    FrontForms: "回答待ちのフォーム {0} 件", "{0} {0|form waits|forms wait} for your answer";
    FrontTalks: "進行中の会話 {0} 件", "{0} {0|conversation|conversations} going on";
    FrontAsks: "チャット「{0}」が回答を待っています", "The chat “{0}” waits for your answer";
    FrontVisit: "次の予約：{0} {1}", "Your next visit: {0} – {1}";
    FrontVisitToo: "その後の予約：{0} {1}", "Then: {0} – {1}";
    FrontVisits: "ほかの予約 {0} 件", "{0} more {0|booking|bookings}";
    BoxOffice: "チケット窓口", "Box office";
    Counter: "ツール", "Tools";
    SwitchLanguage: "English", "日本語";
    Theme: "配色", "Colour theme";
    Finder: "検索して移動", "Find and go";
    Preferences: "設定", "Settings";
    NoticeWaiting: "窓口：あなたを待っているものが {0} 件あります。", "Madoguchi: {0} {0|thing waits|things wait} for you.";
    ThemeSystem: "自動", "Auto";
    ThemeLight: "ライト", "Light";
    ThemeDark: "ダーク", "Dark";
    Connecting: "接続しています…", "Connecting…";
    Online: "接続済み", "Connected";
    OfflineState: "オフライン", "Offline";
    ToolsChanged: "ツールが更新されました。", "The tools were updated.";
    BackOnline: "接続が戻りました。", "The connection is back.";
    WentOffline: "接続が切れました。自動で再接続します。", "The connection was lost. It will be tried again by itself.";
    Loading: "読み込み中…", "Loading…";
    PartMissing: "画面の一部を読み込めませんでした", "A part of the page could not be loaded";
    PartMissingAdvice: "通信状態を確かめて、もう一度お試しください。サーバーが更新されていた場合は、再読み込みしてください。", "Check the connection, then try again. If the server has been updated meanwhile, reload the page.";
    Reload: "再読み込み", "Reload";
    Retry: "もう一度試す", "Try again";
    Details: "詳細", "Details";
    NoPlace: "このページはありません", "There is no such page";
    NoPlaceHint: "アドレスが途中で切れているか、古いリンクです。メニューから開き直してください。", "The address is incomplete or no longer in use. Choose a page from the menu.";
    NoPlaceHome: "最初のページへ", "Go to the first page";

    // Tokens.
    SignIn: "サインイン", "Sign in";
    TokenRefused: "このトークンは使えません。期限が切れたか、取り消されたか、打ち間違いです。管理者に確認してください。", "This token does not do: it has expired, was withdrawn, or is mistyped. Ask the operator for another.";
    SignedIn: "サインインしました。", "You are signed in.";
    SignOut: "サインアウト", "Sign out";
    SignedOut: "サインアウトしました。", "You are signed out.";

    // Booking: day, film, showtime.
    BookTitle: "映画の座席予約", "Book your seats";
    StepFilm: "作品", "Film";
    StepShowtime: "上映時間", "Showtime";
    StepSeats: "座席", "Seats";
    StepTicket: "予約", "Reservation";
    Steps: "予約の手順", "Steps of the reservation";
    ChooseDay: "日付を選ぶ", "Choose a day";
    Today: "今日", "Today";
    Tomorrow: "明日", "Tomorrow";
    ChooseFilm: "作品を選ぶ", "Choose a film";
    SearchFilms: "作品名で検索", "Search by title";
    SearchHint: "ひらがなでも、うろ覚えでも", "A title, or part of it";
    FilmCount: "{0} 作品", "{0} {0|film|films}";
    NoFilms: "該当する作品はありません。", "No film fits.";
    NoFilmsHint: "別の日付や言葉でお試しください。", "Try another day or another word.";
    NoProgramme: "いま予約できる作品はありません。", "There are no films to book at the moment.";
    NoProgrammeHint: "上映予定が登録されると、ここに並びます。", "They appear here once there is a programme.";
    DidYouMean: "もしかして：", "Did you mean:";
    NoShowtimes: "この日の上映はありません。", "Not on this day.";
    SeatsLeft: "残り {0} 席", "{0} {0|seat|seats} left";
    SeatsFew: "残りわずか {0} 席", "Only {0} left";
    SeatsStarted: "上映開始", "Begun";
    SalesClosed: "販売を休止しています", "Sales are closed";
    SeatsFull: "満席", "Sold out";
    Minutes: "{0} 分", "{0} min";
    Rating: "評価 {0}（5 点満点）", "Rated {0} of 5";
    UntilTime: "～{0}", "–{0}";
    ShowtimesBegun: "開始した上映（{0} 回）", "{0} {0|showing has|showings have} begun";
    FilmsBegun: "この日の受付を終えた作品（{0}）", "{0} {0|film|films} no longer on sale that day";
    FilmsOn: "{0} の上映を見る", "See what is on {0}";
    ZoneHint: "時刻は{0}です。", "Times are in {0}.";
    Bracketed: "{0}（{1}）", "{0} ({1})";
    StaffPlace: "スタッフ用", "Staff";
    StaffWay: "スタッフ用の画面（作品・スクリーン・上映回・販売）", "For the staff: films, screens, showings and sales";

    // Errors and advice.
    ErrorOffline: "サーバーに接続できません", "The server cannot be reached";
    ErrorOfflineAdvice: "ネットワークとサーバーの状態を確認してから、もう一度お試しください。", "Check the network and that the server is running, then try again.";
    ErrorOfflineBack: "サーバーに接続できませんでした", "The server could not be reached";
    ErrorOfflineBackAdvice: "接続は戻っています。もう一度お試しください。", "The connection is back. Please try again.";
    ErrorProtocol: "サーバーとの通信でエラーが起きました", "The server and this page did not understand each other";
    ErrorProtocolAdvice: "ページを再読み込みしてください。続く場合は、下の内容を管理者へお伝えください。", "Reload the page. If it goes on, tell the operator what it says below.";
    ErrorSignIn: "サインインが必要です", "Not signed in";
    ErrorSignInAdvice: "アクセストークンを入力してから、もう一度お試しください。", "Enter your access token, then try again.";
    ErrScope: "あなたのトークンではこの操作はできません。必要な権限：{0}", "Your token does not reach so far. It would need the scope {0}.";
    ErrRate: "リクエストが多すぎます。少し待ってからもう一度お試しください。", "Too many requests. Wait a moment, then try again.";
    ErrorRefused: "この操作はできませんでした", "That could not be done";
    ErrorNotFound: "見つかりませんでした", "Not found";
    ErrorInput: "入力を確認してください", "Please check the input";
    ErrInvalidParams: "入力の形式が正しくありません。", "Part of the input is not in the right form.";
    ErrMovieNotFound: "作品が見つかりません。一覧から選び直してください。", "There is no such film. Please choose again from the list.";
    ErrSeatData: "この上映回の座席情報がまだありません。", "There is no seating plan for this showing yet.";
    ErrInternal: "サーバー側で問題が起きました。しばらくしてからもう一度お試しください。", "Something went wrong on the server. Please try again in a while.";
    ErrUnavailable: "いま利用できません。しばらくしてからもう一度お試しください。", "Not available right now. Please try again in a while.";
    ErrTimeout: "時間内に終わりませんでした。もう一度お試しください。", "It did not finish in time. Please try again.";
    CodeLabel: "コード", "Code";

    // Names of views, and texts shown before their code is loaded.
    ChatPlace: "チャット", "Chat";
    OperatorPlace: "運用", "Operator";
    OperatorEntered: "運用の画面を開きました。", "The operator's place is open.";
    OperatorComponents: "コンポーネント", "Components";
    OperatorCalls: "呼び出し", "Calls";
    OperatorServers: "サーバー", "Servers";
    OperatorStorage: "保存データ", "Storage";
    OperatorSettings: "設定値", "Settings";
    OperatorPeople: "利用者とトークン", "People and tokens";
    AgentsPlace: "エージェント", "Agents";
    TalkPlace: "会話", "Conversations";
    NavPlace: "ナビ", "Navigation";
    ReservationNumber: "予約番号", "Reservation number";
    FindReservation: "予約の確認", "Find a reservation";
    FindReservationHint: "予約番号があれば、ほかの端末からも確認・取り消しができます。", "See or cancel it by its number, in any browser.";
    Find: "確認する", "Find";
    Stopped: "中止しました。", "Stopped.";
    FormsPlace: "フォーム", "Forms";
    FormPlace: "フォームへの回答", "A form to fill in";
    FormsTitle: "フォームの一覧", "Forms";
    ApprovalsTitle: "承認待ち", "Approvals";
    ApprovalsAnnounced: "承認待ちが {0} 件あります。", "{0} {0|call waits|calls wait} for your approval.";

    @later
    // Sign-in.
    SignInHint: "この窓口を使うには、管理者が発行したトークンが必要です。", "This counter answers to those who have a token from its operator.";
    SignInAccountHint: "この窓口を使うには、アカウントが必要です。", "This counter answers to those who have an account.";
    SignInByAccount: "アカウントでサインイン", "Sign in with your account";
    SignInByToken: "トークンでサインイン", "Sign in with a token";
    AccountDenied: "サインインをやめました。もう一度試せます。", "You did not sign in. You can try again.";
    AccountEmpty: "このアカウントでできることがまだありません。管理者に確認してください。", "This account may not do anything yet. Ask the operator.";
    AccountEnded: "サインインの期限が切れました。もう一度サインインしてください。", "Your sign-in has ended. Sign in again.";
    AccountFailed: "サインインできませんでした。もう一度試してください。", "Signing in did not work. Try again.";
    AccountInsecure: "この接続は暗号化されていないため、アカウントではサインインできません。https のアドレスで開いてください。", "This connection is not encrypted, so accounts cannot sign in. Open the page at its https address.";
    Token: "アクセストークン", "Access token";
    TokenHint: "mdg_ で始まる文字列です。このタブを閉じるまで、このタブだけに保存されます。", "It begins with mdg_. It is kept in this tab only, until the tab is closed.";
    TokenUnreadable: "トークンをそのまま貼り付けてください。空白や全角文字は使われません。", "Paste the token as it is; there are no spaces in one.";
    SigningIn: "確認しています…", "Looking…";

    // Refusals and advice.
    ErrSeatHeld: "選んだ席の中に、ほかの人がおさえている席があります。選び直してください。", "Someone else holds a seat among them for now. Please choose again.";
    ErrSeatNotFound: "座席が見つかりません。座席表から選び直してください。", "There is no such seat. Please choose again from the plan.";
    ErrSeatReserved: "{0} はすでに予約されています。別の座席をお選びください。", "Already taken: {0}. Please pick another seat.";
    ErrSeatReservedBare: "その座席はすでに予約されています。別の座席をお選びください。", "That seat is already taken. Please pick another.";
    ErrShowtimeClosed: "この上映の受付は終了しました。別の上映回をお選びください。", "This showing is closed. Please choose another showtime.";
    ErrIdempotency: "同じ控え番号で別の内容が送られました。もう一度予約してください。", "The same key was used for something else. Please reserve again.";
    ErrReservationCancelled: "この予約は取り消されています。もう一度予約してください。", "This reservation was cancelled. Please reserve again.";
    ErrReservationNotFound: "予約が見つかりません。予約番号を確認してください。", "There is no such reservation. Please check the number.";
    ErrConversationNotFound: "会話が見つかりません。会話 ID を確認してください。", "There is no such conversation. Please check its id.";
    ErrReservationUser: "お名前または会員 ID が予約と一致しません。", "The reservation was made under another name or ID.";
    ErrConversationFull: "この会話はこれ以上記録できません。新しい会話を始めてください。", "This conversation is full. Please start a new one.";
    ErrConversationUser: "この会話は別の利用者のものです。", "This conversation belongs to someone else.";
    ErrShowtimeNotFound: "上映回が見つかりません。一覧から選び直してください。", "There is no such showtime. Please choose again from the list.";
    HoldEnded: "席をおさえておける時間が過ぎました。空いていれば、そのまま予約できます。", "The time to hold the seats is over. As long as they are free, they can still be reserved.";
    NavErrPlanner: "AI に接続できませんでした。", "The AI could not be reached.";
    NavErrMaps: "経路の提供元に接続できませんでした。しばらくしてからもう一度お試しください。", "The provider of routes could not be reached. Please try again in a while.";
    NavErrOutside: "「{0}」は、ルートを探せる範囲（{1}）の外です。", "“{0}” is outside of where routes can be found ({1}).";
    NavErrQuota: "経路検索の回数が上限に達しました。しばらくしてからもう一度お試しください。", "The quota of the route search is used up. Please try again later.";

    // Progress and results.
    Calling: "応答を待っています…", "Waiting for the answer…";
    Reserving: "予約しています…", "Reserving…";
    Reserved: "予約が完了しました", "Your seats are reserved";
    LostAll: "{0} は他の方が先に予約しました。別の座席をお選びください。", "{0} went to someone else. Please pick other seats.";
    Change: "上映回を選び直す", "Choose another showtime";
    FormSending: "送信しています…", "Sending…";
    FormSent: "送信しました", "Your answer was sent";
    TalkGameBegins: "しりとりを始めています…", "The game is about to begin…";

    // Shared by several views.
    Back: "戻る", "Back";
    Truncated: "…ほか {0} 件は省略しました。", "… and {0} more not shown.";
    Close: "閉じる", "Close";
    NotCopied: "コピーできませんでした。", "It could not be copied.";
    ShowMore: "さらに表示", "Show more";
    Send: "送信", "Send";
    Cancel: "キャンセル", "Cancel";
    Tool: "ツール", "Tool";
    Seconds: "{0} 秒", "{0} s";
    DaysHours: "{0} 日 {1} 時間", "{0} d {1} h";
    HoursMinutes: "{0} 時間 {1} 分", "{0} h {1} min";
    MinutesSeconds: "{0} 分 {1} 秒", "{0} min {1} s";
    ZoomIn: "拡大", "Zoom in";
    ZoomOut: "縮小", "Zoom out";
    Cost: "約 {0} ドル", "about ${0}";
    SendKeys: "Enter で送信、Shift + Enter で改行", "Enter to send, Shift + Enter for a new line";
    ToLatest: "最新へ", "To the latest";
    Saving: "保存しています…", "Saving…";
    AskedBy: "依頼元", "Asked by";
    AskedAt: "依頼日時", "Asked";
    State: "状態", "State";
    All: "すべて", "All";
    Reason: "理由", "Reason";
    Done: "完了", "Done";
    Server: "サーバー", "Server";
    Name: "名前", "Name";
    Time: "時刻", "Time";
    Outcome: "結果", "Outcome";

    // Results whose view is gone.
    ReservedAway: "予約が完了しました。予約番号は {0} です。", "Your seats are reserved. The reservation's number is {0}.";
    NotDone: "できませんでした：{0}", "That was not done: {0}";

    // The finder.
    FinderHint: "画面・ツール・作品などを検索", "Places, tools, films and more";
    FinderFound: "見つかったもの", "What was found";
    FinderCount: "{0} 件。↑↓ で選び、Enter で開きます。", "{0} found. Arrow keys choose, Enter opens.";
    FinderNone: "見つかりません。別の言葉でお試しください。", "Nothing was found. Try another word.";
    FinderHome: "最初のページ", "First page";
    FinderPlace: "画面", "Place";
    FinderForm: "フォーム", "Form";

    // Settings.
    PreferencesHint: "このブラウザだけの設定です。", "These apply to this browser only.";
    PreferencesLanguage: "言語", "Language";
    PreferencesMotion: "動き", "Motion";
    PreferencesLess: "動きを減らす", "Reduce motion";
    PreferencesNotices: "通知", "Notices";
    PreferencesNoticesOn: "待っているものが増えたら、ブラウザの通知で知らせる", "Tell me by the browser when something new waits for me";
    PreferencesNoticesHint: "このページを開いたまま、ほかの画面を見ているときに届きます。", "They come while this page is open and you look at something else.";
    PreferencesNoticesDenied: "ブラウザがこのページの通知を許可していません。ブラウザの設定で許可してから、もう一度選んでください。", "The browser does not let this page give notices. Allow them in its settings, then choose this again.";
    PreferencesKept: "このブラウザに保存されているもの", "What this browser keeps";
    PreferencesKeptHint: "予約やフォームの回答など、サーバーにあるものは消えません。", "What the server has, such as reservations and answers to forms, is not touched.";
    PreferencesChats: "チャット", "Chats";
    PreferencesTyped: "名前、入力途中の内容、ツールや作品の一覧", "Your name, what was typed and not sent, lists of tools and films";
    PreferencesOwn: "この設定とサインインの情報", "These settings, and what signs you in";
    PreferencesClear: "保存されているものを消去", "Clear what is kept";
    PreferencesClearAsk: "チャットと入力途中の内容を、このブラウザから消去しますか。元に戻せません。", "Clear chats and what was typed from this browser? This cannot be undone.";
    PreferencesClearYes: "消去する", "Yes, clear it";
    PreferencesClearNo: "消去しない", "No, keep it";
    PreferencesCleared: "このブラウザに保存されていたものを消去しました。", "What this browser kept is cleared.";

    // The hall.
    ChooseSeats: "座席を選ぶ", "Choose seats";
    Screen: "スクリーン", "Screen";
    SeatName: "{0}列 {1}番", "Row {0}, seat {1}";
    RowName: "{0}列", "Row {0}";
    SeatFree: "空席", "free";
    SeatPicked: "選択中", "picked";
    SeatTaken: "予約済み", "taken";
    SeatOwn: "ご自分の予約", "yours";
    OwnSeats: "{0} を予約済みです。予約を見る", "You have reserved {0}. See the reservation";
    SeatLost: "他の方が予約しました", "just taken by someone else";
    KindStandard: "一般席", "ordinary";
    KindPremium: "プレミアム", "premium";
    KindWheelchair: "車いす席", "wheelchair";
    KindCompanion: "同伴者席", "companion";
    KindPair: "ペアシート", "pair";
    SeatsCount: "{0} 席", "{0} {0|seat|seats}";
    SuggestCount: "席数", "How many seats";
    SuggestClass: "席の種類", "Kind of seats";
    Suggest: "おすすめの {0}を選ぶ", "Pick the best {0} for me";
    SalesClosedHint: "この上映の座席は、いま販売していません。別の上映をお選びください。", "Seats of this showing are not on sale now. Please choose another one.";
    WaitingTitle: "キャンセル待ち", "Waiting list";
    WaitingHint: "この上映は満席です。空きが出たら、順番にお席を確保します。", "This showing is full. When seats come free, they are held for those who wait, in turn.";
    WaitingJoin: "キャンセル待ちに登録する", "Join the waiting list";
    WaitingJoined: "キャンセル待ちに登録しました。", "You are on the waiting list.";
    WaitingPlace: "{0} 席を待っています。順番は {1} 番目です。", "You are waiting for {0} {0|seat|seats}, at place {1} of the list.";
    WaitingStays: "この画面を閉じても順番は残ります。", "You keep your place when you close this page.";
    WaitingLeave: "キャンセル待ちをやめる", "Leave the waiting list";
    WaitingLeft: "キャンセル待ちをやめました。", "You have left the waiting list.";
    WaitingOffer: "お席が空きました：{0}。{1} まで確保しています。", "Seats have come free: {0}. They are held for you until {1}.";
    WaitingTake: "この席を予約する", "Take these seats";
    WaitingDecline: "見送る", "No, thank you";
    WaitingDeclined: "見送りました。次の方にお譲りします。", "Declined. They go to the next in turn.";
    Transferred: "譲渡済み", "Given away";
    Transfer: "ほかの人に譲る", "Give it to someone else";
    TransferTo: "譲る相手のお名前または会員 ID", "Name or member ID of the one who gets it";
    TransferHint: "譲ると、この QR コードでは入場できなくなります。", "This QR code no longer admits anyone afterwards.";
    TransferYes: "譲る", "Give it away";
    TransferDone: "予約を譲りました", "The reservation is given away";
    TransferFind: "「{0}」の新しい予約になりました。譲った相手は、次の画面にこの名前か会員 ID を入力すると、新しい予約番号を確かめられます：", "It is a new reservation of {0} now. They find its number under that name or member ID here:";
    TotalPrice: "合計", "Total";
    CheckedIn: "入場済み：{0}", "Checked in: {0}";
    Legend: "座席の見かた", "What the seats mean";
    HallHint: "矢印キーで移動、スペースキーで選択。一度に {0} 席まで。", "Arrow keys move, space picks. Up to {0} {0|seat|seats} at a time.";
    HallScrolls: "座席表は左右に動かせます。", "The plan scrolls sideways.";
    HallMoves: "ドラッグで移動、ボタンやピンチで拡大・縮小できます。", "Drag to move the plan; pinch or use the buttons to zoom.";
    HallZoomIn: "座席表を拡大", "Zoom in";
    HallZoomOut: "座席表を縮小", "Zoom out";
    HallWhole: "全体を表示", "Show it all";
    HallWheelchair: "車いす席へ", "Wheelchair places";
    HallLeftOut: "座席が多いため、{0} 席は表示していません。", "There are too many seats to show; {0} are left out.";
    HallGrid: "座席表", "Seats";
    HallFree: "空席 {0} ／ 全 {1} 席", "{0} of {1} {1|seat|seats} free";
    HallEmpty: "座席の情報がありません。", "There are no seats to show.";
    HallAsOf: "{0} 現在", "As of {0}";
    Refresh: "更新", "Refresh";
    PickedNone: "座席が選ばれていません", "No seats picked yet";
    PickedCount: "{0} 席を選択中", "{0} {0|seat|seats} picked";
    SeatHeld: "ほかの人が確保中", "Held by someone else";
    SeatOffered: "あなたのために確保中", "Held for you";
    SeatIsHeld: "{0} は、ほかの人がおさえています。", "{0} is held by someone else for now.";
    HoldGroup: "席の確保", "Held seats";
    HoldThese: "選んだ席をしばらくおさえる", "Hold these seats for a while";
    HoldHint: "おさえている間は、ほかの人は予約できません。", "Nobody else can reserve them meanwhile.";
    HoldOthers: "選び直した席をおさえる", "Hold the new choice";
    HoldExtend: "延長する", "Extend";
    HoldRelease: "手放す", "Let go";
    HoldLeft: "席をおさえています。あと", "These seats are held for you, for";
    HoldBegun: "席をおさえました。", "The seats are held for you.";
    HoldExtended: "確保を延長しました。", "They are held for longer.";
    HoldReleased: "席を手放しました。", "The seats are let go.";
    HoldEndsSoon: "席をおさえていられるのは、あと 1 分です。", "The seats are held for one more minute.";
    SeatPickedNow: "{0} を選びました。全部で {1} 席です。", "{0} picked, {1} in all.";
    SeatUnpickedNow: "{0} を外しました。全部で {1} 席です。", "{0} let go, {1} in all.";
    SeatIsTaken: "{0} はすでに予約されています。", "{0} is already taken.";
    TooManySeats: "一度に予約できるのは {0} 席までです。", "At most {0} {0|seat|seats} at a time.";
    LostSeats: "{0} は他の方が先に予約しました。残りの選択はそのままです。", "{0} went to someone else. The rest of your seats are still picked.";
    Unpick: "{0} を外す", "Let go of {0}";
    Stale: "最新の空席を取得できていません。", "These seats may be out of date.";

    // Reserving.
    YourName: "お名前または会員 ID", "Your name or member ID";
    YourNameHint: "この名前で予約します。", "The reservation is made in this name.";
    NameMissing: "お名前または会員 ID を入力してください。", "Please give your name or member ID.";
    SeatsMissing: "座席を選んでください。", "Please pick a seat.";
    Reserve: "予約する", "Reserve";
    ReserveCount: "{0} 席を予約する", "Reserve {0} {0|seat|seats}";
    ReservedHint: "入場のときに QR コードか予約番号をお見せください。", "Show the QR code or the reservation number at the entrance.";
    ReservationCode: "予約番号の QR コード", "QR code of the reservation number";
    ToCalendar: "カレンダーに追加", "Add to calendar";
    CalendarNotSaved: "カレンダー用のファイルを保存できませんでした。もう一度お試しください。", "The calendar file could not be saved. Please try again.";
    ReservedFor: "予約者", "Reserved for";
    ReservedAt: "予約日時", "Reserved at";
    Seats: "座席", "Seats";
    Confirmed: "予約済み", "Confirmed";
    Cancelled: "取消済み", "Cancelled";
    CancelReservation: "予約を取り消す", "Cancel the reservation";
    CancelAsk: "この予約を取り消しますか。座席はすぐに他の方が予約できるようになります。", "Cancel this reservation? The seats go back on offer at once.";
    CancelYes: "取り消す", "Yes, cancel it";
    CancelNo: "取り消さない", "No, keep it";
    Cancelling: "取り消しています…", "Cancelling…";
    CancelDone: "予約を取り消しました", "The reservation is cancelled";
    BookMore: "続けて予約する", "Book more seats";
    OpenTicket: "予約の画面を開く", "Open the reservation";
    ToBoxOffice: "チケット窓口へ", "To the box office";

    // The tools view.
    CounterHint: "このサーバーのすべてのツールを、ここで呼び出せます。", "Every tool that this server offers can be called here.";
    SearchTools: "ツールを検索", "Search the tools";
    ToolCount: "{0} 個のツール", "{0} {0|tool|tools}";
    NoTools: "ツールがありません。", "There are no tools.";
    NoToolsFit: "該当するツールはありません。", "No tool fits.";
    CardsTools: "カードのイラスト", "Card illustrations";
    OtherTools: "その他のツール", "Other tools";
    ChooseTool: "ツールを選ぶと、説明と入力フォームが表示されます。", "Choose a tool to see what it does and what it needs.";
    ToolGone: "「{0}」というツールは、いま提供されていません。", "There is no tool “{0}” at the moment.";
    ToolGoneHint: "入力した内容は残っています。ツールが戻れば続けられます。", "What you typed is kept, should the tool come back.";
    ReadsOnly: "参照のみ", "Only reads";
    Changes: "変更あり", "Changes things";
    Destructive: "取り消せない変更", "Cannot be undone";
    Arguments: "入力", "Input";
    NoArguments: "入力は必要ありません。", "It needs no input.";
    CallTool: "呼び出す", "Call";
    CallAgain: "もう一度呼び出す", "Call again";
    Stop: "中止", "Stop";
    Clear: "入力を消す", "Clear";
    Answer: "結果", "Result";
    AnswerDone: "応答が完了しました。", "The answer is here.";
    AnswerEmpty: "結果は空です。", "The result is empty.";
    CallRequest: "送った依頼の JSON", "The request as JSON";
    RawJson: "元の JSON", "Raw JSON";
    Copy: "コピー", "Copy";
    Copied: "コピーしました。", "Copied.";
    Yes: "はい", "Yes";
    No: "いいえ", "No";
    Nothing: "なし", "None";
    Question: "確認が必要です", "Your answer is needed";
    QuestionSend: "回答する", "Send the answer";
    QuestionDecline: "断る", "Decline";
    QuestionUrl: "次のページで手続きをしてから、回答してください。", "Please complete this page first, then answer.";
    QuestionUnknown: "この種類の質問には、この画面では答えられません。", "This kind of question cannot be answered here.";
    OpenPage: "ページを開く", "Open the page";

    // Forms.
    Required: "必須", "required";
    Choose: "選んでください", "Choose one";
    NoChoice: "指定しない", "Not given";
    AddItem: "追加", "Add";
    RemoveItem: "{0} 番目を削除", "Remove number {0}";
    ItemName: "{0}（{1} 番目）", "{0}, number {1}";
    JsonHint: "JSON で入力します。", "Written as JSON.";
    Include: "「{0}」を入力する", "Give “{0}”";
    ErrorSummary: "入力を {0} か所直してください", "Please correct {0} {0|entry|entries}";
    MustBeGiven: "入力してください。", "This is needed.";
    MustBeNumber: "数値で入力してください。", "This must be a number.";
    MustBeInteger: "整数で入力してください。", "This must be a whole number.";
    MustBeAtLeast: "{0} 以上で入力してください。", "This must be at least {0}.";
    MustBeAtMost: "{0} 以下で入力してください。", "This must be at most {0}.";
    MustBeLonger: "{0} 文字以上で入力してください。", "This must have at least {0} {0|character|characters}.";
    MustBeShorter: "{0} 文字以下で入力してください。", "This must have at most {0} {0|character|characters}.";
    MustBeJson: "JSON として読めません（位置 {0}）。", "This is not JSON (at {0}).";
    MustBeDate: "日付は YYYY-MM-DD の形で入力してください。", "A date is written YYYY-MM-DD.";
    MustBeEmail: "メールアドレスの形で入力してください。", "This must be an e-mail address.";
    MustBeUrl: "https:// などで始まる URL を入力してください。", "This must be a URL such as https://…";
    MustHaveItems: "{0} 件以上入力してください。", "At least {0} {0|is|are} needed.";
    MustHaveFewer: "{0} 件までです。", "At most {0} {0|is|are} allowed.";
    MustDiffer: "同じものが 2 回入っています。", "The same one is given twice.";
    MustBeOneOf: "選択肢から選んでください。", "Choose one of those on offer.";

    // Outputs.
    ConversationView: "会話", "Conversation";
    SenderUser: "お客様", "Customer";
    SenderAgent: "係員", "Agent";
    MapView: "地図", "Map";
    MapNote: "海岸線のみの地図です。道案内には使えません。", "Coastline only; not for navigation.";
    MapSkip: "地図をとばす", "Skip the map";
    MapFailed: "地図を表示できません。", "The map cannot be shown.";
    ImageFrom: "「{0}」の画像", "Image from “{0}”";
    AudioFrom: "「{0}」の音声", "Audio from “{0}”";
    NoShow: "この種類の内容は表示できません。", "This kind of content cannot be shown.";

    // Requested forms.
    FormAskedBy: "依頼元：{0}", "Asked by {0}";
    FormAskedAt: "依頼：{0}", "Asked on {0}";
    FormAnsweredAt: "回答：{0}", "Answered on {0}";
    FormClosedAt: "終了：{0}", "Closed on {0}";
    FormLeft: "あなたが入力していた内容（送信されていません）", "What you had typed (it was not sent)";
    FormRequiredHint: "「必須」の項目は、必ず入力してください。", "Fields marked “required” must be filled in.";
    FormProgress: "必須項目 {0} ／ {1}", "Required: {0} of {1}";
    FormSecretTitle: "秘密の情報を求められています", "This form asks for something secret";
    FormSecret: "「{0}」の入力を求めているのは「{1}」です。この相手に教えてよい場合だけ入力してください。この項目は下書きに保存されません。", "“{0}” is asked for by “{1}”. Only enter what you would tell them. Drafts do not keep it.";
    FormSomebody: "名前のわからない相手", "somebody unnamed";
    FormDecline: "回答しない", "Decline to answer";
    FormUploading: "まだ届いていないファイルがあります。終わるのを待つか、失敗したものを再試行するか外してから送信してください。", "Some files are not there. Wait for them, or try again or take out those that failed, then send.";
    FormNotSent: "送信できませんでした。入力した内容はすべて残っています。", "It was not sent. All that you typed is still here.";
    FormNotSentOffline: "接続が戻ったら、もう一度「{0}」を押してください。", "Once the connection is back, press “{0}” again.";
    FormCancelAsk: "このフォームをキャンセルしますか。入力した内容は下書きに残ります。", "Cancel this form? What you typed stays in the draft.";
    FormCancelYes: "フォームをキャンセルする", "Yes, cancel the form";
    FormCancelNo: "入力を続ける", "Go on filling in";
    FormLarger: "大きく開く", "Open larger";
    FormSmaller: "元の大きさに戻す", "Back to the page";
    FormOwnPlace: "この画面だけで開く", "Open on a page of its own";
    FormAnswered: "回答済みのフォーム", "This form has been answered";
    FormAnsweredHint: "送信した内容は変更できません。", "What was sent cannot be changed.";
    FormCancelled: "フォーム入力をキャンセルしました。", "The form was cancelled.";
    FormDeclined: "このフォームには回答しませんでした。", "You did not answer this form.";
    FormClosedHint: "依頼元が結果を読むまで、10 分以内なら元に戻せます。", "For ten minutes, until whoever asked has read it, this can be undone.";
    FormUndo: "元に戻す", "Undo";
    FormReopened: "フォームを再開しました。", "The form is open again.";
    FormWhat: "回答の内容", "What was answered";
    FormEmptyValue: "未入力", "Left empty";
    FormBack: "AI に渡された内容", "What goes back to the agent";
    FormBackSentence: "AI に渡された文：", "Told to the agent:";
    FormGone: "このフォームは見つかりません", "There is no such form";
    FormGoneHint: "リンクが途中で切れているか、保存期間が過ぎて削除されました。依頼した相手に、もう一度フォームを頼んでください。", "The link is incomplete, or the form was deleted after its time. Ask whoever sent it for another one.";
    FormBroken: "このフォームは表示できません", "This form cannot be shown";
    FormFile: "{0} をダウンロード", "Download {0}";
    FormFileGone: "ファイルを取得できませんでした。", "The file could not be fetched.";
    DraftThere: "下書きを保存しました（{0}）", "Draft saved ({0})";
    DraftSavedNow: "下書きを保存しました。", "The draft is saved.";
    DraftNotSaved: "下書きはまだこのブラウザにしかありません。自動で保存し直します。", "The draft is in this browser only for now; it will be saved by itself.";
    DraftHere: "サーバーに保存できていません。このブラウザには残っています。", "Not saved at the server yet. It is kept in this browser.";
    DraftTwo: "別の画面でも、このフォームが入力されています。", "This form was also filled in from another window.";
    DraftTwoHint: "どちらを残すか選んでください。選ばなかったほうも、この画面を閉じるまでは戻せます。", "Choose which to keep. The other one can be brought back until you leave this page.";
    DraftOurs: "この画面の入力を残す", "Keep what is here";
    DraftTheirs: "別の画面の入力を使う", "Take the other one";
    DraftDropped: "選ばなかった下書きがあります。", "The other draft is still here.";
    DraftSwap: "入れ替える", "Swap them";
    FormsHint: "AI エージェントが依頼したフォームと、その回答です。", "What agents asked people to fill in, and how they answered.";
    FormsWaiting: "回答待ち", "Waiting";
    FormsSubmitted: "回答済み", "Answered";
    FormsCancelled: "キャンセル", "Cancelled";
    FormsDeclined: "辞退", "Declined";
    FormsName: "題名", "Title";
    FormsAnsweredAt: "回答日時", "Answered";
    FormsOfChats: "ほかの人のチャットの質問も表示", "Include what other people's chats ask";
    FormsMoreHere: "{0} 件を表示しています。", "{0} {0|form|forms} shown.";
    FormsNone: "フォームはまだありません。", "There are no forms yet.";
    FormsNoneHint: "チャットやエージェントがあなたに入力を依頼すると、ここに並びます。", "They appear here once the chat or an agent asks you for something.";
    FormsNoneFit: "この状態のフォームはありません。", "No form is in this state.";
    FormsCsv: "CSV をダウンロード", "Download as CSV";
    FormsCsvHere: "CSV をダウンロードしました。", "The CSV file is downloaded.";

    // Approvals.
    ApprovalsHint: "アシスタントやツールが、あなたの代わりに実行しようとしていることです。許可するまで実行されません。", "What assistants and tools want to do on your behalf. Nothing is done before you allow it.";
    ApprovalsNone: "承認を待っているものはありません。", "Nothing waits for your approval.";
    ApprovalAssistant: "アシスタント「{0}」", "the assistant “{0}”";
    ApprovalComponent: "ツール群「{0}」", "the tools of “{0}”";
    ApprovalUntil: "期限", "Until";
    ApprovalChanged: "前に確認したあとでツールの内容が変わりました。今の内容を確かめてください。", "The tool has changed since you were asked. Look at what it is now.";
    ApprovalAllow: "許可して実行", "Allow and run";
    ApprovalRunning: "実行しています…", "Running…";
    ApprovalMade: "実行しました。", "It was run.";
    ApprovalNotMade: "実行しませんでした。", "It was not run.";
    ApprovalExpired: "期限が過ぎたため、実行しませんでした。", "It was not answered in time, and was not run.";
    ApprovalAnew: "その間にツールの内容が変わったため、実行しませんでした。今の内容を確かめて、もう一度答えてください。", "The tool has changed in the meantime, so it was not run. Look at what it is now, and answer again.";
    ApprovalAnswered: "この依頼は、もう回答を待っていません。", "This does not wait for an answer any more.";
    ApprovalWentWrong: "実行しましたが、うまくいきませんでした：{0}", "It was run, and failed: {0}";
}
