DROP TRIGGER suppressions_crossing ON suppressions;
DROP FUNCTION note_crossing_suppression();
DROP TABLE crossing_suppressions;
