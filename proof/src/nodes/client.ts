import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Fleet } from "./fleet.ts";
import type { Act, Ledger } from "./ledger.ts";

const AGAIN_MS = 50;
const ATTEMPTS_MAX = 500;
const ANSWER_MAX_MS = 60_000;
const CHARACTERS_TOLD = 300;

/** A request of a client with its expected response. */
export interface Wish {
  readonly id: string;
  readonly about?: string;
  readonly route: string;
  readonly body?: unknown;
  /** The expected status. */
  readonly status: number;
  readonly events?: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/**
 * A client of the platform. It repeats interrupted and rejected (503) requests with the same key. Any other failure is
 * recorded as a fault.
 */
export class Client {
  readonly #fleet: Fleet;
  readonly #ledger: Ledger;
  readonly #token: string;

  constructor(fleet: Fleet, ledger: Ledger, token: string) {
    this.#fleet = fleet;
    this.#ledger = ledger;
    this.#token = token;
  }

  /** Resolves with the call after the expected response. Undefined after a fault. */
  async act(wish: Wish): Promise<Act | undefined> {
    const { acts, faults } = this.#ledger;
    let wasCutOff = false;
    for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts += 1) {
      const answer = await this.#attempt(wish);
      if (answer === "cut off") {
        wasCutOff = true;
        continue;
      }
      if (this.#isPassing(answer, wasCutOff)) {
        await pause(AGAIN_MS);
        continue;
      }
      if (answer.status !== wish.status) {
        const said = answer.text.slice(0, CHARACTERS_TOLD);
        faults.push(`${wish.id} ${wish.route} was answered ${answer.status}: ${said}`);
        return undefined;
      }
      if (answer.headers["idempotency-replayed"] !== undefined) this.#ledger.replayed += 1;
      const { id, about = "", events = [] } = wish;
      // An error response has no data.
      const { data } = JSON.parse(answer.text) as { data?: unknown };
      const act = { id, about, events, attempts, data };
      acts.push(act);
      return act;
    }
    faults.push(`${wish.id} ${wish.route} was never answered`);
    return undefined;
  }

  async #attempt(wish: Wish): Promise<Answer | "cut off"> {
    const node = await this.#fleet.pick();
    try {
      return await exchange(`${node.address}${pathOf(wish)}`, node.agent, {
        method: wish.route.split(" ")[0] ?? "",
        headers: this.#headersOf(wish),
        body: wish.body === undefined ? "" : JSON.stringify(wish.body),
      });
    } catch (error) {
      if (node.killedAtMs === undefined) {
        const why = error instanceof Error ? error.message : String(error);
        this.#ledger.faults.push(
          `${wish.id} ${wish.route} had no answer, and nobody killed: ${why}`,
        );
      }
      this.#ledger.cutOff += 1;
      await pause(AGAIN_MS);
      return "cut off";
    }
  }

  #headersOf({ id, body }: Wish): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token}`,
      "x-workspace": "default",
      "x-request-id": id,
      "idempotency-key": id,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
  }

  /** True if a repetition may succeed soon. */
  #isPassing({ status, headers, text: said }: Answer, wasCutOff: boolean): boolean {
    if (status === 503 && headers["retry-after"] !== undefined) {
      this.#ledger.turnedAway += 1;
      return true;
    }
    const isInProgress = status === 409 && said.includes("idempotency_in_progress");
    // No other client uses its key, so only an interrupted request can still be running.
    if (!isInProgress || !wasCutOff) return false;
    this.#ledger.inProgress += 1;
    return true;
  }
}

function pathOf({ route }: Wish): string {
  return route.slice(route.indexOf(" ") + 1);
}

function exchange(
  url: string,
  agent: Agent,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const asked = request(url, { method, agent, signal, headers: { ...headers, ...length } });
    asked.once("error", reject);
    asked.once("response", (response) => {
      text(response).then(
        (said) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: said }),
        reject,
      );
    });
    asked.end(body);
  });
}
