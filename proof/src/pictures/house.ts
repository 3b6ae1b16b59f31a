/**
 * A product with weeks of history: its database clock is shifted, so that data created through the API has the age
 * shown in screenshots.
 */
import { join } from "node:path";
import pg from "pg";
import { findRunning } from "../../../server/src/kernel/embedded/running-cluster.ts";
import { type Ask, asker, dataOf } from "../faults/asker.ts";
import { Product, type ProductOptions } from "../faults/product.ts";
import {
  CREATE_SHIFTED_CLOCK,
  MOVE_SHIFTED_CLOCK,
  USE_SHIFTED_CLOCK,
} from "../faults/shifted-clock.ts";

const PASSWORD = "correct horse battery staple";
const OWNER = "admin@example.com";

/** An employee. */
export interface Member {
  readonly id: string;
  readonly ask: Ask;
  readonly token: () => string;
}

export class House implements AsyncDisposable {
  readonly #options: ProductOptions;
  readonly #data: string;
  readonly #tokens = new Map<string, string>();
  #product: Product;

  private constructor(options: ProductOptions, data: string, product: Product) {
    this.#options = options;
    this.#data = data;
    this.#product = product;
  }

  /** Opens one in an existing folder. */
  static async open(folder: string): Promise<House> {
    const data = join(folder, "data");
    const options: ProductOptions = {
      env: {
        MILLRACE_ADMIN_PASSWORD: PASSWORD,
        MILLRACE_DATA_DIR: data,
        MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
        MILLRACE_RATE_LIMIT: "0",
        MILLRACE_LOGIN_RATE_LIMIT: "0",
      },
      logFile: join(folder, "log"),
    };
    const house = new House(options, data, await Product.start(options));
    house.#tokens.set(OWNER, "");
    await house.#sql(CREATE_SHIFTED_CLOCK);
    await house.#sql(USE_SHIFTED_CLOCK);
    return house;
  }

  get url(): string {
    return this.#product.url;
  }

  get owner(): Ask {
    return this.#as(OWNER);
  }

  /** The token of the signed-in owner. */
  get ownerToken(): string {
    return this.#tokens.get(OWNER) ?? "";
  }

  /** Moves the clock forward to this long ago. The product reads it at start. */
  async goTo(agoMs: number): Promise<void> {
    await this.#sql(MOVE_SHIFTED_CLOCK, [`-${agoMs} milliseconds`]);
    await this.#product.stop();
    this.#product = await Product.start(this.#options, this.#product.port);
    for (const email of this.#tokens.keys()) await this.#logIn(email);
  }

  /** A new member with these roles. */
  async invite(name: string, roleIds: readonly string[]): Promise<Member> {
    const email = `${name.split(" ")[0]?.toLowerCase()}@nordwind.example`;
    const invitation = await this.owner("POST /api/v1/settings/users/invite", {
      body: { email, name, roleIds },
    });
    const { token } = dataOf<{ token: string }>(invitation, 201);
    const body = { token, name, password: PASSWORD };
    const accepted = await this.#stranger("POST /api/v1/auth/invitations/accept", { body });
    const { id } = dataOf<{ id: string }>(accepted, 200);
    await this.#logIn(email);
    return { id, ask: this.#as(email), token: () => this.#tokens.get(email) ?? "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#product.stop();
  }

  get #stranger(): Ask {
    return asker(
      () => this.url,
      () => undefined,
    );
  }

  #as(email: string): Ask {
    return asker(
      () => this.url,
      () => this.#tokens.get(email),
    );
  }

  async #logIn(email: string): Promise<void> {
    const body = { email, password: PASSWORD };
    const answer = await this.#stranger("POST /api/v1/auth/token", { body });
    this.#tokens.set(email, dataOf<{ token: string }>(answer, 200).token);
  }

  async #sql(text: string, values?: unknown[]): Promise<void> {
    const { connection } = await findRunning(this.#data);
    const client = new pg.Client(connection);
    await client.connect();
    try {
      await client.query(text, values);
    } finally {
      await client.end();
    }
  }
}
