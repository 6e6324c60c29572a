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
      const [group, stem] = expand(head);
      return [group, Object.fromEntries(lines.map((line) => operationOf(line, stem)))];
    }),
  );

const operationOf = (line: string, stem: string): [string, Operation] => {
  const [letters, text] = line.split(" ") as [string, string];
  const [name, rest] = expand(text);
  return [name, { verb: VERBS[letters.charAt(0)] as string, path: stem + rest, kind: letters.slice(1) }];
};

// A name and the path behind it, in which ~ stands for the words of the name, and = for those after the first.
const expand = (text: string): [string, string] => {
  const [name] = text.split("/") as [string];
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [name, text.slice(name.length).replace("~", words).replace("=", words.replace(/^\w+-/, ""))];
};
