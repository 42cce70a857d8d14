//! A DER reader for certificates and timestamps.

/// SEQUENCE, SET, INTEGER, OCTET STRING, OBJECT IDENTIFIER, UTF8String and GeneralizedTime.
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OBJECT: u8 = 0x06;
pub(super) const UTF8: u8 = 0x0c;
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
