//! The ports that need no vendor: passwords, tokens, chance, calls of webhook endpoints.

mod hmac_sha256;
pub mod password;
pub mod random;
pub mod subscription_tokens;
pub mod token;
pub mod webhooks;
