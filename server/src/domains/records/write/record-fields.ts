import Type from "typebox";
import { COLUMNS_MAX } from "#domains/tables/index.ts";
import type { RecordInput } from "../record.ts";

/** The fields of a record in a request. Not `Type.Record`, which matches each name with a pattern that any text fits. */
export const recordFields = (options: { minProperties?: number } = {}) =>
  Type.Unsafe<RecordInput>({
    type: "object",
    ...options,
    maxProperties: COLUMNS_MAX,
    description: "The table's fields by their names",
  });
