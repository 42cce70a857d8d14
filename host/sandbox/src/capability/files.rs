//! `files`: single files that the operator granted, read piece by piece.

use std::sync::Arc;

use crate::{
    bindings::madoguchi::tool::files,
    capability::reach::files::{GrantedFile, Lookup},
    capability::state::CallState,
};

/// Bytes of a name that are shown in the log.
const NAME_BYTES_SHOWN: usize = 64;

impl files::Host for CallState {
    /// Of a file that is not granted nothing goes to the log: a component may ask whether it has one.
    async fn size(&mut self, name: String) -> Result<u64, files::Error> {
        let file = self.file(name)?;
        file.size().map_err(|error| files::Error::Unavailable(error.to_string()))
    }

    async fn read(
        &mut self,
        name: String,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, files::Error> {
        let file = self.file(name).inspect_err(|it| self.warn(it))?;
        let (length, most) = (length as usize, self.output_bytes_max);
        if length > most {
            let message = format!("{length} bytes in one go; output_bytes_max allows {most}");
            return Err(files::Error::LimitExceeded(message));
        }
        file.read(offset, length)
            .await
            .map_err(|error| files::Error::Unavailable(error.to_string()))
    }
}

impl CallState {
    fn file(&self, name: String) -> Result<Arc<GrantedFile>, files::Error> {
        match self.context.reach.files.get(&name) {
            Lookup::Open(file) => Ok(file),
            Lookup::Broken => {
                let message = format!("the file {name} cannot be opened; the log has the reason");
                Err(files::Error::Unavailable(message))
            }
            Lookup::NotGranted => Err(files::Error::NotGranted(name)),
        }
    }

    /// Tells the operator which line would grant a file that a component wanted to read.
    fn warn(&self, error: &files::Error) {
        let files::Error::NotGranted(name) = error else { return };
        let component = &*self.context.component;
        let shown: String = name.chars().take(NAME_BYTES_SHOWN).collect();
        let line = format!(
            "the file {shown:?} is not granted; to grant it, put under [components.{component}.files]: {shown:?} = \"PATH\""
        );
        let line = self.log.take(&line);
        if !line.is_empty() {
            tracing::warn!(target: "guest", component, call = self.context.call_id, "{line}");
        }
    }
}
