/** The routes of settings, people and permissions, all below `/settings`. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { readAccountSearch } from "./account/search.ts";
import { readAuditSearch } from "./audit/search.ts";
import { readOperationSearch } from "./operation/search.ts";
import { readPeopleSearch } from "./people/search.ts";
import { readRolesSearch } from "./roles/search.ts";
import { inside, textOf } from "./frame-routes.tsx";

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/settings.tsx"), "Settings"),
  validateSearch: (search): { q?: string | undefined } => ({ q: textOf(search["q"]) }),
});

const mailSettings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/notifications",
  component: lazyRouteComponent(() => import("./notifications/mail-settings.tsx"), "MailSettings"),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: "/settings/account",
  component: lazyRouteComponent(() => import("./account/account.tsx"), "Account"),
  validateSearch: readAccountSearch,
});

const people = createRoute({
  getParentRoute: () => inside,
  path: "/settings/people",
  component: lazyRouteComponent(() => import("./people/people.tsx"), "People"),
  validateSearch: readPeopleSearch,
});

const member = createRoute({
  getParentRoute: () => inside,
  path: "/settings/people/$id",
  component: lazyRouteComponent(() => import("./people/member.tsx"), "MemberPage"),
  loader({ params: { id } }) {
    prefetch("users.get", { params: { id } });
  },
});

const roles = createRoute({
  getParentRoute: () => inside,
  path: "/settings/roles",
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
  path: "/settings/api",
  component: lazyRouteComponent(() => import("./workspace/programs.tsx"), "Programs"),
});

const agents = createRoute({
  getParentRoute: () => inside,
  path: "/settings/agents",
  component: lazyRouteComponent(() => import("./agents/agents.tsx"), "Agents"),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: "/settings/audit",
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
  validateSearch: readAuditSearch,
});

const operation = createRoute({
  getParentRoute: () => inside,
  path: "/settings/operation",
  component: lazyRouteComponent(() => import("./operation/operation.tsx"), "Operation"),
  validateSearch: readOperationSearch,
});

const deskSettings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/desk",
  beforeLoad() {
    throw redirect({ to: "/settings/desk/$page", params: { page: "teams" }, replace: true });
  },
});

/** `open` is the edited item, `new` a new one. */
const deskSettingsPage = createRoute({
  getParentRoute: () => inside,
  path: "/settings/desk/$page",
  component: lazyRouteComponent(() => import("./desk-settings/frame/settings.tsx"), "DeskSettings"),
  validateSearch: (search): { open?: string | undefined } => ({ open: textOf(search["open"]) }),
});

export const settingsRoutes = [
  settings,
  deskSettings,
  deskSettingsPage,
  mailSettings,
  account,
  people,
  member,
  roles,
  workspaceSettings,
  singleSignOn,
  programs,
  agents,
  audit,
  operation,
] as const;
