import "./style/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
<<<<<<< HEAD
import { cache } from "./data/api.ts";
import { BASE_PATH } from "./data/place.ts";
import { ScreenFailure } from "./shell/screen-boundary.tsx";
import { automationRoutes } from "./automation-routes.tsx";
import { inside, root, signIn } from "./frame-routes.tsx";
import { serviceRoutes } from "./service-routes.tsx";
import { settingsRoutes } from "./settings-routes.tsx";
=======
import { cache, prefetch } from "./data/api.ts";
import { readAccountSearch } from "./account/search.ts";
import { readAuditSearch } from "./audit/search.ts";
import { readCausesSearch } from "./causes/search.ts";
import { readChangesSearch } from "./changes/search.ts";
import { BASE_PATH, place } from "./data/place.ts";
import { ticketKindOf } from "./data/resource-path.ts";
import { readKnowledgeSearch, readNewArticleSearch } from "./knowledge/search.ts";
import { readDeskSearch } from "./desk/search.ts";
import { readReportSearch } from "./desk-reports/search.ts";
import { readSlaSearch } from "./sla/search.ts";
import { readPeopleSearch } from "./people/search.ts";
import { readRolesSearch } from "./roles/search.ts";
import { readRunsSearch } from "./runs/list/search.ts";
import { readRunSearch } from "./runs/run/search.ts";
import { readServicesSearch } from "./services/search.ts";
import { NotFound } from "./shell/not-found.tsx";
import { readTableSearch } from "./tables/search.ts";
import { Shell } from "./shell/shell.tsx";
import { ScreenFailure } from "./shell/screen-boundary.tsx";
import { SignIn } from "./shell/sign-in/sign-in.tsx";
import { parseListSearch } from "./workflows/list/order.ts";

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
    if (place.workspace === undefined) {
      const from = `${location.pathname}${location.search}`;
      throw redirect({ to: "/login", search: from === `${BASE_PATH}/` ? {} : { from } });
    }
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
  validateSearch: (search): { open?: string | undefined; tab?: "decided" | undefined } => ({
    open: textOf(search["open"]),
    tab: search["tab"] === "decided" ? "decided" : undefined,
  }),
});

const workflows = createRoute({
  getParentRoute: () => inside,
  path: "/workflows",
  component: lazyRouteComponent(() => import("./workflows/list/list.tsx"), "WorkflowList"),
  validateSearch: parseListSearch,
});

/** `step` is the way to the chosen step through its loops, `run` the run whose values are shown on it. */
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

/** `of` is whatever has causes and effects: an event, a run, a ticket, a delivery. */
const causes = createRoute({
  getParentRoute: () => inside,
  path: "/causes/$of",
  component: lazyRouteComponent(() => import("./causes/causes.tsx"), "Causes"),
  validateSearch: readCausesSearch,
});

const changes = createRoute({
  getParentRoute: () => inside,
  path: "/changes",
  component: lazyRouteComponent(() => import("./changes/changes.tsx"), "Changes"),
  validateSearch: readChangesSearch,
});

const changeBoard = createRoute({
  getParentRoute: () => inside,
  path: "/changes/board",
  component: lazyRouteComponent(() => import("./changes/board/board.tsx"), "Board"),
  validateSearch: (search): { open?: string | undefined } => ({ open: textOf(search["open"]) }),
});

const change = createRoute({
  getParentRoute: () => inside,
  path: "/changes/$id",
  component: lazyRouteComponent(() => import("./changes/change/change-page.tsx"), "ChangePage"),
  loader({ params: { id } }) {
    prefetch("changes.get", { params: { id } });
  },
});

/** Of a major incident, by its number or id. */
const majorRoom = createRoute({
  getParentRoute: () => inside,
  path: "/major/$id",
  component: lazyRouteComponent(() => import("./major/room.tsx"), "MajorRoom"),
  loader({ params: { id } }) {
    prefetch("major_incidents.room", { params: { id } });
  },
});

const problems = createRoute({
  getParentRoute: () => inside,
  path: "/problems",
  component: lazyRouteComponent(() => import("./problems/problems.tsx"), "Problems"),
  validateSearch: (search): { tab?: "known" | undefined } => ({
    tab: search["tab"] === "known" ? "known" : undefined,
  }),
});

const services = createRoute({
  getParentRoute: () => inside,
  path: "/services",
  component: lazyRouteComponent(() => import("./services/services.tsx"), "Services"),
  validateSearch: readServicesSearch,
});

const knowledge = createRoute({
  getParentRoute: () => inside,
  path: "/knowledge",
  component: lazyRouteComponent(() => import("./knowledge/list/knowledge.tsx"), "Knowledge"),
  validateSearch: readKnowledgeSearch,
});

const catalog = createRoute({
  getParentRoute: () => inside,
  path: "/catalog",
  component: lazyRouteComponent(() => import("./catalog/shop/catalog.tsx"), "Catalog"),
  validateSearch: (search): { q?: string | undefined; tab?: "mine" | undefined } => ({
    q: textOf(search["q"]),
    tab: search["tab"] === "mine" ? "mine" : undefined,
  }),
});

const catalogItem = createRoute({
  getParentRoute: () => inside,
  path: "/catalog/$id",
  component: lazyRouteComponent(() => import("./catalog/shop/catalog-item.tsx"), "CatalogItem"),
});

const formBuilder = createRoute({
  getParentRoute: () => inside,
  path: "/catalog/$id/edit",
  component: lazyRouteComponent(() => import("./catalog/builder/form-builder.tsx"), "FormBuilder"),
});

const newArticle = createRoute({
  getParentRoute: () => inside,
  path: "/knowledge/new",
  component: lazyRouteComponent(
    () => import("./knowledge/editor/article-editor.tsx"),
    "NewArticle",
  ),
  validateSearch: readNewArticleSearch,
});

const article = createRoute({
  getParentRoute: () => inside,
  path: "/knowledge/$id",
  component: lazyRouteComponent(
    () => import("./knowledge/article/article-page.tsx"),
    "ArticlePage",
  ),
  loader({ params: { id } }) {
    prefetch("knowledge.get", { params: { id }, query: { format: "html" } });
  },
});

const articleEditor = createRoute({
  getParentRoute: () => inside,
  path: "/knowledge/$id/edit",
  component: lazyRouteComponent(
    () => import("./knowledge/editor/article-editor.tsx"),
    "ArticleEditor",
  ),
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

/** A mail leads to it: the ticket's own page is found by its number or id. */
const ticket = createRoute({
  getParentRoute: () => inside,
  path: "/tickets/$reference",
  component: NotFound,
  beforeLoad({ params: { reference } }) {
    const kind = ticketKindOf(reference);
    if (kind === undefined) return;
    throw redirect({ to: "/desk/$kind/$number", params: { kind, number: reference } });
  },
});

const desk = createRoute({
  getParentRoute: () => inside,
  path: "/desk",
  component: lazyRouteComponent(() => import("./desk/desk.tsx"), "Desk"),
  validateSearch: readDeskSearch,
});

const deskTicket = createRoute({
  getParentRoute: () => inside,
  path: "/desk/$kind/$number",
  component: lazyRouteComponent(() => import("./desk/ticket/ticket-page.tsx"), "TicketPage"),
});

const deskSettings = createRoute({
  getParentRoute: () => inside,
  path: "/desk/settings",
  beforeLoad() {
    throw redirect({ to: "/desk/settings/$page", params: { page: "teams" } });
  },
});

/** `open` is the thing that is edited, `new` one that is made. */
const deskSettingsPage = createRoute({
  getParentRoute: () => inside,
  path: "/desk/settings/$page",
  component: lazyRouteComponent(() => import("./desk-settings/frame/settings.tsx"), "DeskSettings"),
  validateSearch: (search): { open?: string | undefined } => ({ open: textOf(search["open"]) }),
});

const deskReports = createRoute({
  getParentRoute: () => inside,
  path: "/desk/reports",
  component: lazyRouteComponent(() => import("./desk-reports/reports.tsx"), "DeskReports"),
  validateSearch: readReportSearch,
});

const sla = createRoute({
  getParentRoute: () => inside,
  path: "/sla",
  component: lazyRouteComponent(() => import("./sla/sla.tsx"), "Sla"),
  validateSearch: readSlaSearch,
});

const mailSettings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/notifications",
  component: lazyRouteComponent(() => import("./notifications/mail-settings.tsx"), "MailSettings"),
});

const welcome = createRoute({
  getParentRoute: () => inside,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./welcome/welcome.tsx"), "Welcome"),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/account.tsx"), "Account"),
  validateSearch: readAccountSearch,
});

const people = createRoute({
  getParentRoute: () => inside,
  path: "/people",
  component: lazyRouteComponent(() => import("./people/people.tsx"), "People"),
  validateSearch: readPeopleSearch,
});

const member = createRoute({
  getParentRoute: () => inside,
  path: "/people/$id",
  component: lazyRouteComponent(() => import("./people/member.tsx"), "MemberPage"),
  loader({ params: { id } }) {
    prefetch("users.get", { params: { id } });
  },
});

const roles = createRoute({
  getParentRoute: () => inside,
  path: "/roles",
  component: lazyRouteComponent(() => import("./roles/roles.tsx"), "Roles"),
  validateSearch: readRolesSearch,
});

const workspaceSettings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/workspace",
  component: lazyRouteComponent(() => import("./workspace/workspace.tsx"), "WorkspaceSettings"),
});

const singleSignOn = createRoute({
  getParentRoute: () => inside,
  path: "/settings/sso",
  component: lazyRouteComponent(() => import("./workspace/sso.tsx"), "SingleSignOn"),
});

const programs = createRoute({
  getParentRoute: () => inside,
  path: "/settings/programs",
  component: lazyRouteComponent(() => import("./workspace/programs.tsx"), "Programs"),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: "/audit",
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
  validateSearch: readAuditSearch,
});

/** Whatever else: inside the frame, so that one finds a way on. */
const nowhere = createRoute({ getParentRoute: () => inside, path: "$", component: NotFound });

/** All components in all states, for those who build screens. */
const gallery = createRoute({
  getParentRoute: () => inside,
  path: "/components",
  component: lazyRouteComponent(() => import("./gallery/gallery.tsx"), "Gallery"),
  validateSearch: (search): { section?: string | undefined } => ({
    section: textOf(search["section"]),
  }),
});

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
>>>>>>> 15f42479 (console: tables as grids, boards and calendars, with saved views, a record panel, a designer and an import)

/** All screens. */
const router = createRouter({
  routeTree: root.addChildren([
    signIn,
<<<<<<< HEAD
    inside.addChildren([...automationRoutes, ...serviceRoutes, ...settingsRoutes]),
=======
    inside.addChildren([
      home,
      workflows,
      editor,
      runs,
      run,
      causes,
      approvals,
      changes,
      changeBoard,
      change,
      majorRoom,
      problems,
      services,
      knowledge,
      newArticle,
      catalog,
      catalogItem,
      formBuilder,
      article,
      articleEditor,
      tables,
      table,
      tableDesign,
      tableImport,
      notifications,
      notification,
      ticket,
      desk,
      deskTicket,
      deskSettings,
      deskSettingsPage,
      deskReports,
      sla,
      mailSettings,
      account,
      people,
      member,
      roles,
      workspaceSettings,
      singleSignOn,
      programs,
      audit,
      welcome,
      gallery,
      nowhere,
    ]),
>>>>>>> 15f42479 (console: tables as grids, boards and calendars, with saved views, a record panel, a designer and an import)
  ]),
  basepath: BASE_PATH,
  defaultPreload: "intent",
  defaultPreloadDelay: 40,
  defaultPendingMs: 400,
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
}
