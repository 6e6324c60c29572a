//! Cached events.

use super::*;
use crate::content::templates::TemplateEdits;
use crate::shared::fixtures::manual_clock;

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
    ports.events.expect_changed_lately().returning(|| Ok(vec![(tenant(), "parcel".into())]));
    let (clock, clock_time) = manual_clock();
    let (events, _) = ports.build_at(clock);
    let trigger = async || events.trigger(&rehearsal(), to_phone()).await.map(drop).unwrap();
    let later = |millis| *clock_time.lock().unwrap() += TimeDelta::milliseconds(millis);

    trigger().await;
    later(10);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 1);
    events.deps.known.note_edit(tenant());
    later(10);
    trigger().await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 2, "this instance changed a template");
    events.deps.known.forget_changes().await.unwrap();
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 3, "another instance changed something");
    later(900);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 4, "nobody asks for changes any more");
}
