/**
 * No input of a visitor, requester, member or viewer may block the event loop, which serves every workspace. Each
 * operation that they can call gets the largest valid input, with 10,000 records, tickets and events.
 */
import { writeFileSync } from "node:fs";
import type { InjectOptions } from "fastify";
import { expect, test } from "vitest";
import type { Operation } from "#kernel/contract.ts";
import { largestValue } from "#kernel/testing/largest-input.ts";
import { startLoopProbe } from "#kernel/testing/loop-probe.ts";
import type { Arranged } from "#kernel/testing/samples.ts";
import { readSamples, sweptOperations } from "#kernel/testing/sweep.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { heavyInputs } from "./testing/heavy-input.ts";
import { fillWorkspace } from "./testing/large-workspace.ts";

/**
 * The goal is a delay of at most 100 ms. The CPU time of a turn grows on a busy machine and includes garbage
 * collection: with two other workers, calls of 70 ms took up to 1,150. So the suite detects turns of seconds, and
 * `proof -- thorough`, which runs alone, the rest.
 */
const TURN_MAX_MS = IS_THOROUGH ? 250 : 1_500;
const AT_ONCE = IS_THOROUGH ? 8 : 3;
/** Inputs of this size take seconds, and many of them are slow on a busy machine. */
const LIMIT = { timeout: 180_000 };
const ROLES = ["viewer", "member", "requester"];
/** The maximum number of corrections of an input by its errors. */
const ATTEMPTS_MAX = 12;

const world = await useWorld({
  env: { MILLRACE_SMTP_URL: "smtp://127.0.0.1:9", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const owner = await world.member(["owner"]);
const samples = await readSamples();
await fillWorkspace(world, owner);

const reached = sweptOperations.filter(
  (op) => !op.permission || op.permission.roles.some((role) => ROLES.includes(role)),
);

type Json = Record<string, unknown>;

/** Replaces the small table of a sample by the large one. */
function enlarge(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enlarge);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [
    name,
    name === "table" && typeof part === "string" ? "large" : enlarge(part),
  ]);
  return Object.fromEntries(entries) as Json;
}

function inputOf(op: Operation, arranged: Arranged): Arranged {
  const { params: given, query, body } = enlarge(arranged) as Arranged;
  const isTable = op.kind === "query" && op.route.includes(" /api/v1/tables/{slug}");
  // A record id belongs to the sample's table.
  const params = isTable && Object.keys(given ?? {}).length === 1 ? { slug: "large" } : given;
  const large = op.query && (largestValue(op.query, query) as Json | undefined);
  const texts = Object.entries(large ?? {}).flatMap(([name, value]) => {
    // Cursors come from responses and are not generated.
    if (["after", "before", "workspace", "environment", "dryRun"].includes(name)) return [];
    return [[name, String(value).slice(0, 2_000)]];
  });
  const whole = op.body && (largestValue(op.body, body) as Json | undefined);
  return {
    ...(params && { params }),
    ...(texts.length > 0 && { query: Object.fromEntries(texts) as Record<string, string> }),
    ...(whole && { body: whole }),
  };
}

/** Replaces or removes the parts of the input named by errors. */
function correct(input: Arranged, sample: Arranged, errors: readonly { path: string }[]): Arranged {
  const names = (mark: string) =>
    new Set(
      errors.flatMap(({ path }) => (path.startsWith(mark) ? [path.slice(1).split("/")[0]] : [])),
    );
  const revert = (value: Json | undefined, from: Json | undefined, wrong: ReadonlySet<unknown>) =>
    value &&
    Object.fromEntries(
      Object.entries(value).flatMap(([name, part]) => {
        if (!wrong.has(name)) return [[name, part]];
        return from?.[name] === undefined ? [] : [[name, from[name]]];
      }),
    );
  const body = revert(input.body, sample.body, names("/"));
  const query = revert(input.query, sample.query, names("?")) as Record<string, string> | undefined;
  return { ...input, ...(body && { body }), ...(query && { query }) };
}

function routeOf({ route }: Operation, { params, query }: Arranged): string {
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params?.[name] ?? ""),
  );
  return query ? `${path}?${new URLSearchParams(query).toString()}` : path;
}

/** A call like a client's, without the test's JSON conversion in the measurement. */
function prepareCall(route: string, body: unknown, token: string | undefined) {
  const [method, url] = route.split(" ") as ["GET", string];
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const request: InjectOptions = {
    method,
    url,
    headers: {
      "x-workspace": "default",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(payload !== undefined && { "content-type": "application/json" }),
    },
    ...(payload !== undefined && { payload }),
  };
  return () => world.app.inject(request);
}

/** The responses of concurrent calls, and the longest event loop turn. */
async function watch(call: ReturnType<typeof prepareCall>, count = 1) {
  const probe = startLoopProbe();
  const replies = await Promise.all(Array.from({ length: count }, () => call()));
  return { replies, longestMs: probe.stop() };
}

interface Measured {
  readonly operation: string;
  readonly status: number;
  readonly longestMs: number;
}

/** The longest turn of an operation with its largest valid or rejected input. */
async function measure(op: Operation, sample: Arranged): Promise<Measured> {
  const token = sample.by?.token ?? (op.access === "public" ? undefined : owner.token);
  let input = inputOf(op, sample);
  let [longestMs, status] = [0, 0];
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const answer = await watch(prepareCall(routeOf(op, input), input.body, token));
    longestMs = Math.max(longestMs, answer.longestMs);
    const [reply] = answer.replies;
    if (!reply) throw new Error(`${op.id} was not called.`);
    status = reply.statusCode;
    if (status !== 422 || op.response.errorRendering) break;
    const { errors = [] } = reply.json<{ errors?: { path: string }[] }>();
    const next = correct(input, sample, errors);
    if (JSON.stringify(next) === JSON.stringify(input)) break;
    input = next;
  }
  return { operation: op.id, status, longestMs };
}

for (const heavy of await heavyInputs(owner)) {
  test(`alone and ${AT_ONCE} at once: ${heavy.name}`, LIMIT, async () => {
    const call = prepareCall(heavy.route, heavy.body, owner.token);
    // The first call compiles code for later ones.
    await watch(call);
    const longest: number[] = [];
    for (const count of [1, AT_ONCE]) {
      const { replies, longestMs } = await watch(call, count);
      longest.push(longestMs);
      const statuses = replies.map(({ statusCode }) => statusCode);
      expect(new Set(statuses)).toEqual(new Set([heavy.status]));
      if (process.env["TURNS_OUT"]) console.log("HEAVY", heavy.name, count, longestMs.toFixed(0));
    }
    expect(Math.max(...longest)).toBeLessThan(TURN_MAX_MS);
  });
}

test(
  "no operation of members, viewers, requesters and visitors blocks the event loop",
  LIMIT,
  async () => {
    const measured: Measured[] = [];
    for (const op of reached) {
      const [sample] = samples.get(op.id) ?? [];
      if (!sample || op.readsRequest || op.streamsBody || op.response.stream) continue;
      // Without body and query, a call has no variable size.
      if (!op.body && !op.query) continue;
      measured.push(await measure(op, await sample.arrange(owner, world)));
    }
    const out = process.env["TURNS_OUT"];
    if (out) writeFileSync(out, JSON.stringify(measured));
    const broken = measured.filter(({ status }) => status >= 500);
    expect(broken).toEqual([]);
    expect(measured.filter(({ longestMs }) => longestMs > TURN_MAX_MS)).toEqual([]);
  },
);
