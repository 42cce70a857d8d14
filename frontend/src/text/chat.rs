//! Texts of the chat, its cards, apps and maps, appended to those of the page.

/// Passes the given texts and those of the chat to the macro named first.
macro_rules! with_chat_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // Route maps.
            RouteMapName: "ルートの地図", "Map of the routes";
            RouteMapKeys: "矢印キーで動かし、＋と－で拡大・縮小できます。道順は地図の後の一覧にもあります。", "Arrow keys move the map, plus and minus zoom. The directions are also in the list after the map.";
            MapFit: "ルート全体を表示", "Show all of the routes";
            MapWheelHint: "Ctrl キー（Mac は ⌘）を押しながらスクロールすると、地図を拡大・縮小できます。", "Hold Ctrl (⌘ on a Mac) while scrolling to zoom the map.";
            MapTouchHint: "地図は 2 本の指で動かせます。", "Use two fingers to move the map.";
            MapStart: "出発地", "Start";
            MapGoal: "目的地", "Destination";
            MapPlace: "地点", "Place";
            MapStop: "経由地", "Stop";
            MapPlaceShort: "◎", "◎";
            MapStartShort: "発", "A";
            MapGoalShort: "着", "B";
            MapSetStart: "ここを出発地にする", "Start from here";
            MapSetGoal: "ここを目的地にする", "Go to here";

            // Navigation outputs.
            RoutesNone: "ルートが見つかりませんでした。", "No route was found.";
            RoutesCount: "ルート候補（{0} 件）", "Routes ({0})";
            RouteFastest: "最速", "Fastest";
            RouteShortest: "最短", "Shortest";
            RouteUsual: "通常 {0}", "usually {0}";
            RouteToll: "料金 {0}", "Toll {0}";
            RouteTollAbout: "料金 約 {0}", "Toll about {0}";
            RouteFree: "料金なし", "No tolls";
            RouteWarnings: "注意", "Please note";
            RouteSteps: "道順（{0} ステップ）", "Directions ({0} {0|step|steps})";
            RouteStepLit: "{0}. {1}", "{0}. {1}";
            RouteStepsAll: "{0} ステップをすべて表示", "Show all {0} {0|step|steps}";
            RouteGpx: "GPX を保存", "Save as GPX";
            RouteGeoJson: "GeoJSON を保存", "Save as GeoJSON";
            RouteSaved: "ファイルを保存しました。", "The file is saved.";
            ComparisonName: "出発地と目的地ごとの所要時間と距離", "Times and distances by origin and destination";
            ComparisonCorner: "出発地 ＼ 目的地", "From ＼ to";
            ComparisonNotFound: "場所が見つかりません", "Place not found";
            ComparisonNoWay: "ルートがありません", "No route";
            ComparisonUnknown: "不明", "Unknown";
            PlaceAddress: "住所", "Address";
            PlaceCoordinates: "緯度・経度", "Latitude, longitude";
            MapTilesFailed: "地図の画像を読み込めないため、内蔵の地図を表示しています。", "The tiles of the map do not load; the built-in map is shown.";

            // A call.
            CardRunning: "実行中…", "Running…";
            CardFailed: "失敗", "Failed";
            CardDenied: "実行しませんでした", "Not run";
            CardWaiting: "あなたの回答を待っています", "Waiting for you";
            CardStopped: "停止（結果は不明）", "Stopped (the outcome is not known)";
            CardMs: "{0} ミリ秒", "{0} ms";
            CardArguments: "引数", "Arguments";
            CardNoArguments: "引数なし", "No arguments";
            CardRetryNamed: "「{0}」をもう一度試す", "Try “{0}” again";
            CardCut: "大きな結果のため、再読み込み後は保存されていません。もう一度頼むと表示できます。", "The result was too large to be kept over a reload. Ask again to see it.";
            CardFormBelow: "フォームはこの応答の下に表示されます。", "The form is below this answer.";

            // Outputs in one line.
            CardFilms: "映画 {0} 作品", "{0} {0|film|films}";
            CardShowtimes: "上映 {0} 回", "{0} {0|showtime|showtimes}";
            CardSeats: "座席表（空席 {0}）", "Seats ({0} free)";
            CardReservation: "予約 {0}", "Reservation {0}";
            CardMessages: "やりとり {0} 件", "{0} {0|message|messages}";
            CardRoutes: "ルート {0} 件と地図", "{0} {0|route|routes}, with a map";
            CardComparison: "所要時間の比較", "Times compared";
            CardPlace: "場所と地図", "The place, with a map";
            CardPictures: "イラスト {0} 枚", "{0} {0|illustration|illustrations}";

            // Seats in a conversation.
            CardSeatsPick: "座席を選んで頼めます（{0} 席まで）。", "Pick up to {0} {0|seat|seats} and ask for them.";
            CardSeatsAsk: "{0} で頼む", "Ask for {0}";
            CardSeatsSay: "座席は {0} でお願いします", "Seats {0}, please";
            CardSeatsBusy: "応答が終わってから選べます。", "You can ask once the answer is complete.";

            // Approvals.
            CardAsk: "実行してよいですか？", "May this be done?";
            CardAskAnnounced: "承認が必要です：{0}", "This needs your approval: {0}";
            CardAskWhat: "「{0}」を実行します。", "“{0}” would be run.";
            CardAskReserve: "{1} 席（{0}）を予約します。", "{1} {1|seat|seats} ({0}) would be reserved.";
            CardAskReserveOne: "座席 {0} を予約します。", "Seat {0} would be reserved.";
            CardAskGrave: "取り消せない操作です。", "This cannot be undone.";
            CardAllow: "今回だけ許可", "Allow once";
            CardTrust: "このツールを常に許可", "Always for this tool";
            CardDeny: "拒否", "Deny";
            CardAllowed: "許可しました（今回だけ）", "Allowed, this once";
            CardTrusted: "許可しました（このツールは今後も）", "Allowed, and this tool from now on";
            CardRefused: "拒否しました", "Denied";

            // Questions and forms.
            CardAnswersSent: "回答を送りました", "Your answers are sent";
            CardAnswersNone: "回答しませんでした", "You gave no answers";
            CardFormDone: "このフォームはすでに回答されています。", "This form is answered already.";
            CardFormGoOn: "この回答で続ける", "Go on with this answer";
            CardFormSkip: "フォームなしで続ける", "Go on without the form";
            CardFormCancelled: "フォーム入力をキャンセルしました", "You cancelled the form";
            CardFormSent: "フォームに回答しました", "You answered the form";

            // Pictures.
            PictureUnnamed: "画像 {0}", "Picture {0}";
            PictureMade: "作成されたサムネイル", "The thumbnail made";
            PictureMadeNamed: "サムネイル「{0}」", "Thumbnail “{0}”";
            PictureOpen: "「{0}」を大きく表示", "Look at “{0}” closely";
            PictureGone: "この画像はもう保存されていません。", "This picture is no longer kept.";
            PictureUnshown: "表示できない画像です。", "This picture cannot be shown.";
            PictureDownload: "保存", "Download";
            PictureDownloadNamed: "「{0}」を保存", "Download “{0}”";
            PictureNotSaved: "画像を保存できませんでした。", "The picture could not be saved.";
            PictureAt: "{0}（{1}/{2}）", "{0} ({1}/{2})";
            PictureNext: "次の画像", "Next picture";
            PicturePrevious: "前の画像", "Previous picture";
            PictureZoomReset: "全体を表示", "Fit";
            PictureStage: "画像", "The picture";
            PictureCards: "使われたカード：{0}", "Cards: {0}";
            PictureSize: "{0}×{1} ピクセル", "{0}×{1} {1|pixel|pixels}";
            GalleryOpen: "画像一覧（{0}）", "Pictures ({0})";
            GalleryTitle: "このチャットの画像", "Pictures of this chat";

            // The choice of references.
            PickTitle: "参照する画像を選んでください", "Choose the pictures to start from";
            PickHint: "選んだ画像をもとにサムネイルを作ります。", "The thumbnail is made from the pictures you choose.";
            PickAll: "すべて選択", "Select all";
            PickNone: "すべて解除", "Select none";
            PickCount: "{1} 枚中 {0} 枚を選択", "{0} of {1} selected";
            PickConfirm: "この画像で作る", "Make it from these";
            PickEmpty: "1 枚以上選んでください。", "Select at least one.";
            PickCancel: "やめる", "Cancel";
            PickReopen: "画像を選ぶ", "Choose pictures";
            PickLater: "あとで選ぶ", "Later";
            PickDone: "{0} 枚を選びました", "Chosen: {0}";
            PickCancelled: "画像の選択をやめました", "You chose none";

            // The view.
            ChatTitle: "アシスタントと話す", "Talk with an assistant";
            ChatWith: "アシスタント", "Assistant";
            ChatNew: "新しいチャット", "New chat";
            ChatList: "チャットの一覧", "Chats";
            ChatYouAt: "あなた, {0}/{1}", "You, {0}/{1}";
            ChatAssistantAt: "アシスタント, {0}/{1}", "Assistant, {0}/{1}";
            ChatBuiltin: "内蔵プランナー（AI モデルなし）", "built-in planner (no AI model)";
            ChatOpenAi: "OpenAI 互換", "OpenAI-compatible";
            ChatTokens: "入力 {0}・出力 {1} トークン", "{0} {0|token|tokens} in, {1} out";
            ChatCached: "うちキャッシュ {0}", "{0} of them cached";
            ChatUncalled: "ツールは使っていません", "no tool was used";

            // An empty chat.
            ChatWelcomePictures: "サムネイルを作りましょう！", "Let's make a thumbnail!";
            ChatWelcomePicturesHint: "カードやテーマの名前を伝えると、イラストを参照してサムネイルを作ります。", "Name a card or a theme, and a thumbnail is made from its illustrations.";
            ChatWelcomeWay: "どこへ行きましょうか？", "Where shall we go?";
            ChatWelcomeWayHint: "出発地・目的地と条件を、ふだんの言葉で伝えてください。", "Say where from, where to, and what matters, in your own words.";
            ChatWelcome: "何をお手伝いしましょうか？", "What can I do for you?";
            ChatWelcomeHint: "映画の予約、サムネイル、道順、フォームなどを、ふだんの言葉で頼めます。何かを変える操作は、必ず先に確認します。", "Book seats, make thumbnails, find routes, fill in forms: say it in your own words. Whatever changes something is asked first.";
            ChatExamples: "例文", "Examples";
            ChatExBook: "明日の夜に映画を2席取りたい", "I would like two cinema seats for tomorrow evening";
            ChatExCards: "ブルー系テーマのカードでサムネイルを作って", "Make a thumbnail with cards of a blue theme";
            ChatExWay: "東京駅から横浜駅まで、高速を使わずに", "From Tokyo Station to Yokohama Station without motorways";
            ChatExForm: "新しいプロジェクトを登録するフォームを出して", "Show me a form to register a new project";
            ChatExCardsMore: "ドラゴンのカードを2枚使った対戦サムネイルを作って", "Make a match thumbnail with two dragon cards";
            ChatExCardsTitle: "「決勝戦」というタイトルのサムネイルを作って", "Make a thumbnail with the title “Final match”";
            ChatExWayTraffic: "渋滞を避けて新宿駅から羽田空港まで", "From Shinjuku Station to Haneda Airport, around the traffic";
            ChatExWayCompare: "東京駅から鎌倉駅まで、ルートを比較して", "Compare routes from Tokyo Station to Kamakura Station";

            ChatAbsent: "このサーバーにはアシスタントがありません。", "There is no assistant on this server.";
            ChatAbsentHint: "ツールは「ツール」から直接使えます。", "The tools can be used directly, under Tools.";

            // The composer.
            ChatInput: "メッセージ", "Message";
            ChatInputHint: "メッセージを入力", "Write a message";
            ChatStop: "停止", "Stop";
            ChatAttach: "画像を添付", "Attach pictures";
            ChatAttached: "添付した画像", "Pictures attached";
            ChatDetach: "「{0}」を外す", "Take “{0}” away";
            ChatAttachKind: "添付できるのは PNG・JPEG・WebP・GIF の画像だけです。", "Only PNG, JPEG, WebP and GIF pictures can be attached.";
            ChatAttachSize: "画像は 1 枚 5 MB までです。", "A picture may have up to 5 MB.";
            ChatAttachCount: "画像は 4 枚までです。", "Up to four pictures can be attached.";
            ChatAttachUnread: "画像を読み込めませんでした。", "The picture could not be read.";
            ChatChoose: "参照する画像を自分で選ぶ", "I choose the reference pictures";
            ChatEditing: "以前のメッセージを編集しています。送信すると、それより後のやりとりは消えます。", "You are editing an earlier message. Sending it removes what followed.";
            ChatEditingActed: "以前のメッセージを編集しています。送信すると、それより後のやりとりは消えます。実行済みの操作（予約など）は取り消されず、記録はこのチャットに残ります。", "You are editing an earlier message. Sending it removes what followed, but takes nothing back that was done, such as a reservation; its record stays here.";
            ChatDone: "編集前に実行済みの操作です。取り消されてはいません。", "Done before the message was edited, and not taken back:";
            ChatEditStop: "編集をやめる", "Stop editing";
            ChatTooLong: "メッセージは {0} 文字までです。", "A message may have up to {0} {0|character|characters}.";
            ChatUnanswered: "回答を待っています。別のメッセージを送ると、操作は行われません。", "Your answer is needed. Another message cancels this step.";
            ChatElsewhere: "別のウィンドウで続いています。終わると、ここにも表示されます。", "It goes on in another window, and is shown here when it ends.";
            ChatAnswerIt: "回答欄へ移動", "Go to the question";

            ChatTrusted: "このチャットでは確認なしで実行：{0}", "Runs without asking in this chat: {0}";
            ChatDistrust: "次から確認する", "Ask again";
            ChatDistrusted: "次からは確認してから実行します。", "From now on you are asked first.";

            // A message.
            ChatThinking: "考え中...", "Thinking...";
            ChatRunning: "{0} を実行しています…", "Running {0}…";
            ChatCopyNamed: "このメッセージをコピー", "Copy this message";
            ChatEdit: "編集", "Edit";
            ChatEditNamed: "このメッセージを編集して送り直す", "Edit this message and send it again";
            ChatAgain: "再生成", "Regenerate";
            ChatAgainNamed: "この応答を再生成", "Regenerate this answer";
            ChatActed: "この応答では操作を実行したため、再生成できません。", "Something was done in this answer, so it cannot be regenerated.";
            ChatLeftOut: "取り消したため、以後のやりとりには含まれません。", "Cancelled: the assistant is not told of it again.";
            ChatIncomplete: "途中まで", "Incomplete";
            ChatNoAnswer: "応答できませんでした", "There is no answer";
            ChatStoppedHere: "ここで停止しました。", "Stopped here.";
            ChatLost: "接続が途中で切れました。ここまでに届いた内容は残っています。", "The connection was lost on the way. What had come is still here.";
            ChatUnreadable: "サーバーの応答を読み取れませんでした。", "The server's answer could not be read.";
            ChatRetryAfter: "{0} 秒ほど待ってからお試しください。", "Please wait about {0} {0|second|seconds}.";
            ChatRounds: "ツールの呼び出し回数の上限に達したため、ここまでの結果です。", "The limit of tool calls was reached; this is what there is.";
            ChatDeadline: "時間の上限に達したため、ここまでの結果です。", "Time ran out; this is what there is.";
            ChatMaxTokens: "長さの上限に達したため、応答が途中で切れています。", "The answer was cut at its length limit.";
            ChatEmpty: "（内容のない応答でした）", "(The answer was empty.)";
            ChatCallAgain: "「{0}」をもう一度実行してください。", "Please run “{0}” once more.";
            ChatOpensElsewhere: "（新しいタブで開きます）", "(opens in a new tab)";

            // For screen readers.
            ChatAnswering: "応答中", "Answering";
            ChatAnswered: "応答が完了しました", "The answer is complete";
            ChatStopped: "応答を停止しました。", "The answer was stopped.";
            ChatWaitsForYou: "あなたの回答を待っています。", "Your answer is needed.";
            ChatBegun: "新しいチャットを始めました。", "A new chat has begun.";
            ChatNotHere: "このチャットは、このブラウザに保存されていません。", "This browser does not have that chat.";
            ChatParted: "別のタブでもこのチャットが続けられたため、ここでの続きは別のチャットとして保存しました。", "Another tab went on with this chat at the same time, so what was said here is kept as a chat of its own.";
            ChatOpened: "チャットを開きました。", "The chat is open.";
            ChatForgotten: "チャットを削除しました。", "The chat was deleted.";

            // Conversations.
            ChatSearch: "チャットを検索", "Search chats";
            ChatNone: "保存されたチャットはありません。", "No chats are kept.";
            ChatNoneFit: "当てはまるチャットはありません。", "No chat fits.";
            ChatRename: "名前を変更", "Rename";
            ChatRenameNamed: "「{0}」の名前を変更", "Rename “{0}”";
            ChatName: "チャットの名前", "Name of the chat";
            ChatNameSave: "保存", "Save";
            ChatForget: "削除", "Delete";
            ChatForgetNamed: "「{0}」を削除", "Delete “{0}”";
            ChatForgetAsk: "「{0}」を削除しますか。元に戻せません。", "Delete “{0}”? This cannot be undone.";
            ChatForgetYes: "削除する", "Delete it";
            ChatForgetNo: "残す", "Keep it";
            ChatUnnamed: "無題のチャット", "Untitled";
            ChatKept: "チャットはこのブラウザにだけ保存されます（直近 20 往復、画像 50 枚まで）。", "Chats are kept in this browser only: the last 20 turns, up to 50 pictures.";

            // The password.
            ChatPassword: "パスワード", "Password";
            ChatPasswordHint: "このチャットを使うには、管理者から伝えられたパスワードが必要です。", "This chat asks for the password that its operator gave you.";
            ChatEnter: "入室", "Enter";

            // Apps.
            AppFrom: "{0} のアプリ", "An app of {0}";
            AppSkip: "アプリの後へ移動", "Skip the app";
            AppFullscreen: "全画面で表示", "Full screen";
            AppInline: "元の大きさに戻す", "Leave full screen";
            AppClose: "アプリを閉じる", "Close the app";
            AppOpenAgain: "アプリをもう一度開く", "Open the app again";
            AppLoading: "アプリを読み込んでいます…", "Loading the app…";
            AppData: "データで見る", "Show as data";
            AppNoOrigin: "ここではこのツールのアプリを表示できません", "The app of this tool cannot be shown here";
            AppNoOriginHint: "アプリ専用のアドレスが用意されていないためです（管理者の設定 [apps]）。結果はデータで表示しています。", "There is no address of its own for apps (the operator sets it under [apps]). The result is shown as data.";
            AppTooMany: "開いているアプリが多すぎます", "Too many apps are open";
            AppTooManyHint: "ほかのアプリを閉じてから、もう一度お試しください。", "Close another one, then try again.";
            AppNotLoaded: "アプリを読み込めませんでした", "The app could not be loaded";
            AppUnreachable: "アプリ用のアドレス {0} に接続できません。", "The address of apps, {0}, cannot be reached.";
            AppEnded: "アプリを終了しました", "The app was ended";
            AppFlood: "短い間に多すぎるメッセージを送ったためです。", "It sent too many messages in a short time.";
            AppSize: "大きすぎるメッセージを送ったためです。", "It sent a message that is too big.";
            AppMalformed: "正しくないメッセージを送り続けたためです。", "It kept sending messages that are none.";
            AppLeft: "別のページへ移動しようとしたためです。", "It tried to go to another page.";
            AppClosed: "アプリを閉じました", "The app is closed";

            // Requests of apps.
            AppAsks: "アプリ「{0}」からの確認", "The app “{0}” asks";
            AppAsksAnnounced: "アプリ「{0}」が確認を求めています。", "The app “{0}” asks you something.";
            AppAskUnknown: "このサーバーの説明は管理者が確認したものではないため、何が変わるかは分かりません。", "The operator does not vouch for what this server says of itself: what the call changes is not known.";
            AppAskWrite: "次の文をチャットの入力欄に入れます。送信はされません。", "This text would be put into the chat’s input. It is not sent.";
            AppAskOpen: "次のページを新しいタブで開きます。", "This page would be opened in a new tab.";
            AppAllowAll: "アプリを閉じるまで許可", "Allow until the app is closed";
            AppPut: "入力欄に入れる", "Put it there";
            AppNo: "やめる", "No";
            AppTells: "次のメッセージと一緒に、アプリ「{0}」の状態も送られます。", "What the app “{0}” shows goes along with your next message.";
            AppTellsNot: "送らない", "Leave it out";
            AppTold: "［アプリ「{0}」の状態］", "[State of the app “{0}”]";
        }
    };
}
