//! Which of many options fit what was typed, however it was typed: in capitals, full width or kana.

use output::form::Choice;

use super::Options;
use crate::text;

/// The options whose label has what was typed in it, those that begin with it first.
pub(crate) fn narrow(options: &[Choice], typed: &str) -> Options {
    let folded = |text: &str| text::folded(text).replace(char::is_whitespace, "");
    let typed = folded(typed);
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for choice in options {
        match folded(&choice.label).find(&typed) {
            Some(0) => first.push(choice.clone()),
            Some(_) => rest.push(choice.clone()),
            None => {}
        }
    }
    first.append(&mut rest);
    first.into()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn finds_options_by_any_part_of_label_with_beginnings_first() {
        let labels = ["東京都 港区", "港南", "さいたま市", "ＡＢＣタワー"];
        let options = labels.map(|it| Choice { value: Value::Null, label: it.to_owned() });
        let found = |typed: &str| {
            narrow(&options, typed).iter().map(|it| it.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("港"), ["港南", "東京都 港区"]);
        assert_eq!(found("サイタマ"), ["さいたま市"]);
        assert_eq!(found("abc"), ["ＡＢＣタワー"]);
        assert_eq!(found("東京都　港"), ["東京都 港区"]);
        assert_eq!(found(""), labels);
        assert_eq!(found("大阪"), Vec::<String>::new());
    }
}
