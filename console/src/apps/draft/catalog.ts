/** The component types of apps, with their initial properties. */
import {
  AppWindow,
  CalendarDays,
  ChartColumn,
  ChevronsUpDown,
  Columns2,
  FileText,
  FolderOpen,
  Heading,
  Image,
  KanbanSquare,
  LayoutList,
  type LucideIcon,
  ListChecks,
  RectangleEllipsis,
  Sigma,
  SquarePen,
  SquareMousePointer,
  Table2,
  TicketPlus,
  Tickets,
} from "lucide-react";
import { type Component, type Draft, freeName, type Source } from "./draft.ts";

interface Offer {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  readonly icon: LucideIcon;
  /** Creates the component; uses the fields of its source if they are known. */
  readonly make: (ctx: MakeContext) => Component;
  /** A source that is created with the component. */
  readonly source?: (draft: Draft) => Source;
}

export interface MakeContext {
  /** The source of the component; empty if it needs none. */
  readonly source: string;
  /** The field names of its rows. */
  readonly fields: readonly string[];
  readonly draft: Draft;
}

export const ICONS: Readonly<Record<string, LucideIcon>> = {
  text: Heading,
  markdown: FileText,
  table: Table2,
  detail: LayoutList,
  form: SquarePen,
  board: KanbanSquare,
  calendar: CalendarDays,
  chart: ChartColumn,
  stat: Sigma,
  image: Image,
  button: SquareMousePointer,
  input: RectangleEllipsis,
  select: ChevronsUpDown,
  columns: Columns2,
  tabs: FolderOpen,
  modal: AppWindow,
};

const SYSTEM = new Set(["id", "createdAt", "updatedAt", "createdBy", "revision"]);
const own = (fields: readonly string[]): readonly string[] =>
  fields.filter((name) => !SYSTEM.has(name));
const titleOf = (fields: readonly string[]): string =>
  fields.find((name) => /^(name|title|subject)$/.test(name)) ?? own(fields)[0] ?? "id";
const stateOf = (fields: readonly string[]): string =>
  fields.find((name) => /^(status|state|stage|priority|kind|type)$/.test(name)) ?? titleOf(fields);
const dateOf = (fields: readonly string[]): string =>
  fields.find((name) => /(date|due|_on|_at|day)$/.test(name)) ?? "createdAt";

const TICKETS = "tickets";
const ticketSource = (draft: Draft): Source => ({
  name: freeName(TICKETS, new Set(draft.dataSources.map(({ name }) => name))),
  kind: "tickets",
  config: {},
});

export const OFFERS: readonly Offer[] = [
  {
    id: "table",
    label: "Table",
    about: "Rows that people sort, search, choose and change",
    icon: Table2,
    make: ({ source, fields }) => ({
      type: "table",
      dataSource: source,
      search: true,
      columns: own(fields)
        .slice(0, 6)
        .map((field) => ({ field })),
    }),
  },
  {
    id: "detail",
    label: "Detail",
    about: "The fields of one row",
    icon: LayoutList,
    make: ({ source, fields }) => ({
      type: "detail",
      dataSource: source,
      fields: own(fields)
        .slice(0, 12)
        .map((field) => ({ field })),
    }),
  },
  {
    id: "form",
    label: "Form",
    about: "Fields to fill in, checked before they are sent",
    icon: SquarePen,
    make: ({ source, fields, draft }) => {
      const table = draft.dataSources.find(({ name }) => name === source)?.config["table"];
      const asked = own(fields).slice(0, 8);
      return {
        type: "form",
        title: "New",
        fields: (asked.length > 0 ? asked : ["name"]).map((name) => ({ name })),
        submit: typeof table === "string" ? { type: "create_record", table } : { type: "refresh" },
      };
    },
  },
  {
    id: "chart",
    label: "Chart",
    about: "Bars, lines or areas, computed over all rows",
    icon: ChartColumn,
    make: ({ source }) => ({ type: "chart", dataSource: source, kind: "bar", title: "By group" }),
  },
  {
    id: "stat",
    label: "Number",
    about: "One figure, large",
    icon: Sigma,
    make: ({ source }) => ({
      type: "stat",
      label: "How many",
      value: source === "" ? 0 : `{{ $count(data.${source}) }}`,
      format: "number",
    }),
  },
  {
    id: "board",
    label: "Board",
    about: "Cards in columns, moved by hand",
    icon: KanbanSquare,
    make: ({ source, fields }) => ({
      type: "board",
      dataSource: source,
      groupBy: stateOf(fields),
      cardTitle: titleOf(fields),
      move: true,
    }),
  },
  {
    id: "calendar",
    label: "Calendar",
    about: "Rows on the days of a month",
    icon: CalendarDays,
    make: ({ source, fields }) => ({
      type: "calendar",
      dataSource: source,
      date: dateOf(fields),
      cardTitle: titleOf(fields),
    }),
  },
  {
    id: "button",
    label: "Button",
    about: "Starts a workflow, changes a record, leads to a page",
    icon: SquareMousePointer,
    make: () => ({
      type: "button",
      label: "Do it",
      style: "primary",
      action: { type: "refresh" },
    }),
  },
  {
    id: "text",
    label: "Text",
    about: "A heading or a sentence, with values in it",
    icon: Heading,
    make: () => ({ type: "text", text: "Hello {{ user.name }}", style: "heading" }),
  },
  {
    id: "markdown",
    label: "Rich text",
    about: "Headings, lists and links in Markdown",
    icon: FileText,
    make: () => ({ type: "markdown", text: "## How this works\n\nWrite what people should know." }),
  },
  {
    id: "image",
    label: "Image",
    about: "A picture of a record, or of this installation",
    icon: Image,
    make: ({ source }) => ({
      type: "image",
      src: source === "" ? "" : `{{ data.${source}[0].image }}`,
      alt: "Picture",
    }),
  },
  {
    id: "input",
    label: "Input",
    about: "A value that sources and texts read",
    icon: RectangleEllipsis,
    make: () => ({ type: "input", name: "search", label: "Search" }),
  },
  {
    id: "select",
    label: "Choice",
    about: "One of several values that sources read",
    icon: ChevronsUpDown,
    make: () => ({ type: "select", name: "choice", label: "Show", options: ["All", "Mine"] }),
  },
  {
    id: "columns",
    label: "Columns",
    about: "Parts beside each other",
    icon: Columns2,
    make: () => ({ type: "columns", columns: [{ components: [] }, { components: [] }] }),
  },
  {
    id: "tabs",
    label: "Tabs",
    about: "Parts of which one is shown",
    icon: FolderOpen,
    make: () => ({
      type: "tabs",
      tabs: [
        { title: "First", components: [] },
        { title: "Second", components: [] },
      ],
    }),
  },
  {
    id: "modal",
    label: "Modal",
    about: "A button that opens parts over the page",
    icon: AppWindow,
    make: () => ({ type: "modal", title: "Details", openLabel: "Open", components: [] }),
  },
  {
    id: "ticket-list",
    label: "Ticket list",
    about: "The person's own tickets, or those of the desk",
    icon: Tickets,
    source: ticketSource,
    make: ({ source }) => ({
      type: "table",
      title: "My tickets",
      dataSource: source,
      search: true,
      columns: [
        { field: "number", label: "Number" },
        { field: "title", label: "Title" },
        { field: "state", label: "State", format: "badge" },
        { field: "createdAt", label: "Since", format: "date" },
      ],
    }),
  },
  {
    id: "ticket-form",
    label: "Ticket form",
    about: "Raises an incident in the name of the person",
    icon: TicketPlus,
    make: () => ({
      type: "form",
      title: "Ask for help",
      fields: [
        { name: "title", label: "What is it about?", required: true, maxLength: 200 },
        { name: "description", label: "What happened?", input: "textarea" },
      ],
      submit: { type: "create_ticket", message: "{{ result.number }} is raised." },
      submitLabel: "Send",
    }),
  },
];

export const KIND_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  OFFERS.map(({ id, label }) => [id, label]),
);

export const SOURCE_ICON = ListChecks;
export type { Offer };
