DROP TRIGGER audit_heads_kept ON audit_heads;
DROP TRIGGER audit_heads_chained ON audit_heads;
