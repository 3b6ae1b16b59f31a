import { expect, test } from "vitest";
import { startWorld, until } from "#kernel/testing/world.ts";

const INBOX = "/api/v1/notifications";
const HOUR_MS = 3_600_000;

test("deletes notifications older than ninety days within an hour, and no newer ones", async () => {
  await using apart = await startWorld({ work: true });
  const owner = await apart.member(["owner"]);
  for (const title of ["Young", "Old"]) {
    await owner(`POST ${INBOX}`, { userIds: [owner.userId], title, body: "" });
  }
  const left = async () =>
    (await apart.sql("select title from notifications order by title")).map(({ title }) => title);
  // The job has already run once; its next run is an hour later.
  await until(async () => {
    const [row] = await apart.sql(
      "select from jobs where kind = 'notifications.prune' and claimed_at is null and due_at > now() + interval '30 minutes'",
    );
    return row !== undefined;
  });
  for (const [title, days] of [
    ["Young", 88],
    ["Old", 90],
  ]) {
    await apart.sql(
      "update notifications set created_at = now() - $2 * interval '1 day' where title = $1",
      [title, days],
    );
  }
  expect(await left()).toEqual(["Old", "Young"]);
  apart.clock.advance(HOUR_MS + 1_000);
  await until(async () => (await left()).length < 2);
  expect(await left()).toEqual(["Young"]);
});
