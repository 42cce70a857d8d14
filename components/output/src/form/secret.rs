//! Fields that seem to ask for secrets, which should never be typed into an agent's form.

use super::{Field, Kind};

/// Words that name a secret alone.
const WORDS: &str = "\
    password passwords passwd passphrase passcode pwd pin cvv cvv2 cvc secret token otp ssn \
    apikey cardnumber creditcard mynumber privatekey credentials";
/// Pairs of words that name a secret.
const PAIRS: &str = "card number|credit card|debit card|api key|private key|access key|\
    security code|pass phrase|social security|my number";
/// Japanese terms, found without word boundaries.
const PARTS: &str = "\
    パスワード|パスコード|パスフレーズ|暗証番号|暗証コード|合言葉|クレジットカード|カード番号|\
    セキュリティコード|マイナンバー|個人番号|シークレット|トークン|秘密鍵|認証コード|apiキー";

/// Whether a typed field has a name or label of a secret. Choices from the form's own options are none.
pub(super) fn is_secret(field: &Field) -> bool {
    let is_typed = matches!(field.kind, Kind::Text(_) | Kind::Textarea { .. } | Kind::Number(_));
    is_typed && [&field.name, &field.label].into_iter().any(|it| says_so(it))
}

fn says_so(text: &str) -> bool {
    let text: String = text.chars().map(to_half_width).collect();
    let lower = text.to_lowercase();
    if PARTS.split('|').any(|it| lower.contains(it)) {
        return true;
    }
    let words = words(&text);
    words.iter().any(|it| WORDS.split(' ').any(|word| word == it))
        || words.windows(2).any(|it| PAIRS.split('|').any(|pair| pair == it.join(" ")))
}

/// Lowercase ASCII words of a text: `cardNumber`, `card_number` and `Card number` have two.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for it in text.chars() {
        let is_in_word = it.is_ascii_alphanumeric();
        let begins = it.is_ascii_uppercase() && before.is_ascii_lowercase();
        if (!is_in_word || begins) && words.last().is_some_and(|it| !it.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (is_in_word, words.last_mut()) {
            word.push(it.to_ascii_lowercase());
        }
        before = it;
    }
    words
}

/// Converts full width: ＰＩＮ is PIN.
fn to_half_width(sign: char) -> char {
    match sign {
        '\u{3000}' => ' ',
        '！'..='～' => char::from_u32(u32::from(sign) - 0xFEE0).unwrap_or(sign),
        sign => sign,
    }
}
