import { expect, test } from "vitest";
import { seeded } from "#kernel/testing/random.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  all,
  type Ask,
  asker,
  databaseOf,
  dataFolder,
  kill,
  launch,
  logIn,
  useProducts,
  type Victims,
} from "./testing/product.ts";
import { TEST_SEED } from "#kernel/testing/seed.ts";

/** Simulates power failures. `npm run proof -- crash` runs more rounds. */
const ROUNDS = Number(process.env["MILLRACE_CRASH_ROUNDS"] ?? 1);
const SEED = Number(process.env["MILLRACE_CRASH_SEED"] ?? TEST_SEED);
/** For a busy machine. */
const LIMIT_MS = 200_000 + ROUNDS * 60_000;
const UPDATERS = 4;
const WRITES_MIN = 20;
const WRITES_MAX = 100;
const VICTIMS: readonly Victims[] = ["group", "everything", "parent"];

useProducts();

test(
  `every acknowledged write survives ${ROUNDS} rounds of kill -9 under load, once and in order; a lost database ends the server (seed ${SEED})`,
  { timeout: LIMIT_MS },
  async () => {
    const random = seeded(SEED);
    startedBefore();
    let product = launch();
    let address = await product.ready;
    // The session is also an acknowledged write and must survive all rounds.
    const token = await logIn(address);
    const updaters = Array.from({ length: UPDATERS }, (_, n) => updaterOf(`updated-${n}`));
    const creator = creatorOf("made");
    for (const { slug } of updaters) await make(asker(address, token), slug);

    for (let round = 1; round <= ROUNDS; round += 1) {
      const victims = VICTIMS[round % VICTIMS.length]!;
      const target = WRITES_MIN + Math.floor(random() * (WRITES_MAX - WRITES_MIN + 1));
      const about = `round ${round}: killed ${victims} after ${target} writes`;
      const doomed = product;
      let killed: Promise<void> | undefined;
      let writes = 0;
      const madeBefore = creator.acknowledged.length;
      const onAcknowledged = (): void => {
        writes += 1;
        if (writes === target) killed = kill(doomed, victims);
      };
      const ask = asker(address, token);
      await Promise.all([creator, ...updaters].map((writer) => write(writer, ask, onAcknowledged)));
      expect(killed, `${about}, but it ended by itself`).toBeDefined();
      await killed;
      // A server that shut down normally would have removed its lock file.
      if (victims === "everything") expect(databaseOf(dataFolder()), about).toBeDefined();

      product = launch();
      address = await product.ready;
      const reborn = asker(address, token);
      for (const updater of updaters) await assertUpdates(reborn, updater, about);
      await assertCreations(reborn, creator, about, madeBefore);
    }
    for (const writer of [creator, ...updaters])
      await repeatUnanswered(writer, asker(address, token));
    for (const updater of updaters)
      await assertUpdates(asker(address, token), updater, "in the end");
    await assertCreations(asker(address, token), creator, "in the end");

    process.kill(databaseOf(dataFolder())!.pid, "SIGKILL");
    expect(await product.ended).toBe(1);
    expect(product.lines.join("\n")).toContain("PostgreSQL ended unexpectedly");
  },
);

/** A client that sends writes in sequence and records them. */
interface Writer {
  readonly slug: string;
  readonly nth: (n: number) => Write;
  readonly acknowledged: Write[];
  /** The write that a kill left without a response, so that its result is unknown. */
  unanswered: Write | undefined;
}

interface Write {
  readonly requestId: string;
  readonly route: string;
  readonly workspace: string;
  readonly body: Record<string, string>;
}

function updaterOf(slug: string): Writer {
  const nth = (n: number): Write => ({
    requestId: `${slug}-${n}`,
    route: `PATCH /api/v1/workspaces/${slug}`,
    workspace: slug,
    body: { description: `Write ${n}` },
  });
  return { slug, nth, acknowledged: [], unanswered: undefined };
}

function creatorOf(slug: string): Writer {
  const nth = (n: number): Write => {
    const made = `${slug}-${String(n).padStart(5, "0")}`;
    return {
      requestId: made,
      route: "POST /api/v1/workspaces",
      workspace: made,
      body: { slug: made, name: `Number ${n}` },
    };
  };
  return { slug, nth, acknowledged: [], unanswered: undefined };
}

async function make(ask: Ask, slug: string): Promise<void> {
  const { status } = await ask("POST /api/v1/workspaces", { slug, name: slug });
  expect(status).toBe(201);
}

/** Writes until the server is killed. Starts with the unanswered write of the last kill. */
async function write(writer: Writer, ask: Ask, onAcknowledged: () => void): Promise<void> {
  for (;;) {
    const next = writer.unanswered ?? writer.nth(writer.acknowledged.length);
    writer.unanswered = next;
    if (!(await send(next, ask))) return;
    writer.unanswered = undefined;
    writer.acknowledged.push(next);
    onAcknowledged();
  }
}

async function repeatUnanswered(writer: Writer, ask: Ask): Promise<void> {
  const { unanswered } = writer;
  if (!unanswered) return;
  expect(await send(unanswered, ask)).toBe(true);
  writer.unanswered = undefined;
  writer.acknowledged.push(unanswered);
}

/** True if the write was acknowledged, false without a response. The key makes a repetition safe. */
async function send({ requestId, route, workspace, body }: Write, ask: Ask): Promise<boolean> {
  const headers = {
    "x-request-id": requestId,
    "idempotency-key": requestId,
    ...(route.startsWith("PATCH") && { "x-workspace": workspace }),
  };
  const answer = await ask(route, body, headers).catch(() => undefined);
  if (!answer) return false;
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
  expect(answer.headers.get("x-request-id")).toBe(requestId);
  return true;
}

/** The log of the workspace equals the writer's record, and its state matches the last event. */
async function assertUpdates(ask: Ask, writer: Writer, about: string): Promise<void> {
  const { slug } = writer;
  const events = (await all(ask, "/api/v1/audit", { "x-workspace": slug })).toReversed();
  expect(events.shift()?.type).toBe("workspace.created");
  expect(events.filter(({ type }) => type !== "workspace.updated")).toEqual([]);
  const took = whatTookPlace(writer, events.at(-1)?.requestId);
  expect(
    events.map(({ requestId }) => requestId),
    about,
  ).toEqual(took.map((one) => one.requestId));
  const { body } = await ask(`GET /api/v1/workspaces/${slug}`, undefined, { "x-workspace": slug });
  expect(body.data.description, about).toBe(took.at(-1)?.body["description"] ?? "");
}

/** The workspaces equal the writer's record, each with one creation event. */
async function assertCreations(ask: Ask, writer: Writer, about: string, since = 0): Promise<void> {
  const made = (await all(ask, "/api/v1/workspaces")).filter(({ slug }) =>
    slug.startsWith(writer.slug),
  );
  const took = whatTookPlace(writer, made.at(-1)?.slug);
  expect(
    made.map(({ slug, name }) => ({ slug, name })),
    about,
  ).toEqual(took.map(({ body }) => body));
  for (const { requestId, workspace } of took.slice(since)) {
    const events = await all(ask, "/api/v1/audit", { "x-workspace": workspace });
    expect(
      events.map((event) => [event.type, event.requestId]),
      about,
    ).toEqual([["workspace.created", requestId]]);
  }
}

/** Acknowledged writes must exist. An unanswered one may exist as the last. */
function whatTookPlace({ acknowledged, unanswered }: Writer, last: string | undefined): Write[] {
  return unanswered?.requestId === last ? [...acknowledged, unanswered!] : acknowledged;
}
