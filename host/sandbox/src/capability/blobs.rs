//! The interface `blobs` reads uploaded blobs and creates new ones, within the limits of a call.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::recording::{Bytes, ErrorParts, Kept};
use crate::{bindings::madoguchi::tool::blobs as wit, capability::state::CallState};
use store::blobs::{Blob, BlobError, Blobs};

impl wit::Host for CallState {
    async fn stat(&mut self, id: String) -> Result<wit::Blob, wit::Error> {
        let taped = self.taped("blobs.stat", || json!([id]));
        if let Some(given) = taped.given::<Kept<Found>>().await {
            return given.map(|it: Found| it.0);
        }
        let answer = self.stat_blob(&id).await.map(blob);
        taped.keep_as(answer, |_, it| Kept::recorded(it, |it| Found(it.clone())))
    }

    async fn sniff(&mut self, id: String) -> Result<Option<String>, wit::Error> {
        let taped = self.taped("blobs.sniff", || json!([id]));
        if let Some(given) = taped.given::<Kept<Option<String>>>().await {
            return given.map(std::convert::identity);
        }
        let answer = self.stat_blob(&id).await.map(|it| it.sniffed.map(str::to_owned));
        taped.keep_as(answer, |_, it| Kept::recorded(it, Clone::clone))
    }

    async fn read(&mut self, id: String, offset: u64, length: u32) -> Result<Vec<u8>, wit::Error> {
        let taped = self.taped("blobs.read", || json!([id, offset, length]));
        if let Some(given) = taped.given::<Kept<Bytes>>().await {
            return given.map(Bytes::into_bytes);
        }
        let answer = self.read_blob(id, offset, length).await;
        taped.keep_as(answer, |_, it| Kept::recorded(it, |it| Bytes::encode(it)))
    }

    async fn put(&mut self, data: Vec<u8>, mime_type: String) -> Result<wit::Blob, wit::Error> {
        let taped = self.taped("blobs.put", || json!([Bytes::encode(&data), mime_type]));
        if let Some(given) = taped.given::<Kept<Found>>().await {
            return given.map(|it: Found| it.0);
        }
        let answer = self.put_blob(data, mime_type).await;
        taped.keep_as(answer, |_, it| Kept::recorded(it, |it| Found(it.clone())))
    }
}

impl CallState {
    async fn stat_blob(&mut self, id: &str) -> Result<Blob, wit::Error> {
        let _span = self.context.round.span.child("blob stat");
        self.blobs()?.stat(id).await.map_err(error)
    }

    async fn read_blob(
        &mut self,
        id: String,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, wit::Error> {
        let (length, most) = (length as usize, self.context.setup.limits.output_bytes_max);
        if length > most {
            let message = format!("{length} bytes in one go; output_bytes_max allows {most}");
            return Err(wit::Error::LimitExceeded(message));
        }
        let _span = self.context.round.span.child("blob read");
        self.blobs()?.read(&id, offset, length).await.map_err(error)
    }

    async fn put_blob(
        &mut self,
        data: Vec<u8>,
        mime_type: String,
    ) -> Result<wit::Blob, wit::Error> {
        let blobs = self.blobs()?.clone();
        // Small blobs count as a disk block, which bounds their number per call.
        let cost = Blobs::cost(data.len() as u64);
        let Some(left) = self.left.blob_bytes_max.checked_sub(cost) else {
            let message = "more blobs in one call than blob_bytes_max allows".to_owned();
            return Err(wit::Error::LimitExceeded(message));
        };
        self.left.blob_bytes_max = left;
        let owner = self.context.round.caller.share();
        let _span = self.context.round.span.child("blob put");
        blobs.put_for(owner, &data, &mime_type).await.map(blob).map_err(error)
    }

    fn blobs(&self) -> Result<&Blobs, wit::Error> {
        let none = || wit::Error::Unavailable("there is no store for blobs".to_owned());
        self.context.setup.reach.blobs.as_ref().ok_or_else(none)
    }
}

/// A blob as a record has it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "wit::Blob")]
struct KeptBlob {
    id: String,
    size: u64,
    mime_type: String,
}

/// A blob that is read and written by [`KeptBlob`].
#[derive(Serialize, Deserialize)]
struct Found(#[serde(with = "KeptBlob")] wit::Blob);

impl ErrorParts for wit::Error {
    fn kind_and_text(&self) -> (&'static str, &str) {
        match self {
            Self::Unknown => ("unknown", ""),
            Self::LimitExceeded(it) => ("limit-exceeded", it),
            Self::Unavailable(it) => ("unavailable", it),
        }
    }

    fn read(kind: &str, message: String) -> Self {
        match kind {
            "unknown" => Self::Unknown,
            "limit-exceeded" => Self::LimitExceeded(message),
            _ => Self::Unavailable(message),
        }
    }
}

fn blob(blob: Blob) -> wit::Blob {
    wit::Blob { id: blob.id, size: blob.size, mime_type: blob.mime_type }
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
