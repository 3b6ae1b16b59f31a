import Type, { type Static } from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { hostName } from "../../upstream/target.ts";
import { limits } from "../connector-type.ts";
import { notDestination } from "../../destination-mark.ts";

const ROWS_MAX = 10_000;

/** The configuration of a PostgreSQL connector. */
export const config = object({
  host: hostName("The server"),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5_432 }),
  database: notDestination(line(63)),
  sslMode: Type.Enum(["verify-full", "require", "disable"], {
    default: "verify-full",
    description: "`require` encrypts without asking whom it speaks to",
  }),
  caCertificate: Type.Optional(
    text(20_000, "PEM, for a server that its own authority vouches for"),
  ),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether there is the action `execute`",
    }),
  ),
  maxRows: notDestination(Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 })),
  maxConnections: notDestination(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      default: 4,
      description: "Of each node",
    }),
  ),
  ...limits,
});
export type PostgresConfig = Static<typeof config>;
