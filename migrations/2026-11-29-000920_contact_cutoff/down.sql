DROP FUNCTION close_contacts(uuid, uuid);
