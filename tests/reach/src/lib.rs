//! A component that uses all grants except the database: files, folders, blobs, events, waiting, schedules, jobs,
//! routes, and assistants where that is forbidden.

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

/// Defines names, hints and output of a tool.
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
