import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A slow endpoint: every call gets its response after a fixed time, or when the responses are released. */
export class WaitingRoom {
  readonly #server: Server;
  readonly #waitMs: number;
  readonly #waiting: ServerResponse[] = [];
  #isOpen = false;
  /** The maximum number of simultaneous calls. */
  most = 0;
  #inside = 0;

  static async start(waitMs: number): Promise<WaitingRoom> {
    const room = new WaitingRoom(waitMs);
    room.#server.listen(0, "127.0.0.1");
    await new Promise((resolve) => room.#server.once("listening", resolve));
    return room;
  }

  private constructor(waitMs: number) {
    this.#waitMs = waitMs;
    this.#server = createServer((request, response) => {
      request.resume();
      this.#inside += 1;
      this.most = Math.max(this.most, this.#inside);
      response.once("close", () => (this.#inside -= 1));
      if (this.#isOpen) this.#answerLater(response);
      else this.#waiting.push(response);
    });
    this.#server.keepAliveTimeout = 300_000;
  }

  get url(): string {
    // A listening server has an address of this type.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/wait`;
  }

  get inside(): number {
    return this.#inside;
  }

  open(): void {
    this.#isOpen = true;
    for (const response of this.#waiting.splice(0)) this.#answerLater(response);
  }

  shut(): void {
    this.#isOpen = false;
    this.most = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answerLater(response: ServerResponse): void {
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"waited":true}');
    }, this.#waitMs);
  }
}
