// Written by scripts/generate.mjs from docs/openapi.json.

// A block for each group: its name and the beginning of its paths; then for each method its kind, its name, and the
// rest of its path. In a path ~ is the name before it, and = is that name without its first word.
export const OPERATIONS = `approvals
gl list/admin/approvals
g get/admin/approvals/*
pb approve/admin/approvals/*/~
pb reject/admin/approvals/*/~
gla listOwnApprovals/approvals

auditLog
gl list/admin/audit
gl listOwnAuditLog/organizations/audit

backgroundTasks/admin/~
g list

impersonation/admin
p exit/exit-impersonation
p impersonate/tenants/*/~

paymentExceptions/admin/~
gl list
pb resolve/*/~

pricing/admin/~
gl listRules
pbk createRule
gl listPlans/=
pbk createPlan/plans
ub updatePlan/plans/*
ub updateRule/*

revenue/admin/~
g get

sendingWindows/admin/~
gl list
pbk create
d delete/*
ub update/*

tenants/admin/~
gl list
g get/*
ub update/*
p restore/*/~
pb suspend/*/~

walletCorrections/admin/tenants/*
pbk creditWallet/credit
pbk debitWallet/debit

users/admin/~
gl list
ub update/*
p endSessions/*/~
p resetSecondFactor/*/reset-totp

analytics/~
gq listCosts/=
g listFailures/=
gq getMessages/=
g getOverview/=
g listRecommendations/=

apiKeys/~
gl list
pbk create
g getCurrentApiKey/current
d revoke/*
pbk rotate/*/~
g getUsage/*/=

authentication/auth
pb changePassword/~
pb forgotPassword/~
gqt showInvitation/invitations/accept
pbt acceptInvitation/invitations/accept
pb login/~
p logout/~
p logoutEverywhere/~
g getProfile/me
ub updateProfile/me
pb register/~
gqt showPasswordReset/reset-password
pbt resetPassword/~
g listSessions/=
d endSession/sessions/*
pb proposeSecondFactor/totp
pb confirmSecondFactor/totp/confirm
pb removeSecondFactor/totp/remove
gqt showEmailVerification/verify-email
pbqt verifyEmail/~
p resendVerification/verify-email/resend

invoices/billing/~
gl list
gt get/*
p void/*/~

ledger/billing/~
gl list

billing/~
g getPricing/=
gq listUsage/=
g getWallet/=

topUps/billing
pbk topUp/~
gl list/top-ups
pb verifyPayment/~
pb receiveGatewayEvent/webhooks/gateway

callbacks/callbacks/providers/*
g answerHandshake
pb receive

campaigns/~
gl list
pbk create
d delete/*
g get/*
ub update/*
p cancel/*/~
pk duplicate/*/~
p pause/*/~
p preview/*/~
gla listRecipients/*/=
gqs exportRecipients/*/recipients/export
pbk resendFailures/*/resend-failed
p resume/*/~
pk send/*/~

checkout/checkout/*
gt show
pbt decline/~
pbt pay/~

compliance/~
pb checkMessage/~
g getSummary/=

suppression/compliance/~
gl list
pbk create
d delete/*

imports
pmk importSuppressions/compliance/suppression/import
gl listSuppressionImports/compliance/suppression/imports
g getSuppressionImport/compliance/suppression/imports/*
gs listSuppressionImportErrors/compliance/suppression/imports/*/errors
pmk importContacts/contacts/import
gl listContactImports/contacts/imports
g getContactImport/contacts/imports/*
gs listContactImportErrors/contacts/imports/*/errors
p undoContactImport/contacts/imports/*/undo

contacts/~
gla list
pbk create
gqs export/~
d delete/*
g get/*
ub update/*
gla listMessages/*/=

contactJobs/contacts
pbk deleteContacts/delete
gla list/jobs
g get/jobs/*
pbk tagContacts/tags

content/~
pb generate/~
pb rewrite/~
pb translate/~

deliveryLogs/~
gla list
gqs export/~

events/~
gl list
pbk create
pbk trigger/~
d delete/*
g get/*
ub update/*

health
g get/health
g getLiveness/health/live
g getReadiness/health/ready
gt getMetrics/=

messages/~
pbk sendBulk/=
pbk resendFailed/resend
g getResend/resend/*
pbk send/~
g get/*
ub move/*
p cancel/*/~
pbk resend/*/~

organizations/~
pbk create
g get/current
ub update/current
gl listInvitations/=
pbk createInvitation/invitations
d withdrawInvitation/invitations/*
pk resendInvitation/invitations/*/resend
pbk inviteMember/invite
p leave/~
gl listMembers/=
d removeMember/members/*
ub updateMember/members/*

closings/organizations/current
pb closeOrganization/close
p restoreOrganization/restore

limits/organizations/~
g getOrganizationLimits

traffic/organizations/traffic-alerts
gl listAlerts
p liftStop/*/lift

providers/~
gl list
g get/*
p check/*/health-check

requests/~
gla listRefusedRequests

segments/~
gl list
pbk create
pb preview/~
d delete/*
g get/*
ub update/*
gla listContacts/*/=

senderNames/~
gl list
pbk request
d delete/*

templates/~
gl list
pbk create
d delete/*
g get/*
ub update/*
pb render/*/~

unsubscribe
gt showShortUnsubscribe/u/*
pbt unsubscribeShort/u/*
gt show/unsubscribe/*
pbt unsubscribe/unsubscribe/*

webhookEndpoints/~
gl list
pbk create
dq delete/*
ub update/*
gl listDeliveries/*/=
pk retryDelivery/*/deliveries/*/retry
pbk recoverDeliveries/*/recover
pk rotateSecret/*/~
pb test/*/~`;
