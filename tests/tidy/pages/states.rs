//! Courses of messages, campaigns, deliveries to webhooks and approvals: every pair of a state and an event is
//! tried.

use std::mem::discriminant;

use chrono::{DateTime, Utc};
use domain::{
    content::approval::ApprovalStatus,
    messaging::delivery::{Delivery, DeliveryEvent, Failure, FailureCode, Status},
    outreach::campaign::{CampaignAction, CampaignStatus},
    webhooks::webhook::{DeliveryChange, DeliveryRecordStatus},
};

use super::diagram::Diagram;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

pub(super) fn of_messages() -> String {
    let mut diagram = Diagram::beginning_with(Delivery::NEW.status().as_str());
    let mut states = vec![Delivery::NEW];
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        for event in delivery_events() {
            let name = event.name();
            let Ok(next) = state.after(event) else { continue };
            diagram.add(state.status().as_str(), next.status().as_str(), name);
            if states.iter().all(|known| discriminant(known) != discriminant(&next)) {
                states.push(next);
            }
        }
        at += 1;
    }
    let last = Status::ALL.into_iter().filter(|status| status.is_final());
    diagram.ending_with(last.map(Status::as_str))
}

/// Returns each event of a delivery once.
fn delivery_events() -> [DeliveryEvent; 7] {
    let failure = Failure::new(FailureCode::ProviderUnavailable, "");
    [
        DeliveryEvent::Dispatched,
        DeliveryEvent::Accepted { at: NOW },
        DeliveryEvent::Doubted { failure: failure.clone() },
        DeliveryEvent::Deferred { failure: failure.clone() },
        DeliveryEvent::Confirmed { at: NOW },
        DeliveryEvent::Unreported { failure: failure.clone() },
        DeliveryEvent::Rejected { at: NOW, failure },
    ]
}

pub(super) fn of_campaigns() -> String {
    let mut diagram = Diagram::beginning_with(CampaignStatus::Draft.as_str());
    for status in CampaignStatus::ALL {
        for action in CampaignAction::ALL {
            if let Some(next) = status.after(action) {
                diagram.add(status.as_str(), next.as_str(), action.name());
            }
        }
    }
    let last = CampaignStatus::ALL.into_iter().filter(|status| status.is_final());
    diagram.ending_with(last.map(CampaignStatus::as_str))
}

pub(super) fn of_webhook_deliveries() -> String {
    let mut diagram = Diagram::beginning_with(DeliveryRecordStatus::Pending.as_str());
    for status in DeliveryRecordStatus::ALL {
        for change in DeliveryChange::ALL {
            if let Some(next) = status.after(change) {
                diagram.add(status.as_str(), next.as_str(), change.as_str());
            }
        }
    }
    // A delivery ends with these, unless somebody asks for another attempt.
    let is_last = |status: &DeliveryRecordStatus| status.after(DeliveryChange::PutOff).is_none();
    let last = DeliveryRecordStatus::ALL.into_iter().filter(is_last);
    diagram.ending_with(last.map(DeliveryRecordStatus::as_str))
}

pub(super) fn of_approvals() -> String {
    let mut diagram = Diagram::beginning_with(ApprovalStatus::Pending.as_str());
    for status in ApprovalStatus::ALL {
        for next in ApprovalStatus::ALL.into_iter().filter(|next| status.can_become(*next)) {
            diagram.add(status.as_str(), next.as_str(), cause(next));
        }
    }
    let is_last = |status: &ApprovalStatus| {
        !ApprovalStatus::ALL.into_iter().any(|next| status.can_become(next))
    };
    let last = ApprovalStatus::ALL.into_iter().filter(is_last);
    diagram.ending_with(last.map(ApprovalStatus::as_str))
}

/// Returns the cause of a status.
const fn cause(status: ApprovalStatus) -> &'static str {
    match status {
        ApprovalStatus::Pending => "requested",
        ApprovalStatus::Approved => "approved",
        ApprovalStatus::Rejected => "rejected",
        ApprovalStatus::Withdrawn => "content changed or deleted",
    }
}

#[test]
fn the_course_of_a_message_has_every_status_and_every_event() {
    let course = of_messages();
    for name in delivery_events().iter().map(DeliveryEvent::name) {
        assert!(course.contains(name), "{name}: {course}");
    }
    for status in Status::ALL {
        assert!(course.contains(&format!("> {status}")), "{status}: {course}");
    }
    assert!(course.ends_with("    DELIVERED --> [*]\n    FAILED --> [*]\n```"), "{course}");
}
