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
    about: "Rows that users can sort, search, select and edit",
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
    about: "Fields of one record",
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
    about: "Input fields, validated before submission",
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
    about: "Bars, lines or areas, aggregated over all rows",
    icon: ChartColumn,
    make: ({ source }) => ({ type: "chart", dataSource: source, kind: "bar", title: "By group" }),
  },
  {
    id: "stat",
    label: "Number",
    about: "One large number",
    icon: Sigma,
    make: ({ source }) => ({
      type: "stat",
      label: "Count",
      value: source === "" ? 0 : `{{ $count(data.${source}) }}`,
      format: "number",
    }),
  },
  {
    id: "board",
    label: "Board",
    about: "Cards in columns, moved with drag and drop",
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
    about: "Records by day of the month",
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
    about: "Starts a workflow, changes a record or opens a page",
    icon: SquareMousePointer,
    make: () => ({
      type: "button",
      label: "Button",
      style: "primary",
      action: { type: "refresh" },
    }),
  },
  {
    id: "text",
    label: "Text",
    about: "A heading or paragraph, can contain values",
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
    about: "An image from a record or from this server",
    icon: Image,
    make: ({ source }) => ({
      type: "image",
      src: source === "" ? "" : `{{ data.${source}[0].image }}`,
      alt: "Image",
    }),
  },
  {
    id: "input",
    label: "Input",
    about: "An input value for data sources and texts",
    icon: RectangleEllipsis,
    make: () => ({ type: "input", name: "search", label: "Search" }),
  },
  {
    id: "select",
    label: "Select",
    about: "One of several values, used by data sources",
    icon: ChevronsUpDown,
    make: () => ({ type: "select", name: "choice", label: "Show", options: ["All", "Mine"] }),
  },
  {
    id: "columns",
    label: "Columns",
    about: "Components side by side",
    icon: Columns2,
    make: () => ({ type: "columns", columns: [{ components: [] }, { components: [] }] }),
  },
  {
    id: "tabs",
    label: "Tabs",
    about: "Components on tabs",
    icon: FolderOpen,
    make: () => ({
      type: "tabs",
      tabs: [
        { title: "Tab 1", components: [] },
        { title: "Tab 2", components: [] },
      ],
    }),
  },
  {
    id: "modal",
    label: "Modal",
    about: "A button that opens components in a dialog",
    icon: AppWindow,
    make: () => ({ type: "modal", title: "Details", openLabel: "Open", components: [] }),
  },
  {
    id: "ticket-list",
    label: "Ticket list",
    about: "The user's own tickets, or those of the service desk",
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
        { field: "state", label: "Status", format: "badge" },
        { field: "createdAt", label: "Created", format: "date" },
      ],
    }),
  },
  {
    id: "ticket-form",
    label: "Ticket form",
    about: "Creates an incident for the current user",
    icon: TicketPlus,
    make: () => ({
      type: "form",
      title: "Report an issue",
      fields: [
        { name: "title", label: "Title", required: true, maxLength: 200 },
        { name: "description", label: "Description", input: "textarea" },
      ],
      submit: { type: "create_ticket", message: "Ticket {{ result.number }} created." },
      submitLabel: "Submit",
    }),
  },
];

export const KIND_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  OFFERS.map(({ id, label }) => [id, label]),
);

export const SOURCE_ICON = ListChecks;
export type { Offer };
