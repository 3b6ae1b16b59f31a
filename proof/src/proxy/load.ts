import { Agent, request } from "node:http";

/** The results of the requests of a load. */
export interface Tally {
  writes: number;
  reads: number;
  questions: number;
  /** The first failure of each kind. */
  readonly failures: Map<string, number>;
  readonly titles: Set<string>;
  slowestMs: number;
}

export interface Target {
  readonly address: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** Connections stay open between requests, like those of a browser. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const ANSWER_MAX_MS = 60_000;

export function newTally(): Tally {
  return {
    writes: 0,
    reads: 0,
    questions: 0,
    failures: new Map(),
    titles: new Set(),
    slowestMs: 0,
  };
}

/** One client: creates a record, reads it, and sometimes runs a SQL query, until it is stopped. */
export async function client(target: Target, n: number, tally: Tally, stop: AbortSignal) {
  for (let turn = 0; !stop.aborted; turn += 1) {
    const title = `order ${n}-${turn}`;
    const made = await counted(tally, () => ask(target, `POST ${RECORDS}`, { title }), 201);
    if (made === undefined) continue;
    tally.writes += 1;
    tally.titles.add(title);
    const id: string = made.body.data.id;
    if (await counted(tally, () => ask(target, `GET ${RECORDS}/${id}`), 200)) tally.reads += 1;
    if (turn % 20 !== 0) continue;
    const sql = { sql: "select count(*) as n from orders" };
    const asked = await counted(tally, () => ask(target, "POST /api/v1/queries/run", sql), 200);
    if (asked) tally.questions += 1;
  }
}

const RECORDS = "/api/v1/tables/orders/records";

async function counted(tally: Tally, work: () => Promise<Answer>, expected: number) {
  const from = performance.now();
  const answer = await work().catch((error: Error) => ({ status: 0, body: error.message }));
  tally.slowestMs = Math.max(tally.slowestMs, performance.now() - from);
  if (answer.status === expected) return answer;
  const kind = `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
  tally.failures.set(kind, (tally.failures.get(kind) ?? 0) + 1);
  return undefined;
}

/** `fetch` is not used because it repeats a request when its connection breaks. */
export function ask({ address, token }: Target, route: string, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      "x-workspace": "default",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const sent = request(address + path, { method, agent, headers, timeout: ANSWER_MAX_MS });
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.once("error", reject);
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers["content-type"] ?? "");
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text });
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
