//! Settings and hosts that environment variables give to a component.

use serde::Deserialize;

use crate::grants::http::{HostGrant, SecretGrant};

/// The source of a setting: `"VARIABLE"`, or the first set one of several.
///
/// Lists are tried first: serde would read one of two texts as the fields of [`When`].
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"VARIABLE\", or a list of them and of { when, value }")]
pub enum FromEnvironment {
    /// The first of these that has a value.
    First(Vec<Choice>),
    /// A single place.
    One(Choice),
}

/// One possible source of a setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"VARIABLE\", or { when = \"VARIABLE\", value = \"…\" }")]
pub enum Choice {
    /// The variable's value.
    Variable(String),
    /// A fixed value, used when the variable is set. The variable's content is not passed on.
    When(When),
}

/// A value that depends on a variable.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    when: String,
    value: String,
}

/// Variables that name hosts: `"VARIABLE"` with origins, or a list of those and of base addresses.
///
/// Lists are tried first here too.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"VARIABLE\", or a list of them and of { variable, … }")]
pub enum HostsFromEnvironment {
    /// All of these together.
    All(Vec<NamedHosts>),
    /// The hosts of a single variable.
    One(NamedHosts),
}

/// The hosts that one variable gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"VARIABLE\", or { variable, methods, private, secrets }")]
pub enum NamedHosts {
    /// Origins, separated by commas: `"VARIABLE"`.
    Origins(String),
    /// One base address and its secrets.
    Base(Base),
}

/// A variable that names a base address.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    variable: String,
    #[serde(default)]
    methods: Vec<String>,
    /// Whether it may name a host of this machine or its network, and speak plain http to it.
    #[serde(default)]
    private: bool,
    /// Secrets of requests to it. A request is not sent without them.
    #[serde(default)]
    secrets: Vec<SecretGrant>,
}

impl Base {
    fn host(&self, text: &str) -> Result<HostGrant, String> {
        let host = HostGrant::of_base(text, &self.methods, self.private)?;
        let secrets = self.secrets.clone();
        Ok(HostGrant { optional: !secrets.is_empty(), secrets, ..host })
    }
}

impl FromEnvironment {
    fn choices(&self) -> &[Choice] {
        match self {
            Self::One(choice) => std::slice::from_ref(choice),
            Self::First(choices) => choices,
        }
    }

    /// The value, if a variable is set.
    pub fn value(&self) -> Option<String> {
        self.choices().iter().find_map(|choice| match choice {
            Choice::Variable(name) => variable(name),
            Choice::When(it) => variable(&it.when).map(|_| it.value.clone()),
        })
    }

    /// The variables that the setting may come from.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.choices().iter().map(|choice| match choice {
            Choice::Variable(name) => name.as_str(),
            Choice::When(it) => it.when.as_str(),
        })
    }
}

impl HostsFromEnvironment {
    fn all(&self) -> &[NamedHosts] {
        match self {
            Self::One(named) => std::slice::from_ref(named),
            Self::All(named) => named,
        }
    }

    /// The variables that give hosts.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.all().iter().map(NamedHosts::variable)
    }

    /// Variables of secrets for its hosts, apart from the one that names the hosts.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().iter().flat_map(|named| {
            let secrets = match named {
                NamedHosts::Origins(_) => &[],
                NamedHosts::Base(it) => it.secrets.as_slice(),
            };
            secrets.iter().filter_map(move |it| Some((named.variable(), it.variable()?)))
        })
    }

    /// The hosts that the environment names.
    ///
    /// # Errors
    /// What is wrong with a variable.
    pub fn hosts(&self) -> Result<Vec<HostGrant>, String> {
        let mut hosts = Vec::new();
        for named in self.all() {
            let Some(text) = variable(named.variable()) else { continue };
            let found = match named {
                NamedHosts::Origins(_) => HostGrant::of_origins(&text),
                NamedHosts::Base(it) => it.host(text.trim()).map(|it| vec![it]),
            };
            let name = named.variable();
            hosts.extend(found.map_err(|why| format!("the environment's {name}: {why}"))?);
        }
        Ok(hosts)
    }
}

impl NamedHosts {
    fn variable(&self) -> &str {
        match self {
            Self::Origins(name) => name,
            Self::Base(it) => &it.variable,
        }
    }
}

/// Value of the variable `name`. An empty text counts as unset.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|it| !it.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use crate::config::ComponentConfig;

    // `PATH` is there on every machine, and `MADOGUCHI_TEST_NO_SUCH` on none.

    fn component(text: &str) -> ComponentConfig {
        toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn environment_overrides_setting_and_hides_secret() {
        for (from, value) in [
            ("'MADOGUCHI_TEST_NO_SUCH'", None),
            ("['MADOGUCHI_TEST_NO_SUCH', { when = 'PATH', value = 'x' }]", Some("x")),
            ("[{ when = 'MADOGUCHI_TEST_NO_SUCH', value = 'x' }]", None),
            ("['MADOGUCHI_TEST_NO_SUCH', 'MADOGUCHI_TEST_NOR_THIS']", None),
        ] {
            let component = component(&format!("environment.provider = {from}"));
            let settings = component.settings();
            assert_eq!(settings.get("provider").and_then(|it| it.as_str()), value, "{from}");
        }
        let wrong = toml::from_str::<ComponentConfig>("environment.a = { when = 'PATH' }");
        assert!(wrong.unwrap_err().to_string().contains("VARIABLE"));
    }

    #[test]
    fn bundled_navigation_reaches_no_host_without_environment() {
        let navigation = super::super::tests::bundled().component("navigation");
        let hosts = navigation.hosts();
        assert!(hosts.len() >= 2 && hosts.iter().all(|it| it.optional), "{hosts:?}");
        let names = ["GOOGLE_MAPS_API_KEY", "GOOGLE_MAPS_URL", "GOOGLE_ROUTES_URL", "OSRM_URL"];
        for name in names.into_iter().chain(["VALHALLA_URL", "NOMINATIM_URL"]) {
            assert!(navigation.variables().contains(&name), "{name}");
        }
    }

    #[test]
    fn base_keeps_its_secret_and_is_omitted_without_it() {
        let of = |variable: &str| {
            let secrets = format!("[{{ query = 'key', environment = '{variable}' }}]");
            format!("variable = 'MADOGUCHI_TEST_NO_SUCH', methods = ['POST'], secrets = {secrets}")
        };
        for (variable, is_left_out) in [("PATH", false), ("MADOGUCHI_TEST_NOR_THIS", true)] {
            let text = format!("http_environment = [{{ {} }}]", of(variable));
            let component = component(&text);
            assert!(component.variables().contains(&variable), "{text}");
            let hosts = component.http_environment.unwrap();
            let [super::NamedHosts::Base(base)] = hosts.all() else { panic!("{hosts:?}") };
            let host = base.host("https://proxy.example/a").unwrap();
            assert_eq!((host.secrets.len(), host.is_left_out()), (1, is_left_out), "{host:?}");
        }
    }

    /// An optional host counts with its secret; a wrong base is named by its variable.
    #[test]
    fn optional_host_needs_its_secret_and_bad_base_names_variable() {
        let of = |variable: &str| {
            let secrets = format!("secrets = [{{ query = 'k', environment = '{variable}' }}]");
            component(&format!("[[http]]\nhost = 'a.example'\noptional = true\n{secrets}"))
        };
        let is_left_out = |variable: &str| of(variable).hosts()[0].is_left_out();
        assert!(is_left_out("MADOGUCHI_TEST_NO_SUCH") && !is_left_out("PATH"));
        let wrong = "[[http]]\nhost = 'a.example'\noptional = true";
        assert!(toml::from_str::<ComponentConfig>(wrong).is_err(), "it would never be left out");
        let base =
            component("http_environment = ['MADOGUCHI_TEST_NO_SUCH', { variable = 'PATH' }]");
        assert!(base.check().unwrap_err().1.starts_with("the environment's PATH: "));
        assert!(base.hosts().is_empty());
    }
}
