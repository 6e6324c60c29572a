//! Tables of traffic that are read by more than one statement.

use diesel::table;

table! {
    traffic_alerts (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        operator_range -> Int4,
        day -> Date,
        found_at -> Timestamptz,
        codes -> Int8,
        delivered -> Int8,
        normal_codes -> Int8,
        normal_delivered -> Int8,
        others_codes -> Int8,
        others_delivered -> Int8,
        others_normal_codes -> Int8,
        others_normal_delivered -> Int8,
        other_organizations -> Int8,
        stopped_until -> Nullable<Timestamptz>,
        lifted_at -> Nullable<Timestamptz>,
        lifted_by -> Nullable<Uuid>,
    }
}
