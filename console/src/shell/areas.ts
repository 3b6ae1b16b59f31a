import {
  Activity,
  BellRing,
  BookOpen,
  Bot,
  Braces,
  AlarmClock,
  AppWindow,
  CalendarClock,
  ChartColumn,
  CircleCheckBig,
  Gauge,
  DatabaseZap,
  House,
  Inbox,
  ListTodo,
  LayoutDashboard,
  type LucideIcon,
  KeyRound,
  Network,
  Radio,
  Package,
  Plug,
  ScrollText,
  Settings,
  ShieldCheck,
  ShoppingBag,
  Siren,
  SquareCode,
  Table2,
  TriangleAlert,
  Users,
  Variable,
  Webhook,
  Workflow,
} from "lucide-react";
import type { OperationId } from "../data/api.ts";

export interface Screen {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  /** Absent where the person may not perform this operation. */
  readonly needs?: OperationId;
  /** Only those who run the installation have it. */
  readonly isForOperators?: true;
}

export interface Area {
  readonly label: string;
  readonly screens: readonly Screen[];
}

/** The menu. Whatever somebody may not read is not offered: the menu of an agent is short. */
export const AREAS: readonly Area[] = [
  { label: "", screens: [{ to: "/", label: "Home", icon: House, keys: "g h" }] },
  {
    label: "Service",
    screens: [
      {
        to: "/desk",
        label: "Desk",
        icon: Inbox,
        keys: "g d",
        needs: "incidents.list_children",
      },
      {
        to: "/changes",
        label: "Changes",
        icon: CalendarClock,
        keys: "g c",
        needs: "changes.list",
      },
      {
        to: "/problems",
        label: "Problems",
        icon: TriangleAlert,
        keys: "g p",
        needs: "problems.list",
      },
      { to: "/tasks", label: "Tasks", icon: ListTodo, keys: "g j", needs: "tickets.list" },
      { to: "/oncall", label: "On call", icon: Siren, keys: "g y", needs: "tickets.list" },
      { to: "/sla", label: "SLAs", icon: AlarmClock, keys: "g l", needs: "sla.list" },
      { to: "/services", label: "Services", icon: Network, keys: "g s", needs: "cmdb.list_items" },
      {
        to: "/knowledge",
        label: "Knowledge",
        icon: BookOpen,
        keys: "g k",
        needs: "knowledge.list",
      },
      {
        to: "/catalog",
        label: "Catalog",
        icon: ShoppingBag,
        keys: "g o",
        needs: "catalog.list_items",
      },
    ],
  },
  {
    label: "Automation",
    screens: [
      {
        to: "/workflows",
        label: "Workflows",
        icon: Workflow,
        keys: "g w",
        needs: "workflows.list",
      },
      { to: "/runs", label: "Runs", icon: Activity, keys: "g r", needs: "workflows.list" },
      {
        to: "/approvals",
        label: "Approvals",
        icon: CircleCheckBig,
        keys: "g a",
        needs: "approvals.list",
      },
      { to: "/events", label: "Events", icon: Radio, keys: "g e", needs: "events.recent" },
    ],
  },
  {
    label: "Integrations",
    screens: [
      {
        to: "/webhooks",
        label: "Webhooks",
        icon: Webhook,
        keys: "g z",
        needs: "webhooks.list",
      },
      {
        to: "/connectors",
        label: "Connectors",
        icon: Plug,
        keys: "g n",
        needs: "connectors.list",
      },
      { to: "/secrets", label: "Secrets", icon: KeyRound, needs: "secrets.list" },
      { to: "/variables", label: "Variables", icon: Variable, needs: "variables.list" },
      {
        to: "/artifacts",
        label: "Artifacts",
        icon: SquareCode,
        keys: "g x",
        needs: "artifacts.create",
      },
      { to: "/packs", label: "Packs", icon: Package, needs: "packs.install" },
    ],
  },
  {
    label: "Data",
    screens: [
      { to: "/tables", label: "Tables", icon: Table2, keys: "g t", needs: "tables.list" },
      { to: "/builder", label: "Apps", icon: AppWindow, keys: "g u", needs: "apps.list" },
      { to: "/sql", label: "SQL", icon: DatabaseZap, keys: "g q", needs: "queries.run" },
      {
        to: "/dashboards",
        label: "Dashboards",
        icon: LayoutDashboard,
        keys: "g b",
        needs: "dashboards.list",
      },
      {
        to: "/reports",
        label: "Reports",
        icon: ChartColumn,
        keys: "g f",
        needs: "kpis.list",
      },
      { to: "/alerts", label: "Alerts", icon: BellRing, needs: "kpis.list" },
    ],
  },
  {
    label: "Platform",
    screens: [
      { to: "/people", label: "People", icon: Users, keys: "g m", needs: "users.list" },
      { to: "/roles", label: "Roles", icon: ShieldCheck, needs: "roles.list" },
      { to: "/settings/agents", label: "Agents", icon: Bot, needs: "agent_calls.list" },
      {
        to: "/settings/programs",
        label: "API access",
        icon: Braces,
        needs: "users.update",
      },
      { to: "/audit", label: "Audit log", icon: ScrollText, needs: "events.trace" },
      {
        to: "/settings/workspace",
        label: "Workspace",
        icon: Settings,
        needs: "workspaces.update",
      },
      { to: "/operation", label: "Operation", icon: Gauge, isForOperators: true },
    ],
  },
];

export const SCREENS: readonly Screen[] = AREAS.flatMap(({ screens }) => screens);

/** Dialogs that the palette opens from every screen. */
export interface Shortcut extends Pick<Screen, "needs"> {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  readonly label: string;
  /** Other words for it. */
  readonly also: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    to: "/changes",
    search: { freeze: "new" },
    label: "New change freeze",
    also: "blackout window",
    needs: "changes.approve",
  },
];
