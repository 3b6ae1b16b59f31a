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
import { place } from "./data/place.ts";
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

const router = createRouter({
  routeTree: root.addChildren([signIn, inside.addChildren([home])]),
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
