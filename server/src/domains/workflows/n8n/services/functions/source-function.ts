import type { ParameterReader } from "../service-table.ts";

/** A function that rows name; its arguments stand in the row. */
export type SourceFunction = (
  read: ParameterReader,
  ...args: readonly never[]
) => string | undefined;

export type SourceFunctions = Readonly<Record<string, SourceFunction>>;
