/** Routes of automation and common screens. Loaders start a screen's requests while its code is loading. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { readCausesSearch } from "./causes/search.ts";
import { readEventsSearch } from "./events/search.ts";
import { readRunsSearch } from "./runs/list/search.ts";
import { readRunSearch } from "./runs/run/search.ts";
import { followMove } from "./moved-routes.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { parseListSearch } from "./workflows/list/order.ts";
import { inside, textOf } from "./frame-routes.tsx";

const home = createRoute({
  getParentRoute: () => inside,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home.tsx"), "Home"),
});

const runs = createRoute({
  getParentRoute: () => inside,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs/list/runs.tsx"), "Runs"),
  validateSearch: readRunsSearch,
  beforeLoad({ search: { open } }) {
    if (open !== undefined) throw redirect({ to: "/runs/$id", params: { id: open } });
  },
});

const approvals = createRoute({
  getParentRoute: () => inside,
  path: "/approvals",
  component: lazyRouteComponent(() => import("./approvals/approvals.tsx"), "Approvals"),
  validateSearch: (
    search,
  ): { open?: string | undefined; tab?: "decided" | "agents" | undefined } => ({
    open: textOf(search["open"]),
    tab: search["tab"] === "decided" || search["tab"] === "agents" ? search["tab"] : undefined,
  }),
});

const search = createRoute({
  getParentRoute: () => inside,
  path: "/search",
  component: lazyRouteComponent(() => import("./search/search.tsx"), "SearchScreen"),
  validateSearch: ({ q, kind }): { q?: string | undefined; kind?: string | undefined } => ({
    q: typeof q === "number" ? String(q) : textOf(q),
    kind: textOf(kind),
  }),
});

const workflows = createRoute({
  getParentRoute: () => inside,
  path: "/workflows",
  component: lazyRouteComponent(() => import("./workflows/list/list.tsx"), "WorkflowList"),
  validateSearch: parseListSearch,
});

/** `step` is the path of the selected step through its loops, `run` the run whose values are shown. */
export interface EditorSearch {
  readonly step?: string | undefined;
  readonly run?: string | undefined;
  readonly panel?: string | undefined;
}

const editor = createRoute({
  getParentRoute: () => inside,
  path: "/workflows/$id",
  component: lazyRouteComponent(() => import("./workflows/editor/editor.tsx"), "Editor"),
  validateSearch: (search): EditorSearch => ({
    step: textOf(search["step"]),
    run: textOf(search["run"]),
    panel: textOf(search["panel"]),
  }),
});

const run = createRoute({
  getParentRoute: () => inside,
  path: "/runs/$id",
  component: lazyRouteComponent(() => import("./runs/run/run.tsx"), "RunPage"),
  validateSearch: readRunSearch,
  loader({ params: { id: runId } }) {
    prefetch("runs.get", { params: { runId }, query: { steps: 0 } });
  },
});

const events = createRoute({
  getParentRoute: () => inside,
  path: "/events",
  component: lazyRouteComponent(() => import("./events/log/explorer.tsx"), "EventExplorer"),
  validateSearch: readEventsSearch,
});

const topics = createRoute({
  getParentRoute: () => inside,
  path: "/events/topics",
  component: lazyRouteComponent(() => import("./events/topics/topics.tsx"), "Topics"),
  validateSearch: (search): { topic?: string | undefined } => ({ topic: textOf(search["topic"]) }),
});

const deadLetters = createRoute({
  getParentRoute: () => inside,
  path: "/events/dead-letters",
  component: lazyRouteComponent(() => import("./events/topics/dead-letters.tsx"), "DeadLetters"),
});

/** `of` is an event, run, ticket or delivery id. */
const causes = createRoute({
  getParentRoute: () => inside,
  path: "/causes/$of",
  component: lazyRouteComponent(() => import("./causes/causes.tsx"), "Causes"),
  validateSearch: readCausesSearch,
});

const notifications = createRoute({
  getParentRoute: () => inside,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./notifications/notifications.tsx"), "Notifications"),
});

const notification = createRoute({
  getParentRoute: () => inside,
  path: "/notifications/$id",
  component: lazyRouteComponent(
    () => import("./notifications/notification.tsx"),
    "NotificationPage",
  ),
});

const welcome = createRoute({
  getParentRoute: () => inside,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./welcome/welcome.tsx"), "Welcome"),
});

/** All other addresses: moved ones are redirected, others show "not found" within the layout. */
const nowhere = createRoute({
  getParentRoute: () => inside,
  path: "$",
  component: NotFound,
  beforeLoad: followMove,
});

/** All components in all states, for developers. */
const gallery = createRoute({
  getParentRoute: () => inside,
  path: "/components",
  component: lazyRouteComponent(() => import("./gallery/gallery.tsx"), "Gallery"),
  validateSearch: (search): { section?: string | undefined } => ({
    section: textOf(search["section"]),
  }),
});

export const automationRoutes = [
  home,
  search,
  runs,
  approvals,
  workflows,
  editor,
  run,
  causes,
  events,
  topics,
  deadLetters,
  notifications,
  notification,
  welcome,
  nowhere,
  gallery,
] as const;
