//! Figures of payments that wait.

use chrono::TimeDelta;

use crate::{World, now};

#[tokio::test]
async fn figures_of_payments_show_late_checks_and_open_exceptions() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    world.begin_top_up(own).await;
    let checks =
        |at: &str| format!("UPDATE top_ups SET check_at = clock_timestamp() + interval '{at}'");
    world.sql(&checks("1 min")).await;
    let punctual = world.store.payment_figures().await.unwrap();
    assert_eq!((punctual.open_exceptions, punctual.top_ups_overdue), (0, TimeDelta::zero()));

    world.sql(&checks("-7 min")).await;
    world
        .sql(&format!(
            "INSERT INTO payment_exceptions (id, reference, reason, noticed_at, resolved_at) \
             SELECT gen_random_uuid(), number::text, 'UNKNOWN_REFERENCE', '{}', \
                CASE WHEN number > 2 THEN now() END FROM generate_series(1, 5) AS number",
            now().to_rfc3339()
        ))
        .await;

    let late = world.store.payment_figures().await.unwrap();
    assert_eq!((late.open_exceptions, late.top_ups_overdue.num_minutes()), (2, 7));
}
