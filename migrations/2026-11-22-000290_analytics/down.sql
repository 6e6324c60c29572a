DROP TABLE recommendations;
