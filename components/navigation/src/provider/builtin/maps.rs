//! The maps that there are: files that the operator granted, and the network that is built in.

use graph::{Graph, NotFound, Source, SourceError, Text};
use toolkit::files;

use super::{ends::Spot, error::unreadable};
use crate::{arguments::coordinates, error::ProviderError, gazetteer, network::NETWORK};

/// Where the bytes of a map are.
#[derive(Debug)]
pub enum Bytes {
    /// In a granted file of that name.
    File(String),
    /// The map that is built into the component.
    Bundled,
}

impl Source for Bytes {
    fn size(&self) -> Result<u64, SourceError> {
        match self {
            Self::File(name) => files::size(name).map_err(|it| broken(&it)),
            Self::Bundled => NETWORK.size(),
        }
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        match self {
            Self::File(name) => files::read(name, offset, length).map_err(|it| broken(&it)),
            Self::Bundled => NETWORK.read(offset, length),
        }
    }
}

fn broken(error: &files::Error) -> SourceError {
    SourceError(match error {
        files::Error::NotGranted(name) => format!("the file {name} is not granted"),
        files::Error::LimitExceeded(what) => format!("too much at once: {what}"),
        files::Error::Unavailable(why) => why.clone(),
    })
}

/// The maps of these names that are granted, in their order, and the one that is built in.
///
/// # Errors
/// When one of them is granted and cannot be read: to go on without it would hide that.
pub fn open(names: &[String]) -> Result<Vec<Graph<Bytes>>, ProviderError> {
    let mut graphs = Vec::with_capacity(names.len() + 1);
    for name in names {
        if matches!(files::size(name), Err(files::Error::NotGranted(_))) {
            continue;
        }
        let graph = Graph::open(Bytes::File(name.clone()));
        graphs.push(graph.map_err(|it| named(name, it))?);
    }
    graphs.push(Graph::open(Bytes::Bundled).map_err(|it| named("bundled", it))?);
    Ok(graphs)
}

fn named(name: &str, error: NotFound) -> ProviderError {
    unreadable(name, error)
}

/// A place that is known, though no map has it.
pub(crate) fn elsewhere(asked: &str) -> Option<Spot> {
    if let Some(at) = coordinates(asked) {
        let numbers = format!("{:.5},{:.5}", at.lat, at.lng);
        let name = Text { local: numbers.clone(), en: numbers.clone() };
        let id = format!("spot:{numbers}");
        let address = Text::default();
        return Some(Spot { at, name, address, id, kind: None, understood: None });
    }
    gazetteer::find(asked).map(Spot::from)
}
