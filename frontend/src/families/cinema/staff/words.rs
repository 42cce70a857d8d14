//! Texts of the admin views, a part of their own: customers do not load them.

use crate::page::page;
use crate::text::{Lang, filled, spoken};

macro_rules! words {
    ($($word:ident: $ja:literal, $en:literal;)*) => {
        /// A text of the admin views.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Text { $($word,)* }

        impl Text {
            /// All texts, for the tests.
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$word,)*];

            /// The text in a language.
            pub(crate) fn text_in(self, lang: Lang) -> &'static str {
                match (lang, self) {
                    $((Lang::Ja, Self::$word) => $ja, (Lang::En, Self::$word) => $en,)*
                }
            }
        }
    };
}

spoken!(Text);

impl Text {
    /// Announces it to screen readers.
    pub(crate) fn announce(self, values: &[&str]) {
        page().announce(filled(self.text_in(Lang::now()), values));
    }
}

words! {
    Title: "映画館のスタッフ", "Cinema staff";
    Tabs: "スタッフ用の画面の切り替え", "Parts of the staff's place";
    TabWeek: "今週の上映", "This week";
    TabFilms: "作品", "Films";
    TabScreens: "スクリーン", "Screens";
    TabParty: "座席の移動", "Move a party";
    TabFile: "ファイル", "Files";
    BackToOffice: "チケット窓口へ戻る", "Back to the box office";

    // Results of a change.
    Saved: "保存しました。変更点：{0} 件", "Saved. Changes: {0}";
    SavedSame: "変更はありませんでした。", "Nothing was different.";
    ChangesShow: "変更点を表示", "Show the changes";
    ChangesMore: "ほか {0} 件", "and {0} more";
    ChangeNew: "追加", "New";
    ChangeGone: "削除", "Gone";
    ChangeOther: "変更", "Changed";
    Saving: "保存しています…", "Saving…";
    Save: "保存する", "Save";
    Cancel: "キャンセル", "Cancel";
    Edit: "編集", "Edit";
    EditNamed: "「{0}」を編集", "Edit {0}";
    Remove: "削除", "Remove";
    RemoveNamed: "「{0}」を削除", "Remove {0}";
    Sure: "「{0}」を削除しますか。", "Remove {0}?";
    SureYes: "削除する", "Yes, remove it";
    SureNo: "残す", "No, keep it";
    Required: "必須", "required";
    Missing: "入力してください。", "Please fill this in.";
    IdWrong: "半角の英小文字・数字・ハイフンで 32 文字までです。", "Up to 32 lower-case letters, digits and hyphens.";
    IdTaken: "この ID はすでに使われています。", "This identifier is taken.";
    TooLong: "{0} 文字までです。", "At most {0} {0|character|characters}.";
    NumberWrong: "{0} から {1} までの数で入力してください。", "Please give a number from {0} to {1}.";
    SoldLost: "予約済みの座席がなくなるため、変更できません。先に予約を移すか取り消してください。対象：{0}", "Seats that are sold would be gone. Move or cancel these reservations first: {0}";
    CheckedIn: "この予約はすでに入場済みのため、別の上映には移せません。", "This reservation was used at the door, so it cannot go to another showing.";
    GivenAway: "この予約は別の人に譲られています。", "This reservation was given to another person.";

    // The week.
    WeekTitle: "今週の稼働状況", "How full the week is";
    Sold: "販売済み", "Sold";
    SoldOf: "全 {0} 席の {1}％", "{1}% of {0} {0|seat|seats}";
    Held: "仮押さえ", "Held";
    Used: "入場済み", "Checked in";
    Waiting: "キャンセル待ち", "Waiting";
    Revenue: "売上（参考）", "Revenue (for information)";
    Seats: "座席", "Seats";
    Day: "日付", "Day";
    Showings: "上映回", "Showings";
    Share: "販売率", "Share sold";
    ChartSaid: "日ごとの販売率のグラフ。{0}", "A chart of the share of seats sold each day. {0}";
    ChartDay: "{0} {1}％", "{0} {1}%";
    ChartSold: "販売済み", "sold";
    ChartHeld: "仮押さえ中", "held";
    ChartFree: "空席", "free";
    DayTable: "日ごとの稼働状況", "Each day in numbers";
    WeekNone: "販売中の上映がありません。", "Nothing is on sale.";
    ShowingsOf: "{0}の上映", "Showings of {0}";
    ChooseDay: "日を選ぶ", "Choose a day";
    ShowingsTable: "上映回の一覧", "Table of showings";
    Time: "開始", "Start";
    Film: "作品", "Film";
    Screen: "スクリーン", "Screen";
    State: "販売", "Sales";
    Actions: "操作", "Actions";
    OnSale: "販売中", "On sale";
    HasBegun: "上映開始", "Begun";
    SalesClosed: "停止中", "Closed";
    CloseSales: "販売を止める", "Close sales";
    OpenSales: "販売を再開", "Open sales";
    CloseNamed: "{0} の販売を止める", "Close sales of {0}";
    OpenNamed: "{0} の販売を再開する", "Open sales of {0}";
    CloseAsk: "{0} の販売を止めます。予約済みの座席はそのまま残ります。", "This closes the sales of {0}. What is reserved stays reserved.";
    Reason: "理由（任意）", "Reason (optional)";
    ReasonHint: "チャットやほかのアプリから予約しようとした人に伝えます。", "Told to people who try to reserve in a chat or another program.";
    ClosedNow: "{0} の販売を止めました。", "The sales of {0} are closed.";
    OpenedNow: "{0} の販売を再開しました。", "The sales of {0} are open again.";
    NewShowing: "上映回を追加", "Add a showing";
    EditShowing: "上映回の変更：{0}", "Change a showing: {0}";
    StartTime: "開始日時", "Start";
    StartHint: "映画館の現地時刻です。", "In the cinema's own time.";
    Meets: "{0}〜{1}「{2}」と重なります（清掃 {3} 分を含む）。時刻かスクリーンを変えてください。", "It meets {2}, {0} to {1}, with {3} {3|minute|minutes} for cleaning between. Choose another time or screen.";
    TakeOut: "取りやめ", "Take out";
    TakeOutNamed: "{0} の上映の取りやめ", "Take out {0}";
    TakeOutAsk: "{0} の上映を取りやめますか。", "Take {0} out of the programme?";
    TakeOutYes: "取りやめる", "Yes, take it out";
    AsOf: "{0} 現在", "As of {0}";

    // Films.
    NewFilm: "作品を追加", "Add a film";
    EditFilm: "作品の編集：{0}", "Edit a film: {0}";
    FilmsTable: "作品の一覧", "Table of films";
    Id: "ID", "Identifier";
    IdHint: "半角の英小文字・数字・ハイフン。あとから変更できません。", "Lower-case letters, digits and hyphens. It cannot be changed later.";
    FilmTitle: "題名", "Title";
    FilmTitleEn: "題名（英語）", "Title in English";
    Reading: "読み（かな）", "Reading in kana";
    ReadingHint: "題名を打ち間違えても見つかるようになります。", "Finds the film when the title is mistyped.";
    Description: "説明", "Description";
    DescriptionEn: "説明（英語）", "Description in English";
    Genre: "ジャンル", "Genre";
    GenreEn: "ジャンル（英語）", "Genre in English";
    Duration: "上映時間（分）", "Minutes";
    Release: "公開日", "Release date";
    Rating: "評価（0〜5）", "Rating, 0 to 5";

    // Screens.
    NewScreen: "スクリーンを追加", "Add a screen";
    ScreensTable: "スクリーンの一覧", "Table of screens";
    ScreenName: "名前", "Name";
    ScreenNameEn: "名前（英語）", "Name in English";
    EditScreen: "スクリーンの編集：{0}", "Edit a screen: {0}";
    Plan: "座席の配置", "Layout of the seats";
    PlanHint: "種類を選び、クリックかドラッグで置きます。キーボードでは矢印で移動し、{0} で種類を、Delete で空きを置きます。Shift＋矢印は、選んだ種類を続けて置きます。", "Choose a kind, then click or drag. By keyboard, arrows move, {0} set a kind and Delete sets a gap; Shift with an arrow goes on placing the chosen kind.";
    Kinds: "置く種類", "Kind to place";
    KindSeat: "座席", "Seat";
    KindPremium: "プレミアム", "Premium";
    KindWheelchair: "車いす席", "Wheelchair";
    KindCompanion: "同伴者席", "Companion";
    KindPair: "ペアシート", "Pair";
    KindNone: "空き", "Gap";
    PlanGrid: "座席の配置図（{0} 列、{1} 席分の幅）", "Plan of the seats: {0} {0|row|rows}, {1} {1|place|places} wide";
    PlaceName: "{0}列 左から{1}：{2}", "Row {0}, place {1}: {2}";
    PlaceNumbered: "{0}列 {1}番：{2}", "Row {0}, seat {1}: {2}";
    PlaceAisle: "{0}列 左から{1}：通路", "Row {0}, place {1}: aisle";
    AddRow: "後ろに列を追加", "Add a row at the back";
    RemoveRow: "{0}列を削除", "Remove row {0}";
    AddAisle: "ここに通路を入れる", "Insert an aisle here";
    AddColumn: "ここに席の幅を増やす", "Insert places here";
    RemoveColumn: "この縦の並びを削除", "Remove these places in all rows";
    Undo: "元に戻す", "Undo";
    Redo: "やり直す", "Redo";
    UndoNone: "元に戻せる操作はありません。", "There is nothing to undo.";
    RedoNone: "やり直せる操作はありません。", "There is nothing to do again.";
    Undone: "元に戻しました。", "Undone.";
    Redone: "やり直しました。", "Done again.";
    RowAdded: "{0}列を追加しました。", "Row {0} was added.";
    RowRemoved: "{0}列を削除しました。", "Row {0} was removed.";
    ColumnAdded: "追加しました。幅は {0} です。", "Inserted; the plan is {0} wide.";
    ColumnRemoved: "削除しました。幅は {0} です。", "Removed; the plan is {0} wide.";
    PlanFull: "これ以上は増やせません（26 列、幅 80 まで）。", "There is no room for more: 26 rows, 80 places wide.";
    PlanLeast: "これ以上は減らせません。", "There is nothing more to remove.";
    Total: "全 {0} 席", "Seats in all: {0}";
    CountOf: "{0} {1}", "{0}: {1}";
    FaultEmpty: "{0}列に座席がありません。座席を置くか、列を削除してください。", "Row {0} has no seat. Place one, or remove the row.";
    FaultPairs: "{0}列のペアシートが奇数です。隣り合う二席ずつにしてください。", "Row {0} has an odd number of pair seats side by side. Place them in twos.";
    FaultCompanion: "{0}列の同伴者席の隣に車いす席がありません。", "Row {0} has a companion seat without a wheelchair place beside it.";
    PlanNone: "座席表のないスクリーンは、上映の一覧に出ますが予約できません。", "A screen without seats is listed and cannot be booked.";

    // Moving a party.
    PartyHint: "予約番号か、予約した人の名前（会員 ID）で探します。", "Find it by the reservation number, or by the name or ID of the person who made it.";
    PartyFind: "予約番号または名前", "Number or name";
    Find: "探す", "Find";
    PartyNone: "移せる予約は見つかりませんでした。番号や名前を確かめてください。", "There is no reservation that could be moved. Please check the number or the name.";
    PartyChoose: "移す予約を選ぶ", "Choose the reservation to move";
    PartyOther: "別の予約を選ぶ", "Choose another one";
    PartyOf: "{0} さん　{1}　{2}　座席 {3}", "{0}: {1}, {2}, seats {3}";
    PartyTo: "移る先の上映", "Showing to move to";
    PartySame: "同じ上映（{0}）", "The same showing ({0})";
    PartySeats: "新しい座席：{0} 席のうち {1} 席を選択中", "New seats: {1} of {0} chosen";
    PartySeatsMissing: "今と同じ {0} 席を選んでください。", "Please choose {0} {0|seat|seats}, as many as now.";
    PartyTooMany: "選べるのは {0} 席です。別の席を外してから選んでください。", "This party has {0} {0|seat|seats}. Let go of one first.";
    PartyTaken: "{0} は空いていません。", "{0} is not free.";
    PartyReasonHint: "予約の履歴に残ります。", "Kept in the reservation's history.";
    PartyMove: "この座席に移す", "Move the party";
    PartyMoving: "移しています…", "Moving…";
    PartyMoved: "{0} の予約を移しました。新しい座席：{1}", "The reservation of {0} was moved. New seats: {1}";
    PartyTicket: "予約を表示", "Show the reservation";

    // Files.
    ExportTitle: "書き出し", "Export";
    ExportHint: "作品・スクリーン・番組表をまとめて一つのファイルにします。CSV は表計算ソフトで開けます。", "Films, screens and programme in one file. CSV opens in spreadsheets.";
    ExportJson: "JSON で保存", "Save as JSON";
    ExportCsv: "CSV で保存", "Save as CSV";
    Exported: "ファイルを保存しました（第 {0} 版）。", "The file is saved (version {0}).";
    ExportFailed: "ファイルを保存できませんでした。", "The file could not be saved.";
    ImportTitle: "取り込み", "Import";
    ImportHint: "書き出したものと同じ形の JSON か CSV を選ぶと、何が変わるかを先に表示します。決定するまで何も変わりません。", "Choose a JSON or CSV file of the same form. What would change is shown first, and nothing changes until you say so.";
    ImportChoose: "ファイルを選ぶ", "Choose a file";
    ImportDrop: "JSON か CSV のファイルをここにドロップ", "Drop a JSON or CSV file here";
    ImportReading: "変更点を調べています…", "Looking at what would change…";
    ImportLarge: "ファイルが大きすぎます（30 万文字まで）。", "The file is too long: 300,000 characters at most.";
    ImportUnread: "ファイルを UTF-8 の文字として読めません。表計算ソフトでは「CSV UTF-8」で保存してください。", "The file cannot be read as UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”.";
    ImportOf: "「{0}」を取り込むと変わること：{1} 件", "What {0} would change: {1}";
    ImportSame: "「{0}」は販売中のものと同じです。何も変わりません。", "{0} is what is on sale already. Nothing would change.";
    ImportYes: "この内容に入れ替える", "Replace the catalogue with this";
    ImportNo: "やめる", "Leave it as it is";
    ImportDone: "入れ替えました。変更点：{0} 件。以前の内容は第 {1} 版として残っています。", "Replaced, with {0} {0|change|changes}. What was there before is kept as version {1}.";
    ImportWrong: "「{0}」に誤りがあります", "There are mistakes in {0}";
    ImportBack: "第 {0} 版に戻す場合の変更点を見る", "See what going back to version {0} would change";
    VersionFile: "第 {0} 版", "version {0}";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::plural;

    #[test]
    fn both_languages_have_the_same_placeholders() {
        for word in Text::ALL {
            let places =
                |lang| (0..9).map(move |it| word.text_in(lang).contains(&format!("{{{it}}}")));
            assert!(places(Lang::Ja).eq(places(Lang::En)), "{word:?}");
            assert_eq!(plural(word.text_in(Lang::En)), None, "{word:?}");
            assert!(!word.text_in(Lang::Ja).is_empty() && !word.text_in(Lang::En).is_empty());
        }
    }
}
