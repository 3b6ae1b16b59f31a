/** The routes of the layout and the sign-in. */
import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { BASE_PATH, place } from "./data/place.ts";
import { NotFound } from "./shell/not-found.tsx";
import { Shell } from "./shell/shell.tsx";

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: "/login",
  // Lazily loaded, because signed-in users do not need it.
  component: lazyRouteComponent(() => import("./shell/sign-in/sign-in.tsx"), "SignIn"),
  validateSearch: ({ from }): { from?: string } => (typeof from === "string" ? { from } : {}),
});

export const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  beforeLoad() {
    if (place.workspace === undefined) {
      const from = `${location.pathname}${location.search}`;
      throw redirect({ to: "/login", search: from === `${BASE_PATH}/` ? {} : { from } });
    }
    // Not awaited to save signed-in users a round trip. A 401 response redirects to the sign-in page.
    prefetch("auth.me");
  },
});

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
