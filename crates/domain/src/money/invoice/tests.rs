//! Tests of invoices and statements.

use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;
use crate::shared::channel::Channel;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn month(text: &str) -> Month {
    Month::of(format!("{text}-15").parse::<NaiveDate>().unwrap())
}

fn open() -> Invoice {
    let issued_at = at("2026-11-22T10:00:00Z");
    let organization = Id::new(issued_at);
    let id = Id::new_in(issued_at, organization);
    let draft = InvoiceDraft { id, organization, amount: Money::from_cedis(50), issued_at };
    draft.numbered(InvoiceNumber(7))
}

#[test]
fn a_number_is_read_in_the_form_in_which_it_is_written_only() {
    assert_eq!(InvoiceNumber(1).to_string(), "INV-000001");
    for number in [1, 42, 999_999, 1_000_000, i64::MAX].map(InvoiceNumber) {
        assert_eq!(number.to_string().parse(), Ok(number));
    }
    for text in ["INV-1", "INV-0000001", "inv-000001", "000001", "INV-000000", "INV--00001", "INV-"]
    {
        assert_eq!(text.parse::<InvoiceNumber>(), Err(InvalidInvoiceNumber), "{text}");
    }
}

#[test]
fn a_reference_that_looks_like_a_number_is_one_or_an_error() {
    let in_reference = InvoiceNumber::in_reference;
    assert_eq!(in_reference("INV-000007"), Ok(Some(InvoiceNumber(7))));
    for text in ["bank 7", "inv", "", "INVOICE 7", "ɔɔɔ-1"] {
        assert_eq!(in_reference(text), Ok(None), "{text}");
    }
    for text in ["INV-7", "inv-000007", "INV-000007 paid", "Inv-7", "INV-"] {
        assert_eq!(in_reference(text), Err(InvalidInvoiceNumber), "{text}");
    }
}

#[test]
fn an_invoice_credited_on_issue_is_paid_and_not_withdrawn() {
    let owed = Invoice { is_credited: true, ..open() };
    let number = owed.number;
    assert_eq!(owed.clone().withdraw(), Err(InvoiceRefused::Credited { number }));
    let paid = owed.pay(Money::from_cedis(50), at("2026-11-23T09:00:00Z")).unwrap();
    assert_eq!(paid.status, InvoiceStatus::Paid);
}

#[test]
fn an_open_invoice_is_paid_once_and_as_a_whole() {
    let now = at("2026-11-23T09:00:00Z");
    let amount = Money::from_cedis(50);
    let refused = open().pay(Money::from_cedis(49), now).unwrap_err();
    assert_eq!(refused, InvoiceRefused::OtherAmount { number: InvoiceNumber(7), amount });

    let paid = open().pay(amount, now).unwrap();

    assert_eq!((paid.status, paid.paid_at), (InvoiceStatus::Paid, Some(now)));
    assert!(matches!(paid.clone().pay(amount, now), Err(InvoiceRefused::NotOpen { .. })));
    assert!(matches!(paid.withdraw(), Err(InvoiceRefused::NotOpen { .. })));
    assert_eq!(open().withdraw().unwrap().status, InvoiceStatus::Void);
}

#[test]
fn a_month_is_stated_two_hours_after_its_end_with_overdue_ones() {
    let due = |last: Option<&str>, now: &str| {
        due_months(last.map(month), at(now)).iter().map(Month::to_string).collect::<Vec<_>>()
    };
    assert_eq!(due(None, "2026-12-01T01:59:59Z"), ["2026-10"]);
    assert_eq!(due(None, "2026-12-01T02:00:00Z"), ["2026-11"]);
    assert!(due(Some("2026-11"), "2026-12-31T23:00:00Z").is_empty());
    assert_eq!(due(Some("2026-11"), "2027-02-05T00:00:00Z"), ["2026-12", "2027-01"]);
    let after_years = due(Some("2020-01"), "2027-01-02T00:00:00Z");
    assert_eq!((after_years.len(), after_years[0].as_str()), (12, "2026-01"));
    assert!(due(Some("2027-05"), "2027-01-02T00:00:00Z").is_empty());
}

#[test]
fn a_month_without_movement_is_not_stated() {
    let nothing =
        Statement::of(month("2026-11"), Money::from_cedis(5), Movements::default(), vec![]);
    assert_eq!(nothing, None);
}

proptest! {
    #[test]
    fn the_figures_of_a_statement_add_up(
        opening in 0..1_000_000_i64, credit in 0..1_000_000_i64, debits in 0..1_000_000_i64,
        refunds in 0..1_000_000_i64, costs in prop::collection::vec(0..100_000_i64, 0..5),
    ) {
        let line = |(channel, cost): (Channel, i64)| ChannelLine {
            channel, messages: 1, segments: 1, cost: Money::from_micros(cost),
        };
        let lines: Vec<_> = Channel::ALL.into_iter().zip(costs).map(line).collect();
        let movements = Movements {
            top_ups: Money::from_micros(credit),
            debits: Money::from_micros(debits),
            refunds: Money::from_micros(refunds),
            ..Movements::default()
        };
        let opening = Money::from_micros(opening);
        if let Some(statement) = Statement::of(month("2026-11"), opening, movements, lines) {
            prop_assert_eq!(
                statement.closing() + movements.debits,
                opening + movements.top_ups + movements.refunds
            );
            let accepted: Money = statement.lines.iter().map(|line| line.cost).sum();
            prop_assert_eq!(accepted + statement.turn_of_month(), movements.debits);
        }
    }
}
