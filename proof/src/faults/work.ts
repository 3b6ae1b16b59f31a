import { setTimeout as pause } from "node:timers/promises";
import { type Ask, type Answer, dataOf } from "./asker.ts";

/** The kinds of concurrent work. */
export const KINDS = ["publish", "update", "read", "run"] as const;
export type Kind = (typeof KINDS)[number];

/** Requested work and the responses of the product. */
export interface Book {
  /** The names of acknowledged publishes. */
  readonly published: string[];
  /** The inputs of runs, with the run ids. */
  readonly runs: Map<number, string>;
  /** The last acknowledged description. */
  updated: number;
  /** The number of responses by kind and status. 0 means no response. */
  readonly statuses: Map<string, number>;
  /** The number of missing responses by reason. */
  readonly cuts: Map<string, number>;
  /** Violations as messages. */
  readonly wrong: string[];
  slowestMs: number;
}

const PUBLISHERS = 4;
const READERS = 2;
/** A light load: the pause after each response. */
const REST_MS = 15;
const RUN_REST_MS = 60;
const BUSY_REST_MS = 100;
const WRONG_TOLD_MAX = 20;

/**
 * Mixed work that continues during faults until it is stopped. Unanswered requests are repeated with their idempotency
 * key.
 */
export class Work {
  readonly book: Book = {
    published: [],
    runs: new Map(),
    updated: 0,
    statuses: new Map(),
    cuts: new Map(),
    wrong: [],
    slowestMs: 0,
  };
  readonly #ask: Ask;
  readonly #workflow: string;
  readonly #done: Promise<unknown>;
  readonly #successes = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  #running = true;
  #abandoned = false;
  #nextRun = 0;

  constructor(ask: Ask, workflow: string, name: string) {
    this.#ask = ask;
    this.#workflow = workflow;
    const publishers = Array.from({ length: PUBLISHERS }, (_, n) =>
      this.#repeat(REST_MS, (turn) => this.#publish(`${name}-${n}-${turn}`)),
    );
    const readers = Array.from({ length: READERS }, () =>
      this.#repeat(REST_MS, () => this.#read()),
    );
    this.#done = Promise.all([
      ...publishers,
      ...readers,
      this.#repeat(REST_MS, (turn) => this.#update(name, turn + 1)),
      this.#repeat(RUN_REST_MS, () => this.#run(name)),
    ]);
    // `stop` reports a failure. Failures of abandoned work are ignored.
    this.#done.catch(() => undefined);
  }

  /** Resolves when each kind of work has succeeded this often from now on. Rejects after the timeout. */
  async flows(times: number, limitMs: number): Promise<number> {
    const begunAt = performance.now();
    const wanted = new Map(KINDS.map((kind) => [kind, (this.#successes.get(kind) ?? 0) + times]));
    for (;;) {
      const left = KINDS.filter(
        (kind) => (this.#successes.get(kind) ?? 0) < (wanted.get(kind) ?? 0),
      );
      const elapsedMs = performance.now() - begunAt;
      if (left.length === 0) return Math.round(elapsedMs);
      if (elapsedMs > limitMs) {
        throw new Error(
          `After ${limitMs} ms this does not flow: ${left.join(", ")}. ${this.tell()}`,
        );
      }
      await pause(10);
    }
  }

  /** Ends when all started work is acknowledged. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  /** Ends immediately and ignores unanswered work. */
  abandon(): void {
    this.#running = false;
    this.#abandoned = true;
  }

  /** A one-line summary. */
  tell(): string {
    const { statuses, cuts, slowestMs } = this.book;
    const counts = [...statuses].toSorted().map(([status, count]) => `${status}: ${count}`);
    const why = [...cuts].map(([reason, count]) => `${reason} ${count}`);
    const cut = why.length > 0 ? `; without an answer: ${why.join(", ")}` : "";
    return `answers ${counts.join(", ")}${cut}; slowest ${Math.round(slowestMs)} ms`;
  }

  async #repeat(restMs: number, work: (turn: number) => Promise<void>): Promise<void> {
    let turn = 0;
    while (this.#running) {
      await work(turn);
      await pause(restMs);
      turn += 1;
    }
  }

  async #publish(key: string): Promise<void> {
    await this.#insist("publish", `POST /api/v1/events/topics/orders/publish`, {
      key,
      status: 201,
      body: { type: "order.placed", payload: { key } },
    });
    this.book.published.push(key);
  }

  async #update(name: string, number: number): Promise<void> {
    await this.#insist("update", "PATCH /api/v1/workspaces/default", {
      key: `${name}-update-${number}`,
      status: 200,
      body: { description: String(number) },
    });
    this.book.updated = number;
  }

  async #run(name: string): Promise<void> {
    const n = this.#nextRun++;
    const answer = await this.#insist("run", `POST /api/v1/workflows/${this.#workflow}/trigger`, {
      key: `${name}-run-${n}`,
      status: 202,
      body: { input: { n } },
    });
    this.book.runs.set(n, dataOf<{ runId: string }>(answer, 202).runId);
  }

  /** The read value must be the acknowledged one, or one written since. */
  async #read(): Promise<void> {
    const before = this.book.updated;
    const answer = await this.#once("read", "GET /api/v1/workspaces/default", undefined, 200);
    if (answer.status !== 200) {
      await pause(BUSY_REST_MS);
      return;
    }
    const { description } = dataOf<{ description: string | null }>(answer, 200);
    const seen = Number(description ?? 0);
    if (!(seen >= before && seen <= this.book.updated + 1)) {
      this.#note(`read ${seen}, after ${before} was acknowledged`);
    }
  }

  /** Repeats a request with one key until it succeeds. */
  async #insist(
    kind: Kind,
    route: string,
    { key, status, body }: { key: string; status: number; body: unknown },
  ): Promise<Answer> {
    for (;;) {
      const headers = { "idempotency-key": key, "x-request-id": key };
      const answer = await this.#once(kind, route, { body, headers }, status);
      if (answer.status === status) return answer;
      if (this.#abandoned) throw new Error("The work was abandoned.");
      await pause(BUSY_REST_MS);
    }
  }

  /** Sends one request and checks that its response is allowed. */
  async #once(
    kind: Kind,
    route: string,
    asked: Parameters<Ask>[1],
    expected: number,
  ): Promise<Answer> {
    const sentAt = performance.now();
    const answer = await this.#ask(route, asked);
    const { book } = this;
    book.slowestMs = Math.max(book.slowestMs, performance.now() - sentAt);
    const counted = `${kind} ${answer.status}`;
    book.statuses.set(counted, (book.statuses.get(counted) ?? 0) + 1);
    if ("error" in answer) {
      book.cuts.set(answer.error, (book.cuts.get(answer.error) ?? 0) + 1);
    } else if (answer.status === expected) {
      this.#successes.set(kind, (this.#successes.get(kind) ?? 0) + 1);
    } else if (answer.status === 503) {
      if (!answer.headers.has("retry-after")) this.#note(`503 without Retry-After: ${route}`);
      // 409: an earlier attempt with this key is still running.
    } else if (answer.status !== 409) {
      this.#note(`${route} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer;
  }

  #note(what: string): void {
    if (this.book.wrong.length < WRONG_TOLD_MAX) this.book.wrong.push(what);
  }
}
