//! Reads the names in a certificate, whose chain is verified before, and DER, of which timestamps are as well.

/// Names of the holder (2.5.29.17): mail addresses and URIs among them.
const NAMES: &[u8] = b"\x55\x1d\x11";
const MAIL: u8 = 0x81;
const URI: u8 = 0x86;
/// OID of the issuer extension (1.3.6.1.4.1.57264.1.8), and the older one (….1.1).
const ISSUER: &[u8] = b"\x2b\x06\x01\x04\x01\x83\xbf\x30\x01\x08";
const OLDER_ISSUER: &[u8] = b"\x2b\x06\x01\x04\x01\x83\xbf\x30\x01\x01";
/// Names that are looked at.
const NAMES_MAX: usize = 16;

/// Subject and issuer of a certificate.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Mail addresses and URIs.
    pub(super) names: Vec<String>,
    /// The identity provider's URL.
    pub(super) issuer: Option<String>,
    /// The public key in its DER form.
    pub(super) key: Vec<u8>,
}

impl Named {
    /// Parses a certificate.
    pub(super) fn read(certificate: &[u8]) -> Option<Self> {
        let all = Values(certificate).next_of(SEQUENCE)?;
        let mut parts = Values(Values(all.content).next_of(SEQUENCE)?.content);
        // Version, number and algorithm; issuer, validity and subject; then the key.
        if parts.next()?.tag == 0xa0 {
            parts.next()?;
        }
        for _ in 0..4 {
            parts.next_of(SEQUENCE)?;
        }
        let mut named = Self { key: parts.next_of(SEQUENCE)?.whole.to_owned(), ..Self::default() };
        let mut older = None;
        while let Some(part) = parts.next() {
            if part.tag != 0xa3 {
                continue;
            }
            let mut extensions = Values(Values(part.content).next_of(SEQUENCE)?.content);
            while let Some(extension) = extensions.next_of(SEQUENCE) {
                let mut fields = Values(extension.content);
                let name = fields.next_of(OBJECT)?.content;
                let mut value = fields.next()?;
                if value.tag != OCTETS {
                    value = fields.next_of(OCTETS)?;
                }
                match name {
                    NAMES => named.names = names(value.content)?,
                    ISSUER => {
                        named.issuer = Some(text(Values(value.content).next_of(UTF8)?.content)?);
                    }
                    OLDER_ISSUER => older = Some(text(value.content)?),
                    _ => {}
                }
            }
        }
        named.issuer = named.issuer.or(older);
        Some(named)
    }
}

fn names(value: &[u8]) -> Option<Vec<String>> {
    let mut all = Values(Values(value).next_of(SEQUENCE)?.content);
    let mut names = Vec::new();
    while let Some(value) = all.next() {
        if [MAIL, URI].contains(&value.tag) && names.len() < NAMES_MAX {
            names.push(text(value.content)?);
        }
    }
    Some(names)
}

fn text(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// SEQUENCE, SET, INTEGER, OCTET STRING, OBJECT IDENTIFIER, UTF8String and GeneralizedTime.
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OBJECT: u8 = 0x06;
const UTF8: u8 = 0x0c;
pub(super) const TIME: u8 = 0x18;

/// One DER value: tag, content and complete bytes.
pub(super) struct Value<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
    pub(super) whole: &'a [u8],
}

/// Values one after another.
pub(super) struct Values<'a>(pub(super) &'a [u8]);

impl<'a> Values<'a> {
    pub(super) fn next(&mut self) -> Option<Value<'a>> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        let (length, head) = match usize::from(*first) {
            short @ 0..=0x7f => (short, 2),
            long @ 0x81..=0x84 => {
                let digits = rest.get(..long - 0x80)?;
                let length = digits.iter().fold(0, |it, digit| it << 8 | usize::from(*digit));
                (length, 2 + digits.len())
            }
            _ => return None,
        };
        let whole = self.0.get(..head.checked_add(length)?)?;
        self.0 = &self.0[whole.len()..];
        Some(Value { tag: *tag, content: &whole[head..], whole })
    }

    pub(super) fn next_of(&mut self, tag: u8) -> Option<Value<'a>> {
        self.next().filter(|it| it.tag == tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_certificate_has_no_names() {
        for bytes in
            [&b""[..], b"\x30", b"\x30\x80", b"\x30\x84\xff\xff\xff\xff", b"\x30\x02\x30\x00"]
        {
            assert_eq!(Named::read(bytes), None, "{bytes:?}");
        }
    }
}
