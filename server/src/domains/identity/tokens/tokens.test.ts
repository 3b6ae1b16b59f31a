import { describe, expect, test } from "vitest";
import { Kernel } from "#kernel/kernel.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { startWorld, TestClock, until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ env: { MILLRACE_TRUST_PROXY: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);

const draft = {
  name: "Robot",
  expiresIn: null,
  scopes: ["workspaces:read", "tokens:write", "tokens:read"],
};
const make = async (body: object = {}) => {
  const answer = await owner("POST /api/v1/auth/tokens", { ...draft, ...body });
  return { ...answer.body.data, ask: world.asToken(answer.body.data?.token, "default"), answer };
};

describe("a token", () => {
  test("is shown only once", async () => {
    const { answer, token, id } = await make({ expiresIn: "30d" });
    expect(answer).toMatchObject({ status: 201, events: ["audit.token.created"] });
    expect(token).toMatch(/^mr_[\w-]{47}$/);
    const { body } = await owner("GET /api/v1/auth/tokens?limit=200");
    expect(body.data.map((one: { id: string }) => one.id)).toContain(id);
    expect(JSON.stringify(body)).not.toContain(token);
    const audit = await owner("GET /api/v1/audit?type=audit.token.*&limit=200");
    expect(JSON.stringify(audit.body)).not.toContain(token);
  });

  test("acts as the user within the token scopes, and the log shows the token", async () => {
    const { ask, id } = await make({ scopes: ["workspaces:read", "workspaces:write"] });
    expect(await ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    expect(await ask("GET /api/v1/audit")).toMatchObject({ status: 403 });
    const changed = await ask("PATCH /api/v1/workspaces/default", { description: "By a robot" });
    expect(changed).toMatchObject({ status: 200, events: ["workspace.updated"] });
    const { body } = await owner("GET /api/v1/audit?limit=1&type=workspace.updated");
    expect(body.data[0].actor).toEqual({ id, name: "Robot", type: "api_token" });
  });

  test("does not exceed the user's current rights", async () => {
    const builder = await world.member(["builder", "auditor"]);
    const { body } = await builder("POST /api/v1/auth/tokens", {
      ...draft,
      scopes: ["audit:read"],
    });
    const robot = world.asToken(body.data.token, "default");
    expect(await robot("GET /api/v1/audit")).toMatchObject({ status: 200 });
    await owner(`DELETE /api/v1/settings/users/${builder.userId}/roles/auditor`);
    expect(await robot("GET /api/v1/audit")).toMatchObject({ status: 403 });
  });

  test.each([
    [{ scopes: ["moon:read"] }, 422, "/scopes/0"],
    [{ scopes: [] }, 422, "/scopes"],
    [{ expiresIn: "0d" }, 422, "/expiresIn"],
    [{ expiresIn: "5h" }, 422, "/expiresIn"],
    [{ expiresIn: undefined }, 422, "/expiresIn"],
    [{ ipAllowlist: ["10.0.0.0/99"] }, 422, "/ipAllowlist/0"],
    [{ ipAllowlist: [] }, 422, "/ipAllowlist"],
  ])("with %o is refused", async (wrong, status, path) => {
    const answer = await owner("POST /api/v1/auth/tokens", { ...draft, ...wrong });
    expect(answer).toMatchObject({ status, events: [] });
    expect(answer.body.errors[0].path).toBe(path);
  });

  test("rejects a scope that its creator does not have", async () => {
    const viewer = await world.member(["viewer"]);
    const answer = await viewer("POST /api/v1/auth/tokens", {
      ...draft,
      scopes: ["workspaces:write"],
    });
    expect(answer).toMatchObject({ status: 403, events: [] });
  });

  test("belongs to one workspace", async () => {
    const { token } = await make();
    await owner("POST /api/v1/workspaces", { name: "Second", slug: "second" });
    expect(await world.asToken(token, "second")("GET /api/v1/workspaces/me")).toMatchObject({
      status: 403,
      body: { code: "workspace_forbidden" },
    });
    const { body } = await world.asToken(token)("GET /api/v1/workspaces");
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(["default"]);
    const maker = await make({ scopes: ["workspaces:create"] });
    expect(await maker.ask("POST /api/v1/workspaces", { name: "Third" })).toMatchObject({
      status: 403,
      body: { code: "session_confined" },
      events: [],
    });
  });

  test("rejects a wrong checksum without a lookup", async () => {
    const { token } = await make();
    const bent = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    expect(await world.asToken(bent, "default")("GET /api/v1/workspaces/me")).toMatchObject({
      status: 401,
    });
  });

  test("expires at its time", async () => {
    await using apart = await startWorld();
    const somebody = await apart.member(["owner"]);
    const { body } = await somebody("POST /api/v1/auth/tokens", { ...draft, expiresIn: "2d" });
    const robot = apart.asToken(body.data.token, "default");
    expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    apart.clock.advance(2 * 24 * 3_600_000);
    expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
  });
});

describe("a token that creates a token", () => {
  const bounded = { ipAllowlist: ["127.0.0.0/8", "2001:db8::/32"], expiresIn: "30d" };
  const wider = { status: 403, body: { code: "forbidden" }, events: [] };

  test("passes on its address restrictions, which can only be narrowed", async () => {
    const { ask } = await make({ ...bounded, expiresIn: null });
    const child = (ipAllowlist?: string[]) =>
      ask("POST /api/v1/auth/tokens", { ...draft, ...(ipAllowlist && { ipAllowlist }) });
    const same = await child();
    expect(same).toMatchObject({
      status: 201,
      body: { data: { ipAllowlist: bounded.ipAllowlist } },
      events: ["audit.token.created"],
    });
    expect(same.headers["location"]).toBe(`/api/v1/auth/tokens/${same.body.data.id}`);
    expect(await child(["127.0.0.1", "2001:db8:7::/48"])).toMatchObject({ status: 201 });
    for (const range of ["0.0.0.0/0", "127.0.0.0/7", "10.0.0.0/8", "::/0", "::ffff:127.0.0.1/40"]) {
      expect(await child(["127.0.0.1", range]), range).toMatchObject(wider);
    }
  });

  test("cannot create one that outlives it", async () => {
    const { ask } = await make({ expiresIn: "30d" });
    const child = (expiresIn: string | null) =>
      ask("POST /api/v1/auth/tokens", { ...draft, expiresIn });
    expect(await child("29d")).toMatchObject({ status: 201, events: ["audit.token.created"] });
    expect(await child("31d")).toMatchObject(wider);
    expect(await child(null)).toMatchObject(wider);
  });

  test("cannot rotate a token with wider limits", async () => {
    const { ask } = await make(bounded);
    const free = await make();
    expect(await ask("POST /api/v1/auth/tokens/rotate", { id: free.id })).toMatchObject(wider);
    expect(await free.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    const narrow = await make({ ...bounded, expiresIn: "3d" });
    const rotated = await ask("POST /api/v1/auth/tokens/rotate", { id: narrow.id });
    expect(rotated).toMatchObject({ status: 201, events: ["audit.token.rotated"] });
    expect(rotated.headers["location"]).toBe(`/api/v1/auth/tokens/${rotated.body.data.id}`);
  });
});

describe("revocation and rotation", () => {
  test("a revoked token ends immediately", async () => {
    const { ask, id } = await make();
    expect(await ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    expect(await owner(`DELETE /api/v1/auth/tokens/${id}`)).toMatchObject({
      status: 204,
      events: ["audit.token.revoked"],
    });
    expect(await ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
  });

  test("another node drops it from its cache on the event, not on expiry", async () => {
    const { token, id } = await make();
    const { settings, domains, log } = world.kernel;
    const nowMs = world.clock.nowMs();
    const other = await Kernel.open({
      database: world.database,
      settings,
      domains,
      log,
      masterKey: TEST_KEY,
      // The clock of that kernel stands still, so its cache never expires.
      clock: Object.assign(new TestClock(), { nowMs: () => nowMs }),
    });
    try {
      expect(await other.authenticator.authenticate(token)).toBeDefined();
      await owner(`DELETE /api/v1/auth/tokens/${id}`);
      await until(async () => (await other.authenticator.authenticate(token)) === undefined);
    } finally {
      await other.close();
    }
  });

  test("rotation by the token itself leaves exactly one valid token", async () => {
    // Rotating the token itself needs no scope, but rotating any other does.
    const scopes = ["workspaces:read"];
    const { ask, id } = await make({ ipAllowlist: ["127.0.0.0/8"], scopes });
    const another = (await make({ scopes })).id;
    expect(await ask("POST /api/v1/auth/tokens/rotate", { id: another })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
      events: [],
    });
    const answer = await ask("POST /api/v1/auth/tokens/rotate");
    expect(answer).toMatchObject({ status: 201, events: ["audit.token.rotated"] });
    expect(answer.body.data).toMatchObject({
      name: "Robot",
      ipAllowlist: ["127.0.0.0/8"],
      scopes,
    });
    expect(answer.body.data.id).not.toBe(id);
    expect(await ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });
    const renewed = world.asToken(answer.body.data.token, "default");
    expect(await renewed("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  });

  test("one of several concurrent rotations succeeds", async () => {
    const { id } = await make();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => owner("POST /api/v1/auth/tokens/rotate", { id })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(404)]);
  });

  test("a session must name the token, and cannot rotate or revoke tokens of others", async () => {
    expect(await owner("POST /api/v1/auth/tokens/rotate")).toMatchObject({
      status: 422,
      events: [],
    });
    const { id } = await make();
    const colleague = await world.member(["owner"]);
    expect(await colleague("POST /api/v1/auth/tokens/rotate", { id })).toMatchObject({
      status: 404,
    });
    expect(await colleague(`DELETE /api/v1/auth/tokens/${id}`)).toMatchObject({ status: 404 });
  });
});

describe("the address range", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  test.each([
    [["10.1.0.0/16"], "10.1.2.3", 200],
    [["10.1.0.0/16"], "10.2.2.3", 403],
    [["10.1.0.0/16", "2001:db8::/32"], "2001:db8::7", 200],
    [["2001:db8::/32"], "2001:db9::7", 403],
    [["10.1.0.0/16"], "::ffff:10.1.2.3", 200],
  ])("%j seen from %s answers %i", async (ipAllowlist, address, status) => {
    const { ask } = await make({ ipAllowlist });
    expect(await ask("GET /api/v1/workspaces/me", undefined, from(address))).toMatchObject({
      status,
    });
  });

  test("applies to the first address that no trusted proxy added", async () => {
    const { ask } = await make({ ipAllowlist: ["10.1.0.0/16"] });
    const forged = from("10.1.2.3, 203.0.113.9");
    expect(await ask("GET /api/v1/workspaces/me", undefined, forged)).toMatchObject({
      status: 403,
      body: { code: "address_forbidden" },
    });
  });

  test("ignores the header if no proxy is trusted", async () => {
    await using apart = await startWorld();
    const somebody = await apart.member(["owner"]);
    const { body } = await somebody("POST /api/v1/auth/tokens", {
      ...draft,
      ipAllowlist: ["10.1.0.0/16"],
    });
    const robot = apart.asToken(body.data.token, "default");
    expect(await robot("GET /api/v1/workspaces/me", undefined, from("10.1.2.3"))).toMatchObject({
      status: 403,
    });
  });
});

test("shows the last use without writing on every request", async () => {
  const { ask, id } = await make();
  for (let index = 0; index < 5; index += 1) await ask("GET /api/v1/workspaces/me");
  await world.kernel.authenticator.touch();
  const { body } = await owner("GET /api/v1/auth/tokens?limit=200");
  const shown = body.data.find((one: { id: string }) => one.id === id);
  expect(Date.parse(shown.lastUsedAt)).toBeGreaterThan(Date.parse(shown.createdAt) - 1);
});
