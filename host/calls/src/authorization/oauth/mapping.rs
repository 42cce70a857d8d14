//! Maps claims of a token to scopes, by the configuration only.

use std::collections::BTreeMap;

use serde_json::Value;

use super::token::Claims;
use base::{
    config::OauthConfig,
    scopes::{Scope, Scopes},
    tool_set::Owner,
};

/// Values of one claim that are looked at.
const VALUES_MAX: usize = 512;

/// Scopes by claim value.
type Values = BTreeMap<String, Vec<Scope>>;

/// Claims and their scopes.
pub(super) struct Mapping {
    scope_claim: Option<String>,
    own_scopes: bool,
    scopes: Values,
    claims: Vec<(String, Values)>,
    default: Vec<Scope>,
}

fn parsed(scopes: &[String]) -> Vec<Scope> {
    scopes.iter().filter_map(|it| it.parse().ok()).collect()
}

fn values(written: &BTreeMap<String, Vec<String>>) -> Values {
    written.iter().map(|(value, scopes)| (value.clone(), parsed(scopes))).collect()
}

impl Mapping {
    pub(super) fn new(config: &OauthConfig) -> Self {
        Self {
            scope_claim: config.scope_claim.clone(),
            own_scopes: config.own_scopes,
            scopes: values(&config.scopes),
            claims: config.claims.iter().map(|(name, it)| (name.clone(), values(it))).collect(),
            default: parsed(&config.default_scopes),
        }
    }

    /// Scopes of a token with these claims.
    pub(super) fn scopes(&self, claims: &Claims) -> Vec<Scope> {
        let mut found = self.default.clone();
        let scope = match &self.scope_claim {
            Some(name) => claim(claims, name),
            None => claims.get("scope").or_else(|| claims.get("scp")),
        };
        for value in texts(scope).flat_map(str::split_ascii_whitespace).take(VALUES_MAX) {
            found.extend(self.scopes.get(value).into_iter().flatten().cloned());
            found.extend(value.parse().ok().filter(|_| self.own_scopes));
        }
        for (name, values) in &self.claims {
            let mapped = texts(claim(claims, name)).filter_map(|it| values.get(it));
            found.extend(mapped.flatten().cloned());
        }
        let mut all = Vec::with_capacity(found.len());
        for scope in found {
            if !all.contains(&scope) {
                all.push(scope);
            }
        }
        all
    }

    /// The claim value to request for `needed` with the fewest other scopes.
    pub(super) fn asked_for<'a>(
        &'a self,
        needed: &'a str,
        tool: Option<(Owner<'_>, &str, bool)>,
    ) -> Option<&'a str> {
        let scope = needed.parse::<Scope>().ok()?;
        let suffices = |mapped: &[Scope]| {
            let all: Scopes = mapped.iter().cloned().collect();
            match (&scope, tool) {
                (Scope::Operator, _) => all.operator,
                (_, Some((owner, tool, is_read_only))) => all.may_call(owner, tool, is_read_only),
                (Scope::Component(name), _) => all.may_use(Owner::Component(name)),
                (Scope::Server(name), _) => all.may_use(Owner::Server(name)),
                _ => mapped.contains(&scope),
            }
        };
        let breadth = |mapped: &[Scope]| {
            let reach = |scope: &Scope| match scope {
                Scope::Tool(_) => 1,
                Scope::Component(_) | Scope::Server(_) => 100,
                Scope::All | Scope::Operator => 10_000,
                // Read-only would narrow the holder's existing scopes.
                Scope::ReadOnly => 1_000_000,
            };
            mapped.iter().map(reach).sum::<usize>()
        };
        let enough = self.scopes.iter().filter(|(_, mapped)| suffices(mapped));
        let least =
            enough.min_by_key(|(_, mapped)| breadth(mapped)).map(|(value, _)| value.as_str());
        let own = Some(needed).filter(|_| self.own_scopes);
        if scope == Scope::Operator { least.or(own) } else { own.or(least) }
    }
}

/// The claim of that name, or else what its dots lead to: `realm_access.roles`.
pub(super) fn claim<'a>(claims: &'a Claims, name: &str) -> Option<&'a Value> {
    if let Some(claim) = claims.get(name) {
        return Some(claim);
    }
    let mut steps = name.split('.');
    let first = claims.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

/// A text, or those of a list.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let one = value.and_then(Value::as_str);
    let several = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several.take(VALUES_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mapping(more: Value) -> Mapping {
        let mut config = json!({ "issuer": "https://id.example" });
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Mapping::new(&serde_json::from_value(config).unwrap())
    }

    fn scopes_of(mapping: &Mapping, claims: Value) -> Vec<String> {
        let scopes = mapping.scopes(claims.as_object().unwrap());
        scopes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_maps_by_default() {
        let none = mapping(json!({}));
        let claims = json!({ "scope": "* operator component:shop", "roles": ["*"], "groups": "*" });
        assert!(scopes_of(&none, claims).is_empty());
    }

    #[test]
    fn maps_scopes_roles_and_groups() {
        let all = mapping(json!({
            "scopes": { "shop": ["component:shop"], "admin": ["operator", "*"] },
            "claims": {
                "realm_access.roles": { "staff": ["tool:book"] },
                "https://a.example/groups": { "all staff": ["read-only"] },
            },
        }));
        assert_eq!(scopes_of(&all, json!({ "scope": "openid shop shop" })), ["component:shop"]);
        assert_eq!(scopes_of(&all, json!({ "scp": ["admin"] })), ["operator", "*"]);
        assert!(scopes_of(&all, json!({ "scope": "component:shop *" })).is_empty());
        assert_eq!(
            scopes_of(&all, json!({ "realm_access": { "roles": ["x", "staff"] } })),
            ["tool:book"]
        );
        assert_eq!(
            scopes_of(&all, json!({ "https://a.example/groups": "all staff" })),
            ["read-only"]
        );
        assert!(
            scopes_of(&all, json!({ "scope": 7, "realm_access": "staff", "sub": null })).is_empty()
        );
        let named = mapping(json!({ "scope_claim": "perms.x", "own_scopes": true }));
        assert_eq!(
            scopes_of(&named, json!({ "perms": { "x": "tool:a nonsense" }, "scope": "*" })),
            ["tool:a"]
        );
        let default = mapping(json!({ "default_scopes": ["read-only"] }));
        assert_eq!(scopes_of(&default, json!({})), ["read-only"]);
    }

    #[test]
    fn requests_the_least_privileged_value() {
        let all = mapping(json!({ "scopes": {
            "everything": ["*"], "admin": ["operator"], "shop": ["component:shop"],
            "book": ["tool:book", "tool:cancel"], "read": ["read-only"],
        } }));
        let tool = |name, is_read_only| Some((Owner::Component("shop"), name, is_read_only));
        assert_eq!(all.asked_for("tool:book", tool("book", false)), Some("book"));
        assert_eq!(all.asked_for("tool:sell", tool("sell", false)), Some("shop"));
        let other = Some((Owner::Component("other"), "x", false));
        assert_eq!(all.asked_for("tool:x", other), Some("everything"));
        assert_eq!(all.asked_for("component:shop", None), Some("shop"));
        assert_eq!(all.asked_for("operator", None), Some("admin"));
        let own = mapping(json!({ "own_scopes": true }));
        assert_eq!(own.asked_for("tool:x", other), Some("tool:x"));
        assert_eq!(mapping(json!({})).asked_for("tool:x", other), None);
    }
}
