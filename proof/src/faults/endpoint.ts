import {
  type Received,
  type Receiver,
  startReceiver,
} from "../../../server/src/domains/webhooks/testing/receiver.ts";

/** A delivery as it arrived. */
export interface Delivered {
  /** The delivery's own id: the same for each attempt. */
  readonly id: string;
  /** What was written, as its writer calls it. */
  readonly key: string;
}

/** What the product reaches outside: it takes webhooks, and doubles a number for the steps of runs. */
export class Endpoint implements AsyncDisposable {
  readonly url: string;
  /** The settings with which the product may reach it. */
  readonly env: Readonly<Record<string, string>>;
  readonly delivered: Delivered[] = [];
  /** The Idempotency-Keys of the steps that asked, by the number that they asked about. */
  readonly asked = new Map<number, Set<string>>();
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    this.url = receiver.url;
    this.env = receiver.env;
    receiver.answer = (received, response) => {
      // They are many, and what matters of them is in the lists.
      receiver.received.length = 0;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(this.#take(received)));
    };
  }

  static async open(): Promise<Endpoint> {
    return new Endpoint(await startReceiver());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]();
  }

  #take({ headers, body }: Received): object {
    const id = headers["x-service-delivery"];
    if (id !== undefined) {
      // What was published is in `data`.
      const { data } = body as { data: { key: string } };
      this.delivered.push({ id: String(id), key: data.key });
      return {};
    }
    const { n } = body as { n: number };
    const keys = this.asked.get(n) ?? new Set();
    this.asked.set(n, keys.add(String(headers["idempotency-key"])));
    return { twice: 2 * n };
  }
}
