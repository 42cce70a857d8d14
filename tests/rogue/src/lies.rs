//! Invalid outputs.

use schemars::JsonSchema;
use serde::{Serialize, Serializer, ser::SerializeStruct};
use toolkit::User;

/// The name by which serde_json accepts raw JSON without checks.
const RAW: &str = "$serde_json::private::RawValue";

/// Claims to be an object and outputs any text.
#[derive(JsonSchema)]
pub(crate) struct Raw {
    #[schemars(skip)]
    text: String,
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut raw = to.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, &self.text)?;
        raw.end()
    }
}

misdeed!(
    Babble,
    "babble",
    "でたらめ",
    "Babble",
    "Puts out what is no JSON.",
    Raw,
    |_: &User| Ok(Raw { text: "{\"answer\": forty-two".to_owned() })
);

misdeed!(
    Nest,
    "nest",
    "入れ子",
    "Nest",
    "Puts out JSON of a hundred thousand levels.",
    Raw,
    |_: &User| {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        Ok(Raw { text: format!("{{\"nest\":{open}{close}}}") })
    }
);
