/**
 * The API client of the console. All calls are typed by `Operations`, which is generated from openapi.json:
 * renaming a field there breaks the type check here.
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
  // Tests of pure functions run without a page, and then no requests are sent.
  baseUrl: `${typeof location === "undefined" ? "" : location.origin}${BASE_PATH}`,
  ...(place.workspace !== undefined && { workspace: place.workspace }),
  environment: place.environment,
  retries: 1,
});

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      // Errors from the server are not retried; failed connections are.
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError),
      refetchOnWindowFocus: false,
      placeholderData: keepPreviousData,
    },
  },
});

const refresh = new Refresh(cache);

/** ETags of resources, as last read: the condition of a later update. */
const etags = new Map<string, string>();

export function etagOf<O extends OperationId>(id: O, input?: Input<O>): string | undefined {
  return etags.get(keyOf(id, input));
}

/** The correlation ids of commands that can be undone; the log contains all events of the command under this id. */
const correlations = new WeakMap<object, string>();

/** Returns the correlation id of a command's response, if the command can be undone. */
export function correlationOf(reply: unknown): string | undefined {
  return typeof reply === "object" && reply !== null ? correlations.get(reply) : undefined;
}

/** The log position before each response was read. */
const positions = new WeakMap<object, string>();

/**
 * Returns the log position before this response was read: the response includes all earlier events. Event ids sort
 * in log order.
 */
export const positionOf = (reply: object): string => positions.get(reply) ?? "";

/** The times of the responses to this page's own commands, by correlation id; the log reports these commands too. */
const ownActs = new Map<string, number>();
const OWN_ACTS_MAX = 200;

function noteOwnAct(correlation: string): void {
  ownActs.set(correlation, performance.now());
  const [oldest] = ownActs.keys();
  if (ownActs.size > OWN_ACTS_MAX && oldest !== undefined) ownActs.delete(oldest);
}

/** Returns the time of the response to a command of this page. */
export const answeredAt = (correlation: string): number | undefined => ownActs.get(correlation);

const keyOf = (id: OperationId, input: unknown): string => JSON.stringify([id, input ?? {}]);

type Send = (id: OperationId, input?: unknown, options?: CallOptions) => Promise<unknown>;

/** Thrown if the server was not reached: the result is unknown, and nothing is shown as done. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  constructor() {
    super("Can't reach the server. Your change may not be saved. Try again.");
  }
}

/** `fetch` throws a TypeError with a browser-specific message if no response arrives. */
const isLost = (error: unknown): boolean => error instanceof TypeError;

interface ReadOptions extends CallOptions {
  /**
   * For data outside the cache: called to reload it, because the stream does not report everything that this
   * response lacks.
   */
  readonly onLate?: () => void;
}

/** Calls an operation. If the session has expired, the user signs in again; offline, writes wait for the network. */
export async function call<O extends OperationId>(
  id: O,
  input?: Input<O>,
  { onLate = () => invalidate([id]), ...options }: ReadOptions = {},
): Promise<Reply<O>> {
  const send: Send = client.call as Send;
  const endCommand = mayWait(id, options) ? beginCommand() : undefined;
  if (endCommand) noteWrite({ id, input });
  // One idempotency key for all attempts, so that the operation runs only once.
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
      // Another user was first: the displayed data is outdated.
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

/** A command that succeeded, or that failed because the page shows outdated data. */
export interface Write {
  readonly id: OperationId;
  readonly input: unknown;
  readonly reply: unknown;
}

/** Not found, conflict, precondition failed: the screen is behind the server. */
const OUTDATED: ReadonlySet<number> = new Set([404, 409, 412]);

let onWrite: ((write: Write) => void) | undefined;

/** Registers the listener that reloads what a write changed. */
export function followWrites(listener: (write: Write) => void): void {
  onWrite = listener;
}

/** Users without access to the event log learn of maintenance from any response, and then load its details. */
function noteMaintenance(id: OperationId, isOn: boolean): void {
  if (id === "auth.me") return;
  const [me] = cache.getQueriesData<Reply<"auth.me">>({ queryKey: ["auth.me"] });
  const known = me?.[1]?.data.maintenance;
  if (known !== undefined && (known !== null) !== isOn) invalidate(["auth.me"]);
}

const isPublic = (id: OperationId): boolean =>
  /^(auth\.login|auth\.begin_passkey|passwords\.|invitations\.)/.test(id);

/**
 * Returns whether a call may wait in the offline queue. Cancellable calls such as previews do not: their caller
 * repeats them.
 */
const mayWait = (id: OperationId, { signal }: CallOptions): boolean =>
  signal === undefined && !routeOf(id).startsWith("GET ") && !isPublic(id);

/** Returns query options for hooks, loaders and prefetches. */
export function query<O extends OperationId>(id: O, input?: Input<O>) {
  return {
    queryKey: [id, input ?? {}] as const,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
      assertAllowed(id);
      return call(id, input, { signal });
    },
  };
}

/** Throws before sending a request that the server would reject, if the user's permissions are known. */
function assertAllowed(id: OperationId): void {
  const me = cache.getQueryData<Reply<"auth.me">>(["auth.me", {}])?.data;
  if (!me || isAllowed(id, new Set(me.permissions))) return;
  throw new ApiError(403, { code: "forbidden", detail: "You don’t have permission to view this." });
}

interface QueryHookOptions {
  readonly enabled?: boolean;
  readonly staleTime?: number;
  /** For data whose changes are not in the event log. */
  readonly refetchInterval?: number | false;
  /** How a response replaces the previous one; by default, equal parts stay the same object. */
  readonly structuralSharing?: false | ((before: unknown, answer: unknown) => unknown);
}

/** Reads an operation and keeps it current: events mark it as stale. */
export function useOp<O extends OperationId>(
  id: O,
  input?: Input<O>,
  options: QueryHookOptions = {},
): UseQueryResult<Reply<O>, Error> {
  return useQuery<Reply<O>, Error>({ ...query(id, input), ...options });
}

/** Starts the requests of a screen while its code is loading. */
export function prefetch<O extends OperationId>(id: O, input?: Input<O>): void {
  void cache.prefetchQuery(query(id, input));
}

/** Queries of a past time never become stale. */
const isOfNow = ({ queryKey: [, input] }: { readonly queryKey: readonly unknown[] }): boolean =>
  (input as { readonly query?: { readonly asOf?: unknown } } | undefined)?.query?.asOf ===
  undefined;

/** Updates the cached responses of an operation for all inputs. The returned function reverts this. */
export function patchCached<O extends OperationId>(
  id: O,
  change: (old: Reply<O>) => Reply<O>,
): () => void {
  return patchQueries<Reply<O>>({ queryKey: [id], predicate: isOfNow }, change);
}

/**
 * Updates the cached responses of these queries. The returned function reverts this for data that has not changed
 * since; other data is newer than the previous state, and is reloaded instead.
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

/** Marks cached responses of these operations as stale; visible ones are reloaded. */
export function invalidate(prefixes: readonly string[]): void {
  invalidateWhere(({ queryKey: [id] }) => prefixes.some((prefix) => String(id).startsWith(prefix)));
}

/** Marks matching queries as stale; visible ones are reloaded. */
export const invalidateWhere = (matches: (query: Query) => boolean): void =>
  refresh.invalidate(matches);

/** Returns whether a query started after this time, so that its response includes earlier changes. */
export const isBegunSince = (asked: Query, atMs: number): boolean =>
  refresh.isBegunSince(asked, atMs);
