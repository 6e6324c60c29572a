//! Table of refused calls.

use diesel::table;

table! {
    refused_calls (organization_id, call_id) {
        organization_id -> Uuid,
        call_id -> Uuid,
        request_id -> Text,
        method -> Text,
        path -> Text,
        status -> Int2,
        code -> Text,
        message -> Text,
        api_key_id -> Nullable<Uuid>,
        user_id -> Nullable<Uuid>,
        address -> Text,
        is_sampled -> Bool,
        at -> Timestamptz,
    }
}
