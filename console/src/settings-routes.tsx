/** Screens of people, rights and settings. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { prefetch } from "./data/api.ts";
import { readAccountSearch } from "./account/search.ts";
import { readAuditSearch } from "./audit/search.ts";
import { readOperationSearch } from "./operation/search.ts";
import { readPeopleSearch } from "./people/search.ts";
import { readRolesSearch } from "./roles/search.ts";
import { inside } from "./frame-routes.tsx";

const mailSettings = createRoute({
  getParentRoute: () => inside,
  path: "/settings/notifications",
  component: lazyRouteComponent(() => import("./notifications/mail-settings.tsx"), "MailSettings"),
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

const agents = createRoute({
  getParentRoute: () => inside,
  path: "/settings/agents",
  component: lazyRouteComponent(() => import("./agents/agents.tsx"), "Agents"),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: "/audit",
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
  validateSearch: readAuditSearch,
});

const operation = createRoute({
  getParentRoute: () => inside,
  path: "/operation",
  component: lazyRouteComponent(() => import("./operation/operation.tsx"), "Operation"),
  validateSearch: readOperationSearch,
});

export const settingsRoutes = [
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
