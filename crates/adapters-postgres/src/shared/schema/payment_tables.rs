//! Tables of top-ups and of events of payment gateways.

use diesel::table;

table! {
    top_ups (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        reference -> Text,
        amount_micros -> Int8,
        method -> Text,
        status -> Text,
        requested_by -> Uuid,
        created_at -> Timestamptz,
        credited_at -> Nullable<Timestamptz>,
        checkout_url -> Nullable<Text>,
        check_at -> Nullable<Timestamptz>,
    }
}

table! {
    gateway_events (hash) {
        hash -> Bytea,
        kind -> Nullable<Text>,
        reference -> Nullable<Text>,
        body -> Bytea,
        body_bytes -> Int4,
        received_at -> Timestamptz,
        outcome -> Nullable<Text>,
    }
}

table! {
    payment_exceptions (id) {
        id -> Uuid,
        reference -> Text,
        reason -> Text,
        amount_micros -> Nullable<Int8>,
        currency -> Nullable<Text>,
        expected_micros -> Nullable<Int8>,
        organization_id -> Nullable<Uuid>,
        noticed_at -> Timestamptz,
        resolved_at -> Nullable<Timestamptz>,
        resolved_by -> Nullable<Uuid>,
        comment -> Nullable<Text>,
    }
}

table! {
    simulated_payments (reference) {
        reference -> Text,
        organization_id -> Uuid,
        amount_micros -> Int8,
        method -> Text,
        status -> Text,
        created_at -> Timestamptz,
        tell_at -> Nullable<Timestamptz>,
        tellings -> Int4,
    }
}
