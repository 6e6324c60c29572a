//! Rows of suppression lists.

use super::*;
use crate::audience::import::{Delimiter, Encoding, Mapping, headers};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

fn plan(text: &str) -> SuppressionPlan {
    let (header, body) = text.split_once('\n').unwrap();
    let labels: Vec<_> = header.split(',').map(str::to_owned).collect();
    let header =
        headers::understood(ImportKind::Suppressions, &labels, &Mapping::default()).unwrap();
    let layout = Layout { delimiter: Delimiter::Comma, encoding: Encoding::Utf8, header, labels };
    let table = SuppressionTable::new(layout).unwrap();
    let chunk = Chunk { number: 0, first_row: 2, rows: 0, bytes: body.as_bytes().to_vec() };
    SuppressionPlan::of(table.rows(&chunk, Id::new(NOW), NOW))
}

#[test]
fn a_row_is_read_like_a_request_to_suppress() {
    let plan = plan("Phone,channel,Category,reason\n'0244123456,sms,Marketing, moved \n");
    let [entry] = plan.entries.try_into().unwrap();
    assert_eq!(entry.phone.unwrap().as_str(), "+233244123456");
    assert_eq!((entry.channel, entry.category), (Some(Channel::Sms), Some(Category::Marketing)));
    assert_eq!(entry.reason.as_deref(), Some("moved"));
}

#[test]
fn equal_rows_make_one_entry_with_the_last_reason() {
    let plan = plan(
        "phone,email,channel,reason\n\
         0244123456,,,first\n,Ama@example.com,,\n+233244123456,,,last\n,ama@EXAMPLE.com,,\n\
         0244123456,,SMS,\n0244123456,,,\n",
    );
    assert_eq!((plan.entries.len(), plan.repeated), (3, 3));
    assert_eq!(plan.entries[0].reason.as_deref(), Some("last"));
}

#[test]
fn reports_faults_with_their_column() {
    let plan = plan(
        "phone,email,channel\n2.33E+11,,\n,,SMS\n0244123456,,EMAIL\n,nobody,FAX\n0244123456,,\n",
    );
    let reported: Vec<_> =
        plan.errors.iter().map(|error| (error.row, error.column.as_deref())).collect();
    let expected = [(2, Some("phone")), (3, None), (5, Some("email"))];
    assert_eq!((reported, plan.entries.len()), (expected.to_vec(), 2), "{:?}", plan.errors);
    assert!(plan.entries[0].crosses(), "the phone is taken for the channel of mails");
}

#[test]
fn skips_invalid_addresses_but_not_invalid_restrictions() {
    let plan = plan(
        "Mobile,email,channel\n\
         0244123456,nobody,\n\
         n/a,ama@example.com,\n\
         0244123457,,FAX\n\
         ,,\n\
         n/a,ama@example.com,SMS\n",
    );
    let rows = |reported: &[RowError]| reported.iter().map(|it| it.row).collect::<Vec<_>>();
    assert_eq!((rows(&plan.remarks), rows(&plan.errors)), (vec![2, 3, 6], vec![4]));
    assert_eq!(plan.entries.len(), 3);
    assert!(plan.remarks[0].reason.ends_with("; the rest of the row was taken"));
}
