const TABS = ["saved", "mail", "kpis"] as const;
export type ReportsTab = (typeof TABS)[number];

/** What of the screen can be linked to: the tab, the open thing, and the report that a mail leads to. */
export interface ReportsSearch {
  readonly tab?: ReportsTab | undefined;
  readonly open?: string | undefined;
  readonly report?: string | undefined;
}

export function readReportsSearch(search: Readonly<Record<string, unknown>>): ReportsSearch {
  const { open, report } = search;
  return {
    tab: TABS.find((tab) => tab === search["tab"]),
    open: typeof open === "string" ? open : undefined,
    report: typeof report === "string" ? report : undefined,
  };
}
