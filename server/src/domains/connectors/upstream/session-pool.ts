/**
 * Sessions that are reused across calls, for databases and mail servers whose sign-in takes several round trips.
 * Each session serves one call at a time. A changed connector or secret gets new sessions; old ones close after an
 * idle time.
 */
import type { PlatformServices } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { UpstreamConnection } from "./connection.ts";
import { type Deadline, startDeadline, withDeadline } from "./deadline.ts";
import { UpstreamError } from "./upstream-error.ts";

const POOLS_MAX = 200;
const IDLE_MS = 10_000;
/** A session that takes longer to reset is closed. */
const CLEAN_MAX_MS = 5_000;

export interface Session {
  /** False after the other side has closed it or violated the protocol. */
  readonly isOpen: boolean;
  /** Closes it immediately; pending responses fail. */
  close(): void;
}

export interface SessionKind<Config, S extends Session> {
  /** Opens one by the connection's deadline. */
  readonly open: (connection: UpstreamConnection<Config>) => Promise<S>;
  /** Removes the state of a call; a session that cannot be reset is closed. */
  readonly clean?: (session: S) => Promise<void>;
}

interface PooledConfig {
  readonly maxConnections: number;
}

/** The sessions of one connector with the same credentials. */
interface Pool {
  readonly idle: { readonly session: Session; readonly timer: NodeJS.Timeout }[];
  readonly waiting: Set<() => void>;
  busy: number;
  isClosed: boolean;
}

const pools = new WeakMap<PlatformServices, Map<string, Pool>>();

/** Runs work with exclusive use of a session; a broken session is not reused. */
export async function withSession<Config extends PooledConfig, S extends Session, T>(
  connection: UpstreamConnection<Config>,
  kind: SessionKind<Config, S>,
  work: (session: S) => Promise<T>,
): Promise<T> {
  const { deadline, config } = connection;
  const pool = poolOf(connection);
  while (pool.busy >= config.maxConnections) await waitForTurn(pool, deadline);
  pool.busy += 1;
  let session: S | undefined;
  let isSound = false;
  const stop = (): void => session?.close();
  deadline.signal.addEventListener("abort", stop, { once: true });
  try {
    session = takeIdle<S>(pool) ?? (await openInTime(connection, kind));
    const result = await withDeadline(deadline, work(session));
    isSound = true;
    return result;
  } catch (error) {
    deadline.signal.throwIfAborted();
    // An error response leaves the session usable.
    isSound = error instanceof UpstreamError && error.particulars.isDown !== true;
    throw error;
  } finally {
    deadline.signal.removeEventListener("abort", stop);
    void giveBack(pool, session, isSound ? kind.clean : "broken");
  }
}

/** Resolves when a session was returned to the pool; another caller may take it first. */
async function waitForTurn(pool: Pool, deadline: Deadline): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  pool.waiting.add(resolve);
  try {
    await withDeadline(deadline, promise);
  } catch (error) {
    // Passes the slot to the next caller if this one has timed out.
    if (!pool.waiting.delete(resolve)) callNext(pool);
    throw error;
  }
}

function callNext({ waiting }: Pool): void {
  const [next] = waiting;
  if (!next) return;
  waiting.delete(next);
  next();
}

/** Opens a session; closes it if it is ready too late. */
async function openInTime<Config, S extends Session>(
  connection: UpstreamConnection<Config>,
  { open }: SessionKind<Config, S>,
): Promise<S> {
  const opening = open(connection);
  try {
    return await withDeadline(connection.deadline, opening);
  } catch (error) {
    void opening.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  }
}

function takeIdle<S extends Session>(pool: Pool): S | undefined {
  for (let last = pool.idle.pop(); last; last = pool.idle.pop()) {
    clearTimeout(last.timer);
    // A pool contains sessions of one type, because its key contains the connector.
    if (last.session.isOpen) return last.session as S;
    last.session.close();
  }
  return undefined;
}

async function giveBack<S extends Session>(
  pool: Pool,
  session: S | undefined,
  clean: ((session: S) => Promise<void>) | "broken" | undefined,
): Promise<void> {
  let isKept = session !== undefined && clean !== "broken";
  if (session && isKept && clean && clean !== "broken") {
    const deadline = startDeadline(CLEAN_MAX_MS);
    isKept = await withDeadline(deadline, clean(session)).then(
      () => true,
      () => false,
    );
    deadline.stop();
  }
  pool.busy -= 1;
  if (session?.isOpen === true && isKept && !pool.isClosed) keepIdle(pool, session);
  else session?.close();
  callNext(pool);
}

function keepIdle(pool: Pool, session: Session): void {
  const timer = setTimeout(() => {
    const at = pool.idle.findIndex((one) => one.session === session);
    if (at >= 0) pool.idle.splice(at, 1);
    session.close();
  }, IDLE_MS).unref();
  pool.idle.push({ session, timer });
}

function poolOf({ platform, connector, config, auth }: UpstreamConnection): Pool {
  const all = poolsOf(platform);
  const credentials = sha256(JSON.stringify([config, auth])).toString("base64url");
  const key = `${connector.id} ${connector.revision} ${credentials}`;
  const pool = all.get(key) ?? { idle: [], waiting: new Set(), busy: 0, isClosed: false };
  // The map is sorted by last use, oldest first.
  all.delete(key);
  all.set(key, pool);
  const [oldest] = all;
  if (all.size > POOLS_MAX && oldest) {
    all.delete(oldest[0]);
    closePool(oldest[1]);
  }
  return pool;
}

/** The sessions are closed when the process shuts down. */
function poolsOf(services: PlatformServices): Map<string, Pool> {
  const existing = pools.get(services);
  if (existing) return existing;
  const all = new Map<string, Pool>();
  pools.set(services, all);
  const end = (): void => {
    for (const pool of all.values()) closePool(pool);
    all.clear();
  };
  services.shutdown.addEventListener("abort", end, { once: true });
  return all;
}

function closePool(pool: Pool): void {
  pool.isClosed = true;
  for (const { session, timer } of pool.idle.splice(0)) {
    clearTimeout(timer);
    session.close();
  }
}
