//! Texts of a template as a message would have them.

use std::collections::{BTreeMap, BTreeSet};

use super::MessageRequest;
use crate::{
    content::template::{TemplateChannel, TemplateText},
    shared::{
        channel::Channel,
        fault::Faults,
        sms::{self, Segmentation},
    },
};

/// Texts of a template with values in the place of placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// Subject line; `None` if it has none.
    pub subject: Option<String>,
    /// Text.
    pub body: String,
    /// Size as a text message; `None` on other channels.
    pub segmentation: Option<Segmentation>,
    /// Placeholders without a value, each once, which stay in the texts as they are.
    pub missing: Vec<String>,
}

impl Rendering {
    /// Returns the texts of a template filled as for a message. `channel` is for templates that are sent
    /// on several.
    pub fn of(
        template: &TemplateText,
        channel: Option<Channel>,
        variables: BTreeMap<String, String>,
    ) -> Result<Self, Faults> {
        let channel = match (template.channel, channel) {
            (TemplateChannel::Messages(own), Some(named)) if named != own => {
                return Err(Faults::field(
                    "channel",
                    format!("is not that of the template, {own}"),
                ));
            }
            (TemplateChannel::Messages(own), _) => Some(own),
            (TemplateChannel::InApp, named) => named,
        };
        let text = channel.map_or_else(|| template.clone(), |it| template.written_for(it));
        let mut faults = Faults::default();
        let mut request = MessageRequest { channel, variables, ..MessageRequest::default() };
        if !request.has_short_values(Some(&text), &mut faults) {
            return Err(faults);
        }
        let missing = missing(&text, &request.variables);
        for name in &missing {
            request.variables.insert(name.clone(), format!("{{{{{name}}}}}"));
        }
        let texts = request.filled(Some(&text), text.category, &mut faults);
        let texts = faults.require(texts)?;
        let segmentation = (channel == Some(Channel::Sms)).then(|| sms::segment(&texts.body));
        Ok(Self { subject: texts.subject, body: texts.body, segmentation, missing })
    }
}

/// Returns the placeholders without a value, each once, in the order of the texts.
fn missing(text: &TemplateText, values: &BTreeMap<String, String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = text.names().filter(|name| !values.contains_key(*name) && seen.insert(*name));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        content::template::TemplateRequest,
        identity::organization::PLATFORM,
        shared::{category::Category, id::Id, sms::Encoding},
    };

    fn template(channel: TemplateChannel, subject: Option<&str>, body: &str) -> TemplateText {
        let request = TemplateRequest {
            name: Some("Order".into()),
            channel: Some(channel),
            subject: subject.map(str::to_owned),
            body: Some(body.into()),
            category: Some(Category::Insurance),
            ..TemplateRequest::default()
        };
        let now = chrono::DateTime::UNIX_EPOCH;
        TemplateText::from(&request.template(PLATFORM, Id::new(now), now).unwrap())
    }

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn placeholders_without_a_value_stay_and_are_named_once() {
        let text = template(Channel::Sms.into(), None, "{{b}} {{a}} {{ b }} {{c}}");

        let rendered = Rendering::of(&text, None, values(&[("a", "1"), ("z", "2")])).unwrap();

        assert_eq!(rendered.body, "{{b}} 1 {{b}} {{c}}");
        assert_eq!(rendered.missing, ["b", "c"]);
        let size = rendered.segmentation.unwrap();
        assert_eq!((size.segments, size.encoding), (1, Encoding::Gsm7));
    }

    #[test]
    fn values_are_escaped_in_html_and_bounded_as_in_a_message() {
        let mail = template(Channel::Email.into(), Some("For {{a}}"), "<p>{{a}}</p>");

        let rendered = Rendering::of(&mail, None, values(&[("a", "A & B")])).unwrap();

        assert_eq!(rendered.subject.as_deref(), Some("For A & B"));
        assert_eq!((rendered.body.as_str(), rendered.segmentation), ("<p>A &amp; B</p>", None));
        for too_long in [161, 10_001] {
            let refused = Rendering::of(&mail, None, values(&[("a", &"x".repeat(too_long))]));
            assert!(refused.unwrap_err().fields.contains_key("variables.a"), "{too_long}");
        }
    }

    #[test]
    fn only_a_template_for_applications_is_shown_on_several_channels() {
        let own = template(Channel::Sms.into(), None, "Akwaaba");
        let refused = Rendering::of(&own, Some(Channel::Email), BTreeMap::new());
        assert!(refused.unwrap_err().fields.contains_key("channel"));

        let in_app = template(TemplateChannel::InApp, None, "Akwaaba");
        for (channel, has_size) in [(None, false), (Some(Channel::Sms), true)] {
            let rendered = Rendering::of(&in_app, channel, BTreeMap::new()).unwrap();
            assert_eq!(rendered.segmentation.is_some(), has_size, "{channel:?}");
        }
    }
}
