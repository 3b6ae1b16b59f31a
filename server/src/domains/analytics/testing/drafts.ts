/** Random rows and reports. */
import fc from "fast-check";
import type { Row } from "./expected-results.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];
const UNITS = ["hour", "day", "week", "month", "quarter", "year"];
export const COLUMNS = [
  { name: "region", type: "text" },
  { name: "amount", type: "decimal" },
  { name: "units", type: "integer" },
  { name: "open", type: "boolean" },
  { name: "day", type: "date" },
  { name: "at", type: "timestamp" },
];
/** Agents see the north and east regions, without amounts. */
export const RULES = [
  {
    roles: ["agent"],
    actions: ["read"],
    where: { region: { in: ["north", "east"] } },
    fields: ["region", "units", "open", "day", "at", "createdAt"],
  },
];

/** Times around clock changes, and some others. */
const NIGHTS = ["2025-03-30", "2025-10-26", "2025-03-09", "2025-11-02", "2025-04-06", "2025-10-05"];
const moment = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NIGHTS), fc.integer({ min: -86_400, max: 86_400 }))
    .map(([night, second]) => new Date(Date.parse(`${night}T00:00:00Z`) + second * 1000)),
  fc.date({ min: new Date("2024-12-20"), max: new Date("2026-01-10"), noInvalidDate: true }),
);
export const time = moment.map((made) => made.toISOString());
export const row = fc.record(
  {
    region: fc.option(fc.constantFrom("north", "south", "east", "=west")),
    amount: fc.option(fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100)),
    units: fc.option(fc.integer({ min: 0, max: 9 })),
    open: fc.option(fc.boolean()),
    day: fc.option(time.map((made) => made.slice(0, 10))),
    at: fc.option(time),
    createdAt: time,
  },
  { noNullPrototype: true },
);

export const FILTERS: readonly (readonly [object | undefined, (row: Row) => boolean])[] = [
  [undefined, () => true],
  [{ units: { gte: 5 } }, ({ units }) => units !== null && units >= 5],
  [{ not: { region: "north" } }, ({ region }) => region !== "north"],
  [{ or: [{ open: true }, { units: null }] }, ({ open, units }) => open === true || units === null],
  [{ region: "nowhere" }, () => false],
];
export const aggregate = (numbers: readonly string[], ordered: readonly string[]) =>
  fc.oneof(
    fc.constant({ fn: "count" }),
    fc.record({ fn: fc.constantFrom("count", "distinct"), field: fc.constantFrom(...ordered) }),
    fc.record({ fn: fc.constantFrom("sum", "avg"), field: fc.constantFrom(...numbers) }),
    fc.record({ fn: fc.constantFrom("min", "max"), field: fc.constantFrom(...ordered) }),
    fc.record({
      fn: fc.constant("percentile"),
      field: fc.constantFrom(...numbers),
      p: fc.constantFrom(0, 0.25, 0.5, 0.95, 1),
    }),
  );
export const bucket = (fields: readonly string[]) =>
  fc.record({
    field: fc.constantFrom(...fields),
    unit: fc.constantFrom(...UNITS),
    timezone: fc.constantFrom(...ZONES),
  });
