//! Finds films by titles that are not quite right (CIN-12, CIN-13): the kit's rule, on the demo's films.

pub use toolkit::names::{NEAR_MIN, fit, fold, nearness};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::{Catalog, Film},
        import::DEMO,
    };

    const NAMES: [&str; 3] = ["君の名は。", "きみのなは", "Your Name."];

    fn fits(query: &str, names: &[&str]) -> bool {
        fit(&fold(query), names.iter().copied()).is_some()
    }

    #[test]
    fn kana_width_case_and_marks_make_no_difference() {
        assert_eq!(fold("ﾄﾄﾛ"), fold("とトろ"));
        assert_eq!(fold("ＡＫＩＲＡ"), "akira");
        assert_eq!(fold("スター・ウォーズ"), fold("すたうぉず"));
        assert_eq!(fold("君の 名は。"), "君の名は");
    }

    #[test]
    fn a_typo_finds_the_film_by_its_reading() {
        assert!(fits("きみのなわ", &NAMES));
        assert!(fits("キミノナハ", &NAMES));
        assert!(fits("yuor name", &NAMES));
        assert!(fits("七人の待", &["七人の侍", "しちにんのさむらい"]));
        assert!(fits("tororo", &["となりのトトロ", "My Neighbor Totoro"]));
    }

    #[test]
    fn a_part_of_the_title_finds_the_film() {
        assert!(fits("名は", &NAMES));
        assert!(fits("映画「君の名は。」を観たい", &NAMES));
    }

    #[test]
    fn another_film_is_not_found() {
        for query in ["zzzz", "スパイダーマン", "Star Wars", "存在しない映画", "12345"]
        {
            assert!(!fits(query, &NAMES), "{query}");
        }
        assert!(!fits("。", &NAMES));
    }

    #[test]
    fn what_contains_the_query_comes_before_what_is_alike() {
        let part = fit(&fold("東京"), ["東京物語"]).unwrap();
        let like = fit(&fold("東京物が"), ["東京物語"]).unwrap();
        assert!(part > like);
    }

    #[test]
    fn mistyped_titles_find_the_films_of_the_demo_and_foreign_ones_do_not() {
        let demo = Catalog::read(DEMO).unwrap();
        let best = |query: &str| {
            let names =
                |it: &Film| [Some(it.title.clone()), it.reading.clone(), it.title_en.clone()];
            let fit = |it: &Film| {
                let names: Vec<_> = names(it).into_iter().flatten().collect();
                Some((fit(&fold(query), names.iter().map(String::as_str))?, it.movie_id.clone()))
            };
            let mut found: Vec<_> = demo.movies.iter().filter_map(fit).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found.into_iter().next().map(|it| it.1)
        };
        for (query, movie_id) in [
            ("きみのなわ", "kiminonawa"),
            ("千と千尋", "sen-to-chihiro"),
            ("せんとちひろの神かくし", "sen-to-chihiro"),
            ("トトロ", "tonari-no-totoro"),
            ("ととろう", "tonari-no-totoro"),
            ("七人の待", "shichinin-no-samurai"),
            ("Seven Samurais", "shichinin-no-samurai"),
            ("ラショーモン", "rashomon"),
            ("rashmon", "rashomon"),
            ("ゴヂラ", "godzilla"),
            ("spirted away", "sen-to-chihiro"),
            ("この世の片隅に", "kono-sekai-no-katasumi-ni"),
        ] {
            assert_eq!(best(query).as_deref(), Some(movie_id), "{query}");
        }
        for query in
            ["スパイダーマン", "Star Wars", "ハリー・ポッター", "Frozen", "zzzz", "Interstellar"]
        {
            assert_eq!(best(query), None, "{query}");
        }
    }
}
