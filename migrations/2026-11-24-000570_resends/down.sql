DROP TABLE resend_tasks, message_resends;
ALTER TABLE delivery_logs DROP COLUMN resent_from;
