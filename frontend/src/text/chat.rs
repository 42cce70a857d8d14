//! The texts of the place where one talks with an assistant, put after those of the rest of the page.

/// Hands the texts given and those of the chat to the macro that is named first.
macro_rules! with_chat_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // The place.
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

            // Where there are no messages yet.
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
            ChatChoose: "参照する画像を自分で選ぶ", "Let me pick the pictures it starts from";
            ChatEditing: "以前のメッセージを編集しています。送信すると、それより後のやりとりは消えます。", "You are editing an earlier message. Sending it removes what followed.";
            ChatEditingActed: "以前のメッセージを編集しています。送信すると、それより後のやりとりは消えますが、実行済みの操作（予約など）は取り消されません。予約番号などは先に控えてください。", "You are editing an earlier message. Sending it removes what followed, but takes nothing back that was done, such as a reservation. Note its number first.";
            ChatEditStop: "編集をやめる", "Stop editing";
            ChatTooLong: "メッセージは {0} 文字までです。", "A message may have up to {0} {0|character|characters}.";
            ChatUnanswered: "承認や回答を待っています。別のメッセージを送ると、待っている操作は行われません。", "Something waits for your answer. If you send another message, it will not be done.";
            ChatAnswerIt: "回答欄へ移動", "Go to it";

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
            ChatUnreadable: "ホストの応答を読み取れませんでした。", "The host's answer could not be read.";
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
            ChatWaitsForYou: "あなたの回答を待っています。", "It waits for your answer.";
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
        }
    };
}
