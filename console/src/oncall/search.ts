const TABS = ["rota", "escalation", "pages", "absences"] as const;
export type OnCallTab = (typeof TABS)[number];

/** The search parameters of the on-call screen: the open item, and the first day of the timeline. */
export interface OnCallSearch {
  readonly tab?: OnCallTab | undefined;
  readonly open?: string | undefined;
  readonly from?: string | undefined;
}

export function readOnCallSearch(search: Readonly<Record<string, unknown>>): OnCallSearch {
  const { open, from } = search;
  return {
    tab: TABS.find((tab) => tab === search["tab"]),
    open: typeof open === "string" ? open : undefined,
    from: typeof from === "string" && isDay(from) ? from : undefined,
  };
}

const isDay = (text: string): boolean => {
  const date = new Date(`${text}T12:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${text}T`);
};
