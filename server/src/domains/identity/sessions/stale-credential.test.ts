import { expect, test } from "vitest";
import { eventIdOf, type LogPosition } from "#kernel/log/event.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { somebody, withApp } from "../mfa/testing/people.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

test("a login creates no session if the password changes during the check", async () => {
  const { userId, login } = await somebody(world);
  const other = await world.openTransaction(
    `update users set password_hash = null where id = '${userId}'`,
  );
  const attempt = login();
  await until(async () => {
    const waiting = `select from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock'`;
    return (await world.sql(waiting)).length > 0;
  });
  await other.release();
  expect(await attempt).toMatchObject({ status: 401, events: ["audit.auth.login_failed"] });
});

/** Operations that issue credentials which outlive the calling one, with their input. */
const ISSUING: Readonly<Record<string, unknown>> = {
  "tokens.create": { name: "t", expiresIn: null, scopes: ["profile"] },
  "tokens.rotate": { id: "tok_01jd0000000000000000000000" },
  "mfa.enroll_totp": undefined,
  "mfa.verify_totp": { code: "000000" },
  "mfa.register_webauthn": undefined,
  "mfa.renew_recovery_codes": { code: "000000" },
  "passwords.change": { currentPassword: TEST_PASSWORD, newPassword: "a new password" },
  "oauth.decide": undefined,
  "apps.create_embed_token": { expiresIn: "1h" },
  "changes.create_calendar_feed": undefined,
};

test("a revoked credential that another node has still cached cannot issue new credentials", async () => {
  const issuing = domains
    .flatMap(({ operations }) => operations)
    .filter((op) => op.issuesCredential);
  expect(issuing.map(({ id }) => id).toSorted()).toEqual(Object.keys(ISSUING).toSorted());
  const person = await somebody(world, ["owner"]);
  await withApp(world, person);
  // Those events invalidate the cached credentials of the person: wait until this process has received them.
  const [newest] = await world.sql(
    "select epoch, xid::text::bigint::int, seq::int from events order by epoch desc, xid desc, seq desc limit 1",
  );
  await until(async () => world.kernel.commitFeed.settledId > eventIdOf(newest as LogPosition));
  expect(await person.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  // Deletes without an event: the cache is outdated, as on another node for half a second.
  await world.sql("delete from sessions where user_id = $1", [person.userId]);
  expect(await person.ask("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
  for (const { id, route } of issuing) {
    if (id === "oauth.decide" || id === "mfa.verify_totp" || id === "mfa.renew_recovery_codes")
      continue;
    const path = route.replace("{id}", "app_01jd0000000000000000000000");
    expect(await person.ask(path, ISSUING[id]), id).toMatchObject({ status: 401, events: [] });
  }
});
