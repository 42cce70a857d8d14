//! Texts of form fields, appended to those of the page.

/// Passes the given texts and those of fields to the macro named first.
macro_rules! with_field_words {
    ($words:ident; $($others:tt)*) => {
        $words! {
            $($others)*

            // Form fields.
            FieldSuggestions: "候補:", "Suggestions:";
            FieldSuggested: "入力しました：{0}", "Filled in: {0}";
            FieldCounter: "{0} / {1} 文字", "{0} / {1} {1|character|characters}";
            FieldCounterMin: "{0} 文字（{1} 文字以上）", "{0} {0|character|characters} (at least {1})";
            FieldPicked: "{0} / {1} 選択", "{0} / {1} chosen";
            FieldPickedBare: "{0} 件選択", "{0} chosen";
            FieldBetween: "{0} ～ {1}", "{0} to {1}";
            FieldAtLeast: "{0} 以上", "{0} or more";
            FieldAtMost: "{0} 以下", "{0} or less";
            FieldDaysBetween: "{0}から{1}まで", "From {0} to {1}";
            FieldDaysFrom: "{0}以降", "{0} or later";
            FieldDaysUntil: "{0}まで", "{0} or earlier";
            LookupType: "入力して検索", "Type to search";
            LookupMin: "{0} 文字以上入力すると検索します。", "Type {0} or more characters to search.";
            LookupLoading: "検索中…", "Searching…";
            LookupNone: "「{0}」に合う候補はありません。", "Nothing fits “{0}”.";
            LookupEmpty: "選択肢がありません。", "There are no options.";
            LookupCount: "候補 {0} 件", "Options: {0}";
            LookupMore: "ほか {0} 件。続けて入力すると絞り込めます。", "{0} more: keep typing.";
            LookupFailed: "候補を読み込めませんでした。", "The options could not be loaded.";
            LookupNotAllowed: "この候補の取得先は許可されていません。管理者に確認してください。", "The options come from a place that is not allowed here. Please ask the operator.";
            LookupNoAnswer: "候補の取得先が応答しません。しばらくしてからもう一度お試しください。", "The place that the options come from does not answer. Please try again in a while.";
            LookupUnreadable: "候補の取得先の応答を読み取れません。このフォームの依頼元に確認してください。", "The answer with the options cannot be read. Please ask whoever asked for this form.";
            LookupUnchosen: "「{0}」はまだ選ばれていません。候補から選んでください。", "“{0}” is not chosen yet. Please choose one of the options.";
            LookupChosen: "{0} を選びました。", "{0} chosen.";
            LookupRemoved: "{0} を外しました。", "{0} taken out.";
            LookupRemove: "{0} を外す", "Take out {0}";
            LookupChosenList: "選んだもの", "Chosen";
            LookupClear: "「{0}」の選択を消す", "Clear {0}";
            LookupCleared: "選択を消しました。", "Cleared.";
            LookupFull: "{0} 件まで選べます。ほかを選ぶには、どれかを外してください。", "Up to {0} can be chosen. Take one out to choose another.";
            OptionsLoading: "選択肢を読み込み中…", "Loading the options…";
            OptionsLoaded: "{0}：選択肢 {1} 件", "{0}: {1} {1|option|options}";
            OptionsWait: "先に「{0}」を選んでください", "Choose “{0}” first";
            FileDrop: "ここにファイルをドロップ", "Drop files here";
            FileChoose: "ファイルを選ぶ", "Choose a file";
            FileChooseMany: "ファイルを選ぶ（複数可）", "Choose files";
            FileAccept: "使える形式：{0}", "Accepted: {0}";
            FileSizeMax: "1 つ {0} まで", "up to {0} each";
            FileList: "添付したファイル", "Attached files";
            FileWaiting: "順番を待っています…", "Waiting for its turn…";
            FileSending: "アップロード中 {0}%", "Uploading, {0}%";
            FileSent: "アップロード済み", "Uploaded";
            FileSentNow: "{0} をアップロードしました。", "{0} is uploaded.";
            FileFailed: "アップロードできませんでした。", "It could not be uploaded.";
            FileFailedNow: "{0} をアップロードできませんでした。", "{0} could not be uploaded.";
            FileTooLarge: "ファイルが大きすぎて、サーバーが受け取れません。", "The file is larger than the server takes.";
            FileRetry: "{0} をもう一度アップロードする", "Upload {0} again";
            FileRemove: "{0} を削除", "Remove {0}";
            FileRemoved: "{0} を削除しました。", "{0} is removed.";
            FileTooMany: "添付できるのは {0} 個までです。残りは追加しませんでした。", "Up to {0} can be attached. The rest was left out.";
        }
    };
}
