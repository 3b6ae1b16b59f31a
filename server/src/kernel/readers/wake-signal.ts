import type pg from "pg";
import type { Database } from "../db/database.ts";
import { Loop } from "../work/loop.ts";

const CHANNEL = "millrace_log";
const NOTIFY_DELAY_MS = 10;
/** From one notification to the next, while there is a stream of news: each is a transaction of its own. */
const NOTIFY_EVERY_MS = 50;
const RECONNECT_DELAY_MS = 1_000;
const LISTEN_CHECK_MS = 30_000;
const NO_SESSION =
  "DATABASE_URL leads through a pooler, so this process hears the others late, when it looks. " +
  "Point it at PostgreSQL itself, and MILLRACE_DATABASE_POOLER at the pooler.";

/** What there is to do now: `events` to read, `jobs` to claim, or what some engine calls its own work. */
export type PendingWake = string;

/** Whether this process committed it, or another. */
export type Origin = "here" | "elsewhere";

type Listener = (what: PendingWake, from: Origin) => void;

/**
 * Says that something was committed. This process hears it at once. The others hear it from a
 * notification that leaves outside of the acts' own transactions and a few milliseconds later, for
 * many acts together: PostgreSQL serialises the commits of transactions that notify, and each is one
 * more for the disk.
 */
export class WakeSignal {
  readonly #db: Database;
  readonly #node: string;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  readonly #toTell = new Set<PendingWake>();
  #timer: NodeJS.Timeout | undefined;
  #toldAtMs = -Infinity;
  #listening: Loop | undefined;
  #client: pg.PoolClient | undefined;
  /** Whether it was said that we can't listen. */
  #told = false;

  constructor(db: Database, node: string, onError: (error: unknown) => void) {
    this.#db = db;
    this.#node = node;
    this.#onError = onError;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  raise(what: PendingWake): void {
    this.#hear(what, "here");
    this.#toTell.add(what);
    this.#timer ??= setTimeout(() => this.#tellOthers(), this.#delayMs());
  }

  /** Hears the other nodes from now on, through reconnections. Without it, polling still finds all. */
  listen(): void {
    this.#listening ??= new Loop(() => this.#ensureListening(), this.#onError);
  }

  async close(): Promise<void> {
    await this.#listening?.stop();
    clearTimeout(this.#timer);
    this.#client?.release(true);
    this.#client = undefined;
  }

  #hear(what: PendingWake, from: Origin): void {
    for (const listener of this.#listeners) listener(what, from);
  }

  #delayMs(): number {
    const restMs = this.#toldAtMs + NOTIFY_EVERY_MS - performance.now();
    return Math.max(NOTIFY_DELAY_MS, restMs);
  }

  #tellOthers(): void {
    this.#timer = undefined;
    this.#toldAtMs = performance.now();
    const payload = [this.#node, ...this.#toTell].join(" ");
    this.#toTell.clear();
    this.#db.system("select pg_notify($1, $2)", [CHANNEL, payload]).catch(this.#onError);
  }

  /** Nothing is lost, since all that is told is looked for as well; it is found later. */
  #goWithout(): number {
    if (!this.#told) this.#onError(new Error(NO_SESSION));
    this.#told = true;
    return LISTEN_CHECK_MS;
  }

  async #ensureListening(): Promise<number> {
    if (this.#client) return LISTEN_CHECK_MS;
    const client = await this.#db.systemSession();
    if (!client) return this.#goWithout();
    client.on("notification", ({ payload }) => {
      const [node, ...news] = (payload ?? "").split(" ");
      if (node !== this.#node) for (const what of news) this.#hear(what, "elsewhere");
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
