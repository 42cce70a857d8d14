//! Shrinks the page's WebAssembly: removes sections for tools and shortens names that compress badly.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use anyhow::{Context, Result, bail};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ElementSection, ExportSection, FunctionSection, ImportSection, Module, TypeSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, Element, ElementItems, ElementKind, Export,
    FunctionSectionReader, Import, Imports, Operator, Parser, Payload, TypeRef, TypeSectionReader,
};

/// Hexadecimal digits of the hash behind a name.
const HASH: usize = 16;

/// Rewrites a part with shortest number encodings, without names of functions and tools, and without types that it does
/// not use: each of the many pieces brings those of the whole program.
pub(crate) fn lean(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut all = Used::default();
    utils::parse_core_module(&mut all, &mut Module::new(), Parser::new(0), wasm)
        .context("a part is WebAssembly")?;
    let types = (0..).zip(all.0).map(|(new, old)| (old, new)).collect();
    written(wasm, Lean { names: None, types: Some(types), order: Order::of(wasm)? })
}

/// Rewrites the main program and its JavaScript binding, which then call hashed names by number.
pub(crate) fn lean_program(wasm: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut names = Names::default();
    let lean = Lean { names: Some(&mut names), types: None, order: Order::of(wasm)? };
    let wasm = written(wasm, lean)?;
    Ok((wasm, names.in_script(script)?))
}

fn written(wasm: &[u8], mut lean: Lean<'_>) -> Result<Vec<u8>> {
    let mut module = Module::new();
    utils::parse_core_module(&mut lean, &mut module, Parser::new(0), wasm)
        .context("the page is WebAssembly")?;
    Ok(module.finish())
}

/// Short names of hashed names.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn shorten(&mut self, name: &str) -> String {
        let is_hash = |it: &str| it.len() == HASH && it.bytes().all(|it| it.is_ascii_hexdigit());
        let last = name.rsplit('_').next().unwrap_or_default();
        if !is_hash(last) && !last.strip_prefix('h').is_some_and(is_hash) {
            return name.to_owned();
        }
        let number = self.0.len();
        self.0.entry(name.to_owned()).or_insert_with(|| format!("_{number:x}")).clone()
    }

    fn in_script(&self, script: &str) -> Result<String> {
        let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let (mut text, mut found) = (String::new(), BTreeSet::new());
        let mut rest = script;
        while let Some(begin) = rest.find(is_of_name) {
            let (before, from) = rest.split_at(begin);
            let (name, after) =
                from.split_at(from.find(|it| !is_of_name(it)).unwrap_or(from.len()));
            text.push_str(before);
            text.push_str(self.0.get(name).map_or(name, String::as_str));
            found.insert(name);
            rest = after;
        }
        let other = self.0.keys().find(|it| !found.contains(it.as_str()));
        if let Some(other) = other {
            bail!("the JavaScript that binds the page has no {other}");
        }
        Ok(text + rest)
    }
}

/// The order of a module's functions by their code: what begins alike is compressed best side by side.
struct Order {
    /// The number of functions that the module imports, and that keep their place.
    imported: u32,
    /// The functions in their new order, by their old places.
    old: Vec<u32>,
    /// The new places of the functions, by their old places.
    new: Vec<u32>,
}

impl Order {
    fn of(wasm: &[u8]) -> Result<Self> {
        let (mut imported, mut bodies) = (0, Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.context("a part is WebAssembly")? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
                _ => {}
            }
        }
        let mut old: Vec<u32> = (0..).take(bodies.len()).collect();
        old.sort_by_key(|at| bodies[*at as usize]);
        let mut new = vec![0; old.len()];
        (0..).zip(&old).for_each(|(place, at)| new[*at as usize] = place);
        Ok(Self { imported, old, new })
    }

    /// New number of a function.
    fn renumbered(&self, function: u32) -> u32 {
        let own = function.checked_sub(self.imported);
        let place = own.and_then(|at| self.new.get(at as usize));
        place.map_or(function, |place| self.imported + place)
    }

    /// What there is of each function, in the new order.
    fn sorted<T, E>(&self, each: impl Iterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
        let mut all =
            each.collect::<Result<Vec<_>, E>>()?.into_iter().map(Some).collect::<Vec<_>>();
        Ok(self.old.iter().filter_map(|at| all.get_mut(*at as usize)?.take()).collect())
    }
}

/// Numbers of the types that a module uses.
#[derive(Default)]
struct Used(BTreeSet<u32>);

impl Reencode for Used {
    type Error = Infallible;

    fn type_index(&mut self, index: u32) -> Result<u32, Error<Infallible>> {
        self.0.insert(index);
        Ok(index)
    }

    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }
}

/// Rewriter of a module.
struct Lean<'a> {
    /// `None` for parts, which have no names of their own.
    names: Option<&'a mut Names>,
    /// New numbers of the types that stay; `None` if all do.
    types: Option<BTreeMap<u32, u32>>,
    order: Order,
}

impl Reencode for Lean<'_> {
    type Error = Infallible;

    fn type_index(&mut self, index: u32) -> Result<u32, Error<Infallible>> {
        Ok(self.types.as_ref().and_then(|it| it.get(&index).copied()).unwrap_or(index))
    }

    fn function_index(&mut self, index: u32) -> Result<u32, Error<Infallible>> {
        Ok(self.order.renumbered(index))
    }

    fn parse_function_section(
        &mut self,
        section: &mut FunctionSection,
        functions: FunctionSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for kind in self.order.sorted(functions.into_iter())? {
            section.function(self.type_index(kind)?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        section: &mut CodeSection,
        code: CodeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for body in self.order.sorted(code.into_iter())? {
            self.parse_function_body(section, body)?;
        }
        Ok(())
    }

    fn parse_type_section(
        &mut self,
        section: &mut TypeSection,
        types: TypeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for (index, group) in (0..).zip(types) {
            if self.types.as_ref().is_none_or(|it| it.contains_key(&index)) {
                self.parse_recursive_type_group(section.ty(), group?)?;
            }
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }

    fn parse_imports(
        &mut self,
        section: &mut ImportSection,
        imports: Imports<'_>,
    ) -> Result<(), Error<Infallible>> {
        match (imports, &mut self.names) {
            (Imports::Single(at, import), Some(names)) => {
                let import = Import { name: &names.shorten(import.name), ..import };
                utils::parse_imports(self, section, Imports::Single(at, import))
            }
            (imports, _) => utils::parse_imports(self, section, imports),
        }
    }

    fn parse_export(
        &mut self,
        section: &mut ExportSection,
        export: Export<'_>,
    ) -> Result<(), Error<Infallible>> {
        let name = self.names.as_mut().map(|it| it.shorten(export.name));
        let name = name.as_deref().unwrap_or(export.name);
        utils::parse_export(self, section, Export { name, ..export })
    }

    /// Drops null entries of the program's initial table, one per function of a part.
    fn parse_element(
        &mut self,
        section: &mut ElementSection,
        element: Element<'_>,
    ) -> Result<(), Error<Infallible>> {
        if self.names.is_some()
            && let (ElementKind::Active { .. }, ElementItems::Expressions(_, items)) =
                (&element.kind, &element.items)
            && items.clone().into_iter().all(|item| {
                let first = item.and_then(|it| it.get_operators_reader().read());
                matches!(first, Ok(Operator::RefNull { .. }))
            })
        {
            return Ok(());
        }
        utils::parse_element(self, section, element)
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ConstExpr, CustomSection, Elements, EntityType, ExportKind, Function, HeapType,
        Instruction, RefType, TableSection, TableType, ValType,
    };

    use super::*;

    /// A hashed name on both sides of the binding.
    const THEN: &str = "__wbg_then_c917b5481fbc488f";
    const INVOKE: &str = "closures_____invoke__h672a4d21634d4a24";

    /// A module that imports and exports, with a table of its own and with a section for tools.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32], []);
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("./frontend_bg.js", THEN, EntityType::Function(1));
        let mut tables = TableSection::new();
        let of_functions = TableType {
            element_type: RefType::FUNCREF,
            minimum: 3,
            maximum: None,
            table64: false,
            shared: false,
        };
        tables.table(of_functions);
        let mut exports = ExportSection::new();
        exports.export(INVOKE, ExportKind::Func, 0).export("memory", ExportKind::Func, 0);
        let mut elements = ElementSection::new();
        elements.active(None, &ConstExpr::i32_const(0), Elements::Functions([0][..].into()));
        let nothing = [ConstExpr::ref_null(HeapType::FUNC)];
        let nothing = Elements::Expressions(RefType::FUNCREF, nothing[..].into());
        elements.active(None, &ConstExpr::i32_const(1), nothing);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&tables).section(&exports);
        module.section(&elements);
        module.section(&CustomSection { name: "name".into(), data: b"for a debugger"[..].into() });
        module.finish()
    }

    fn has(wasm: &[u8], text: &str) -> bool {
        wasm.windows(text.len()).any(|it| it == text.as_bytes())
    }

    #[test]
    fn part_keeps_code_and_loses_names() {
        let part = lean(&module()).unwrap();
        assert!(!has(&part, "for a debugger") && has(&part, THEN) && has(&part, INVOKE));
        assert_eq!(lean(&part).unwrap(), part, "there is nothing more to take out");
        assert!(lean(&part[..part.len() - 1]).is_err());
    }

    #[test]
    fn part_keeps_only_types_that_it_uses() {
        let counts = |wasm: &[u8]| {
            let sections = Parser::new(0).parse_all(wasm).map(|it| it.unwrap());
            let count = |it| match it {
                Payload::TypeSection(it) => it.count(),
                _ => 0,
            };
            sections.map(count).sum::<u32>()
        };
        let part = lean(&module()).unwrap();
        assert_eq!((counts(&module()), counts(&part)), (2, 1));
    }

    #[test]
    fn calls_and_tables_follow_functions_into_their_order() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("m", "other", EntityType::Function(0));
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        // The last is called by the first.
        let bodies = [Instruction::Call(3), Instruction::I32Const(2), Instruction::I32Const(1)];
        for body in bodies {
            functions.function(0);
            let mut function = Function::new([]);
            function.instruction(&body);
            if !matches!(body, Instruction::Call(_)) {
                function.instruction(&Instruction::Drop);
            }
            function.instruction(&Instruction::End);
            code.function(&function);
        }
        let mut exports = ExportSection::new();
        exports.export("calling", ExportKind::Func, 1).export("two", ExportKind::Func, 2);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports);
        module.section(&code);
        let part = lean(&module.finish()).unwrap();

        let (mut exports, mut bodies) = (BTreeMap::new(), Vec::new());
        for payload in Parser::new(0).parse_all(&part) {
            match payload.unwrap() {
                Payload::ExportSection(all) => {
                    exports.extend(
                        all.into_iter().map(|it| it.unwrap()).map(|it| (it.name, it.index)),
                    );
                }
                Payload::CodeSectionEntry(body) => {
                    let first = body.get_operators_reader().unwrap().read().unwrap();
                    bodies.push(format!("{first:?}"));
                }
                _ => {}
            }
        }
        assert!(bodies.is_sorted_by_key(|it| it.starts_with("I32Const")), "by code: {bodies:?}");
        let body = |function: u32| bodies[function as usize - 1].as_str();
        assert_eq!(body(exports["two"]), "I32Const { value: 2 }");
        let called = body(exports["calling"]).trim_end_matches(" }").rsplit(' ').next().unwrap();
        assert_eq!(body(called.parse().unwrap()), "I32Const { value: 1 }");
    }

    #[test]
    fn program_and_script_agree_on_import_numbers() {
        let script = format!("{{ {THEN}: f }}; wasm.{INVOKE}(memory.{THEN}x)");
        let (program, script) = lean_program(&module(), &script).unwrap();
        assert_eq!(script, format!("{{ _0: f }}; wasm._1(memory.{THEN}x)"));
        assert!(has(&program, "\u{2}_0") && has(&program, "\u{2}_1") && has(&program, "memory"));
        assert!(!has(&program, THEN) && !has(&program, INVOKE));
    }

    #[test]
    fn omits_empty_places() {
        let elements = |wasm: &[u8]| {
            let sections = Parser::new(0).parse_all(wasm).map(|it| it.unwrap());
            let count = |it| match it {
                Payload::ElementSection(it) => it.count(),
                _ => 0,
            };
            sections.map(count).sum::<u32>()
        };
        assert!(lean_program(&module(), "").is_err(), "the script has other names");
        let (program, _) = lean_program(&module(), &format!("{THEN} {INVOKE}")).unwrap();
        let part = lean(&module()).unwrap();
        assert_eq!(
            (elements(&program), elements(&part)),
            (1, 2),
            "a part's table is the program's"
        );
    }
}
