//! Text about a decision on an approval.

use domain::{
    content::approval::{ApprovalKind, Verdict},
    platform::notice::DecidedApproval,
};

use super::Mail;

/// Returns the mail to the requester. The name comes from the reader and the comment from an
/// administrator; the text of the content is left out.
pub(super) fn mail(decided: &DecidedApproval) -> Mail {
    let (kind, name) = (decided.kind.label(), &decided.name);
    let verdict = match decided.verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
    };
    let consequence = match (decided.kind, decided.verdict) {
        (ApprovalKind::Campaign, Verdict::Approved) => {
            "It is sent now, or at the time for which it is scheduled."
        }
        (ApprovalKind::Campaign, Verdict::Rejected) => {
            "It is not sent. Make another one to ask again."
        }
        (_, Verdict::Approved) => "It can be used from now on.",
        (_, Verdict::Rejected) => "It cannot be used. Change it to ask again.",
    };
    let comment = decided.comment.as_ref();
    let comment = comment.map(|comment| format!("\nThe reviewer says:\n\n{comment}\n"));
    let body = format!(
        "Your {kind} \"{name}\" was {verdict}.\n{consequence}\n{}",
        comment.unwrap_or_default()
    );
    Mail { subject: format!("Your {kind} was {verdict}"), body }
}

#[cfg(test)]
mod tests {
    use domain::shared::id::Id;

    use super::*;
    use crate::shared::fixtures::NOW;

    fn decided(kind: ApprovalKind, verdict: Verdict, comment: Option<&str>) -> DecidedApproval {
        DecidedApproval {
            requested_by: Id::new(NOW),
            kind,
            name: "Order ready".into(),
            verdict,
            comment: comment.map(str::to_owned),
        }
    }

    #[test]
    fn a_decision_mail_has_name_and_comment() {
        let comment = Some("Say who you are.");
        let mail = mail(&decided(ApprovalKind::Template, Verdict::Rejected, comment));

        assert_eq!(mail.subject, "Your template was rejected");
        assert_eq!(
            mail.body,
            "Your template \"Order ready\" was rejected.\nIt cannot be used. Change it to ask \
             again.\n\nThe reviewer says:\n\nSay who you are.\n"
        );
    }

    #[test]
    fn the_mail_about_a_campaign_names_the_consequence() {
        for (verdict, subject, consequence) in [
            (Verdict::Approved, "Your campaign was approved", "It is sent now, or at the time"),
            (Verdict::Rejected, "Your campaign was rejected", "It is not sent."),
        ] {
            let Mail { subject: title, body } =
                mail(&decided(ApprovalKind::Campaign, verdict, None));
            assert_eq!(title, subject);
            assert!(body.contains("\"Order ready\"") && body.contains(consequence), "{body}");
        }
    }
}
