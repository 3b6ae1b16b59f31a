/** On-call data: two schedules, an override and an absence. */
import type { Ask } from "../../faults/asker.ts";
import { make } from "./made.ts";
import type { People } from "./people.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEKEND = [{ days: [6, 7], from: "00:00", to: "00:00" }];

export async function createRota(ask: Ask, people: People): Promise<void> {
  const { mara, tomas, aiko, elif, teams } = people;
  const monday = mondayOf(Date.now());
  // Hand-overs count from a Monday before the shown period.
  const startsOn = new Date(monday - 14 * DAY_MS).toISOString().slice(0, 10);
  const layer = (name: string, of: readonly { id: string }[], more: object) => ({
    name,
    userIds: of.map(({ id }) => id),
    startsOn,
    ...more,
  });
  const week = { turn: { unit: "week", count: 1 }, handOver: "09:00" };
  await make(ask, "itsm/on-call-schedules", {
    name: "Network",
    teamId: teams.network,
    timeZone: "Europe/Lisbon",
    layers: [
      layer("By the week", [tomas, mara, elif], week),
      layer("Weekends", [aiko, tomas], { ...week, hours: WEEKEND }),
    ],
  });
  const { id } = await make(ask, "itsm/on-call-schedules", {
    name: "Platform",
    teamId: teams.platform,
    timeZone: "Europe/Oslo",
    layers: [
      layer("By turns", [elif, aiko, mara], { turn: { unit: "day", count: 2 }, handOver: "08:00" }),
    ],
  });
  await make(ask, "itsm/on-call-schedules", {
    name: "Duty manager",
    timeZone: "Europe/Oslo",
    layers: [layer("By the week", [mara, elif], week)],
  });
  await make(ask, `itsm/on-call-schedules/${id}/overrides`, {
    userId: tomas.id,
    from: new Date(monday + 4 * DAY_MS + 18 * HOUR_MS).toISOString(),
    until: new Date(monday + 6 * DAY_MS + 18 * HOUR_MS).toISOString(),
    reason: "Elif is at a wedding",
  });
  await make(ask, "itsm/absences", {
    userId: mara.id,
    from: new Date(monday + 8 * DAY_MS).toISOString(),
    until: new Date(monday + 11 * DAY_MS).toISOString(),
    note: "Training in Bergen",
  });
}

/** The start of the week, on Monday. */
function mondayOf(nowMs: number): number {
  const today = nowMs - (nowMs % DAY_MS);
  return today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
}
