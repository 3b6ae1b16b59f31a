import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";
import { notDestination } from "../../destination-mark.ts";

const ROWS_MAX = 10_000;

/** The configuration of a MySQL connector. */
export const config = object({
  ...serverFields("Host of the server: MySQL, MariaDB or compatible", 3_306),
  database: notDestination(line(64)),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether the action `execute` is available",
    }),
  ),
  maxRows: notDestination(Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 })),
});
export type MysqlConfig = Static<typeof config>;
