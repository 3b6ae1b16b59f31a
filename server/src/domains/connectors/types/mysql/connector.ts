import Type from "typebox";
import { literalAddress } from "#kernel/outbound/request-checks.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { action, connectorType } from "../connector-type.ts";
import { config, type MysqlConfig } from "./config.ts";
import { runStatement } from "./session.ts";

const PARAMETERS_MAX = 1_000;

const Input = object({
  sql: line(100_000, "One statement"),
  params: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: PARAMETERS_MAX, description: "In the place of each ?" }),
  ),
});

/** A MySQL database. */
export const mysql = connectorType({
  type: "mysql",
  summary: "A MySQL or MariaDB database",
  config,
  authKinds: ["basic"],
  actions: [
    action<MysqlConfig, typeof Input>({
      name: "query",
      summary: "Reads; gives `columns`, `rows`, `rowCount`, and whether the rows were `truncated`",
      input: Input,
      run: (connection, input) =>
        withRetries({ ...connection, idempotent: true }, () =>
          runStatement(connection, "read only", input),
        ),
    }),
    action<MysqlConfig, typeof Input>({
      name: "execute",
      summary:
        "Runs one statement that may write, in a transaction of its own; gives also its `insertId`",
      input: Input,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, input) =>
        withRetries({ ...connection, idempotent: false }, () =>
          runStatement(connection, "read write", input),
        ),
    }),
  ],
  check: (platform, { host, sslMode }) => [
    ...hostErrors(platform, "/config/host", host),
    // The driver compares the certificate with a name only.
    ...(sslMode === "verify-full" && literalAddress(host) !== undefined
      ? [{ path: "/config/host", message: "must be a name where the certificate is verified" }]
      : []),
  ],
  async test(connection) {
    await runStatement(connection, "read only", { sql: "select 1" });
    return {};
  },
});
