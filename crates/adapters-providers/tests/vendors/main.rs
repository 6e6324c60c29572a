//! Tests of every vendor's adapter against a server with the vendor's protocol.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod africas_talking;
mod conformance;
mod expo;
mod fcm;
mod hosted;
mod logs;
mod mailgun;
mod paystack;
mod scripted;
mod sms_vendors;
mod smtp;
mod smtp_server;
mod support;
mod twilio;
mod vendor_server;
mod whatsapp_cloud;
