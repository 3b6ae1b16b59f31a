import { inProduction, secretUser } from "../testing/secret-user.ts";
import Type from "typebox";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { event } from "../log/event.ts";
import { Conflict, Failure } from "../operation/failure.ts";
import { job } from "../work/job.ts";
import { command } from "../operation/operation.ts";
import { permission } from "../access/permission.ts";
import { item } from "../operation/response.ts";
import { object } from "../schema/schema.ts";
import { until, useWorld } from "../testing/world.ts";

/** Emits an event with a secret, which scrubbing must remove. */
const Prattled = event("prattle.done", {
  resource: "prattle",
  summary: "Something was said.",
  data: Type.Object({}),
});
const Prattling = permission("prattle:write", "Prattle", []);
const prattleLater = job({
  kind: "prattle.later",
  payload: Type.Object({ text: Type.String() }),
  attemptsMax: 1,
  async effect({ secrets, homeWorkspace, db }, { text }) {
    const { value } = await secrets.resolve(inProduction(homeWorkspace), text, secretUser);
    await db.system("select 1");
    throw new Error(`upstream said: ${value}`);
  },
  run: async () => undefined,
});
const prattle = command({
  id: "prattle.aloud",
  route: "POST /api/v1/prattle",
  summary: "Says what it should not",
  permission: Prattling,
  body: object({
    text: Type.String(),
    how: Type.Enum(["throw", "return", "break", "job", "echo"]),
  }),
  response: item(Type.Object({ said: Type.String() })),
  emits: [Prattled],
  fails: [Conflict],
  prepare: async ({ secrets, homeWorkspace }, { body }) =>
    body.how === "echo" || body.how === "job"
      ? body.text
      : (await secrets.resolve(inProduction(homeWorkspace), body.text, secretUser)).value,
  async run(ctx, { body: { how } }, said) {
    ctx.emit(Prattled, { id: "prattle" }, {});
    const particulars = {
      detail: `It said ${said}`,
      errors: [{ path: "/text", message: JSON.stringify({ said }) }],
      extra: { basic: Buffer.from(said).toString("base64") },
    };
    if (how === "break") throw new Error(`broke over ${said}`);
    if (how === "return") return new Failure(Conflict, particulars);
    if (how === "job") ctx.enqueue(prattleLater, { text: said });
    if (how === "job") return { said: "later" };
    throw new Failure(Conflict, particulars);
  },
});
const prattling = domain({
  name: "prattling",
  summary: "For these tests.",
  permissions: [Prattling],
  events: [Prattled],
  operations: [prattle],
  jobs: [prattleLater],
});

const VALUE = 'planted "välue" 4f1d/+';

const world = await useWorld({ domains: [...domains, prattling], work: true });
const owner = await world.member(["owner"]);
await owner("POST /api/v1/secrets", { name: "PLANTED", value: VALUE });

test("resolves references deep inside a value, and the scrubber reverts it", async () => {
  const config = {
    url: "https://x/{{secrets.PLANTED}}",
    tries: 3,
    list: ["{{ secrets.PLANTED }}"],
  };
  const { value, scrubber } = await world.kernel.secrets.resolve(
    inProduction(world.home),
    config,
    secretUser,
  );
  expect(value).toEqual({ url: `https://x/${VALUE}`, tries: 3, list: [VALUE] });
  expect(scrubber.scrubJson(value)).toEqual({
    url: "https://x/[secret PLANTED]",
    tries: 3,
    list: ["[secret PLANTED]"],
  });
});

test("returns a value without references unchanged", async () => {
  const config = { url: "https://x" };
  const { value, scrubber } = await world.kernel.secrets.resolve(
    inProduction("not even a workspace"),
    config,
    secretUser,
  );
  expect(value).toBe(config);
  expect(scrubber.scrub("anything")).toBe("anything");
});

test("fails with the name of an unknown secret", async () => {
  const { secrets } = world.kernel;
  await expect(
    secrets.resolve(
      inProduction(world.home),
      ["{{secrets.PLANTED}}", "{{secrets.GONE}}"],
      secretUser,
    ),
  ).rejects.toMatchObject({
    type: { code: "unknown_secret", status: 422 },
    message: "There is no secret GONE.",
  });
  expect(
    await secrets.findMissing(inProduction(world.home), ["GONE", "PLANTED", "GONE", "AWAY"]),
  ).toEqual(["GONE", "AWAY"]);
});

test("other workspaces have other secrets, and a sealed value moved to another workspace or name does not open", async () => {
  const elsewhere = await world.workspace("elsewhere");
  const { secrets } = world.kernel;
  expect(await secrets.findMissing(inProduction(elsewhere.key), ["PLANTED"])).toEqual(["PLANTED"]);
  const other = await world.member(["owner"], elsewhere);
  await other("POST /api/v1/secrets", { name: "OWN", value: "of elsewhere" });
  await world.sql(
    "update secrets set sealed = (select sealed from secrets where name = 'PLANTED') where name = 'OWN'",
  );
  await expect(secrets.read(inProduction(elsewhere.key), ["OWN"], secretUser)).rejects.toThrow();
  await owner("POST /api/v1/secrets", { name: "MOVED", value: "something" });
  await world.sql(
    "update secrets set sealed = (select sealed from secrets where name = 'PLANTED') where name = 'MOVED'",
  );
  await expect(secrets.read(inProduction(world.home), ["MOVED"], secretUser)).rejects.toThrow();
  await owner("DELETE /api/v1/secrets/MOVED");
});

test("a hundred concurrent uses each get their own value", async () => {
  const { secrets } = world.kernel;
  const names = Array.from({ length: 20 }, (_, n) => `MANY_${n}`);
  for (const name of names) {
    await owner("POST /api/v1/secrets", { name, value: `value of ${name}` });
  }
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => {
      const name = names[n % names.length]!;
      return n % 7 === 6
        ? secrets
            .resolve(inProduction(world.home), "{{secrets.NOWHERE}}", secretUser)
            .catch((error: Error) => error.message)
        : secrets
            .resolve(inProduction(world.home), `{{secrets.${name}}}`, secretUser)
            .then(({ value }) => value);
    }),
  );
  expect(answers).toEqual(
    answers.map((_, n) =>
      n % 7 === 6 ? "There is no secret NOWHERE." : `value of ${names[n % names.length]}`,
    ),
  );
});

test("failures reveal no used secrets, thrown, returned or replayed", async () => {
  for (const how of ["throw", "return"]) {
    for (const headers of [{}, { "idempotency-key": how }, { "idempotency-key": how }]) {
      const { status, body } = await owner(
        "POST /api/v1/prattle",
        { text: "{{secrets.PLANTED}}", how },
        headers,
      );
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: "conflict",
        detail: "It said [secret PLANTED]",
        errors: [{ path: "/text", message: '{"said":"[secret PLANTED]"}' }],
        basic: "[secret PLANTED]",
      });
    }
  }
});

test("no response confirms a guess of a secret", async () => {
  await world.kernel.secrets.read(inProduction(world.home), ["PLANTED"], secretUser);
  const { body } = await owner("POST /api/v1/prattle", { text: VALUE, how: "echo" });
  expect(body.detail).toBe(`It said ${VALUE}`);
});

test("logs internal errors without the secret, and does not show them", async () => {
  const before = world.lines.length;
  const { status, body } = await owner("POST /api/v1/prattle", {
    text: "{{secrets.PLANTED}}",
    how: "break",
  });
  expect(status).toBe(500);
  expect(body.detail).toBe("An internal error occurred.");
  const line = JSON.parse(world.lines.slice(before).find((one) => one.includes("broke over"))!);
  expect(line.err.message).toBe("broke over [secret PLANTED]");
});

test("stores the error of a failed job without the secret", async () => {
  await owner("POST /api/v1/prattle", { text: "{{secrets.PLANTED}}", how: "job" });
  const failed = await until(
    async () =>
      (
        await world.sql(
          "select last_error from jobs where kind = 'prattle.later' and failed_at is not null",
        )
      )[0],
  );
  expect(failed.last_error).toBe("upstream said: [secret PLANTED]");
  const told = world.lines.filter((line) => line.includes("a job failed"));
  expect(told.map((line) => JSON.parse(line).err.message)).toEqual([
    "upstream said: [secret PLANTED]",
  ]);
});
