/** The result of a request: a response, or the reason why there is none. */
export type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers: Headers }
  | { readonly status: 0; readonly error: string };

/** The body and headers of a request. */
export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Ask = (route: string, asked?: Asked) => Promise<Answer>;

/** Longer than any response may take. A request without a response by then hangs. */
export const ANSWER_MAX_MS = 70_000;

/** Sends requests to the product and returns any response. */
export function asker(url: () => string, token: () => string | undefined): Ask {
  return async (route, { body, headers = {} } = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const known = token();
    try {
      const reply = await fetch(url() + path, {
        method,
        headers: {
          "x-workspace": "default",
          ...(known !== undefined && { authorization: `Bearer ${known}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      const text = await reply.text();
      const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : text;
      return { status: reply.status, body: parsed, headers: reply.headers };
    } catch (error) {
      return { status: 0, error: causeOf(error) };
    }
  };
}

/** The `data` of a response with this status. Throws for any other status. */
export function dataOf<T>(answer: Answer, status: number): T {
  if (answer.status !== status || !("body" in answer)) {
    throw new Error(`It answered ${answer.status}: ${JSON.stringify(answer)}`);
  }
  return (answer.body as { data: T }).data;
}

/** All items of a list, page by page. Retries while the product is busy. */
export async function all<T>(ask: Ask, path: string): Promise<T[]> {
  const items: T[] = [];
  let after: string | null = null;
  do {
    const cursor: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const join = path.includes("?") ? "&" : "?";
    const answer: Answer = await ask(`GET ${path}${join}limit=200${cursor}`);
    items.push(...dataOf<T[]>(answer, 200));
    const { pagination } = (answer as { body: { pagination: { nextCursor: string | null } } }).body;
    after = pagination.nextCursor;
  } while (after !== null);
  return items;
}

/** `fetch` reports the reason of a failure in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (error.name === "TimeoutError") return "timeout";
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}
