//! Names of lifted functions as tools.
//!
//! A function at the root keeps its name; one of an interface is `INTERFACE_FUNCTION`, as WIT writes both. WIT has no
//! `_` in its names, so no two of one component are the same, unless two packages have an interface of one name: then
//! the package stands before it, and, where that is the same as well, the version behind that.

use std::collections::BTreeMap;

use super::LeftOut;

/// Export location of a function.
pub(super) struct Origin {
    /// `NAMESPACE:PACKAGE/INTERFACE@VERSION`, or a plain name; none at the root.
    pub(super) interface: Option<String>,
    pub(super) function: String,
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
    pub(super) fn described(&self) -> String {
        match &self.interface {
            Some(interface) => format!("The function {} of {interface}.", self.function),
            None => format!("The function {}.", self.function),
        }
    }

    pub(super) fn left_out(&self, why: &str) -> LeftOut {
        LeftOut { function: self.export(), why: why.to_owned() }
    }
}

/// The names of the functions from there, in their order.
pub(super) fn shortest_unique(origins: &[&Origin]) -> Vec<String> {
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
}
