import type { Page } from "playwright-core";
import type { Places } from "./furnish.ts";

/** A screen as a guide shows it. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  readonly size?: readonly [number, number];
  /** What somebody does there before it is taken. */
  readonly arrange?: (page: Page) => Promise<void>;
}

const PHONE = [400, 800] as const;

/** Opens the first row of a list that says this. */
const open = (text: string | RegExp) => async (page: Page) => {
  await page.getByText(text).first().click();
};

export function picturesOf(places: Places): readonly Picture[] {
  return [
    { name: "events", path: "/events?type=incident.*", arrange: open("incident.updated") },
    { name: "builder", path: `/builder/${places.appId}` },
    { name: "app-phone", path: "/apps/default/orders", size: PHONE },
    { name: "dashboard", path: `/dashboards/${places.dashboardId}`, size: [1440, 1100] },
    {
      name: "sql",
      path: `/sql?query=${places.queryId}`,
      arrange: async (page) => {
        await page.getByRole("button", { name: /^Run/ }).click();
        await page.getByRole("tab", { name: "Chart" }).click();
      },
    },
    { name: "rules", path: "/tables/orders/rules" },
    { name: "diagram", path: "/diagram" },
    { name: "connector", path: `/connectors/${places.connectorId}?tab=usage` },
    {
      name: "webhook",
      path: `/webhooks/${places.webhookId}`,
      arrange: open("503"),
    },
    { name: "test-endpoint", path: `/webhooks/listen?open=${places.endpointId}` },
    { name: "cmdb", path: `/services/${places.itemId}` },
  ];
}
