//! Lists of members and invitations, with the permissions of the roles.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody};
use domain::{
    identity::{organization::Role, permission::Permission},
    shared::page::Paged,
};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::inbound::shared::{
    answers::{PaginationView, envelope},
    endpoint::{
        describe::{Describe, Description},
        schemas::MARK,
    },
    formats::{Names, RoleName, Vocabulary},
};

type PermissionName = Names<Permission>;

impl Vocabulary for Permission {
    const TITLE: &'static str = "Permission";
    const DESCRIPTION: &'static str = "Something that a role allows. `READ` is everything but API \
         keys, webhook endpoints, limits and the audit log. `MANAGE_INTEGRATIONS` and \
         `READ_INTEGRATIONS` are about API keys and webhook endpoints. `WRITE_AUDIENCE` is to \
         change contacts, segments, templates and campaigns.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Page of a list whose items have roles: 200.
pub(super) struct PageWithRoles<T> {
    items: Vec<T>,
    pagination: PaginationView,
}

#[derive(Serialize)]
struct PageWithRolesBody<T> {
    success: bool,
    data: Vec<T>,
    pagination: PaginationView,
    roles: Vec<RoleView>,
}

/// A role and what it allows.
#[derive(Serialize, ToSchema)]
#[schema(as = RolePermissions)]
struct RoleView {
    #[schema(value_type = RoleName)]
    role: &'static str,
    /// Everything that members with the role may do.
    #[schema(value_type = Vec<PermissionName>)]
    may: Vec<&'static str>,
}

impl<T> PageWithRoles<T> {
    /// Creates a page.
    pub(super) fn new(part: Paged<impl Into<T>>) -> Self {
        let pagination = PaginationView::of(&part);
        Self { items: part.items.into_iter().map(Into::into).collect(), pagination }
    }
}

impl From<Role> for RoleView {
    fn from(role: Role) -> Self {
        let may = Permission::ALL.into_iter().filter(|permission| role.may(*permission));
        Self { role: role.as_str(), may: may.map(Permission::as_str).collect() }
    }
}

impl<T: Serialize> Responder for PageWithRoles<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let Self { items, pagination } = self;
        let roles = Role::ALL.map(RoleView::from).into();
        HttpResponse::Ok().json(PageWithRolesBody { success: true, data: items, pagination, roles })
    }
}

impl<T: ToSchema> Describe for PageWithRoles<T> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let data = json!({ "type": "array", "items": schemas.of_answer::<T>() });
        let pagination = schemas.of_answer::<PaginationView>();
        let roles = json!({
            "type": "array", MARK: true,
            "description": "All roles, and what each allows.",
            "items": schemas.of_answer::<RoleView>(),
        });
        let page = envelope(&json!({ "data": data, "pagination": pagination, "roles": roles }));
        let schema = schemas.add(&format!("{}Page", T::name()), page);
        description.answers_json(200, schema);
    }
}
