import Type, { type Static } from "typebox";
import { line, object, text } from "#kernel/schema/schema.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { action, connectorType, limits } from "../connector-type.ts";
import { hostName } from "../../upstream/target.ts";
import { runStatement } from "./session.ts";

const ROWS_MAX = 10_000;
const PARAMETERS_MAX = 1_000;

const config = object({
  host: hostName("The server"),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5_432 }),
  database: line(63),
  sslMode: Type.Enum(["verify-full", "require", "disable"], {
    default: "verify-full",
    description: "`require` encrypts without asking whom it speaks to",
  }),
  caCertificate: Type.Optional(
    text(20_000, "PEM, for a server that its own authority vouches for"),
  ),
  allowWrites: Type.Boolean({
    default: false,
    description: "Whether there is the action `execute`",
  }),
  maxRows: Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: 1_000 }),
  maxConnections: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 4,
    description: "Of each node",
  }),
  ...limits,
});
export type PostgresConfig = Static<typeof config>;

const Input = object({
  sql: line(100_000, "One statement"),
  params: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: PARAMETERS_MAX, description: "$1, $2 and so on" }),
  ),
});

/** A PostgreSQL database. */
export const postgres = connectorType({
  type: "postgres",
  summary: "A PostgreSQL database",
  config,
  authKinds: ["basic"],
  actions: [
    action<PostgresConfig, typeof Input>({
      name: "query",
      summary: "Reads; gives `columns`, `rows`, `rowCount`, and whether the rows were `truncated`",
      input: Input,
      run: (use, input) =>
        withRetries({ ...use, idempotent: true }, () => runStatement(use, "read only", input)),
    }),
    action<PostgresConfig, typeof Input>({
      name: "execute",
      summary: "Runs one statement that may write, in a transaction of its own",
      input: Input,
      offered: ({ allowWrites }) => allowWrites,
      run: (use, input) =>
        withRetries({ ...use, idempotent: false }, () => runStatement(use, "read write", input)),
    }),
  ],
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(use) {
    await runStatement(use, "read only", { sql: "select 1" });
    return {};
  },
});
