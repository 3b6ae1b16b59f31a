/** The routes of tables, SQL and dashboards. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { inside, textOf } from "./frame-routes.tsx";
import { readBuilderSearch } from "./apps/search.ts";
import { readDashboardSearch } from "./dashboards/search.ts";
import { readReportsSearch } from "./reports/search.ts";
import { readSqlSearch } from "./sql/search.ts";
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

/** `column` is the column to edit. */
/** The address of a record: its panel next to the grid. */
const record = createRoute({
  getParentRoute: () => inside,
  path: "/tables/$slug/records/$recordId",
  beforeLoad({ params: { slug, recordId } }) {
    throw redirect({
      to: "/tables/$slug",
      params: { slug },
      search: { open: recordId },
      replace: true,
    });
  },
});

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
  component: lazyRouteComponent(() => import("./tables/import/import-start.tsx"), "TableImport"),
});

const newImport = createRoute({
  getParentRoute: () => inside,
  path: "/imports",
  component: lazyRouteComponent(() => import("./tables/import/import-start.tsx"), "NewImport"),
});

const importScreen = createRoute({
  getParentRoute: () => inside,
  path: "/imports/$importId",
  component: lazyRouteComponent(() => import("./tables/import/import-screen.tsx"), "ImportScreen"),
});

const tableRules = createRoute({
  getParentRoute: () => inside,
  path: "/tables/$slug/rules",
  component: lazyRouteComponent(() => import("./tables/rules/rules-page.tsx"), "RulesPage"),
});

/** Not below `/tables`, where any word may be a table's slug. */
const diagram = createRoute({
  getParentRoute: () => inside,
  path: "/diagram",
  component: lazyRouteComponent(() => import("./tables/diagram/diagram.tsx"), "TableDiagram"),
  validateSearch: (search): { table?: string | undefined } => ({ table: textOf(search["table"]) }),
});

const sql = createRoute({
  getParentRoute: () => inside,
  path: "/sql",
  component: lazyRouteComponent(() => import("./sql/sql-page.tsx"), "SqlPage"),
  validateSearch: readSqlSearch,
  loader() {
    prefetch("queries.list", { query: { limit: 200 } });
    prefetch("queries.schema");
  },
});

const dashboards = createRoute({
  getParentRoute: () => inside,
  path: "/dashboards",
  component: lazyRouteComponent(() => import("./dashboards/dashboards.tsx"), "Dashboards"),
  loader() {
    prefetch("dashboards.list", { query: { limit: 200 } });
  },
});

const dashboard = createRoute({
  getParentRoute: () => inside,
  path: "/dashboards/$id",
  component: lazyRouteComponent(() => import("./dashboards/dashboard.tsx"), "DashboardPage"),
  validateSearch: readDashboardSearch,
  loader({ params: { id } }) {
    prefetch("dashboards.get", { params: { id } });
  },
});

const wall = createRoute({
  getParentRoute: () => inside,
  path: "/wall/$id",
  component: lazyRouteComponent(() => import("./dashboards/wall.tsx"), "Wall"),
  validateSearch: readDashboardSearch,
});

/** Not `/apps`, which is the address of the deployed apps. */
const apps = createRoute({
  getParentRoute: () => inside,
  path: "/builder",
  component: lazyRouteComponent(() => import("./apps/list/apps.tsx"), "Apps"),
  loader() {
    prefetch("apps.list", { query: { limit: 200 } });
  },
});

const builder = createRoute({
  getParentRoute: () => inside,
  path: "/builder/$id",
  component: lazyRouteComponent(() => import("./apps/builder/builder.tsx"), "AppBuilder"),
  validateSearch: readBuilderSearch,
  loader({ params: { id } }) {
    prefetch("apps.get", { params: { id } });
    prefetch("apps.schema");
  },
});

const alerts = createRoute({
  getParentRoute: () => inside,
  path: "/alerts",
  component: lazyRouteComponent(() => import("./alerts/alerts.tsx"), "Alerts"),
  loader() {
    prefetch("alerts.list", { query: { limit: 200 } });
  },
});

const alert = createRoute({
  getParentRoute: () => inside,
  path: "/alerts/$id",
  component: lazyRouteComponent(() => import("./alerts/alert-page.tsx"), "AlertPage"),
});

const reports = createRoute({
  getParentRoute: () => inside,
  path: "/reports",
  component: lazyRouteComponent(() => import("./reports/reports.tsx"), "Reports"),
  validateSearch: readReportsSearch,
  loader() {
    prefetch("reports.list", { query: { limit: 200 } });
  },
});

export const dataRoutes = [
  tables,
  table,
  record,
  tableDesign,
  tableImport,
  newImport,
  importScreen,
  tableRules,
  diagram,
  sql,
  dashboards,
  dashboard,
  wall,
  apps,
  builder,
  alerts,
  alert,
  reports,
] as const;
