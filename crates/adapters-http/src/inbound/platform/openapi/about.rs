//! The introduction of the document: first steps, credentials, rules that hold everywhere.

/// Description of the API.
pub(super) const ABOUT: &str = "\
Omnichannel notifications: SMS, WhatsApp, email, push and voice through one API.

## First steps

1. `POST /auth/register` with an `organizationName` returns `token`, and `organization` with its `id`.
2. `POST /api-keys` with `{\"name\": \"first\"}`, the header `Authorization: Bearer <token>` and the header \
`X-Organization-Id: <id>` returns a sandbox `key`. It is shown once.
3. `POST /messages/send` with the header `X-API-Key: <key>` and `{\"channel\": \"SMS\", \"to\": \
\"0241234567\", \"body\": \"Hello\"}` sends a message that costs nothing and reaches nobody.
4. `GET /messages/{id}` returns it with its status.
5. `POST /webhook-endpoints` registers an address that is called when the status changes.
6. A key made with `\"isSandbox\": false` sends to real recipients.

`atumpan openapi --postman` prints the same operations as a Postman collection, which keeps the token, the \
organization and the key of these steps.

## Credentials

Programs authenticate with `X-API-Key`, people with a bearer token and `X-Organization-Id`. Send one of them: \
if both are present, the key takes precedence. Endpoints for sessions answer a key with 401 \
`SESSION_REQUIRED`, unless it has scopes for such endpoints: `x-atumpan-scope` of an operation names the scope \
that it needs; null stands for none. On this page, **Authorize** therefore takes either `apiKey` alone, or `bearer` together \
with `organization`. The browser keeps what was filled in until **Logout**.

## Sandbox

Messages of a sandbox key reach nobody, cost nothing and have `isSandbox`. Their recipients decide the \
outcome (for email the local part counts, for a device the token):

| recipient ends in | outcome |
|---|---|
| `0000` | `FAILED` |
| `0001` | stays `SENT` |
| anything else | `DELIVERED` |

Webhooks report them, too. Everything else is validated as for real messages.

## Answers

Every JSON answer except that of `/health` has an envelope: `{\"success\": true, \"data\": …}`, or \
`{\"success\": false, \"error\": {\"code\", \"message\", \"details\"}}`. Programs match on `code`; the schema \
`ErrorCode` lists all codes and says which may be retried. Every answer has `X-Request-Id`, and `RateLimit` \
with `RateLimit-Policy` if the request was counted; name the identifier when you report a problem. Amounts \
are in GHS.

## Requests

Unknown fields and parameters are refused. An optional field may be left out; null is then the same as its \
absence. A field whose type includes null is cleared by null. Repeat a request that sends or creates \
something with the same `Idempotency-Key`, and it is done once.";
