//! Payment gateways. The simulated gateway uses the protocol of Paystack, so both read events
//! alike.

mod event;
mod paystack;
mod simulated;

pub use self::{
    paystack::{InvalidGatewayUrl, Paystack},
    simulated::{InvalidWebhookUrl, SimulatedGateway},
};
