//! Text about codes of which few arrive.

use chrono::SecondsFormat;
use domain::identity::traffic::{CodeShare, TrafficAlert};

use super::Mail;

/// Returns the mail about an alert. The text names the organization by its identifier, because owners
/// may have several and the name is user-supplied.
pub(super) fn mail(alert: &TrafficAlert, public_url: &str) -> Mail {
    Mail { subject: "Few of your codes arrive".to_owned(), body: body(alert, public_url) }
}

fn body(alert: &TrafficAlert, public_url: &str) -> String {
    let TrafficAlert { id, organization, range, evidence, .. } = alert;
    let recent = evidence.recent;
    let usual = evidence.shown_usual().and_then(CodeShare::percent);
    let usual = usual.map(|percent| format!(" Usually it is {percent} %.")).unwrap_or_default();
    let others = match evidence.shown_others().and_then(CodeShare::percent) {
        Some(percent) => {
            format!("Of the codes of all others to these numbers {percent} % arrived.")
        }
        None => "Too few others sent codes to these numbers to compare.".to_owned(),
    };
    let consequence = match alert.stopped_until {
        Some(until) => format!(
            "As others' codes arrive as usual, somebody probably has your application send codes to \
             numbers that earn from them. Codes to these numbers are stopped until {}: they fail at \
             no cost, with TRAFFIC_STOPPED. If they are in order, an owner or administrator lifts \
             this by POST {public_url}/organizations/traffic-alerts/{id}/lift.",
            until.to_rfc3339_opts(SecondsFormat::Secs, true)
        ),
        None => "Nothing is stopped, for the network may be the reason. If it is not, look at who \
                 asks your application for codes: somebody may have it send them to numbers that \
                 earn from them. The setting allowedCountries keeps codes from countries where you \
                 have no business."
            .to_owned(),
    };
    format!(
        "Of the last {} codes of the organization {organization} to numbers that begin with {range}, {} arrived.{usual} \
         {others}\n\n{consequence}\n",
        recent.codes, recent.delivered,
    )
}

#[cfg(test)]
mod tests {
    use domain::{
        identity::traffic::{Evidence, OperatorRange, STOP},
        shared::id::Id,
    };

    use super::*;
    use crate::shared::fixtures::{NOW, tenant};

    const GOOD: CodeShare = CodeShare { codes: 1_000, delivered: 950 };
    const FALLEN: CodeShare = CodeShare { codes: 80, delivered: 12 };

    fn alert() -> TrafficAlert {
        TrafficAlert {
            id: Id::new_in(NOW, tenant()),
            organization: tenant(),
            range: OperatorRange::stored(23_324),
            found_at: NOW,
            evidence: Evidence {
                recent: FALLEN,
                normal: GOOD,
                others: GOOD,
                others_normal: GOOD,
                other_organizations: 3,
            },
            stopped_until: None,
            lifted_at: None,
            lifted_by: None,
        }
    }

    #[test]
    fn a_mail_has_figures_and_the_way_to_lift_a_stop() {
        let url = "https://notify.example.com";
        for (stopped_until, parts) in [
            (None, vec!["Nothing is stopped", "allowedCountries"]),
            (
                Some(NOW + STOP),
                vec!["TRAFFIC_STOPPED", "https://notify.example.com/organizations/", "/lift"],
            ),
        ] {
            let Mail { body, .. } = mail(&TrafficAlert { stopped_until, ..alert() }, url);
            let figures = ["80 codes of the organization ", "+23324", "12 arrived", "95 %"];
            for part in figures.into_iter().chain(parts) {
                assert!(body.contains(part), "{part}: {body}");
            }
        }
    }

    #[test]
    fn a_mail_omits_figures_of_too_few_others() {
        let few =
            Evidence { normal: CodeShare::default(), other_organizations: 2, ..alert().evidence };

        let Mail { body, .. } = mail(&TrafficAlert { evidence: few, ..alert() }, "");

        assert!(body.contains("Too few others"), "{body}");
        assert!(!body.contains('%'), "{body}");
    }
}
