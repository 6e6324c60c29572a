//! Tests of the vendor's responses.

use domain::messaging::outcome::FollowUp;

use super::*;
use crate::fixture::kind;

fn outcome(answer: &Answer) -> Outcome {
    let mut outcomes = outcomes(answer, &["+233244123456"]);
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

#[test]
fn an_accepted_message_has_a_reference() {
    for code in [100, 101, 102] {
        let body = format!(
            r#"{{"SMSMessageData":{{"Recipients":[{{"statusCode":{code},"messageId":"ATXid_1"}}]}}}}"#
        );

        assert_eq!(
            outcome(&Answer::of(201, &body)),
            Outcome::Accepted { reference: Some("ATXid_1".into()), follow_up: FollowUp::Report }
        );
    }
}

#[test]
fn no_message_id_is_no_reference() {
    let body = r#"{"SMSMessageData":{"Recipients":[{"statusCode":101,"messageId":"None"}]}}"#;

    assert_eq!(
        outcome(&Answer::of(201, body)),
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    );
}

#[test]
fn a_common_outcome_applies_to_each_number() {
    for (status, body, expected) in [
        (201, r#"{"SMSMessageData":{"Message":"InvalidSenderId","Recipients":[]}}"#, 'N'),
        (429, "", 'N'),
        (500, "", 'U'),
    ] {
        let outcomes = outcomes(&Answer::of(status, body), &["+233200000001", "+233200000002"]);

        assert_eq!(outcomes.len(), 2);
        for outcome in outcomes {
            assert_eq!(kind(&outcome).0, expected, "{status} {body}");
        }
    }
}
