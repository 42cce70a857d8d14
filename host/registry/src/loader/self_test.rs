//! Tries a build out before it serves: migrations, settings and examples, on databases that are
//! thrown away.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{blocking, settle};
use base::{grants::Grant, settings::Settings};
use sandbox::component::{LoadError, LoadedComponent};
use store::{
    clock::Clock,
    database::{self, Database},
};

/// What time it is while examples are tried: 2027-01-01T00:00:00Z, a Friday. Always the same, so
/// that what an example expects can be written down.
const EXAMPLES_AT: Duration = Duration::from_secs(1_798_761_600);

/// Tries migrations, settings and examples.
pub(super) async fn self_test(
    component: &LoadedComponent,
    is_swap: bool,
    trouble: &mut Option<LoadError>,
) -> Result<(), LoadError> {
    if component.needs(Grant::Sql) {
        let settings = component.setup().settings.clone();
        let trial = trial(component, settings, component.clock().clone()).await?;
        if trouble.is_none() {
            settle(trial.configure().await, is_swap, trouble)?;
        }
    }
    if !component.has_examples() {
        return Ok(());
    }
    // Examples speak of what a component brings along, not of what this operator set: they run
    // without settings, unless the component cannot do without any.
    let clock = Clock::Fixed(Arc::new(Mutex::new(EXAMPLES_AT)));
    let bare = trial(component, Arc::default(), clock.clone()).await?;
    match bare.configure().await {
        Ok(()) => return bare.prove().await,
        Err(LoadError::Configure(_)) if trouble.is_none() => {}
        Err(LoadError::Configure(_)) => return Ok(()),
        Err(error) => return Err(error),
    }
    let set = trial(component, component.setup().settings.clone(), clock).await?;
    set.configure().await?;
    set.prove().await
}

/// The component on a migrated database of its own, if it has one.
async fn trial(
    component: &LoadedComponent,
    settings: Arc<Settings>,
    clock: Clock,
) -> Result<LoadedComponent, LoadError> {
    if !component.needs(Grant::Sql) {
        return Ok(component.on_trial(None, settings, clock));
    }
    let scratch = blocking(|| Ok(Database::temporary(database::Limits::default())?)).await?;
    let trial = component.on_trial(Some(scratch.clone()), settings, clock);
    trial.migrate(&scratch).await?;
    Ok(trial)
}
