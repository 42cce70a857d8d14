//! Functions of components that were not made for this host, as tools.
//!
//! A component without `madoguchi:tool/tools` offers its exported functions: names, schemas and values follow from
//! their types, without changes to it (SYS-40). Types without a JSON form are listed as left out (SYS-41).

pub(crate) mod arguments;
mod schema;

use std::collections::BTreeMap;

use base::toolsets::is_name;
use serde_json::{Value, json};
use wasmparser::{Parser, Payload};
use wasmtime::{
    Store,
    component::{
        Component, ComponentExportIndex, Instance, Type, Val,
        types::{ComponentFunc, ComponentItem},
    },
};

use crate::{
    bindings::{
        exports::madoguchi::tool::tools::{
            Annotations, Definition, Invocation, Output, Refusal, Stop,
        },
        madoguchi::tool::types::Problem,
    },
    definition::TOOLS_MAX,
};
use arguments::Reader;
use schema::Described;

/// The member under which an output stands that is no object by itself.
const RESULT: &str = "result";
/// Maximum number of reported functions that are no tools.
const LEFT_OUT_MAX: usize = 256;
/// Prefixes of interfaces called by hosts only.
const OF_HOSTS: [&str; 2] = ["wasi:", "madoguchi:tool/"];
/// Prefixes of the interfaces that this host calls.
const HANDLERS: [&str; 2] = ["wasi:http/incoming-handler@", "wasi:http/handler@"];

/// The functions that a component exports.
#[derive(Default)]
pub struct Lifted {
    functions: BTreeMap<String, Function>,
    left_out: Vec<LeftOut>,
}

/// A function that is exported and is no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Export name: `NAME` or `INTERFACE#NAME`.
    pub function: String,
    pub why: String,
}

struct Function {
    description: String,
    index: ComponentExportIndex,
    ty: ComponentFunc,
    described: Described,
}

/// A call with valid arguments.
pub struct Call<'a> {
    function: &'a Function,
    name: &'a str,
    arguments: Vec<Val>,
}

impl Lifted {
    /// Reads exports of `component` as tools named with `prefix`, described by `docs`.
    ///
    /// # Errors
    /// If no function can be a tool; lists the reasons.
    pub fn read(component: &Component, docs: &Docs, prefix: &str) -> Result<Self, String> {
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for (origin, index, ty) in exported(component, &mut left_out) {
            match schema::described(&ty) {
                _ if origin.function.starts_with('[') => {
                    left_out.push(origin.left_out("it belongs to a resource"));
                }
                Err(why) => left_out.push(origin.left_out(&why)),
                Ok(described) => found.push((origin, index, ty, described)),
            }
            // Already too many, whatever follows.
            if found.len() > TOOLS_MAX {
                break;
            }
        }
        left_out.truncate(LEFT_OUT_MAX);
        if found.is_empty() {
            let each = left_out.iter().map(|it| format!("{}: {}", it.function, it.why));
            let all = each.collect::<Vec<_>>().join("; ");
            return Err(if all.is_empty() { "it exports no function".to_owned() } else { all });
        }
        let origins: Vec<_> = found.iter().map(|it| &it.0).collect();
        let names = shortest_unique(&origins);
        let mut functions = BTreeMap::new();
        for (name, (origin, index, ty, described)) in names.into_iter().zip(found) {
            let name = format!("{prefix}{name}");
            let why = match functions.contains_key(&name) {
                true => Some("another one has its name"),
                false => (!is_name(&name)).then_some("its name is too long for a tool's"),
            };
            if let Some(why) = why {
                left_out.push(origin.left_out(why));
                continue;
            }
            let description = docs.of_function(origin.interface.as_deref(), &origin.function);
            let description = description.map_or_else(|| origin.described(), str::to_owned);
            functions.insert(name, Function { description, index, ty, described });
        }
        Ok(Self { functions, left_out })
    }

    /// Exports that are no tools.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Tool definitions. Effects are unknown, so they count as changes.
    pub fn definitions(&self) -> Vec<Definition> {
        let definition = |(name, function): (&String, &Function)| Definition {
            name: name.clone(),
            title: None,
            description: function.description.clone(),
            input_schema: function.described.input.to_string(),
            output_schema: Some(function.described.output.to_string()),
            annotations: Annotations::DESTRUCTIVE | Annotations::OPEN_WORLD,
            view: None,
            meta: None,
        };
        self.functions.iter().map(definition).collect()
    }

    /// Converts arguments of `invocation` to a call, within a byte limit.
    ///
    /// # Errors
    /// What does not fit, each at its place.
    pub fn prepare<'a>(
        &'a self,
        invocation: &'a Invocation,
        bytes_max: usize,
    ) -> Result<Call<'a>, Stop> {
        let whole = |message: &str| {
            let (pointer, message) = (String::new(), message.to_owned());
            Stop::InvalidArguments(vec![Problem { pointer, message }])
        };
        let name = &invocation.name;
        let function = self.functions.get(name).ok_or_else(|| whole("There is no such tool."))?;
        let given: Value = serde_json::from_str(&invocation.arguments).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            whole(&format!("must be JSON; it is broken at line {line}, column {column}"))
        })?;
        let parameters: Vec<_> = function.ty.params().collect();
        let arguments = Reader::new(bytes_max).arguments(&parameters, &given);
        let arguments = arguments.map_err(Stop::InvalidArguments)?;
        Ok(Call { function, name, arguments })
    }
}

impl Call<'_> {
    /// Calls the function and converts its result.
    pub async fn run<T: Send + 'static>(
        &self,
        store: &mut Store<T>,
        instance: Instance,
    ) -> wasmtime::Result<Result<Output, Stop>> {
        let function = instance.get_func(&mut *store, self.function.index);
        let function = function.ok_or_else(|| wasmtime::Error::msg("its function is gone"))?;
        let mut results = vec![Val::Bool(false); self.function.ty.results().len()];
        function.call_async(&mut *store, &self.arguments, &mut results).await?;
        Ok(self.outcome(results.first()))
    }

    fn outcome(&self, result: Option<&Val>) -> Result<Output, Stop> {
        let ty = self.function.ty.results().next();
        let (ty, value) = match (&ty, result) {
            (Some(Type::Result(ty)), Some(Val::Result(Ok(value)))) => (ty.ok(), value.as_deref()),
            (Some(Type::Result(ty)), Some(Val::Result(Err(value)))) => {
                return Err(refusal(self.name, ty.err().zip(value.as_deref())));
            }
            _ => (ty, result),
        };
        let output = match ty.as_ref().zip(value) {
            None => json!({}),
            Some((ty, value)) => {
                let value = arguments::json(ty, value);
                if schema::is_object(ty) { value } else { json!({ RESULT: value }) }
            }
        };
        Ok(Output { structured: Some(output.to_string()), content: Vec::new(), meta: None })
    }
}

/// The error side of a function's result, as a refusal: its code is the case's name, where it has cases.
pub(crate) fn refusal(tool: &str, error: Option<(Type, &Val)>) -> Stop {
    let (mut code, mut message, mut details) = ("failed".to_owned(), String::new(), None);
    if let Some((ty, value)) = error {
        let value_json = arguments::json(&ty, value);
        match value {
            Val::Enum(case) | Val::Variant(case, _) => code = case.replace('-', "_"),
            _ => {}
        }
        message = match value {
            Val::String(text) | Val::Enum(text) | Val::Variant(text, None) => text.clone(),
            Val::Variant(case, Some(text)) => match &**text {
                Val::String(text) => format!("{case}: {text}"),
                _ => match value_json[case]["message"].as_str() {
                    Some(text) => format!("{case}: {text}"),
                    None => value_json.to_string(),
                },
            },
            _ => match value_json.get("message").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => value_json.to_string(),
            },
        };
        details = (!value_json.is_string()).then(|| json!({ "error": value_json }).to_string());
    }
    if message.trim().is_empty() {
        message = format!("{tool} failed and does not say why.");
    }
    Stop::Refused(Refusal { code, message, status: 400, details })
}

/// The functions that `component` exports, at the root and in interfaces, but for those that only hosts call.
fn exported(
    component: &Component,
    left_out: &mut Vec<LeftOut>,
) -> Vec<(Origin, ComponentExportIndex, ComponentFunc)> {
    let engine = component.engine();
    let mut functions = Vec::new();
    for (name, item) in component.component_type().exports(engine) {
        let Some(index) = component.get_export_index(None, name) else { continue };
        match item.ty {
            ComponentItem::ComponentFunc(ty) => {
                functions.push((Origin { interface: None, function: name.to_owned() }, index, ty));
            }
            ComponentItem::ComponentInstance(_)
                if OF_HOSTS.iter().any(|it| name.starts_with(it)) =>
            {
                let why = "it is an interface that hosts call".to_owned();
                let interface = LeftOut { function: name.to_owned(), why };
                let is_called = HANDLERS.iter().any(|it| name.starts_with(it));
                left_out.extend((!is_called).then_some(interface));
            }
            ComponentItem::ComponentInstance(instance) => {
                for (function, item) in instance.exports(engine) {
                    let ComponentItem::ComponentFunc(ty) = item.ty else { continue };
                    let Some(index) = component.get_export_index(Some(&index), function) else {
                        continue;
                    };
                    let (interface, function) = (Some(name.to_owned()), function.to_owned());
                    functions.push((Origin { interface, function }, index, ty));
                }
            }
            _ => {}
        }
    }
    functions
}

// Names of lifted functions as tools, and their documentation from the section `package-docs`, written by WIT tools.

/// Export location of a function.
struct Origin {
    /// `NAMESPACE:PACKAGE/INTERFACE@VERSION`, or a plain name; none at the root.
    interface: Option<String>,
    function: String,
}

/// Parts of the interface name used in the tool name.
#[derive(Clone, Copy)]
enum Detail {
    Interface,
    Package,
    Version,
}

impl Origin {
    fn name(&self, detail: Detail) -> String {
        let Some(whole) = &self.interface else { return fitting(&self.function) };
        let (path, version) = whole.split_once('@').unwrap_or((whole, ""));
        let (package, interface) = path.rsplit_once('/').unwrap_or(("", path));
        let function = &self.function;
        fitting(&match detail {
            _ if package.is_empty() => format!("{interface}_{function}"),
            Detail::Interface => format!("{interface}_{function}"),
            Detail::Package => format!("{package}_{interface}_{function}"),
            Detail::Version => format!("{package}_{interface}_{version}_{function}"),
        })
    }

    /// Export name.
    fn export(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}#{}", self.function),
            None => self.function.clone(),
        }
    }

    /// Default description.
    fn described(&self) -> String {
        match &self.interface {
            Some(interface) => format!("The function {} of {interface}.", self.function),
            None => format!("The function {}.", self.function),
        }
    }

    fn left_out(&self, why: &str) -> LeftOut {
        LeftOut { function: self.export(), why: why.to_owned() }
    }
}

/// The names of the functions from there, in their order.
fn shortest_unique(origins: &[&Origin]) -> Vec<String> {
    let mut names: Vec<_> = origins.iter().map(|it| it.name(Detail::Interface)).collect();
    for detail in [Detail::Package, Detail::Version] {
        let mut times = BTreeMap::<_, usize>::new();
        names.iter().for_each(|it| *times.entry(it.clone()).or_default() += 1);
        for (name, origin) in names.iter_mut().zip(origins) {
            if times.get(name).is_some_and(|it| *it > 1) {
                *name = origin.name(detail);
            }
        }
    }
    names
}

/// Replaces characters that tool names may not have.
fn fitting(name: &str) -> String {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
    name.chars().map(|it| if fits(it) { it } else { '_' }).collect()
}

/// The section's name, the versions of it that are read, and the bytes that it may have.
const SECTION: &str = "package-docs";
const VERSIONS: [u8; 2] = [0, 1];
const BYTES_MAX: usize = 1 << 20;

/// The text of each function that has one, by the interface that it is in.
#[derive(Clone, Debug, Default)]
pub struct Docs(BTreeMap<(Option<String>, String), String>);

impl Docs {
    /// Reads documentation of `component`, empty if unreadable.
    pub fn extract(component: &[u8]) -> Self {
        let mut docs = Self::default();
        for payload in Parser::new(0).parse_all(component) {
            let Ok(Payload::CustomSection(section)) = payload else { continue };
            if section.name() != SECTION || section.data().len() > BYTES_MAX {
                continue;
            }
            let Some((version, json)) = section.data().split_first() else { continue };
            if VERSIONS.contains(version)
                && let Ok(package) = serde_json::from_slice(json)
            {
                docs.read(&package);
            }
        }
        docs
    }

    fn read(&mut self, package: &Value) {
        let members = |it: &Value, key: &str| it[key].as_object().cloned().unwrap_or_default();
        for (name, interface) in members(package, "interfaces") {
            self.functions(Some(&name), &interface["funcs"]);
        }
        for world in members(package, "worlds").values() {
            for exports in ["interface_exports", "interfaces"] {
                for (name, interface) in members(world, exports) {
                    self.functions(Some(&name), &interface["funcs"]);
                }
            }
            self.functions(None, &world["func_exports"]);
            self.functions(None, &world["funcs"]);
        }
    }

    fn functions(&mut self, interface: Option<&str>, functions: &Value) {
        for (name, entry) in functions.as_object().into_iter().flatten() {
            let text = entry.as_str().or_else(|| entry["docs"].as_str()).unwrap_or_default().trim();
            if !text.is_empty() {
                let key = (interface.map(str::to_owned), name.clone());
                self.0.entry(key).or_insert_with(|| text.to_owned());
            }
        }
    }

    /// Documentation of a function in an interface or at the root.
    fn of_function(&self, interface: Option<&str>, function: &str) -> Option<&str> {
        let plain = interface.map(|name| {
            let path = name.split('@').next().unwrap_or(name);
            path.rsplit('/').next().unwrap_or(path).to_owned()
        });
        self.0.get(&(plain, function.to_owned())).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(origins: &[(&str, &str)]) -> Vec<String> {
        let origin = |(interface, function): &(&str, &str)| Origin {
            interface: (!interface.is_empty()).then(|| (*interface).to_owned()),
            function: (*function).to_owned(),
        };
        let origins: Vec<_> = origins.iter().map(origin).collect();
        shortest_unique(&origins.iter().collect::<Vec<_>>())
    }

    #[test]
    fn name_is_shortest_unique_interface_and_function() {
        assert_eq!(
            named(&[
                ("", "add"),
                ("example:text/words@0.1.0", "count-all"),
                ("plain", "count-all"),
                ("a:b/words-count", "all"),
            ]),
            ["add", "words_count-all", "plain_count-all", "words-count_all"]
        );
    }

    #[test]
    fn distinguishes_same_interface_by_package_and_version() {
        assert_eq!(
            named(&[("a:x/i", "f"), ("b:x/i", "f"), ("b:x/i", "g")]),
            ["a_x_i_f", "b_x_i_f", "i_g"]
        );
        assert_eq!(
            named(&[("a:x/i@1.0.0", "f"), ("a:x/i@2.0.0", "f")]),
            ["a_x_i_1.0.0_f", "a_x_i_2.0.0_f"]
        );
    }

    fn component(data: &[u8]) -> Vec<u8> {
        let length = 1 + SECTION.len() + data.len();
        let mut bytes = b"\0asm\x0d\0\x01\0\0".to_vec();
        bytes.extend([(length & 0x7f) as u8 | 0x80, (length >> 7) as u8, SECTION.len() as u8]);
        bytes.extend(SECTION.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn reads_docs_of_functions_in_interfaces_and_root() {
        let json = br#"{"interfaces":{"words":{"docs":"i","funcs":{"count":{"docs":" Counts. "}}}},
            "worlds":{"w":{"func_exports":{"add":"Adds."},
                "interface_exports":{"own":{"funcs":{"go":{"docs":"Goes."},"dumb":{}}}}}}}"#;
        let docs = Docs::extract(&component(&[&b"\x01"[..], json].concat()));
        assert_eq!(docs.of_function(Some("a:b/words@1.0.0"), "count"), Some("Counts."));
        assert_eq!(docs.of_function(None, "add"), Some("Adds."));
        assert_eq!(docs.of_function(Some("own"), "go"), Some("Goes."));
        assert_eq!(docs.of_function(Some("own"), "dumb"), None);
        assert_eq!(docs.of_function(None, "count"), None);
    }

    #[test]
    fn ignores_unreadable_docs_section() {
        for data in [&b""[..], b"\x01", b"\x01[]", b"\x07{}", b"\x01{\"interfaces\":7}"] {
            assert!(Docs::extract(&component(data)).0.is_empty(), "{data:?}");
        }
    }
}
