import { expect, test } from "vitest";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import { StaleRead } from "#kernel/db/errors.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { isSchemaOutdated } from "./table-cache.ts";

const world = await useWorld();

const failed = (code: string, message: string) => Object.assign(new Error(message), { code });

test("what may be somebody's mistake is done once more, and what never is as often as it comes", () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const caller: Caller = systemCaller(partition, { correlationId: "cor", depth: 0 });
  const asking = { services: world.kernel, caller };
  const reshaped = failed("42703", 'column "shape 3" does not exist');
  const mistaken = failed("22P02", 'invalid input syntax for type bigint: "shape"');
  expect(isSchemaOutdated(asking, mistaken)).toBeInstanceOf(StaleRead);
  expect(isSchemaOutdated(asking, mistaken)).toBeUndefined();
  for (let time = 0; time < 3; time += 1) {
    expect(isSchemaOutdated(asking, reshaped)).toBeInstanceOf(StaleRead);
  }
  expect(isSchemaOutdated(asking, failed("40001", "it was serialised"))).toBeUndefined();
});
