export const ACCOUNT_TABS = ["profile", "security", "tokens"] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

export interface AccountSearch {
  readonly tab?: AccountTab | undefined;
}

/** Returns the open tab; invalid values open the first. */
export function readAccountSearch({ tab }: Readonly<Record<string, unknown>>): AccountSearch {
  return { tab: ACCOUNT_TABS.find((one) => one === tab && one !== "profile") };
}
