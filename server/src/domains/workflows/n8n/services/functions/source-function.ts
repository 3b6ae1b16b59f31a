import type { ParameterReader } from "../service-table.ts";

/** A function named by rows, with arguments from the row. */
export type SourceFunction = (
  read: ParameterReader,
  ...args: readonly never[]
) => string | undefined;

export type SourceFunctions = Readonly<Record<string, SourceFunction>>;
