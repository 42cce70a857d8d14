//! The vocabulary of navigation.

use language::words::Word;

pub(super) const ROUTE: Word = Word::own(0);
pub(super) const GO: Word = Word::own(1);
pub(super) const DISTANCE: Word = Word::own(2);
pub(super) const DURATION: Word = Word::own(3);
pub(super) const SPOT: Word = Word::own(4);
pub(super) const LEAD: Word = Word::own(5);

/// Phrases about tolls.
pub(super) const TOLLS: &str = "高速代|高速料金|高速の料金|通行料金|通行料|通行代|有料道路の料金|有料道路代|道路料金|いくらかかる|toll|tolls|toll fee|toll fees|toll charge|toll charges";

/// Words for things of this family.
pub(super) const NOUNS: &[Word] = &[ROUTE, GO, DISTANCE, DURATION, SPOT];
/// Phrases in lower case, separated by `|`; the longest match counts.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        ROUTE,
        "ルート|ルート検索|ルート案内|道順|行き方|行きかた|経路|ナビ|案内|道のり|道案内|への道|までの道|からの道|へのルート|どう行け|どうやって行|どう行く|route|routes|\
         directions|traffic to|traffic going to|traffic on the way to|the way to|way to|navigate|navigation|drive|driving|how do i get|how can i get|\
         how to get|how do we get|how to reach|get from|get to|take me to|take me|go home|get home|drive home|walk home|way home|家に帰りたい|家まで帰りたい|travel from|go from|\
         path",
    ),
    (
        GO,
        "行きたい|いきたい|に行きたい|へ行きたい|まで行きたい|に行く|へ行く|まで行く|まで行って|に向かい|へ向かい|に向かって|へ向かって|に向かう|へ向かう|まで歩|まで車|まで徒歩|\
         まで運転|に帰|へ帰|まで帰|に戻る|に戻りたい|まで戻る|go back to|連れてって|連れて行って|連れていって|つれてって|移動|go to|going to get|get home|head to|heading to|drive to|walk to|travel to",
    ),
    (
        DISTANCE,
        "近い順|距離|何キロ|何km|何メートル|どれくらい離れ|どのくらい離れ|どれぐらい離れ|近いのは|一番近いの|how far|distance|distances|\
         how many kilometers|how many kilometres|how many km|how many miles|closest|nearest|\
         which is closer|closer|far from|far away from",
    ),
    (
        DURATION,
        "which one's quicker|which one is quicker|which is quicker|which one's faster|\
         which one is faster|所要時間|何分|何時間|どれくらいかか|どのくらいかか|どれぐらいかか|時間はどれ|時間はどの|how long|travel time|\
         travel times|drive time|driving time|driving times|minutes",
    ),
    (
        SPOT,
        "緯度|経度|座標|所在地|の住所|住所を調|地図で|地図に|地図上|マップ|coordinates|coordinate|latitude|longitude|lat/long|\
         on the map|on a map|geocode|find the place|map",
    ),
    (
        LEAD,
        "バイクで|原付で|オートバイで|トラックで|スクーターで|一番短い距離で|一番短い距離|最短距離で|最短距離|短い距離で|最短の距離で|距離が短い|距離の短い|距離が一番短い|距離が最短|\
         shortest distance|least distance|高速を使わずに|高速を使わないで|高速を使わず|高速道路を使わずに|高速道路を使わないで|高速使わずに|高速使わないで|\
         高速なしで|高速抜きで|高速を避けて|高速道路を避けて|高速を通らずに|高速に乗らずに|高速で|高速道路で|有料道路を使わずに|有料道路を避けて|有料道路なしで|有料を避けて|渋滞を避けて|\
         渋滞を回避して|混雑を避けて|フェリーを使わずに|フェリーなしで|下道で|一般道で|一番早く|一番速く|最速で|最短で|最短ルートで|なるべく早く|できるだけ早く|早く|安く|一番安く|\
         無料で|無料の道で|歩いて|徒歩で|車で|自動車で|クルマで|右折少なめで|右折を避けて|右折を少なくして|今から|いまから|これから|すぐに|急いで|のんびり|ゆっくり|タクシーで|\
         ドライブで|できれば|なるべく|できるだけ|使わずに|使わないで|避けて|渋滞なしで|経由せずに",
    ),
];
