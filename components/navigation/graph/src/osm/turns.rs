//! Turns that are not allowed: relations of the type `restriction`.

use std::collections::HashMap;

use osmpbf::{RelMemberType, Relation};

use super::{gather::Nodes, join::Joined, tags::Tags};
use crate::network::Forbidden;

/// Ways of one side of a turn that are looked at.
const SIDE_MAX: usize = 16;

/// A turn as it is mapped: ways and a node between them.
pub(super) struct Turn {
    from: Vec<i64>,
    pub(super) via: i64,
    to: Vec<i64>,
    /// The only ways that may be taken, rather than those that may not.
    is_only: bool,
}

/// The turn that a relation speaks of; none where it is not for cars, goes over a way, or is not whole.
pub(super) fn turn(tags: &Tags<'_>, relation: &Relation<'_>) -> Option<Turn> {
    let keys = ["restriction:motorcar", "restriction:motor_vehicle", "restriction"];
    let says = keys.iter().find_map(|key| tags.get(key))?;
    let excepts = tags.get("except").unwrap_or_default();
    if excepts.split(';').any(|it| matches!(it.trim(), "motorcar" | "motor_vehicle" | "vehicle")) {
        return None;
    }
    let is_only = says.starts_with("only_");
    if !is_only && !says.starts_with("no_") {
        return None;
    }
    let (mut from, mut via, mut to) = (Vec::new(), None, Vec::new());
    for member in relation.members() {
        match (member.role().unwrap_or_default(), member.member_type) {
            ("from", RelMemberType::Way) if from.len() < SIDE_MAX => from.push(member.member_id),
            ("to", RelMemberType::Way) if to.len() < SIDE_MAX => to.push(member.member_id),
            ("via", RelMemberType::Node) if via.is_none() => via = Some(member.member_id),
            ("via", _) => return None,
            _ => {}
        }
    }
    let is_whole = !from.is_empty() && !to.is_empty();
    is_whole.then_some(Turn { from, via: via?, to, is_only })
}

/// The same between links: those of relations, and those over what stops cars.
pub(super) fn forbidden(joined: &Joined, turns: &[Turn], nodes: &Nodes) -> Vec<Forbidden> {
    let mut at = HashMap::<u32, Vec<u32>>::new();
    for turn in turns {
        at.extend(nodes.index(turn.via).and_then(|it| joined.node(it)).map(|it| (it, Vec::new())));
    }
    let stops: Vec<u32> = nodes.stops.iter().filter_map(|it| joined.node(*it)).collect();
    at.extend(stops.iter().map(|it| (*it, Vec::new())));
    for (index, link) in (0..).zip(&joined.links) {
        for end in [link.from, link.to] {
            if let Some(links) = at.get_mut(&end) {
                links.push(index);
            }
        }
    }
    let mut all = Vec::new();
    for turn in turns {
        let over = nodes.index(turn.via).and_then(|it| joined.node(it));
        let Some((over, links)) = over.and_then(|it| Some((it, at.get(&it)?))) else { continue };
        of_turn(joined, turn, over, links, &mut all);
    }
    for over in stops {
        let links = at.get(&over).map(Vec::as_slice).unwrap_or_default();
        let pairs = links.iter().flat_map(|from| links.iter().map(move |to| (*from, *to)));
        all.extend(pairs.filter(|(from, to)| from != to).map(|(from, to)| Forbidden {
            from,
            over,
            to,
        }));
    }
    all.sort_unstable_by_key(|it| (it.from, it.over, it.to));
    all.dedup();
    all
}

fn of_turn(joined: &Joined, turn: &Turn, over: u32, links: &[u32], all: &mut Vec<Forbidden>) {
    let comes = |link: &u32| {
        let link = &joined.links[*link as usize];
        (link.to == over && link.cars.0) || (link.from == over && link.cars.1)
    };
    let of = |link: u32, ways: &[i64]| ways.iter().any(|way| joined.is_of_way(link, over, *way));
    let froms: Vec<u32> =
        links.iter().copied().filter(|it| comes(it) && of(*it, &turn.from)).collect();
    let tos: Vec<u32> = links.iter().copied().filter(|it| of(*it, &turn.to)).collect();
    // A way that goes on beyond the node is on both sides of it: the data do not tell which is meant.
    if froms.len() > turn.from.len() || tos.is_empty() {
        return;
    }
    for from in froms {
        if turn.is_only {
            let others = links.iter().copied().filter(|it| *it != from && !tos.contains(it));
            all.extend(others.map(|to| Forbidden { from, over, to }));
        } else if tos.len() <= turn.to.len() {
            all.extend(tos.iter().map(|to| Forbidden { from, over, to: *to }));
        }
    }
}
