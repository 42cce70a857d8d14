//! How a form reaches the person who is to fill it in, by what the client can do.

use output::form::{Form, Kind};
use serde_json::Value;
use toolkit::apps;

/// Fields that are asked for in questions; more are better seen on a page.
const FIELDS_ASKED_MAX: usize = 12;

/// A way to the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The client draws the form itself.
    Page,
    /// The client puts questions, and the form fits into some.
    Questions,
    /// The client opens an address.
    Address,
    /// The client can do nothing of it, or shows it as an app: its answer says where the form is.
    Link,
}

/// The way for `form` to a client with these capabilities; `has_page` says whether there is an
/// address at all.
pub fn way(form: &Form, capabilities: &Value, has_page: bool, fits: bool) -> Way {
    if draws_forms(capabilities) {
        return Way::Page;
    }
    // A client that shows apps shows this form beside the call, whatever else it can do; the answer says where else it is.
    if apps::shows(capabilities) {
        return Way::Link;
    }
    let elicitation = &capabilities["elicitation"];
    let can_open = can_open(capabilities, has_page);
    // Before there were two modes, a client that could elicit at all took forms.
    let puts_questions = elicitation["form"].is_object()
        || (elicitation.is_object() && elicitation["url"].is_null());
    let is_small = asked(form) <= FIELDS_ASKED_MAX || !can_open;
    if puts_questions && fits && is_small {
        Way::Questions
    } else if can_open {
        Way::Address
    } else {
        Way::Link
    }
}

/// Whether a client with these capabilities opens addresses, and there is one.
pub fn can_open(capabilities: &Value, has_page: bool) -> bool {
    capabilities["elicitation"]["url"].is_object() && has_page
}

/// Whether a client with these capabilities is our page, or another one that draws forms itself.
pub fn draws_forms(capabilities: &Value) -> bool {
    capabilities["extensions"]["madoguchi/forms"].is_object()
}

fn asked(form: &Form) -> usize {
    form.fields.iter().filter(|it| it.is_input() && !matches!(it.kind, Kind::Hidden(_))).count()
}

#[cfg(test)]
mod tests {
    use output::form::Field;
    use serde_json::json;

    use super::*;

    fn form(fields: usize) -> Form {
        let field = Field { name: "a".into(), kind: Kind::Checkbox, ..Field::default() };
        Form { fields: vec![field; fields], ..Form::default() }
    }

    #[test]
    fn a_client_gets_the_best_that_it_can_do() {
        let both = json!({ "elicitation": { "form": {}, "url": {} } });
        let app = json!({
            "extensions": { "io.modelcontextprotocol/ui": {} },
            "elicitation": { "form": {}, "url": {} },
        });
        let page = json!({ "extensions": { "madoguchi/forms": {} }, "elicitation": {} });
        for (capabilities, fields, has_page, fits, expected) in [
            (json!({}), 1, true, true, Way::Link),
            (page, 1, true, true, Way::Page),
            (app, 1, true, true, Way::Link),
            (json!({ "elicitation": {} }), 1, true, true, Way::Questions),
            (json!({ "elicitation": { "form": {} } }), 1, true, false, Way::Link),
            (json!({ "elicitation": { "url": {} } }), 1, true, true, Way::Address),
            (json!({ "elicitation": { "url": {} } }), 1, false, true, Way::Link),
            (both.clone(), 1, true, true, Way::Questions),
            (both.clone(), 1, true, false, Way::Address),
            (both.clone(), 50, true, true, Way::Address),
            (both, 50, false, true, Way::Questions),
        ] {
            let found = way(&form(fields), &capabilities, has_page, fits);
            assert_eq!(found, expected, "{capabilities} {fields} {has_page} {fits}");
        }
    }
}
