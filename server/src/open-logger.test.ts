import pg from "pg";
import { pino } from "pino";
import { expect, inject, test } from "vitest";
import { toLoggedError } from "./open-logger.ts";

test("logs a driver error without its connection, which contains the cancellation key", async () => {
  const pool = new pg.Pool(inject("database").owner);
  const broken = new Promise<Error>((resolve) => pool.once("error", resolve));
  const idle = await pool.connect();
  idle.on("error", () => undefined);
  const victim = (await idle.query("select pg_backend_pid() as pid")).rows[0].pid;
  const other = await pool.connect();
  idle.release();
  await other.query("select pg_terminate_backend($1)", [victim]);
  const error = await broken;
  expect(Object.keys(error)).toContain("client");
  other.release();
  await pool.end();

  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  const log = pino({ base: null, serializers: { err: toLoggedError } }, output);
  log.error(error);
  log.error({ err: error }, "as a field");
  log.error({ err: Object.assign(new Error("outer", { cause: error }), { key: 1 }) }, "as a cause");
  const logged = lines.map((line) => JSON.parse(line).err);
  expect(logged.map((one) => Object.keys(one).toSorted())).toEqual([
    ["code", "message", "stack", "type"],
    ["code", "message", "stack", "type"],
    ["message", "stack", "type"],
  ]);
  expect(logged[2].message).toContain(error.message);
  for (const secret of ["secretKey", "connectionParameters", "password"]) {
    expect(lines.join()).not.toContain(secret);
  }
});

test("logs any thrown value", () => {
  const lying = { toString: () => Object.create(null) as string };
  const thrown = [Object.create(null), lying, Symbol("x"), null, undefined, "text"];
  expect(thrown.map(toLoggedError)).toEqual([
    { type: "object", message: "something without a text was thrown" },
    { type: "object", message: "something without a text was thrown" },
    { type: "symbol", message: "Symbol(x)" },
    { type: "object", message: "null" },
    { type: "undefined", message: "undefined" },
    { type: "string", message: "text" },
  ]);
});
