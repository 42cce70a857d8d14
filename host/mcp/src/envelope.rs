//! What a JSON-RPC message says of itself, for messages that are too large to be kept or are no JSON.

use rmcp::model::RequestId;

/// Maximum size of a name or a value that is read, in bytes.
const TOKEN_BYTES_MAX: usize = 256;

/// Reads the members of a message that tell what it is, byte by byte and wherever they stand. Members of its parameters
/// or its result do not count.
#[derive(Default)]
pub(crate) struct Envelope {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// The name of the member, and what is read of the next name or of its value.
    name: Vec<u8>,
    token: Vec<u8>,
    id: Option<RequestId>,
    /// Whether it has a method: it is a request or a notification.
    pub(crate) has_method: bool,
    /// Whether it has a result or an error: it is an answer.
    pub(crate) has_answer: bool,
}

impl Envelope {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut envelope = Self::default();
        envelope.read(bytes);
        envelope
    }

    pub(crate) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|it| self.take(*it));
    }

    /// The id of the request that it answers. `None` if it is no answer.
    pub(crate) fn answered(&self) -> Option<RequestId> {
        self.id.clone().filter(|_| !self.has_method)
    }

    /// The id of the request that it is.
    pub(crate) fn requested(&self) -> Option<RequestId> {
        self.id.clone().filter(|_| self.has_method && !self.has_answer)
    }

    fn take(&mut self, byte: u8) {
        if self.is_in_text {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => {
                self.name = std::mem::take(&mut self.token);
                self.has_method |= self.name == b"\"method\"";
                self.has_answer |= self.name == b"\"result\"" || self.name == b"\"error\"";
            }
            _ => {
                self.is_in_text = byte == b'"';
                if !byte.is_ascii_whitespace() {
                    self.keep(byte);
                }
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_BYTES_MAX {
            self.token.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.name == b"\"id\"" {
            self.id = serde_json::from_slice(&self.token).ok();
        }
        self.name.clear();
        self.token.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_id_wherever_it_stands() {
        let large = "\\\"id\\\":1,{[".repeat(1_000);
        for (text, answered, requested) in [
            (format!(r#"{{"id":7,"result":{{"id":1,"t":"{large}"#), Some(7), None),
            (
                format!(r#"{{"result":{{"t":"{large}","id":1}}, "id" : 7 ,"more":1}}"#),
                Some(7),
                None,
            ),
            (format!(r#"{{"a":"{large}","id":7,"error":["{large}"],"b":[]}}"#), Some(7), None),
            (
                format!(r#"{{"params":{{"id":1,"t":"{large}"}},"method":"a","id":7}}"#),
                None,
                Some(7),
            ),
            (r#"{"id":7,"method":"a","params":{"id":3"#.to_owned(), None, Some(7)),
            (r#"{"id":7,"method":"a","result":NaN}"#.to_owned(), None, None),
            (r#"{"method":"id","params":{"id":3}}"#.to_owned(), None, None),
            (format!(r#"[{{"id":7,"result":"{large}"}}]"#), None, None),
            (format!(r#"{{"id":"{}","result":1}}"#, "x".repeat(300)), None, None),
            ("}}{\"id\":7}".to_owned(), Some(7), None),
        ] {
            let mut envelope = Envelope::default();
            text.as_bytes().chunks(7).for_each(|it| envelope.read(it));
            let id = |it: i64| RequestId::Number(it);
            assert_eq!(envelope.answered(), answered.map(id), "{text:.80}");
            assert_eq!(envelope.requested(), requested.map(id), "{text:.80}");
        }
    }
}
