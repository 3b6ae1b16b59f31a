/** Screens of tables. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { inside, textOf } from "./frame-routes.tsx";
import { readTableSearch } from "./tables/search.ts";

const tables = createRoute({
  getParentRoute: () => inside,
  path: "/tables",
  component: lazyRouteComponent(() => import("./tables/list/tables.tsx"), "Tables"),
  loader() {
    prefetch("tables.list", { query: { limit: 200 } });
  },
});

const table = createRoute({
  getParentRoute: () => inside,
  path: "/tables/$slug",
  component: lazyRouteComponent(() => import("./tables/table-page.tsx"), "TablePage"),
  validateSearch: readTableSearch,
  loader({ params: { slug } }) {
    prefetch("tables.get", { params: { slug } });
  },
});

/** `column` is the one that somebody came to change. */
const tableDesign = createRoute({
  getParentRoute: () => inside,
  path: "/tables/$slug/design",
  component: lazyRouteComponent(() => import("./tables/designer/designer.tsx"), "Designer"),
  validateSearch: (search): { column?: string | undefined } => ({
    column: textOf(search["column"]),
  }),
});

const tableImport = createRoute({
  getParentRoute: () => inside,
  path: "/tables/$slug/import",
  component: lazyRouteComponent(() => import("./tables/import/import-page.tsx"), "ImportPage"),
});

export const dataRoutes = [tables, table, tableDesign, tableImport] as const;
