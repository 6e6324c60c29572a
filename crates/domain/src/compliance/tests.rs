//! What is found, and where.

use super::*;

fn codes(text: &str, category: Category) -> Vec<String> {
    assess(text, category).issues.into_iter().map(|issue| issue.code.into_owned()).collect()
}

#[test]
fn an_issue_tells_the_passage_as_it_is_written_and_where_it_begins() {
    let assessment = assess("Yɛ ntɛm: kindly send your M0M0 P!N to 0241234567", Category::Alert);

    let issue = &assessment.issues[0];
    assert_eq!(issue.code, "SECRET_REQUESTED");
    assert_eq!((issue.found.as_deref(), issue.position), (Some("send your M0M0 P!N"), Some(16)));
    assert!(assessment.requires_approval() && assessment.score >= BLOCKING_THRESHOLD);
}

#[test]
fn promotion_without_a_way_out_needs_approval_by_that_alone() {
    let text = "Sale at Makola this Saturday";
    assert_eq!(assess(text, Category::Marketing).score, APPROVAL_THRESHOLD);
    assert_eq!(assess(text, Category::Transactional).score, 0);
    assert_eq!(assess("Sale this Saturday. Reply STOP to opt out", Category::Marketing).score, 0);
}

#[test]
fn an_issue_is_kept_as_json() {
    let assessment = assess("Send your PIN", Category::Otp);
    let json = serde_json::to_value(&assessment).unwrap();
    assert_eq!(json["issues"][0]["match"], "Send your PIN");
    assert_eq!(serde_json::from_value::<Assessment>(json).unwrap(), assessment);
}

#[test]
fn a_secret_that_is_told_or_guarded_is_none_that_is_asked_for() {
    for text in [
        "Your code is 4821. Do not share it with anyone",
        "Never share your PIN, OTP or password with anybody.",
        "Beware of fraudsters who ask you to send your PIN.",
        "Use OTP 482113 to log in.",
    ] {
        assert_eq!(codes(text, Category::Otp), Vec::<String>::new(), "{text}");
    }
}
