/** The pages of the desk's settings, in the order of their use. */
import {
  ClipboardList,
  Inbox,
  LayoutTemplate,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  RadioTower,
  Scale,
  Split,
  Tags,
  UsersRound,
  WandSparkles,
} from "lucide-react";
import type { OperationId } from "../../data/api.ts";

export const PAGES = [
  "teams",
  "macros",
  "texts",
  "fields",
  "tags",
  "mailboxes",
  "assignment",
  "templates",
  "rules",
  "portal",
  "status",
] as const;
export type SettingsPage = (typeof PAGES)[number];

interface PageWords {
  readonly label: string;
  readonly about: string;
  readonly icon: LucideIcon;
  /** Without it nothing can be changed. */
  readonly write: OperationId;
  /** Without it the page is absent. */
  readonly read: OperationId;
}

export const PAGE_WORDS: Readonly<Record<SettingsPage, PageWords>> = {
  teams: {
    label: "Teams",
    about: "Who works together: queues, macros and views are theirs.",
    icon: UsersRound,
    read: "teams.list",
    write: "teams.update",
  },
  macros: {
    label: "Macros",
    about: "Several acts at one key, on one ticket or on many.",
    icon: WandSparkles,
    read: "macros.list",
    write: "macros.create",
  },
  texts: {
    label: "Text modules",
    about: "What is written again and again; `;` and the keyword insert it.",
    icon: MessageSquareText,
    read: "macros.list",
    write: "macros.create",
  },
  fields: {
    label: "Own fields",
    about: "What your tickets need beyond ours: at once in forms, filters, SLAs and reports.",
    icon: ListChecks,
    read: "teams.list",
    write: "teams.update",
  },
  tags: {
    label: "Tags",
    about: "Those in use. One that is renamed is renamed on every ticket.",
    icon: Tags,
    read: "teams.list",
    write: "macros.list",
  },
  mailboxes: {
    label: "Mailboxes",
    about: "A mail makes a ticket or lands in its thread; answers go out as real threads.",
    icon: Inbox,
    read: "mailboxes.list",
    write: "mailboxes.create",
  },
  assignment: {
    label: "Assignment",
    about: "Which tickets go to whom by themselves: in turn, by load, by the rota.",
    icon: Split,
    read: "teams.list",
    write: "teams.update",
  },
  templates: {
    label: "Change templates",
    about: "What is done again and again and needs no vote, with the tasks of each.",
    icon: ClipboardList,
    read: "changes.list",
    write: "changes.approve",
  },
  rules: {
    label: "Priorities",
    about: "What impact and urgency make of a ticket, and when it is closed by itself.",
    icon: Scale,
    read: "teams.list",
    write: "teams.update",
  },
  portal: {
    label: "Portal",
    about: "The place of those who ask: its name, its greeting, its colour.",
    icon: LayoutTemplate,
    read: "portal.home",
    write: "portal.update_settings",
  },
  status: {
    label: "Status page",
    about: "What is up and what is not, for everybody.",
    icon: RadioTower,
    read: "status_components.list",
    write: "status_components.create",
  },
};

export function readPage(text: string | undefined): SettingsPage | undefined {
  return PAGES.find((page) => page === text);
}
