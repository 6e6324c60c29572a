//! Pages for recipients, and jobs on contacts over ports that must not be called.

use domain::{
    audience::unsubscribe::Subscription, identity::organization::PLATFORM, shared::address::Address,
};
use ports::shared::{
    mock::{
        MockContactJobRepository, MockContactRepository, MockSubscriptionTokens,
        MockUnsubscribeRepository,
    },
    store::StoreError,
};
use usecases::audience::{contact_jobs::ContactJobs, contacts::Contacts};

use super::*;

/// Returns use cases with links by which Ama ends advertising by mail.
pub(super) fn unsubscribes(
    organizations: Arc<dyn OrganizationRepository>,
    clock: &Arc<dyn Clock>,
) -> Unsubscribes {
    let mut tokens = MockSubscriptionTokens::new();
    tokens.expect_read().returning(|_| {
        let address = Address::stored("ama@example.com".into());
        Some(Subscription { organization: PLATFORM, channel: Channel::Email, address })
    });
    let repository = Arc::new(MockUnsubscribeRepository::new());
    Unsubscribes::new(Arc::new(tokens), repository, organizations, clock.clone())
}

pub(super) fn contact_jobs(clock: &Arc<dyn Clock>) -> ContactJobs {
    let repository = Arc::new(MockContactJobRepository::new());
    let segments = Arc::new(MockSegmentRepository::new());
    let audit_log = Arc::new(MockAuditLog::new());
    ContactJobs::new(repository, segments, audit_log, Bounds::none(), clock.clone())
}

pub(super) fn contacts(clock: &Arc<dyn Clock>) -> Contacts {
    Contacts::new(Arc::new(MockContactRepository::new()), Bounds::none(), clock.clone())
}

#[actix_web::test]
async fn shows_a_failed_unsubscription_to_browsers_as_a_page() {
    for (accept, is_page) in [("text/html", true), ("application/json", false)] {
        let mut api = TestApi::default();
        api.organizations
            .expect_find()
            .returning(|_| Err(StoreError::Unavailable("the database is away".into())));
        let request = TestRequest::post().uri("/unsubscribe/token");

        let answer = api.answer(request.insert_header(("Accept", accept))).await;

        assert_eq!(answer.status, 503);
        assert_eq!(answer.text.contains("try again in a few minutes"), is_page, "{accept}");
    }
}
