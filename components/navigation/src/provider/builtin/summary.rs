//! What tells one route from the others: its longest roads.

use std::collections::BTreeMap;

use graph::{Class, Leg};

use super::instructions::road;
use crate::{ask::Language, words};

/// A second road that is at least that much of the first is named beside it.
const SECOND_MIN: f64 = 0.45;

/// One a route, each another than those before it.
pub(crate) fn summaries(ways: &[&[Leg]], language: Language) -> Vec<String> {
    let roads: Vec<_> = ways.iter().map(|it| longest(it, language)).collect();
    let mut all: Vec<Vec<String>> = Vec::new();
    for (index, own) in roads.iter().enumerate() {
        let mut named = first(own);
        // A road that no other route takes says most of it.
        let is_elsewhere = |name: &String| {
            let others = roads.iter().enumerate().filter(|it| it.0 != index);
            others.flat_map(|it| it.1).any(|it| it.0 == *name)
        };
        if all.contains(&named)
            && let Some((name, _)) =
                own.iter().find(|it| !named.contains(&it.0) && !is_elsewhere(&it.0))
        {
            named.truncate(1);
            named.push(name.clone());
        }
        all.push(named);
    }
    let mut texts: Vec<String> = Vec::new();
    for (named, way) in all.iter().zip(ways) {
        let mut text = sentence(named, language);
        if texts.contains(&text) {
            let metres = way.iter().map(|it| it.metres).sum();
            text = format!("{text} ({})", words::distance(metres));
        }
        texts.push(text);
    }
    texts
}

/// The longest road, and the next where it is nearly as long.
fn first(roads: &[(String, f64)]) -> Vec<String> {
    let most = roads.first().map_or(0.0, |it| it.1);
    let near = roads.iter().take(2).filter(|it| it.1 >= most * SECOND_MIN);
    near.map(|it| it.0.clone()).collect()
}

fn sentence(roads: &[String], language: Language) -> String {
    match (language, roads.is_empty()) {
        (Language::Japanese, true) => "一般道経由".to_owned(),
        (Language::English, true) => "via local streets".to_owned(),
        (Language::Japanese, false) => format!("{}経由", roads.join("、")),
        (Language::English, false) => format!("via {}", roads.join(" and ")),
    }
}

/// Roads that have names, and what they count for; the longest first.
fn longest(legs: &[Leg], language: Language) -> Vec<(String, f64)> {
    let mut roads: BTreeMap<&str, f64> = BTreeMap::new();
    for leg in legs.iter().filter(|it| !it.ramp) {
        let name = road(leg, language);
        if !name.is_empty() {
            *roads.entry(name).or_default() += leg.metres * weight(leg.class);
        }
    }
    let mut roads: Vec<_> = roads.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    roads.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    roads
}

/// People know a route by its big roads.
fn weight(class: Class) -> f64 {
    match class {
        Class::Motorway => 1.3,
        Class::Trunk | Class::Ferry => 1.0,
        Class::Primary => 0.9,
        Class::Secondary => 0.7,
        Class::Tertiary => 0.5,
        Class::Residential | Class::Service | Class::Path => 0.4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::builtin::samples::leg;

    fn of(ways: &[&[Leg]]) -> Vec<String> {
        summaries(ways, Language::Japanese)
    }

    #[test]
    fn a_way_is_known_by_its_longest_road() {
        let way = [leg("国道1号", 900.0), leg("首都高速横羽線", 9_000.0), leg("", 20_000.0)];
        assert_eq!(of(&[&way]), ["首都高速横羽線経由"]);
        assert_eq!(summaries(&[&way], Language::English), ["via 首都高速横羽線"]);
        assert_eq!(of(&[&[leg("", 1.0)]]), ["一般道経由"]);
    }

    #[test]
    fn two_roads_that_are_nearly_as_long_are_both_named() {
        let way = [leg("国道1号", 900.0), leg("国道15号", 800.0)];
        assert_eq!(of(&[&way]), ["国道1号、国道15号経由"]);
    }

    #[test]
    fn no_two_alternatives_are_called_the_same() {
        let one = [leg("国道15号", 9_000.0), leg("国道1号", 300.0)];
        let other = [leg("国道15号", 9_000.0), leg("環八通り", 900.0)];
        let third = [leg("国道15号", 9_100.0)];
        let texts = of(&[&one, &other, &third]);
        assert_eq!(texts, ["国道15号経由", "国道15号、環八通り経由", "国道15号経由 (9.1 km)"]);
    }
}
