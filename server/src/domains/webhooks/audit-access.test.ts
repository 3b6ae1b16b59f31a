import { describe, expect, test } from "vitest";
import { type Ask, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { caughtUp } from "./testing/deliveries.ts";
import { startReceiver } from "./testing/receiver.ts";

const broken = new Set<string>();

const receiver = await useFixture(startReceiver());
receiver.answer = ({ path }, response) =>
  void response.writeHead(broken.has(path.slice(1)) ? 500 : 200).end();
const world = await useWorld({ work: true, env: receiver.env });
/** May read the audit log; the other two may not, and one of them may change webhooks. */
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const viewer = await world.member(["viewer"]);

const HOOKS = "/api/v1/webhooks";
const FORBIDDEN = { status: 403, body: { code: "forbidden" }, events: [] };

/** Creates a webhook for events of secrets and notes whose names start with its own. */
async function hook(ask: Ask, name: string, more: object = {}): Promise<any> {
  const begins = { startsWith: name };
  const { status, body } = await ask(`POST ${HOOKS}`, {
    name,
    url: `${receiver.url}/${name}`,
    events: ["*"],
    filter: {
      or: [{ "data.title": begins }, { "resource.displayName": begins }],
      "resource.type": { ne: "webhook" },
    },
    retries: 0,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

/** Creates an audit event and then a normal event; returns the time. */
async function happen(name: string): Promise<string> {
  const since = world.clock.now().toISOString();
  const secret = await owner("POST /api/v1/secrets", { name: `${name}_SECRET`, value: "v" });
  expect(secret.events).toEqual(["audit.secret.created"]);
  const note = await owner("POST /api/v1/notes", { title: `${name} note`, body: "" });
  expect(note.events).toEqual(["note.created"]);
  return since;
}

const deliveriesOf = async (id: string): Promise<any[]> =>
  (await owner(`GET ${HOOKS}/${id}/deliveries`)).body.data.toReversed();
const typesOf = async (id: string) => (await deliveriesOf(id)).map(({ eventType }) => eventType);

/** The deliveries of a webhook, oldest first, after that of the note has finished. */
function noted(id: string): Promise<any[]> {
  return until(async () => {
    const all = await deliveriesOf(id);
    const note = all.find(({ eventType }) => eventType === "note.created");
    return note?.nextAttemptAt === null && all.every((one) => one.nextAttemptAt === null) && all;
  });
}

/** Resolves when the recovery of a webhook has finished. */
function recovered(): Promise<boolean> {
  return until(async () => {
    const jobs = await world.sql("select from jobs where kind = 'webhooks.recover'");
    return jobs.length === 0;
  });
}

/** Creates a webhook for the audit log, with a failed delivery of an audit event. */
async function failedAudit(name: string): Promise<{ id: string; deliveryId: string }> {
  broken.add(name);
  const { id } = await hook(owner, name);
  await happen(name);
  const [first] = await noted(id);
  expect(first).toMatchObject({ eventType: "audit.secret.created", status: "failed" });
  return { id, deliveryId: first.id };
}

test.each(["audit.*", "audit.secret.created", "audit.*.created", "audit"])(
  "only who may read the audit log subscribes to %s",
  async (pattern) => {
    const draft = { name: "Auditor", url: receiver.url, events: ["note.*", pattern] };
    const refused = await builder(`POST ${HOOKS}`, draft);
    expect(refused).toMatchObject(FORBIDDEN);
    expect(refused.body.detail).toBe(
      `Sending ${pattern} to a webhook requires the permission audit:read.`,
    );
    const own = await hook(builder, "Plain");
    const changed = await builder(`PATCH ${HOOKS}/${own.id}`, { events: [pattern] });
    expect(changed).toMatchObject(FORBIDDEN);
    const allowed = await owner(`POST ${HOOKS}`, draft);
    expect(allowed).toMatchObject({ status: 201, events: ["webhook.created"] });
    expect(allowed.body.data.hearsAudit).toBe(true);
  },
);

test("a wildcard pattern includes the audit log only with permission to read it", async () => {
  const [seeing, blind] = [await hook(owner, "ALL"), await hook(builder, "ALL")];
  expect([seeing.hearsAudit, blind.hearsAudit]).toEqual([true, false]);
  await happen("ALL");
  await noted(seeing.id);
  await noted(blind.id);
  expect(await typesOf(seeing.id)).toEqual(["audit.secret.created", "note.created"]);
  expect(await typesOf(blind.id)).toEqual(["note.created"]);
});

describe("access of a webhook to the audit log", () => {
  const patched = async (ask: Ask, id: string, change: object) => {
    const answer = await ask(`PATCH ${HOOKS}/${id}`, change);
    expect(answer).toMatchObject({ status: 200, events: ["webhook.updated"] });
    return answer.body.data.hearsAudit;
  };

  test("uses the rights of the member who last saved its events, and emits a change", async () => {
    const { id } = await hook(owner, "SAVED");
    expect(await patched(builder, id, { name: "Other", url: `${receiver.url}/SAVED` })).toBe(true);
    expect(await patched(builder, id, { events: ["*"] })).toBe(false);
    const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&limit=1`);
    expect(body.data[0].data.changes).toEqual(["hearsAudit", "savedBy"]);
    await happen("SAVED");
    await noted(id);
    expect(await typesOf(id)).toEqual(["note.created"]);
    expect(await patched(owner, id, { name: "SAVED" })).toBe(false);
    expect(await patched(owner, id, { events: ["*"] })).toBe(true);
  });

  test("also uses the rights of the member who changed its URL", async () => {
    const { id } = await hook(owner, "TURNED");
    expect(await patched(builder, id, { url: `${receiver.url}/elsewhere` })).toBe(false);
    const named = await hook(owner, "NAMED", { events: ["audit.*"] });
    const away = await builder(`PATCH ${HOOKS}/${named.id}`, { url: `${receiver.url}/away` });
    expect(away).toMatchObject(FORBIDDEN);
    expect(await patched(owner, named.id, { url: `${receiver.url}/away` })).toBe(true);
  });
});

test("a resume and a recovery send missed events without the audit log", async () => {
  const { id } = await hook(builder, "MISSED", { status: "paused" });
  const since = await happen("MISSED");
  await builder(`POST ${HOOKS}/${id}/resume`, { from: "pausedAt" });
  await caughtUp(world, id);
  expect(await typesOf(id)).toEqual(["note.created"]);
  await builder(`POST ${HOOKS}/${id}/recover`, { since });
  await recovered();
  expect(await typesOf(id)).toEqual(["note.created"]);
  // The same with a webhook that receives the audit log.
  await owner(`PATCH ${HOOKS}/${id}`, { events: ["*"] });
  await owner(`POST ${HOOKS}/${id}/recover`, { since });
  await recovered();
  expect(await typesOf(id)).toEqual(["audit.secret.created", "note.created"]);
});

test("earlier audit deliveries are not sent again without permission", async () => {
  const { id, deliveryId } = await failedAudit("AGAIN");
  await builder(`PATCH ${HOOKS}/${id}`, { url: `${receiver.url}/taken` });
  for (const verb of ["retry", "replay"]) {
    const refused = await builder(`POST ${HOOKS}/${id}/deliveries/${deliveryId}/${verb}`);
    expect(refused).toMatchObject(FORBIDDEN);
    expect(refused.body.detail).toBe(
      "Sending this event to this webhook requires the permission audit:read.",
    );
  }
  await builder(`POST ${HOOKS}/${id}/recover`, { since: "2020-01-01T00:00:00Z" });
  await recovered();
  await until(async () => (await deliveriesOf(id))[1].status === "succeeded");
  expect(await deliveriesOf(id)).toMatchObject([
    { id: deliveryId, status: "failed", attempts: 1 },
    { eventType: "note.created", status: "succeeded", attempts: 2 },
  ]);
  const events = () => receiver.received.filter(({ path }) => path === "/taken");
  expect(events().map(({ body }) => body.event)).toEqual(["note.created"]);
  // Even a caller who may read it cannot retry: it is sent as the webhook's last editor sees it.
  const retry = () => owner(`POST ${HOOKS}/${id}/deliveries/${deliveryId}/retry`);
  expect(await retry()).toMatchObject(FORBIDDEN);
  await owner(`PATCH ${HOOKS}/${id}`, { events: ["*"] });
  const retried = await retry();
  expect(retried).toMatchObject({ status: 200, events: ["webhook.delivery_retried"] });
  expect(events().map(({ body }) => body.event)).toEqual(["note.created", "audit.secret.created"]);
});

test("a caller without audit:read can retry what the webhook may receive", async () => {
  const { id, deliveryId } = await failedAudit("TRUSTED");
  broken.delete("TRUSTED");
  const retried = await builder(`POST ${HOOKS}/${id}/deliveries/${deliveryId}/retry`);
  expect(retried).toMatchObject({
    status: 200,
    body: { data: { status: "succeeded" } },
    events: ["webhook.delivery_retried"],
  });
});

test("a delivery shows the body of an audit event only with permission to read it", async () => {
  const { id } = await hook(owner, "SHOWN");
  await happen("SHOWN");
  const [audit, note] = await noted(id);
  const bodyFor = async (ask: Ask, one: any) => {
    const { status, body } = await ask(`GET ${HOOKS}/${id}/deliveries/${one.id}`);
    expect(status).toBe(200);
    return body.data.request.body;
  };
  const sent = receiver.received.filter(({ path }) => path === "/SHOWN");
  const textOf = (one: any) => sent.find(({ body }) => body.id === one.id)?.text;
  expect(await bodyFor(owner, audit)).toBe(textOf(audit));
  expect(await bodyFor(viewer, audit)).toBeNull();
  expect(await bodyFor(builder, audit)).toBeNull();
  expect(await bodyFor(viewer, note)).toBe(textOf(note));
});

test("previews omit unreadable events", async () => {
  await happen("PREVIEWED");
  const typesFor = async (ask: Ask, events: readonly string[]) => {
    const filter = { type: { in: ["audit.secret.created", "note.created"] } };
    const answer = await ask(`POST ${HOOKS}/preview`, { events, filter, limit: 200 });
    expect(answer).toMatchObject({ status: 200, events: [] });
    return new Set(answer.body.data.events.map(({ type }: any) => type));
  };
  const all = new Set(["audit.secret.created", "note.created"]);
  expect(await typesFor(owner, ["*"])).toEqual(all);
  for (const ask of [builder, viewer]) {
    expect(await typesFor(ask, ["*"])).toEqual(new Set(["note.created"]));
    expect(await typesFor(ask, ["audit.*"])).toEqual(new Set());
  }
});
