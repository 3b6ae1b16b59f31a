/** The menu, declared once: areas and their screens. Shortcuts, the palette and page titles are derived from it. */
import {
  Activity,
  AlarmClock,
  AppWindow,
  BellRing,
  BookOpen,
  Boxes,
  CalendarClock,
  ChartColumn,
  CircleCheckBig,
  Columns3,
  DatabaseZap,
  House,
  Inbox,
  KeyRound,
  LayoutDashboard,
  ListTodo,
  type LucideIcon,
  Network,
  Package,
  Plug,
  Radio,
  Settings,
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
  /** The name of the page. */
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  /** The screen is hidden if the person can't perform this operation. */
  readonly needs?: OperationId;
  /** Only operators of the installation see it. */
  readonly isForOperators?: true;
  /** Other addresses that belong to it. */
  readonly covers?: readonly string[];
}

export interface Area {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Operations of users who work in the area. Other users find it under "More" until they pin it. */
  readonly work?: OperationId;
  /** The first available screen opens with the area; a screen with the area's own name is not listed below it. */
  readonly screens: readonly Screen[];
}

export const AREAS: readonly Area[] = [
  {
    id: "home",
    label: "Home",
    icon: House,
    screens: [
      { to: "/", label: "Home", icon: House, keys: "g h" },
      {
        to: "/approvals",
        label: "Approvals",
        icon: CircleCheckBig,
        keys: "g a",
        needs: "approvals.list",
      },
      { to: "/tasks", label: "Tasks", icon: ListTodo, keys: "g j", needs: "tickets.list" },
    ],
  },
  {
    id: "desk",
    label: "Desk",
    icon: Inbox,
    work: "incidents.assign",
    screens: [
      {
        to: "/desk",
        label: "Desk",
        icon: Inbox,
        keys: "g d",
        needs: "incidents.list_children",
        covers: ["/major"],
      },
      {
        to: "/problems",
        label: "Problems",
        icon: TriangleAlert,
        keys: "g p",
        needs: "problems.list",
      },
      { to: "/oncall", label: "On call", icon: Siren, keys: "g y", needs: "tickets.list" },
      { to: "/sla", label: "SLAs", icon: AlarmClock, keys: "g l", needs: "sla.list" },
      {
        to: "/desk/reports",
        label: "Desk reports",
        icon: ChartColumn,
        needs: "incidents.list_children",
      },
    ],
  },
  {
    id: "changes",
    label: "Changes",
    icon: CalendarClock,
    work: "changes.create",
    screens: [
      {
        to: "/changes",
        label: "Changes",
        icon: CalendarClock,
        keys: "g c",
        needs: "changes.list",
      },
      { to: "/changes/board", label: "Change board", icon: Columns3, needs: "changes.list" },
    ],
  },
  {
    id: "services",
    label: "Services",
    icon: Network,
    work: "cmdb.create_item",
    screens: [
      { to: "/services", label: "Services", icon: Network, keys: "g s", needs: "cmdb.list_items" },
      { to: "/services/classes", label: "Classes", icon: Boxes, needs: "cmdb.list_classes" },
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
    id: "knowledge",
    label: "Knowledge",
    icon: BookOpen,
    work: "knowledge.create",
    screens: [
      {
        to: "/knowledge",
        label: "Knowledge",
        icon: BookOpen,
        keys: "g k",
        needs: "knowledge.list",
      },
    ],
  },
  {
    id: "automation",
    label: "Automation",
    icon: Workflow,
    work: "workflows.create",
    screens: [
      {
        to: "/workflows",
        label: "Workflows",
        icon: Workflow,
        keys: "g w",
        needs: "workflows.list",
      },
      {
        to: "/runs",
        label: "Runs",
        icon: Activity,
        keys: "g r",
        needs: "workflows.list",
        covers: ["/causes"],
      },
      { to: "/events", label: "Events", icon: Radio, keys: "g e", needs: "events.recent" },
      { to: "/webhooks", label: "Webhooks", icon: Webhook, keys: "g z", needs: "webhooks.list" },
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
    id: "data",
    label: "Data",
    icon: Table2,
    work: "records.create",
    screens: [
      {
        to: "/tables",
        label: "Tables",
        icon: Table2,
        keys: "g t",
        needs: "tables.list",
        covers: ["/imports", "/diagram"],
      },
      { to: "/sql", label: "SQL", icon: DatabaseZap, keys: "g q", needs: "queries.run" },
    ],
  },
  {
    id: "apps",
    label: "Apps",
    icon: AppWindow,
    work: "apps.create",
    screens: [{ to: "/builder", label: "Apps", icon: AppWindow, keys: "g u", needs: "apps.list" }],
  },
  {
    id: "reports",
    label: "Reports",
    icon: ChartColumn,
    work: "reports.create",
    screens: [
      { to: "/reports", label: "Reports", icon: ChartColumn, keys: "g f", needs: "kpis.list" },
      {
        to: "/dashboards",
        label: "Dashboards",
        icon: LayoutDashboard,
        keys: "g b",
        needs: "dashboards.list",
      },
      { to: "/alerts", label: "Alerts", icon: BellRing, needs: "kpis.list" },
    ],
  },
];

/** The address of the settings. Their declaration loads later (`settings/declaration.ts`). */
export const SETTINGS_SCREEN: Screen = {
  to: "/settings",
  label: "Settings",
  icon: Settings,
  keys: "g ,",
};

/** Screens that the menu does not list, with their keys. */
const OTHERS: readonly Screen[] = [
  SETTINGS_SCREEN,
  { to: "/settings/people", label: "People", icon: Users, keys: "g m", needs: "users.list" },
];

export const SCREENS: readonly Screen[] = [...AREAS.flatMap(({ screens }) => screens), ...OTHERS];

export const isWithin = (path: string, to: string): boolean =>
  to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);

/** Returns the screen that an address belongs to. */
export function screenAt(path: string): Screen | undefined {
  const length = ({ to, covers = [] }: Screen): number =>
    Math.max(...[to, ...covers].filter((one) => isWithin(path, one)).map((one) => one.length), -1);
  return SCREENS.filter((screen) => length(screen) >= 0).toSorted(
    (one, other) => length(other) - length(one),
  )[0];
}

export const isSettingsPath = (path: string): boolean => isWithin(path, SETTINGS_SCREEN.to);

/** Dialogs that the palette opens from every screen. */
export interface Shortcut extends Pick<Screen, "needs"> {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  readonly label: string;
  /** Synonyms for it. */
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
