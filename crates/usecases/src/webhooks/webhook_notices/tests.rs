//! Notices about failing endpoints.

use std::sync::Mutex;

use chrono::TimeDelta;
use domain::shared::id::Id;
use ports::{
    messaging::messages::Submission,
    shared::mock::{MockFailingEndpoints, MockIntake},
    webhooks::webhook_queue::EndpointKey,
};

use super::*;
use crate::shared::fixtures::{
    NOW, away, clock,
    notices::{mails, organization_of_all_roles},
    open_intake, tenant,
};

fn failing() -> FailingEndpoint {
    FailingEndpoint {
        key: EndpointKey { organization: tenant(), endpoint: Id::new_in(NOW, tenant()) },
        url: "https://shop.example.com/hooks?token=hidden".to_owned(),
        since: NOW - TimeDelta::hours(25),
    }
}

async fn notify(endpoints: MockFailingEndpoints, intake: MockIntake) -> usize {
    let url = "https://notify.example.com".to_owned();
    let organizations = organization_of_all_roles();
    let endpoints = Arc::new(endpoints);
    let notices =
        WebhookNotices::new(endpoints, organizations, Arc::new(mails(intake)), url, clock());
    notices.notify().await.unwrap()
}

#[tokio::test]
async fn owners_are_notified_on_the_second_day_without_user_input() {
    let (intake, submissions) = open_intake();
    let (mut endpoints, endpoint) = (MockFailingEndpoints::new(), failing());
    let found = endpoint.clone();
    endpoints
        .expect_pending()
        .once()
        .withf(|until, _| *until == NOW - TimeDelta::hours(24))
        .returning(move |_, _| Ok(vec![found.clone()]));
    endpoints.expect_mark_notified().once().withf(|_, at| *at == NOW).returning(|_, _| Ok(()));

    assert_eq!(notify(endpoints, intake).await, 1);

    let sent: Vec<Submission> = submissions.lock().unwrap().clone();
    let drafts: Vec<_> = sent.iter().map(|it| &it.messages[0].draft).collect();
    let recipients: Vec<_> = drafts.iter().map(|it| it.recipient.as_str()).collect();
    assert_eq!(recipients, ["tenant_owner@example.com"]);
    let body = &drafts[0].body;
    let path = format!("/webhook-endpoints/{}/recover", endpoint.key.endpoint);
    for part in [&*tenant().to_string(), "5 days", &*path] {
        assert!(body.contains(part), "{part}: {body}");
    }
    for chosen in ["Kente", "shop.example.com", "hidden"] {
        assert!(!body.contains(chosen), "{chosen}: {body}");
    }
}

#[tokio::test]
async fn a_notice_that_failed_stays_pending_and_delays_no_other() {
    let mut endpoints = MockFailingEndpoints::new();
    endpoints.expect_pending().returning(|_, _| Ok(vec![failing(), failing()]));
    endpoints.expect_mark_notified().once().returning(|_, _| Ok(()));
    let calls = Mutex::new(0);
    let mut intake = MockIntake::new();
    intake.expect_accept().returning(move |submission| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        if *calls == 1 {
            return Err(away().into());
        }
        drop(submission);
        Ok(ports::messaging::messages::Receipt::Accepted(Vec::new()))
    });

    assert_eq!(notify(endpoints, intake).await, 1);
}
