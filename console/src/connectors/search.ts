/** The tabs of a connector's page in its address. */
export const CONNECTOR_TABS = ["actions", "usage", "settings"] as const;
export type ConnectorTab = (typeof CONNECTOR_TABS)[number];

export interface ConnectorSearch {
  readonly tab?: ConnectorTab | undefined;
  readonly action?: string | undefined;
}

export function readConnectorSearch(search: Readonly<Record<string, unknown>>): ConnectorSearch {
  const { action } = search;
  return {
    tab: CONNECTOR_TABS.find((tab) => tab === search["tab"]),
    action: typeof action === "string" ? action : undefined,
  };
}
