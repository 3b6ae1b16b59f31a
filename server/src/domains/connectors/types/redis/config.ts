import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";
import { notDestination } from "../../destination-mark.ts";

/** The configuration of a Redis connector. */
export const config = object({
  ...serverFields("Host of the server: Redis, Valkey, KeyDB or compatible", 6_379),
  database: notDestination(Type.Integer({ minimum: 0, maximum: 1_000, default: 0 })),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether actions can change data",
    }),
  ),
  allowCommands: notDestination(
    Type.Boolean({
      default: false,
      description:
        "Whether the action `command` is available, which runs any command of the server",
    }),
  ),
});
export type RedisConfig = Static<typeof config>;
