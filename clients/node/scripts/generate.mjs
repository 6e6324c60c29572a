// Writes src/generated anew from the OpenAPI document. With --check it fails where the files differ.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BY_HAND, methodsOf, read, root } from "./document.mjs";

const HEAD = "// Written by scripts/generate.mjs from docs/openapi.json.\n\n";
const document = read();
const { schemas } = document.components;
const methods = methodsOf(document);

// Envelopes are taken off by the client, and failures become errors.
const isEnvelope = (schema) => schema.properties?.success !== undefined;
const kept = Object.entries(schemas).filter(([name, schema]) => !isEnvelope(schema) && name !== "Error");
const names = new Set(kept.map(([name]) => name));
const used = new Set();

const typeOf = (schema) => {
  if (!schema || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    if (!names.has(name)) return typeOf(schemas[name]);
    used.add(name);
    return name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return parts.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
      return schema.format === "binary" ? "Blob" : "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return schema.type;
    case "array": {
      const item = typeOf(schema.items);
      return / /.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    default:
      return schema.properties ? objectOf(schema) : `Record<string, ${typeOf(schema.additionalProperties)}>`;
  }
};

const objectOf = ({ properties, required = [] }) => {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join("; ")} }`;
};

const comment = (text, indent) =>
  text
    ? `${indent}/** ${text.replaceAll("*/", "*\\/").trim().replaceAll("\n", `\n${indent} * `).replaceAll(/ +$/gm, "")} */\n`
    : "";

// `metadata[key]` is a filter with keys of the caller's choice.
const fieldOf = ({ name, schema, description, required }) => {
  const key = /^(\w+)\[/.exec(name)?.[1];
  const type = key ? "Record<string, string>" : typeOf(schema);
  return `${comment(description, "    ")}    ${key ?? name}${required ? "" : "?"}: ${type};\n`;
};

const queryOf = ({ query }) => {
  const isNeeded = query.some((parameter) => parameter.required);
  return `query${isNeeded ? "" : "?"}: {\n${query.map(fieldOf).join("")}  }`;
};

const resultOf = (method) => {
  if (method.isStream) return "Promise<ReadableStream<Uint8Array>>";
  if (method.pagination) {
    return `List<${typeOf(method.answer.items)}, ${typeOf(method.pagination)}>`;
  }
  const kinds = [];
  if (method.answer) kinds.push(typeOf(method.answer));
  if (method.mayBeText) kinds.push("string");
  if (method.mayBeEmpty) kinds.push(kinds.length > 0 ? "undefined" : "void");
  return `Promise<${kinds.join(" | ")}>`;
};

const signatureOf = (method) => {
  const { body } = method;
  const parameters = method.ids.map((id) => `${id}: string`);
  // A parameter that may be left out cannot stand before one that may not.
  const queryIsNeeded = method.query.some((parameter) => parameter.required);
  if (body) {
    const mayBeAbsent = body.required ? "" : queryIsNeeded ? " | undefined" : "?";
    const isOptional = mayBeAbsent === "?";
    parameters.push(`body${isOptional ? "?" : ""}: ${typeOf(body.schema)}${isOptional ? "" : mayBeAbsent}`);
  }
  if (method.query.length > 0) parameters.push(queryOf(method));
  parameters.push("options?: RequestOptions");
  const about = [method.summary, method.description].filter(Boolean).join("\n\n");
  return `${comment(about, "  ")}  ${method.method}(${parameters.join(", ")}): ${resultOf(method)};\n`;
};

const LETTERS = { GET: "g", POST: "p", PATCH: "u", DELETE: "d" };

// What a request needs to be told of its operation, as `src/operations.ts` reads it.
const kindOf = (method) =>
  [
    LETTERS[method.verb],
    method.body ? (method.body.isForm ? "m" : "b") : "",
    method.query.length > 0 && !method.pagination ? "q" : "",
    method.takesKey ? "k" : "",
    method.pagination ? "l" : "",
    method.query.some(({ name }) => name === "after") ? "a" : "",
    method.isStream ? "s" : "",
    method.mayBeText ? "t" : "",
  ].join("");

const groups = new Map();
for (const method of methods) {
  groups.set(method.group, [...(groups.get(method.group) ?? []), method]);
}
const pascal = (name) => name[0].toUpperCase() + name.slice(1);
const interfaceName = (group) => `${pascal(group)}Methods`;
const tagOf = new Map();
for (const operations of Object.values(document.paths)) {
  for (const operation of Object.values(operations)) {
    if (operation.operationId) tagOf.set(operation["x-method"].split(".")[0], operation.tags[0]);
  }
}

// The parts with which all of these paths begin.
const stemOf = (paths) => {
  let stem = paths[0];
  while (!paths.every((path) => `${path}/`.startsWith(`${stem}/`))) stem = stem.replace(/\/[^/]*$/, "");
  return stem;
};

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

// What a path repeats of the name before it, as `src/operations.ts` reads it.
const shorten = (name, path) => {
  const words = kebab(name);
  const tail = words.replace(/^\w+-/, "");
  for (const [part, sign] of [
    [words, "~"],
    [tail, "="],
  ]) {
    if (path.endsWith(`/${part}`)) return `${path.slice(0, -part.length)}${sign}`;
  }
  return path;
};

// Text, since it is the larger part of what a page or a worker has to load.
const operationsFile = () => {
  const blocks = [...groups].map(([group, list]) => {
    const paths = list.map(({ path }) => path.replaceAll(/\{\w+\}/g, "*"));
    const stem = stemOf(paths);
    const lines = list.map((method, index) => {
      const { method: name } = method;
      return `${kindOf(method)} ${name}${shorten(name, paths[index].slice(stem.length))}`;
    });
    return [group + shorten(group, stem), ...lines].join("\n");
  });
  return `${HEAD}// A block for each group: its name and the beginning of its paths; then for each method its kind, its name, and the
// rest of its path. In a path ~ is the name before it, and = is that name without its first word.
export const OPERATIONS = \`${blocks.join("\n\n")}\`;
`;
};

const methodsFile = () => {
  const bodies = [...groups].map(([group, list]) => {
    const lines = list.filter((it) => !BY_HAND.has(`${it.group}.${it.method}`)).map(signatureOf);
    return `export interface ${interfaceName(group)} {\n${lines.join("\n")}}\n`;
  });
  const fields = [...groups.keys()].map((group) => {
    const about = document.tags?.find(({ name }) => name === tagOf.get(group))?.description;
    return `${comment(about, "  ")}  readonly ${group}: ${interfaceName(group)};\n`;
  });
  // The answers of what is written by hand.
  const byHand = methods
    .filter((it) => BY_HAND.has(`${it.group}.${it.method}`))
    .map(
      (it) =>
        `/** Answer of ${it.group}.${it.method}. */\nexport type ${pascal(it.method)}Answer = ${typeOf(it.answer)};\n\n`,
    )
    .join("");
  const imports = [...used].sort().join(",\n  ");
  return `${HEAD}import type { List, RequestOptions } from "../interface.js";
import type {
  ${imports},
} from "./types.js";

${bodies.join("\n")}
${byHand}/** Methods by group, one for each operation of the API. */
export interface Groups {
${fields.join("")}}
`;
};

const eventsFile = () => {
  const events = Object.entries(document.webhooks).map(([, { post }]) =>
    post.requestBody.content["application/json"].schema.$ref.split("/").pop(),
  );
  return `${HEAD}import type {
  ${events.join(",\n  ")},
} from "./types.js";

/** Event that a webhook tells of; \`event\` says which. */
export type WebhookMessage =
  | ${events.join("\n  | ")};
`;
};

// The generator of types needs a newer Node.js than the package does.
const newNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 18);
  return isNew ? [process.execPath] : ["npx", "-y", "-p", "node@22", "--", "node"];
};

// Types of the schemas alone: methods have theirs above.
const typesFile = () => {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-types-"));
  try {
    const input = {
      ...document,
      paths: {},
      webhooks: {},
      servers: [],
      components: { schemas: Object.fromEntries(kept) },
    };
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(input));
    const generator = ["node_modules/@hey-api/openapi-ts/bin/run.js", "-i", join(folder, "openapi.json")];
    const options = ["-o", join(folder, "out"), "-p", "@hey-api/typescript", "--silent"];
    const [program, ...first] = newNode();
    const run = spawnSync(program, [...first, ...generator, ...options], { cwd: root, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`openapi-ts failed: ${run.stderr}${run.stdout}`);
    const text = readFileSync(join(folder, "out", "types.gen.ts"), "utf8");
    return (
      text
        .replace(/^\/\/.*\n\n(export type ClientOptions = \{[^}]*\};\n\n)?/, HEAD)
        // A third of the file would be the frames of its comments.
        .replaceAll(/\/\*\*\n +\* (.*)\n +\*\//g, "/** $1 */")
        .replaceAll(/^( +)/gm, (blank) => blank.slice(blank.length / 2))
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const version = JSON.parse(readFileSync(`${root}package.json`, "utf8")).version;
const files = {
  "methods.ts": methodsFile(),
  "operations.ts": operationsFile(),
  "events.ts": eventsFile(),
  "version.ts": `// Written by scripts/generate.mjs from package.json.\n\nexport const VERSION = "${version}";\n`,
  "types.ts": typesFile(),
};

let differs = false;
mkdirSync(`${root}src/generated`, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = `${root}src/generated/${name}`;
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    console.error(`src/generated/${name} differs from the document: run npm run generate`);
    differs = true;
  }
}
process.exitCode = differs ? 1 : 0;
