DROP INDEX delivery_logs_campaign_contact;
DROP TABLE contact_job_parts, contact_jobs;
