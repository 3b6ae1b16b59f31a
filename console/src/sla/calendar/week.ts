/** Working hours as a week of half hours. */
export interface Hours {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
export const SLOTS = 48;
const SLOT_M = 30;
const DAY_M = 1_440;

/** Seven days of 48 half hours each. */
export type Week = readonly (readonly boolean[])[];

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

export const toTime = (slot: number): string => {
  const minutes = slot * SLOT_M;
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
};

/** Converts hours to the grid: only complete half hours; hours past midnight continue on the next day. */
export function toWeek(hours: readonly Hours[]): Week {
  const week = DAYS.map(() => Array.from({ length: SLOTS }, () => false));
  for (const { days, from, to } of hours) {
    const [begins, ends] = [minutesOf(from), minutesOf(to)];
    const length = ends > begins ? ends - begins : DAY_M - begins + ends;
    for (const day of days) {
      for (let at = begins; at < begins + length; at += SLOT_M) {
        const line = week[(day - 1 + Math.floor(at / DAY_M)) % DAYS.length];
        if (line) line[Math.floor((at % DAY_M) / SLOT_M)] = true;
      }
    }
  }
  return week;
}

/** Converts the grid to hours; days with equal hours are merged. */
export function toHours(week: Week): readonly Hours[] {
  const spans = new Map<string, { readonly from: string; readonly to: string; days: number[] }>();
  for (const [day, line] of week.entries()) {
    let begins: number | undefined;
    for (let slot = 0; slot <= SLOTS; slot += 1) {
      const isOn = line[slot] === true;
      if (isOn && begins === undefined) begins = slot;
      if (isOn || begins === undefined) continue;
      const [from, to] = [toTime(begins), toTime(slot)];
      const span = spans.get(`${from}${to}`) ?? { from, to, days: [] };
      span.days.push(day + 1);
      spans.set(`${from}${to}`, span);
      begins = undefined;
    }
  }
  return [...spans.values()].toSorted((one, other) => one.from.localeCompare(other.from));
}

/** Returns whether the hours are full half hours; others can't be edited in the grid and are kept. */
export const isPaintable = (hours: readonly Hours[]): boolean =>
  hours.every(({ from, to }) => minutesOf(from) % SLOT_M === 0 && minutesOf(to) % SLOT_M === 0);

export function paint(week: Week, [day, slot]: readonly [number, number], isOn: boolean): Week {
  return week.map((line, n) => (n === day ? line.with(slot, isOn) : line));
}

/** Returns the business hours per week. */
export const countHours = (week: Week): number =>
  week.reduce((sum, line) => sum + line.filter(Boolean).length, 0) / 2;
