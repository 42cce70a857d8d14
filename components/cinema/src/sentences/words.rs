//! The words of the cinema: films, showings, seats, tickets and reservations.

use language::{name_pieces::is_hiragana, scan::marks, words::Word};

pub(super) const FILM: Word = Word::own(0);
pub(super) const SHOWTIMES: Word = Word::own(1);
pub(super) const SEAT: Word = Word::own(2);
pub(super) const VACANT: Word = Word::own(3);
pub(super) const FREE: Word = Word::own(4);
pub(super) const TICKET: Word = Word::own(5);
pub(super) const RESERVE: Word = Word::own(6);
pub(super) const RESERVATION: Word = Word::own(7);
pub(super) const RESERVED: Word = Word::own(8);
pub(super) const SEE: Word = Word::own(9);
pub(super) const RECORD: Word = Word::own(10);
pub(super) const HOW_TO: Word = Word::own(11);
pub(super) const MINE: Word = Word::own(12);
pub(super) const ABOUT: Word = Word::own(13);
pub(super) const WHEELCHAIR: Word = Word::own(14);
pub(super) const PLAYING: Word = Word::own(15);
pub(super) const HOLD: Word = Word::own(16);
pub(super) const LET_GO: Word = Word::own(17);
pub(super) const WAITING_LIST: Word = Word::own(18);

/// Nouns for the cinema's things.
pub(super) const NOUNS: &[Word] = &[FILM, SHOWTIMES, TICKET];
/// Actions.
pub(super) const ACTIONS: &[Word] = &[RESERVE, RECORD];
/// Other words that a film's name may precede.
pub(super) const HEADS: &[Word] = &[SEE, SEAT, PLAYING, RESERVATION, MINE];

/// Lowercase phrases, separated by `|`; the longest match wins.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        FILM,
        "始まるのある|始まるのは|始まるやつ|anything by|something by|films by|movies by|directed by|anything starting|\
         anything on|something on|anything playing|anything showing|anything good|something short|\
         something to watch|anything to watch|何か観|何か見|なにか観|何か面白い|何かない|何かやって|なんかやって|何やって|なにやって|何を観|何を見|\
         何が観|何が見|何観|なに観|間に合う回|これからの回|間に合う|回を教|映画|えいが|夜の回|昼の回|朝の回|夕方の回|最終回|映画館|late shows|late showings|late screenings|late films|late movies|レイトショー|ナイトショー|\
         currently showing|currently playing|that's showing|that is showing|showing now|showing today|\
         showing tonight|showing tomorrow|showing on|showing this|on the big screen|at the movies|シネマ|作品|\
         見れるやつ|観れるやつ|みれるやつ|見られるやつ|何が見れ|なにが見れ|何見れ|空いてるやつ|空いているやつ|上映一覧|上映リスト|上映を教|上映教え|上映ある|上映はあ|上映があ|上映あり|上映作品|上映中|上映している|上映してる|上映される|上映する|上映は|公開中|公開している|やってる映画|any shows|any showings|showings|movie|movies|film|films|what's on|\
         what is on|what's playing|what is playing|what's showing|what is showing|cinema|screening|\
         screenings|now showing|in theaters|in theatres",
    ),
    (
        SHOWTIMES,
        "最終回は?|最終回いつ|最終回はいつ|最終上映は?|最後の回は?|最後の回はいつ|最後の上映は?|最初の回は?|最初の回はいつ|最初の上映は?|スクリーンはどこ|スクリーンどこ|スクリーンはどれ|何番スクリーン|どのスクリーン|スクリーンは何番|スクリーン何番|which screen|what screen|は何時?|は何時ですか|は何時から|は何時に|は何時の|は何時まで|何時にやって|何時にある|next showing|next screening|上映時間|上映時刻|上映スケジュール|\
         上映予定|上映回|上映枠|時間枠|時間帯|タイムテーブル|上映時間枠|なんじから|なんじに|なんじの|なんじまで|何時から|何時の回|何時に始|何時に上映|何時上映|何時開始|何時ごろから|開始時間|開始時刻|いつ上映|上映は何時|\
         スケジュール|showtime|showtimes|show times|screening time|screening times|what time|what times|\
         when is|when does|times today|times tonight|times tomorrow|time slots|timetable|schedule|start times|starting times|session times",
    ),
    (
        SEAT,
        "席|座席|座れ|シート|席次|隣同士|並びで|横並びで|adjoining|adjacent|並びの席|seat|seats|seating|side by side|\
         next to each other",
    ),
    (
        VACANT,
        "how many seats|how full|how busy|how packed|wheelchair spaces|wheelchair space|wheelchair seats|\
         wheelchair seat|車椅子席|車いす席|車椅子の席|車いすの席|座席表|席の表|空席|残席|空席状況|席が空いてたら|席が空いていたら|席が空いてれば|席が空いていれば|席があいてたら|席があいていたら|席が空|席は空|席の空|座席の空|空いている席|空いてる席|席はまだ|席まだ|席ある|\
         席はある|席あり|seats left|seats available|available seats|free seats|open seats|seats free|seats open|\
         empty seats|vacant seats|seat map|seat availability|seats are still|seats remaining|\
         seats are left|seats are available|seats are free|sold out|tickets left|tickets available|\
         fully booked|booked up|席ってもう|席って埋|席は埋|席が埋|埋まって|埋まり|満員|満席",
    ),
    (
        FREE,
        "空き|空いて|空いてる|空いてたら|空いていたら|空いてれば|空いていれば|あいてたら|あいていたら|残ってたら|残っていたら|残ってれば|余ってたら|余っていたら|あいて|あいてる|残って|余って|残り|空き状況|available|availability|free|left|vacant|unreserved|\
         still open",
    ),
    (TICKET, "チケット|tix|切符|前売|鑑賞券|ticket|tickets|admission"),
    (
        RESERVE,
        "make a reservation|make a booking|reservation for|reservations for two|reservations for three|reservations for four|reservations for five|reservations for six|a reservation at|a booking for|予約|予約お願い|\
         予約をお願い|取りたい|とりたい|取って|とって|取れ|とれ|取ろう|とろう|お取り|確保|押さえ|おさえ|買いたい|買って|購入|申し込みたい|ブッキング|手配|取ります|book|\
         booking|reserve|reserving|buying|purchasing|buy|purchase|grab|secure|get us",
    ),
    (
        RESERVATION,
        "予約番号|予約内容|予約の内容|予約id|予約の詳細|予約情報|予約を見|予約を表示|予約を調べ|予約を教え|予約状況|reservation number|reservation|reservations|\
         booking number|booking details",
    ),
    (
        RESERVED,
        "予約しました|予約した。|予約したよ|予約したけど|予約したんだ|予約したのに|予約してあ|予約済|予約してしま|予約しちゃ|予約していた|予約してた|予約したばかり|予約した映画|\
         予約した席|予約した日|予約できました|予約は済|取りました|取ったよ|取ったけど|取った。|取ってあ|取ったんだ|取ってしま|買いました|買った。|買ったよ|買ったけど|買ってあ|観ました|\
         見ました|観てきた|見てきた|観た。|見た。|観たよ|見たよ|観たけど|昨日|きのう|先週|先日|先月|この前|一昨日|おととい|booked|already reserved|\
         have reserved|has reserved|i reserved|we reserved|bought|yesterday|last week|last night|\
         last month|last friday|last saturday|last sunday|the other day|i watched|we watched|i saw|\
         we saw|i've seen|have seen",
    ),
    (
        SEE,
        "観たい|見たい映画|観る|観られ|観に|見に行|みに行|観よう|見られる映画|観れ|鑑賞|鑑賞したい|watch|watching|go to the movies|see a movie|\
         see a film|to see",
    ),
    (
        RECORD,
        "記録して|記録し|書き留め|残して|保存して|record|log this|write down|save this message",
    ),
    (
        HOW_TO,
        "なぜ予約|どうして予約|なんで予約|どうやって予約|どうすれば予約|予約方法|予約の方法|予約のしかた|予約の仕方|予約するには|予約はどう|how do i book|\
         how do i reserve|how can i book|how can i reserve|how to book|how to reserve|how does booking|\
         how does the booking|how does reservation|how do reservations|do you take reservations|do you take bookings",
    ),
    (
        MINE,
        "how many seats do i have|how many seats have i|how many tickets do i have|how many tickets have i|which seats do i have|what seats do i have|which tickets do i have|what tickets do i have|何席取った|何席取ってる|何席取ってた|何席取ってます|何席取っていま|何席取ってあ|何席とった|何席とってる|何席とってた|何席とってます|何席とっていま|何席とってあ|何席予約した|何席予約してる|何席予約してた|何席予約してます|何席予約していま|何席予約してあ|何席押さえた|何席押さえてる|何席押さえてた|何席押さえてます|何席押さえていま|何席押さえてあ|何枚取った|何枚取ってる|何枚取ってた|何枚取ってます|何枚取っていま|何枚取ってあ|何枚とった|何枚とってる|何枚とってた|何枚とってます|何枚とっていま|何枚とってあ|何枚予約した|何枚予約してる|何枚予約してた|何枚予約してます|何枚予約していま|何枚予約してあ|何枚押さえた|何枚押さえてる|何枚押さえてた|何枚押さえてます|何枚押さえていま|何枚押さえてあ|何枚買った|何枚買って|予約ってどれ|予約ってある|予約って何|予約は何が|予約は何を|予約どれ|予約は入って|取ったチケット|買ったチケット|予約したチケット|取った座席|買った席|tickets have i|\
         tickets did i|seats have i|tickets i bought|tickets i have|予約したやつ|予約したもの|予約した分|予約リスト|取った予約|取った席|\
         俺の席|私の席|僕の席|わたしの席|自分の席|予約まだある|予約はまだある|予約まだ残|予約はまだ残|予約残って|俺の予約|私の予約|僕の予約|わたしの予約|自分の予約|予約入って|予約が入って|予約できて|予約は取れて|予約取れて|予約が取れて|\
         予約ちゃんと|予約を確認|予約の確認|予約確認|予約一覧|予約の一覧|予約、全部|予約を全部|予約全部|予約は全部|予約をすべて|全部の予約|すべての予約|予約してる|予約している|予約してるの|予約した内容|予約履歴|予約って入って|予約はどうな|予約どうな|my seat|\
         my seats|my booking|my bookings|my reservation|my reservations|my tickets|have i booked|\
         did i book|i have booked|have we booked|booked so far|i've booked|reservation go through|\
         booking go through|booking confirmed|reservation confirmed|reservations do i have|\
         bookings do i have|do i have a reservation|do i have a booking|do i have any reservations|\
         do i have any bookings|have i reserved|did i reserve",
    ),
    (
        ABOUT,
        "上映時間どのくらい|上映時間どれくらい|上映時間はどのくらい|上映時間はどれくらい|上映時間は何時間|上映時間って何分|って何分|は何分|って何時間|は何時間|rating of|ratings of|の評価は|の評価って|評価はいくつ|評価は何点|あらすじ|ストーリー|どんな話|\
         どんな映画|どういう話|どういう映画|何の話|どんな内容|内容|解説|story of|plot|synopsis|storyline|what happens in|is about|\
         film about|movie about|films about|movies about|one about|the one with|it about|上映時間は何分|何分の映画|\
         何時間の映画|何時間くらいの映画|running time|runtime|run time|how long is|released|come out|came out|いつ公開|公開年|何年の映画|何年の作品",
    ),
    (
        HOLD,
        "仮押さえ|仮おさえ|仮抑え|仮予約|キープ|取り置き|取りおき|hold|holding|held|on hold for me",
    ),
    (
        LET_GO,
        "手放して|手放し|手放す|てばなして|離して|解放して|release them|release the seats|release my seats|release the hold|release those|\
         let them go|let the seats go|let those go|let go of",
    ),
    (WAITING_LIST, "キャンセル待ち|キャンセル待|waiting list|waitlist|wait list|wait-list"),
    (WHEELCHAIR, "車椅子|車いす|車イス|くるまいす|wheelchair|wheelchairs"),
    (
        PLAYING,
        "やってますか|やっていますか|やってる?|やってるの|やってますよね|やっている?|上映してますか|かかってますか|かかっていますか|まだやって|playing|on anywhere|\
         still on",
    ),
    (Word::NOT, "予約なし|まだ予約は|まだ予約してな|まだ予約していな|まだ予約していませ"),
    (
        Word::FILLER,
        "一般|高齢者|障害者|障がい者|中高生|except for|except|値段順|値段の順|料金順|料金の順|価格順|by price|price order|の列で|の列|列で|毎週|毎日|毎晩|毎朝|毎月|毎回|every monday|every tuesday|every wednesday|every thursday|every friday|every saturday|every sunday|every week|every day|every month|weekly|not in the front rows|not in the front row|not in the front|not at the front|\
         not too close to the screen|not too close|not in the back rows|not in the back|最前列|最後列|前列|後列|席分|\
         通路側|公開|上映|観|row|aisle|showing|shows",
    ),
];

/// Writes what is in kana as usual, and joins what is written apart: `せき は あいてる`, `えいがを にまい`.
pub(super) fn plainly(text: &str) -> String {
    const WORDS: &[(&str, &str)] = &[
        ("くうせき", "空席"),
        ("ざせき", "座席"),
        ("せき", "席"),
        ("えいが", "映画"),
        ("よやく", "予約"),
        ("じょうえい", "上映"),
    ];
    const COUNTS: &[(&str, &str)] =
        &[("いちまい", "1枚"), ("にまい", "2枚"), ("さんまい", "3枚"), ("よんまい", "4枚")];
    const UNITS: &[(&str, &str)] = &[("まい", "枚"), ("せき", "席"), ("めい", "名")];
    /// Ends of other words: `せきにん`, `せきゆ`.
    const OTHERS: &str = "にん|ゆ|じゅう|たん|ずい|きん|らん";
    const PARTICLES: [char; 11] =
        ['の', 'は', 'を', 'も', 'と', 'が', 'に', 'で', 'へ', 'や', 'お'];
    let text = joined(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let before = out.chars().next_back();
        let is_apart = before.is_none_or(|it| !is_hiragana(it) && it != 'ー');
        let is_begin = is_apart || before.is_some_and(|it| PARTICLES.contains(&it));
        let is_counted = before.is_some_and(char::is_numeric);
        let is_amount = is_apart || before == Some('を');
        let of = |table: &'static [(&str, &str)], fits: bool| table.iter().filter(move |_| fits);
        let found = of(UNITS, is_counted)
            .chain(of(WORDS, is_begin && !is_counted))
            .chain(of(COUNTS, is_amount))
            .find_map(|(kana, usual)| Some((*usual, rest.strip_prefix(kana)?)))
            .filter(|(_, behind)| !marks(OTHERS).any(|it| behind.starts_with(it)));
        match found {
            Some((usual, behind)) => {
                out.push_str(usual);
                rest = behind;
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// Joins particles and endings that are written apart: `ごじら は なんじ から`, but not `やまだ はなこ`.
fn joined(text: &str) -> String {
    const PARTICLES: &str = "は|が|を|の|に|で|と|も|へ|から|まで|って|です|ですか|ますか|よ|ね|か";
    const ENDINGS: &str = "して|した|します|できる|できます|できま|ある|あります|ありま|あいて|あいてる|やって|みたい|みせて|おしえて|とって|とりたい|とれ|ください|おねがい|ほしい|なんじ";
    let is_mark = |it: char| "。、？！?!.,".contains(it);
    let mut joined = String::with_capacity(text.len());
    let mut is_open = false;
    for word in text.split([' ', '\u{3000}']) {
        let bare = word.trim_end_matches(is_mark);
        let is_particle = marks(PARTICLES).any(|it| it == bare);
        let is_behind = joined.ends_with(|it: char| !it.is_ascii() && !is_mark(it));
        let is_ending = is_particle || marks(ENDINGS).any(|it| word.starts_with(it));
        if !(joined.is_empty() || is_open || is_behind && is_ending) {
            joined.push(' ');
        }
        joined.push_str(word);
        is_open = is_behind && is_particle && word == bare;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_kana_as_usual() {
        for (text, usual) in [
            ("せきはあいてる？", "席はあいてる？"),
            ("せき は あいてる？", "席はあいてる？"),
            ("あした の えいが を にまい よやく したい", "あしたの映画を2枚 予約したい"),
            ("ごじら は なんじ から？", "ごじらはなんじから？"),
            ("よやく", "予約"),
            ("2まい と 3せき", "2枚と3席"),
            ("あいているざせき", "あいているざせき"),
            // Other words, names and what is written as usual.
            ("せきにんしゃ", "せきにんしゃ"),
            ("けっせき・しゅっせき", "けっせき・しゅっせき"),
            ("けいえいがく", "けいえいがく"),
            ("やまだ はなこ です", "やまだ はなこです"),
            ("Book it for Ken", "Book it for Ken"),
            ("東京駅 横浜駅", "東京駅 横浜駅"),
        ] {
            assert_eq!(plainly(text), usual, "{text}");
        }
    }
}
