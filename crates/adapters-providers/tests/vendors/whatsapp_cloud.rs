//! The WhatsApp Cloud API.

use std::sync::Arc;

use adapters_providers::Declaration;
use domain::{
    content::template::FilledTemplate,
    messaging::{
        message::Message,
        outcome::{FollowUp, Outcome},
    },
    shared::channel::Channel,
};

use crate::{
    support::{credentials, declaration, made, message},
    vendor_server::{VendorServer, answer},
};

fn declared(base_url: &str) -> Declaration {
    Declaration {
        credentials: credentials([
            ("phone_number_id", "106540352242922"),
            ("access_token", "EAAJB"),
            ("app_secret", "s3cr3t"),
            ("verify_token", "v3rify"),
        ]),
        ..declaration("whatsapp-cloud", Channel::WhatsApp, base_url)
    }
}

fn as_template(values: &[&str], button: Option<&str>) -> Message {
    let mut message = message(Channel::WhatsApp, "+233244123456", "our text");
    Arc::make_mut(&mut message.draft).vendor_template = Some(FilledTemplate {
        name: "order_code".into(),
        language: "en_US".into(),
        values: values.iter().copied().map(Into::into).collect(),
        button: button.map(Into::into),
    });
    message
}

#[tokio::test]
async fn a_template_is_requested_as_the_vendor_documents() {
    let body = r#"{"type":"body","parameters":[{"type":"text","text":"Ama"},{"type":"text","text":"4711"}]}"#;
    let button = r#"{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"4711"}]}"#;
    for (message, components) in [
        (as_template(&["Ama", "4711"], None), format!(r#","components":[{body}]"#)),
        (
            as_template(&["Ama", "4711"], Some("4711")),
            format!(r#","components":[{body},{button}]"#),
        ),
        (as_template(&[], None), String::new()),
        (as_template(&[], Some("4711")), format!(r#","components":[{button}]"#)),
    ] {
        let taken = r#"{"messages":[{"id":"wamid.1"}]}"#;
        let server = VendorServer::start(answer("200 OK", "", taken)).await;

        let outcome = made(&declared(&server.url)).send(&message).await;

        let follow_up = FollowUp::Report;
        assert_eq!(outcome, Outcome::Accepted { reference: Some("wamid.1".into()), follow_up });
        let request = server.request.await.unwrap();
        let (_, sent) = request.split_once("\r\n\r\n").unwrap();
        let expected = format!(
            r#"{{"messaging_product":"whatsapp","recipient_type":"individual","to":"+233244123456","type":"template","template":{{"name":"order_code","language":{{"code":"en_US"}}{components}}},"biz_opaque_callback_data":"{}"}}"#,
            message.id.internal()
        );
        assert_eq!(sent, expected);
    }
}
