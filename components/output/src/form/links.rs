//! What fields ask of each other: `dependsOn` and `showIf` name fields that are there, without circles.

use std::collections::HashMap;

use super::{Field, Form, Kind, SchemaFault};

impl Field {
    /// The names of the fields that it is shown or filled by.
    pub fn needed(&self) -> Vec<&str> {
        let parent = self.lookup().and_then(|it| it.depends_on.as_ref());
        let asked = self.show_if.iter().flat_map(|it| it.names());
        parent.map(|(name, _)| name.as_str()).into_iter().chain(asked).collect()
    }
}

/// Where an entry of `fields` is wrong, for those who write definitions.
pub(super) fn fault(
    index: usize,
    kind: &str,
    property: &str,
    japanese: &str,
    english: &str,
) -> SchemaFault {
    let pointer = match property {
        "" => format!("/fields/{index}"),
        property => format!("/fields/{index}/{property}"),
    };
    SchemaFault::new(
        pointer,
        format!("フィールド[{index}]（type: {kind}）{japanese}"),
        format!("fields[{index}] (type: {kind}) {english}"),
    )
}

pub(super) fn check(form: &Form) -> Result<(), SchemaFault> {
    let mut positions = HashMap::new();
    for (at, field) in form.fields.iter().enumerate().filter(|(_, it)| it.is_input()) {
        let name = field.name.as_str();
        if let Some(first) = positions.insert(name, at) {
            return Err(fault(
                at,
                field.kind.name(),
                "name",
                &format!("のname「{name}」はフィールド[{first}]と重複しています。"),
                &format!("has the name “{name}”, which fields[{first}] has already."),
            ));
        }
    }
    for (at, field) in form.fields.iter().enumerate() {
        if let Some((parent, _)) = field.lookup().and_then(|it| it.depends_on.as_ref()) {
            named(form, &positions, at, "dependsOn", parent)?;
        }
        for name in field.show_if.iter().flat_map(|it| it.names()) {
            named(form, &positions, at, "showIf", name)?;
        }
    }
    match circle(form, &positions) {
        None => Ok(()),
        Some(at) => Err(fault(
            at,
            form.fields[at].kind.name(),
            if form.fields[at].show_if.is_some() { "showIf" } else { "dependsOn" },
            "のdependsOnまたはshowIfが循環しています。",
            "asks by dependsOn or showIf for a field that in turn asks for it.",
        )),
    }
}

/// Whether the field that `property` names is there and can be asked for.
fn named(
    form: &Form,
    positions: &HashMap<&str, usize>,
    at: usize,
    property: &str,
    name: &str,
) -> Result<(), SchemaFault> {
    let kind = form.fields[at].kind.name();
    let fault = |japanese: &str, english: &str| {
        let japanese = format!("の{property}「{name}」{japanese}");
        let english = format!("has {property} “{name}”, {english}");
        Err(fault(at, kind, property, &japanese, &english))
    };
    match positions.get(name) {
        None => fault("という入力フィールドはありません。", "which is the name of no input field."),
        Some(it) if *it == at => fault("は自分自身を指しています。", "which is the field itself."),
        Some(it) if property == "dependsOn" && matches!(form.fields[*it].kind, Kind::File(_)) => {
            fault("はファイルなので使えません。", "which is a file and cannot be asked for.")
        }
        Some(_) => Ok(()),
    }
}

/// A field that asks for itself by way of others.
fn circle(form: &Form, positions: &HashMap<&str, usize>) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Never,
        OnThePath,
        Done,
    }
    let mut visits = vec![Visit::Never; form.fields.len()];
    let mut path = Vec::new();
    for start in 0..form.fields.len() {
        path.push((start, false));
        while let Some((at, is_done)) = path.pop() {
            if is_done {
                visits[at] = Visit::Done;
                continue;
            }
            if visits[at] != Visit::Never {
                continue;
            }
            visits[at] = Visit::OnThePath;
            path.push((at, true));
            let needed = form.fields[at].needed();
            for next in needed.into_iter().filter_map(|name| positions.get(name)) {
                match visits[*next] {
                    Visit::OnThePath => return Some(at),
                    Visit::Never => path.push((*next, false)),
                    Visit::Done => {}
                }
            }
        }
    }
    None
}
