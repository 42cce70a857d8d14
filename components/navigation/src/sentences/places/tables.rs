//! Tables of the words before, after and between places.

/// After an origin.
pub(super) const BEGINS: &str = "を何時に出|を何時ごろ出|を何時頃出|をいつ出|から出発して|にいるんだけど|にいるんですけど|にいるのですが|にいますが|にいます|にいるので|にいるから|にいて|にいる|におり|からスタートして|からスタート|からだと|からなら|からは|から出て|からの|から|を出発して|を出発し|を出て|\
     を出発地に|を起点に|発で|発、|発→|発 |スタートで|を出発地として|出発で|→|⇒| ~ | – | — |–|—|~|〜|～| -> ";
/// After a destination.
pub(super) const ENDS: &str = "までの|まで|への|へ|に行き|に行く|に行っ|に行け|に行こう|に向か|に着|到着で|着で|に帰|に戻り|に戻る|に戻っ|に到着|行きの|\
     行きで|行き、|に移動|を目指|を目的地に|に寄ら|に急い|に出かけ|にドライブ";
/// Before a place, like a form field.
pub(super) const FIELDS: [(bool, &str); 2] = [
    (
        true,
        "現在地は|今は|いまは|今、|出発地を|スタートを|出発地点は|出発地点:|出発地は|出発地:|出発地が|出発は|出発地 |出発:|起点は|スタートは|origin:|origin is|start:|starting point:",
    ),
    (
        false,
        "目的地を|行き先を|到着地を|ゴールを|目的地は|目的地:|目的地が|目的地 |到着地は|到着地:|行き先は|行き先:|到着は|ゴールは|destination:|destination is|goal:|end:",
    ),
];
/// After a destination without its own mark.
pub(super) const STOPS: &str = "の道|のルート|の行き方|の経路|の距離|の所要|の時間|の間|間の|だと|って|で|を|に|は|が|。|\
     、|?|!| |,|\n|高速|有料|下道|一番|最短|最速|徒歩|歩い|渋滞|車|どの|どれ|何分|何キロ|何時間|\
     ルート|行き方|経路|です|なん";
/// After a list of destinations.
pub(super) const LIST_STOPS: &str =
    "って|だと|なら|の|まで|を|は|で|。|?|、どっち|、どちら|どっち|どちら";
/// After a searched place.
pub(super) const SOUGHT: &str = "って正確にはどこ|は正確にはどこ|ってどのへん|ってどの辺|の場所|はどこ|ってどこ|がどこ|どこ|の正確な位置|の場所|の緯度|の経度|の座標|の位置|の住所|\
     の所在地|を地図|の地図|はどの辺|はどのへん|は地図|って地図|を座標|を緯度|という場所|を探|をさが|を検索|を調べ|にピン|\
     にマーカー|の緯度経度|をマップ|へピン";
/// Removed from the start of a place.
pub(super) const LEADS: &str = "電車だと|電車なら|電車は|バスだと|車だと|車なら|徒歩だと|自転車だと|歩いて|徒歩で|車で|バスで|電車で|自転車で|バイクで|を|に|は|の|が|も|で|て|、|と|から|まで|ずに|ないで|・|,| |「|」|『|』|\"|“|”|【|】|:";
/// Removed from the end of a place.
pub(super) const TAILS: &str = "行くのと|行くの|行く|の順番で|の順番に|の順で|の順に|の順|何時ごろ|何時頃|何時|」|』|\"|”|】| |、|,|さん|。|まで|から|!|?|の|は|を|に|間";
/// Between places of a list.
pub(super) const BETWEEN: &str =
    "?それとも|、それとも|それとも|、|・|と|や|および|または|か|, and | and | or |, |,";
/// Before the place that others are compared with, in English.
pub(super) const NEAREST: &str = "closer to|nearer to|closest to|nearest to|closer from|nearer from|further from|farther from|furthest from|farthest from|further away from|farther away from|longer from|quicker from|faster from|further to|farther to";
