import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";
import { notDestination } from "../../destination-mark.ts";

/** The configuration of a Redis connector. */
export const config = object({
  ...serverFields("The server: Redis, Valkey, KeyDB and their like", 6_379),
  database: notDestination(Type.Integer({ minimum: 0, maximum: 1_000, default: 0 })),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether there are the actions that change something",
    }),
  ),
  allowCommands: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether there is the action `command`, which runs any command of the server",
    }),
  ),
});
export type RedisConfig = Static<typeof config>;
