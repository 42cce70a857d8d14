//! A network in the order in which it is written, its texts collected.

use std::collections::HashMap;

use crate::{
    file::TEXTS,
    file::{bytes::put_text, header::MOST, nodes::DEGREE_MAX},
    network::{Link, Network, Text},
    write::order::along_curve,
};

/// Where a link begins and ends, in new numbers, and which of the ends there are its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) from_slot: u8,
    pub(super) to_slot: u8,
}

/// The network in its new order.
#[derive(Debug)]
pub(super) struct Plan<'n> {
    pub(super) network: &'n Network,
    /// The old number of each node.
    pub(super) nodes: Vec<u32>,
    /// The old number of each link.
    old_links: Vec<u32>,
    /// The new number of each link.
    pub(super) new_links: Vec<u32>,
    /// Ends of each link.
    pub(super) links: Vec<Ends>,
    /// The links at each node, and whether they begin there.
    pub(super) at: Vec<Vec<(u32, bool)>>,
    pub(super) texts: Texts,
}

impl<'n> Plan<'n> {
    pub(super) fn new(network: &'n Network) -> Result<Self, String> {
        check(network)?;
        let mut nodes: Vec<u32> = (0..network.nodes.len() as u32).collect();
        nodes.sort_by_cached_key(|&it| (along_curve(network.nodes[it as usize].at), it));
        let mut new_nodes = vec![0; nodes.len()];
        for (new, &old) in nodes.iter().enumerate() {
            new_nodes[old as usize] = new as u32;
        }
        let mut old_links: Vec<u32> = (0..network.links.len() as u32).collect();
        old_links.sort_by_key(|&it| (new_nodes[network.links[it as usize].from as usize], it));
        let mut new_links = vec![0; old_links.len()];
        let mut at = vec![Vec::new(); nodes.len()];
        let mut links = Vec::with_capacity(old_links.len());
        for (new, &old) in old_links.iter().enumerate() {
            new_links[old as usize] = new as u32;
            let link = &network.links[old as usize];
            let [from, to] = [link.from, link.to].map(|it| new_nodes[it as usize]);
            let from_slot = at[from as usize].len();
            at[from as usize].push((new as u32, true));
            let to_slot = at[to as usize].len();
            at[to as usize].push((new as u32, false));
            if from_slot.max(to_slot) >= DEGREE_MAX {
                return Err(format!("more than {DEGREE_MAX} links meet at one junction"));
            }
            links.push(Ends { from, to, from_slot: from_slot as u8, to_slot: to_slot as u8 });
        }
        Ok(Self { network, nodes, old_links, new_links, links, at, texts: Texts::new() })
    }

    /// A link by its new number.
    pub(super) fn link(&self, number: u32) -> &'n Link {
        &self.network.links[self.old_links[number as usize] as usize]
    }

    /// Its length as it is kept.
    pub(super) fn decimetres(&self, number: u32) -> u32 {
        (self.link(number).metres * 10.0).round() as u32
    }
}

/// Whether it is a network at all.
fn check(network: &Network) -> Result<(), String> {
    let (nodes, links) = (network.nodes.len(), network.links.len());
    if nodes.max(links) > MOST {
        return Err("the network is larger than the format can hold".to_owned());
    }
    if let Some(bad) = network.nodes.iter().position(|it| !it.at.is_on_globe()) {
        return Err(format!("node {bad} is not on the globe"));
    }
    for (index, link) in network.links.iter().enumerate() {
        let fault = if link.from as usize >= nodes || link.to as usize >= nodes {
            "leads to a node that there is not"
        } else if !link.shape.iter().all(|it| it.is_on_globe()) {
            "leads off the globe"
        } else if !(0.0..1e8).contains(&link.metres) {
            "has no length"
        } else if link.kmh == 0 {
            "has no speed"
        } else {
            continue;
        };
        return Err(format!("link {index} {fault}"));
    }
    let exists = |turn: &crate::network::Forbidden| {
        (turn.from as usize) < links && (turn.to as usize) < links && (turn.over as usize) < nodes
    };
    match network.forbidden.iter().position(|it| !exists(it)) {
        Some(bad) => Err(format!("turn {bad} is between links that there are not")),
        None => Ok(()),
    }
}

/// Names and numbers, each of them once.
#[derive(Debug)]
pub(super) struct Texts {
    numbers: HashMap<[String; 3], u32>,
    all: Vec<[String; 3]>,
}

impl Texts {
    fn new() -> Self {
        let mut texts = Self { numbers: HashMap::new(), all: Vec::new() };
        texts.add(&Text::default(), "");
        texts
    }

    /// The number of a name with a road's number.
    pub(super) fn add(&mut self, name: &Text, number: &str) -> u32 {
        let key = [name.local.clone(), name.en.clone(), number.to_owned()];
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let new = self.all.len() as u32;
        self.all.push(key.clone());
        self.numbers.insert(key, new);
        new
    }

    pub(super) fn blocks(&self) -> Vec<Vec<u8>> {
        let block = |texts: &[[String; 3]]| {
            let mut bytes = Vec::new();
            texts.iter().flatten().for_each(|it| put_text(&mut bytes, it));
            bytes
        };
        self.all.chunks(TEXTS).map(block).collect()
    }
}
