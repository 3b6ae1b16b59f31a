import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { all, type Ask, asker, dataOf } from "./asker.ts";
import { Endpoint } from "./endpoint.ts";
import { Product, type ProductOptions } from "./product.ts";
import { Proxy } from "../../../server/src/process/testing/proxy.ts";
import { Server } from "./server.ts";

const PASSWORD = "a password for the proof";

/** The requirements of a fault. */
export interface StageOptions {
  /** A PostgreSQL server behind a proxy, or the embedded database in the data folder. */
  readonly database: "server" | "embedded";
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly before?: readonly string[];
  /** The parent of the data folder. Default: a new folder. */
  readonly folder?: string;
  /** An existing server instead of a new one. */
  readonly url?: string | undefined;
}

/** The product with its environment, from its first start to the end of the proof. */
export class Stage implements AsyncDisposable {
  readonly ask: Ask;
  readonly endpoint: Endpoint;
  readonly folder: string;
  workflow = "";
  webhook = "";
  token: string | undefined;
  readonly #options: ProductOptions;
  readonly #server: Server | undefined;
  readonly #proxy: Proxy | undefined;
  #product: Product;
  #undo: AsyncDisposableStack | undefined;

  private constructor(parts: {
    readonly folder: string;
    readonly options: ProductOptions;
    readonly product: Product;
    readonly endpoint: Endpoint;
    readonly server: Server | undefined;
    readonly proxy: Proxy | undefined;
  }) {
    this.folder = parts.folder;
    this.endpoint = parts.endpoint;
    this.#options = parts.options;
    this.#product = parts.product;
    this.#server = parts.server;
    this.#proxy = parts.proxy;
    this.ask = asker(
      () => this.product.url,
      () => this.token,
    );
  }

  static async open(wish: StageOptions): Promise<Stage> {
    await using undo = new AsyncDisposableStack();
    const folder =
      wish.folder ?? (await realpath(await mkdtemp(join(tmpdir(), "millrace-faults-"))));
    // As root, PostgreSQL runs as another account, which must be able to enter.
    await chmod(folder, 0o755);
    undo.defer(() => rm(`${folder}.log`, { force: true }));
    if (wish.folder === undefined) {
      undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
    }
    const endpoint = undo.use(await Endpoint.open());
    const server = wish.database === "server" ? await Server.open(folder, wish.url) : undefined;
    if (server) undo.use(server);
    const proxy = server && undo.use(await Proxy.open(() => server.upstream));
    const options: ProductOptions = {
      // Outside the data folder's file system, which may be full.
      logFile: `${folder}.log`,
      flags: wish.flags ?? [],
      before: wish.before ?? [],
      env: {
        MILLRACE_DATA_DIR: join(folder, "data"),
        MILLRACE_ADMIN_PASSWORD: PASSWORD,
        MILLRACE_MASTER_KEY: randomBytes(32).toString("base64"),
        MILLRACE_RATE_LIMIT: "0",
        MILLRACE_LOGIN_RATE_LIMIT: "0",
        ...endpoint.env,
        ...(server && proxy && { DATABASE_URL: server.urlAt(proxy.port) }),
        ...wish.env,
      },
    };
    const product = await Product.start(options);
    const stage = new Stage({ folder, options, product, endpoint, server, proxy });
    undo.defer(async () => void (await stage.product.stop()));
    await stage.#furnish();
    stage.#undo = undo.move();
    return stage;
  }

  get product(): Product {
    return this.#product;
  }

  get proxy(): Proxy {
    if (!this.#proxy) throw new Error("There is no proxy before the product's own database.");
    return this.#proxy;
  }

  get server(): Server {
    if (!this.#server) throw new Error("The product has its own database.");
    return this.#server;
  }

  /** Restarts it on the same port after an exit, like a service manager. */
  async startAgain(): Promise<void> {
    this.#product = await Product.start(this.#options, this.#product.port);
  }

  /** The number of dead letters. */
  async parked(): Promise<number> {
    const [row] = await this.sql<{ n: number }>("select count(*)::int as n from parked_events");
    return row?.n ?? 0;
  }

  /** One statement as the owner, bypassing the proxy. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.server.query<Row>(text, values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo?.disposeAsync();
  }

  /** Creates the users, a webhook for all published events, and a workflow with an external call. */
  async #furnish(): Promise<void> {
    const credentials = { email: "admin@example.com", password: PASSWORD };
    const login = await this.ask("POST /api/v1/auth/token", { body: credentials });
    this.token = dataOf<{ token: string }>(login, 200).token;
    const { url } = this.endpoint;
    const hook = {
      name: "all",
      url: `${url}/hook`,
      events: ["order.*"],
      retries: 20,
      retryMaxDelayMs: 1_000,
      timeout_ms: 60_000,
    };
    const hooked = await this.ask("POST /api/v1/webhooks", { body: hook });
    this.webhook = dataOf<{ id: string }>(hooked, 201).id;
    const made = await this.ask("POST /api/v1/workflows", { body: workflowCalling(url) });
    this.workflow = dataOf<{ id: string }>(made, 201).id;
    dataOf(await this.ask(`POST /api/v1/workflows/${this.workflow}/publish`), 200);
    await all(this.ask, "/api/v1/runs");
  }
}

function workflowCalling(url: string): object {
  return {
    name: "Double",
    trigger: { type: "manual" },
    nodes: [
      {
        id: "call",
        type: "http",
        config: { method: "POST", url: `${url}/double`, body: { n: "{{ trigger.input.n }}" } },
      },
      {
        id: "keep",
        type: "set",
        config: { values: { twice: "{{ steps.call.output.body.twice }}" } },
      },
    ],
    edges: [{ from: "call", to: "keep" }],
  };
}
