/** Common parts of SQL databases. */
import Type from "typebox";
import { literalAddress } from "#kernel/outbound/request-checks.ts";
import { line, object } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { withRetries } from "../upstream/retry.ts";
import { hostErrors } from "../upstream/target.ts";
import { action, type ActionType, connectorType } from "./connector-type.ts";
import { config as mysqlConfig, type MysqlConfig } from "./mysql/config.ts";
import { runStatement as runMysql } from "./mysql/session.ts";
import { config as postgresConfig, type PostgresConfig } from "./postgres/config.ts";
import { runStatement as runPostgres } from "./postgres/session.ts";

const PARAMETERS_MAX = 1_000;
const PROBE = { sql: "select 1" };

interface SqlDialect<Config> {
  /** The placeholder syntax for parameters. */
  readonly parameters: string;
  /** The further result of `execute`. */
  readonly result?: string;
  readonly run: (
    connection: UpstreamConnection<Config>,
    mode: "read only" | "read write",
    statement: { readonly sql: string; readonly params?: readonly unknown[] },
  ) => Promise<unknown>;
}

function sqlActions<Config extends { readonly allowWrites: boolean }>({
  parameters,
  result = "",
  run,
}: SqlDialect<Config>): ActionType<Config>[] {
  const input = object({
    sql: line(100_000, "A single statement"),
    params: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: PARAMETERS_MAX, description: parameters }),
    ),
  });
  return [
    action<Config, typeof input>({
      name: "query",
      summary:
        "Runs a query. Returns `columns`, `rows`, `rowCount`, and `truncated` if there are more rows",
      input,
      run: (connection, statement) =>
        withRetries({ ...connection, idempotent: true }, () =>
          run(connection, "read only", statement),
        ),
    }),
    action<Config, typeof input>({
      name: "execute",
      summary: `Runs one statement that can write, in its own transaction${result}`,
      input,
      isOffered: ({ allowWrites }) => allowWrites,
      run: (connection, statement) =>
        withRetries({ ...connection, idempotent: false }, () =>
          run(connection, "read write", statement),
        ),
    }),
  ];
}

export const postgres = connectorType({
  type: "postgres",
  summary: "A PostgreSQL database",
  config: postgresConfig,
  authKinds: ["basic"],
  actions: sqlActions<PostgresConfig>({ parameters: "$1, $2 and so on", run: runPostgres }),
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(connection) {
    await runPostgres(connection, "read only", PROBE);
    return {};
  },
});

export const mysql = connectorType({
  type: "mysql",
  summary: "A MySQL or MariaDB database",
  config: mysqlConfig,
  authKinds: ["basic"],
  actions: sqlActions<MysqlConfig>({
    parameters: "Values for each ?",
    result: ". Also returns its `insertId`",
    run: runMysql,
  }),
  check: (platform, { host, sslMode }) => [
    ...hostErrors(platform, "/config/host", host),
    // The driver compares the certificate with a name only.
    ...(sslMode === "verify-full" && literalAddress(host) !== undefined
      ? [{ path: "/config/host", message: "must be a host name if the certificate is verified" }]
      : []),
  ],
  async test(connection) {
    await runMysql(connection, "read only", PROBE);
    return {};
  },
});
