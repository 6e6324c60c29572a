//! Templates of vendors, in storage and in messages.

use domain::{
    content::template::{FilledTemplate, Template, VendorTemplate},
    identity::organization::Organization,
    messaging::{
        delivery::Delivery,
        job::Job,
        message::{Message, MessageRequest, Terms},
        priority::Origin,
    },
    shared::{channel::Channel, id::Id, money::Money},
};
use ports::{
    messaging::messages::{Jobs, Recorded},
    shared::store::StoreError,
};

use crate::{World, messaging::intake_fixture::IntakeFixture, now};

async fn keep(world: &World, organization: Id<Organization>, vendors: &str) -> Id<Template> {
    let id = Id::new_in(now(), organization);
    world
        .sql(&format!(
            "INSERT INTO templates (id, organization_id, name, channel, category, body, status, \
             created_at, vendor_template) VALUES ('{id}', '{organization}', 'x', 'WHATSAPP', 'OTP', \
             'B', 'APPROVED', now(), '{vendors}')"
        ))
        .await;
    id
}

#[tokio::test]
async fn reads_the_name_and_parameters_of_a_vendor_template() {
    let world = World::new().await;
    let own = world.organization().await.id;
    for (kept, parameters, button) in [
        (r#"{"name": "order", "language": "en_US"}"#, vec![], None),
        (
            r#"{"name": "order", "language": "en_US", "parameters": ["b", "a"], "button": "a"}"#,
            vec!["b".to_owned(), "a".to_owned()],
            Some("a".to_owned()),
        ),
    ] {
        let id = keep(&world, own, kept).await;

        let found = world.templates().find_all(own, &[id]).await.unwrap();

        let (name, language) = ("order".to_owned(), "en_US".to_owned());
        let expected = VendorTemplate { name, language, parameters, button };
        assert_eq!(found[0].vendor_template, Some(expected));
    }
}

#[tokio::test]
async fn an_unreadable_vendor_template_is_an_error() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let id = keep(&world, own, r#"{"name": "order"}"#).await;

    let found = world.templates().find_all(own, &[id]).await;

    let Err(StoreError::Internal(error)) = found else { panic!("{found:?}") };
    assert_eq!(error.to_string(), format!("row {id} of templates contradicts itself"));
}

fn message(organization: Id<Organization>, vendor_template: Option<FilledTemplate>) -> Message {
    let composition = MessageRequest {
        channel: Some(Channel::WhatsApp),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    let mut draft = composition.draft(None).unwrap();
    draft.vendor_template = vendor_template;
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    Message::queue(organization, draft, Origin::Single, terms, now())
}

fn filled() -> FilledTemplate {
    FilledTemplate {
        name: "order".into(),
        language: "en_US".into(),
        values: vec!["Ama \"É\"".into(), "4711".into()],
        button: Some("4711".into()),
    }
}

#[tokio::test]
async fn a_claimed_message_has_the_values_it_was_accepted_with() {
    let fixture = IntakeFixture::open(Money::ZERO).await;
    let messages =
        [message(fixture.organization, Some(filled())), message(fixture.organization, None)];

    let claimed = fixture.claim(&messages).await;

    assert_eq!(claimed.len(), 2);
    for Job { message, .. } in claimed {
        let accepted = messages.iter().find(|accepted| accepted.id == message.id).unwrap();
        assert_eq!(message.draft.vendor_template, accepted.draft.vendor_template);
        assert_eq!(fixture.jobs.find(accepted.id).await.unwrap(), Some(message));
    }
    let empty = "SELECT count(*) FROM delivery_logs WHERE vendor_template IS NULL";
    let empty: i64 = fixture.world.client().await.query_one(empty, &[]).await.unwrap().get(0);
    assert_eq!(empty, 1, "the usual message keeps nothing");
}

#[tokio::test]
async fn confidential_values_are_erased_once_a_provider_has_them() {
    let fixture = IntakeFixture::open(Money::ZERO).await;
    for (is_confidential, kept) in [(true, None), (false, Some(filled()))] {
        let accepted = message(fixture.organization, Some(filled()));
        let accepted = Message { is_confidential, ..accepted };
        let [job] = <[Job; 1]>::try_from(fixture.claim(&[accepted]).await).unwrap();
        assert_eq!(job.message.draft.vendor_template, Some(filled()));
        let (id, step) = (job.message.id, job.conclude(Delivery::Sent { at: now() }));

        assert_eq!(fixture.jobs.record(step.into()).await.unwrap(), Recorded::Done);

        let sent = fixture.jobs.find(id).await.unwrap().unwrap();
        assert_eq!(sent.draft.vendor_template, kept);
        assert_eq!(sent.draft.body.is_empty(), is_confidential);
    }
}
