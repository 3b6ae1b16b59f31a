export type AccountTab = "profile" | "security" | "tokens";

export interface AccountSearch {
  readonly tab?: AccountTab | undefined;
}

/** The tab that is open; anything else is the first. */
export function readAccountSearch(search: Readonly<Record<string, unknown>>): AccountSearch {
  const { tab } = search;
  return { tab: tab === "security" || tab === "tokens" ? tab : undefined };
}
