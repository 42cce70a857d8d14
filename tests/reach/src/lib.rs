//! A component that uses everything that can be granted beside the database: it reads files and
//! folders, keeps blobs, publishes events and waits, runs by a schedule, does jobs, answers look-ups and requests,
//! and asks assistants where it may not.

mod folder;
mod jobs;
mod letters;
mod lookups;
mod parts;
mod routes;
mod store;

use folder::{EscapeFolder, ReadFolder, WriteFolder};
use letters::{AwaitLetter, CountRuns, SendLetter, WaitInVain, WakeYourself};
use parts::PlayPart;
use store::{PutBlob, ReadBlob, ReadFile};

toolkit::export_tools!(
    ReadFile,
    ReadFolder,
    WriteFolder,
    EscapeFolder,
    PutBlob,
    ReadBlob,
    SendLetter,
    AwaitLetter,
    WaitInVain,
    WakeYourself,
    CountRuns,
    PlayPart,
);
toolkit::export_migrations!(1 "tables" => "../migrations/1-tables.sql");
toolkit::export_schedule!(letters::run);
toolkit::export_jobs!(jobs::due, jobs::run);
toolkit::export_endpoints!(lookups::get);
toolkit::export_routes!(routes::routes);

/// Writes a tool's dull part: its names, its hints and its output.
#[macro_export]
macro_rules! named {
    ($name:literal, $ja:literal, $en:literal, $description:literal $(, $argument:literal)*) => {
        const NAME: &'static str = $name;
        const TITLE: toolkit::Text = toolkit::Text { ja: $ja, en: $en };
        const ENGLISH: toolkit::English = toolkit::English {
            description: $description,
            arguments: &[$(($argument, $argument)),*],
        };
    };
}
