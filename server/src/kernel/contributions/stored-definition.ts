import type { PlatformServices } from "../contract.ts";
import type { SqlRow } from "../db/statement.ts";
import { extensionPoint } from "../extension-point.ts";
import type { FieldError } from "../operation/failure.ts";

/**
 * Rows with JSON that the API checks before it writes them. Where rows come in otherwise, from an archive that anybody may
 * have made, they are checked by this: what reads them takes their form for granted.
 */
export interface StoredDefinition {
  readonly table: string;
  /** What names a row, in SQL; its `id` unless given. */
  readonly key?: string;
  /** The select list of what is checked. */
  readonly columns: string;
  /** The errors that keep it from being saved, in itself: whether what it names is there is not asked. */
  readonly check: (
    services: Pick<PlatformServices, "contributions">,
    row: SqlRow,
  ) => readonly FieldError[];
}

export const StoredDefinitionPoint = extensionPoint<StoredDefinition>("kernel.stored_definitions");
