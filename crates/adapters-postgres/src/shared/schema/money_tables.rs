//! Tables of wallets and invoices.

use diesel::table;

table! {
    wallets (organization_id) {
        organization_id -> Uuid,
        balance_micros -> Int8,
        updated_at -> Timestamptz,
        daily_limit_micros -> Nullable<Int8>,
        spent_on -> Nullable<Date>,
        spent_micros -> Int8,
        low_balance_micros -> Nullable<Int8>,
        is_low -> Bool,
        falls -> Int4,
        spending_version -> Int8,
    }
}

table! {
    invoices (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        number -> Int8,
        kind -> Text,
        status -> Text,
        amount_micros -> Int8,
        issued_at -> Timestamptz,
        due_at -> Nullable<Timestamptz>,
        paid_at -> Nullable<Timestamptz>,
        month -> Nullable<Date>,
        closing_micros -> Nullable<Int8>,
        statement -> Nullable<Jsonb>,
        is_credited -> Bool,
    }
}

table! {
    invoice_numbers (organization_id) {
        organization_id -> Uuid,
        last_number -> Int8,
    }
}

table! {
    statement_runs (month) {
        month -> Date,
        reached -> Nullable<Uuid>,
        has_left -> Bool,
        due_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
    }
}
