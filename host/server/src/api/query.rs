//! Decodes the path and query of a URL.

/// Pairs that a query may have, and bytes that it, or a path, may have.
const PAIRS_MAX: usize = 64;
const BYTES_MAX: usize = 8 << 10;

/// The pairs of a query in their order; a sentence where it has none that can be read.
pub(crate) fn pairs(query: &str) -> Result<Vec<(String, String)>, String> {
    if query.len() > BYTES_MAX {
        return Err(format!("The query has {} bytes; {BYTES_MAX} is most.", query.len()));
    }
    let pairs: Vec<_> = query.split('&').filter(|it| !it.is_empty()).collect();
    if pairs.len() > PAIRS_MAX {
        return Err(format!("The query has {} pairs; {PAIRS_MAX} is most.", pairs.len()));
    }
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(&name.replace('+', " "))?, decode(&value.replace('+', " "))?))
    };
    pairs.into_iter().map(pair).collect()
}

/// Decodes `%` escapes.
pub(crate) fn decode(text: &str) -> Result<String, String> {
    if text.len() > BYTES_MAX {
        return Err(format!("The path has {} bytes; {BYTES_MAX} is most.", text.len()));
    }
    let digit = |it: Option<&u8>| it.and_then(|it| char::from(*it).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (Some(high), Some(low)) = (digit(tail.first()), digit(tail.get(1))) else {
            return Err("The URL has a % without two hexadecimal digits after it.".to_owned());
        };
        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| "The URL is not UTF-8 when it is decoded.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_query_in_order() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            pairs("q=%E7%AA%93%E5%8F%A3&near=a+b&flag&&q=2%2B2").unwrap(),
            [pair("q", "窓口"), pair("near", "a b"), pair("flag", ""), pair("q", "2+2")]
        );
        assert_eq!(pairs("").unwrap(), []);
    }

    #[test]
    fn rejects_unreadable_or_oversized_query() {
        for (query, part) in [
            ("q=%zz".to_owned(), "hexadecimal"),
            ("q=%e".to_owned(), "hexadecimal"),
            ("q=%ff".to_owned(), "UTF-8"),
            ("a=1&".repeat(PAIRS_MAX + 1), "64 is most"),
            ("a".repeat(BYTES_MAX + 1), "8192 is most"),
        ] {
            let message = pairs(&query).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        assert!(pairs(&"a=1&".repeat(PAIRS_MAX)).is_ok());
    }
}
