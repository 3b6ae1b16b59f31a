import { orderOf } from "../furniture.ts";
import { type Deed, ORDERS } from "./deed.ts";

/** Screens and sign-in of users. */
export const people: readonly Deed[] = [
  {
    name: "the same request twice",
    weight: 3,
    statuses: [201, 409],
    async act(api, { recordIds }, n) {
      const key = { "idempotency-key": `soak-${n - (n % 2)}` };
      const reply = await api.ask(`POST ${ORDERS}`, orderOf(n - (n % 2)), key);
      if (reply.status === 201 && n % 2 === 0) recordIds.push(reply.body.data.id);
      return reply;
    },
  },
  {
    name: "log in",
    weight: 0.3,
    slow: true,
    statuses: [200],
    act: (api, { login }) => api.ask("POST /api/v1/auth/token", login),
  },
  {
    name: "make and revoke a token",
    weight: 0.3,
    slow: true,
    statuses: [204],
    async act(api, _things, n) {
      const draft = { name: `Token ${n}`, expiresIn: "30d", scopes: ["audit:read"] };
      const { body, status } = await api.ask("POST /api/v1/auth/tokens", draft);
      return status === 201
        ? api.ask(`DELETE /api/v1/auth/tokens/${body.data.id}`)
        : { status, body };
    },
  },
  {
    name: "notify",
    weight: 1,
    statuses: [201],
    act: (api, { userId }, n) =>
      api.ask("POST /api/v1/notifications", { userIds: [userId], title: `Note ${n}`, body: "" }),
  },
  {
    name: "read the inbox",
    weight: 1,
    statuses: [200],
    act: (api) => api.ask("GET /api/v1/notifications?limit=20"),
  },
  {
    name: "open an app's page",
    weight: 1,
    statuses: [200],
    act: (api) => api.ask("POST /apps/default/desk/_state", { page: "/" }),
  },
  {
    name: "embed an app",
    weight: 0.3,
    statuses: [201],
    act: (api, { appId }) => api.ask(`POST /api/v1/apps/${appId}/embed-token`, { expiresIn: "1h" }),
  },
  {
    name: "run a report",
    weight: 0.5,
    statuses: [200],
    act: (api, { reportId }) => api.ask(`POST /api/v1/analytics/reports/${reportId}/run`, {}),
  },
  {
    name: "open a dashboard",
    weight: 0.5,
    statuses: [200],
    act: (api, { dashboardId }) => api.ask(`GET /api/v1/analytics/dashboards/${dashboardId}/data`),
  },
  {
    name: "export",
    weight: 0.1,
    slow: true,
    statuses: [202, 409],
    act: (api) =>
      api.ask("POST /api/v1/analytics/exports", {
        source: { kind: "records", table: "orders" },
        format: "csv",
      }),
  },
];
