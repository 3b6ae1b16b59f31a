/** Keeps scripts from waiting, again and again, for a server that does not answer. */
import { Failure, failure } from "#kernel/operation/failure.ts";

export const CircuitOpen = failure(
  "circuit_open",
  503,
  "Calls to this server failed several times in a row; they are tried again shortly.",
);

const FAILURES_MAX = 5;
const OPEN_MS = 30_000;
const ORIGINS_MAX = 10_000;

interface Circuit {
  failures: number;
  /** Until then nothing is let through; afterwards one call may try. */
  openUntilMs: number;
}

/**
 * One for each origin and workspace, in this process: what is at stake is only the time of scripts
 * that run here. Connectors, which others see the state of, keep theirs in the database.
 */
export class Breakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Makes a call unless the circuit is open. `failed` says whether an answer counts as a failure. */
  async through<T>(
    key: string,
    call: () => Promise<T>,
    failed: (answer: T) => boolean,
  ): Promise<T> {
    const circuit = this.#of(key);
    if (circuit.failures >= FAILURES_MAX) {
      const restMs = circuit.openUntilMs - this.#nowMs();
      if (restMs > 0) throw open(restMs);
      // Whoever else comes while this one tries is refused.
      circuit.openUntilMs = this.#nowMs() + OPEN_MS;
    }
    try {
      const answer = await call();
      this.#note(circuit, failed(answer));
      return answer;
    } catch (error) {
      this.#note(circuit, true);
      throw error;
    }
  }

  #note(circuit: Circuit, failed: boolean): void {
    circuit.failures = failed ? circuit.failures + 1 : 0;
    if (circuit.failures >= FAILURES_MAX) circuit.openUntilMs = this.#nowMs() + OPEN_MS;
  }

  #of(key: string): Circuit {
    let circuit = this.#circuits.get(key);
    if (!circuit) {
      // To forget a circuit costs a few calls in vain.
      if (this.#circuits.size >= ORIGINS_MAX) this.#circuits.clear();
      this.#circuits.set(key, (circuit = { failures: 0, openUntilMs: 0 }));
    }
    return circuit;
  }
}

function open(restMs: number): Failure {
  const seconds = Math.ceil(restMs / 1_000);
  return new Failure(CircuitOpen, { headers: { "retry-after": String(seconds) } });
}
