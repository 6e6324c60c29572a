DROP TYPE message_recipient;
DROP TYPE used_key;
DROP TYPE accepted_job;
DROP TYPE accepted_message;
