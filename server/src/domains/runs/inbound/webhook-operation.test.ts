import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { startNode } from "#domains/bus/testing/node.ts";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";
import { findRuns, SET } from "../testing/triggers.ts";

const STARTED = "workflow.run_started";
const COMPLETED = "workflow.run_completed";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

interface HookDeployment {
  readonly id: string;
  readonly path: string;
}

async function hooked(
  nodes: readonly object[] = [SET],
  trigger: object = {},
  environment = "production",
): Promise<HookDeployment> {
  const headers = { "x-environment": environment };
  const id = await deployWorkflow(
    owner,
    nodes,
    { trigger: { type: "webhook", ...trigger } },
    headers,
  );
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  return { id, path: new URL(body.data.trigger.url).pathname };
}
const post = (path: string, body?: string, headers: Record<string, string> = {}) =>
  world.stranger(`POST ${path}`, body, headers);
const inputOf = async ({ id }: HookDeployment): Promise<any> =>
  (await findRuns(world, id)).at(-1).trigger.input;

test("a request starts a run of the deployed version and returns the run id", async () => {
  const hook = await hooked();
  const answer = await post(hook.path, '{"order":1}');
  const [run] = await findRuns(world, hook.id);
  expect(answer).toMatchObject({
    status: 202,
    body: { data: { runId: run.id, status: "completed" } },
    events: [STARTED, COMPLETED],
  });
  expect(run).toMatchObject({
    trigger_type: "webhook",
    actor: { id: "anonymous" },
    run_as: owner.userId,
    depth: 1,
  });
});

describe("the complete request is passed to the run", () => {
  let hook: HookDeployment;
  beforeAll(async () => {
    hook = await hooked();
  });
  test.each<[string, string | undefined, string | undefined, unknown]>([
    ["JSON", "application/json", '{"a":[1,null,"ü"]}', { a: [1, null, "ü"] }],
    ["JSON with another media type", "application/cloudevents+json; charset=utf-8", "[1]", [1]],
    [
      "a form",
      "application/x-www-form-urlencoded",
      "a=1&b=x+y&b=%C3%BC",
      { a: "1", b: ["x y", "ü"] },
    ],
    ["text", "text/plain", "one\ntwo", "one\ntwo"],
    ["XML", "application/xml", "<a/>", "<a/>"],
    ["nothing", undefined, undefined, null],
  ])("%s", async (_, type, body, expected) => {
    const answer = await post(hook.path, body, type === undefined ? {} : { "content-type": type });
    expect(answer).toMatchObject({ status: 202, events: [STARTED, COMPLETED] });
    expect((await inputOf(hook)).body).toEqual(expected);
  });

  test.each<[string, { type: string; body: string }, number, string]>([
    ["broken JSON", { type: "application/json", body: "{" }, 400, "malformed_request"],
    [
      "a __proto__ key",
      { type: "application/json", body: '{"__proto__":1}' },
      400,
      "malformed_request",
    ],
    ["a NUL", { type: "text/plain", body: "a\u0000b" }, 422, "invalid"],
    ["an oversized body", { type: "text/plain", body: "x".repeat(1_048_577) }, 413, "too_large"],
  ])("rejects %s", async (_, { type, body }, status, code) => {
    const answer = await post(hook.path, body, { "content-type": type });
    expect(answer).toMatchObject({ status, body: { code }, events: [] });
  });

  test("includes the query and headers, without credentials for other systems", async () => {
    const headers = {
      authorization: "Bearer of-its-own",
      cookie: "millrace_session=guessed",
      "x-github-event": "push",
    };
    expect((await post(`${hook.path}?a=1&a=2&b=`, "{}", headers)).status).toBe(202);
    const input = await inputOf(hook);
    expect(input.query).toEqual({ a: ["1", "2"], b: "" });
    expect(input.headers).toMatchObject({
      "x-github-event": "push",
      "content-type": "application/json",
    });
    expect(Object.keys(input.headers)).not.toContain("authorization");
    expect(Object.keys(input.headers)).not.toContain("cookie");
  });

  test("the secret of the address is not logged", async () => {
    await post(hook.path, "{");
    await post(`${hook.path}?environment=staging`);
    const token = hook.path.split("/").at(-1) ?? "";
    const lines = world.lines.filter((line) => line.includes("hooks.receive"));
    expect(lines.length).toBeGreaterThan(0);
    expect(world.lines.filter((line) => line.includes(token))).toEqual([]);
  });
});

describe("all unavailable addresses return the same 404", () => {
  const absent = { status: 404, body: { code: "not_found" }, events: [] };
  const words = async (path: string): Promise<unknown> => {
    const { status, body, events } = await post(path, "{}");
    expect({ status, body, events }).toMatchObject(absent);
    return [body.title, body.detail];
  };

  test("unknown, another workspace, another trigger type, not deployed, inactive or archived", async () => {
    const { slug } = await world.workspace("hook-elsewhere");
    const hook = await hooked();
    const token = hook.path.split("/").at(-1);
    const answers = [
      await words("/hooks/default/hk_unknown"),
      await words(`/hooks/${slug}/${token}`),
      await words(`/hooks/nowhere/${token}`),
      await words(`${hook.path}?environment=staging`),
    ];
    expect((await post(hook.path)).status).toBe(202);
    await owner(`POST /api/v1/workflows/${hook.id}/deactivate`);
    answers.push(await words(hook.path));
    await owner(`POST /api/v1/workflows/${hook.id}/activate`);
    expect((await post(hook.path)).status).toBe(202);
    const trigger = { type: "manual" };
    await owner(`PATCH /api/v1/workflows/${hook.id}`, { trigger });
    expect((await post(hook.path)).status).toBe(202);
    await owner(`POST /api/v1/workflows/${hook.id}/publish`);
    answers.push(await words(hook.path));
    await owner(`POST /api/v1/workflows/${hook.id}/rollback`, {});
    expect((await post(hook.path)).status).toBe(202);
    await owner(`DELETE /api/v1/workflows/${hook.id}`);
    answers.push(await words(hook.path));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await post(`${hook.path}?environment=moon`)).status).toBe(422);
  });
});

test("the address names the environment; the default is production", async () => {
  const hook = await hooked([SET], {}, "staging");
  expect((await post(hook.path)).status).toBe(404);
  expect(await post(`${hook.path}?environment=staging`)).toMatchObject({
    status: 202,
    events: [STARTED, COMPLETED],
  });
  expect(await findRuns(world, hook.id)).toMatchObject([{ environment: "staging" }]);
});

test("a deployment on another node takes effect shortly", async () => {
  const hook = await hooked([{ id: "say", type: "respond", config: { body: "one" } }]);
  await using node = await startNode(world);
  const there = async (): Promise<string> =>
    (await node.app.inject({ method: "POST", url: hook.path })).payload;
  expect(await there()).toBe("one");
  const nodes = [{ id: "say", type: "respond", config: { body: "two" } }];
  await owner(`PATCH /api/v1/workflows/${hook.id}`, { nodes });
  await owner(`POST /api/v1/workflows/${hook.id}/publish`);
  expect((await post(hook.path)).body).toBe("two");
  await until(async () => (await there()) === "two");
});

describe("the signature must match the exact bytes of the request", () => {
  const body = '{ "a" : 1,\r\n\t"b":"\\u00fc ü" }\n';
  const digest = (text: string): string =>
    createHmac("sha256", "hook key").update(text).digest("hex");
  const refused = { status: 401, body: { code: "signature_invalid" }, events: [] };
  let hook: HookDeployment;
  beforeAll(async () => {
    await owner("POST /api/v1/secrets", { name: "HOOK_KEY", value: "hook key" });
    hook = await hooked([SET], {
      signature: {
        secret: "{{secrets.HOOK_KEY}}",
        header: "X-Hub-Signature-256",
        prefix: "sha256=",
      },
    });
  });
  const signedBy = (signature: string) => ({ "x-hub-signature-256": signature });

  test("a valid signature is accepted and not stored", async () => {
    const answer = await post(hook.path, body, signedBy(`sha256=${digest(body)}`));
    expect(answer).toMatchObject({ status: 202, events: [STARTED, COMPLETED] });
    const input = await inputOf(hook);
    expect(input.body).toEqual({ a: 1, b: "ü ü" });
    expect(Object.keys(input.headers)).not.toContain("x-hub-signature-256");
  });

  test("a missing or wrong signature, or one for other bytes of the same value, is rejected", async () => {
    const before = (await findRuns(world, hook.id)).length;
    const compact = JSON.stringify(JSON.parse(body));
    expect(await post(hook.path, body)).toMatchObject(refused);
    expect(await post(hook.path, body, signedBy(digest(body)))).toMatchObject(refused);
    expect(await post(hook.path, compact, signedBy(`sha256=${digest(body)}`))).toMatchObject(
      refused,
    );
    expect(await post(hook.path, "{", signedBy("sha256=00"))).toMatchObject(refused);
    expect(await findRuns(world, hook.id)).toHaveLength(before);
  });

  test("a body need not be JSON, and may be empty", async () => {
    for (const text of ["a=1&b=2", ""]) {
      const headers = {
        ...signedBy(`sha256=${digest(text)}`),
        "content-type": "application/x-www-form-urlencoded",
      };
      expect((await post(hook.path, text, headers)).status).toBe(202);
    }
  });

  test("a new key applies immediately, and a missing key rejects all requests", async () => {
    await owner("PUT /api/v1/secrets/HOOK_KEY", { value: "new key" });
    const renewed = createHmac("sha256", "new key").update(body).digest("hex");
    expect(await post(hook.path, body, signedBy(`sha256=${digest(body)}`))).toMatchObject(refused);
    expect((await post(hook.path, body, signedBy(`sha256=${renewed}`))).status).toBe(202);
    await owner("DELETE /api/v1/secrets/HOOK_KEY");
    const keyless = await post(hook.path, body, signedBy(`sha256=${renewed}`));
    expect(keyless).toMatchObject(refused);
    expect(JSON.stringify(keyless.body)).not.toContain("HOOK_KEY");
  });
});

test("the rate limit per workflow equals the limit per credential", async () => {
  await using strict = await startWorld({ env: { MILLRACE_RATE_LIMIT: "9" } });
  const ask = await strict.member(["owner"]);
  const id = await deployWorkflow(ask, [SET], { trigger: { type: "webhook" } });
  const { body } = await ask(`GET /api/v1/workflows/${id}`);
  const url = new URL(body.data.trigger.url).pathname;
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    statuses.push((await strict.app.inject({ method: "POST", url })).statusCode);
  }
  expect(statuses).toEqual([...Array<number>(9).fill(202), 429]);
});
