import { generateKeyPairSync, sign as signText } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { climbTree, refuteProof } from "../../../../../cli/src/proof.ts";
import { signLog } from "./checkpoint-job.ts";
import { buildPath, hashLeaf, rootOf } from "./merkle-tree.ts";

const HOUR_MS = 3_600_000;
const world = await useWorld();
const owner = await world.member(["owner"]);

const write = async (title: string, environment = "production"): Promise<string> => {
  await owner(
    "POST /api/v1/notes",
    { title, body: "€ and \u2028" },
    { "x-environment": environment },
  );
  const [row] = await world.sql("select resource_id from events where resource_name = $1", [title]);
  const { body } = await owner(`GET /api/v1/audit?resourceId=${row.resource_id}`, undefined, {
    "x-environment": environment,
  });
  return body.data[0].id;
};
const sign = async (): Promise<void> => {
  await world.settled();
  await signLog(world.kernel, world.home);
};
const prove = (eventId: string, environment = "production") =>
  owner(`GET /api/v1/audit/proof?eventId=${eventId}`, undefined, { "x-environment": environment });
const verifyAll = async () => {
  const { status, body } = await owner("GET /api/v1/audit/verification");
  expect(status).toBe(200);
  return body.data;
};

test("the next checkpoint proves an event without the server, and the proof fits no other event", async () => {
  const events = [await write("First"), await write("Second"), await write("Third")];
  const staged = await write("Staged", "staging");
  expect(await prove(events[0] ?? "")).toMatchObject({
    status: 409,
    body: { code: "event_not_signed" },
  });
  await sign();
  world.clock.advance(HOUR_MS);
  for (const id of events) {
    const { status, body, events: told } = await prove(id);
    expect({ status, told }).toEqual({ status: 200, told: [] });
    expect(refuteProof(body.data)).toBeUndefined();
    expect(refuteProof(body.data, body.data.publicKey)).toBeUndefined();
    expect(refuteProof(body.data, "00")).toBe("The checkpoint is signed with a different key.");
    const forged = { ...body.data, event: { ...body.data.event, type: "note.deleted" } };
    expect(refuteProof(forged)).toBe("The event was changed after it was signed.");
    const moved = { ...body.data, index: (body.data.index + 1) % body.data.count };
    expect(refuteProof(moved)).toBe("The event was changed after it was signed.");
  }
  expect(refuteProof((await prove(staged, "staging")).body.data)).toBeUndefined();
  expect((await prove(staged)).status).toBe(404);
  expect(await verifyAll()).toMatchObject({ intact: true, mismatches: [], next: null });
});

test("checkpoints form a chain without gaps, and hours without events have none", async () => {
  await write("Fourth");
  await sign();
  await sign();
  const { body } = await owner("GET /api/v1/audit/checkpoints?limit=1");
  const [latest] = body.data;
  const rest = (await owner(`GET /api/v1/audit/checkpoints?after=${body.pagination.nextCursor}`))
    .body.data;
  const all = [latest, ...rest].toReversed();
  expect(all.map(({ number }: any) => number)).toEqual(all.map((_, index) => index + 1));
  for (const [index, checkpoint] of all.entries()) {
    expect(JSON.parse(checkpoint.statement).previous).toBe(all[index - 1]?.hash ?? "");
  }
});

describe("detects manual changes to the database", () => {
  test("an edited event, by its proof and by the verification", async () => {
    const id = await write("Edited");
    await sign();
    expect((await prove(id)).status).toBe(200);
    await world.sql(
      `update events set data = jsonb_set(data, '{body}', '"Nothing happened."') where resource_name = 'Edited'`,
    );
    expect(await prove(id)).toMatchObject({ status: 409, body: { code: "log_altered" } });
    expect(await verifyAll()).toMatchObject({
      intact: false,
      mismatches: [{ kind: "altered", eventId: id }],
    });
    await world.sql(
      `update events set data = jsonb_set(data, '{body}', to_jsonb($1::text)) where resource_name = 'Edited'`,
      ["€ and \u2028"],
    );
    expect(await verifyAll()).toMatchObject({ intact: true });
  });

  test("a deleted or inserted event, unless retention could have deleted it", async () => {
    await write("Deleted");
    await sign();
    const [copy] = await world.sql("select * from events where resource_name = 'Deleted'");
    await world.sql("delete from events where resource_name = 'Deleted'");
    expect((await verifyAll()).mismatches).toMatchObject([{ kind: "missing", eventId: null }]);
    const columns = Object.keys(copy);
    const values = columns.map((name) =>
      name === "data" ? JSON.stringify(copy[name]) : copy[name],
    );
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    await world.sql(
      `insert into events (${columns.join(", ")}) overriding system value values (${places})`,
      values,
    );
    expect(await verifyAll()).toMatchObject({ intact: true });
    await world.sql(
      `insert into events (${columns.join(", ")}) overriding system value
       select ${columns.map((name) => (name === "seq" ? "seq - 1" : name)).join(", ")}
         from events where resource_name = 'Deleted'`,
    );
    expect((await verifyAll()).mismatches).toMatchObject([{ kind: "added" }]);
    await world.sql("delete from events where resource_name = 'Deleted' and seq < $1", [copy.seq]);
  });

  test("deleted hashes, even if the row claims a deletion by retention", async () => {
    await write("Forgotten");
    await sign();
    const last = "number = (select max(number) from log_checkpoints)";
    const [kept] = await world.sql(
      `select number, leaves, first_at from log_checkpoints where ${last}`,
    );
    const { number } = kept;
    await world.sql(
      `update log_checkpoints set leaves = null, first_at = 'epoch', created_at = 'epoch' where ${last}`,
    );
    expect((await verifyAll()).mismatches).toEqual([
      { checkpoint: number, kind: "checkpoint", eventId: null },
    ]);
    await world.sql(`update log_checkpoints set leaves = $1 where ${last}`, [kept.leaves]);
    await world.sql("delete from events where resource_name = 'Forgotten'");
    expect((await verifyAll()).mismatches).toMatchObject([{ checkpoint: number, kind: "missing" }]);
  });

  test("a history signed with a replaced key", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const rows = await world.sql("select number, statement, signature from log_checkpoints");
    const [key] = await world.sql("select public_key from log_signing_keys");
    const store = async (signatures: readonly Buffer[], spki: Buffer): Promise<void> => {
      for (const [index, { number }] of rows.entries()) {
        await world.sql("update log_checkpoints set signature = $1 where number = $2", [
          signatures[index],
          number,
        ]);
      }
      await world.sql("update log_signing_keys set public_key = $1", [spki]);
    };
    const forged = rows.map(({ statement }) => signText(null, Buffer.from(statement), privateKey));
    await store(forged, publicKey.export({ format: "der", type: "spki" }));
    const { mismatches } = await verifyAll();
    expect(mismatches.filter(({ kind }: any) => kind === "checkpoint")).toHaveLength(rows.length);
    await store(
      rows.map(({ signature }) => signature),
      key.public_key,
    );
  });

  test("a checkpoint rewritten without the key", async () => {
    await world.sql(
      "update log_checkpoints set statement = replace(statement, '\"v\":1', '\"v\": 1') where number = 1",
    );
    const mismatches = [{ checkpoint: 1, kind: "checkpoint", eventId: null }];
    expect((await verifyAll()).mismatches).toContainEqual(mismatches[0]);
    await world.sql("update log_checkpoints set hash = sha256(statement::bytea) where number = 1");
    expect((await verifyAll()).mismatches).toContainEqual(mismatches[0]);
  });
});

test("the application can't delete a checkpoint, and other workspaces cannot see it", async () => {
  const grants = await world.sql(
    `select privilege_type from information_schema.table_privileges
      where table_name = 'log_checkpoints' and grantee like 'millrace_app%' order by 1`,
  );
  expect(grants.map((row) => row.privilege_type)).toEqual(["INSERT", "SELECT"]);
  const [row] = await world.sql(
    "select id from (select resource_id as id from events where resource_name = 'First') e",
  );
  const { body } = await owner(`GET /api/v1/audit?resourceId=${row.id}`);
  const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await elsewhere(`GET /api/v1/audit/proof?eventId=${body.data[0].id}`)).status).toBe(404);
  expect((await elsewhere("GET /api/v1/audit/checkpoints")).body.data).toEqual([]);
  const agent = await world.member(["agent"]);
  expect((await agent("GET /api/v1/audit/verification")).status).toBe(403);
});

test("the verifier accepts the proofs of trees of any size", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (count, seed) => {
      const index = seed % count;
      const leaves = Array.from({ length: count }, (_, n) => hashLeaf(`event ${n}`));
      const path = buildPath(leaves, index).map((hash) => hash.toString("hex"));
      const leaf = leaves[index] ?? Buffer.of();
      const root = rootOf(leaves);
      const isOther = climbTree(leaf, { index: index + 1, count }, path)?.equals(root) ?? false;
      return climbTree(leaf, { index, count }, path)?.equals(root) === true && !isOther;
    }),
  );
});
