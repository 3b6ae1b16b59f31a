import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { contribute } from "../extension-point.ts";
import { TEST_PASSWORD } from "../testing/database.ts";
import { useWorld } from "../testing/world.ts";
import { CredentialSourcePoint } from "./authenticator.ts";

/** Test credentials, each in its own account or workspace, with the number of look-ups. */
const lookUps = new Map<string, number>();
let release: (() => void) | undefined;
let held: Promise<void> | undefined;
const subjects = new Map<string, { userId: string; workspace: string }>();
const counted = domain({
  name: "counted tokens",
  summary: "Credentials whose look-ups are counted.",
  permissions: [],
  events: [],
  operations: [],
  contributions: [
    contribute(
      CredentialSourcePoint,
      ...["alpha", "beta", "gamma"].map((name) => ({
        prefix: `test_${name}`,
        kind: "api_token" as const,
        lock: async () => true,
        forgetsOn: { person: [], workspace: [] },
        find: async () => {
          lookUps.set(name, (lookUps.get(name) ?? 0) + 1);
          await held;
          const { userId, workspace } = subjects.get(name) ?? { userId: name, workspace: name };
          const user = { id: userId, email: `${name}@example.com`, name };
          const ref = { key: workspace, id: `wsp_${name}`, slug: name, name };
          return {
            credential: {
              id: `tok_${name}`,
              kind: "api_token" as const,
              actor: { id: userId, name, type: "user" as const },
              user,
              memberships: new Map([
                [name, { workspace: ref, roles: [], permissions: new Set<string>() }],
              ]),
            },
            expiresAtMs: Number.MAX_SAFE_INTEGER,
          };
        },
      })),
    ),
  ],
});

const world = await useWorld({
  domains: [...domains, counted],
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0" },
});
const owner = await world.member(["owner"]);
const person = await world.member(["agent"]);
const other = await world.workspace("other");
subjects.set("alpha", { userId: person.userId, workspace: other.key });
subjects.set("beta", { userId: "usr_beta", workspace: world.home });
subjects.set("gamma", { userId: "usr_gamma", workspace: other.key });
const use = async (): Promise<Record<string, number>> => {
  lookUps.clear();
  for (const name of ["alpha", "beta", "gamma"]) {
    await world.kernel.authenticator.authenticate(`test_${name}`);
  }
  return Object.fromEntries(lookUps);
};

test("an event removes only the affected credentials from the cache, and a login removes none", async () => {
  const logIn = (password: string) =>
    world.stranger("POST /api/v1/auth/token", { email: "admin@example.com", password });
  expect(await use()).toEqual({ alpha: 1, beta: 1, gamma: 1 });
  expect(await use()).toEqual({});
  expect(await logIn("wrong")).toMatchObject({ status: 401 });
  expect(await logIn(TEST_PASSWORD)).toMatchObject({ status: 200 });
  expect(await use()).toEqual({});
  const roles = await owner(`PATCH /api/v1/settings/users/${person.userId}`, { name: "Renamed" });
  expect(roles.events).toEqual(["user.updated"]);
  expect(await use()).toEqual({ alpha: 1 });
  await owner("PATCH /api/v1/workspaces/default", { description: "Changed" });
  // The log may contain a second event about the same user.
  const { alpha: _, ...others } = await use();
  expect(others).toEqual({ beta: 1 });
});

test("concurrent requests share a look-up unless an invalidation happened after it started", async () => {
  world.clock.advance(60_000);
  lookUps.clear();
  held = new Promise((resolve) => (release = resolve));
  const ask = () => world.kernel.authenticator.authenticate("test_gamma");
  const early = [ask(), ask(), ask()];
  expect(lookUps.get("gamma")).toBe(1);
  const notice = { topic: "user", type: "user.updated", environment: "production", actorId: "x" };
  world.kernel.commitFeed.announce([{ ...notice, workspace: world.home, resourceId: "usr_gamma" }]);
  const late = [ask(), ask()];
  expect(lookUps.get("gamma")).toBe(2);
  release?.();
  expect(new Set((await Promise.all([...early, ...late])).map((found) => found?.id))).toEqual(
    new Set(["tok_gamma"]),
  );
  await ask();
  expect(lookUps.get("gamma")).toBe(2);
});
