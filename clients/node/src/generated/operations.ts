// Written by scripts/generate.mjs from docs/openapi.json.

// A block for each group: its name and the beginning of its paths; then for each method its kind, its name, and the
// rest of its path, in which ~ is its name.
export const OPERATIONS = `approvals /admin/approvals
gl list
g get/*
pb approve/*/~
pb reject/*/~

auditLog 
gl list/admin/audit
gl listOwnAuditLog/organizations/audit

impersonation /admin
p exit/exit-impersonation
p impersonate/tenants/*/~

paymentExceptions /admin/payment-exceptions
gl list
pb resolve/*/~

pricing /admin/pricing
gl listRules
pbk createRule
gl listPlans/plans
pbk createPlan/plans
ub updatePlan/plans/*
ub updateRule/*

revenue /admin/revenue
g get

sendingWindows /admin/sending-windows
gl list
pbk create
d delete/*
ub update/*

tenants /admin/tenants
gl list
g get/*
ub update/*
p restore/*/~
pb suspend/*/~

walletCorrections /admin/tenants/*
pbk creditWallet/credit
pbk debitWallet/debit

users /admin/users
gl list
ub update/*
p endSessions/*/end-sessions
p resetSecondFactor/*/reset-totp

analytics /analytics
gq listCosts/costs
g listFailures/failures
g getOverview/overview
g listRecommendations/recommendations

apiKeys /api-keys
gl list
pbk create
g getCurrentApiKey/current
d revoke/*
pbk rotate/*/~
g getUsage/*/usage

authentication /auth
pb changePassword/change-password
pb forgotPassword/forgot-password
gqt showInvitation/invitations/accept
pbt acceptInvitation/invitations/accept
pb login/~
p logout/~
p logoutEverywhere/logout-everywhere
g getProfile/me
ub updateProfile/me
pb register/~
gqt showPasswordReset/reset-password
pbt resetPassword/reset-password
g listSessions/sessions
d endSession/sessions/*
pb proposeSecondFactor/totp
pb confirmSecondFactor/totp/confirm
pb removeSecondFactor/totp/remove
gqt showEmailVerification/verify-email
pbqt verifyEmail/verify-email
p resendVerification/verify-email/resend

invoices /billing/invoices
gl list
gt get/*
p void/*/~

ledger /billing/ledger
gl list

billing /billing
g getPricing/pricing
gq listUsage/usage
g getWallet/wallet

topUps /billing
pbk topUp/top-up
gl list/top-ups
pb verifyPayment/verify-payment
pb receiveGatewayEvent/webhooks/gateway

callbacks /callbacks/providers/*
g answerHandshake
pb receive

campaigns /campaigns
gl list
pbk create
g get/*
ub update/*
p cancel/*/~
p pause/*/~
p preview/*/~
p resume/*/~
pk send/*/~

checkout /checkout/*
gt show
pbt decline/~
pbt pay/~

compliance /compliance
pb checkMessage/check-message
g getSummary/summary

suppression /compliance/suppression
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

contacts /contacts
gl list
pbk create
d delete/*
g get/*
ub update/*

content /content
pb generate/~
pb rewrite/~
pb translate/~

deliveryLogs /delivery-logs
gla list
gqs export/~

events /events
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
gt getMetrics/metrics

messages /messages
pbk sendBulk/bulk
pbk resendFailed/resend
g getResend/resend/*
pbk send/~
g get/*
ub move/*
p cancel/*/~
pbk resend/*/~

organizations /organizations
pbk create
g get/current
ub update/current
gl listInvitations/invitations
pbk createInvitation/invitations
d withdrawInvitation/invitations/*
pk resendInvitation/invitations/*/resend
pbk inviteMember/invite
p leave/~
gl listMembers/members
d removeMember/members/*
ub updateMember/members/*

closings /organizations/current
pb closeOrganization/close
p restoreOrganization/restore

limits /organizations/limits
g getOrganizationLimits

traffic /organizations/traffic-alerts
gl listAlerts
p liftStop/*/lift

providers /providers
gl list
g get/*
p check/*/health-check

requests /requests
gla listRefusedRequests

segments /segments
gl list
pbk create
pb preview/~
d delete/*
g get/*
ub update/*

senderNames /sender-names
gl list
pbk request
d delete/*

templates /templates
gl list
pbk create
g get/*
ub update/*

unsubscribe 
gt showShortUnsubscribe/u/*
pbt unsubscribeShort/u/*
gt show/unsubscribe/*
pbt unsubscribe/unsubscribe/*

webhookEndpoints /webhook-endpoints
gl list
pbk create
dq delete/*
ub update/*
gl listDeliveries/*/deliveries
pk retryDelivery/*/deliveries/*/retry
pbk recoverDeliveries/*/recover
pk rotateSecret/*/rotate-secret
pb test/*/~`;
