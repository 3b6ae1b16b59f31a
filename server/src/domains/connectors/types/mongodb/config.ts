import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { serverFields } from "../../upstream/guarded-stream.ts";
import { notDestination } from "../../destination-mark.ts";

/** The configuration of a MongoDB connector. */
export const config = object({
  ...serverFields("Host name. With `isCluster`: name of the cluster", 27_017),
  isCluster: Type.Boolean({
    default: false,
    description: "The name stands for several servers, as in `mongodb+srv://`",
  }),
  members: Type.Optional(
    Type.Array(
      Type.String({
        pattern:
          "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?)(:[0-9]{1,5})?$",
        maxLength: 260,
      }),
      {
        maxItems: 50,
        description:
          "Other members of the replica set, as `host:port`. If the primary changes, it must be one of these or of the cluster",
      },
    ),
  ),
  database: notDestination(line(63)),
  authSource: notDestination(
    Type.String({
      minLength: 1,
      maxLength: 63,
      default: "admin",
      description: "The authentication database",
    }),
  ),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether actions can change data",
    }),
  ),
  maxDocuments: notDestination(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
});
export type MongoConfig = Static<typeof config>;
