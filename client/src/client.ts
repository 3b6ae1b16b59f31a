/** A typed client of the API: `client.webhooks.create({ body: … })`. It only requires `fetch`. */
import { LINES } from "./contract.ts";
import type { Operations } from "./operations.ts";

export interface ClientOptions {
  /** Such as `https://millrace.example.com`. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The slug of the workspace. */
  readonly workspace?: string;
  readonly environment?: "production" | "staging" | "development";
  /** The number of retries after temporary failures. Default: 2. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
}

/** Options of one call in addition to its input. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For retried commands. Default: a random key. */
  readonly idempotencyKey?: string;
  /** Only succeeds if the resource still has this version: the `etag` of an earlier response. */
  readonly ifMatch?: string;
  /** Performs a command and rolls it back. The result is a `DryRun`. */
  readonly dryRun?: boolean;
  /** Overrides the client's environment for this call. */
  readonly environment?: "production" | "staging" | "development";
  /** Receives the status and headers of the response, such as `etag`. */
  readonly onAnswer?: (answer: Pick<Response, "status" | "headers">) => void;
}

type InputOf<O> = Omit<O, "reply">;
type ReplyOf<O> = O extends { reply: infer R } ? R : never;
type Arguments<O> =
  {} extends InputOf<O>
    ? [input?: InputOf<O>, options?: CallOptions]
    : [input: InputOf<O>, options?: CallOptions];

type Id = keyof Operations;
type Namespace = Id extends `${infer Name}.${string}` ? Name : never;
type Method<O> = (...args: Arguments<O>) => Promise<ReplyOf<O>>;

/** Every operation as a method of its namespace, and `call` for operations by id. */
export type Client = {
  readonly [Name in Namespace]: {
    readonly [O in Id as O extends `${Name}.${infer Verb}` ? Verb : never]: Method<Operations[O]>;
  };
} & {
  readonly call: <O extends Id>(
    id: O,
    ...args: Arguments<Operations[O]>
  ) => Promise<ReplyOf<Operations[O]>>;
};

/** An error response of the server. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** A stable error code. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The complete problem document with its code-specific members. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.problem = { ...problem };
  }
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: ApiError["errors"];
}

interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Creates a client. Its members come from GROUPS and their types from Operations, which are generated together. */
export function createClient(options: ClientOptions): Client;
// Comparing the types of all operations would take the type checker seconds.
export function createClient(options: ClientOptions): unknown {
  const call = (id: Id, input: Input = {}, about: CallOptions = {}): Promise<unknown> =>
    send(options, LINES[id], { input, about });
  const client: Record<string, unknown> = { call };
  for (const id of Object.keys(LINES) as Id[]) {
    const [name = "", verb = ""] = id.split(".");
    const verbs = (client[name] ??= {}) as Record<string, unknown>;
    verbs[verb] = (input?: Input, about?: CallOptions) => call(id, input, about);
  }
  return client;
}

/** All items of a list, page by page. */
export async function* pagesOf<Item>(
  list: (query: { readonly limit: number; readonly after?: string }) => Promise<{
    readonly data: readonly Item[];
    readonly pagination: { readonly nextCursor: string | null };
  }>,
  limit = 200,
): AsyncGenerator<Item> {
  for (let after: string | null | undefined; after !== null;) {
    const page = await list({ limit, ...(after !== undefined && { after }) });
    yield* page.data;
    after = page.pagination.nextCursor;
  }
}

const RETRY_STATUSES = new Set([429, 502, 503, 504]);
const WAIT_MS = 250;
const WAIT_MAX_MS = 30_000;

async function send(
  options: ClientOptions,
  route: string,
  { input, about }: { readonly input: Input; readonly about: CallOptions },
): Promise<unknown> {
  const [method = "GET", path = "/"] = route.split(" ");
  const { retries = 2, fetch: request = fetch } = options;
  // Equal for all attempts, so that a completed command is not performed again.
  const key = about.idempotencyKey ?? makeKey();
  for (let attempt = 0; ; attempt += 1) {
    const answer = await request(urlOf(options.baseUrl, path, input), {
      method,
      headers: headersOf(options, { method, input, key, about }),
      ...(input.body !== undefined && { body: textOf(input.body) }),
      ...(about.signal && { signal: about.signal }),
    }).catch((error: unknown) => {
      if (attempt >= retries || about.signal?.aborted || method === "PUT" || method === "DELETE")
        throw error;
      return undefined;
    });
    if (answer && (attempt >= retries || !RETRY_STATUSES.has(answer.status))) {
      about.onAnswer?.(answer);
      return read(answer);
    }
    await pause(waitMs(answer, attempt), about.signal);
  }
}

/** A unique key. `randomUUID` is not available on pages over plain HTTP. */
export function makeKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

function urlOf(baseUrl: string, path: string, { params = {}, query = {} }: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, textOf(value));
  }
  const tail = search.size === 0 ? "" : `?${search.toString()}`;
  return `${baseUrl.replace(/\/$/, "")}${filled}${tail}`;
}

function headersOf(
  { token, workspace, environment }: ClientOptions,
  call: {
    readonly method: string;
    readonly input: Input;
    readonly key: string;
    readonly about: CallOptions;
  },
): Record<string, string> {
  const { method, input, key, about } = call;
  const within = about.environment ?? environment;
  return {
    accept: "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(workspace !== undefined && { "x-workspace": workspace }),
    ...(within !== undefined && { "x-environment": within }),
    ...(input.body !== undefined && { "content-type": "application/json" }),
    ...((method === "POST" || method === "PATCH") && { "idempotency-key": key }),
    ...(about.ifMatch !== undefined && { "if-match": about.ifMatch }),
    ...(about.dryRun === true && { prefer: "dry-run" }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text();
  const isJson = /[/+]json\b/.test(answer.headers.get("content-type") ?? "");
  const body: unknown = isJson && text !== "" ? JSON.parse(text) : text === "" ? undefined : text;
  if (answer.ok) return body;
  throw new ApiError(answer.status, typeof body === "object" && body !== null ? body : {});
}

function waitMs(answer: Response | undefined, attempt: number): number {
  const asked = Number(answer?.headers.get("retry-after") ?? 0) * 1_000;
  return Math.min(Math.max(asked, WAIT_MS * 2 ** attempt), WAIT_MAX_MS);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
