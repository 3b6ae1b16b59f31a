import {
  type Received,
  type Receiver,
  startReceiver,
} from "../../../server/src/domains/webhooks/testing/receiver.ts";

/** A received delivery. */
export interface Delivered {
  /** The id of the delivery, equal for all attempts. */
  readonly id: string;
  /** The key of the written item. */
  readonly key: string;
}

/** The external endpoint of the product: it accepts webhooks, and doubles a number for run steps. */
export class Endpoint implements AsyncDisposable {
  readonly url: string;
  /** The settings that allow the product to reach it. */
  readonly env: Readonly<Record<string, string>>;
  readonly delivered: Delivered[] = [];
  /** The Idempotency-Keys of step requests, by the requested number. */
  readonly asked = new Map<number, Set<string>>();
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    this.url = receiver.url;
    this.env = receiver.env;
    receiver.answer = (received, response) => {
      // There are many requests, and the lists contain the relevant data.
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
      // `data` contains the published data.
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
