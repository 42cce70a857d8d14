//! Numbers and texts as bytes, each read checked.

use crate::source::SourceError;

/// Says what is wrong with a file.
pub(crate) fn damaged(what: &str) -> SourceError {
    SourceError(format!("the map's file is damaged: {what}"))
}

/// A sum over bytes that a flipped one changes; eight bytes at a time, for it runs over all that is read.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
        sum ^= sum >> 29;
    }
    for &byte in rest {
        sum = (sum ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    (sum ^ (sum >> 32)) as u32
}

/// Appends the checksum of all that is there.
pub(crate) fn append_checksum(bytes: &mut Vec<u8>) {
    let sum = checksum(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// What was sealed, if it still is as it was.
pub(crate) fn verify<'b>(bytes: &'b [u8], what: &str) -> Result<&'b [u8], SourceError> {
    match bytes.split_last_chunk::<4>() {
        Some((body, sum)) if checksum(body) == u32::from_le_bytes(*sum) => Ok(body),
        _ => Err(damaged(what)),
    }
}

/// Appends a number, seven bits a byte.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number that may be negative; small ones are short either way.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends a text with its length.
pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what was put, front to back.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    what: &'static str,
}

impl<'b> Reader<'b> {
    /// Of these bytes; `what` names them where they turn out damaged.
    pub(crate) fn new(bytes: &'b [u8], what: &'static str) -> Self {
        Self { bytes, what }
    }

    /// The error where the bytes make no sense.
    pub(crate) fn damaged(&self) -> SourceError {
        damaged(self.what)
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, SourceError> {
        let (&first, rest) = self.bytes.split_first().ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(first)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'b [u8], SourceError> {
        let (head, rest) = self.bytes.split_at_checked(length).ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], SourceError> {
        let (head, rest) = self.bytes.split_first_chunk::<N>().ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(*head)
    }

    pub(crate) fn number(&mut self) -> Result<u64, SourceError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    /// A number that fits 32 bits.
    pub(crate) fn small(&mut self) -> Result<u32, SourceError> {
        u32::try_from(self.number()?).map_err(|_| self.damaged())
    }

    pub(crate) fn signed(&mut self) -> Result<i64, SourceError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// `before` and what was put as the difference to it, where that is at most `most`.
    pub(crate) fn after(&mut self, before: i64, most: u32) -> Result<u32, SourceError> {
        let number = before.wrapping_add(self.signed()?);
        u32::try_from(number).ok().filter(|&it| it <= most).ok_or_else(|| self.damaged())
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, SourceError> {
        let length = usize::try_from(self.number()?).map_err(|_| self.damaged())?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| self.damaged())
    }
}
