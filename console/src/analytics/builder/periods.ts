/** The selectable periods with their labels. */
export interface PeriodChoice {
  readonly id: string;
  readonly label: string;
  readonly from: string;
  readonly to?: string;
}

export const PERIODS: readonly PeriodChoice[] = [
  { id: "today", label: "Today", from: "$startOf.day", to: "$endOf.day" },
  { id: "24h", label: "Last 24 hours", from: "$now-24h" },
  { id: "7d", label: "Last 7 days", from: "$now-7d" },
  { id: "week", label: "This week", from: "$startOf.week", to: "$endOf.week" },
  { id: "30d", label: "Last 30 days", from: "$now-30d" },
  { id: "month", label: "This month", from: "$startOf.month", to: "$endOf.month" },
  { id: "last-month", label: "Last month", from: "$startOf.month-1M", to: "$startOf.month" },
  { id: "90d", label: "Last 90 days", from: "$now-90d" },
  { id: "quarter", label: "This quarter", from: "$startOf.quarter", to: "$endOf.quarter" },
  { id: "year", label: "This year", from: "$startOf.year", to: "$endOf.year" },
  { id: "12M", label: "Last 12 months", from: "$now-12M" },
];

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function findPeriod({ from, to }: Period): PeriodChoice | undefined {
  return PERIODS.find((one) => one.from === from && one.to === to);
}

/** Returns the label of a period, or describes a custom one. */
export function periodWords(period: Period): string {
  if (period.from === undefined) return "All time";
  const found = findPeriod(period);
  if (found) return found.label;
  return period.to === undefined ? `Since ${period.from}` : `${period.from} to ${period.to}`;
}
