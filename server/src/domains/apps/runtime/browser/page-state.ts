/** The state of a page as resolved by the server: without expressions and actions. */
import type { Figure } from "@millrace/client/chart";
import type { FormField, FormInput } from "#kernel/html/form/form-field.ts";
import type { VNode } from "#kernel/html/vnode.ts";

/** The format of numbers and times. */
export interface Region {
  readonly locale: string;
  readonly timeZone: string;
}

export interface PageState {
  readonly region: Region;
  readonly app: string;
  readonly title: string;
  /** The path of the page within its app. */
  readonly path: string;
  readonly pages: readonly {
    readonly title: string;
    readonly url: string;
    readonly current: boolean;
  }[];
  readonly components: readonly ResolvedComponent[];
  /** The color scheme of the app: `auto` is that of the device. */
  readonly mode: string;
  /** The user of the app; absent in an embedded app, which uses its author's rights. */
  readonly user?: { readonly name: string; readonly home: string; readonly logOut: string };
  /** True when sources with effects are still to be loaded, by a request of the page itself. */
  readonly deferred?: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Field extends FormField {
  /** The field is shown only if another field has one of these values. */
  readonly when?: { readonly field: string; readonly is: readonly (string | boolean)[] };
}

export interface ButtonProps {
  readonly label: string;
  readonly style: string;
  readonly confirm: string | undefined;
}

export interface FieldDisplay {
  readonly label: string;
  readonly format: string;
}

export type ResolvedComponent = {
  readonly id: string;
  readonly error?: string;
  /** States that the shown value is based on incomplete data. */
  readonly notice?: string;
} & (
  | { readonly type: "failed" }
  | { readonly type: "text"; readonly text: string; readonly style: string }
  | { readonly type: "markdown"; readonly content: readonly VNode[] }
  | ResolvedTable
  | ResolvedForm
  | {
      readonly type: "detail";
      readonly title: string;
      readonly fields: readonly (FieldDisplay & { readonly value: unknown })[] | null;
    }
  | ResolvedBoard
  | ResolvedCalendar
  | {
      readonly type: "image";
      readonly src: string | null;
      readonly alt: string;
      readonly width: string;
    }
  | ({ readonly type: "button" } & ButtonProps)
  | ResolvedChart
  | {
      readonly type: "stat";
      readonly label: string;
      readonly value: unknown;
      readonly format: string;
    }
  | {
      readonly type: "tabs";
      readonly tabs: readonly {
        readonly title: string;
        readonly components: readonly ResolvedComponent[];
      }[];
    }
  | {
      readonly type: "columns";
      readonly columns: readonly {
        readonly width: number;
        readonly components: readonly ResolvedComponent[];
      }[];
    }
  | {
      readonly type: "modal";
      readonly title: string;
      readonly openLabel: string;
      readonly components: readonly ResolvedComponent[];
    }
  | {
      readonly type: "input";
      readonly name: string;
      readonly label: string;
      readonly input: FormInput;
      readonly value: unknown;
    }
  | {
      readonly type: "select";
      readonly name: string;
      readonly label: string;
      readonly options: readonly Option[];
      readonly value: unknown;
    }
);

export interface ResolvedTable {
  readonly type: "table";
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly { readonly key: string | null; readonly cells: readonly unknown[] }[];
  readonly actions: readonly ButtonProps[];
  /** Buttons for all chosen rows. */
  readonly bulkActions: readonly ButtonProps[];
  /** True when a press on a row does something. */
  readonly isPressed: boolean;
  /** `one` or `many`, where rows may be chosen. */
  readonly select: string | undefined;
  readonly selected: readonly string[];
  readonly search: boolean;
  readonly q: string;
  /** True when there is a previous page. */
  readonly hasBefore: boolean;
  readonly next: string | null;
  readonly total: number | null;
  readonly empty: string;
}

export interface TableColumn extends FieldDisplay {
  /** The field name, if the table can be sorted by it. */
  readonly field?: string;
  readonly sorted?: "up" | "down";
  /** The control for editing the value in the table. */
  readonly edit?: { readonly input: FormInput; readonly options: readonly Option[] };
}

/** A row as a card. */
export interface Card {
  readonly key: string | null;
  readonly title: string;
  readonly fields: readonly (FieldDisplay & { readonly value: unknown })[];
}

export interface ResolvedBoard {
  readonly type: "board";
  readonly title: string;
  readonly columns: readonly (Option & { readonly cards: readonly Card[] })[];
  readonly canMove: boolean;
  readonly isPressed: boolean;
  readonly empty: string;
}

export interface ResolvedCalendar {
  readonly type: "calendar";
  readonly title: string;
  /** As `2026-11`. */
  readonly month: string;
  readonly today: string;
  readonly days: readonly { readonly day: string; readonly cards: readonly Card[] }[];
  readonly isPressed: boolean;
}

export interface ResolvedForm {
  readonly type: "form";
  readonly title: string;
  readonly fields: readonly Field[];
  readonly submitLabel: string;
}

export interface ResolvedChart {
  readonly type: "chart";
  readonly title: string;
  readonly figure: Figure;
}

/** An effect of an action in the browser. */
export type Effect =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "navigate"; readonly url: string }
  /** Clears the selection of this table. */
  | { readonly kind: "deselect"; readonly table: string }
  | { readonly kind: "refresh"; readonly sources?: readonly string[] }
  | {
      readonly kind: "error";
      readonly message: string;
      /** By the names of the form's fields. */
      readonly fields?: Readonly<Record<string, string>>;
    };

/** The search, sort and page of a table component, or the month of a calendar. */
export interface TableViewState {
  readonly q?: string;
  readonly after?: string;
  readonly sort?: string;
  readonly month?: string;
}

/** The data that the browser script starts with. */
export interface StartData {
  readonly state: PageState;
  readonly params: Readonly<Record<string, string>>;
  /** The endpoints for the page's state and for actions. */
  readonly urls: {
    readonly state: string;
    readonly act: string;
    readonly live: string;
    /** The URL of the stream, starting at the time when this page was read. */
    readonly firstLive: string;
    readonly upload: string;
  };
  /** The headers that specify workspace and environment in the user's own requests. */
  readonly place: Readonly<Record<string, string>>;
  /** The browser storage key for the user's choices in this app. */
  readonly remembers: string;
}
