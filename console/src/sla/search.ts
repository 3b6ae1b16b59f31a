export const SLA_TABS = ["board", "policies", "calendars"] as const;
export type SlaTab = (typeof SLA_TABS)[number];

/** `open` is the edited policy or calendar. */
export interface SlaSearch {
  readonly tab?: SlaTab | undefined;
  readonly open?: string | undefined;
}

export const readSlaSearch = (search: Readonly<Record<string, unknown>>): SlaSearch => ({
  tab: SLA_TABS.find((tab) => tab === search["tab"]),
  open: typeof search["open"] === "string" && search["open"] !== "" ? search["open"] : undefined,
});
