//! Styles of texts.

crate::closed_list! {
    /// Style of a text.
    pub enum Style {
        /// Tone between companies.
        Professional = "professional",
        /// Tone between acquaintances.
        Friendly = "friendly",
        /// Tone of matters that cannot wait.
        Urgent = "urgent",
        /// Tone of authorities.
        Formal = "formal",
    }
    impl FromStr;
}
