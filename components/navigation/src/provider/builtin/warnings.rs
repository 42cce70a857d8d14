//! What a traveller on a route of the built-in provider must know.

use graph::{Class, Leg, Mode};

use crate::ask::Language;

/// The warnings of a route, whose data first.
pub(crate) fn warnings(
    attribution: &str,
    legs: &[Leg],
    mode: Mode,
    language: Language,
) -> Vec<String> {
    let is_japanese = language == Language::Japanese;
    let pick = |ja: &str, en: &str| if is_japanese { ja } else { en }.to_owned();
    let mut warnings = vec![pick(
        "ネットワークに接続せずに求めた概算です。実際の運転・案内には使わないでください。",
        "Worked out offline and roughly; not for navigation on the road.",
    )];
    match mode {
        Mode::Drive => warnings.push(pick(
            "所要時間の渋滞は時間帯別のモデルによるもので、実測ではありません。",
            "Traffic is a model by the hour of the day, not a measurement.",
        )),
        Mode::Walk => warnings.push(pick(
            "歩道や横断歩道がない区間が含まれることがあります。",
            "Parts of the way may lack pavements and crossings.",
        )),
        Mode::Cycle => warnings.push(pick(
            "押し歩きが必要な区間や、勾配の大きい区間が含まれることがあります。",
            "Parts of the way may be steep, or have to be walked.",
        )),
    }
    if mode == Mode::Drive && legs.iter().any(|it| it.toll) {
        warnings.push(pick("有料道路を通ります。", "The route has tolls."));
    }
    if legs.iter().any(|it| it.class == Class::Ferry) {
        warnings.push(pick(
            "フェリーの待ち時間と運賃は含まれていません。",
            "Waiting for a ferry, and its fare, are not in it.",
        ));
    }
    if !attribution.is_empty() {
        let data = pick("地図データ", "Map data");
        warnings.push(format!("{data}: {attribution}"));
    }
    warnings
}
