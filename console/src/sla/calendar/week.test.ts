import { expect, test } from "vitest";
import { countHours, isPaintable, paint, toHours, toWeek } from "./week.ts";

const office = [
  { days: [1, 2, 3, 4, 5], from: "08:00", to: "12:00" },
  { days: [1, 2, 3, 4, 5], from: "13:00", to: "18:00" },
];

test("hours are converted to the grid and back", () => {
  const week = toWeek(office);
  expect(countHours(week)).toBe(45);
  expect(toHours(week)).toEqual(office);
  expect(toHours(paint(week, [5, 20], true)).at(-2)).toEqual({
    days: [6],
    from: "10:00",
    to: "10:30",
  });
});

test("a night shift continues on the next day, from Sunday to Monday", () => {
  const week = toWeek([{ days: [7], from: "22:00", to: "06:00" }]);
  expect(toHours(week)).toEqual([
    { days: [1], from: "00:00", to: "06:00" },
    { days: [7], from: "22:00", to: "24:00" },
  ]);
  expect(isPaintable(office)).toBe(true);
  expect(isPaintable([{ days: [1], from: "08:15", to: "12:00" }])).toBe(false);
});
