import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { join } from "node:path";
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { domains } from "../../app.ts";
import type { Operation } from "../contract.ts";
import { supportsDryRun } from "../operation/dry-run.ts";
import { ACCESS_WAYS, noteAccessChanges, takeAccessChanges } from "./access-changes.ts";
import { type Fault, hostileBodies, hostileFaults, hostileParams } from "./hostile.ts";
import { notes } from "./notes.ts";
import type { Arranged, Sample } from "./samples.ts";
import { type Answer, type Ask, useWorld, type World } from "./world.ts";

/** The sweep is the longest test, so it is split: each part is a file in `src/sweep`. */
export const SWEEP_PARTS = 4;

/** All declared operations. */
export const sweptOperations: readonly Operation[] = [...domains, notes].flatMap(
  (domain) => domain.operations,
);

/** The part that sweeps an operation, starting at 1. */
export function sweepPartOf({ id }: Operation): number {
  return 1 + (createHash("sha256").update(id).digest().readUInt32BE() % SWEEP_PARTS);
}

/** The samples of all domains: successful calls by operation. */
export async function readSamples(): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const source = join(import.meta.dirname, "../..");
  const files = globSync("{domains/**/samples.ts,kernel/testing/notes-samples.ts}", {
    cwd: source,
  });
  const samples = await Promise.all(
    files.map(async (file) => (await import(join(source, file))).samples as readonly Sample[]),
  );
  return Map.groupBy(samples.flat(), ({ operation }) => operation);
}

interface Stage {
  readonly world: World;
  readonly owner: Ask & { readonly token: string };
  /** The owner of another workspace. */
  readonly other: Ask;
  readonly powerless: Ask;
}

/** Registers the generic tests for the operations of one part. */
export async function sweep(part: number): Promise<void> {
  const samples = await readSamples();
  const world = await useWorld({
    env: {
      MILLRACE_LOGIN_RATE_LIMIT: "0",
      MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
      // Some samples call a server on a port of this machine.
      MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
    },
  });
  await noteAccessChanges(world);
  const stage = {
    world,
    owner: await world.member(["owner"]),
    other: await world.member(["owner"], await world.workspace("elsewhere")),
    powerless: await world.member([]),
  };
  const operations = sweptOperations.filter((op) => sweepPartOf(op) === part);
  for (const op of operations) {
    describe(op.id, () => sweepOperation(op, samples.get(op.id) ?? [], stage));
  }
}

/** The response and the events of a dry run. Undefined if it was skipped. */
async function callDry(by: Ask, op: Operation, input: Arranged) {
  const { status, body, events } = await callSample(by, op, input, { prefer: "dry-run" });
  const isRefused = (input.status ?? 0) >= 400;
  expect([status, events]).toEqual([isRefused ? input.status : 200, []]);
  // A failure is returned unchanged, and an operation with `afterCommit` has no comparable response.
  if (isRefused || op.afterCommit) return undefined;
  if (body.data.leftOut !== null) return undefined;
  const types = body.data.events.map(({ type }: { readonly type: string }) => type);
  return { status: body.data.answer.status as number, events: types as string[] };
}

function sweepOperation(op: Operation, samples: readonly Sample[], stage: Stage): void {
  const { world, owner, other, powerless } = stage;
  const arrange = async (sample = samples[0]): Promise<Arranged> => {
    if (!sample) throw new Error(`${op.id} has no sample`);
    return sample.arrange(owner, world);
  };
  let shared: Promise<Arranged> | undefined;
  /** One input for all tests without changes and for the call after them. */
  const untouched = (): Promise<Arranged> => (shared ??= arrange());

  if (needsCredential(op))
    test("refuses a caller without a credential", async () => {
      const input = await untouched();
      const refused = { status: 401, ...problemOf(op, "unauthenticated"), events: [] };
      const stranger = await callSample(world.stranger, op, input);
      const challenge = (error: string) => ({
        "www-authenticate": expect.stringMatching(`^Bearer ${error}resource_metadata="https?://`),
      });
      expect(stranger).toMatchObject({ ...refused, headers: challenge("") });
      const guess = await callSample(world.asToken("mrs_guessed", "default"), op, input);
      expect(guess).toMatchObject({ ...refused, headers: challenge('error="invalid_token", ') });
    });

  if (op.permission)
    test("refuses a caller without the permission, whatever the body", async () => {
      const input = await untouched();
      const refused = { status: 403, ...problemOf(op, "forbidden"), events: [] };
      expect(await callSample(powerless, op, input)).toMatchObject(refused);
      if (op.body) {
        expect(await powerless(routeOf(op, input), "{ not json")).toMatchObject(refused);
      }
    });

  if (op.access === "workspace")
    test("needs a workspace that the caller belongs to", async () => {
      const input = await untouched();
      const route = routeOf(op, input);
      if (!op.infersWorkspace) {
        const without = await world.asToken(owner.token)(route, input.body);
        expect(without).toMatchObject({
          status: 400,
          body: { code: "workspace_required" },
          events: [],
        });
      }
      const answers = [];
      for (const slug of ["elsewhere", "no-such-workspace"]) {
        const { status, body } = await world.asToken(owner.token, slug)(route, input.body);
        answers.push([status, body.code, body.detail]);
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]?.slice(0, 2)).toEqual([403, "workspace_forbidden"]);
      const nowhere = await owner(route, input.body, { "x-environment": "moon" });
      expect(nowhere).toMatchObject({
        status: 400,
        body: { code: "unknown_environment" },
        events: [],
      });
    });

  if (op.params && op.access === "workspace")
    test("shows nothing of it to another workspace or environment", async () => {
      const input = await untouched();
      if (input.partitioned === false) return;
      const hidden = { status: 404, body: { code: "not_found" }, events: [] };
      expect(await callSample(other, op, input)).toMatchObject(hidden);
      if (input.environmentScoped === false) return;
      const staged = await callSample(owner, op, input, { "x-environment": "staging" });
      expect(staged).toMatchObject(hidden);
    });

  test("answers hostile input with 404 or 422, and does nothing", async () => {
    const input = await untouched();
    const by = input.by ?? owner;
    for (const params of hostileParams(op.params, input.params)) {
      const isUnknown = op.params && !Value.Check(op.params, params);
      if (input.openParams && op.params && !isUnknown) continue;
      // The parameter belongs to another route of the operation.
      const named = Object.keys(params).every((name) => op.route.includes(`{${name}}`));
      if (!named) continue;
      const answer = await callSample(by, op, { ...input, params });
      // An id with an invalid format is an unknown id.
      expect(isUnknown ? [404] : [400, 404, 422], JSON.stringify(params)).toContain(answer.status);
      expect(answer.events).toEqual([]);
    }
    // The body of a GET is ignored.
    const bodiless = op.route.startsWith("GET") || op.readsRequest || op.streamsBody;
    const refuses = (body: unknown) => expectRefused(by, op, { ...input, body: body as never });
    for (const body of bodiless ? [] : hostileBodies(op.body, input.body)) await refuses(body);
    for (const faults of bodiless ? [] : hostileFaults(op.body)) {
      const told = await tellsOf(by, op, { input, faults });
      const others = faults.filter(({ field }) => !told.has(field));
      for (const { applyTo } of others) await refuses(applyTo(input.body ?? {}));
    }
    if (op.response.errorRendering || op.readsRequest) return;
    const strange = await callSample(by, op, {
      ...input,
      query: { ...input.query, unheard: "of" },
    });
    expect(strange.events).toEqual([]);
    if (op.response.errorRendering) return;
    expect(strange.status).toBe(422);
    expect(strange.body.errors).toContainEqual({
      path: "?unheard",
      message: "is not a known field",
    });
  });

  if (/^(PATCH|PUT|DELETE) .*\{/.test(op.route) && op.kind === "command")
    test("honours If-Match", async () => {
      const input = await untouched();
      const stale = await callSample(input.by ?? owner, op, input, { "if-match": '"999999999"' });
      expect(stale).toMatchObject({
        status: 412,
        body: { code: "precondition_failed" },
        events: [],
      });
    });

  const isRepeatable =
    op.kind === "command" && needsCredential(op) && !op.ephemeral && /^(POST|PATCH)/.test(op.route);
  const key = { "idempotency-key": `sweep of ${op.id}`.replaceAll(" ", "-") };
  let acting: Promise<Answer> | undefined;
  /** The first sample's call, performed once. */
  const act = (): Promise<Answer> =>
    (acting ??= untouched().then((input) =>
      callSample(input.by ?? owner, op, input, isRepeatable ? key : {}),
    ));

  test("does what its samples say, and appends exactly the events that it declares", async () => {
    const seen = new Set<string>();
    const written = new Set<string>();
    for (const [index, sample] of samples.entries()) {
      const input = await (index === 0 ? untouched() : arrange(sample));
      await takeAccessChanges(world);
      const rehearsed = supportsDryRun(op) && (await callDry(input.by ?? owner, op, input));
      expect(await takeAccessChanges(world)).toEqual([]);
      const answer = await (index === 0 ? act() : callSample(input.by ?? owner, op, input));
      expect(answer).toMatchObject({ status: input.status ?? op.response.status });
      // Performed after the dry run, which must not affect it: response and events must match the dry run.
      if (rehearsed) expect(rehearsed).toEqual({ status: answer.status, events: answer.events });
      for (const type of answer.events) seen.add(type);
      for (const table of await takeAccessChanges(world)) written.add(table);
    }
    expect([...written].toSorted()).toEqual(ACCESS_WAYS[op.id] ?? []);
    if (op.publishes) return expect(seen.size).toBeGreaterThan(0);
    const declared = op.emits.map(({ type }) => type).toSorted();
    if (!op.composes) return expect([...seen].toSorted()).toEqual(declared);
    expect(seen.size).toBeGreaterThan(0);
    expect(declared).toEqual(expect.arrayContaining([...seen]));
  });

  if (isRepeatable)
    test("repeats its answer to a repeated Idempotency-Key, and appends nothing", async () => {
      const first = await act();
      expect(first.events).not.toEqual([]);
      // Ending the current session also ends its replays.
      if (op.id === "auth.logout") return;
      const input = await untouched();
      const second = await callSample(input.by ?? owner, op, input, key);
      expect(second).toMatchObject({ status: first.status, events: [] });
      expect(second.body).toEqual(first.body);
      expect(second.headers["idempotency-replayed"]).toBe("true");
    });

  if (op.access === "account")
    test("needs no workspace, and does not mind one", async () => {
      for (const header of [undefined, "default"]) {
        const input = await arrange();
        const token = (input.by ?? owner).token ?? "";
        const answer = await callSample(world.asToken(token, header), op, input);
        expect(answer).toMatchObject({ status: input.status ?? op.response.status });
      }
    });
}

/** Some operations return failures in another format, for browsers or by a protocol's rules. */
function problemOf(op: Operation, code: string, more: object = {}): object {
  return op.response.errorRendering ? {} : { body: { code, ...more } };
}

export function callSample(
  ask: Ask,
  op: Operation,
  input: Arranged,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(routeOf(op, input), op.body ? (input.body ?? undefined) : input.body, headers);
}

/**
 * The fields reported by one response for a body in which all of them are invalid. The others are tested separately.
 */
async function tellsOf(
  ask: Ask,
  op: Operation,
  { input, faults }: { readonly input: Arranged; readonly faults: readonly Fault[] },
): Promise<ReadonlySet<string>> {
  if (op.response.errorRendering || faults.length < 2) return new Set();
  const body = faults.reduce((broken, fault) => fault.applyTo(broken), input.body ?? {});
  const answer = await callSample(ask, op, { ...input, body });
  expect(answer, JSON.stringify(body).slice(0, 200)).toMatchObject({
    status: 422,
    body: { code: "invalid", errors: expect.any(Array) },
    events: [],
  });
  const errors = answer.body.errors as readonly { readonly path: string }[];
  return new Set(errors.map(({ path }) => path.split("/")[1] ?? ""));
}

/** Pages and protocols have other failures. Some must ignore unknown fields. */
async function expectRefused(ask: Ask, op: Operation, input: Arranged): Promise<void> {
  const about = JSON.stringify(input.body)?.slice(0, 200);
  if (!op.response.errorRendering) {
    expect(await callSample(ask, op, input), about).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: expect.any(String) }] },
      events: [],
    });
    return;
  }
  if (typeof input.body === "object" && "unheard" in input.body) return;
  const answer = await callSample(ask, op, input);
  expect([400, 401, 422], about).toContain(answer.status);
  expect(answer.headers["content-type"]).toContain(op.response.errorRendering?.mediaType);
  expect(answer.events).toEqual([]);
}

function needsCredential({ access }: Operation): boolean {
  return access === "workspace" || access === "account";
}

function routeOf(op: Operation, { params = {}, query }: Arranged): string {
  const path = op.route.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  return query ? `${path}?${new URLSearchParams(query).toString()}` : path;
}
