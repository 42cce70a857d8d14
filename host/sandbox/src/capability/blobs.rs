//! `blobs`: what was uploaded, and what a component makes itself, as many bytes as a call may.

use crate::{bindings::madoguchi::tool::blobs as wit, capability::state::CallState};
use store::blobs::{Blob, BlobError, Blobs};

impl wit::Host for CallState {
    async fn stat(&mut self, id: String) -> Result<wit::Blob, wit::Error> {
        self.blobs()?.stat(&id).await.map(blob).map_err(error)
    }

    async fn sniff(&mut self, id: String) -> Result<Option<String>, wit::Error> {
        let found = self.blobs()?.stat(&id).await.map_err(error)?;
        Ok(found.sniffed.map(str::to_owned))
    }

    async fn read(&mut self, id: String, offset: u64, length: u32) -> Result<Vec<u8>, wit::Error> {
        let (length, most) = (length as usize, self.context.setup.limits.output_bytes_max);
        if length > most {
            let message = format!("{length} bytes in one go; output_bytes_max allows {most}");
            return Err(wit::Error::LimitExceeded(message));
        }
        self.blobs()?.read(&id, offset, length).await.map_err(error)
    }

    async fn put(&mut self, data: Vec<u8>, mime_type: String) -> Result<wit::Blob, wit::Error> {
        let blobs = self.blobs()?.clone();
        // A small blob costs what it costs the disk, so that no call makes thousands.
        let cost = Blobs::cost(data.len() as u64);
        let Some(left) = self.left.blob_bytes_max.checked_sub(cost) else {
            let message = "more blobs in one call than blob_bytes_max allows".to_owned();
            return Err(wit::Error::LimitExceeded(message));
        };
        self.left.blob_bytes_max = left;
        let owner = self.context.round.caller.share();
        blobs.put_for(owner, &data, &mime_type).await.map(blob).map_err(error)
    }
}

impl CallState {
    fn blobs(&self) -> Result<&Blobs, wit::Error> {
        let none = || wit::Error::Unavailable("there is no store for blobs".to_owned());
        self.context.setup.reach.blobs.as_ref().ok_or_else(none)
    }
}

fn blob(it: Blob) -> wit::Blob {
    wit::Blob { id: it.id, size: it.size, mime_type: it.mime_type }
}

fn error(error: BlobError) -> wit::Error {
    match error {
        BlobError::Unknown => wit::Error::Unknown,
        BlobError::TooLarge(_) | BlobError::Full(_) | BlobError::ShareFull(_) => {
            wit::Error::LimitExceeded(error.to_string())
        }
        BlobError::Busy | BlobError::ShareBusy(_) | BlobError::DiskFull | BlobError::Io(_) => {
            wit::Error::Unavailable(error.to_string())
        }
    }
}
