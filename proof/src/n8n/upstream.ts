/**
 * The server that templates call instead of external ones: it responds with the fields they read and records requests.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { nameAnswer } from "./made-answer.ts";

/** The parts of a request that both sides should send identically. */
export type Asked = readonly [line: string, body: string];

/** Responds at `/<number of the template>/<kind>/…`. */
export class Upstream implements AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly #server;
  readonly #nodes = new Map<string, readonly unknown[]>();
  readonly #asked = new Map<string, Asked[]>();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    server.on("request", (request: IncomingMessage, response) => {
      void this.#answer(request).then(([type, body]) => {
        response.writeHead(200, { "content-type": type });
        response.end(body);
      });
    });
  }

  static async open(port = 0): Promise<Upstream> {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    return new Upstream(server);
  }

  /** Sets the responses for a template. */
  know(number: string, nodes: readonly unknown[]): void {
    this.#nodes.set(number, nodes);
  }

  /** The requests for a template since the last call, sorted, because calls of items are not ordered. */
  take(number: string): readonly string[] {
    const asked = this.#asked.get(number) ?? [];
    this.#asked.delete(number);
    return asked.map(([line, body]) => `${line} ${body}`).toSorted();
  }

  async #answer(request: IncomingMessage): Promise<readonly [type: string, body: string]> {
    const address = new URL(request.url ?? "/", this.url);
    const [, number = "", kind = ""] = address.pathname.split("/");
    const line = `${request.method} ${decodeURIComponent(address.pathname)}?${[
      ...address.searchParams,
    ]
      .map((pair) => pair.join("="))
      .toSorted()
      .join("&")}`;
    const asked = this.#asked.get(number) ?? [];
    this.#asked.set(number, [...asked, [line, toBody(await text(request))]]);
    const { answer, thing } = nameAnswer(this.#nodes.get(number) ?? []);
    const [first, second] = [thing(1), thing(2)];
    switch (kind) {
      case "html":
        return ["text/html", page([first, second])];
      case "xml":
        return [
          "application/xml",
          `<?xml version="1.0"?><root><thing id="1"><name>One</name></thing><thing id="2"><name>Two</name></thing></root>`,
        ];
      case "feed":
        return ["application/rss+xml", feed([1, 2, 3])];
      case "text":
        return ["text/plain", "id,name\n1,Thing 1\n2,Thing 2"];
      default:
        return ["application/json", JSON.stringify(answer)];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A JSON body with sorted members. */
function toBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

const page = (things: readonly object[]): string =>
  `<!doctype html><html><head><title>Things</title><meta name="description" content="Some"></head><body><h1>Things</h1>${things
    .map(
      (_, at) =>
        `<div class="thing"><h2>Thing ${at}</h2><a href="/thing/${at}" title="T${at}">More &amp; more</a><p>A <b>bold</b> word.</p><img src="/picture/${at}.png"></div>`,
    )
    .join(
      "",
    )}<ul><li>One</li><li>Two</li></ul><table><tr><td>1</td><td>2</td></tr></table></body></html>`;

const feed = (ids: readonly number[]): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.com</link>${ids
    .map(
      (id) =>
        `<item><title>Entry ${id}</title><link>https://example.com/${id}</link><guid>g${id}</guid><pubDate>Mon, 0${id} Mar 2026 10:00:00 GMT</pubDate><description>About ${id}</description></item>`,
    )
    .join("")}</channel></rss>`;
