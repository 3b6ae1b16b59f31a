import "./style/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  RouterProvider,
} from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { cache, prefetch } from "./data/api.ts";
import { BASE_PATH, place } from "./data/place.ts";
import { RUN_STATUSES, type RunsSearch } from "./runs/search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./shell/sign-in.tsx";

/** The only list of screens. A loader starts a screen's requests beside the download of its code, on hover already. */
const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: SignIn,
  validateSearch: ({ from }): { from?: string } => (typeof from === "string" ? { from } : {}),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  beforeLoad() {
    if (place.workspace === undefined) throw redirect({ to: "/login" });
    // Not waited for: the first 401 leads to the sign-in page, and nobody else waits a round trip.
    prefetch("auth.me");
  },
});

const home = createRoute({
  getParentRoute: () => inside,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home.tsx"), "Home"),
});

const runs = createRoute({
  getParentRoute: () => inside,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs/runs.tsx"), "Runs"),
  validateSearch: (search): RunsSearch => ({
    status: RUN_STATUSES.find((status) => status === search["status"]),
    workflow: textOf(search["workflow"]),
    open: textOf(search["open"]),
  }),
});

const approvals = createRoute({
  getParentRoute: () => inside,
  path: "/approvals",
  component: lazyRouteComponent(() => import("./approvals/approvals.tsx"), "Approvals"),
  validateSearch: (search): { open?: string } => {
    const open = textOf(search["open"]);
    return open === undefined ? {} : { open };
  },
});

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

const router = createRouter({
  routeTree: root.addChildren([signIn, inside.addChildren([home, runs, approvals])]),
  basepath: BASE_PATH,
  defaultPreload: "intent",
  defaultPreloadDelay: 40,
  defaultPendingMs: 400,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

const element = document.getElementById("root");
if (element) {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
