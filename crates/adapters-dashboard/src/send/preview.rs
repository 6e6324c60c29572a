//! Previews: the message as its recipients see it, its price, and what is wrong with it.

use std::collections::BTreeMap;

use domain::{
    content::compliance::{CheckedMessage, Issue, MessageCheck},
    messaging::delivery::FailureCode,
    money::wallet,
    shared::{
        channel::Channel,
        country::Country,
        fault::Faults,
        money::Money,
        sms::{self, Encoding, Segmentation},
    },
};
use usecases::{Error, messaging::messages::PreviewedMessage};

use super::composition::{Composition, FieldFault};
use super::recipients::Recipient;
use crate::frame::Visit;
use crate::passages::{Piece, pieces};
use crate::words::{InWords, Words, message_noun};

/// Code of the issue of a character that makes a text message longer.
const COSTLY: &str = "UCS2_CHARACTER";
/// Maximum number of characters that are shown of a wrong recipient.
const MAX_WRITTEN: usize = 60;

/// Preview of the messages of a form.
#[derive(Default)]
pub(super) struct Preview {
    /// Sender that the recipients see; `None` if the provider chooses it.
    pub(super) sender: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) pieces: Vec<Piece>,
    pub(super) size: Option<Size>,
    /// Characters that make a text message longer.
    pub(super) costly: Vec<Costly>,
    pub(super) findings: Vec<Finding>,
    /// Risk of the text, if it needs approval.
    pub(super) risk: Option<u8>,
    /// Price of a message to one person in Ghana; `None` if it is not known.
    pub(super) each: Option<String>,
    /// Recipients to whom nothing can be sent.
    pub(super) refused: Vec<Refused>,
    /// Sentences about messages that would fail at once.
    pub(super) warnings: Vec<String>,
    /// Providers that would get the messages first.
    pub(super) providers: Vec<String>,
    /// Number of messages and their price, in words; `None` if nothing can be sent yet.
    pub(super) button: Option<String>,
    /// The same for programs: the form sends it back, so that nobody pays another price than the one
    /// on the button.
    pub(super) offer: String,
    /// Sentence about the money that is missing in the wallet.
    pub(super) shortfall: Option<String>,
    /// Faults because of which nothing can be sent.
    pub(super) faults: Vec<FieldFault>,
}

/// Size of a text message.
pub(super) struct Size {
    pub(super) used: usize,
    pub(super) room: usize,
    segments: u16,
    /// Number of parts without the characters that make it longer.
    plain_segments: u16,
}

/// Character that makes a text message longer.
pub(super) struct Costly {
    pub(super) character: String,
    pub(super) remedy: String,
}

/// Issue of the check of texts.
pub(super) struct Finding {
    pub(super) severity: Words,
    pub(super) found: Option<String>,
    /// Sentences that follow the passage.
    pub(super) text: String,
}

/// Recipient to whom nothing can be sent.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    /// Place of the recipient in the form, in words.
    pub(super) place: String,
    pub(super) written: String,
    pub(super) reason: String,
}

/// Sums over the messages that can be sent.
#[derive(Default)]
struct Total {
    count: u64,
    cost: Money,
    failures: BTreeMap<&'static str, (u64, FailureCode)>,
    providers: Vec<String>,
}

impl Preview {
    pub(super) async fn of(visit: &Visit, composition: &Composition) -> Result<Self, Error> {
        let (subject, body) = composition.shown();
        if body.is_empty() {
            return Ok(Self { faults: composition.faults.clone(), ..Self::default() });
        }
        let checked = check(visit, composition, &body).await?;
        let mut preview = Self {
            sender: composition.sender.clone(),
            subject,
            size: (composition.channel == Channel::Sms).then(|| Size::of(&body)),
            faults: composition.faults.clone(),
            ..Self::default()
        };
        match checked {
            Some(CheckedMessage { assessment, estimated_cost, .. }) => {
                preview.risk = assessment.requires_approval().then_some(assessment.score);
                preview.each = estimated_cost.map(|cost| visit.formats().money(cost));
                preview.add_issues(&body, assessment.issues);
            }
            None => preview.pieces = pieces(&body, &[]),
        }
        preview.add_messages(visit, composition).await?;
        Ok(preview)
    }

    /// True if the messages can be sent.
    pub(super) fn is_ready(&self) -> bool {
        self.faults.is_empty() && self.button.is_some()
    }

    fn add_issues(&mut self, body: &str, issues: Vec<Issue>) {
        self.pieces = pieces(body, &issues);
        for issue in issues {
            let remedy = issue.remedy.into_owned();
            match issue.found {
                Some(character) if issue.code == COSTLY => {
                    let character = visible(&character);
                    self.costly.push(Costly { character, remedy });
                }
                found => {
                    let (severity, text) =
                        (issue.severity.words(), format!("{}. {remedy}", issue.message));
                    self.findings.push(Finding { severity, found, text });
                }
            }
        }
    }

    async fn add_messages(
        &mut self,
        visit: &Visit,
        composition: &Composition,
    ) -> Result<(), Error> {
        let requests = composition.requests();
        if requests.is_empty() {
            return Ok(());
        }
        let previews = match visit.api().messages.preview(&visit.caller, &requests).await {
            Ok(previews) => previews,
            Err(Error::Invalid(faults)) => {
                self.faults.extend(composition.sentences(&faults));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let mut total = Total::default();
        let mut first = None;
        for (recipient, preview) in composition.recipients.iter().zip(previews) {
            match preview {
                Ok(message) => total.add(message),
                Err(faults) => {
                    let sentences = composition.sentences(&faults);
                    self.refused.push(Refused::of(recipient, &sentences));
                    first.get_or_insert(sentences);
                }
            }
        }
        if total.count == 0 {
            self.faults.extend(first.unwrap_or_default());
        }
        self.add_total(visit, composition.channel, total).await
    }

    async fn add_total(
        &mut self,
        visit: &Visit,
        channel: Channel,
        total: Total,
    ) -> Result<(), Error> {
        let f = visit.formats();
        self.warnings =
            total.failures.into_values().map(|(count, code)| warning(count, code)).collect();
        self.providers = total.providers;
        if total.count == 0 || !self.faults.is_empty() {
            return Ok(());
        }
        let balance = visit.api().billing.wallet(&visit.caller).await?.balance;
        if wallet::pay(balance, total.cost).is_err() {
            let (cost, missing) = (f.money(total.cost), f.money(total.cost - balance));
            let sentence = format!("This costs {cost}, and your wallet lacks {missing} for it.");
            self.shortfall = Some(sentence);
            return Ok(());
        }
        let (count, noun) = (f.count(total.count), message_noun(channel, total.count));
        self.button = Some(format!("Send {count} {noun} for {}", f.money(total.cost)));
        self.offer = format!("{} {}", total.count, total.cost.micros());
        Ok(())
    }
}

impl Total {
    fn add(&mut self, message: PreviewedMessage) {
        self.count += 1;
        self.cost += message.cost;
        if let Some(code) = message.refusal {
            self.failures.entry(code.as_str()).or_insert((0, code)).0 += 1;
        }
        self.providers.extend(message.provider.filter(|it| !self.providers.contains(it)));
    }
}

impl Size {
    fn of(body: &str) -> Self {
        let Segmentation { encoding, segments, units } = sms::segment(body);
        let (alone, joined) = match encoding {
            Encoding::Gsm7 => (160, 153),
            Encoding::Ucs2 => (70, 67),
        };
        let room = if segments == 1 { alone } else { joined * usize::from(segments) };
        Self { used: units, room, segments, plain_segments: sms::segments_if_gsm7(body) }
    }

    /// Returns its words: `42 of 160 characters, 1 part`.
    pub(super) fn text(&self) -> String {
        let noun = if self.segments == 1 { "part" } else { "parts" };
        format!("{} of {} characters, {} {noun}", self.used, self.room, self.segments)
    }

    /// Returns the sentence that begins the list of characters that make it longer.
    pub(super) fn cause(&self) -> String {
        let Self { segments, plain_segments, .. } = self;
        if plain_segments < segments {
            return format!(
                "These characters make it {segments} parts instead of {plain_segments}, and each part \
                 is paid for:"
            );
        }
        "With these characters a part holds 70 characters instead of 160:".to_owned()
    }
}

impl Refused {
    pub(super) fn of(recipient: &Recipient, sentences: &[FieldFault]) -> Self {
        let place = match recipient.line {
            Some(line) => format!("Line {line}"),
            None => "Chosen".to_owned(),
        };
        let reasons: Vec<_> = sentences.iter().map(|(_, text)| text.as_str()).collect();
        let written = recipient.written.chars().take(MAX_WRITTEN).collect();
        Self { place, written, reason: reasons.join("; ") }
    }

    /// Returns what is wrong, without the text of the recipient.
    pub(super) fn sentence(&self) -> String {
        format!("{}: {}", self.place, self.reason)
    }
}

/// Checks the text; `None` if it cannot be checked.
async fn check(
    visit: &Visit,
    composition: &Composition,
    body: &str,
) -> Result<Option<CheckedMessage>, Error> {
    let request = MessageCheck {
        message: Some(body.to_owned()),
        category: Some(composition.category),
        channel: Some(composition.channel),
        sender: composition.sender.clone(),
        country: Some(Country::GH),
    };
    match visit.api().compliance.check(&visit.caller, &request, Faults::default()).await {
        Ok(checked) => Ok(Some(checked)),
        // The preview of the messages has the same faults, by the fields of the form.
        Err(Error::Invalid(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn warning(count: u64, code: FailureCode) -> String {
    let Words { label, meaning, .. } = code.words();
    match count {
        1 => format!("1 message would not arrive, and costs nothing: {label}. {meaning}"),
        _ => format!("{count} messages would not arrive, and cost nothing: {label}. {meaning}"),
    }
}

/// Returns a character as it can be seen.
fn visible(character: &str) -> String {
    let is_blank = character.chars().all(|it| it.is_whitespace() || it.is_control());
    if is_blank { "a blank".to_owned() } else { character.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_text_has_the_room_of_its_parts() {
        for (text, used, room, segments, plain_segments) in [
            ("a".repeat(42), 42, 160, 1, 1),
            ("a".repeat(161), 161, 306, 2, 2),
            (format!("’{}", "a".repeat(70)), 71, 134, 2, 1),
            ("’".to_owned(), 1, 70, 1, 1),
        ] {
            let size = Size::of(&text);
            assert_eq!((size.used, size.room), (used, room), "{text}");
            let found = (size.segments, size.plain_segments);
            assert_eq!(found, (segments, plain_segments), "{text}");
        }
    }

    #[test]
    fn a_refused_recipient_is_named_by_its_line() {
        let recipient = Recipient { written: "nobody".to_owned(), line: Some(3) };
        let sentences = [(String::new(), "To is no number".to_owned())];
        assert_eq!(Refused::of(&recipient, &sentences).sentence(), "Line 3: To is no number");
    }

    #[test]
    fn a_blank_character_is_named() {
        assert_eq!((visible("\u{a0}").as_str(), visible("’").as_str()), ("a blank", "’"));
    }
}
