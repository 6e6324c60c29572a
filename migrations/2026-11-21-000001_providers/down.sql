DROP TABLE sessions, conversations, unmatched_reports, provider_references, provider_minutes,
    provider_health, provider_standings, providers;
