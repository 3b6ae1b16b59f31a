import { expect, test } from "vitest";
import { pastField } from "../log/past-state.ts";
import { useWorld } from "../testing/world.ts";
import { assertPastReadable } from "./past-list.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

test("an invalid day in a date column is null in a past list", async () => {
  const days = ["0000", "1900", "2000", "2023", "2024"].flatMap((year) =>
    Array.from({ length: 14 * 33 }, (_, n) => {
      const parts = [Math.floor(n / 33), n % 33].map((part) => String(part).padStart(2, "0"));
      return [year, ...parts].join("-");
    }),
  );
  const isDay = (text: string): boolean => {
    const timeMs = Date.parse(`${text}T00:00:00Z`);
    return timeMs >= Date.parse("0001-01-01") && new Date(timeMs).toISOString().startsWith(text);
  };
  const read = (kind: "date" | "time", texts: readonly string[]) =>
    world.sql(
      `select doc ->> 'day' as day, ${pastField("day", { kind }).sql} is not null as known
         from (select jsonb_build_object('day', day) as doc from unnest($1::text[]) as day) past`,
      [texts],
    );
  for (const { day, known } of await read("date", days)) expect(known, day).toBe(isDay(day));
  const times = await read(
    "time",
    days.map((day) => `${day}T23:59:59.5Z`),
  );
  for (const { day, known } of times) expect(known, day).toBe(isDay(day.slice(0, 10)));
});

test("rejects a past list that would read too much of the log", async () => {
  for (const title of ["one", "two"]) await owner("POST /api/v1/notes", { title, body: "" });
  const partition = { workspace: world.home, environment: "production" } as const;
  // The clock of the log can be some milliseconds ahead.
  const later = new Date(world.clock.nowMs() + 60_000);
  const read = (eventsMax: number) =>
    world.kernel.db.read(partition, (tx) =>
      assertPastReadable({ tx }, { resourceType: "note" }, later, eventsMax),
    );
  await expect(read(1)).rejects.toMatchObject({ type: { code: "past_too_long", status: 422 } });
});
