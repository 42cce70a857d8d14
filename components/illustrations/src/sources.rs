//! Sources of illustrations that the operator names: a folder, a catalogue on the web, a public card API.

pub mod carrier;
pub mod elsewhere;
pub mod error;
pub mod file;
pub mod folder;
pub mod memory;
pub mod pace;
pub mod settings;
pub mod sniff;
pub mod web;
pub mod ygoprodeck;

use std::path::PathBuf;

use toolkit::settings::Unfit;

use crate::catalogue::{Builtin, Source};
use elsewhere::Elsewhere;
use settings::Kind;

/// The sources that the operator named, in their order.
///
/// # Errors
/// When a setting does not fit.
pub fn chosen() -> Result<Vec<Box<dyn Source>>, Unfit> {
    settings::kinds()?.into_iter().map(source).collect()
}

fn source(kind: Kind) -> Result<Box<dyn Source>, Unfit> {
    Ok(match kind {
        Kind::Builtin => Box::new(Builtin),
        Kind::Folder => Box::new(folder::Folder::new(PathBuf::from(settings::folder()?))),
        Kind::Http => {
            let catalogue = web::Web::new(settings::catalogue_url()?, settings::image_origins()?);
            Box::new(Elsewhere::new(catalogue, carrier::Network))
        }
        Kind::Ygoprodeck => {
            let api = ygoprodeck::Ygoprodeck::new(
                settings::ygoprodeck_url()?,
                settings::ygoprodeck_images()?,
                settings::language()?,
            );
            let paced = carrier::Paced::new(ygoprodeck::NAME, ygoprodeck::INTERVAL_MS);
            Box::new(Elsewhere::new(api, paced))
        }
    })
}
