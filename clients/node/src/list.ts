import type { Call, Send } from "./core.js";
import type { List, Page } from "./interface.js";

interface Position {
  nextCursor?: string | null;
  page?: number;
  totalPages?: number;
}

/** Makes the list of a call: nothing is read before it is iterated. */
export const listOf = (send: Send, call: Call): List<unknown> => {
  const read = (query: object) =>
    send({ ...call, query: { ...call.query, ...query } }) as Promise<Page<unknown, Position>>;
  return {
    page: () => read({}),
    async *[Symbol.asyncIterator]() {
      const { page, after = "", limit = 100 } = call.query ?? {};
      // With a cursor nothing is counted, and what is added meanwhile shifts no page.
      const hasCursor = call.kind.includes("a") && page === undefined;
      let next: object | undefined = hasCursor ? { after } : { page: page ?? 1 };
      while (next) {
        const { data, pagination } = await read({ limit, ...next });
        yield* data;
        const { nextCursor, page = 1, totalPages = 0 } = pagination;
        if (hasCursor) next = nextCursor ? { after: nextCursor } : undefined;
        else next = page < totalPages ? { page: page + 1 } : undefined;
      }
    },
  };
};
