//! Who is told of an endpoint that fails, and when.

use std::sync::Mutex;

use chrono::TimeDelta;
use domain::{
    channel::Channel,
    id::Id,
    organization::{Profile, Settings},
    provider::Provider,
    user::User,
};
use ports::{
    messages::Submission,
    mock::{
        MockDeliveryLogRepository, MockFailingEndpoints, MockIntake, MockJobs,
        MockMessagingProvider, MockOrganizationRepository, MockTemplateRepository,
    },
    webhook_queue::EndpointKey,
};

use super::*;
use crate::{
    deliveries::Deliveries,
    fixtures::{NOW, away, clock, open_intake, price_list, prices, provider, random, tenant},
    messages::MessagesParts,
    providers::{ConfiguredProvider, Providers},
};

fn messages(intake: MockIntake) -> Messages {
    let mail = provider("mail", 1, TimeDelta::minutes(10));
    let carrier = ConfiguredProvider {
        provider: Provider { channel: Channel::Email, ..mail },
        adapter: Arc::new(MockMessagingProvider::new()),
    };
    let providers = Providers::new(vec![carrier], Arc::new(MockMessagingProvider::new()));
    let providers = Arc::new(providers);
    let jobs = Arc::new(MockJobs::new());
    Messages::new(MessagesParts {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        intake: Arc::new(intake),
        prices: prices(price_list()),
        deliveries: Deliveries::new(jobs, Arc::clone(&providers), clock(), random()),
        providers,
        clock: clock(),
    })
}

fn failing() -> FailingEndpoint {
    FailingEndpoint {
        key: EndpointKey { organization: tenant(), endpoint: Id::new_in(NOW, tenant()) },
        url: "https://shop.example.com/hooks?token=hidden".to_owned(),
        since: NOW - TimeDelta::hours(25),
    }
}

/// An organization with one member of each role.
fn organizations() -> MockOrganizationRepository {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_find().returning(|id| {
        Ok(Some(Organization {
            id,
            name: "Kente".into(),
            profile: Profile::default(),
            settings: Settings::default(),
            created_at: NOW,
        }))
    });
    organizations.expect_members().returning(|_| {
        let member = |role: Role| Member {
            user: Id::<User>::new(NOW),
            email: format!("{}@example.com", role.as_str().to_lowercase()),
            email_verified: true,
            first_name: "Ama".into(),
            last_name: "Mensah".into(),
            role,
            joined_at: NOW,
        };
        Ok(Role::ALL.map(member).into())
    });
    organizations
}

async fn tell(endpoints: MockFailingEndpoints, intake: MockIntake) -> usize {
    let url = "https://notify.example.com".to_owned();
    let organizations = Arc::new(organizations());
    let endpoints = Arc::new(endpoints);
    let notices = WebhookNotices::new(endpoints, organizations, messages(intake), url, clock());
    notices.tell().await.unwrap()
}

#[tokio::test]
async fn owners_are_told_on_the_second_day_where_calls_fail_but_no_secret() {
    let (intake, submissions) = open_intake();
    let mut endpoints = MockFailingEndpoints::new();
    endpoints
        .expect_untold()
        .once()
        .withf(|until, _| *until == NOW - TimeDelta::hours(24))
        .returning(|_, _| Ok(vec![failing()]));
    endpoints.expect_note_told().once().withf(|_, at| *at == NOW).returning(|_, _| Ok(()));

    assert_eq!(tell(endpoints, intake).await, 1);

    let sent: Vec<Submission> = submissions.lock().unwrap().clone();
    let drafts: Vec<_> = sent.iter().map(|it| &it.messages[0].draft).collect();
    let recipients: Vec<_> = drafts.iter().map(|it| it.recipient.as_str()).collect();
    assert_eq!(recipients, ["tenant_owner@example.com"]);
    let body = &drafts[0].body;
    for part in ["Kente", "https://shop.example.com/hooks\n", "5 days", "/recover"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert!(!body.contains("hidden"), "{body}");
}

#[tokio::test]
async fn a_notice_that_could_not_be_mailed_is_not_noted_and_delays_no_other() {
    let mut endpoints = MockFailingEndpoints::new();
    endpoints.expect_untold().returning(|_, _| Ok(vec![failing(), failing()]));
    endpoints.expect_note_told().once().returning(|_, _| Ok(()));
    let calls = Mutex::new(0);
    let mut intake = MockIntake::new();
    intake.expect_accept().returning(move |submission| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        if *calls == 1 {
            return Err(away().into());
        }
        drop(submission);
        Ok(ports::messages::Receipt::Accepted(Vec::new()))
    });

    assert_eq!(tell(endpoints, intake).await, 1);
}
