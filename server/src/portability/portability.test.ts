import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { signLog } from "#domains/audit/testing/sign-log.ts";
import { findEnforcedSso } from "#domains/identity/sso/enforcement/index.ts";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { secretUser } from "#kernel/testing/secret-user.ts";
import { type World } from "#kernel/testing/world.ts";
import { refuteProof } from "../../../cli/src/proof.ts";
import { computeMac, derivePassphraseKeys } from "./archive/passphrase.ts";
import { nextFrame, readArchive, readArchiveFile } from "./archive/reader.ts";
import { LEFT_OUT, readCatalogue, SEALED_COLUMNS, SEALED_TABLES, SIGNED } from "./catalogue.ts";
import { releaseHeldRows } from "./import/activate-workspace.ts";
import { parseManifest } from "./import/archive-content.ts";
import { recordActivation, recordImport } from "./import/record-acts.ts";
import { alterArchive } from "./testing/altered-archive.ts";
import { fillSmall, openTicket, useArchiveWorlds, withValue } from "./testing/archive-worlds.ts";
import { hostileArchives } from "./testing/hostile-archives.ts";
import { fillWorkspace } from "./testing/filled-workspace.ts";

const PASSPHRASE = "correct horse battery";
const { folder, source, target, ownerOf, writeArchive, readIn, discard, act, dump } =
  await useArchiveWorlds();
// Both worlds are copies of one template with the same home workspace.
const full = await source.workspace("full");
const person = await source.member(["owner"], full);
const colleague = await source.member(["owner"], full);
const small = await source.workspace("small");
const smallOwner = await source.member(["owner"], small);
const smallArchive = join(folder, "small");

const NODE = { id: "one", type: "transform", config: { expression: "1" } };
beforeAll(async () => {
  await fillSmall(smallOwner);
  await deployWorkflow(smallOwner, [NODE]);
  await writeArchive("small", smallArchive);
});

test("covers new tables: sealed values need a passphrase, and work is held with its run", async () => {
  const { tables, foreignKeys } = await withOwnerClient(ownerOf(source), readCatalogue);
  const sealed = await source.sql(
    `select attrelid::regclass::text as name, attnotnull as required from pg_attribute
      where attname = 'sealed' and not attisdropped order by 1`,
  );
  for (const { name, required } of sealed.filter(({ name: one }) => !LEFT_OUT.has(one)))
    expect(required ? SEALED_TABLES.has(name) : SEALED_COLUMNS.has(name), name).toBe(true);
  const ofRuns = foreignKeys.filter(({ parent }) => parent === "runs").map(({ child }) => child);
  for (const child of ofRuns)
    expect(tables.find(({ name }) => name === child)?.open, child).toBeDefined();
});

test("rejects an altered archive with a message, and nothing of it remains or is visible", async () => {
  const path = join(folder, "hostile");
  const other = await target.member(["owner"]);
  const stranger = other.userId;
  const bytes = readFileSync(smallArchive);
  const before = await target.sql("select count(*)::int as n from workspaces");
  for (const [message, arrange] of hostileArchives({ from: smallArchive, to: path, stranger })) {
    await arrange();
    const slug = message.includes("another workspace") ? "default" : "hostile";
    await expect(readIn(path, slug), message).rejects.toThrow(message);
    await discard(slug).catch(() => undefined);
  }
  // Changes a byte in a head, a content or a length.
  for (const at of [25, 40, Math.floor(bytes.length / 2), bytes.length - 20]) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
    writeFileSync(path, flipped);
    await expect(readIn(path, "hostile"), `byte ${at}`).rejects.toThrow(/The archive|JSON/);
    await discard("hostile").catch(() => undefined);
  }
  expect(await target.sql("select count(*)::int as n from workspaces")).toEqual(before);
  expect([...(await dump(target, small.key)).keys()]).toEqual([]);
  expect(await target.sql("select count(*)::int as n from workspace_imports")).toEqual([{ n: 0 }]);
});

test("rows of an archive cannot affect other workspaces, by triggers or at activation", async () => {
  const path = join(folder, "reaching");
  const other = await target.member(["owner"]);
  const ticket = await openTicket(other);
  const workflow = await deployWorkflow(other, [NODE]);
  const read = () => target.sql("select to_jsonb(t) as row from tickets t where id = $1", [ticket]);
  const [version] = await target.sql("select id from workflow_versions where workflow_id = $1", [
    workflow,
  ]);
  const before = await read();
  // Later, so that its comment would be the ticket's last one.
  const reaching = await source.member(["owner"], await source.workspace("reaching"));
  await openTicket(reaching);
  await deployWorkflow(reaching, [NODE]);
  await writeArchive("reaching", join(folder, "own"));
  const [victim] = await target.sql("select key from workspaces where slug = 'default'");
  const payload = JSON.stringify({ workspace: victim.key.replaceAll("-", "").toUpperCase() });
  await alterArchive(join(folder, "own"), path, (head, content) => {
    if (head.kind !== "rows") return { head, content };
    const set = (column: string, value: string) =>
      Buffer.from(withValue(content.toString("latin1"), head, column, value), "latin1");
    if (head.table === "ticket_comments") return { head, content: set("ticket_id", ticket) };
    if (head.table === "jobs") return { head, content: set("payload", payload) };
    if (head.table === "workflow_deployments")
      return { head, content: set("version_id", version.id) };
    return { head, content };
  });
  const { key, slug } = await readIn(path, "reaching");
  expect(await read()).toEqual(before);
  await act(key, (ctx) => recordImport(ctx, { key, slug, exportedAt: "" }));
  await expect(releaseHeldRows(ownerOf(target), target.kernel, key)).rejects.toThrow(
    "has a job for another workspace",
  );
  await target.sql("delete from held_rows where workspace_id = $1 and table_name = 'jobs'", [key]);
  await expect(releaseHeldRows(ownerOf(target), target.kernel, key)).rejects.toThrow(
    "has a row of workflow_deployments that refers to another workspace",
  );
});

test("never unpacks a frame that exceeds its declared size", async () => {
  const path = join(folder, "bomb");
  await alterArchive(smallArchive, path, (head, content) => ({
    head,
    content:
      head.kind === "rows" && head.table === "files" ? Buffer.alloc(32 * 1_048_576, 65) : content,
  }));
  const bytes = readFileSync(path);
  // The head declares 32 MiB. This declares less with the same length.
  const text = bytes.toString("latin1").replace(`"bytes":${32 * 1_048_576}`, `"bytes":10000000`);
  writeFileSync(path, Buffer.from(text, "latin1"));
  expect(statSync(path).size).toBeLessThan(200_000);
  await expect(readIn(path, "hostile")).rejects.toThrow("a checksum does not match");
  await discard("hostile");
});
test("an import never continues with bytes of another archive", async () => {
  const path = join(folder, "swapped");
  await alterArchive(smallArchive, path, (head, content) => ({
    head,
    content:
      head.kind === "rows" && head.table === "user_tables"
        ? Buffer.from(content.toString().replaceAll("Orders", "Planted"))
        : content,
  }));
  truncateSync(path, Math.floor(statSync(path).size * 0.95));
  await expect(readIn(path, "swapped")).rejects.toThrow("is incomplete");
  await expect(readIn(smallArchive, "swapped")).rejects.toThrow("from another archive");
  await discard("swapped");
});

test("an import interrupted anywhere continues with the same result", async () => {
  const path = join(folder, "cut");
  const size = statSync(smallArchive).size;
  for (const part of [0.3, 0.6, 0.9]) {
    copyFileSync(smallArchive, path);
    truncateSync(path, Math.floor(size * part));
    await expect(readIn(path, "cut")).rejects.toThrow("is incomplete");
    expect(await target.sql("select from workspaces where slug = 'cut'")).toEqual([]);
  }
  const [{ frames }] = await target.sql("select frames from workspace_imports");
  expect(frames).toBeGreaterThan(3);
  const people = () => target.sql("select id, email from users order by id");
  const known = await people();
  const { key, slug } = await readIn(smallArchive, "cut");
  await act(key, (ctx) => recordImport(ctx, { key, slug, exportedAt: "" }));
  // A complete but inactive import is also discarded, with its account.
  expect((await people()).length).toBe(known.length + 1);
  await discard("cut");
  expect(await people()).toEqual(known);
  expect([...(await dump(target, key)).keys()]).toEqual([]);
  await expect(discard("cut")).rejects.toThrow("waits for activation");
  await readIn(smallArchive, "cut");
  await act(key, (ctx) => recordImport(ctx, { key, slug, exportedAt: "" }));
  expect(
    await target.sql(
      "select type from events where workspace_id = $1 and type like 'audit.workspace.%'",
      [key],
    ),
  ).toEqual([{ type: "audit.workspace.imported" }]);
  await expect(readIn(smallArchive, "cut")).rejects.toThrow("already in this installation");
  const there = await dump(target, key);
  const here = await dump(source, key);
  const orders = [...here.keys()].find((name) => name.endsWith(".orders")) ?? "";
  expect(there.get(orders)).toEqual(here.get(orders));
  // Without a passphrase, sealed values are not included.
  expect([here.has("secrets"), there.has("secrets")]).toEqual([true, false]);
});

test("moves a workspace to another installation: identical rows, matched users, a signed log, and running work after activation", async () => {
  await fillWorkspace(source, person);
  await source.settled();
  await signLog(source.kernel, full.key);
  await source.sql(
    `insert into connector_grants (workspace_id, connector_id, client, sealed, granted_by, granted_at)
     select workspace_id, id, 'client', 'token of a colleague', $2, now() from connectors where workspace_id = $1 limit 1`,
    [full.key, colleague.userId],
  );
  // One of its users has an account there with another id.
  const known = await target.member([]);
  await target.sql("update users set email = $2 where id = $1", [
    known.userId,
    `${colleague.userId}@example.com`,
  ]);
  const fail = () =>
    target.stranger("POST /api/v1/auth/token", {
      email: `${colleague.userId}@example.com`,
      password: "a wrong password",
    });
  expect((await fail()).events).toEqual(["audit.auth.login_failed"]);
  const path = join(folder, "whole");
  const summary = await writeArchive("full", path, PASSPHRASE);
  await expect(readIn(path, "moved")).rejects.toThrow("MILLRACE_PASSPHRASE");
  await expect(readIn(path, "moved", "another passphrase")).rejects.toThrow(
    "The passphrase is wrong",
  );
  const here = await dump(source, full.key);
  const { key } = await readIn(path, "moved", PASSPHRASE);
  await act(key, (ctx) => recordImport(ctx, { key, slug: "moved", exportedAt: "" }));

  // Paused: it can be read, and it contains no automatic work.
  await target.kernel.maintenance.load();
  const agent = target.asToken(known.token, "moved");
  expect((await agent("GET /api/v1/itsm/incidents")).status).toBe(200);
  expect(await agent("POST /api/v1/itsm/incidents", { title: "New" })).toMatchObject({
    status: 409,
    body: { code: "workspace_paused" },
    events: [],
  });
  const paused = await dump(target, key);
  expect(
    [...summary.open.keys()].every(
      (table) =>
        !paused.has(table) ||
        table.startsWith("run") ||
        table === "deliveries" ||
        table === "sla_clocks",
    ),
  ).toBe(true);
  expect(
    await target.sql("select count(*)::int as n from held_rows where workspace_id = $1", [key]),
  ).not.toEqual([{ n: 0 }]);

  await releaseHeldRows(ownerOf(target), target.kernel, key);
  await act(key, (ctx) => recordActivation(ctx, { key, slug: "moved" }));
  const there = await dump(target, key);
  const expected = new Map(
    Array.from(here, ([name, rows]) => [
      name,
      SIGNED.has(name)
        ? rows
        : rows.map((row) => row.replaceAll(colleague.userId, known.userId)).toSorted(),
    ]),
  );
  expected.set(
    "workspaces",
    expected.get("workspaces")?.map((row) => row.replace('"slug": "full"', '"slug": "moved"')) ??
      [],
  );
  expected.set(
    "jobs",
    expected.get("jobs")?.filter((row) => !row.includes("kernel.send_mail")) ?? [],
  );
  const told = there.get("events")?.filter((row) => !row.includes('"audit.workspace.')) ?? [];
  there.set("events", told);
  // User consents and the signing key of the log are not included.
  expect(here.has("connector_grants")).toBe(false);
  expect(await target.sql("select from connector_grants where workspace_id = $1", [key])).toEqual(
    [],
  );
  expected.delete("log_signing_keys");
  there.delete("log_signing_keys");
  for (const [name, rows] of expected) expect(there.get(name) ?? [], name).toEqual(rows);
  expect([...there.keys()].filter((name) => !expected.has(name))).toEqual([]);

  // Secrets open, the chain of the log continues, and work resumes.
  const names = (await source.sql("select name from secrets where workspace_id = $1", [key])).map(
    ({ name }) => name,
  );
  const values = async ({ kernel }: World) => [
    ...(await kernel.secrets.read({ workspace: key, environment: "production" }, names, secretUser))
      .values,
  ];
  expect(names.length).toBeGreaterThan(0);
  expect(await values(target)).toEqual(await values(source));
  await target.kernel.maintenance.load();
  await target.settled();
  const verify = async () => (await agent("GET /api/v1/audit/verification")).body.data;
  expect(await verify()).toMatchObject({ intact: true });
  await signLog(target.kernel, key);
  expect(await verify()).toMatchObject({ intact: true });
  await verifyHandOver(key, agent, verify);
  const created = await agent("POST /api/v1/itsm/incidents", {
    title: "Goes on",
  });
  expect(created).toMatchObject({ status: 201, events: ["incident.created"] });
  // Earlier events of a user's account are not visible to a workspace imported with their membership.
  const failures = async () =>
    (await agent("GET /api/v1/audit?type=audit.auth.login_failed")).body.data.length;
  expect(await failures()).toBe(0);
  await fail();
  expect(await failures()).toBe(1);
  // The imported identity provider cannot control their sign-in elsewhere, because they did not agree.
  const enforcing = await target.sql(
    "update sso_configurations set enforce_sso = true, set_up_by = $2 where workspace_id = $1 returning protocol",
    [key, known.userId],
  );
  expect(enforcing).toHaveLength(1);
  const enforced = () => findEnforcedSso(target.kernel, known.userId, "https://example.com");
  expect(await enforced()).toBeUndefined();
  await target.sql("update memberships set created_at = now() where workspace_id = $1", [key]);
  expect(await enforced()).toMatchObject({ slug: "moved" });
});

/** The old key still verifies its checkpoints, and only the first checkpoint of the new installation names it. */
async function verifyHandOver(
  key: string,
  ask: (request: string) => Promise<any>,
  verify: () => Promise<any>,
): Promise<void> {
  const keysOf = ({ sql }: World) =>
    sql(
      `select encode(public_key, 'hex') as public, sealed is not null as private, last_checkpoint as last
         from log_signing_keys where workspace_id = $1 order by last_checkpoint nulls last`,
      [key],
    );
  const [old] = await keysOf(source);
  const { body } = await ask("GET /api/v1/audit/checkpoints?limit=100");
  const statements = body.data.map(({ statement }: any) => JSON.parse(statement)).toReversed();
  const last = statements.findIndex(({ previousKey }: any) => previousKey !== undefined);
  expect(old).toMatchObject({ private: true, last: null });
  expect(await keysOf(target)).toEqual([
    { public: old.public, private: false, last },
    { public: expect.not.stringMatching(old.public), private: true, last: null },
  ]);
  expect(
    statements.flatMap(({ previousKey, number }: any) => (previousKey ? [number] : [])),
  ).toEqual([last + 1]);
  expect(statements[last].previousKey).toBe(old.public);
  const proved = await ask(`GET /api/v1/audit/proof?eventId=${statements[0].first}`);
  expect(refuteProof(proved.body.data, old.public)).toBeUndefined();
  // A replaced old key is detected.
  const { publicKey } = generateKeyPairSync("ed25519");
  await target.sql(
    "update log_signing_keys set public_key = $2 where workspace_id = $1 and sealed is null",
    [key, publicKey.export({ format: "der", type: "spki" })],
  );
  expect(await verify()).toMatchObject({ intact: false });
  await target.sql(
    "update log_signing_keys set public_key = decode($2, 'hex') where workspace_id = $1 and sealed is null",
    [key, old.public],
  );
  expect(await verify()).toMatchObject({ intact: true });
}

test("never signs with a private key from an archive, because its author knows it", async () => {
  const made = await source.workspace("signed");
  const signer = await source.member(["owner"], made);
  await signer("POST /api/v1/notes", { title: "Signed", body: "" });
  await source.settled();
  await signLog(source.kernel, made.key);
  const [from, to] = [join(folder, "signed"), join(folder, "signed-by-owner")];
  await writeArchive("signed", from, PASSPHRASE);
  const first = await nextFrame(readArchive(readArchiveFile(from)));
  const { secrets } = parseManifest(await first.content());
  const keys = await derivePassphraseKeys(PASSPHRASE, Buffer.from(secrets?.salt ?? "", "base64"));
  let altered = 0;
  await alterArchive(from, to, (head, content) => {
    if (head.kind === "end")
      return { head: { ...head, mac: computeMac(keys, head.total) }, content };
    if (head.kind !== "rows" || head.table !== "log_signing_keys") return { head, content };
    altered += 1;
    const lines = withValue(content.toString("latin1"), head, "sealed", "\\\\x00ff");
    return { head, content: Buffer.from(lines, "latin1") };
  });
  expect(altered).toBe(1);
  const { key } = await readIn(to, "signed-by-owner", PASSPHRASE);
  expect(
    await target.sql(
      "select from log_signing_keys where workspace_id = $1 and sealed is not null",
      [key],
    ),
  ).toEqual([]);
});
