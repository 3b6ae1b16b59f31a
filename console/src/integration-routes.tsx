/** The routes of connectors and webhooks. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readArtifactSearch, readArtifactsSearch } from "./artifacts/search.ts";
import { readConnectorSearch } from "./connectors/search.ts";
import { prefetch } from "./data/api.ts";
import { inside, textOf } from "./frame-routes.tsx";
import { readNewWebhookSearch, readWebhookSearch } from "./webhooks/search.ts";

const readOpen = (search: Readonly<Record<string, unknown>>): { open?: string | undefined } => ({
  open: textOf(search["open"]),
});

const webhooks = createRoute({
  getParentRoute: () => inside,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./webhooks/list.tsx"), "Webhooks"),
});

const newWebhook = createRoute({
  getParentRoute: () => inside,
  path: "/webhooks/new",
  component: lazyRouteComponent(() => import("./webhooks/form/new-webhook.tsx"), "NewWebhook"),
  validateSearch: readNewWebhookSearch,
});

const listen = createRoute({
  getParentRoute: () => inside,
  path: "/webhooks/listen",
  component: lazyRouteComponent(() => import("./webhooks/listen/listen.tsx"), "Listen"),
  validateSearch: readOpen,
});

const webhook = createRoute({
  getParentRoute: () => inside,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("./webhooks/page/webhook.tsx"), "WebhookPage"),
  validateSearch: readWebhookSearch,
  loader({ params: { id } }) {
    prefetch("webhooks.get", { params: { id } });
  },
});

const connectors = createRoute({
  getParentRoute: () => inside,
  path: "/connectors",
  component: lazyRouteComponent(() => import("./connectors/list.tsx"), "Connectors"),
});

const newConnector = createRoute({
  getParentRoute: () => inside,
  path: "/connectors/new",
  component: lazyRouteComponent(
    () => import("./connectors/form/new-connector.tsx"),
    "NewConnector",
  ),
  validateSearch: (search): { type?: string | undefined; preset?: string | undefined } => ({
    type: textOf(search["type"]),
    preset: textOf(search["preset"]),
  }),
});

const consentReturn = createRoute({
  getParentRoute: () => inside,
  path: "/connectors/consent",
  component: lazyRouteComponent(
    () => import("./connectors/page/consent-return.tsx"),
    "ConsentReturn",
  ),
  validateSearch: (search) => ({
    code: textOf(search["code"]),
    state: textOf(search["state"]),
    error: textOf(search["error"]),
  }),
});

const connector = createRoute({
  getParentRoute: () => inside,
  path: "/connectors/$id",
  component: lazyRouteComponent(() => import("./connectors/page/connector.tsx"), "ConnectorPage"),
  validateSearch: readConnectorSearch,
  loader({ params: { id } }) {
    prefetch("connectors.get", { params: { id } });
  },
});

const secrets = createRoute({
  getParentRoute: () => inside,
  path: "/secrets",
  component: lazyRouteComponent(() => import("./secrets/secrets.tsx"), "Secrets"),
  validateSearch: readOpen,
});

const variables = createRoute({
  getParentRoute: () => inside,
  path: "/variables",
  component: lazyRouteComponent(() => import("./secrets/variables.tsx"), "Variables"),
  validateSearch: readOpen,
});

const artifacts = createRoute({
  getParentRoute: () => inside,
  path: "/artifacts",
  component: lazyRouteComponent(() => import("./artifacts/list.tsx"), "Artifacts"),
  validateSearch: readArtifactsSearch,
});

const artifact = createRoute({
  getParentRoute: () => inside,
  path: "/artifacts/$id",
  component: lazyRouteComponent(() => import("./artifacts/page/artifact.tsx"), "ArtifactPage"),
  validateSearch: readArtifactSearch,
  loader({ params: { id } }) {
    prefetch("artifacts.get", { params: { id } });
  },
});

const packs = createRoute({
  getParentRoute: () => inside,
  path: "/packs",
  component: lazyRouteComponent(() => import("./packs/packs.tsx"), "Packs"),
  validateSearch: readOpen,
});

export const integrationRoutes = [
  webhooks,
  newWebhook,
  listen,
  webhook,
  connectors,
  newConnector,
  consentReturn,
  connector,
  secrets,
  variables,
  artifacts,
  artifact,
  packs,
] as const;
