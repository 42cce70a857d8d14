//! Addresses that others wrote, and that a reader may press.

/// Whether an address is one of the web, and looks like what it is.
pub(crate) fn is_link(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let is_plain = !url.chars().any(|it| it.is_control() || it.is_whitespace() || it == '\\');
    is_plain && !host.is_empty() && !host.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_web_and_look_like_it() {
        for good in ["https://a.example/x?y#z", "http://a.example"] {
            assert!(is_link(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://",
            "https:///x",
            "ftp://a.example",
            "https://bank.example@evil.example",
            "https://a.example\\@b",
            "https://a\nb",
            "//a.example",
            "file:///etc",
        ] {
            assert!(!is_link(bad), "{bad}");
        }
    }
}
