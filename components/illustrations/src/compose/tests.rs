//! Tests of `compose`.

use super::*;

#[test]
fn draws_every_card_once_with_its_middle_on_the_picture() {
    for style in [Style::Versus, Style::Spread, Style::Spotlight] {
        for count in 1..=5 {
            for has_text in [false, true] {
                let places = places(style, count, has_text);
                assert_eq!(places.len(), count);
                for place in &places {
                    assert!((60.0..1220.0).contains(&place.x), "{style:?} {count}: {place:?}");
                    assert!((60.0..660.0).contains(&place.y), "{style:?} {count}: {place:?}");
                }
            }
            let mut order = back_to_front(style, count);
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }
}

#[test]
fn front_card_is_middle_of_fan_and_first_in_spotlight() {
    assert_eq!(back_to_front(Style::Spread, 5).last(), Some(&2));
    assert_eq!(back_to_front(Style::Spotlight, 4).last(), Some(&0));
}

#[test]
fn font_has_all_names_of_cards_and_themes() {
    let mut missing = Vec::new();
    for theme in themes() {
        for name in theme.names().chain(theme.cards.iter().flat_map(|it| it.names())) {
            assert!(run(name, 10.0, &mut PathBuilder::new(), &mut missing) > 10.0, "{name}");
        }
    }
    assert_eq!(missing, Vec::<char>::new());
}

#[test]
fn reports_missing_character_once_and_substitutes_it() {
    let mut missing = Vec::new();
    let wide = run("🐉a🐉\u{fe0f}", 10.0, &mut PathBuilder::new(), &mut missing);
    assert_eq!(missing, ['🐉']);
    assert!(wide > 20.0);
}

#[test]
fn wraps_at_spaces_without_losing_letters() {
    assert_eq!(wrapped("Azure Dragons", 2), ["Azure", "Dragons"]);
    assert_eq!(wrapped("蒼晶竜対紅蓮機工", 2), ["蒼晶竜対", "紅蓮機工"]);
    assert_eq!(wrapped("星海航路デッキ徹底解説", 2), ["星海航路デッキ", "徹底解説"]);
    assert_eq!(wrapped("a", 3), ["a"]);
    assert_eq!(wrapped("", 2), Vec::<String>::new());
}
