import { expect, test } from "vitest";
import { hashPassword } from "#domains/identity/accounts/index.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { firstStart } from "./first-start.ts";

const world = await useWorld();

test("prints the generated password until the first login, also if retention has deleted the login event", async () => {
  const { kernel } = world;
  const email = kernel.settings.adminEmail;
  const password = kernel.masterKey
    .derive(`password of the owner of ${kernel.homeWorkspace}`)
    .toString("base64url", 0, 15);
  await world.sql("update users set password_hash = $2 where email = $1", [
    email,
    await hashPassword(password),
  ]);
  expect(await firstStart(kernel)).toEqual({ email, password });
  expect(await world.stranger("POST /api/v1/auth/token", { email, password })).toMatchObject({
    status: 200,
    events: ["audit.auth.login"],
  });
  await world.sql("delete from events where type like 'audit.auth.%'");
  await world.sql("delete from sessions");
  expect(await firstStart(kernel)).toBeUndefined();
});
