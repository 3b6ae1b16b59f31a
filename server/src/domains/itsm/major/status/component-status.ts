/** Computes component status, current and for the last 90 days, from the notices. */

export const DAYS_SHOWN = 90;
const DAY_MS = 86_400_000;

export type Effect = "degraded" | "down";
/** From best to worst. */
const STANDINGS = ["up", "degraded", "down"] as const;
export type Standing = (typeof STANDINGS)[number];

export interface Notice {
  readonly publicId: string;
  readonly title: string;
  readonly status: string;
  readonly effect: Effect;
  readonly componentIds: readonly string[];
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  /** Newest first. */
  readonly updates: readonly {
    readonly status: string;
    readonly message: string;
    readonly at: string;
  }[];
}

export interface DayStanding {
  /** For example `2026-11-16`, in UTC. */
  readonly day: string;
  readonly standing: Standing;
}

const worst = (standings: readonly Standing[]): Standing =>
  STANDINGS[Math.max(0, ...standings.map((one) => STANDINGS.indexOf(one)))] ?? "up";

/** Computes the current status for a component or the whole page. */
export function computeStanding(notices: readonly Notice[], componentId?: string): Standing {
  return worst(
    notices
      .filter(({ resolvedAt }) => resolvedAt === null)
      .filter(({ componentIds }) => componentId === undefined || componentIds.includes(componentId))
      .map(({ effect }) => effect),
  );
}

/** Lists the last days with the worst status, oldest first. */
export function listDays(
  notices: readonly Notice[],
  componentId: string,
  now: Date,
): DayStanding[] {
  const own = notices.filter(({ componentIds }) => componentIds.includes(componentId));
  const today = Date.parse(now.toISOString().slice(0, 10));
  return Array.from({ length: DAYS_SHOWN }, (_, n) => {
    const start = today - (DAYS_SHOWN - 1 - n) * DAY_MS;
    const here = own.filter((notice) => overlapMs(notice, start, start + DAY_MS, now) > 0);
    return {
      day: new Date(start).toISOString().slice(0, 10),
      standing: worst(here.map(({ effect }) => effect)),
    };
  });
}

/** The uptime of a component over the last days, in percent. */
export function computeUptime(notices: readonly Notice[], componentId: string, now: Date): number {
  const end = now.getTime();
  const start = end - DAYS_SHOWN * DAY_MS;
  const downs = notices
    .filter(({ effect, componentIds }) => effect === "down" && componentIds.includes(componentId))
    .map(({ startedAt, resolvedAt }) => ({
      from: Math.max(start, Date.parse(startedAt)),
      to: resolvedAt === null ? end : Date.parse(resolvedAt),
    }))
    .toSorted((a, b) => a.from - b.from);
  let downMs = 0;
  let reached = start;
  for (const { from, to } of downs) {
    downMs += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return 100 * (1 - downMs / (end - start));
}

function overlapMs(
  { startedAt, resolvedAt }: Notice,
  start: number,
  end: number,
  now: Date,
): number {
  const to = resolvedAt === null ? now.getTime() : Date.parse(resolvedAt);
  return Math.min(to, end) - Math.max(Date.parse(startedAt), start);
}
