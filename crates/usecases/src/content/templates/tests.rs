//! Rules of edits.

use domain::{
    content::template::TemplateStatus,
    identity::organization::Role,
    shared::{category::Category, channel::Channel},
};
use mockall::Sequence;
use ports::shared::mock::MockTemplateRepository;

use super::*;
use crate::shared::fixtures::{NOW, clock, member, tenant};

fn request(category: Category) -> TemplateRequest {
    TemplateRequest {
        name: Some("Premium due".into()),
        channel: Some(Channel::Sms.into()),
        body: Some("Hello {{name}}".into()),
        category: Some(category),
        ..TemplateRequest::default()
    }
}

fn known(category: Category) -> Template {
    request(category).template(tenant(), Id::new(NOW), NOW).unwrap()
}

fn edit(body: &str) -> TemplateUpdate {
    TemplateUpdate { body: Some(body.into()), ..TemplateUpdate::default() }
}

fn templates(repository: MockTemplateRepository) -> Templates {
    Templates::new(Arc::new(repository), Arc::new(Nobody), Bounds::none(), clock())
}

fn hash(template: &Template) -> [u8; 32] {
    Fingerprint::of("template").template(&template.content).finish()
}

#[tokio::test]
async fn a_template_is_stored_with_its_hash_and_needed_approval() {
    for (category, is_supervised) in [(Category::Insurance, true), (Category::Otp, false)] {
        let mut repository = MockTemplateRepository::new();
        let insert = repository.expect_insert().once();
        insert
            .withf(move |template, written| {
                let approval = written.approval.as_ref();
                written.hash == hash(template)
                    && approval.is_some() == is_supervised
                    && approval.is_none_or(|approval| approval.hash == written.hash)
            })
            .returning(|_, _| Ok(()));
        let caller = member(Role::CampaignManager);

        let created =
            templates(repository).create(&caller, request(category), Faults::default()).await;

        let is_pending = created.unwrap().status == TemplateStatus::PendingApproval;
        assert_eq!(is_pending, is_supervised, "{category}");
    }
}

#[tokio::test]
async fn a_draft_has_the_status_of_the_template_that_would_be_made() {
    let caller = member(Role::CampaignManager);
    for (category, expected) in [
        (Category::Insurance, TemplateStatus::PendingApproval),
        (Category::Otp, TemplateStatus::Approved),
    ] {
        let nothing_stored = templates(MockTemplateRepository::new());
        let draft = nothing_stored.drafted(&caller, request(category), Faults::default());
        assert_eq!(draft.unwrap().status, expected, "{category}");

        let present = known(Category::Reminder);
        let id = present.id;
        let mut repository = MockTemplateRepository::new();
        repository.expect_find().once().return_once(move |_, _| Ok(Some(present)));
        let update = TemplateUpdate { category: Some(category), ..TemplateUpdate::default() };
        let draft = templates(repository).redrafted(&caller, id, update, Faults::default()).await;

        let draft = draft.unwrap();
        assert_eq!((draft.status, draft.version), (expected, 2), "{category}");
    }
}

#[tokio::test]
async fn an_overtaken_edit_is_applied_to_the_newer_template() {
    let first = known(Category::Otp);
    let second = Template { version: 2, name: "Due".into(), ..first.clone() };
    let (caller, id) = (member(Role::Owner), first.id);
    let mut repository = MockTemplateRepository::new();
    let mut turns = Sequence::new();
    for (present, is_written) in [(first, false), (second, true)] {
        let find = repository.expect_find().once().in_sequence(&mut turns);
        find.return_once(move |_, _| Ok(Some(present)));
        let update = repository.expect_update().once().in_sequence(&mut turns);
        update.return_once(move |_, _, _| Ok(is_written));
    }

    let edited =
        templates(repository).update(&caller, id, edit("Dear {{name}}"), Faults::default()).await;

    let edited = edited.unwrap();
    assert_eq!((edited.version, edited.name.as_str()), (3, "Due"));
}

#[tokio::test]
async fn an_edit_that_is_always_overtaken_is_refused() {
    let present = known(Category::Otp);
    let (caller, id) = (member(Role::Owner), present.id);
    let mut repository = MockTemplateRepository::new();
    repository.expect_find().times(3).returning(move |_, _| Ok(Some(present.clone())));
    repository.expect_update().times(3).returning(|_, _, _| Ok(false));

    let refused =
        templates(repository).update(&caller, id, edit("Dear {{name}}"), Faults::default()).await;

    assert_eq!(refused.unwrap_err().reason(), Some(&CONTENT_CHANGED));
}
