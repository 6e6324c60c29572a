//! Tables of segments, of jobs on contacts, and of campaigns.

use diesel::table;

table! {
    segments (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        description -> Nullable<Text>,
        rules -> Jsonb,
        is_dynamic -> Bool,
        created_at -> Timestamptz,
        contact_count -> BigInt,
        counted_at -> Timestamptz,
        count_begun_at -> Timestamptz,
        recount_at -> Nullable<Timestamptz>,
    }
}

table! {
    segment_members (organization_id, segment_id, last_contact_id) {
        organization_id -> Uuid,
        segment_id -> Uuid,
        last_contact_id -> Uuid,
        contact_ids -> Array<Uuid>,
    }
}

table! {
    contact_jobs (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        kind -> Text,
        status -> Text,
        added_tags -> Array<Text>,
        removed_tags -> Array<Text>,
        contact_count -> BigInt,
        done -> BigInt,
        created_by -> Uuid,
        created_at -> Timestamptz,
        finished_at -> Nullable<Timestamptz>,
    }
}

table! {
    campaigns (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        channel -> Text,
        template_id -> Nullable<Uuid>,
        subject -> Nullable<Text>,
        body -> Nullable<Text>,
        sender -> Nullable<Text>,
        segment_id -> Nullable<Uuid>,
        scheduled_at -> Nullable<Timestamptz>,
        version -> Int4,
        status -> Text,
        paused_reason -> Nullable<Text>,
        created_by -> Uuid,
        authors -> Array<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        content -> Nullable<Jsonb>,
        content_hash -> Nullable<Bytea>,
        rules -> Nullable<Jsonb>,
        started_at -> Nullable<Timestamptz>,
        audience -> Nullable<Int8>,
        unreachable -> Int8,
        completed_at -> Nullable<Timestamptz>,
        format -> Nullable<Text>,
        metadata -> Nullable<Jsonb>,
        is_sandbox -> Bool,
    }
}

table! {
    campaign_totals (organization_id) {
        organization_id -> Uuid,
        campaigns -> Int8,
        unfinished -> Int8,
    }
}

table! {
    campaign_counts (organization_id, campaign_id, status) {
        organization_id -> Uuid,
        campaign_id -> Uuid,
        status -> Text,
        messages -> Int8,
        cost_micros -> Int8,
    }
}

table! {
    campaign_skips (organization_id, campaign_id, contact_id) {
        organization_id -> Uuid,
        campaign_id -> Uuid,
        contact_id -> Uuid,
        reason -> Text,
        created_at -> Timestamptz,
    }
}

table! {
    sending_windows (id) {
        id -> Uuid,
        country_code -> Text,
        category -> Text,
        weekdays -> Array<Text>,
        opens_minute -> Int2,
        closes_minute -> Int2,
        utc_offset_minutes -> Int2,
        source -> Text,
        is_active -> Bool,
        created_at -> Timestamptz,
    }
}
