import type { Exchange } from "./exchange.ts";
import { faultsOf } from "./verdict.ts";

interface Entry {
  count: number;
  readonly example: string;
}

const EXAMPLE_CHARACTERS_MAX = 700;
const BODY_CHARACTERS_MAX = 400;
const ENTRIES_MAX = 300;

/** Counts results by operation and keeps one example of each fault. */
export class Ledger {
  readonly #faults = new Map<string, Entry>();
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly slowest = { operation: "", durationMs: 0 };
  readonly #onFault: (fault: string) => void;
  requests = 0;
  shed = 0;

  /** Each fault is reported when first seen, because a run can be long. */
  constructor(onFault: (fault: string) => void = () => undefined) {
    this.#onFault = onFault;
  }

  /** Checks a response and counts it. */
  note(exchange: Exchange): void {
    const { op, received } = exchange;
    const name = op?.id ?? "no operation";
    this.requests += 1;
    let counts = this.#statuses.get(name);
    if (!counts) this.#statuses.set(name, (counts = new Map()));
    counts.set(received.status, (counts.get(received.status) ?? 0) + 1);
    if (received.status === 503) this.shed += 1;
    if (received.durationMs > this.slowest.durationMs) {
      Object.assign(this.slowest, { operation: name, durationMs: received.durationMs });
    }
    for (const fault of faultsOf(exchange)) this.blame(name, fault, exampleOf(exchange));
  }

  /** Records a fault with an example. */
  blame(operation: string, fault: string, example: string): void {
    const key = `${operation}: ${fault}`;
    const entry = this.#faults.get(key);
    if (entry) entry.count += 1;
    else if (this.#faults.size < ENTRIES_MAX) {
      this.#faults.set(key, { count: 1, example });
      this.#onFault(`${key}\n    ${example}`);
    }
  }

  get faults(): string[] {
    return [...this.#faults].map(
      ([key, { count, example }]) => `FAULT ×${count} ${key}\n    ${example}`,
    );
  }

  /** The number of successful responses of an operation. */
  successes(operation: string): number {
    return this.#sum(operation, (status) => status < 400);
  }

  /** The number of error responses of an operation. */
  refusals(operation: string): number {
    return this.#sum(operation, (status) => status >= 400);
  }

  /** The number of responses by status. */
  get byStatus(): [number, number][] {
    const totals = new Map<number, number>();
    for (const counts of this.#statuses.values()) {
      for (const [status, count] of counts) totals.set(status, (totals.get(status) ?? 0) + count);
    }
    return [...totals].toSorted(([a], [b]) => a - b);
  }

  #sum(operation: string, counts: (status: number) => boolean): number {
    const statuses = this.#statuses.get(operation) ?? new Map<number, number>();
    let sum = 0;
    for (const [status, count] of statuses) if (counts(status)) sum += count;
    return sum;
  }
}

/** The parts of a request needed to repeat it. */
export function exampleOf({ sent, received, side }: Exchange): string {
  const { method, path, headers, body } = sent;
  const { authorization: _, ...shown } = headers;
  const text = body === undefined ? "" : body.toString().slice(0, BODY_CHARACTERS_MAX);
  return (
    `${side} ${method} ${path.slice(0, EXAMPLE_CHARACTERS_MAX)} ${JSON.stringify(shown)} ` +
    `${JSON.stringify(text)}\n    -> ${received.status} ${received.text.slice(0, EXAMPLE_CHARACTERS_MAX)}`
  );
}
