DROP TABLE invitation_mails, invitations;
