import Type, { type Static } from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { hostName } from "../../upstream/target.ts";
import { limits } from "../connector-type.ts";
import { notDestination } from "../../destination-mark.ts";

const ROWS_MAX = 10_000;

/** The configuration of a PostgreSQL connector. */
export const config = object({
  host: hostName("Host of the server"),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5_432 }),
  database: notDestination(line(63)),
  sslMode: Type.Enum(["verify-full", "require", "disable"], {
    default: "verify-full",
    description: "`require` encrypts without verifying the server",
  }),
  caCertificate: Type.Optional(text(20_000, "PEM certificate of a private certificate authority")),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether the action `execute` is available",
    }),
  ),
  maxRows: notDestination(Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 })),
  maxConnections: notDestination(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      default: 4,
      description: "Per node",
    }),
  ),
  ...limits,
});
export type PostgresConfig = Static<typeof config>;
