//! The texts of apps that tools bring along, put after those of the rest of the page.

/// Hands the texts given and those of apps to the macro that is named first.
macro_rules! with_app_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // An app, and what the page says beside it.
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

            // What an app asks the person for.
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
