import "./style/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { cache } from "./data/api.ts";
import { BASE_PATH } from "./data/place.ts";
import { PageSkeleton } from "./shell/page-skeleton.tsx";
import { ScreenFailure } from "./shell/screen-boundary.tsx";
import { automationRoutes } from "./automation-routes.tsx";
import { integrationRoutes } from "./integration-routes.tsx";
import { dataRoutes } from "./data-routes.tsx";
import { inside, root, signIn } from "./frame-routes.tsx";
import { serviceRoutes } from "./service-routes.tsx";
import { settingsRoutes } from "./settings-routes.tsx";

const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    inside.addChildren([
      ...automationRoutes,
      ...integrationRoutes,
      ...dataRoutes,
      ...serviceRoutes,
      ...settingsRoutes,
    ]),
  ]),
  basepath: BASE_PATH,
  defaultPreload: "intent",
  defaultPreloadDelay: 40,
  // Without this, nothing is rendered before the code of the first screen is loaded, not even the layout.
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  defaultErrorComponent: ({ error, reset }) => (
    <ScreenFailure
      error={error instanceof Error ? error : new Error(String(error))}
      retry={reset}
    />
  ),
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
  // Loaded after the first screen, which does not need these styles.
  void import("./style/print.css");
  void import("./ui/behaviour/focus-recovery.ts").then(({ recoverFocus }) => recoverFocus());
}
