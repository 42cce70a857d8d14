//! The texts of the cards in a conversation, put after those of the rest of the page.

/// Hands the texts given and those of the cards to the macro that is named first.
macro_rules! with_card_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

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

            // What it put out, in one line.
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

            // What must be allowed.
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
        }
    };
}
