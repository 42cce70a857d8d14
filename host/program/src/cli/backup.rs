//! The commands `madoguchi backup FOLDER` and `madoguchi restore FOLDER` copy a data folder and restore it.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use host::{
    Config,
    backup::{self, List},
};

use super::print_line;

/// Copies the data folder, also while a server runs on it.
#[derive(Args)]
pub(crate) struct Backup {
    /// Where the copy goes: a new folder
    folder: PathBuf,
}

/// Puts a backup into a data folder that has no data yet.
#[derive(Args)]
pub(crate) struct Restore {
    /// The folder of the backup
    folder: PathBuf,
}

impl Backup {
    pub(crate) fn run(&self, config: &Config) -> anyhow::Result<ExitCode> {
        let list = backup::write(&config.data, &self.folder)?;
        let (files, bytes) = size(&list);
        print_line(&format!("{}: {files} files, {bytes} bytes", self.folder.display()))?;
        if config.store.url.is_some() {
            print_line(
                "What components keep in SQL is not in it, but on the PostgreSQL server that [store] names: `pg_dump` copies it, and both belong together.",
            )?;
        }
        print_line("It is as secret as the data folder. `madoguchi restore` puts it back.")?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Restore {
    pub(crate) fn run(&self, config: &Config) -> anyhow::Result<ExitCode> {
        let list = backup::restore(&self.folder, &config.data)?;
        let (files, bytes) = size(&list);
        let (data, made_at) = (config.data.display(), &list.made_at);
        print_line(&format!("{data}: {files} files, {bytes} bytes, as of {made_at}"))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn size(list: &List) -> (usize, u64) {
    (list.files.len(), list.files.values().map(|it| it.bytes).sum())
}
