import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { WebhookId, WebhooksRead } from "../webhook.ts";
import { readHealth, WebhookHealth } from "./health.ts";

const LIST = "health of webhooks";
/** Greater than every id. */
const AFTER_ALL = "~";

export const listHealth = query({
  id: "webhooks.list_health",
  route: "GET /api/v1/webhooks/health",
  summary: "List the health of webhooks",
  description: "Covers the environment of the request. Webhooks are sorted newest first.",
  environmentScoped: true,
  permission: WebhooksRead,
  query: object({ ...pageQuery, id: Type.Optional(WebhookId) }),
  response: page(WebhookHealth),
  async run({ tx, services }, { query: { limit, after, id } }) {
    const [start = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await readHealth(tx, { id, before: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (health) => health,
      ({ webhookId }) => services.cursors.encode(LIST, [webhookId]),
    );
  },
});
