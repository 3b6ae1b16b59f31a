/** The routes of the service desk and its data. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { readChangesSearch } from "./changes/search.ts";
import { ticketKindOf } from "./data/resource-path.ts";
import { readKnowledgeSearch, readNewArticleSearch } from "./knowledge/search.ts";
import { readDeskSearch } from "./desk/search.ts";
import { readReportSearch } from "./desk-reports/search.ts";
import { readOnCallSearch } from "./oncall/search.ts";
import { readSlaSearch } from "./sla/search.ts";
import { readServicesSearch } from "./services/search.ts";
import { followMove } from "./moved-routes.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { inside, textOf } from "./frame-routes.tsx";

/** `at` is the time of the displayed version. */
const readMoment = (search: Readonly<Record<string, unknown>>): { at?: string | undefined } => ({
  at: textOf(search["at"]),
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

/** A major incident, by number or id. */
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

/** `open` is the edited class, `new` a new one. */
const itemClasses = createRoute({
  getParentRoute: () => inside,
  path: "/services/classes",
  component: lazyRouteComponent(() => import("./services/classes/classes.tsx"), "Classes"),
  validateSearch: (search): { open?: string | undefined } => ({ open: textOf(search["open"]) }),
});

const serviceItem = createRoute({
  getParentRoute: () => inside,
  path: "/services/$id",
  component: lazyRouteComponent(() => import("./services/item/item-page.tsx"), "ItemPage"),
  validateSearch: readMoment,
  loader({ params: { id } }) {
    prefetch("cmdb.get_item", { params: { id } });
  },
});

const problem = createRoute({
  getParentRoute: () => inside,
  path: "/problems/$id",
  component: lazyRouteComponent(() => import("./problems/page/problem-page.tsx"), "ProblemPage"),
  validateSearch: (search): { tab?: "talk" | undefined } => ({
    tab: search["tab"] === "talk" ? "talk" : undefined,
  }),
  loader({ params: { id } }) {
    prefetch("problems.get", { params: { id } });
  },
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
});

/** E-mails link here: a ticket's page is found by number or id. */
const ticket = createRoute({
  getParentRoute: () => inside,
  path: "/tickets/$reference",
  component: NotFound,
  beforeLoad({ params: { reference } }) {
    const kind = ticketKindOf(reference);
    if (kind === undefined) return;
    // Changes are decided on their own page, with plan, risk and window.
    if (kind === "changes") throw redirect({ to: "/changes/$id", params: { id: reference } });
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
  validateSearch: readMoment,
});

/** The former addresses of the desk settings. Without them, a page name would be read as a ticket number. */
const movedDeskSettings = createRoute({
  getParentRoute: () => inside,
  path: "/desk/settings/$page",
  beforeLoad: followMove,
});

const deskReports = createRoute({
  getParentRoute: () => inside,
  path: "/desk/reports",
  component: lazyRouteComponent(() => import("./desk-reports/reports.tsx"), "DeskReports"),
  validateSearch: readReportSearch,
});

const tasks = createRoute({
  getParentRoute: () => inside,
  path: "/tasks",
  component: lazyRouteComponent(() => import("./tasks/my-tasks.tsx"), "MyTasks"),
  validateSearch: (search): { view?: "unassigned" | "all" | undefined } => ({
    view: search["view"] === "all" || search["view"] === "unassigned" ? search["view"] : undefined,
  }),
});

const onCall = createRoute({
  getParentRoute: () => inside,
  path: "/oncall",
  component: lazyRouteComponent(() => import("./oncall/oncall.tsx"), "OnCall"),
  validateSearch: readOnCallSearch,
});

const sla = createRoute({
  getParentRoute: () => inside,
  path: "/sla",
  component: lazyRouteComponent(() => import("./sla/sla.tsx"), "Sla"),
  validateSearch: readSlaSearch,
});

export const serviceRoutes = [
  changes,
  changeBoard,
  change,
  majorRoom,
  problems,
  problem,
  services,
  itemClasses,
  serviceItem,
  knowledge,
  catalog,
  catalogItem,
  formBuilder,
  newArticle,
  article,
  articleEditor,
  ticket,
  desk,
  deskTicket,
  movedDeskSettings,
  deskReports,
  tasks,
  onCall,
  sla,
] as const;
