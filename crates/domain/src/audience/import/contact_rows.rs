//! Contact rows, and the changes they make.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};

use super::{
    columns::{Columns, Meaning, NAME, trimmed},
    layout::Layout,
    records::{Record, records},
    row::{Row, RowError},
    typed_phone::phone_as_typed,
    upload::Chunk,
};
use crate::{
    audience::{
        contact::{Consent, Contact, ContactRequest, ContactUpdate},
        import::ImportKind,
    },
    identity::organization::Organization,
    shared::{address::Address, change::Change, fault::Faults, id::Id},
};

/// Reader for the rows of a file of contacts.
#[derive(Debug, Clone)]
pub struct ContactTable {
    layout: Layout,
    columns: Columns,
    consent: Option<Consent>,
}

/// Contact data of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRow {
    /// Contact that the row creates if none matches.
    pub contact: Contact,
    /// True if the row names a country.
    has_country: bool,
    /// True if the phone is a fixed line.
    is_fixed_line: bool,
}

/// Changes that a set of rows makes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactPlan {
    /// Steps to write, in this order.
    pub steps: Vec<ContactStep>,
    /// Number of rows that create a contact.
    pub created: u32,
    /// Number of rows that match an existing contact.
    pub updated: u32,
    /// Number of these rows whose phone is a fixed line.
    pub fixed_lines: u32,
    /// Reasons for which the other rows are not imported.
    pub errors: Vec<RowError>,
    /// Skipped cells of imported rows, with reasons.
    pub remarks: Vec<RowError>,
}

/// Contacts to write at once: first the changed, then the new ones. Within a step no contact takes an
/// address that another one gives up, since the store decides the order of writing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactStep {
    /// Changed contacts, in their new state.
    pub changed: Vec<Contact>,
    /// New contacts.
    pub new: Vec<Contact>,
}

impl ContactTable {
    /// Returns the reader for files with that layout. Fails if the header is invalid.
    pub fn new(layout: Layout) -> Result<Self, Faults> {
        let columns = Columns::read(ImportKind::Contacts, &layout.header, &layout.labels)?;
        Ok(Self { layout, columns, consent: None })
    }

    /// Gives every contact of the rows the consent that the upload states for all of them.
    #[must_use]
    pub fn with_consent(self, consent: Option<Consent>) -> Self {
        Self { consent, ..self }
    }

    /// Returns the rows of a chunk, without blank ones.
    pub fn rows(
        &self,
        chunk: &Chunk,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Vec<Row<ContactRow>> {
        let records = records(&self.layout, chunk.first_row, &chunk.bytes);
        let records = records.into_iter().filter(|record| !record.is_blank());
        records.map(|record| self.row(&record, organization, now)).collect()
    }

    /// Reads a row. Skips an invalid cell if a phone or an email remains to identify the contact.
    fn row(
        &self,
        record: &Record,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Row<ContactRow> {
        let headers = &self.columns.headers;
        let (request, mut faults) = match self.request(record) {
            Ok(read) => read,
            Err(error) => return Row::whole(record.row, Err(error)),
        };
        let has_country = request.country.is_some();
        let contact = request.contact(organization, now).or_else(|found| {
            let mut rest = self.request(record).map(|(request, _)| request).unwrap_or_default();
            found.fields.keys().for_each(|path| leave_out(&mut rest, path));
            faults.merge_new("", found);
            rest.contact(organization, now)
        });
        match contact {
            Ok(mut contact) if contact.phone.is_some() || contact.email.is_some() => {
                contact.consent.clone_from(&self.consent);
                let remark = (!faults.is_empty())
                    .then(|| RowError::of_left_out(record.row, &faults, headers));
                let is_fixed_line = contact.has_fixed_line();
                let content = Ok(ContactRow { contact, has_country, is_fixed_line });
                Row { number: record.row, content, remark }
            }
            nobody => {
                faults.merge_new("", nobody.err().unwrap_or_default());
                if faults.is_empty() {
                    let fault = "must have a phone or an email, by which a contact is known again";
                    faults = Faults::form(fault);
                }
                Row::whole(record.row, Err(RowError::of_faults(record.row, &faults, headers)))
            }
        }
    }

    /// Reads a record, and collects the faults that its cells have by themselves.
    fn request(&self, record: &Record) -> Result<(ContactRequest, Faults), RowError> {
        let (mut request, mut faults) = (ContactRequest::default(), Faults::default());
        for (meaning, cell) in self.columns.cells(record)? {
            let text = || Some(cell.to_owned());
            match meaning {
                Meaning::Field("firstName") => request.first_name = text(),
                Meaning::Field("lastName") => request.last_name = text(),
                Meaning::Field(NAME) => (request.first_name, request.last_name) = names(cell),
                Meaning::Field("phone") => {
                    request.phone = faults.take("phone", phone_as_typed(cell)).map(str::to_owned);
                }
                Meaning::Field("email") => request.email = text(),
                Meaning::Field("countryCode") => {
                    request.country = faults.take("countryCode", cell.parse());
                }
                Meaning::Field("tags") => request.tags = tags(cell),
                Meaning::Field("fcmToken") => request.fcm_token = text(),
                Meaning::Attribute(name) => {
                    request.attributes.insert(name.clone(), cell.to_owned());
                }
                Meaning::Field(_) | Meaning::Nothing | Meaning::LeftOut => {}
            }
        }
        let is_elsewhere = faults.fields.contains_key("countryCode");
        if is_elsewhere && request.phone.take_if(|phone| !is_international(phone)).is_some() {
            faults.add("countryCode", "leaves the phone without a country");
        }
        Ok((request, faults))
    }
}

/// Removes the field at the path of a fault.
fn leave_out(request: &mut ContactRequest, path: &str) {
    let (field, rest) = path.split_once('.').unwrap_or((path, ""));
    match field {
        "firstName" => request.first_name = None,
        "lastName" => request.last_name = None,
        "phone" => request.phone = None,
        "email" => request.email = None,
        "fcmToken" => request.fcm_token = None,
        "tags" => request.tags.clear(),
        "attributes" if rest.is_empty() => request.attributes.clear(),
        "attributes" => drop(request.attributes.remove(rest)),
        _ => {}
    }
}

/// Splits a cell into first and last name: `Ama Serwaa Mensah`, or `Mensah, Ama Serwaa`.
fn names(cell: &str) -> (Option<String>, Option<String>) {
    let (first, last) = match cell.split_once(',') {
        Some((last, first)) => (first, last),
        None => cell.rsplit_once(char::is_whitespace).unwrap_or((cell, "")),
    };
    let name = |text: &str| Some(trimmed(text).to_owned()).filter(|name| !name.is_empty());
    (name(first), name(last))
}

/// True if the number names its country.
fn is_international(phone: &str) -> bool {
    phone.starts_with('+') || phone.starts_with("00")
}

fn tags(cell: &str) -> Vec<String> {
    let tags = cell.split([';', '|']).map(trimmed);
    tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

impl ContactRow {
    /// Returns an existing contact updated by the row: empty cells change nothing, tags replace. A recorded
    /// consent stays, because it is older.
    fn applied_to(&self, known: &Contact) -> Result<Contact, Faults> {
        let given = &self.contact;
        let text = |text: &Option<String>| text.clone().map_or(Change::Keep, set);
        let address = |address: &Option<Address>| {
            address.as_ref().map_or(Change::Keep, |it| set(it.as_str().to_owned()))
        };
        let update = ContactUpdate {
            first_name: text(&given.first_name),
            last_name: text(&given.last_name),
            phone: address(&given.phone),
            email: address(&given.email),
            fcm_token: address(&given.fcm_token),
            country: if self.has_country { set(given.country) } else { Change::Keep },
            tags: if given.tags.is_empty() { Change::Keep } else { set(given.tags.clone()) },
            attributes: if given.attributes.is_empty() {
                Change::Keep
            } else {
                set(joined(&known.attributes, &given.attributes))
            },
            consent: match (&known.consent, &given.consent) {
                (None, Some(consent)) => set(consent.clone().into()),
                _ => Change::Keep,
            },
        };
        update.apply(known.clone())
    }
}

fn set<T>(value: T) -> Change<T> {
    Change::Set(Some(value))
}

fn joined(
    known: &BTreeMap<String, String>,
    given: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let all = known.iter().chain(given);
    all.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl ContactPlan {
    /// Returns the plan for the rows, in their order. `known` must be all contacts that have one of their
    /// phones or emails.
    pub fn of(rows: Vec<Row<ContactRow>>, known: Vec<Contact>) -> Self {
        let mut planning = Planning::default();
        for contact in known {
            planning.add(contact, State::Kept);
        }
        for Row { number, content, remark } in rows {
            let is_fixed_line = content.as_ref().is_ok_and(|row| row.is_fixed_line);
            match content.and_then(|row| planning.take(number, row)) {
                Ok(()) => {
                    planning.plan.fixed_lines += u32::from(is_fixed_line);
                    planning.plan.remarks.extend(remark);
                }
                Err(error) => planning.plan.errors.push(error),
            }
        }
        planning.finish()
    }

    /// Adds a step, unless it is empty.
    fn add(&mut self, step: ContactStep) {
        if !step.changed.is_empty() || !step.new.is_empty() {
            self.steps.push(step);
        }
    }

    /// Returns the phones and emails that identify the contacts of the rows.
    pub fn addresses(rows: &[Row<ContactRow>]) -> (Vec<&str>, Vec<&str>) {
        let (mut phones, mut emails) = (Vec::new(), Vec::new());
        for row in rows.iter().filter_map(|row| row.content.as_ref().ok()) {
            phones.extend(row.contact.phone.as_ref().map(Address::as_str));
            emails.extend(row.contact.email.as_ref().map(Address::as_str));
        }
        (phones, emails)
    }
}

/// Contacts as they are after the rows that were processed so far.
#[derive(Default)]
struct Planning {
    contacts: Vec<(Contact, State)>,
    phones: HashMap<Address, usize>,
    emails: HashMap<Address, usize>,
    /// Addresses that the current step gives up.
    given_up: HashSet<Address>,
    plan: ContactPlan,
}

/// Change of a contact in the current step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Kept,
    Changed,
    New,
}

impl Planning {
    fn take(&mut self, number: u32, row: ContactRow) -> Result<(), RowError> {
        let by_phone = row.contact.phone.as_ref().and_then(|it| self.phones.get(it)).copied();
        let by_email = row.contact.email.as_ref().and_then(|it| self.emails.get(it)).copied();
        let known = match (by_phone, by_email) {
            (Some(phone), Some(email)) if phone != email => {
                let reason = "has the phone of one contact and the email of another";
                return Err(RowError::whole(number, reason));
            }
            (phone, email) => phone.or(email),
        };
        let Some(index) = known else {
            self.begin_step_for(&row.contact);
            self.add(row.contact, State::New);
            self.plan.created += 1;
            return Ok(());
        };
        let before = &self.contacts[index].0;
        let after =
            row.applied_to(before).map_err(|faults| RowError::of_faults(number, &faults, &[]))?;
        self.plan.updated += 1;
        if after != *before {
            self.begin_step_for(&after);
            self.change(index, after);
        }
        Ok(())
    }

    fn add(&mut self, contact: Contact, state: State) {
        let index = self.contacts.len();
        self.phones.extend(contact.phone.clone().map(|it| (it, index)));
        self.emails.extend(contact.email.clone().map(|it| (it, index)));
        self.contacts.push((contact, state));
    }

    fn change(&mut self, index: usize, after: Contact) {
        let (contact, state) = &mut self.contacts[index];
        if contact.phone != after.phone {
            if let Some(phone) = contact.phone.clone() {
                self.phones.remove(&phone);
                self.given_up.insert(phone);
            }
            self.phones.extend(after.phone.clone().map(|it| (it, index)));
        }
        if contact.email != after.email {
            if let Some(email) = contact.email.clone() {
                self.emails.remove(&email);
                self.given_up.insert(email);
            }
            self.emails.extend(after.email.clone().map(|it| (it, index)));
        }
        *contact = after;
        if *state == State::Kept {
            *state = State::Changed;
        }
    }

    /// Ends the step if the contact takes an address that the step gives up.
    fn begin_step_for(&mut self, contact: &Contact) {
        let addresses = [&contact.phone, &contact.email];
        if addresses.into_iter().flatten().any(|address| self.given_up.contains(address)) {
            self.end_step();
        }
    }

    fn end_step(&mut self) {
        self.given_up.clear();
        let mut step = ContactStep::default();
        for (contact, state) in &mut self.contacts {
            match state {
                State::Kept => {}
                State::Changed => step.changed.push(contact.clone()),
                State::New => step.new.push(contact.clone()),
            }
            *state = State::Kept;
        }
        self.plan.add(step);
    }

    /// Ends the last step, and returns the plan. The contacts are not needed after it, so they are moved.
    fn finish(self) -> ContactPlan {
        let Self { contacts, mut plan, .. } = self;
        let mut step = ContactStep::default();
        for (contact, state) in contacts {
            match state {
                State::Kept => {}
                State::Changed => step.changed.push(contact),
                State::New => step.new.push(contact),
            }
        }
        plan.add(step);
        plan
    }
}

#[cfg(test)]
mod tests;
