//! Instructions without their HTML: plain text, in one line, whatever stood there.

/// Characters that one instruction may have.
const CHARACTERS_MAX: usize = 1_000;

/// The text of `html`: tags go, entities become what they stand for, once. What comes out is text for
/// good: `&lt;b&gt;` reads `<b>` and is never a tag.
pub fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        rest = if from.starts_with('<') { tag(from, &mut text) } else { entity(from, &mut text) };
    }
    text.push_str(rest);
    let words = text.split(|it: char| it.is_whitespace() || it.is_control());
    let words: Vec<_> = words.filter(|it| !it.is_empty()).collect();
    words.join(" ").chars().take(CHARACTERS_MAX).collect()
}

/// What follows the tag that `from` begins with; a `<` that begins none is a sign like any other.
fn tag<'a>(from: &'a str, text: &mut String) -> &'a str {
    let inner = &from[1..];
    let begins = |it: char| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?');
    if !inner.starts_with(begins) {
        text.push('<');
        return inner;
    }
    // A tag that does not end is the end of the text.
    let Some(end) = inner.find('>') else { return "" };
    let (name, rest) = (name(&inner[..end]), &inner[end + 1..]);
    match name.as_str() {
        // What they hold is not text.
        "script" | "style" => after_end(rest, &name),
        "div" | "/div" | "br" | "br/" | "p" | "/p" => {
            text.push(' ');
            rest
        }
        _ => rest,
    }
}

/// The name of a tag, in lower case.
fn name(tag: &str) -> String {
    let name = tag.split(|it: char| it.is_whitespace()).next().unwrap_or_default();
    name.to_ascii_lowercase()
}

/// What follows `</NAME…>`; nothing where it does not end.
fn after_end<'a>(rest: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let Some(at) = rest.to_ascii_lowercase().find(&end) else { return "" };
    rest[at..].find('>').map_or("", |it| &rest[at + it + 1..])
}

/// What follows the entity that `from` begins with; an `&` that begins none is a sign like any other.
fn entity<'a>(from: &'a str, text: &mut String) -> &'a str {
    let end = from.char_indices().take(12).find(|it| it.1 == ';').map(|it| it.0);
    let Some((end, sign)) = end.and_then(|end| Some((end, sign(&from[1..end])?))) else {
        text.push('&');
        return &from[1..];
    };
    text.push(sign);
    &from[end + 1..]
}

fn sign(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_what_they_held_stays() {
        for (html, text) in [
            ("<b>右折</b>して<b>国道15号</b>に入る", "右折して国道15号に入る"),
            (
                "Turn <b>left</b><div style=\"font-size:0.9em\">Toll road</div>",
                "Turn left Toll road",
            ),
            ("首都高速<wbr/>1号", "首都高速1号"),
            ("A &amp; B &lt;C&gt; &#39;D&#x27; &quot;E&quot;&nbsp;F", "A & B <C> 'D' \"E\" F"),
            ("1 < 2 && 3 &unknown; &#xffffffff; &", "1 < 2 && 3 &unknown; &#xffffffff; &"),
        ] {
            assert_eq!(plain(html), text);
        }
    }

    #[test]
    fn nothing_that_runs_comes_out_and_nothing_is_decoded_twice() {
        for (html, text) in [
            ("<script>alert(1)</script>北へ", "北へ"),
            ("<STYLE>b{}</STYLE >北へ", "北へ"),
            ("<img src=x onerror=alert(1)>北へ", "北へ"),
            ("北へ<img src=x onerror=alert(1)", "北へ"),
            ("<scr<script>ipt>北へ", "ipt>北へ"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("a\u{0}b\r\nc", "a b c"),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
        assert_eq!(plain(&"あ".repeat(5_000)).chars().count(), CHARACTERS_MAX);
    }
}
