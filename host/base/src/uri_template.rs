//! URI templates: the part of RFC 6570 needed to match a URI, without extracting variables.

use regex::Regex;

/// Bytes that a URI or a template may have.
pub const URI_BYTES_MAX: usize = 2 << 10;
/// Variables of one template.
const VARIABLES_MAX: usize = 32;

/// A template that URIs can be held against.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    text: String,
    pattern: Regex,
}

impl UriTemplate {
    /// The template in `text`.
    ///
    /// # Errors
    /// How to fix the template.
    pub fn new(text: &str) -> Result<Self, String> {
        Self::read(text, false)
    }

    /// Parses an upstream template. Variables of unsupported kinds match anything.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of_another(text: &str) -> Result<Self, String> {
        Self::read(text, true)
    }

    fn read(text: &str, is_anothers: bool) -> Result<Self, String> {
        let long = || format!("it has more than {URI_BYTES_MAX} bytes");
        let brace = || "a brace has no partner".to_owned();
        if text.len() > URI_BYTES_MAX {
            return Err(long());
        }
        let literal = |text: &str| match text.contains('}') {
            true => Err(brace()),
            false => Ok(regex::escape(text)),
        };
        let (mut pattern, mut variables, mut rest) = (r"\A".to_owned(), 0, text);
        while let Some((before, after)) = rest.split_once('{') {
            let (variable, after) = after.split_once('}').ok_or_else(brace)?;
            pattern += &literal(before)?;
            let fits = after.is_empty() || !variable.starts_with('?');
            let part = part(variable).filter(|_| fits);
            let part = part.or_else(|| is_anothers.then(|| "(?s:.*)".to_owned()));
            pattern += &part.ok_or_else(|| {
                format!("{{{variable}}} cannot be matched; {{name}}, {{+name}} and, at the end, {{?name,name}} can")
            })?;
            (rest, variables) = (after, variables + 1);
        }
        pattern += &(literal(rest)? + r"\z");
        if variables > VARIABLES_MAX {
            return Err(format!("it has more than {VARIABLES_MAX} variables"));
        }
        if !has_scheme(text.split('{').next().unwrap_or_default()) {
            let what = "it must begin with a scheme, such as `shop://`, before its first variable";
            return Err(what.to_owned());
        }
        // The pattern is well-formed, so only its size can be invalid.
        let pattern = Regex::new(&pattern).map_err(|_| long())?;
        Ok(Self { text: text.to_owned(), pattern })
    }

    /// The template's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether `uri` fits. Takes time in proportion to both lengths, whatever they hold.
    pub fn matches(&self, uri: &str) -> bool {
        uri.len() <= URI_BYTES_MAX && self.pattern.is_match(uri)
    }
}

/// Whether `uri` starts with a scheme and colon.
pub fn has_scheme(uri: &str) -> bool {
    let Some((scheme, _)) = uri.split_once(':') else { return false };
    scheme.starts_with(|it: char| it.is_ascii_alphabetic())
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
}

/// The regex of a variable: `{name}` matches a segment without `/`, `?` and `#`, `{+name}` matches anything, `{?a,b}`
/// matches an optional query of these names.
fn part(variable: &str) -> Option<String> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || "_.-".contains(it))
    };
    if let Some(names) = variable.strip_prefix('?') {
        let pair = format!("(?:{})(?:=[^&]*)?", regex::escape(names).replace(',', "|"));
        return names.split(',').all(is_name).then(|| format!(r"(?:\?{pair}(?:&{pair})*)?"));
    }
    match variable.strip_prefix('+') {
        Some(name) => is_name(name).then(|| "(?s:.+)".to_owned()),
        None => is_name(variable).then(|| "[^/?#]+".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(template: &str, uri: &str) -> bool {
        UriTemplate::new(template).unwrap().matches(uri)
    }

    #[test]
    fn name_matches_one_segment_and_plus_matches_any() {
        assert!(matches("shop://orders/{id}", "shop://orders/7"));
        assert!(!matches("shop://orders/{id}", "shop://orders/"), "something must be there");
        assert!(!matches("shop://orders/{id}", "shop://orders/7/lines"));
        assert!(!matches("shop://orders/{id}", "shop://orders/7?all"));
        assert!(matches("shop://orders/{id}/lines", "shop://orders/7/lines"));
        assert!(matches("file:///{+path}", "file:///a/b%20c?d#e"));
        assert!(!matches("file:///{+path}", "file:///"));
        assert!(matches("a:{x}-{y}", "a:1-2-3"), "wherever the parts may end");
        assert!(matches("a:/{+x}/z", "a:/1/z/2/z"));
        assert!(!matches("a:/{+x}/z", "a:/1/z/2"));
        assert!(matches("a:窓口/{名}".replace('名', "n").as_str(), "a:窓口/席"));
    }

    #[test]
    fn query_is_optional_and_has_only_its_names() {
        let fits = |uri| matches("shop://seats{?row,number}", uri);
        assert!(
            fits("shop://seats")
                && fits("shop://seats?row=A")
                && fits("shop://seats?number=1&row=A")
        );
        assert!(!fits("shop://seats?price=1") && !fits("shop://seats?") && !fits("shop://seats/x"));
        assert!(matches("shop://{hall}{?row}", "shop://1?row=A"));
    }

    #[test]
    fn names_supported_forms_for_unmatchable_templates() {
        let error = |text: &str| UriTemplate::new(text).unwrap_err();
        for unnamed in ["{+anything}", "orders/{id}"] {
            assert!(error(unnamed).contains("a scheme"));
        }
        for unpaired in ["shop://{id", "shop://id}"] {
            assert!(error(unpaired).contains("no partner"));
        }
        for variable in ["/path", "#part", "id*", "id:3", "a,b", "", "?", "&a"] {
            let found = error(&format!("shop://x{{{variable}}}"));
            assert!(found.starts_with(&format!("{{{variable}}} cannot be matched")));
        }
        assert!(error("shop://{?a}/b").contains("at the end"));
        assert!(error(&format!("a:{}", "{x}".repeat(65))).ends_with("variables"));
        assert!(error(&format!("a:{}", "x".repeat(URI_BYTES_MAX))).ends_with("bytes"));
    }

    #[test]
    fn upstream_templates_may_have_any_variable_kind() {
        let matches =
            |template: &str, uri: &str| UriTemplate::of_another(template).unwrap().matches(uri);
        let contents = "repo://{owner}/{repo}/refs/heads/{branch}/contents{/path*}";
        assert!(matches(contents, "repo://a/b/refs/heads/main/contents/docs/x.md"));
        assert!(matches(contents, "repo://a/b/refs/heads/main/contents"));
        assert!(!matches(contents, "repo://a/b/refs/tags/v1/contents/docs/x.md"));
        assert!(matches("docs://{path*}", "docs://a/b/c"));
        assert!(matches("db://rows{?q,where*}", "db://rows?q=1&a=2"));
        assert!(matches("db://{a,b}/x{?q}{&r}", "db://1,2/x?q=1&r=2"));
        assert!(!matches("shop://orders/{id}", "shop://orders/7/lines"), "as ever");
        for text in ["{/path}", "orders/{id}", "shop://{id", "shop://id}"] {
            assert!(UriTemplate::of_another(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_uri_keeps_the_matcher_busy() {
        let template = UriTemplate::new(&format!("a:{}z", "{+x}".repeat(32))).unwrap();
        assert!(!template.matches(&format!("a:{}", "y".repeat(URI_BYTES_MAX - 2))));
        assert!(!template.matches(&format!("a:{}z", "y".repeat(URI_BYTES_MAX))), "too long");
    }
}
