/** The state of a page as the server resolved it: without bindings and actions. */
import type { VNode } from "./vnode.ts";

/** How numbers and times are written. */
export interface Region {
  readonly locale: string;
  readonly timeZone: string;
}

export interface PageState {
  readonly region: Region;
  readonly app: string;
  readonly title: string;
  /** Of the page, within its app. */
  readonly path: string;
  readonly pages: readonly {
    readonly title: string;
    readonly url: string;
    readonly current: boolean;
  }[];
  readonly components: readonly ResolvedComponent[];
  /** The person who uses the app; absent in an embedded one, where others act for its author. */
  readonly user?: { readonly name: string; readonly home: string; readonly logOut: string };
  /** True when sources with effects are still to be loaded, by a request of the page itself. */
  readonly deferred?: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly input: string;
  readonly required: boolean;
  readonly options: readonly Option[];
  readonly value: unknown;
  readonly help: string | undefined;
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
  /** Says that not everything went into what is shown. */
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
      readonly input: string;
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
  readonly columns: readonly FieldDisplay[];
  readonly rows: readonly { readonly key: string | null; readonly cells: readonly unknown[] }[];
  readonly actions: readonly ButtonProps[];
  readonly search: boolean;
  readonly q: string;
  /** True when there is a previous page. */
  readonly hasBefore: boolean;
  readonly next: string | null;
  readonly empty: string;
}

export interface ResolvedForm {
  readonly type: "form";
  readonly title: string;
  readonly fields: readonly Field[];
  readonly submitLabel: string;
}

export interface ResolvedChart {
  readonly type: "chart";
  readonly kind: string;
  readonly title: string;
  readonly points: readonly { readonly label: string; readonly value: number }[];
}

/** An effect of an action in the browser. */
export type Effect =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "navigate"; readonly url: string }
  | { readonly kind: "refresh"; readonly sources?: readonly string[] }
  | {
      readonly kind: "error";
      readonly message: string;
      /** By the names of the form's fields. */
      readonly fields?: Readonly<Record<string, string>>;
    };

/** The search and the page of a table component. */
export interface TableViewState {
  readonly q?: string;
  readonly after?: string;
}
