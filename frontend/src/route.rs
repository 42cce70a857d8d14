//! The reader's place in the page: the address after `#`, parsed and formatted.

use std::sync::OnceLock;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Route {
    /// `#/`: the home view, above the first family's view.
    #[default]
    Home,
    /// `#/counter` and `#/counter/TOOL`
    Counter(Option<String>),
    /// `#/chat` and `#/chat/ID`: a conversation with an assistant, kept by this browser.
    Chat(Option<String>),
    /// `#/settings`: settings of this browser.
    Preferences,
    /// `#/parts`: the parts of views, for developers.
    Parts,
    /// `#/approvals`: pending approvals.
    Approvals,
    /// `#/operator` and below: the operator's views.
    Operator(OperatorTab),
    /// A route of a family.
    At(Address),
    /// An unknown address, as written.
    Nowhere(String),
}

/// A view of the operator's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum OperatorTab {
    /// `#/operator`: the server's state.
    #[default]
    Now,
    /// `#/operator/components` and `#/operator/components/NAME`
    Components(Option<String>),
    /// `#/operator/calls` and `#/operator/calls/NUMBER`: the latest calls, and the details of one.
    Calls(Option<String>),
    /// `#/operator/servers`: upstream servers.
    Servers,
    /// `#/operator/people`: accounts and tokens.
    People,
    /// `#/operator/storage`: stored data.
    Storage,
    /// `#/operator/settings`: the server's settings and their sources.
    Settings,
}

impl OperatorTab {
    /// Tabs with a fixed address.
    const NAMES: [(&'static str, Self); 6] = [
        ("components", Self::Components(None)),
        ("calls", Self::Calls(None)),
        ("servers", Self::Servers),
        ("people", Self::People),
        ("storage", Self::Storage),
        ("settings", Self::Settings),
    ];

    fn hash(&self) -> String {
        let name = Self::NAMES.iter().find(|it| it.1 == *self).map(|it| it.0);
        match self {
            Self::Components(Some(name)) => format!("#/operator/components/{}", encoded(name)),
            Self::Calls(Some(call)) => format!("#/operator/calls/{}", encoded(call)),
            _ => name.map_or_else(|| "#/operator".to_owned(), |it| format!("#/operator/{it}")),
        }
    }
}

/// An address of a family's: the path segments and the query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Address {
    path: Vec<String>,
    query: String,
}

/// The parsed addresses of one family.
pub(crate) trait FamilyRoute: Sized {
    /// Parses an address; none if it is not of this family.
    fn read(path: &[&str], query: &str) -> Option<Self>;

    fn address(&self) -> Address;

    /// Parses the address of a route, if it is of this family.
    fn from_route(route: &Route) -> Option<Self> {
        let Route::At(address) = route else { return None };
        address.read()
    }

    fn route(&self) -> Route {
        Route::At(self.address())
    }

    fn hash(&self) -> String {
        self.route().hash()
    }

    /// The canonical form of the address, if it is of this family.
    fn canonical(address: &Address) -> Option<Address> {
        address.read::<Self>().map(|it| it.address())
    }
}

impl Address {
    pub(crate) fn new(path: &[&str], query: String) -> Self {
        Self { path: path.iter().map(|it| (*it).to_owned()).collect(), query }
    }

    fn read<T: FamilyRoute>(&self) -> Option<T> {
        T::read(&self.path.iter().map(String::as_str).collect::<Vec<_>>(), &self.query)
    }
}

/// Returns the canonical form of a family's address; none if no family knows it.
type Canonicalize = fn(&Address) -> Option<Address>;

static CANONICALIZE: OnceLock<Canonicalize> = OnceLock::new();

/// Registers the function that makes families' addresses canonical.
pub(crate) fn set_canonicalize(canonicalize: Canonicalize) {
    let _ = CANONICALIZE.set(canonicalize);
}

impl Route {
    /// Parses a hash; an empty one is the home view.
    pub(crate) fn parse(hash: &str) -> Self {
        let path = hash.trim_start_matches('#').trim_start_matches('/');
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let path: Vec<_> = path.split('/').map(decoded).filter(|it| !it.is_empty()).collect();
        match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["counter"] => Self::Counter(None),
            ["counter", tool, ..] => Self::Counter(Some(tool.to_owned())),
            ["chat"] => Self::Chat(None),
            ["chat", id] => Self::Chat(Some(id.to_owned())),
            ["settings"] => Self::Preferences,
            ["parts"] => Self::Parts,
            ["approvals"] => Self::Approvals,
            ["operator"] => Self::Operator(OperatorTab::Now),
            ["operator", "components", name] => {
                Self::Operator(OperatorTab::Components(Some(name.to_owned())))
            }
            ["operator", "calls", call] => {
                Self::Operator(OperatorTab::Calls(Some(call.to_owned())))
            }
            ["operator", name] => {
                let tab = OperatorTab::NAMES.into_iter().find(|it| it.0 == name);
                tab.map_or_else(|| Self::Nowhere(hash.to_owned()), |it| Self::Operator(it.1))
            }
            [] => Self::Home,
            _ => {
                let address = Address { path, query: query.to_owned() };
                let canonical = CANONICALIZE.get().and_then(|it| it(&address));
                canonical.map_or_else(|| Self::Nowhere(hash.to_owned()), Self::At)
            }
        }
    }

    pub(crate) fn hash(&self) -> String {
        match self {
            Self::Home => "#/".to_owned(),
            Self::Counter(None) => "#/counter".to_owned(),
            Self::Counter(Some(tool)) => format!("#/counter/{}", encoded(tool)),
            Self::Chat(None) => "#/chat".to_owned(),
            Self::Chat(Some(id)) => format!("#/chat/{}", encoded(id)),
            Self::Preferences => "#/settings".to_owned(),
            Self::Parts => "#/parts".to_owned(),
            Self::Approvals => "#/approvals".to_owned(),
            Self::Operator(tab) => tab.hash(),
            Self::Nowhere(hash) => hash.clone(),
            Self::At(Address { path, query }) => {
                let path: Vec<_> = path.iter().map(|it| encoded(it)).collect();
                let mark = if query.is_empty() { "" } else { "?" };
                format!("#/{}{mark}{query}", path.join("/"))
            }
        }
    }
}

/// Percent-encodes all but plain path characters.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Reverses [`encoded`]; invalid encodings stay as they are.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_round_trips() {
        let tool = Route::Counter(Some("reserve_seats".to_owned()));
        crate::families::register();
        let family = crate::table::places().map(crate::table::Place::start);
        let chats = [Route::Chat(None), Route::Chat(Some("a1".to_owned()))];
        let own = [Route::Home, Route::Counter(None), tool, Route::Approvals];
        let own = own.into_iter().chain(chats).chain([Route::Preferences, Route::Parts]);
        let operator = [
            OperatorTab::Now,
            OperatorTab::Components(None),
            OperatorTab::Components(Some("a-b_c".to_owned())),
            OperatorTab::Calls(None),
            OperatorTab::Calls(Some("17".to_owned())),
            OperatorTab::Servers,
            OperatorTab::People,
            OperatorTab::Storage,
            OperatorTab::Settings,
        ];
        for route in family.chain(own).chain(operator.map(Route::Operator)) {
            assert_eq!(Route::parse(&route.hash()), route);
        }
    }

    #[test]
    fn empty_address_is_home_and_unknown_one_is_none() {
        crate::families::register();
        for hash in ["", "#", "#/", "#//"] {
            assert_eq!(Route::parse(hash), Route::Home, "{hash}");
        }
        for hash in ["#/nowhere", "#/reservation", "#/form", "#/%"] {
            let nowhere = Route::parse(hash);
            assert_eq!(nowhere, Route::Nowhere(hash.to_owned()));
            assert_eq!(nowhere.hash(), hash, "the address stays what it is");
        }
        assert_eq!(Route::parse("#/counter/%e"), Route::Counter(Some("%e".to_owned())));
    }
}
