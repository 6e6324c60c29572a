// Reads the OpenAPI document as a list of methods.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const read = () =>
  JSON.parse(readFileSync(process.env.ATUMPAN_DOCUMENT ?? `${root}../../docs/openapi.json`, "utf8"));

// `webhooks` verifies what comes; the group that manages endpoints has a name of its own.
const RENAMED = { webhooks: { group: "webhookEndpoints", cut: /(?<=.)Endpoints?$/ } };

// Written by hand, with the same path.
export const BY_HAND = new Set(["messages.sendBulk"]);

const nameOf = (operation) => {
  const [group, method] = operation["x-method"].split(".");
  const renamed = RENAMED[group];
  return renamed ? [renamed.group, method.replace(renamed.cut, "")] : [group, method];
};

// The type of `data` in an answer, or of the whole answer where it has no envelope.
const answerOf = (document, schema) => {
  const name = schema?.$ref?.split("/").pop();
  const { properties } = name ? document.components.schemas[name] : (schema ?? {});
  return properties?.success && properties.data
    ? { schema: properties.data, pagination: properties.pagination }
    : { schema };
};

const methodOf = (document, path, verb, operation) => {
  const [group, method] = nameOf(operation);
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody;
  const successes = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
  const types = successes.flatMap(([, answer]) => Object.keys(answer.content ?? {}));
  const json = successes.find(([, answer]) => answer.content?.["application/json"]);
  const { schema, pagination } = answerOf(document, json?.[1].content["application/json"].schema);
  return {
    group,
    method,
    verb: verb.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id),
    body: body && {
      schema: (body.content["application/json"] ?? Object.values(body.content)[0]).schema,
      required: body.required === true,
      isForm: !!body.content["multipart/form-data"],
    },
    query: parameters.filter((parameter) => parameter.in === "query"),
    takesKey: parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key"),
    answer: schema,
    pagination,
    isStream: types.includes("text/csv"),
    mayBeText: types.some((type) => /^text\/(html|plain)$/.test(type)),
    mayBeEmpty: successes.some(([, answer]) => !answer.content),
  };
};

/** All operations of the document, in its order. */
export const methodsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.operationId)
      .map(([verb, operation]) => methodOf(document, path, verb, operation)),
  );
