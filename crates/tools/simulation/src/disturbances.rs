//! Disturbances of a world besides crashes.

use std::time::Duration;

use domain::platform::heartbeat::TAKEN_OVER_AFTER;
use tokio::time::sleep;

use crate::{chance::Chance, vendor::Manners, witness::Loss, world::World};

/// Stop after which a process may not have noticed that a lease ended.
const SHORT_STOP: Duration = Duration::from_secs(10);

/// Makes one disturbance, at a time before `latest`.
pub(crate) async fn disturb(world: World, chance: Chance, latest: Duration) {
    sleep(chance.pause(0..=latest.as_millis().try_into().unwrap_or(u64::MAX))).await;
    match chance.index(4) {
        _ if world.is_stopped_only() => stop(&world, &chance).await,
        0 => take_store_away(&world, &chance).await,
        1 => cut_off(&world, &chance).await,
        2 => stop(&world, &chance).await,
        _ => disturb_vendor(&world, &chance).await,
    }
}

/// Makes the store unavailable for a while.
async fn take_store_away(world: &World, chance: &Chance) {
    world.trace.note(format_args!("the store is away"));
    world.weather.set_away(true);
    sleep(chance.pause(500..=40_000)).await;
    world.weather.set_away(false);
    world.trace.note(format_args!("the store is back"));
}

/// Cuts a process off from the store; if that lasts, others release it as dead.
async fn cut_off(world: &World, chance: &Chance) {
    let Some(process) = chance.pick(&world.processes()).copied() else { return };
    world.trace.note(format_args!("i{} is cut off from the store", process.0));
    world.weather.cut_off(process, true);
    let pause = chance.pause(1_000..=40_000);
    sleep(pause.min(TAKEN_OVER_AFTER)).await;
    if pause > TAKEN_OVER_AFTER && !world.is_calm() {
        world.take_for_dead(process);
        sleep(pause.saturating_sub(TAKEN_OVER_AFTER)).await;
    }
    world.weather.cut_off(process, false);
    world.trace.note(format_args!("i{} reaches the store again", process.0));
}

/// Freezes a process for a while, at most for longer than its leases last.
async fn stop(world: &World, chance: &Chance) {
    let Some(process) = chance.pick(&world.processes()).copied() else { return };
    world.trace.note(format_args!("i{} stops", process.0));
    world.scheduler.freeze(process, true);
    let pause = chance.pause(500..=150_000);
    if pause > SHORT_STOP {
        world.witness.lose(process, Loss::Stop);
    }
    sleep(pause.min(TAKEN_OVER_AFTER)).await;
    if pause > TAKEN_OVER_AFTER && !world.is_calm() {
        world.take_for_dead(process);
        sleep(pause.saturating_sub(TAKEN_OVER_AFTER)).await;
    }
    world.scheduler.freeze(process, false);
    world.trace.note(format_args!("i{} goes on", process.0));
}

/// Makes a vendor take nothing for a while, or take everything without an answer.
async fn disturb_vendor(world: &World, chance: &Chance) {
    let Some(vendor) = chance.pick(&world.vendors) else { return };
    let usual = vendor.manners();
    let disturbed = if chance.happens(500) {
        Manners { refuses: 1_000, ..usual }
    } else {
        Manners { refuses: 0, rejects: 0, times_out: 1_000, ..usual }
    };
    world.trace.note(format_args!("{} is out of order", vendor.name()));
    vendor.behave(disturbed);
    sleep(chance.pause(1_000..=40_000)).await;
    vendor.behave(if world.is_calm() { usual.once_calm() } else { usual });
    world.trace.note(format_args!("{} is in order again", vendor.name()));
}
