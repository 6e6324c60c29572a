//! Tests of the words as a whole, and of explanations.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audience::contact_job::{ContactJobKind, ContactJobStatus};
use domain::audience::import::{ImportKind, ImportStatus, NotUndoable, RowError, UndoStatus};
use domain::audience::suppression::SuppressionSource;
use domain::content::approval::{ApprovalKind, ApprovalStatus};
use domain::content::compliance::Severity;
use domain::content::sender_name::SenderNameStatus;
use domain::content::template::{TemplateChannel, TemplateStatus};
use domain::content::writing::Style;
use domain::identity::caller::Denied;
use domain::identity::organization::Role;
use domain::identity::permission::Permission;
use domain::messaging::attempt::{Attempt, AttemptOutcome};
use domain::messaging::delivery::{Delivery, Failure, FailureCode, Status};
use domain::messaging::log_export::{LogExportFailure, LogExportStatus};
use domain::messaging::message::{Draft, Message, MessageRequest, Terms};
use domain::messaging::outcome::Outcome;
use domain::messaging::priority::{Origin, Priority};
use domain::messaging::resend::{FailedKind, ResendFailure, ResendStatus};
use domain::messaging::retry;
use domain::messaging::timeline::EntryKind;
use domain::money::invoice::{InvoiceKind, InvoiceStatus};
use domain::money::payment::ExceptionReason;
use domain::money::top_up::{PaymentMethod, TopUpStatus};
use domain::money::wallet::LedgerKind;
use domain::outreach::campaign::{CampaignStatus, PausedReason, RecipientOutcome, RecipientReason};
use domain::outreach::event::NotReady;
use domain::platform::recommendation::RecommendationCode;
use domain::shared::address::PhoneType;
use domain::shared::category::Category;
use domain::shared::channel::Channel;
use domain::shared::id::Id;
use domain::shared::money::Money;
use domain::shared::webhook_event::WebhookEvent;
use domain::webhooks::webhook::{CallFailure, Deactivation, DeliveryRecordStatus};
use ports::platform::background_tasks::BackgroundTaskState;

use super::{delivery::Charge, *};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
const PRICE: Money = Money::from_micros(35_000);

fn assert_sentence(text: &str) {
    assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{text:?}");
    assert!(!text.contains('_') && !text.contains("  "), "{text:?}");
}

/// Checks the words of all values of a type.
fn assert_words<T: InWords>(all: impl IntoIterator<Item = T>) {
    let all: Vec<Words> = all.into_iter().map(InWords::words).collect();
    let labels: BTreeSet<_> = all.iter().map(|words| words.label).collect();

    assert!(!all.is_empty() && labels.len() == all.len(), "{labels:?}");
    for Words { label, meaning, .. } in all {
        assert!(label.starts_with(char::is_uppercase) && !label.ends_with('.'), "{label:?}");
        assert_sentence(meaning);
    }
}

#[test]
fn states_and_reasons_of_messages_have_distinct_names_and_whole_sentences() {
    assert_words(Status::ALL);
    assert_words(FailureCode::ALL);
    assert_words(EntryKind::ALL);
    assert_words([
        AttemptOutcome::Accepted,
        AttemptOutcome::Rejected,
        AttemptOutcome::NotAccepted,
        AttemptOutcome::Unknown,
    ]);
    assert_words(Channel::ALL);
    assert_words(TemplateChannel::ALL);
    assert_words(Category::ALL);
    assert_words(Priority::ALL);
    assert_words(ResendStatus::ALL);
    assert_words(ResendFailure::ALL);
    assert_words(LogExportStatus::ALL);
    assert_words(LogExportFailure::ALL);
}

#[test]
fn states_of_background_tasks_have_distinct_names_and_whole_sentences() {
    let begun = BackgroundTaskState { last_succeeded_at: Some(NOW), ..Default::default() };
    let fails = BackgroundTaskState { failing_since: Some(NOW), ..begun.clone() };
    assert_words([&BackgroundTaskState::default(), &begun, &fails]);
}

#[test]
fn a_refusal_names_roles_as_the_pages_do() {
    let refusal = Denied::Permission(Permission::TopUp).to_string();
    let expected = "your role does not allow this: Owner or Administrator may";
    assert_eq!(naming_roles(&refusal), expected);
}

#[test]
fn all_other_states_and_reasons_have_distinct_names_and_whole_sentences() {
    assert_words(SuppressionSource::ALL);
    assert_words(ContactJobKind::ALL);
    assert_words(ContactJobStatus::ALL);
    assert_words(PhoneType::ALL);
    assert_words(ImportKind::ALL);
    assert_words(ImportStatus::ALL);
    assert_words(UndoStatus::ALL);
    assert_words([NotUndoable::NotFinished, NotUndoable::TooLate, NotUndoable::AlreadyUndone]);
    assert_words(TemplateStatus::ALL);
    assert_words(ApprovalStatus::ALL);
    assert_words(ApprovalKind::ALL);
    assert_words(SenderNameStatus::ALL);
    assert_words(Severity::ALL);
    assert_words(Style::ALL);
    assert_words(CampaignStatus::ALL);
    assert_words(PausedReason::ALL);
    assert_words(RecipientOutcome::ALL);
    assert_words(RecipientReason::all());
    assert_words([
        NotReady::Inactive,
        NotReady::NoTemplate(Channel::Sms),
        NotReady::Unapproved(Id::new_in(NOW, Id::new(NOW))),
    ]);
    assert_words(TopUpStatus::ALL);
    assert_words(PaymentMethod::ALL);
    assert_words(LedgerKind::ALL);
    assert_words(ExceptionReason::ALL);
    assert_words(InvoiceKind::ALL);
    assert_words(InvoiceStatus::ALL);
    assert_words(Role::ALL);
    assert_words(RecommendationCode::ALL);
    assert_words(DeliveryRecordStatus::ALL);
    assert_words(CallFailure::ALL);
    assert_words(Deactivation::ALL);
    assert_words(WebhookEvent::ALL);
}

/// Returns a message in a state, over a channel and for a purpose.
fn message_as(delivery: Delivery, channel: Channel, category: Category) -> Message {
    let request = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    let draft = Draft { channel, category, ..request.draft(None).unwrap() };
    let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
    let message = Message::queue(Id::new(NOW), draft, Origin::Single, terms, NOW);
    Message { delivery, ..message }
}

fn message(delivery: Delivery) -> Message {
    message_as(delivery, Channel::Sms, Category::Transactional)
}

fn failed(code: FailureCode) -> Delivery {
    Delivery::Failed { sent_at: None, at: NOW, failure: failure(code) }
}

fn failure(code: FailureCode) -> Failure {
    Failure::new(code, "550 5.1.1 <ama@example.com> unknown_user")
}

fn waiting(code: FailureCode) -> Delivery {
    Delivery::Queued { last_failure: Some(failure(code)) }
}

fn unreported() -> Delivery {
    Delivery::Unreported { at: NOW, failure: failure(FailureCode::NoReport) }
}

#[test]
fn a_message_is_paid_for_unless_it_fails_or_is_free() {
    for (delivery, expected) in [
        (Delivery::NEW, Charge::Pending),
        (waiting(FailureCode::ProviderUnavailable), Charge::Pending),
        (Delivery::Pending { doubt: None }, Charge::Pending),
        (Delivery::Sent { at: NOW }, Charge::Pending),
        (unreported(), Charge::Paid),
        (Delivery::Delivered { sent_at: None, at: NOW }, Charge::Paid),
        (failed(FailureCode::Undelivered), Charge::Refunded),
    ] {
        let paid = message(delivery);
        assert_eq!(Explanation::of(&paid, NOW).charge, expected, "{:?}", paid.delivery);
        let free = Message { cost: Money::ZERO, ..paid };
        assert_eq!(Charge::of(&free), Charge::NotCharged, "{:?}", free.delivery);
    }
}

#[test]
fn every_failure_is_explained_in_whole_sentences_on_every_channel() {
    for code in FailureCode::ALL {
        for channel in Channel::ALL {
            let message = message_as(failed(code), channel, Category::Reminder);
            let explanation = Explanation::of(&message, NOW);
            assert_sentence(explanation.happened);
            assert_sentence(explanation.remedy);
        }
        assert_sentence(Explanation::of_failure(code).happened);
    }
}

#[test]
fn a_message_that_waits_says_for_what() {
    let later = NOW + TimeDelta::days(1);
    let scheduled = message(Delivery::NEW).scheduled(later, false);
    let held_back = message(Delivery::NEW).valid_from(later);
    let delayed = message(waiting(FailureCode::ProviderUnavailable));

    assert_eq!(Explanation::of(&message(Delivery::NEW), NOW).label, "Waiting");
    assert_eq!(Explanation::of(&scheduled, NOW).label, "Scheduled");
    assert_eq!(Explanation::of(&held_back, NOW).label, "Held back");
    assert_eq!(Explanation::of(&held_back, later).label, "Waiting");
    let delayed = Explanation::of(&delayed, NOW);
    assert_eq!((delayed.label, delayed.happened), ("Waiting", "The provider was out of order."));
    assert!(delayed.remedy.contains("by itself"));

    let doubt = Some(failure(FailureCode::UnknownOutcome));
    let doubted = Explanation::of(&message(Delivery::Pending { doubt }), NOW);
    assert_eq!(doubted.label, "Sending");
    assert!(doubted.remedy.contains("ask the provider"));
}

/// True if a remedy is to send the same message again.
fn is_to_send_again(remedy: &str) -> bool {
    remedy.contains("Send it again") || remedy.contains("may come twice")
}

#[test]
fn the_remedy_is_to_send_again_only_if_that_is_possible() {
    let category = Category::Transactional;
    for code in FailureCode::ALL {
        let validity = retry::validity(category);
        let kind = FailedKind { code, category, validity, is_text_lost: false };
        let remedy = Explanation::of_failure(code).remedy;
        assert!(kind.is_resendable() || !is_to_send_again(remedy), "{code:?}: {remedy}");

        let one_time_code = message_as(failed(code), Channel::Sms, Category::Otp);
        let remedy = Explanation::of(&one_time_code, NOW).remedy;
        assert!(!is_to_send_again(remedy), "{code:?}: {remedy}");
    }
}

#[test]
fn an_attempt_has_words_before_and_after_its_end() {
    let refusal = Outcome::Rejected(failure(FailureCode::InvalidRecipient));
    let running = Attempt::start("first", NOW);

    assert_eq!(attempt_words(&Attempt::plan("first", NOW)).label, "Next");
    assert_eq!(attempt_words(&running).label, "Calling");
    assert_eq!(attempt_words(&running.end(NOW, &refusal)), AttemptOutcome::Rejected.words());
}

#[test]
fn one_message_is_singular_and_none_or_several_are_plural() {
    for channel in Channel::ALL {
        let one = message_noun(channel, 1);
        assert_eq!(message_noun(channel, 3), format!("{one}s"));
        assert_eq!(message_noun(channel, 0), message_noun(channel, 3));
    }
}

#[test]
fn the_fault_of_a_row_is_a_sentence_about_its_cell_or_the_row() {
    let of_cell = RowError {
        row: 7,
        column: Some("Tel.".into()),
        reason: "is not a valid phone number".into(),
    };
    assert_eq!(row_fault(&of_cell), "“Tel.” is not a valid phone number.");
    assert_eq!(row_fault(&RowError::whole(8, "has nothing in it")), "The row has nothing in it.");
}
