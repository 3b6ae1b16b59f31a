import type { Page } from "playwright-core";
import type { Places } from "./furnish.ts";
import type { Member } from "./house.ts";

/** A screenshot in a guide. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  /** The signed-in user. Default: the owner. */
  readonly by?: Member;
  readonly size?: readonly [number, number];
  /** Actions on the page before the screenshot. */
  readonly arrange?: (page: Page) => Promise<void>;
}

const PHONE = [400, 800] as const;

/** Opens the first row of a list with this text. */
const open = (text: string | RegExp) => async (page: Page) => {
  await page.getByText(text).first().click();
};

export function picturesOf(places: Places): readonly Picture[] {
  return [
    { name: "home", path: "/", size: [1440, 740] },
    { name: "editor", path: places.editorPath },
    { name: "run", path: `/runs/${places.waitingRunId}` },
    { name: "run-phone", path: `/runs/${places.waitingRunId}`, size: PHONE },
    { name: "causes", path: `/causes/${places.causesOf}` },
    {
      name: "desk",
      path: `/desk?view=open&open=${places.ticketNumber}`,
      by: places.people.mara,
    },
    { name: "tables", path: "/tables/orders", arrange: open("Newest") },
    { name: "on-call", path: "/oncall", size: [1440, 740] },
    { name: "approvals", path: "/approvals" },
    { name: "portal", path: "/portal", by: places.people.noah, size: [1280, 1000] },
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
