import Type from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { action, connectorType } from "../connector-type.ts";
import { config, type PostgresConfig } from "./config.ts";
import { runStatement } from "./session.ts";

const PARAMETERS_MAX = 1_000;

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
      run: (connection, input) =>
        withRetries({ ...connection, idempotent: true }, () =>
          runStatement(connection, "read only", input),
        ),
    }),
    action<PostgresConfig, typeof Input>({
      name: "execute",
      summary: "Runs one statement that may write, in a transaction of its own",
      input: Input,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, input) =>
        withRetries({ ...connection, idempotent: false }, () =>
          runStatement(connection, "read write", input),
        ),
    }),
  ],
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(connection) {
    await runStatement(connection, "read only", { sql: "select 1" });
    return {};
  },
});
