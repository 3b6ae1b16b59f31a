const TABS = ["saved", "mail", "kpis"] as const;
export type ReportsTab = (typeof TABS)[number];

/** Search parameters: tab, open item, and the report linked from an e-mail. */
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
