//! Adapters that need no vendor: passwords, tokens, randomness, calls of webhook endpoints.

mod hmac_sha256;
pub mod password;
pub mod random;
pub mod sealer;
pub mod subscription_tokens;
pub mod token;
pub mod webhooks;
