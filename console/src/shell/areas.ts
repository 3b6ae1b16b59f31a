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

export interface Screen {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  /** Without this permission it is absent. */
  readonly permission?: string;
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
      { to: "/desk", label: "Desk", icon: Inbox, keys: "g d", permission: "incidents:read" },
      {
        to: "/changes",
        label: "Changes",
        icon: CalendarClock,
        keys: "g c",
        permission: "changes:read",
      },
      {
        to: "/problems",
        label: "Problems",
        icon: TriangleAlert,
        keys: "g p",
        permission: "problems:read",
      },
      { to: "/tasks", label: "Tasks", icon: ListTodo, keys: "g j", permission: "desk:read" },
      { to: "/oncall", label: "On call", icon: Siren, keys: "g y", permission: "desk:read" },
      { to: "/sla", label: "SLAs", icon: AlarmClock, keys: "g l", permission: "sla:read" },
      { to: "/services", label: "Services", icon: Network, keys: "g s", permission: "cmdb:read" },
      {
        to: "/knowledge",
        label: "Knowledge",
        icon: BookOpen,
        keys: "g k",
        permission: "knowledge:read",
      },
      {
        to: "/catalog",
        label: "Catalog",
        icon: ShoppingBag,
        keys: "g o",
        permission: "catalog:read",
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
        permission: "workflows:read",
      },
      { to: "/runs", label: "Runs", icon: Activity, keys: "g r", permission: "workflows:read" },
      {
        to: "/approvals",
        label: "Approvals",
        icon: CircleCheckBig,
        keys: "g a",
        permission: "approvals:decide",
      },
      { to: "/events", label: "Events", icon: Radio, keys: "g e", permission: "events:read" },
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
        permission: "webhooks:read",
      },
      {
        to: "/connectors",
        label: "Connectors",
        icon: Plug,
        keys: "g n",
        permission: "connectors:read",
      },
      { to: "/secrets", label: "Secrets", icon: KeyRound, permission: "secrets:read" },
      { to: "/variables", label: "Variables", icon: Variable, permission: "variables:read" },
      {
        to: "/artifacts",
        label: "Artifacts",
        icon: SquareCode,
        keys: "g x",
        permission: "artifacts:write",
      },
      { to: "/packs", label: "Packs", icon: Package, permission: "packs:install" },
    ],
  },
  {
    label: "Data",
    screens: [
      { to: "/tables", label: "Tables", icon: Table2, keys: "g t", permission: "tables:read" },
      { to: "/builder", label: "Apps", icon: AppWindow, keys: "g u", permission: "apps:read" },
      { to: "/sql", label: "SQL", icon: DatabaseZap, keys: "g q", permission: "queries:run" },
      {
        to: "/dashboards",
        label: "Dashboards",
        icon: LayoutDashboard,
        keys: "g b",
        permission: "analytics:read",
      },
      {
        to: "/reports",
        label: "Reports",
        icon: ChartColumn,
        keys: "g f",
        permission: "analytics:read",
      },
      { to: "/alerts", label: "Alerts", icon: BellRing, permission: "analytics:read" },
    ],
  },
  {
    label: "Platform",
    screens: [
      { to: "/people", label: "People", icon: Users, keys: "g m", permission: "users:read" },
      { to: "/roles", label: "Roles", icon: ShieldCheck, permission: "roles:read" },
      { to: "/settings/agents", label: "Agents", icon: Bot, permission: "agent_calls:read" },
      {
        to: "/settings/programs",
        label: "API access",
        icon: Braces,
        permission: "users:write",
      },
      { to: "/audit", label: "Audit log", icon: ScrollText, permission: "audit:read" },
      {
        to: "/settings/workspace",
        label: "Workspace",
        icon: Settings,
        permission: "workspaces:write",
      },
      { to: "/operation", label: "Operation", icon: Gauge, isForOperators: true },
    ],
  },
];

export const SCREENS: readonly Screen[] = AREAS.flatMap(({ screens }) => screens);

/** Dialogs that the palette opens from every screen. */
export interface Shortcut extends Pick<Screen, "permission"> {
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
    permission: "changes:approve",
  },
];
