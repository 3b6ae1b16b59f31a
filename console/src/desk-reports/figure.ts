/** Formats figures, and compares them with the previous period. */
import type { Schemas } from "../data/api.ts";

export type Report = Schemas["DeskReport"];
type Figures = Report["now"];

const HOUR_M = 60;
const DAY_M = 1_440;

/** Formats minutes as `38m`, `2h 05m` or `3.2 days`. */
export function toSpanWords(minutes: number | null): string {
  if (minutes === null) return "–";
  const whole = Math.round(minutes);
  if (whole < HOUR_M) return `${whole}m`;
  if (whole < DAY_M) {
    return `${Math.floor(whole / HOUR_M)}h ${String(whole % HOUR_M).padStart(2, "0")}m`;
  }
  return `${(minutes / DAY_M).toFixed(1)} days`;
}

export const toPercent = (part: number, whole: number): number | null =>
  whole === 0 ? null : (part / whole) * 100;

export interface Tile {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** The change as text, such as "+12 %". */
  readonly change: string | undefined;
  readonly tone: "ok" | "bad" | "idle";
  readonly about?: string | undefined;
  /** The figure whose tickets are listed. */
  readonly rows: string;
}

type Wish = "more" | "less" | "neither";

/** Returns the main figures, each with its change and whether that is good or bad. */
export function toTiles({ now, before }: Pick<Report, "now" | "before">): readonly Tile[] {
  const kept = (one: Figures): number | null => toPercent(one.met, one.met + one.breached);
  const reopened = (one: Figures): number | null => toPercent(one.reopened, one.resolved);
  const percent = (value: number | null): string =>
    value === null ? "–" : `${Math.round(value * 10) / 10} %`;
  const tile = (
    [id, label, rows]: readonly [string, string, string],
    read: (one: Figures) => number | null,
    [show, wish]: readonly [(value: number | null) => string, Wish],
  ): Tile => ({
    id,
    label,
    rows,
    value: show(read(now)),
    ...toChange(read(now), read(before), wish),
  });
  const plain = (value: number | null): string => (value ?? 0).toLocaleString("en");
  const stars = (value: number | null): string => (value === null ? "–" : value.toFixed(1));
  return [
    tile(["created", "Created", "created"], ({ created }) => created, [plain, "neither"]),
    tile(["resolved", "Resolved", "resolved"], ({ resolved }) => resolved, [plain, "more"]),
    tile(["open", "Open at end of period", "open"], ({ open }) => open, [plain, "less"]),
    {
      ...tile(["kept", "SLA met", "breached"], kept, [percent, "more"]),
      about: `${now.breached} breached`,
    },
    {
      ...tile(["response", "First response", "answered"], (one) => one.responseMedian, [
        toSpanWords,
        "less",
      ]),
      about: `90 % within ${toSpanWords(now.responseP90)}`,
    },
    {
      ...tile(["resolution", "Resolution", "resolved"], (one) => one.resolutionMedian, [
        toSpanWords,
        "less",
      ]),
      about: `90 % within ${toSpanWords(now.resolutionP90)}`,
    },
    {
      ...tile(["reopened", "Reopened", "reopened"], reopened, [percent, "less"]),
      about: `${now.reopened} of ${now.resolved}`,
    },
    {
      ...tile(["satisfaction", "Satisfaction", "rated"], (one) => one.satisfaction, [
        stars,
        "more",
      ]),
      about: `out of 5, ${now.ratings} ratings`,
    },
  ];
}

const SAME = 0.5;

/** Returns the change in percent of the previous value. */
export function toChange(
  now: number | null,
  before: number | null,
  wish: Wish,
): Pick<Tile, "change" | "tone"> {
  if (now === null || before === null || before === 0) return { change: undefined, tone: "idle" };
  const percent = ((now - before) / before) * 100;
  if (Math.abs(percent) < SAME) return { change: "unchanged", tone: "idle" };
  const isMore = percent > 0;
  const tone = wish === "neither" ? "idle" : isMore === (wish === "more") ? "ok" : "bad";
  return { change: `${isMore ? "+" : "−"}${Math.abs(Math.round(percent))} %`, tone };
}

export interface KeptLine {
  readonly id: string;
  readonly label: string;
  readonly met: number;
  readonly breached: number;
}

/** Sums SLA results by team or by priority, the largest first. */
export function groupPromises(
  promises: Report["promises"],
  by: "team" | "priority",
): readonly KeptLine[] {
  const lines = new Map<string, KeptLine>();
  for (const { team, priority, met, breached } of promises) {
    const id = by === "team" ? (team.id ?? "none") : String(priority ?? "none");
    const label =
      by === "team" ? (team.name ?? "No team") : priority === null ? "None" : `P${priority}`;
    const old = lines.get(id) ?? { id, label, met: 0, breached: 0 };
    lines.set(id, { ...old, met: old.met + met, breached: old.breached + breached });
  }
  const order = (one: KeptLine, other: KeptLine): number =>
    by === "priority"
      ? one.label.localeCompare(other.label)
      : other.met + other.breached - one.met - one.breached;
  return [...lines.values()].toSorted(order);
}
