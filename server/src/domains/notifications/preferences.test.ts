import { expect, test } from "vitest";
import { startWorld } from "#kernel/testing/world.ts";

const PREFERENCES = "/api/v1/notifications/preferences";

test("preferences are per member, and e-mail is on by default", async () => {
  await using world = await startWorld();
  const person = await world.member(["viewer"]);
  const other = await world.member(["viewer"]);
  const before = await person(`GET ${PREFERENCES}`);
  expect(before).toMatchObject({ status: 200, body: { data: { email: true } } });
  const off = await person(
    `PUT ${PREFERENCES}`,
    { email: false },
    { "if-match": before.headers["etag"] ?? "" },
  );
  expect(off).toMatchObject({
    status: 200,
    body: { data: { email: false } },
    events: ["notification.preferences_updated"],
  });
  const stale = await person(
    `PUT ${PREFERENCES}`,
    { email: true },
    { "if-match": before.headers["etag"] ?? "" },
  );
  expect(stale).toMatchObject({ status: 412, events: [] });
  const now = await person(`GET ${PREFERENCES}`);
  expect(now.body.data).toEqual({ email: false, noEmailFor: [] });
  expect(now.headers["etag"]).toBe(off.headers["etag"]);
  expect((await other(`GET ${PREFERENCES}`)).body.data).toEqual({ email: true, noEmailFor: [] });
  const [logged] = await world.sql(
    "select data from events where type = 'notification.preferences_updated' and resource_id = $1",
    [person.userId],
  );
  expect(logged.data).toEqual({
    before: { email: true, noEmailFor: [] },
    after: { email: false, noEmailFor: [] },
    changes: ["email"],
  });
  expect(await person(`PUT ${PREFERENCES}`, { email: true, noEmailFor: ["a..b"] })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/noEmailFor/0" }] },
  });
});
