//! The grammar: tables of all phrases that the planner understands, with their meanings, and
//! the search for them in a sentence, from left to right, the longest at each position.

use std::sync::LazyLock;

use jiff::Timestamp;
use language::{
    Date,
    clock::{Time, clock, moved},
    scan::{Lexicon, normal},
};

use super::constraints::{self, Mode, Outlook, Rule, Unsupported};

/// The meaning of a phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sentences) enum Means {
    /// A topic, wanted or not by the words around it.
    Topic(Topic),
    /// A no to the topic near it.
    Refuse,
    /// A yes to the topic near it.
    Want,
    /// A constraint.
    Constraint(Constraint),
    /// A number of days from today.
    Day(i8),
    /// Before noon.
    Morning,
    /// After noon.
    Evening,
    /// After noon of this day.
    Tonight,
    /// Before noon of the next day.
    NextMorning,
    /// After noon of the next day.
    NextEvening,
    /// Late in the evening or before the morning.
    Night,
    /// A day of the week, from Monday.
    Weekday(i8),
    /// The next week.
    NextWeek,
    /// A date.
    On(Date),
    /// A moment in machine format.
    Moment(Timestamp),
    /// A time of day.
    Clock { hour: i8, minute: i8 },
    /// A number of minutes from now.
    In { minutes: i32 },
    /// Shifts the current time by minutes.
    Shift { minutes: i32 },
    /// The time is that of the arrival.
    Arrive,
    /// The time directly before it is the arrival.
    There,
    /// The time directly before it is the departure.
    Leave,
    /// Joins a topic to the one before it, with the same yes or no.
    Or,
    /// The end of a part of a sentence.
    Pause,
    /// The end of a sentence.
    Stop,
    /// No meaning, although it looks like another phrase.
    Nothing,
}

/// Something that can be wanted or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sentences) enum Topic {
    Highways,
    /// Motorways; wanted unless negated.
    ByHighways,
    Tolls,
    Ferries,
    Traffic,
    /// Traffic; wanted unless negated.
    TrafficNews,
    RightTurns,
    LocalRoads,
}

/// A constraint of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sentences) enum Constraint {
    By(Rule),
    Faster,
    Compare,
    /// Compares with and without the topic near it.
    Both,
    Another,
    Pick(usize),
    NoTolls,
    Traffic,
    Walk,
    /// Cycle instead of driving.
    Cycle,
    Drive,
    Now,
    Outlook(Outlook),
    /// Asks for the turns.
    Steps,
    /// Takes back earlier constraints.
    Anything,
    Unsupported(Unsupported),
}

impl Constraint {
    /// Returns the means of travel that it names.
    pub(super) fn mode(self) -> Option<Mode> {
        match self {
            Self::Walk => Some(Mode::Walk),
            Self::Cycle => Some(Mode::Cycle),
            Self::Drive => Some(Mode::Drive),
            _ => None,
        }
    }
}

/// Phrases in lower case with ASCII letters and digits, separated by `|`; the longest match counts.
pub(super) const PHRASES: &[(Means, &str)] = &[
    (
        Means::Topic(Topic::Highways),
        "高速|高速道路|高速では|高速道路では|高速での|首都高|首都高速|自動車道|ハイウェイ|\
         highway|highways|motorway|motorways|freeway|freeways|expressway|expressways",
    ),
    (
        Means::Topic(Topic::Tolls),
        "有料|有料道路|有料区間|料金所|高速代|高速料金|通行料|通行料金|お金がかかる道|toll|tolls|toll road|\
         toll roads|paid roads",
    ),
    (Means::Topic(Topic::Ferries), "フェリー|船|カーフェリー|ferry|ferries|boat|boats"),
    (
        Means::Topic(Topic::Traffic),
        "渋滞|混雑|混ん|混む|混ま|混み|ラッシュ|traffic|traffic jam|traffic jams|jam|jams|congestion|\
         congested|rush hour",
    ),
    (
        Means::Topic(Topic::TrafficNews),
        "交通状況|交通情報|交通量|道路状況|道路情報|渋滞情報|渋滞状況|渋滞予測|混雑状況|リアルタイム|\
         real-time|real time|realtime|real-time traffic|real time traffic|realtime traffic|live traffic|\
         current traffic|latest traffic|up-to-date traffic|traffic conditions|traffic condition|\
         traffic information|traffic info|traffic data|traffic situation|traffic into account|with traffic|渋滞も考えて|渋滞を考えて|渋滞も考慮して|渋滞を考慮して|渋滞も含めて|渋滞を含めて|渋滞込みで",
    ),
    (
        Means::Topic(Topic::RightTurns),
        "右折|右に曲が|右曲が|right turn|right turns|right-hand turns|turn right|turning right",
    ),
    (
        Means::Topic(Topic::LocalRoads),
        "下道|した道|したみち|一般道|一般道路|国道|local road|local roads|surface street|\
         surface streets|back roads|and back roads|ordinary roads",
    ),
    (
        Means::Refuse,
        "使わ|つかわ|つかいたくな|つかうな|とおら|とおりたくな|じゃな|ではな|怖い|こわい|恐い|怖く|こわく|不安|でなく|禁止|拒否|使いたくな|使うな|使用しな|利用しな|避け|さけ|よけ|回避|なし|無し|ナシ|抜き|ぬき|\
         乗ら|乗りたくな|通ら|通りたくな|行きたくな|走りたくな|行か|走ら|嫌|いや|イヤ|きらい|\
         以外|したくな|しな|やめ|外し|はずし|除い|除外|不可|だめ|ダメ|駄目|勘弁|払いたくな|払わ|\
         たくな|少な|減ら|控え|苦手|せず|用いず|用いな|入ら|のない|がない|いらな|要らな|ng|without going through|without passing through|not through|not go through|don't go through|not going through|don't pass through|avoid|avoids|avoiding|no|neither|w/o|without|not|\
         don't|dont|can't|cannot|never|skip|skipping|hate|dislike|rather not|instead of|stay off|staying off|\
         keep off|away from|free of|except|few|fewer|fewest|less|least|minimal|minimum|minimise|\
         minimize",
    ),
    (
        Means::Want,
        "避けなくて|避けなくても|避けないで|避けずに|避ける必要はな|避ける必要な|no need to avoid|don't avoid|dont avoid|do not avoid|don't need to avoid|don't have to avoid|needn't avoid|not avoiding|without avoiding|stop avoiding|no longer avoid|don't want to avoid|dont want to avoid|do not want to avoid|don't wish to avoid|don't bother avoiding|避けたいわけじゃな|避けたいわけではな|使って|使う|使い|使え|つかって|つかう|とおって|利用し|乗って|乗り|乗る|通って|通る|通り|優先|用いて|気にせず|ok|オーケー|いい|\
         良い|よい|可|構わな|かまわな|気にしな|大丈夫|問題な|あり|use|using|take|taking|allow|\
         prefer|via|with|fine|okay|don't mind|do not mind|doesn't matter",
    ),
    (
        Means::Topic(Topic::ByHighways),
        "高速で|高速道路で|首都高で|首都高速で|高速経由|高速道路経由|首都高経由|首都高速経由|自動車道経由|\
         高速を経由|高速道路を経由|首都高を経由|首都高速を経由|by highway|by motorway|by expressway|\
         by freeway|by way of the highway|by way of the motorway|by way of the expressway|\
         by way of the freeway",
    ),
    (
        Means::Constraint(Constraint::By(Rule::Fastest)),
        "一番早|一番速|1番早|1番速|いちばん早|いちばん速|最も早|最も速|最速|早く|速く|時間優先|最短|最短で|最短時間|\
         最短ルート|早く着|速く着|早く行|速く行|早く到着|早いルート|速いルート|早い道|速い道|早いほう|早い方|速いほう|速い方|\
         時間が短|時間の短|所要時間が短|短時間|急い|急ぎ|なるべく早く|できるだけ早く|時短|\
         fastest|quickest|fast|quick|quickly|shortest time|least time|as soon as possible|asap|\
         hurry|in a hurry",
    ),
    (
        Means::Constraint(Constraint::Faster),
        "もっと早|もっと速|より早|より速|もう少し早|もう少し速|faster|quicker",
    ),
    (
        Means::Constraint(Constraint::By(Rule::Shortest)),
        "最短距離|もっと短|もう少し短|より短|短い道|短いルート|短いほう|短い方|近いほう|近い方|距離が短|距離の短|距離が最短|距離がいちばん短|距離が一番短|距離の一番短|距離のいちばん短|距離優先|一番近|近道|一番短|いちばん短|shortest|\
         shortest distance|shortest route|shortest way|least distance|shorter|nearer one|nearer route|closer one|closer route",
    ),
    (
        Means::Constraint(Constraint::By(Rule::Cheapest)),
        "一番安|いちばん安|最安|安い|安く|料金を抑え|費用を抑え|節約|cheap|cheaper|cheapest|\
         least expensive|inexpensive|save money|saves money|lowest toll|lowest tolls|lowest cost|\
         costs the least|お金のかからな|お金がかからな|費用のかからな|安上がり|出費を抑え",
    ),
    (
        Means::Constraint(Constraint::By(Rule::FewestRightTurns)),
        "左折だけ|左折中心|左折多め|左折メイン",
    ),
    (
        Means::Constraint(Constraint::Compare),
        "どっちが早|どちらが早|どっちが速|どちらが速|比較|比べ|くらべ|違い|何通りか|何通りも|いくつか|複数|何本か|2通り|3通り|二通り|三通り|ふた通り|二つのルート|三つのルート|ルートを二つ|ルートを三つ|2つのルート|3つのルート|ルートを2つ|ルートを3つ|ルート2つ|ルート3つ|順に2つ|順に3つ|代替|代わりのルート|代わりの道|alternative routes|alternative ways|different ways|different routes|several ways|several routes|a few routes|a few ways|two routes|three routes|two ways|three ways|候補|選択肢|見比べ|compare|comparison|comparing|difference|\
         differences|alternatives|options|choices|versus|vs",
    ),
    (
        Means::Constraint(Constraint::Both),
        "ありとなし|有りと無し|有無|with and without|with or without|with vs without|with vs. without|\
         with versus without|with/without|with / without",
    ),
    (
        Means::Constraint(Constraint::Another),
        "別のルート|別の道|別ルート|他のルート|他の道|ほかのルート|ほかの道|違うルート|違う道|\
         別の行き方|別の候補|他に道|ほかに道|他にルート|ほかにルート|another route|another way|another one|alternative route|alternative way|different route|different way|\
         other route|other way|something else",
    ),
    (
        Means::Constraint(Constraint::Pick(1)),
        "1番目|一番目|1つ目|一つ目|ひとつ目|1本目|ルート1|1番のルート|最初のルート|最初ので|最初のが|最初のやつ|first option|first route|\
         first one|the first|1st|route 1|option 1|number 1",
    ),
    (
        Means::Constraint(Constraint::Pick(2)),
        "2番目|二番目|2つ目|二つ目|ふたつ目|2本目|ルート2|2番のルート|2番の|2番で|2番が|second option|second route|second one|\
         the second|2nd|route 2|option 2|number 2",
    ),
    (
        Means::Constraint(Constraint::Pick(3)),
        "3番目|三番目|3つ目|三つ目|みっつ目|3本目|ルート3|3番のルート|3番の|3番で|3番が|third option|third route|third one|\
         the third|3rd|route 3|option 3|number 3",
    ),
    (
        Means::Constraint(Constraint::NoTolls),
        "無料の道|無料で|無料道路|無料ルート|お金をかけ|toll-free|toll free|free roads|free route",
    ),
    (
        Means::Constraint(Constraint::Traffic),
        "空いている|空いてる|すいている|すいてる|空いた道|スムーズ|流れのいい|traffic-free",
    ),
    (
        Means::Constraint(Constraint::Walk),
        "🚶|歩行者|歩い|歩き|歩く|歩け|徒歩|散歩|ウォーキング|walk|walking|on foot|by foot|stroll",
    ),
    (
        Means::Constraint(Constraint::Drive),
        "車で|クルマ|くるまで|自動車で|運転|ドライブ|マイカー|タクシー|drive|driving|by car|\
         car or|or car|or by car|or the car|or a car|car vs|vs car|by taxi|car|taxi|車",
    ),
    (
        Means::Constraint(Constraint::Steps),
        "どこで曲が|どこを曲が|どこで右|どこで左|どっちに曲が|どちらに曲が|どこで右折|どこで左折|何回曲が|何回右折|何回左折|右折は何回|左折は何回|曲がるところ|曲がる所|曲がる場所|曲がり角|次の角|where do i turn|where do we turn|where should i turn|where to turn|where i turn|which way do i turn|which way to turn|when do i turn|how many turns|how many right turns|how many left turns|turn by turn|turn-by-turn|step by step|step-by-step|the steps|what are the turns|list the turns|show the turns",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::Vehicle)),
        "バイク|オートバイ|原付|スクーター|二輪|トラック|ダンプ|大型車|motorbike|motorcycle|moped|scooter|motor scooter|truck|lorry|pickup truck|rv|camper van|campervan",
    ),
    (
        Means::Constraint(Constraint::Now),
        "今から|いまから|今すぐ|すぐ出発|今出発|いま出発|現在時刻|right now|leave now|\
         leaving now|now|rn|at the moment",
    ),
    (
        Means::Constraint(Constraint::Outlook(Outlook::Pessimistic)),
        "悪いほう|悪い方|多めに見|長めに見|厳しめ|余裕を見|余裕をみ|余裕を持|余裕をも|最悪|悲観|pessimistic|pessimistically|assume the worst|worst traffic|heavy traffic|bad traffic|expect traffic|worst case|worst-case|\
         to be safe",
    ),
    (
        Means::Constraint(Constraint::Outlook(Outlook::Optimistic)),
        "うまくいけば|順調なら|楽観|optimistic|optimistically|light traffic|little traffic|best case|best-case",
    ),
    (
        Means::Constraint(Constraint::Anything),
        "おまかせ|お任せ|なんでもいい|何でもいい|どれでも|おすすめ|お勧め|普通に|普通の|普通で|\
         条件なし|条件はな|条件を消|特になし|特に条件|リセット|最初から|やり直|any route|\
         anything goes|anything is fine|whatever|recommended|no conditions|no preference|\
         start over|reset|default",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::Transit)),
        "🚃|🚆|🚇|🚌|電車|でんしゃ|始発|終電|乗り換え|乗換|列車|バスだと|バスなら|バスは|路線バス|高速バスで|鉄道|京急|東急|小田急|山手線|東横線|京浜東北線|モノレール|新幹線|地下鉄|バスで|公共交通|飛行機|by train|by bus|the train|the bus|a train|a bus|coach|by air|airplane|shinkansen|monorail|by subway|by metro|by plane|by rail|train|trains|bus|subway|metro|\
         public transport|transit|plane",
    ),
    (
        Means::Constraint(Constraint::Cycle),
        "🚲|🚴|自転車|サイクリング|チャリ|マウンテンバイク|ロードバイク|シェアバイク|by bicycle|by bike|bicycle|bike|cycling|cycle",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::Scenery)),
        "景色|眺め|海沿い|絶景|風景|きれいな道|綺麗な道|気持ちいい道|楽しい道|夜景|海の見える|海が見える|scenic|scenery|view|views|coastal|pretty|beautiful|picturesque|nice view|along the coast|along the sea|seaside road",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::Stopover)),
        "途中|を経由|経由して|寄って|寄りたい|立ち寄|寄り道|途中で|stop at|stopping at|stops at|stops in|stop in|stopping in|stopping off|stopping|stop by|\
         on the way|through",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::RoundTrip)),
        "往復|行き帰り|帰りも|帰り道も|復路も|round trip|round-trip|roundtrip|there and back|\
         both ways|and back|and the way back|return trip|return journey|back again",
    ),
    (
        Means::Constraint(Constraint::Unsupported(Unsupported::Road)),
        "アクアライン|レインボーブリッジ|ベイブリッジ|第三京浜|横浜新道|湾岸線|東名|東名高速|中央道|圏央道|外環|\
         京葉道路|横羽線|保土ヶ谷バイパス|環七|環八|甲州街道|中原街道|第一京浜|第二京浜|青山通り|明治通り|山手通り|\
         街道|バイパス|トンネル|大通り|裏道|裏通り|抜け道|広い道|太い道|大きい道|大きな道|細い道|狭い道|幹線道路|住宅街|通りを|通り経由|号線|号経由|\
         main road|main roads|main street|main streets|wide road|wide roads|wide street|wide streets|big road|big roads|narrow road|narrow roads|\
         narrow street|narrow streets|side street|side streets|back street|back streets|residential streets|tunnel|tunnels|\
         aqua-line|aqua line|aqualine|rainbow bridge|bay bridge|daisan keihin|tomei|wangan|\
         bayshore|bayshore route|koshu kaido|hodogaya bypass|yokohama shindo",
    ),
    (Means::Day(0), "今日|本日|きょう|today"),
    (Means::Day(1), "明日|あした|あす|翌日|tomorrow"),
    (Means::Day(2), "明後日|あさって|day after tomorrow|the day after tomorrow"),
    (Means::Weekday(0), "月曜|月曜日|monday|mondays"),
    (Means::Weekday(1), "火曜|火曜日|tuesday|tuesdays"),
    (Means::Weekday(2), "水曜|水曜日|wednesday|wednesdays"),
    (Means::Weekday(3), "木曜|木曜日|thursday|thursdays"),
    (Means::Weekday(4), "金曜|金曜日|friday|fridays"),
    (Means::Weekday(5), "土曜|土曜日|saturday|saturdays"),
    (Means::Weekday(6), "日曜|日曜日|sunday|sundays"),
    (Means::NextWeek, "来週|次の週|next week"),
    (Means::Night, "深夜|未明|真夜中|夜中"),
    (Means::Morning, "午前|朝|早朝|a.m.|am|morning"),
    (Means::Evening, "午後|夕方|夜|晩|p.m.|pm|evening|afternoon"),
    (Means::Tonight, "今夜|今晩|tonight"),
    (Means::NextMorning, "明朝|翌朝"),
    (Means::NextEvening, "明晩|明夜|翌晩|翌夜"),
    (Means::Clock { hour: 12, minute: 0 }, "正午|noon"),
    (
        Means::Arrive,
        "何時に出れ|何時に出発すれ|何時に出たら|何時に出る|何時ごろ出れ|何時頃出れ|いつ出れ|いつ出発すれ|to be in|to be at|when do i have to leave|when do i need to leave|when should i leave|when must i leave|when do we have to leave|when should we leave|what time should i leave|what time do i have to leave|what time do i need to leave|着き|着く|着か|着で|到着|までに|着ける|着けば|着いて|間に合|by|arrive|arrives|arriving|arrival|\
         arrive by|get there by|be there by|be there at|must be in|must be at|have to be in|have to be at|need to be in|need to be at|\
         needs to be in|needs to be at|should be in|should be at|want to be in|want to be at|supposed to be at",
    ),
    (Means::There, "着"),
    (Means::Leave, "発|出発|に出発|に出|出"),
    (Means::Or, "or|nor|だけじゃな|だけではな|だけでな|のみならず"),
    // `not just tolls but highways too` refuses neither.
    (Means::Nothing, "not just|not only|not merely"),
    (Means::Pause, "、|,|けど|けれど|but|however"),
    (Means::Stop, "。|!|?|\n|;|."),
    // Longer than the phrases that they contain.
    (
        Means::Nothing,
        "why not|why can't|can't i|can't we|can't you|遅くとも|on the way from|on the way to|on the way home|on the way back|寄り道な|寄り道無|寄り道はな|寄れ|一般的|早く出|早くなく|速くなく|高速バス|早め|具合|急がな|経由|遠い|遠く|寄る|寄り|寄らな|寄らず|無理せず|拾って|拾いた|拾う|乗せて|if i left|if we left|if i leave|if we leave|の順で|の順に|戻りた|departing|departure|depart|オンリー|車椅子|車いす|下車|乗車|nearer|further|farther|furthest|farthest|set off|setting off|set out|setting out|as long as|reach|how many hours|how many hour|hours|hour|paying|on top|first thing|どう変わ|どう違|違う|違って|走りた|見積も|積もっ|急いでな|急がず|no hurry|not in a hurry|船橋|船堀|国道駅|日本大通り|\
         朝霞|朝日|all right|no problem|no matter|notice|how fast",
    ),
];

/// A found phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) means: Means,
    /// Its range in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it is ASCII, as English is.
    pub(super) is_ascii: bool,
}

static CONSTRAINTS: LazyLock<Lexicon<Means>> = LazyLock::new(|| Lexicon::new(PHRASES));

/// Returns the phrases of the normalized `text` on the day `today`.
pub(super) fn tokens(text: &[char], today: Date) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let phrase = CONSTRAINTS.at(text, at).map(|(means, length)| {
            let turned = means == Means::Refuse && becomes_wish(&text[at..], length);
            (if turned { Means::Want } else { means }, length)
        });
        // `the 3rd` of several routes is no date.
        let pick = phrase.filter(|it| matches!(it.0, Means::Constraint(Constraint::Pick(_))));
        let day = || constraints::day(text, at, today);
        let time = || clock(text, at).map(|it| (time_means(it.0), it.1));
        let shift = || moved(text, at).map(|it| (Means::Shift { minutes: it.0 }, it.1));
        let road = || {
            let length = road(text, at).filter(|road| phrase.is_none_or(|it| it.1 < *road))?;
            Some((Means::Constraint(Constraint::Unsupported(Unsupported::Road)), length))
        };
        match road().or(pick).or_else(day).or_else(shift).or_else(time).or(phrase) {
            Some((means, length)) => {
                let (from, to) = (at, at + length);
                tokens.push(Token { means, from, to, is_ascii: text[at].is_ascii() });
                at = to;
            }
            None => at += 1,
        }
    }
    tokens
}

/// Whether the no of `length` characters turns to a wish by what follows: `使いたくなった`.
fn becomes_wish(text: &[char], length: usize) -> bool {
    text[..length].ends_with(&['た', 'く', 'な'])
        && text.get(length).is_some_and(|it| "っりる".contains(*it))
}

/// Returns the number of characters of a numbered road at `at`: `246号線`, `route 246`, and `246を通` by its verb.
fn road(text: &[char], at: usize) -> Option<usize> {
    const HEADS: [&str; 5] = ["ルート", "route ", "highway ", "road ", "r"];
    const BEHIND: [&str; 6] = ["号線", "号", "を通", "を避け", "は避け", "経由"];
    const BEFORE: [&str; 4] = ["via ", "avoid ", "avoiding ", "take "];
    /// Suffixes of other numbered things: `3号室`.
    const NO_ROAD: [char; 6] = ['室', '館', '車', '棟', '店', '艇'];
    let is_at = |word: &str, at: usize| {
        let length = word.chars().count();
        text.get(at..at + length).is_some_and(|it| it.iter().copied().eq(word.chars()))
    };
    let is_begin = at.checked_sub(1).is_none_or(|it| !text[it].is_ascii_alphanumeric());
    let head = HEADS.iter().find(|it| is_at(it, at)).map_or(0, |it| it.chars().count());
    let from = at + head;
    let digits = text[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    let to = from + digits;
    if !is_begin || !(1..=3).contains(&digits) {
        return None;
    }
    let behind = BEHIND.iter().find(|it| is_at(it, to));
    let is_numbered = |it: &&&str| it.starts_with('号');
    let mark = behind.filter(is_numbered).map_or(0, |it| it.chars().count());
    if mark > 0 {
        return text
            .get(to + mark)
            .is_none_or(|it| !NO_ROAD.contains(it))
            .then_some(to + mark - at);
    }
    let is_end = text.get(to).is_none_or(|it| !it.is_ascii_alphanumeric());
    // `route 2` is the second found route.
    let is_before = BEFORE.iter().any(|it| at >= it.len() && is_at(it, at - it.len()));
    let is_named = head > 0 || digits == 3 && (behind.is_some() || is_before);
    (is_end && digits > 1 && is_named).then_some(to - at)
}

fn time_means(time: Time) -> Means {
    match time {
        Time::At { hour, minute } => Means::Clock { hour, minute },
        Time::In { minutes } => Means::In { minutes },
    }
}

/// Returns the ranges of known phrases in `sentence`, in characters.
pub(in crate::sentences) fn spans(sentence: &str, today: Date) -> Vec<(usize, usize)> {
    tokens(&normal(sentence), today).into_iter().map(|it| (it.from, it.to)).collect()
}
