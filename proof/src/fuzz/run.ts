import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import { callOf, type Intent } from "./call.ts";
import { type Operation, readContract } from "./contract.ts";
import { Corpus, forEach, type Input } from "./corpus.ts";
import { Dice } from "./dice.ts";
import { type Exchange, Line } from "./exchange.ts";
import type { Source } from "./invent.ts";
import { Ledger } from "./ledger.ts";
import { People } from "./people.ts";
import { sendRaw } from "./raw.ts";
import { Router } from "./router.ts";
import { plant, plantSecret } from "./plant.ts";
import { Trove } from "./trove.ts";
import { familiesOf, type Family, walk } from "./walk.ts";
import { Country, type Surroundings, type Target } from "./world.ts";

/** The extent of a run and its start value. */
export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly connections: number;
  /** A single operation to test. */
  readonly only?: string | undefined;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
  /** Called regularly. */
  readonly onProgress?: (requests: number) => void;
  /** Called when a fault is first seen. */
  readonly onFault?: (fault: string) => void;
}

/** The results of a run. */
export interface FuzzResult extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly operations: readonly Operation[];
  readonly owner: Ask;
  /** Successful requests that must have an event. */
  readonly recorded: ReadonlyMap<string, string>;
  readonly families: number;
  readonly walks: number;
  readonly durationMs: number;
}

const RECORDED_MAX = 20_000;
const PROGRESS_EVERY = 2_000;
/** Operations slower than this on average are called less often, in proportion. */
const QUICK_MS = 25;
const RARE_SHARE = 0.05;

/**
 * Sends this number of requests to a server and checks all responses. The users of the result can send requests until
 * it is disposed.
 */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const contract = readContract();
  const { only } = options;
  const operations = contract.filter(
    ({ id, name }) => only === undefined || [id, name].includes(only),
  );
  if (operations.length === 0) throw new Error(`There is no operation ${only}.`);
  const run = new Run(target, { ...options, contract, operations });
  try {
    return await run.all();
  } catch (error) {
    await run.close();
    throw error;
  }
}

interface RunOptions extends FuzzOptions {
  readonly contract: readonly Operation[];
  readonly operations: readonly Operation[];
}

class Run {
  readonly #options: RunOptions;
  readonly #around: Surroundings;
  readonly #dice: Dice;
  readonly #ledger: Ledger;
  readonly #recorded = new Map<string, string>();
  readonly #durations = new Map<string, { count: number; totalMs: number }>();
  #walks = 0;
  #told = 0;

  constructor(target: Target, options: RunOptions) {
    this.#options = options;
    this.#dice = new Dice(options.seed);
    this.#ledger = new Ledger(options.onFault);
    this.#around = {
      target,
      line: new Line(target.origin, options.connections),
      router: new Router(options.contract),
      ledger: this.#ledger,
      troves: { a: new Trove(), b: new Trove() },
      onExchange: (exchange) => this.#remember(exchange),
      mark: `fuzz-${options.seed}-${Date.now().toString(36)}`,
    };
  }

  close(): Promise<void> {
    return this.#around.line.close();
  }

  async all(): Promise<FuzzResult> {
    const startedAt = performance.now();
    const { operations, connections, contract } = this.#options;
    const home = (
      await this.#around.target.sql(
        "select key, slug from workspaces where key = (select home_workspace_id from installation)",
      )
    )[0];
    const place = { key: String(home?.["key"]), slug: String(home?.["slug"]) };
    const a = new Country(this.#around, "a", place);
    const b = new Country(this.#around, "b", await a.found("elsewhere"));
    const corpus = await Corpus.open();
    const people = await People.gather(a, b);
    await plantSecret(a);
    await plant(corpus, contract, b, this.#dice);
    await forEach(operations, (op) => this.#begin(op, corpus, people));
    const families = familiesOf(operations);
    await Promise.all(
      Array.from({ length: connections }, () => this.#work({ corpus, people, families })),
    );
    return {
      ledger: this.#ledger,
      operations,
      owner: people.owner,
      recorded: this.#recorded,
      families: families.length,
      walks: this.#walks,
      durationMs: performance.now() - startedAt,
      [Symbol.asyncDispose]: () => this.close(),
    };
  }

  /** Repeats each operation's samples until one succeeds, so that resources exist. */
  async #begin(op: Operation, corpus: Corpus, people: People): Promise<void> {
    for (let index = 0; index < corpus.count(op.name) && !this.#isDone; index += 1) {
      const input = await this.#arrange(op, corpus, people, index);
      if (input) await this.#send(op, input, "exactly", people);
      if (this.#ledger.successes(op.id) > 0) return;
    }
  }

  async #work(parts: {
    corpus: Corpus;
    people: People;
    families: readonly Family[];
  }): Promise<void> {
    while (!this.#isDone) {
      // The ledger contains failures without a response. The next request is independent.
      await this.#step(parts).catch(() => undefined);
    }
  }

  async #step({
    corpus,
    people,
    families,
  }: {
    corpus: Corpus;
    people: People;
    families: readonly Family[];
  }): Promise<void> {
    const dice = this.#dice;
    await people.renew(this.#ledger.requests);
    if (dice.chance(0.01)) return sendRaw(this.#around.target.origin, dice, this.#ledger);
    const family = dice.chance(0.02) ? dice.pickAny(families) : undefined;
    if (family) {
      this.#walks += 1;
      const { owner, country, foreigner: stranger } = people;
      const source = this.#source("a");
      return walk(family, { owner, stranger, country, corpus, source, ledger: this.#ledger });
    }
    const op = this.#pickOperation();
    const isArranged = dice.chance(0.04);
    const base = isArranged
      ? await this.#arrange(op, corpus, people)
      : corpus.recall(op.name, dice);
    const intent = dice.weighted<Intent>(
      isArranged
        ? [
            [1, "exactly"],
            [1, "carelessly"],
          ]
        : [
            [2, "well"],
            [5, "carelessly"],
            [4, "badly"],
          ],
    );
    await this.#send(op, base, intent, people);
  }

  #arrange(
    op: Operation,
    corpus: Corpus,
    people: People,
    index?: number,
  ): Promise<Input | undefined> {
    const { owner, country } = people;
    return corpus.arrange(op.name, { owner, country, dice: this.#dice }, index);
  }

  async #send(
    op: Operation,
    base: Input | undefined,
    intent: Intent,
    people: People,
  ): Promise<void> {
    const { ask, side } = await people.chooseFor(op, base, intent, this.#dice);
    const call = callOf(op, base, intent, this.#source(side));
    await ask(call.route, call.body, { ...call.headers });
  }

  /** Users of B know A's ids too, as if leaked. This must not give them access. */
  #source(side: "a" | "b"): Source {
    const { troves } = this.#around;
    const other = side === "a" ? troves.b : troves.a;
    const trove = this.#dice.chance(0.15) ? other : troves[side];
    return { dice: this.#dice, trove };
  }

  #pickOperation(): Operation {
    for (;;) {
      const op = this.#dice.pick(this.#options.operations);
      const { count = 0, totalMs = 0 } = this.#durations.get(op.id) ?? {};
      const share = count === 0 ? 1 : QUICK_MS / (totalMs / count);
      if (this.#dice.chance(Math.max(share, RARE_SHARE))) return op;
    }
  }

  #remember({ op, received, sent }: Exchange): void {
    const { requests } = this.#ledger;
    if (requests - this.#told >= PROGRESS_EVERY) {
      this.#told = requests;
      this.#options.onProgress?.(requests);
    }
    if (!op) return;
    let duration = this.#durations.get(op.id);
    if (!duration) this.#durations.set(op.id, (duration = { count: 0, totalMs: 0 }));
    duration.count += 1;
    duration.totalMs += received.durationMs;
    const isAct = op.events.length > 0 && op.method !== "GET" && received.status < 300;
    const isRepeated = received.headers["idempotency-replayed"] !== undefined;
    const isOurs = sent.headers["x-request-id"]?.startsWith(this.#around.mark);
    if (!isAct || isRepeated || !isOurs || this.#recorded.size >= RECORDED_MAX) return;
    if (received.text.includes('"deduplicated":true')) return;
    this.#recorded.set(String(received.headers["x-request-id"]), op.id);
  }

  get #isDone(): boolean {
    const { signal, requests } = this.#options;
    return signal?.aborted === true || this.#ledger.requests >= requests;
  }
}
