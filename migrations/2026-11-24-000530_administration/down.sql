DROP TRIGGER users_listed ON users;
DROP FUNCTION list_user;
DROP TABLE user_directory, wallet_corrections;
