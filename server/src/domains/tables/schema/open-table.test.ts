import { expect, test } from "vitest";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import { StaleRead } from "#kernel/db/errors.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { OpenTable } from "./open-table.ts";
import type { TableSchema } from "./table-schema.ts";

const world = await useWorld();

const sqlError = (code: string, message: string) => Object.assign(new Error(message), { code });

test("a call is retried once for an error that may be the caller's mistake, and always for an outdated schema", () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const caller: Caller = systemCaller(partition, { correlationId: "cor", depth: 0 });
  const source = {
    services: world.kernel,
    partition,
    read: () => Promise.reject(new Error("Nothing is read here.")),
  };
  const table = new OpenTable(source, caller, {} as TableSchema);
  const outdated = sqlError("42703", 'column "shape 3" does not exist');
  const mistaken = sqlError("22P02", 'invalid input syntax for type bigint: "shape"');
  expect(table.toStaleRead(mistaken)).toBeInstanceOf(StaleRead);
  expect(table.toStaleRead(mistaken)).toBeUndefined();
  for (let time = 0; time < 3; time += 1) {
    expect(table.toStaleRead(outdated)).toBeInstanceOf(StaleRead);
  }
  expect(table.toStaleRead(sqlError("40001", "it was serialised"))).toBeUndefined();
});
