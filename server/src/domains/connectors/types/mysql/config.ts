import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";
import { notDestination } from "../../destination-mark.ts";

const ROWS_MAX = 10_000;

/** The configuration of a MySQL connector. */
export const config = object({
  ...serverFields("The server: MySQL, MariaDB and their like", 3_306),
  database: notDestination(line(64)),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether there is the action `execute`",
    }),
  ),
  maxRows: notDestination(Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 })),
});
export type MysqlConfig = Static<typeof config>;
