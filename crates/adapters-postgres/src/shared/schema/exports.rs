//! Tables of exports of the delivery log.

use diesel::table;

table! {
    log_exports (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        created_by -> Uuid,
        status -> Text,
        failure -> Nullable<Text>,
        message_status -> Nullable<Text>,
        channel -> Nullable<Text>,
        recipients -> Nullable<Array<Text>>,
        campaign_id -> Nullable<Uuid>,
        accepted_from -> Nullable<Timestamptz>,
        accepted_to -> Nullable<Timestamptz>,
        event -> Nullable<Text>,
        provider -> Nullable<Text>,
        error_code -> Nullable<Text>,
        is_sandbox -> Nullable<Bool>,
        metadata -> Nullable<Jsonb>,
        position -> Nullable<Uuid>,
        row_count -> Int8,
        byte_count -> Int8,
        stored_bytes -> Int8,
        part_count -> Int4,
        created_at -> Timestamptz,
        kept_until -> Nullable<Timestamptz>,
        lease -> Nullable<Uuid>,
        failures -> Int4,
    }
}
