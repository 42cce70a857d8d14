//! Where a look-up goes: to this host as it is, to anywhere else through this host (FORM-49).

use std::fmt::Write;

/// Longer than any URL that a host takes.
const BYTES_MAX: usize = 8 << 10;

/// What the page asks for this URL; none where it is neither a path of this host nor `https://…`.
pub(crate) fn of(url: &str) -> Option<String> {
    // A browser drops control characters and reads `\` as `/`: what looks like a path could lead
    // elsewhere, and the token goes along.
    let is_plain = !url.chars().any(|it| it.is_control() || it == '\\' || it == ' ');
    if !is_plain || url.len() > BYTES_MAX {
        return None;
    }
    if url.starts_with('/') && !url.starts_with("//") {
        return Some(url.to_owned());
    }
    let is_absolute = url.starts_with("https://") || url.starts_with("http://");
    is_absolute.then(|| format!("/api/form/lookup?url={}", encoded(url)))
}

/// As one value of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_this_hosts_path_as_it_is_and_all_else_through_the_host() {
        assert_eq!(of("/api/demo/users?q=a").as_deref(), Some("/api/demo/users?q=a"));
        assert_eq!(
            of("https://api.example.com/users/search?q=%E5%B1%B1&limit=10").as_deref(),
            Some(
                "/api/form/lookup?url=https%3A%2F%2Fapi.example.com%2Fusers%2Fsearch%3Fq%3D%25E5%25B1%25B1%26limit%3D10"
            )
        );
    }

    #[test]
    fn what_only_looks_like_a_path_is_not_asked_at_all() {
        for url in
            ["//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:x", "", "a"]
        {
            assert_eq!(of(url), None, "{url:?}");
        }
        assert_eq!(of(&format!("/{}", "x".repeat(BYTES_MAX))), None);
    }
}
