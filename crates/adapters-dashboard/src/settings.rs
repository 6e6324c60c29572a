//! `/app/settings`: the organization, and how it sends.

mod closing;
mod sender_names;

use askama::Template;
use chrono_tz::TZ_VARIANTS;
use domain::identity::organization::{
    Organization, OrganizationUpdate, RESTORABLE, SettingsUpdate, TrafficSettingsUpdate,
    WaysOutRequest,
};
use domain::identity::permission::Permission;
use domain::shared::change::Change;
use domain::shared::country::Country;
use domain::shared::fault::Faults;
use usecases::Error;

use crate::formats::Moment;
use crate::frame::{
    Choice, Failure, Form, Frame, Labels, Place, Posted, Route, Shown, Visit, get, post,
};
use crate::words::{InWords, days_in_words};

const PATH: &str = "/app/settings";
const LABELS: Labels = &[
    ("name", "Name"),
    ("industry", "Industry"),
    ("businessEmail", "Email"),
    ("businessPhone", "Phone"),
    ("website", "Website"),
    ("timezone", "Time zone"),
    ("allowedCountries", "Countries"),
    ("number", "Number to stop by"),
    ("ussd", "Code to stop by"),
    ("velocityLimit", "Messages to similar numbers"),
    ("allowPremiumNumbers", "Expensive numbers"),
    ("complianceAcknowledged", "Fair sending"),
];
/// Time zones that are offered besides those of Africa.
const ZONES: [&str; 6] =
    ["America/New_York", "Asia/Dubai", "Asia/Shanghai", "Europe/London", "Europe/Paris", "UTC"];

#[derive(Template)]
#[template(path = "settings/settings.html")]
struct SettingsPage {
    frame: Frame,
    form: Form,
    zones: Vec<Choice>,
    /// Fields with values, for a member who may not change them.
    facts: Vec<(&'static str, String)>,
    may_change: bool,
    is_owner: bool,
    /// Time until which a closed organization can be restored.
    restorable_until: Option<Moment>,
    /// Sending windows in force.
    windows: Vec<String>,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, show),
        post(PATH, save),
        get(sender_names::PATH, sender_names::list),
        post(sender_names::PATH, sender_names::ask),
        get("/app/settings/sender-names/{id}/delete", sender_names::ask_to_delete),
        post("/app/settings/sender-names/{id}/delete", sender_names::delete),
        get("/app/settings/close", closing::offer),
        post("/app/settings/close", closing::close),
        post("/app/settings/restore", closing::restore),
    ]
}

async fn show(visit: Visit) -> Shown {
    page(&visit, filled(&visit.organization)).await
}

async fn save(visit: Visit, posted: Posted) -> Shown {
    let (update, faults) = update(&posted);
    match visit.api().organizations.update(&visit.caller, update, faults).await {
        Ok(_) => Ok(visit.done(PATH, "The settings are saved.")),
        Err(refusal) => page(&visit, refused(posted.form(LABELS), refusal)?).await,
    }
}

async fn page(visit: &Visit, form: Form) -> Shown {
    let windows = visit.api().sending_windows.active(&visit.caller).await?;
    let windows = windows.into_iter().map(|it| {
        let (category, days) = (it.category.words().label, days_in_words(&it.hours.weekdays));
        let (opens, closes, offset) = (it.hours.opens, it.hours.closes, it.hours.utc_offset);
        format!("{category} to {}: {days}, {opens} to {closes} (UTC{offset})", it.country)
    });
    let fact = |(name, label): &(&str, &'static str)| (*label, form.value(name).to_owned());
    let facts = LABELS.iter().map(fact).filter(|(_, value)| !value.is_empty()).collect();
    let closed_at = visit.organization.settings.closed_at;
    let page = SettingsPage {
        frame: visit.frame(Place::Settings).refused(form.has_faults()),
        facts,
        form,
        zones: zones(visit.organization.time_zone()),
        may_change: visit.may(Permission::ManageOrganization),
        is_owner: visit.caller.owner().is_ok(),
        restorable_until: closed_at.map(|at| visit.formats().time(at + RESTORABLE)),
        windows: windows.collect(),
    };
    visit.answer(&page, page.form.has_faults())
}

fn filled(organization: &Organization) -> Form {
    let (profile, settings) = (&organization.profile, &organization.settings);
    let countries = settings.traffic.allowed_countries.iter().flatten().map(Country::to_string);
    let yes = |is_set: bool| is_set.then(|| "yes".to_owned());
    let values = [
        ("name", Some(organization.name.clone())),
        ("industry", profile.industry.clone()),
        ("businessEmail", profile.business_email.clone()),
        ("businessPhone", profile.business_phone.clone()),
        ("website", profile.website.clone()),
        ("timezone", Some(organization.time_zone().to_owned())),
        ("allowedCountries", Some(countries.collect::<Vec<_>>().join(" "))),
        ("number", settings.ways_out.number.clone()),
        ("ussd", settings.ways_out.ussd.clone()),
        ("velocityLimit", settings.traffic.velocity_limit.map(|limit| limit.to_string())),
        ("allowPremiumNumbers", yes(settings.allow_premium_numbers)),
        ("complianceAcknowledged", yes(profile.compliance_acknowledged)),
    ];
    let present = values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Form::filled(LABELS, present.collect())
}

/// Returns the changes that a form asks for, and what is wrong with it. A blank field lifts a limit.
fn update(posted: &Posted) -> (OrganizationUpdate, Faults) {
    let mut faults = Faults::default();
    let countries = posted.raw("allowedCountries").split([' ', ',', ';']);
    let countries: Vec<_> = countries.filter(|code| !code.is_empty()).map(str::to_owned).collect();
    let limit = posted.text("velocityLimit").and_then(|text| {
        faults.take("velocityLimit", text.parse::<i32>().map_err(|_| "must be a whole number"))
    });
    let ways_out = WaysOutRequest { number: posted.text("number"), ussd: posted.text("ussd") };
    let settings = SettingsUpdate {
        allow_premium_numbers: Some(posted.is_set("allowPremiumNumbers")),
        traffic: TrafficSettingsUpdate {
            allowed_countries: Change::Set((!countries.is_empty()).then_some(countries)),
            velocity_limit: Change::Set(limit),
        },
        ways_out: Change::Set(Some(ways_out)),
        ..SettingsUpdate::default()
    };
    let update = OrganizationUpdate {
        name: Some(posted.raw("name").to_owned()),
        industry: Change::Set(posted.text("industry")),
        business_email: Change::Set(posted.text("businessEmail")),
        business_phone: Change::Set(posted.text("businessPhone")),
        website: Change::Set(posted.text("website")),
        timezone: Change::Set(posted.text("timezone")),
        compliance_acknowledged: Some(posted.is_set("complianceAcknowledged")),
        settings,
        ..OrganizationUpdate::default()
    };
    (update, faults)
}

/// Adds what a refusal says to a form, whose fields are not grouped as those of the use case.
fn refused(form: Form, refusal: Error) -> Result<Form, Failure> {
    let name = |path: String| {
        let groups = ["settings.optOut.", "settings."];
        let field = groups.iter().find_map(|group| path.strip_prefix(group)).map(str::to_owned);
        field.unwrap_or(path)
    };
    match refusal {
        Error::Invalid(Faults { fields, form: of_form }) => {
            let fields = fields.into_iter().map(|(path, texts)| (name(path), texts)).collect();
            Ok(form.with_faults(Faults { fields, form: of_form }))
        }
        refusal => form.refused(refusal),
    }
}

/// Returns the time zones to choose from, the present one among them.
fn zones(present: &str) -> Vec<Choice> {
    let is_offered =
        |name: &&str| name.starts_with("Africa/") || ZONES.contains(name) || *name == present;
    let names = TZ_VARIANTS.iter().map(|zone| zone.name()).filter(is_offered);
    names.map(|name| Choice::new(name, name.replace('_', " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_fields_lift_limits_and_countries_are_read_one_by_one() {
        let read = |fields: &[(&str, &str)]| update(&Posted::of_fields(fields));
        let (written, _) = read(&[("allowedCountries", "GH, ng"), ("velocityLimit", "50")]);
        let traffic = written.settings.traffic;
        let countries = vec!["GH".to_owned(), "ng".to_owned()];
        assert_eq!(traffic.allowed_countries, Change::Set(Some(countries)));
        assert_eq!(traffic.velocity_limit, Change::Set(Some(50)));
        let (blank, _) = read(&[("allowedCountries", " ")]);
        assert_eq!(blank.settings.traffic.allowed_countries, Change::Set(None));
        assert!(read(&[("velocityLimit", "many")]).1.fields.contains_key("velocityLimit"));
    }

    #[test]
    fn faults_stand_at_the_fields_of_the_form() {
        let fields = [("name", "Kente"), ("allowedCountries", "Ghana"), ("ussd", "713")];
        let posted = Posted::of_fields(&fields);
        let faults = update(&posted).0.faults();
        let form = refused(posted.form(LABELS), faults.into()).unwrap();
        let names: Vec<_> = form.all_faults().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["allowedCountries", "ussd"]);
    }
}
