/** Our side of every comparison: the product started like `npm start`, on the same PostgreSQL. */
import { join } from "node:path";
import type { Child } from "../src/child.ts";
import type { Product } from "../src/endpoint.ts";
import type { Target } from "../src/load.ts";
import { furnishOurOrders, TABLE } from "../src/orders.ts";
import { asMember, changesOf, newOrders, newRecords, readsOf } from "../src/request.ts";
import { logIn, PASSWORD, START_FLAGS } from "../src/rig.ts";
import { deploy, ORDERS } from "../src/workflow.ts";
import { type Connection, query, urlOf } from "./postgres.ts";
import type { Stage } from "./stage.ts";

/** The product and its measured endpoints. */
export interface Ours {
  readonly product: Child;
  /** A workflow with computation, branch and response. Every run is durable. */
  readonly workflow: () => Promise<Target>;
  /** The same workflow in JavaScript. */
  readonly scripted: () => Promise<Target>;
  /** A table with records. */
  readonly records: () => Promise<RecordTargets>;
}

/** Operations on the records of a table. */
export interface RecordTargets {
  readonly read: Target;
  readonly list: Target;
  readonly create: Target;
  readonly update: Target;
}

/** The number of records in the table on both sides. */
export const RECORDS = 10_000;
/** One in a hundred records has this status. */
export const STATUS = "returned";
export const PAGE = 50;

const SCRIPTED = {
  name: "Orders in JavaScript",
  trigger: { type: "webhook" },
  nodes: [
    {
      id: "decide",
      type: "script",
      config: {
        source: `
          const { number, price, quantity } = input.body;
          const total = price * quantity;
          return { number, accepted: total > 100 };`,
        input: { body: "{{ trigger.input.body }}" },
      },
    },
    {
      id: "answer",
      type: "respond",
      config: {
        body: {
          number: "{{ steps.decide.output.number }}",
          accepted: "{{ steps.decide.output.accepted }}",
        },
      },
    },
  ],
  edges: [{ from: "decide", to: "answer" }],
};

/** Creates the product's database by a first start. Resolves to the measured start. */
export async function setUpOurs(
  stage: Stage,
): Promise<(profileFolder: string | undefined) => Promise<Ours>> {
  const connection = await stage.postgres.create("peers_millrace");
  const folder = await stage.makeFolder("millrace");
  const first = await startProduct(stage, connection, folder);
  await first.stop();
  return async (profileFolder) => {
    const child = await startProduct(stage, connection, folder, profileFolder);
    const product = { ...child, token: await logIn(child.port) };
    return {
      product,
      workflow: () => hooked(product, ORDERS),
      scripted: () => hooked(product, SCRIPTED),
      records: () => recordsOf(product, connection),
    };
  };
}

function startProduct(
  stage: Stage,
  connection: Connection,
  folder: string,
  profileFolder?: string,
): Promise<Child> {
  const profile = ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  return stage.start({
    args: [
      ...START_FLAGS,
      ...(profileFolder === undefined ? [] : profile),
      join(import.meta.dirname, "../../server/start.mjs"),
    ],
    env: {
      DATABASE_URL: urlOf(connection),
      MILLRACE_DATA_DIR: folder,
      MILLRACE_ADMIN_PASSWORD: PASSWORD,
      MILLRACE_RATE_LIMIT: "0",
    },
  });
}

async function hooked(product: Product, definition: object): Promise<Target> {
  const { hookPath } = await deploy(product, definition);
  return { port: product.port, status: 200, next: newOrders(hookPath) };
}

async function recordsOf(product: Product, connection: Connection): Promise<RecordTargets> {
  const rig = {
    query: <Row extends object>(text: string, values?: unknown[]) =>
      query<Row>(connection, text, values),
  };
  const ids = await furnishOurOrders(rig, product, RECORDS);
  const paths = ids.map((id) => `${TABLE}/${id}`);
  const headers = asMember(product.token);
  const filter = encodeURIComponent(JSON.stringify({ status: STATUS }));
  const target = (next: () => string, status = 200): Target => ({
    port: product.port,
    status,
    next,
  });
  return {
    read: target(readsOf(paths, headers)),
    list: target(readsOf([`${TABLE}?filter=${filter}&limit=${PAGE}`], headers)),
    create: target(newRecords(TABLE, headers), 201),
    update: target(changesOf(paths, headers)),
  };
}
