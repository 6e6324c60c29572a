//! Cached events.

use ports::shared::{
    changes::{Changes, LoggedChange},
    signals::Change,
};

use super::*;
use crate::{
    content::templates::TemplateEdits,
    shared::{change_follower::FollowedCache, fixtures::manual_clock},
};

/// Change of the event of that slug, or of a template.
fn changed(slug: Option<&str>) -> Changes {
    let key = slug.map(str::to_owned);
    let change = LoggedChange { kind: Change::Events, organization: Some(tenant()), key };
    Changes::Known(vec![change])
}

#[tokio::test]
async fn an_event_is_read_once_until_it_or_a_template_changes() {
    let mut ports = TestPorts::new();
    ports.events = MockEventRepository::new();
    let reads = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&reads);
    ports.events.expect_find_by_slug().returning(move |_, _| {
        *counted.lock().unwrap() += 1;
        Ok(Some((event(&[]), vec![text()])))
    });
    let (clock, clock_time) = manual_clock();
    let (events, _) = ports.build_at(clock);
    let trigger = async || events.trigger(&rehearsal(), to_phone()).await.map(drop).unwrap();
    let later = |millis| *clock_time.lock().unwrap() += TimeDelta::milliseconds(millis);
    let apply = async |changes| {
        let now = *clock_time.lock().unwrap();
        events.deps.known.apply(&changes, now).await.unwrap();
    };

    trigger().await;
    later(10);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 1);
    events.deps.known.note_edit(tenant());
    later(10);
    trigger().await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 2, "this instance changed a template");
    apply(changed(Some("parcel"))).await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 3, "another instance changed the event");
    apply(changed(Some("other"))).await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 3, "another instance changed another event");
    apply(changed(None)).await;
    later(10);
    trigger().await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 4, "another instance changed a template");
    later(900);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 5, "nobody follows the changes any more");
}
