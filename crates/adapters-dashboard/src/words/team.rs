//! Roles of members.

use domain::identity::organization::Role;

use super::{InWords, Words};

impl InWords for Role {
    fn words(self) -> Words {
        match self {
            Self::Owner => Words::neutral("Owner", "An owner may do everything."),
            Self::Admin => Words::neutral(
                "Administrator",
                "An administrator may do everything but appoint owners.",
            ),
            Self::CampaignManager => {
                Words::neutral("Marketing", "They keep contacts, write texts and send campaigns.")
            }
            Self::ComplianceReviewer => Words::neutral(
                "Support",
                "They look into messages and keep the suppression list. They send nothing.",
            ),
            Self::Developer => {
                Words::neutral("Developer", "They connect other systems, and send messages.")
            }
            Self::Viewer => {
                Words::neutral("Viewer", "They see the daily work, and change nothing.")
            }
        }
    }
}
