/** A page as the server resolved it: no binding is left in it, and no action. */
import type { VNode } from "./vnode.ts";

export interface PageState {
  readonly app: string;
  readonly title: string;
  /** Of the page, within its app. */
  readonly path: string;
  readonly pages: readonly {
    readonly title: string;
    readonly url: string;
    readonly current: boolean;
  }[];
  readonly components: readonly Part[];
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

export interface Push {
  readonly label: string;
  readonly style: string;
  readonly confirm: string | undefined;
}

export interface Shown {
  readonly label: string;
  readonly format: string;
}

export type Part = { readonly id: string; readonly error?: string } & (
  | { readonly type: "failed" }
  | { readonly type: "text"; readonly text: string; readonly style: string }
  | { readonly type: "markdown"; readonly content: readonly VNode[] }
  | TablePart
  | FormPart
  | {
      readonly type: "detail";
      readonly title: string;
      readonly fields: readonly (Shown & { readonly value: unknown })[] | null;
    }
  | ({ readonly type: "button" } & Push)
  | ChartPart
  | {
      readonly type: "stat";
      readonly label: string;
      readonly value: unknown;
      readonly format: string;
    }
  | {
      readonly type: "tabs";
      readonly tabs: readonly { readonly title: string; readonly components: readonly Part[] }[];
    }
  | {
      readonly type: "columns";
      readonly columns: readonly { readonly width: number; readonly components: readonly Part[] }[];
    }
  | {
      readonly type: "modal";
      readonly title: string;
      readonly openLabel: string;
      readonly components: readonly Part[];
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

export interface TablePart {
  readonly type: "table";
  readonly title: string;
  readonly columns: readonly Shown[];
  readonly rows: readonly { readonly key: string | null; readonly cells: readonly unknown[] }[];
  readonly actions: readonly Push[];
  readonly search: boolean;
  readonly q: string;
  /** Whether there is a page before this one. */
  readonly hasBefore: boolean;
  readonly next: string | null;
  readonly empty: string;
}

export interface FormPart {
  readonly type: "form";
  readonly title: string;
  readonly fields: readonly Field[];
  readonly submitLabel: string;
}

export interface ChartPart {
  readonly type: "chart";
  readonly kind: string;
  readonly title: string;
  readonly points: readonly { readonly label: string; readonly value: number }[];
}

/** What comes of an action. */
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

/** What somebody looks at in a table. */
export interface View {
  readonly q?: string;
  readonly after?: string;
}
