//! Rules of texts written by a model.

use std::time::Duration;

use domain::{
    content::writing::{Style, Writer, WrittenText},
    identity::organization::{Holdings, Role},
    shared::rate::{Level, Rate},
};
use mockall::Sequence;
use ports::{
    platform::rate_limits::Exceeded,
    shared::mock::{MockContentWriter, MockRateLimiter, MockUsageRepository},
};

use super::*;
use crate::shared::{
    fixtures::{member, tenant},
    limits::Rates,
};

type Answer = Result<&'static str, WriterError>;

/// Model that gives these answers in turn and is asked no more often.
fn model(answers: &[Answer]) -> MockContentWriter {
    let mut writer = MockContentWriter::new();
    let mut sequence = Sequence::new();
    for (at, answer) in answers.iter().enumerate() {
        let answer =
            answer.map(|message| WrittenText { subject: None, message: message.to_owned() });
        let call = writer.expect_write().once().in_sequence(&mut sequence);
        // Only the second attempt receives violations.
        call.withf(move |_, violations| violations.is_empty() == (at == 0))
            .return_once(|_, _| answer);
    }
    writer
}

/// Operations whose texts are not counted.
fn unlimited(model: MockContentWriter) -> Content {
    Content::by_model(Arc::new(model), Bounds::none(), Limits::off())
}

fn rewrite_request() -> RewriteRequest {
    RewriteRequest {
        message: Some("Dear {{name}}, kindly note that your order is ready.".into()),
        style: Some(Style::Friendly),
        ..RewriteRequest::default()
    }
}

async fn rewrite(answers: &[Answer]) -> Result<Written, Error> {
    let content = unlimited(model(answers));
    content.rewrite(&member(Role::CampaignManager), rewrite_request(), Faults::default()).await
}

async fn translate(answers: &[Answer]) -> Result<Written, Error> {
    let content = unlimited(model(answers));
    let request = TranslateRequest {
        message: Some("Welcome {{name}}".into()),
        target_language: Some("tw".into()),
        ..TranslateRequest::default()
    };
    content.translate(&member(Role::CampaignManager), request, Faults::default()).await
}

const GOOD: Answer = Ok("Akwaaba {{name}}");
const BAD: Answer = Ok("Akwaaba {{nom}}");
const UNREADABLE: Answer = Err(WriterError::Unreadable);

#[tokio::test]
async fn the_model_gets_one_retry_with_the_violations() {
    for first in [BAD, UNREADABLE] {
        assert_eq!(translate(&[first, GOOD]).await.unwrap().writer, Writer::Model);
    }
}

#[tokio::test]
async fn an_unavailable_model_is_not_asked_twice() {
    for (retry_after, wait) in [(None, 5), (Some(TimeDelta::seconds(40)), 40)] {
        let refused = rewrite(&[Err(WriterError::Unavailable { retry_after })]).await;
        let Err(Error::Away(after)) = refused else { panic!("{refused:?}") };
        assert_eq!(after, TimeDelta::seconds(wait));
    }
}

#[tokio::test]
async fn a_faulty_request_reaches_no_model() {
    let content = unlimited(model(&[]));
    let request = RewriteRequest { message: None, ..rewrite_request() };
    let faults = Faults::field("channel", "must be a string");

    let refused = content.rewrite(&member(Role::Owner), request, faults).await;

    let Err(Error::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["channel", "message"]);
}

#[tokio::test]
async fn writing_by_a_model_needs_permission_to_write() {
    let content = unlimited(model(&[]));
    let request = rewrite_request();
    let refused = content.rewrite(&member(Role::Viewer), request, Faults::default()).await;
    assert_eq!(refused.unwrap_err().code(), "FORBIDDEN");
}

#[tokio::test]
async fn an_organization_has_fewer_texts_a_day_before_it_has_paid() {
    for (has_paid, texts) in [(false, 20), (true, 200)] {
        let mut usage = MockUsageRepository::new();
        usage
            .expect_holdings()
            .returning(move |_| Ok(Holdings { has_paid, ..Holdings::default() }));
        let mut limiter = MockRateLimiter::new();
        limiter
            .expect_take()
            .withf(move |key, rate, tokens| {
                key == format!("content:{}", tenant())
                    && *rate == Rate::per_day(texts)
                    && *tokens == 1
            })
            .returning(|_, rate, _| {
                let (retry_after, full_in) = (Duration::from_secs(9), rate.span());
                Err(Exceeded { retry_after, level: Level { remaining: 0, full_in } })
            });
        let limits = Limits::new(Arc::new(limiter), Rates::default());
        let bounds = Bounds::new(Arc::new(usage));
        let content = Content::by_model(Arc::new(model(&[])), bounds, limits);

        let refused = content
            .rewrite(&member(Role::CampaignManager), rewrite_request(), Faults::default())
            .await;

        let Err(Error::RateLimited(wait)) = refused else { panic!("{refused:?}") };
        assert_eq!(wait, TimeDelta::seconds(9));
    }
}
