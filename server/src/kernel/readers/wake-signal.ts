import type pg from "pg";
import type { Database } from "../db/database.ts";
import { Loop } from "../work/loop.ts";

const CHANNEL = "millrace_log";
const NOTIFY_DELAY_MS = 10;
/** The minimum interval of notifications under load, because each is a transaction. */
const NOTIFY_EVERY_MS = 50;
const RECONNECT_DELAY_MS = 1_000;
const LISTEN_CHECK_MS = 30_000;
const NO_SESSION =
  "DATABASE_URL connects through a pooler, so this process gets notifications of other processes late, by polling. Set DATABASE_URL to PostgreSQL itself, and MILLRACE_DATABASE_POOLER to the pooler.";

/** The kind of work: `events` to read, `jobs` to claim, or a kind of an engine. */
export type WorkKind = string;

/** The committing process: this one or another. */
export type SignalOrigin = "here" | "elsewhere";

type WakeListener = (work: WorkKind, from: SignalOrigin) => void;

/**
 * Wakes loops when there is work: immediately in this process, by NOTIFY in others. Notifications are sent
 * outside the transactions, a few milliseconds later and for many of them together, because PostgreSQL
 * serialises the commits of transactions that notify, and each is an additional disk write.
 */
export class WakeSignal {
  readonly #db: Database;
  readonly #node: string;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<WakeListener>();
  readonly #unsent = new Set<WorkKind>();
  #timer: NodeJS.Timeout | undefined;
  #notifiedAtMs = -Infinity;
  #listening: Loop | undefined;
  #client: pg.PoolClient | undefined;
  /** True if the failure to listen has been reported. */
  #isReported = false;
  #isClosed = false;

  constructor(db: Database, node: string, onError: (error: unknown) => void) {
    this.#db = db;
    this.#node = node;
    this.#onError = onError;
  }

  subscribe(listener: WakeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  raise(work: WorkKind): void {
    this.#wakeListeners(work, "here");
    if (this.#isClosed) return;
    this.#unsent.add(work);
    this.#timer ??= setTimeout(() => this.#notifyOthers(), this.#delayMs());
  }

  /** Listens to the other nodes, with reconnections. Without it, polling still finds all work. */
  listen(): void {
    this.#listening ??= new Loop(() => this.#ensureListening(), this.#onError);
  }

  async close(): Promise<void> {
    // Polling finds new work from now on, because a signal could arrive after the database is closed.
    this.#isClosed = true;
    await this.#listening?.stop();
    clearTimeout(this.#timer);
    this.#client?.release(true);
    this.#client = undefined;
  }

  #wakeListeners(work: WorkKind, from: SignalOrigin): void {
    for (const listener of this.#listeners) listener(work, from);
  }

  #delayMs(): number {
    const waitMs = this.#notifiedAtMs + NOTIFY_EVERY_MS - performance.now();
    return Math.max(NOTIFY_DELAY_MS, waitMs);
  }

  #notifyOthers(): void {
    this.#timer = undefined;
    this.#notifiedAtMs = performance.now();
    const payload = [this.#node, ...this.#unsent].join(" ");
    this.#unsent.clear();
    this.#db.system("select pg_notify($1, $2)", [CHANNEL, payload]).catch(this.#onError);
  }

  /** Works without notifications. Loops also poll, so no work is lost. */
  #pollOnly(): number {
    if (!this.#isReported) this.#onError(new Error(NO_SESSION));
    this.#isReported = true;
    return LISTEN_CHECK_MS;
  }

  async #ensureListening(): Promise<number> {
    if (this.#client) return LISTEN_CHECK_MS;
    const client = await this.#db.systemSession();
    if (!client) return this.#pollOnly();
    client.on("notification", ({ payload }) => {
      const [node, ...kinds] = (payload ?? "").split(" ");
      if (node !== this.#node) for (const work of kinds) this.#wakeListeners(work, "elsewhere");
    });
    client.once("error", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      client.release(true);
      this.#listening?.wake();
    });
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      client.release(true);
      this.#onError(error);
      return RECONNECT_DELAY_MS;
    }
    this.#client = client;
    return LISTEN_CHECK_MS;
  }
}
