//! Messages, contacts and counters of one organization, written by SQL.

use std::{error::Error, time::Instant};

use super::Sizes;
use crate::harness::Database;

/// Fills a database while no service uses it, and returns the identifier of the campaign that wrote to
/// the contacts.
///
/// Indexes are made after the rows, which takes a third of the time. The log is not written ahead: pages
/// only read it, and it need not survive a crash.
pub(super) async fn fill(
    database: &Database,
    organization: &str,
    sizes: Sizes,
) -> Result<String, Box<dyn Error>> {
    let began = Instant::now();
    let now: String = database.client().query_one("SELECT now()::text", &[]).await?.try_get(0)?;
    let recipients = sizes.contacts.min(sizes.messages / 10);
    let given = |statements: &str| {
        statements
            .replace("$organization", organization)
            .replace("$now", &now)
            .replace("$messages", &sizes.messages.to_string())
            .replace("$contacts", &sizes.contacts.to_string())
            .replace("$recipients", &recipients.to_string())
    };
    database.execute(&given(FUNCTIONS)).await?;
    database.execute(&given(CAMPAIGN)).await?;
    let campaign = "SELECT id::text FROM campaigns";
    let campaign: String = database.client().query_one(campaign, &[]).await?.try_get(0)?;
    for statements in [PARTITIONS, LEAVE_INDEXES_OUT, CONTACTS, SUPPRESSIONS] {
        database.execute(&given(statements)).await?;
    }
    database.execute(&given(MESSAGES).replace("$campaign", &campaign)).await?;
    database.execute(MAKE_INDEXES).await?;
    database.execute(&given(COUNTERS)).await?;
    database.execute("VACUUM ANALYZE").await?;
    let Sizes { messages, contacts } = sizes;
    let seconds = began.elapsed().as_secs_f64();
    println!("{messages} messages and {contacts} contacts, filled in {seconds:.0} s");
    Ok(campaign)
}

/// Creates functions of the session. Contacts are numbered from 1, and were added in the month before
/// that of the messages.
const FUNCTIONS: &str = "\
    CREATE FUNCTION pg_temp.numbered_id(moment timestamptz, number bigint) RETURNS uuid \
    LANGUAGE sql STABLE AS $$ \
        SELECT (lpad(to_hex(floor(date_part('epoch', moment) * 1000)::bigint), 12, '0') \
            || '7' || lpad(to_hex(number & 4095), 3, '0') || '8' || lpad(to_hex(number), 12, '0') \
            || right('$organization', 3))::uuid $$; \
    CREATE FUNCTION pg_temp.contact_at(number bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$ \
        SELECT '$now'::timestamptz - interval '60 days' + number * (interval '30 days' / $contacts) $$; \
    CREATE FUNCTION pg_temp.message_at(number bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$ \
        SELECT '$now'::timestamptz - ($messages - number) * (interval '30 days' / $messages) $$";

/// Inserts a completed campaign to the recipients.
const CAMPAIGN: &str = "\
    INSERT INTO campaigns (organization_id, id, name, channel, body, status, created_by, authors, \
        created_at, updated_at, started_at, expanded_at, completed_at, settled_at, audience) \
    SELECT '$organization', pg_temp.numbered_id(begun, 0), 'Harmattan sale', 'SMS', \
        'Our sale begins on Saturday', 'COMPLETED', gen_random_uuid(), '{}', begun, ended, begun, \
        ended, ended, ended, $recipients \
    FROM (SELECT pg_temp.message_at($messages - 2 * $recipients) AS begun, \
        pg_temp.message_at($messages - $recipients) AS ended) AS times";

/// Creates the partitions of thirty days before now. Each partition is empty so far.
const PARTITIONS: &str = "\
    SELECT prepare_month('delivery_logs', ahead) FROM generate_series(-2, -1) AS ahead; \
    DO $$ DECLARE partition text; BEGIN \
        FOR partition IN SELECT inhrelid::regclass::text FROM pg_inherits \
            WHERE inhparent = 'delivery_logs'::regclass \
        LOOP \
            EXECUTE 'ALTER TABLE ' || partition || ' SET UNLOGGED'; \
        END LOOP; \
    END $$";

/// Drops all indexes but the primary keys. That of a partitioned table is shown without its partitions.
const LEAVE_INDEXES_OUT: &str = "\
    CREATE TEMP TABLE left_out AS \
        SELECT indexrelid::regclass::text AS name, \
            replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition \
        FROM pg_index WHERE NOT indisprimary \
            AND indrelid IN ('delivery_logs'::regclass, 'contacts'::regclass); \
    DO $$ DECLARE gone text; BEGIN \
        FOR gone IN SELECT name FROM left_out LOOP \
            EXECUTE 'DROP INDEX ' || gone; \
        END LOOP; \
    END $$";

/// Creates these indexes again.
const MAKE_INDEXES: &str = "\
    SET maintenance_work_mem = '1GB'; \
    DO $$ DECLARE made text; BEGIN \
        FOR made IN SELECT definition FROM left_out LOOP \
            EXECUTE made; \
        END LOOP; \
    END $$";

/// Inserts contacts in parts, as imports do: ten have a rare name, and one of a thousand has a rare tag.
const CONTACTS: &str = "\
    DO $$ BEGIN FOR part IN 0 .. ($contacts - 1) / 5000 LOOP \
        INSERT INTO contacts (id, organization_id, first_name, last_name, phone, email, country_code, \
            tags, created_at, updated_at, first_name_folded, last_name_folded, tags_folded, \
            search_text) \
        SELECT pg_temp.numbered_id(pg_temp.contact_at(number), number), '$organization', 'Kofi', \
            name, phone, email, 'GH', ARRAY[tag], pg_temp.contact_at(number), \
            pg_temp.contact_at(number), 'kofi', lower(name), ARRAY[lower(tag)], \
            concat_ws(E'\\n', 'kofi ' || lower(name), phone, email) \
        FROM generate_series(part * 5000 + 1, least((part + 1) * 5000, $contacts)) AS number, \
            LATERAL (SELECT CASE WHEN number % ($contacts / 10) = 0 THEN 'Quartey' \
                    ELSE (ARRAY['Mensah', 'Owusu', 'Boateng', 'Asante'])[1 + number % 4] \
                        || ' ' || left(md5(number::text), 5) END AS name, \
                '+23324' || lpad(number::text, 7, '0') AS phone, \
                CASE WHEN number % 10 = 0 THEN 'kofi' || number || '@example.com' END AS email, \
                CASE WHEN number % 1000 = 1 THEN 'VIP' ELSE 'Region ' || number % 16 END AS tag) \
            AS contact; \
    END LOOP; END $$";

/// Inserts an entry of the suppression list for one of a hundred contacts.
const SUPPRESSIONS: &str = "\
    DO $$ BEGIN FOR part IN 0 .. ($contacts / 100 - 1) / 5000 LOOP \
        INSERT INTO suppressions (id, organization_id, phone, source, reason, created_at) \
        SELECT pg_temp.numbered_id(pg_temp.contact_at(number * 100), number), '$organization', \
            '+23324' || lpad((number * 100)::text, 7, '0'), 'STOP', 'STOP', \
            pg_temp.contact_at(number * 100) \
        FROM generate_series(part * 5000 + 1, least((part + 1) * 5000, $contacts / 100)) AS number; \
    END LOOP; END $$";

/// Inserts the messages of thirty days: one in ten by email, one in twenty-five failed, one in twenty to
/// the first contact. Those of the campaign go to as many contacts.
const MESSAGES: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, category, \
        priority, body, segments, cost_micros, is_sandbox, is_confidential, provider, attempts, \
        error_code, error_message, created_at, sent_at, delivered_at, failed_at, campaign_id, \
        contact_id) \
    SELECT pg_temp.numbered_id(at, number), '$organization', \
        CASE WHEN is_mail THEN 'EMAIL' ELSE 'SMS' END, \
        CASE WHEN is_failed THEN 'FAILED' ELSE 'DELIVERED' END, \
        CASE WHEN is_mail THEN 'kofi' || contact || '@example.com' \
            ELSE '+23324' || lpad(contact::text, 7, '0') END, 'GH', \
        CASE WHEN is_of_campaign THEN 'MARKETING' ELSE 'TRANSACTIONAL' END, \
        CASE WHEN is_of_campaign THEN 4 ELSE 2 END, \
        CASE WHEN is_of_campaign THEN 'Our sale begins on Saturday' \
            ELSE 'Your parcel has arrived at Makola.' END, \
        1, 35000, false, false, 'simulated', \
        jsonb_build_array(jsonb_build_object('provider', 'simulated', 'startedAt', at)), \
        CASE WHEN is_failed AND number % 100 = 0 THEN 'RECIPIENT_SUPPRESSED' \
            WHEN is_failed THEN 'UNDELIVERED' END, \
        CASE WHEN is_failed THEN 'not delivered' END, at, at, \
        CASE WHEN NOT is_failed THEN at END, CASE WHEN is_failed THEN at END, \
        CASE WHEN is_of_campaign THEN '$campaign'::uuid END, \
        CASE WHEN is_of_campaign \
            THEN pg_temp.numbered_id(pg_temp.contact_at(contact), contact) END \
    FROM generate_series(1, $messages) AS number, \
        LATERAL (SELECT pg_temp.message_at(number) AS at, number % 25 = 0 AS is_failed, \
            number > $messages - 2 * $recipients AND number <= $messages - $recipients \
                AS is_of_campaign) AS own, \
        LATERAL (SELECT NOT is_of_campaign AND number % 10 = 0 AS is_mail, \
            CASE WHEN NOT is_of_campaign AND number % 20 = 3 THEN 1 \
                ELSE 1 + number % $contacts END AS contact) AS recipient";

/// Counts what was inserted, as the journal does.
const COUNTERS: &str = "\
    CREATE TEMP TABLE minutes AS \
        SELECT date_trunc('minute', created_at, 'UTC') AS minute, channel, status, \
            count(*) AS messages, sum(segments) AS segments, sum(cost_micros) AS cost_micros \
        FROM delivery_logs GROUP BY 1, 2, 3; \
    INSERT INTO delivery_log_counters (organization_id, span, starts_at, channel, status, is_sandbox, \
        messages, segments, cost_micros) \
    SELECT '$organization'::uuid, span, date_trunc(span, minute, 'UTC'), channel, status, false, \
        sum(messages), sum(segments), sum(cost_micros) \
    FROM minutes, (VALUES ('HOUR'), ('DAY')) AS spans (span) GROUP BY 2, 3, 4, 5; \
    INSERT INTO delivery_log_slots (organization_id, starts_at, channel, messages) \
    SELECT '$organization'::uuid, minute, channel, sum(messages) FROM minutes GROUP BY 2, 3; \
    INSERT INTO campaign_counts (organization_id, campaign_id, status, messages, cost_micros) \
    SELECT organization_id, campaign_id, status, count(*), sum(cost_micros) FROM delivery_logs \
    WHERE campaign_id IS NOT NULL GROUP BY 1, 2, 3; \
    INSERT INTO campaign_reasons (organization_id, campaign_id, reason, messages) \
    SELECT organization_id, campaign_id, error_code, count(*) FROM delivery_logs \
    WHERE campaign_id IS NOT NULL AND failed_at IS NOT NULL GROUP BY 1, 2, 3";
