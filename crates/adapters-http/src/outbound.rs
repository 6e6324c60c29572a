//! The ports that need no vendor: passwords, tokens, chance.

pub mod password;
pub mod random;
pub mod subscription_tokens;
pub mod token;
