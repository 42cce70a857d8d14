//! URIs of a template, and what stands in its places.

/// What stands in the places of `template`, in their order, where `uri` fits it.
///
/// `{name}` is one part of a path, `{+name}` any number of them, `{?name}` a value of the query,
/// which is empty where there is none. Percent-encoded bytes are decoded.
///
/// ```
/// # use toolkit::resources::fits;
/// let Some([shop, day]) = fits("shop://{shop}/orders{?day}", "shop://7/orders?day=Fri%20day")
/// else { panic!("it fits") };
/// assert_eq!((shop.as_str(), day.as_str()), ("7", "Fri day"));
/// assert_eq!(fits::<1>("shop://{shop}", "shop://7/orders"), None);
/// ```
#[must_use]
pub fn fits<const N: usize>(template: &str, uri: &str) -> Option<[String; N]> {
    let (path, names) = match template.split_once("{?") {
        Some((path, names)) => (path, names.strip_suffix('}')?),
        None => (template, ""),
    };
    let (found, query) = match uri.split_once('?') {
        Some((found, query)) if !names.is_empty() => (found, query),
        _ => (uri, ""),
    };
    let mut values = Vec::with_capacity(N);
    if !path_fits(path, found, &mut values) {
        return None;
    }
    for name in names.split(',').filter(|it| !it.is_empty()) {
        let mut pairs = query.split('&').filter_map(|it| it.split_once('='));
        values.push(pairs.find(|it| it.0 == name).map_or_else(String::new, |it| decoded(it.1)));
    }
    values.try_into().ok()
}

/// The URI of `template` with `values` in its places, percent-encoded: what [`fits`] reads. A value of the
/// query that is empty is left out.
///
/// ```
/// # use toolkit::resources::filled;
/// let uri = filled("shop://{shop}/orders{?day,by}", ["7", "Fri day", ""]);
/// assert_eq!(uri, "shop://7/orders?day=Fri%20day");
/// ```
#[must_use]
pub fn filled<const N: usize>(template: &str, values: [&str; N]) -> String {
    let (mut rest, names) = match template.split_once("{?") {
        Some((path, names)) => (path, names.trim_end_matches('}')),
        None => (template, ""),
    };
    let mut values = values.into_iter();
    let mut uri = String::new();
    while let Some((before, place)) = rest.split_once('{') {
        let (name, behind) = place.split_once('}').unwrap_or((place, ""));
        uri.push_str(before);
        let keeps = if name.starts_with('+') { "/" } else { "" };
        encode(values.next().unwrap_or_default(), keeps, &mut uri);
        rest = behind;
    }
    uri.push_str(rest);
    let mut mark = '?';
    for name in names.split(',').filter(|it| !it.is_empty()) {
        let value = values.next().unwrap_or_default();
        if !value.is_empty() {
            uri.push(mark);
            uri.push_str(name);
            uri.push('=');
            encode(value, "", &mut uri);
            mark = '&';
        }
    }
    uri
}

fn encode(value: &str, keeps: &str, to: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        let letter = char::from(byte);
        if byte.is_ascii_alphanumeric() || "-._~".contains(letter) || keeps.contains(letter) {
            to.push(letter);
        } else {
            let digits = [byte >> 4, byte & 15].map(|it| char::from(DIGITS[usize::from(it)]));
            to.push('%');
            to.extend(digits);
        }
    }
}

/// Each place takes as much as the text that follows it leaves, as little as possible.
fn path_fits(template: &str, uri: &str, values: &mut Vec<String>) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == uri };
    let Some((name, rest)) = rest.split_once('}') else { return false };
    let Some(uri) = uri.strip_prefix(before) else { return false };
    let takes_paths = name.starts_with('+');
    let (text, is_last) = match rest.split_once('{') {
        Some((text, _)) => (text, false),
        None => (rest, true),
    };
    let end = match (is_last, text.is_empty()) {
        (true, _) => uri.strip_suffix(text).map(str::len),
        (false, true) => None,
        (false, false) => uri.find(text),
    };
    let Some(value) = end.map(|it| &uri[..it]) else { return false };
    if value.is_empty() || (!takes_paths && value.contains('/')) {
        return false;
    }
    values.push(decoded(value));
    path_fits(rest, &uri[value.len()..], values)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digit = |at: usize| behind.get(at).and_then(|it| char::from(*it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_one_part_of_a_path_unless_it_says_more() {
        assert_eq!(fits("a://t/{id}/data", "a://t/12/data"), Some(["12".to_owned()]));
        assert_eq!(fits::<1>("a://t/{id}/data", "a://t/1/2/data"), None);
        assert_eq!(fits::<1>("a://t/{id}/data", "a://t//data"), None);
        assert_eq!(fits("a://{+path}", "a://1/2"), Some(["1/2".to_owned()]));
        assert_eq!(fits("a://{x}/{y}", "a://1/2"), Some(["1".to_owned(), "2".to_owned()]));
        assert_eq!(fits("a://fixed", "a://fixed"), Some([]));
        assert_eq!(fits::<0>("a://fixed", "a://other"), None);
    }

    #[test]
    fn fills_what_fits() {
        for (shop, day) in [("7", "Fri day"), ("窓/口?&=#%41", "100%"), ("a+b", "")] {
            let uri = filled("a://{shop}/x{?day,n}", [shop, day, ""]);
            assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
            let found = fits("a://{shop}/x{?day,n}", &uri);
            assert_eq!(found, Some([shop.to_owned(), day.to_owned(), String::new()]), "{uri}");
        }
        assert_eq!(filled("a://{+path}/end", ["1/2 3"]), "a://1/2%203/end");
        assert_eq!(filled("a://fixed", []), "a://fixed");
    }

    #[test]
    fn a_value_is_decoded_and_half_an_escape_is_left_alone() {
        assert_eq!(fits("a://{x}", "a://%E7%AA%93"), Some(["窓".to_owned()]));
        assert_eq!(fits("a://{x}", "a://100%"), Some(["100%".to_owned()]));
        assert_eq!(fits("a://s{?q,n}", "a://s?n=2"), Some([String::new(), "2".to_owned()]));
    }
}
