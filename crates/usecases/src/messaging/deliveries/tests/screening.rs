//! The rules of screening.

use domain::{
    content::compliance::{Assessment, Issue, Severity},
    identity::organization::{Organization, PLATFORM, Settings},
    messaging::message::Draft,
};
use ports::shared::mock::MockOrganizationRepository;

use super::{super::screening::refusal, *};
use crate::shared::fixtures::{away, policies};

/// Text that scores 60 or more.
const SCAM: &str = "You have won GHS 5,000 in the MTN promo! Send your MoMo PIN to 0241234567 to claim \
                    your prize now.";

/// Policies of organizations that are all screened, or none.
fn known(is_screened: bool) -> Policies {
    let mut organizations = MockOrganizationRepository::new();
    let settings = Settings { is_screened, ..Settings::default() };
    organizations.expect_settings().returning(move |_| Ok(Some(settings.clone())));
    policies(Arc::new(organizations))
}

fn direct(body: &str) -> Message {
    let draft = Draft { body: body.to_owned(), ..(*ordinary().draft).clone() };
    Message { draft: Arc::new(draft), ..ordinary() }
}

fn of_template(body: &str) -> Message {
    let message = direct(body);
    let template = Some(Id::new_in(NOW, tenant()));
    let draft = Draft { template, ..(*message.draft).clone() };
    Message { draft: Arc::new(draft), ..message }
}

fn of(organization: Id<Organization>, message: Message) -> Message {
    Message { organization, ..message }
}

/// The message after a round in which the first of two providers takes it if called.
async fn after(message: Message, rounds: u8, policies: Policies) -> Message {
    let mut two = TwoProviders::default();
    two.first.expect_send().returning(|_| accepted(FollowUp::Report));
    let mut jobs = MockJobs::new();
    jobs.expect_record().returning(|_| Ok(Recorded::Done));
    jobs.expect_release().returning(|_| Ok(()));
    let deps = two.deps(jobs, clock());
    let deliveries = Deliveries::new(DeliveriesDeps { policies: Some(policies), ..deps });
    deliveries.deliver(job(message, rounds)).await.unwrap()
}

#[tokio::test]
async fn screening_scores_only_before_the_first_round() {
    for (message, rounds, is_screened) in [
        (direct("Akwaaba"), 0, true),
        (direct(SCAM), 0, false),
        (direct(SCAM), 1, true),
        (of_template(SCAM), 0, false),
        (of(PLATFORM, direct(SCAM)), 0, true),
    ] {
        let sent = after(message, rounds, known(is_screened)).await;
        assert_eq!(sent.delivery.status(), Status::Sent, "{}", sent.draft.body);
    }
}

#[tokio::test]
async fn a_message_waits_while_its_policy_is_unavailable() {
    let mut organizations = MockOrganizationRepository::new();
    organizations.expect_settings().returning(|_| Err(away()));
    let policies = policies(Arc::new(organizations));

    let waiting = after(direct("Akwaaba"), 0, policies).await;

    assert_eq!(waiting.delivery, Delivery::NEW);
}

#[tokio::test]
async fn the_subject_is_part_of_the_text() {
    let draft = Draft { subject: Some(SCAM.into()), ..(*ordinary().draft).clone() };
    let message = Message { draft: Arc::new(draft), ..ordinary() };

    assert_eq!(after(message, 0, known(true)).await.delivery.status(), Status::Failed);
}

#[test]
fn a_text_is_blocked_from_a_score_of_sixty() {
    let issue = |weight| Issue {
        code: "RULE".into(),
        severity: Severity::High,
        message: "it is risky".into(),
        remedy: "write otherwise".into(),
        found: None,
        position: None,
        weight,
    };
    let judged = |score, weights: [u8; 2]| {
        let issues = weights.map(issue).into();
        refusal(&Assessment { score, issues })
    };

    assert_eq!(judged(59, [59, 0]), None);
    let refused = judged(60, [60, 0]).unwrap();
    assert_eq!(refused.message, "screening scored the text 60: RULE");
}
