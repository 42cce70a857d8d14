//! Tools whose schemas must reach the client word for word.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolkit::{English, Stop, Text, Tool, User};

/// A tool with what only JSON Schema 2020-12 can say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonSchema202012 {
    name: Option<String>,
    address: Option<Value>,
    #[serde(rename = "contactMethod")]
    contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

impl Tool for JsonSchema202012 {
    const NAME: &'static str = "json_schema_2020_12_tool";
    const TITLE: Text = Text { ja: "JSON Schema 2020-12", en: "JSON Schema 2020-12" };
    const ENGLISH: English = crate::english();
    const INPUT_SCHEMA: Option<&'static str> = Some(include_str!("schema_2020_12.json"));
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        let reached = self.phone.or(self.email);
        let by = self.contact_method.unwrap_or_default();
        user.show(format!("{:?} at {:?} by {by}: {reached:?}", self.name, self.address));
        Ok(())
    }
}

/// A tool with an argument that clients tell in a header too.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CustomHeader {
    /// Goes out as `Mcp-Param-Region` as well.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

impl Tool for CustomHeader {
    const NAME: &'static str = "test_custom_header";
    const TITLE: Text = Text { ja: "見出し", en: "Header" };
    const ENGLISH: English = crate::english();
    type Output = ();

    fn call(self, user: &User) -> Result<(), Stop> {
        user.show(format!("The region is {}.", self.region));
        Ok(())
    }
}
