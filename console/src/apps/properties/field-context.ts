import type { ReactNode } from "react";
import type { ScopeSource } from "../../code/index.ts";
import type { FieldProps, Schema } from "../../form/index.ts";

/** The app context of a property's control. */
export interface FieldContext {
  readonly sources: readonly ScopeSource[];
  /** Names of the app's data sources. */
  readonly data: readonly string[];
  readonly pages: readonly { readonly path: string; readonly title: string }[];
  /** Fields of the rows that the part shows. */
  readonly fields: readonly string[];
  readonly titleOf: (field: string) => string;
  readonly beside: Readonly<Record<string, unknown>>;
  readonly defs: Readonly<Record<string, Schema>>;
  readonly draw: (field: FieldProps, ctx: FieldContext) => ReactNode;
}
