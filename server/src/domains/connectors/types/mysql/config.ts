import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";

const ROWS_MAX = 10_000;

/** The configuration of a MySQL connector. */
export const config = object({
  ...serverFields("The server: MySQL, MariaDB and their like", 3_306),
  database: line(64),
  allowWrites: Type.Boolean({
    default: false,
    description: "Whether there is the action `execute`",
  }),
  maxRows: Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 }),
});
export type MysqlConfig = Static<typeof config>;
