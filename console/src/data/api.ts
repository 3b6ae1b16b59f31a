/**
 * The one way to the server. Everything is typed by `Operations`, which is generated from openapi.json: rename a field
 * there and the console no longer compiles.
 */
import {
  ApiError,
  type CallOptions,
  createClient,
  isAllowed,
  makeKey,
  type OperationId,
  type Operations,
  routeOf,
} from "@millrace/client";
import {
  keepPreviousData,
  type Query,
  QueryClient,
  type QueryFilters,
  useQuery,
  type UseQueryResult,
} from "@tanstack/react-query";
import { BASE_PATH, place } from "./place.ts";
import { beginReading } from "./live/position.ts";
import { Refresh } from "./live/refresh.ts";
import { outbox } from "./outbox.ts";
import { noteAnswer } from "./session.ts";
import { noteWrite } from "./code/write-log.ts";
import { toPlainProblem } from "./error-words.ts";
import { beginCommand, forgetUndoable } from "./undo/way-back.ts";

export { ApiError };
export type { OperationId, Permission, Schemas } from "@millrace/client";
export type Input<O extends OperationId> = Omit<Operations[O], "reply">;
export type Reply<O extends OperationId> = Operations[O] extends { reply: infer R } ? R : never;

const STALE_AFTER_MS = 30_000;
const RETRIES = 2;

const client = createClient({
  // Nothing is called where there is no page, as in tests of what is pure.
  baseUrl: `${typeof location === "undefined" ? "" : location.origin}${BASE_PATH}`,
  ...(place.workspace !== undefined && { workspace: place.workspace }),
  environment: place.environment,
  retries: 1,
});

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      // What the server refused it refuses again; what never reached it may next time.
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError),
      refetchOnWindowFocus: false,
      placeholderData: keepPreviousData,
    },
  },
});

const refresh = new Refresh(cache);

/** Versions of things, as the `ETag` said when they were read last: the condition of a later change. */
const etags = new Map<string, string>();

export function etagOf<O extends OperationId>(id: O, input?: Input<O>): string | undefined {
  return etags.get(keyOf(id, input));
}

/** The correlations of commands that can be undone: by one all that the call did is found in the log. */
const correlations = new WeakMap<object, string>();

/** The correlation of the command that a reply is of, where it can be undone. */
export function correlationOf(reply: unknown): string | undefined {
  return typeof reply === "object" && reply !== null ? correlations.get(reply) : undefined;
}

/** Where the log stood before each answer was read. */
const positions = new WeakMap<object, string>();

/**
 * Where the log stood before this answer was read: it has all that happened until then. Ids of events sort as the log
 * does.
 */
export const positionOf = (reply: object): string => positions.get(reply) ?? "";

/** When the answers of this page's own commands came, by their correlations: the log will tell of them, too. */
const ownActs = new Map<string, number>();
const OWN_ACTS_MAX = 200;

function noteOwnAct(correlation: string): void {
  ownActs.set(correlation, performance.now());
  const [oldest] = ownActs.keys();
  if (ownActs.size > OWN_ACTS_MAX && oldest !== undefined) ownActs.delete(oldest);
}

/** When the answer came to the command of this page that a correlation is of. */
export const answeredAt = (correlation: string): number | undefined => ownActs.get(correlation);

const keyOf = (id: OperationId, input: unknown): string => JSON.stringify([id, input ?? {}]);

type Send = (id: OperationId, input?: unknown, options?: CallOptions) => Promise<unknown>;

/** The server was not reached: nobody knows more, and nothing is shown as done. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  constructor() {
    super("Can't reach the server. Your change may not be saved. Try again.");
  }
}

/** What `fetch` throws when no answer came; its words are the browser's. */
const isLost = (error: unknown): boolean => error instanceof TypeError;

interface ReadOptions extends CallOptions {
  /**
   * For what is kept outside of the cache: the stream does not tell all that this answer lacks, so it is read again.
   */
  readonly onLate?: () => void;
}

/** Calls an operation. A session that is over is asked for again; a write waits for the network. */
export async function call<O extends OperationId>(
  id: O,
  input?: Input<O>,
  { onLate = () => invalidate([id]), ...options }: ReadOptions = {},
): Promise<Reply<O>> {
  const send: Send = client.call as Send;
  const endCommand = mayWait(id, options) ? beginCommand() : undefined;
  if (endCommand) noteWrite({ id, input });
  // One key for all attempts: what was carried out is not carried out again.
  const { idempotencyKey = makeKey() } = options;
  const answered: { undoable?: string | undefined; position?: string } = {};
  const attempt = (): Promise<unknown> => {
    const noteAnswered = beginReading();
    return send(id, input, {
      ...options,
      idempotencyKey,
      onAnswer(answer) {
        const etag = answer.headers.get("etag");
        if (etag !== null && answer.status < 300) etags.set(keyOf(id, input), etag);
        const correlation = answer.headers.get("x-correlation-id") ?? undefined;
        if (correlation !== undefined) noteOwnAct(correlation);
        answered.undoable = answer.headers.has("x-undoable") ? correlation : undefined;
        const position = answer.headers.get("x-log-position");
        answered.position = position ?? "";
        if (noteAnswered(position)) onLate();
        noteMaintenance(id, answer.headers.has("x-maintenance"));
        options.onAnswer?.(answer);
      },
    });
  };
  try {
    const reply = await (endCommand ? outbox.send(attempt, isLost) : attempt());
    const { undoable, position = "" } = answered;
    endCommand?.(undoable);
    if (endCommand && !options.dryRun) onWrite?.({ id, input, reply });
    if (typeof reply === "object" && reply !== null) {
      positions.set(reply, position);
      if (undoable !== undefined) correlations.set(reply, undoable);
    }
    return reply as Reply<O>;
  } catch (error) {
    if (endCommand) forgetUndoable();
    if (error instanceof ApiError) {
      // Somebody else was first: what is shown of it is older than what the server refused.
      if (endCommand && OUTDATED.has(error.status)) onWrite?.({ id, input, reply: undefined });
      if (!isPublic(id)) noteAnswer(error.status, error.code);
    }
    if (isLost(error) && options.signal?.aborted !== true) throw new Unreachable();
    throw error instanceof ApiError
      ? new ApiError(error.status, toPlainProblem(problemOf(error)))
      : error;
  }
}

const problemOf = ({ problem, code, message, errors }: ApiError) => ({
  ...problem,
  code,
  detail: message,
  errors,
});

/** A command that was carried out, or refused because the page shows an older state. */
export interface Write {
  readonly id: OperationId;
  readonly input: unknown;
  readonly reply: unknown;
}

/** Not found, a conflict, another version: the screen is behind the server. */
const OUTDATED: ReadonlySet<number> = new Set([404, 409, 412]);

let onWrite: ((write: Write) => void) | undefined;

/** Tells the live part of this layer of each write, so that what it changed is read again. */
export function followWrites(listener: (write: Write) => void): void {
  onWrite = listener;
}

/** A person who may not follow the log learns of maintenance from any answer, and reads then what it is about. */
function noteMaintenance(id: OperationId, isOn: boolean): void {
  if (id === "auth.me") return;
  const [me] = cache.getQueriesData<Reply<"auth.me">>({ queryKey: ["auth.me"] });
  const known = me?.[1]?.data.maintenance;
  if (known !== undefined && (known !== null) !== isOn) invalidate(["auth.me"]);
}

const isPublic = (id: OperationId): boolean =>
  /^(auth\.login|auth\.begin_passkey|passwords\.|invitations\.)/.test(id);

/** Says whether a call is a write of somebody: what can be let go, as a preview, is asked anew by whoever wants it. */
const mayWait = (id: OperationId, { signal }: CallOptions): boolean =>
  signal === undefined && !routeOf(id).startsWith("GET ") && !isPublic(id);

/** The options of a query, for hooks, loaders and prefetches alike. */
export function query<O extends OperationId>(id: O, input?: Input<O>) {
  return {
    queryKey: [id, input ?? {}] as const,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
      assertAllowed(id);
      return call(id, input, { signal });
    },
  };
}

/** Spares the request that the server would refuse, as far as the person's permissions are known. */
function assertAllowed(id: OperationId): void {
  const me = cache.getQueryData<Reply<"auth.me">>(["auth.me", {}])?.data;
  if (!me || isAllowed(id, new Set(me.permissions))) return;
  throw new ApiError(403, { code: "forbidden", detail: "You don’t have permission to see this." });
}

interface QueryHookOptions {
  readonly enabled?: boolean;
  readonly staleTime?: number;
  /** For what the log can't tell. */
  readonly refetchInterval?: number | false;
  /** How an answer takes the place of the one before; by itself, what is equal in both stays the same object. */
  readonly structuralSharing?: false | ((before: unknown, answer: unknown) => unknown);
}

/** Reads an operation and follows it: the log says when it is stale. */
export function useOp<O extends OperationId>(
  id: O,
  input?: Input<O>,
  options: QueryHookOptions = {},
): UseQueryResult<Reply<O>, Error> {
  return useQuery<Reply<O>, Error>({ ...query(id, input), ...options });
}

/** Starts the requests of a screen beside the download of its code. */
export function prefetch<O extends OperationId>(id: O, input?: Input<O>): void {
  void cache.prefetchQuery(query(id, input));
}

/** The past stays as it was, whatever is done. */
const isOfNow = ({ queryKey: [, input] }: { readonly queryKey: readonly unknown[] }): boolean =>
  (input as { readonly query?: { readonly asOf?: unknown } } | undefined)?.query?.asOf ===
  undefined;

/** Changes what is cached of an operation, whatever its input was. The returned function undoes it. */
export function patchCached<O extends OperationId>(
  id: O,
  change: (old: Reply<O>) => Reply<O>,
): () => void {
  return patchQueries<Reply<O>>({ queryKey: [id], predicate: isOfNow }, change);
}

/**
 * Changes what is cached of these queries. The returned function takes it back where nothing else has changed it since:
 * what was there before is older than an answer that came meanwhile, and is read again instead.
 */
export function patchQueries<T>(filter: QueryFilters, change: (old: T) => T): () => void {
  const patched = cache.getQueriesData<T>(filter).map(([queryKey, before]) => ({
    queryKey,
    before,
    after: before === undefined ? before : cache.setQueryData<T>(queryKey, change(before)),
  }));
  return () => {
    for (const { queryKey, before, after } of patched) {
      if (cache.getQueryData(queryKey) === after) cache.setQueryData(queryKey, before);
      else void cache.invalidateQueries({ queryKey, exact: true });
    }
  };
}

/** Makes whatever is cached of these operations stale; what is on the screen is read again. */
export function invalidate(prefixes: readonly string[]): void {
  invalidateWhere(({ queryKey: [id] }) => prefixes.some((prefix) => String(id).startsWith(prefix)));
}

/** Makes those queries stale that this says; what is on the screen is read again. */
export const invalidateWhere = (matches: (query: Query) => boolean): void =>
  refresh.invalidate(matches);

/** Says whether a query was begun after this time, so that its answer knows what was there by then. */
export const isBegunSince = (asked: Query, atMs: number): boolean =>
  refresh.isBegunSince(asked, atMs);
