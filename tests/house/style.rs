//! The page's style sheets: sizes of type, space and corners come from one scale each.

use crate::repository::{files, text};

/// The style sheet with the scales.
const SCALES: &str = "frontend/style/base.css";
/// Lengths above this are positions, not spaces.
const SPACE_REM_MAX: f64 = 2.0;

/// The declarations of a style sheet: property and value.
fn declarations(sheet: &str) -> impl Iterator<Item = (&str, &str)> {
    sheet
        .split(['{', '}', ';'])
        .filter_map(|it| it.rsplit("*/").next()?.split_once(':'))
        .map(|(property, value)| (property.trim(), value.trim()))
}

/// The lengths in `rem` that a value has.
fn rems(value: &str) -> Vec<f64> {
    let numbers = value.split(|c: char| c.is_whitespace() || "(),/+*".contains(c));
    numbers.filter_map(|it| it.strip_suffix("rem")?.parse().ok()).collect()
}

/// The scale of a property's sizes, if any.
fn scale(property: &str) -> Option<&'static str> {
    let of = |name: &str| property == name || property.starts_with(&format!("{name}-"));
    match property {
        _ if property.starts_with("--") => None,
        "font-size" => Some("--text-1 to --text-7"),
        _ if property.starts_with("border-") && property.ends_with("radius") => {
            Some("--radius-1 to --radius-4")
        }
        _ if property == "gap" || property.ends_with("-gap") || of("padding") || of("margin") => {
            Some("--space-1 to --space-8")
        }
        _ => None,
    }
}

#[test]
fn style_sheets_use_only_scale_sizes() {
    let mut count = 0;
    for path in files().iter().filter(|it| it.starts_with("frontend/style/")) {
        let sheet = text(path);
        for (property, value) in declarations(&sheet) {
            let Some(scale) = scale(property) else { continue };
            count += 1;
            let is_space = scale.starts_with("--space");
            for rem in rems(value).into_iter().map(f64::abs) {
                assert!(
                    is_space && rem > SPACE_REM_MAX,
                    "{path}: `{property}: {value}` has a size of its own; take one of {scale}"
                );
            }
        }
    }
    assert!(count > 500, "only {count} sizes were found");
}

#[test]
fn every_property_of_a_scale_is_defined_once() {
    let sheet = text(SCALES);
    for (name, count) in [("--text-", 7), ("--space-", 8), ("--radius-", 4)] {
        let defined = declarations(&sheet).filter(|(property, _)| property.starts_with(name));
        assert_eq!(defined.count(), count, "{name}");
    }
}
