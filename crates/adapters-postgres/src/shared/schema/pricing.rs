//! Tables of prices and plans.

use diesel::table;

table! {
    pricing_rules (id) {
        id -> Uuid,
        organization_id -> Nullable<Uuid>,
        channel -> Text,
        country_code -> Nullable<Text>,
        unit_price_micros -> Int8,
        is_active -> Bool,
        created_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
    }
}

table! {
    plans (id) {
        id -> Uuid,
        name -> Text,
        monthly_fee_micros -> Int8,
        included_messages -> Int4,
        features -> Array<Text>,
        is_active -> Bool,
        created_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
    }
}
