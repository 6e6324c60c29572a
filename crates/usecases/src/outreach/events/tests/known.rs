//! Cached events, and refusals of triggers.

use super::*;
use crate::content::templates::TemplateEdits;
use crate::shared::fixtures::hand_clock;

#[tokio::test]
async fn an_event_is_read_once_until_it_or_a_template_changes() {
    let mut ports = TestPorts::new();
    ports.events = MockEventRepository::new();
    let reads = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&reads);
    ports.events.expect_find_by_slug().returning(move |_, _| {
        *counted.lock().unwrap() += 1;
        Ok(Some((event(&[]), vec![text(true)])))
    });
    ports.events.expect_changed_lately().returning(|| Ok(vec![(tenant(), "parcel".into())]));
    let (clock, hand) = hand_clock();
    let (events, _) = ports.build_at(clock);
    let trigger = async || events.trigger(&rehearsal(), to_phone()).await.map(drop).unwrap();
    let later = |millis| *hand.lock().unwrap() += TimeDelta::milliseconds(millis);

    trigger().await;
    later(10);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 1);
    events.known.note_edit(tenant());
    later(10);
    trigger().await;
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 2, "this instance changed a template");
    events.known.forget_changes().await.unwrap();
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 3, "another instance changed something");
    later(900);
    trigger().await;
    assert_eq!(*reads.lock().unwrap(), 4, "nobody asks for changes any more");
}

#[tokio::test]
async fn each_missing_or_unready_part_has_its_own_error_code() {
    let code = async |event: Event, text: TemplateText, command: TriggerEvent| {
        let mut ports = TestPorts::new();
        ports.events = MockEventRepository::new();
        ports.events.expect_find_by_slug().returning(move |_, slug| {
            Ok((slug == "parcel").then(|| (event.clone(), vec![text.clone()])))
        });
        let (events, _) = ports.build();
        events.trigger(&rehearsal(), command).await.unwrap_err().code()
    };
    let named = |slug: &str| {
        let trigger = TriggerRequest { event: Some(slug.into()), ..to_phone().trigger };
        TriggerEvent { trigger, ..to_phone() }
    };
    let stranger = TriggerRequest { contact: Some(Id::of(tenant().uuid())), ..to_ama().trigger };
    let stranger = TriggerEvent { trigger: stranger, ..to_ama() };
    let (own, good) = (event(&[]), text(true));
    let inactive = Event { is_active: false, ..own.clone() };
    let empty = Event { template: None, ..own.clone() };
    for (event, text, command, expected) in [
        (own.clone(), good.clone(), named("other"), "EVENT_NOT_FOUND"),
        (own.clone(), good.clone(), named("Other"), "VALIDATION_ERROR"),
        (inactive, good.clone(), to_phone(), "EVENT_INACTIVE"),
        (empty, good.clone(), to_phone(), "TEMPLATE_NOT_FOUND"),
        (own.clone(), text(false), to_phone(), "TEMPLATE_NOT_APPROVED"),
        (own, good, stranger, "CONTACT_NOT_FOUND"),
    ] {
        assert_eq!(code(event, text, command).await, expected);
    }
}

#[tokio::test]
async fn a_trigger_needs_the_permission() {
    let (events, _) = TestPorts::new().build();
    for caller in [member(Role::Viewer), program(&["messages:send"], true)] {
        let error = events.trigger(&caller, to_phone()).await.unwrap_err();
        assert!(matches!(error, Error::Forbidden(_)), "{error}");
    }
}
