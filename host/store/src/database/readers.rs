//! Reading: a few connections that cannot write, each batch in one snapshot.
//!
//! Where a batch runs was measured: a point read takes 3 µs; handed to a blocking thread and back
//! it takes 30 µs of CPU, more than the rest of a whole tool call. So a batch runs on the async
//! worker that asks, under three conditions, and on a blocking thread otherwise:
//! - the connection has run the same texts before, on a thread, from parsing to the last row
//!   within [`INLINE_TIME`](super::reader::INLINE_TIME) (parsing and planning cannot be interrupted);
//! - they call no function of which one step may take long ([`Guard::saw_slow`]);
//! - it ends within [`INLINE_TIME`] now; else it is stopped, begun again on a thread, and the
//!   texts lose their place until they have been quick again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connections::Site;
use super::errors;
use super::guard::Guard;
use super::reader::{Answer, Reader};
use super::run;
use super::types::{Error, Statement};

/// The connections for reading.
pub(super) struct Readers {
    site: Arc<Site>,
    idle: Idle,
    /// One place for each connection; whoever has none waits here, not on a thread.
    places: Arc<Semaphore>,
}

/// Connections that nobody uses; none once the database is closed.
struct Idle {
    readers: Mutex<Option<Vec<Reader>>>,
}

impl Readers {
    pub(super) fn new(site: Arc<Site>) -> Self {
        let places = Arc::new(Semaphore::new(site.limits.readers_max.max(1)));
        Self { site, idle: Idle { readers: Mutex::new(Some(Vec::new())) }, places }
    }

    pub(super) async fn query(&self, statements: Vec<Statement>, deadline: Instant) -> Answer {
        run::measure(&self.site, &statements)?;
        let place = self.place(deadline).await?;
        // What is short ends before the engine first looks at the clock.
        if Instant::now() >= deadline {
            return Err(errors::out_of_time());
        }
        let mut idle = self.idle.take(self.site.frozen.is());
        if let Some(mut reader) = idle.take_if(|reader| reader.knows_as_quick(&statements)) {
            let answer = reader.run_inline(&self.site, &statements, deadline);
            if let Some(answer) = answer {
                self.idle.put(reader);
                return answer;
            }
            idle = Some(reader);
        }
        let reader = match idle {
            Some(reader) => reader,
            None => {
                let site = Arc::clone(&self.site);
                on_thread(move || Reader::open(&site)).await??
            }
        };
        self.query_on_thread(reader, place, statements, deadline).await
    }

    async fn query_on_thread(
        &self,
        mut reader: Reader,
        place: OwnedSemaphorePermit,
        statements: Vec<Statement>,
        deadline: Instant,
    ) -> Answer {
        let mut stop = StopOnDrop { guard: Some(Arc::clone(&reader.guard)) };
        let site = Arc::clone(&self.site);
        // The place travels along: it is free when the thread is, whoever has given up waiting.
        let (reader, place, answer) = on_thread(move || {
            let answer = reader.run_on_thread(&site, &statements, deadline);
            (reader, place, answer)
        })
        .await?;
        stop.guard = None;
        self.idle.put(reader);
        drop(place);
        answer
    }

    async fn place(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Error> {
        let places = Arc::clone(&self.places);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return Ok(place);
        }
        match tokio::time::timeout_at(deadline.into(), places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_closed)) => Err(closed()),
            Err(_late) => Err(errors::out_of_time()),
        }
    }

    /// Refuses what comes from now on; what runs ends, and its connections with it.
    pub(super) fn close(&self) {
        self.places.close();
        *self.idle.readers.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What only tests ask.
#[cfg(test)]
impl Readers {
    /// Whether a connection that is idle would run this text on an async worker.
    pub(super) fn knows_as_quick(&self, sql: &str) -> bool {
        let idle = self.idle.readers.lock().unwrap();
        idle.iter().flatten().any(|reader| reader.is_quick(sql))
    }

    /// Texts that the idle connections remember.
    pub(super) fn texts(&self) -> usize {
        let idle = self.idle.readers.lock().unwrap();
        idle.iter().flatten().map(|reader| reader.texts()).sum()
    }
}

/// Stops a query that nobody waits for any more. Its connection is then not used again.
struct StopOnDrop {
    guard: Option<Arc<Guard>>,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(guard) = &self.guard {
            guard.stop_now();
        }
    }
}

async fn on_thread<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(act)
        .await
        .map_err(|error| Error::Unavailable(format!("the database's reader ended: {error}")))
}

pub(super) fn closed() -> Error {
    Error::Unavailable("the database is closed".into())
}

impl Idle {
    /// One that reads as the database is now; those that do not are closed.
    fn take(&self, is_frozen: bool) -> Option<Reader> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let readers = readers.as_mut()?;
        while let Some(reader) = readers.pop() {
            if reader.is_frozen() == is_frozen {
                return Some(reader);
            }
        }
        None
    }

    fn put(&self, reader: Reader) {
        if let Some(readers) = self.readers.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
        {
            readers.push(reader);
        }
    }
}
