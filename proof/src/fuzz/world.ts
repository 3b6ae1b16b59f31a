import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sha256 } from "../../../server/src/kernel/access/crypto.ts";
import { newId } from "../../../server/src/kernel/schema/id.ts";
import type { Ask, World } from "../../../server/src/kernel/testing/world.ts";
import type { Operation } from "./contract.ts";
import type { Exchange, Line, Received, Sent, Side } from "./exchange.ts";
import type { Ledger } from "./ledger.ts";
import type { Router } from "./router.ts";
import type { Trove } from "./trove.ts";

/** The server access needed by a fuzz run. */
export interface Target {
  readonly origin: string;
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  readonly nowMs: () => number;
}

/** The context shared by the users of a run. */
export interface Surroundings {
  readonly target: Target;
  readonly line: Line;
  readonly router: Router;
  readonly ledger: Ledger;
  /** The data seen by each side. */
  readonly troves: Readonly<Record<"a" | "b", Trove>>;
  /** Called with each exchange after its check. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Identifies the requests of this run. */
  readonly mark: string;
}

/** A caller with a token in one workspace. */
export type Person = Ask & { readonly token: string; readonly userId: string };

/** A workspace in the format of samples. */
export interface Place {
  readonly key: string;
  readonly slug: string;
}

/** One side of a run: a workspace, its users, and a test world for the samples of the domains. */
export class Country {
  readonly side: "a" | "b";
  readonly place: Place;
  readonly #around: Surroundings;
  /** The world passed to samples. */
  readonly world: World;

  constructor(around: Surroundings, side: "a" | "b", place: Place) {
    this.#around = around;
    this.side = side;
    this.place = place;
    const { sql, nowMs } = around.target;
    // Samples use only these members of a world. Here the world is a running server.
    this.world = {
      sql,
      home: place.key,
      clock: { nowMs },
      asToken: (token: string | undefined, workspace?: string) => this.ask(token, workspace),
      stranger: this.ask(undefined),
      workspace: (slug: string) => this.found(slug),
      member: (roles: readonly string[], at?: Place) => this.member(roles, at),
    } as unknown as World;
  }

  /** A caller with this token. */
  ask(token: string | undefined, workspace?: string): Ask {
    const base = {
      // Security keys are bound to a host name; an address is not one.
      host: "localhost",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(workspace !== undefined && { "x-workspace": workspace }),
    };
    const ask: Ask = async (route, body, headers = {}) => {
      const sent = {
        ...requestOf(route, body),
        headers: { ...(body !== undefined && JSON_BODY), ...base, ...headers },
      };
      const side = token === undefined ? "nobody" : this.side;
      let { received } = await talk(this.#around, side, sent);
      for (let tries = 0; tries < TRIES_MAX && isShed(received); tries += 1) {
        await pause(BUSY_PAUSE_MS);
        ({ received } = await talk(this.#around, side, sent));
      }
      return {
        status: received.status,
        body: received.body,
        headers: received.headers as Record<string, string>,
        events: [],
      };
    };
    return token === undefined ? ask : Object.assign(ask, { token });
  }

  /** A new signed-in member with these roles. */
  async member(roles: readonly string[], at: Place = this.place): Promise<Person> {
    const userId = newId("usr");
    const token = `mrs_${randomBytes(16).toString("hex")}`;
    await this.#around.target.sql(
      `with u as (insert into users (id, email, name, created_at, updated_at)
                  values ($1, $1 || '@example.com', 'Somebody', now(), now()) returning id),
            s as (insert into sessions (id, user_id, token_hash, created_at, expires_at)
                  select $2, id, $3, now(), now() + interval '30 days' from u)
       insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
       select $4, id, $5, now(), now() from u`,
      [userId, newId("ses"), sha256(token), at.key, [...roles]],
    );
    // Created from a function and the two fields above.
    return Object.assign(this.ask(token, at.slug), { token, userId }) as Person;
  }

  /** Another workspace, created by a member of this one. */
  async found(slug: string): Promise<Place> {
    const owner = await this.member(["owner"]);
    const unique = `${slug}-${randomBytes(4).toString("hex")}`;
    const made = await owner("POST /api/v1/workspaces", { slug: unique, name: slug });
    if (made.status !== 201) throw new Error(`No workspace: ${JSON.stringify(made.body)}`);
    const rows = await this.#around.target.sql("select key from workspaces where slug = $1", [
      unique,
    ]);
    return { key: String(rows[0]?.["key"]), slug: unique };
  }
}

const TRIES_MAX = 20;
const BUSY_PAUSE_MS = 300;

/** Rejected before processing, because of too many concurrent requests. */
function isShed({ status, body }: Received): boolean {
  return status === 503 && (body as { code?: unknown } | undefined)?.code === "unavailable";
}

const JSON_BODY = { "content-type": "application/json" };
let requests = 0;

function requestOf(route: string, body: unknown): Pick<Sent, "method" | "path" | "body"> {
  const space = route.indexOf(" ");
  const isRaw = typeof body === "string" || Buffer.isBuffer(body) || body === undefined;
  return {
    method: route.slice(0, space),
    path: route.slice(space + 1),
    // The type was checked above.
    body: isRaw ? (body as string | Buffer | undefined) : JSON.stringify(body),
  };
}

/** Sends a request and checks its response. A missing response is recorded as a fault and thrown. */
export async function talk(around: Surroundings, side: Side, sent: Sent): Promise<Exchange> {
  requests += 1;
  const named: Sent = {
    ...sent,
    headers: { "x-request-id": `${around.mark}-${requests}`, ...sent.headers },
  };
  const op: Operation | undefined = around.router.find(sent.method, sent.path);
  try {
    const exchange = { op, side, sent: named, received: await around.line.send(named) };
    around.ledger.note(exchange);
    if (exchange.received.status < 300 && side !== "nobody") {
      around.troves[side].learn(exchange.received.body);
    }
    around.onExchange(exchange);
    return exchange;
  } catch (error) {
    const { message } = error as Error;
    around.ledger.blame(op?.id ?? "no operation", `no answer: ${message}`, JSON.stringify(named));
    throw error;
  }
}
