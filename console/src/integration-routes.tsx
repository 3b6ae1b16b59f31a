/** Screens of those who connect Millrace with other systems. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { inside, textOf } from "./frame-routes.tsx";
import { readNewWebhookSearch, readWebhookSearch } from "./webhooks/search.ts";

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
  validateSearch: (search): { open?: string | undefined } => ({ open: textOf(search["open"]) }),
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

export const integrationRoutes = [webhooks, newWebhook, listen, webhook] as const;
