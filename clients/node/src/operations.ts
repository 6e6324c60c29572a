import { OPERATIONS } from "./generated/operations.js";

/** Operation of the service. */
export interface Operation {
  verb: string;
  /** Path with an asterisk for each identifier. */
  path: string;
  /**
   * Kind: `b` has a body, `m` a form, `q` a query; `k` takes an idempotency key; `l` is a list with a query,
   * `a` with a cursor; `s` answers with a stream, `t` perhaps with a text.
   */
  kind: string;
}

const VERBS: Record<string, string> = { g: "GET", p: "POST", u: "PATCH", d: "DELETE" };

/** Returns the operations by group and method. */
export const operations = (): Record<string, Record<string, Operation>> =>
  Object.fromEntries(
    OPERATIONS.split("\n\n").map((block) => {
      const [head, ...lines] = block.split("\n") as [string];
      const [group, stem] = head.split(" ") as [string, string];
      return [group, Object.fromEntries(lines.map((line) => operationOf(line, stem)))];
    }),
  );

const operationOf = (line: string, stem: string): [string, Operation] => {
  const [letters, text] = line.split(" ") as [string, string];
  const [name] = text.split("/") as [string];
  const path = stem + text.slice(name.length).replace("~", name);
  return [name, { verb: VERBS[letters.charAt(0)] as string, path, kind: letters.slice(1) }];
};
