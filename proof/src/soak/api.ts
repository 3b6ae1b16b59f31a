import { Agent, request } from "node:http";

/** A response. */
export interface Reply {
  readonly status: number;
  readonly body: any;
}

const TIMEOUT_MS = 30_000;

/** A caller of the product with keep-alive connections. */
export class Api {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #port: number;
  token = "";

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request and reads its complete response. */
  ask(
    route: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(route, body, headers);
      sent.once("error", reject);
      sent.once("response", (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.once("error", reject);
        answer.once("end", () => {
          const text = Buffer.concat(parts).toString();
          const json = answer.headers["content-type"]?.includes("json") === true;
          resolve({
            status: answer.statusCode ?? 0,
            body: json && text !== "" ? JSON.parse(text) : text,
          });
        });
      });
    });
  }

  /** Sends a request that must succeed. Resolves to the `data` of its response. */
  async must(route: string, body?: unknown): Promise<any> {
    const { status, body: answer } = await this.ask(route, body);
    if (status >= 300) throw new Error(`${route} answered ${status}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Opens a stream and closes it after a while. Resolves to its status. */
  listen(route: string, forMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(route, undefined, { accept: "text/event-stream" }, false);
      sent.once("response", (answer) => {
        answer.on("error", () => undefined);
        answer.resume();
        setTimeout(() => {
          resolve({ status: answer.statusCode ?? 0, body: "" });
          sent.on("error", () => undefined).destroy();
        }, forMs);
      });
      sent.once("error", reject);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(route: string, body: unknown, headers: Readonly<Record<string, string>>, kept = true) {
    const [method = "", path = ""] = route.split(" ");
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request({
      host: "127.0.0.1",
      port: this.#port,
      method,
      path,
      agent: kept ? this.#agent : false,
      timeout: TIMEOUT_MS,
      headers: {
        ...(this.token !== "" && { authorization: `Bearer ${this.token}` }),
        "x-workspace": "default",
        ...(body !== undefined && { "content-type": "application/json" }),
        "content-length": Buffer.byteLength(text),
        ...headers,
      },
    });
    sent.once("timeout", () => sent.destroy(new Error(`${route}: no answer in time`)));
    sent.end(text);
    return sent;
  }
}
