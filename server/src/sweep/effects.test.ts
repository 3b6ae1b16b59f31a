import { expect, test } from "vitest";
import { sweptOperations } from "#kernel/testing/sweep.ts";
import { declaredEffect, mayBeDrastic } from "#kernel/access/drastic-call.ts";

/** The commands that an agent's token reaches: the gate asks for approvals of these alone. */
const commands = sweptOperations.filter(
  ({ kind, access }) => kind === "command" && access === "workspace",
);

test("every command of a workspace declares its effect, or is drastic by its route or events", () => {
  const unclassified = commands.filter((op) => declaredEffect(op) === undefined);
  expect(unclassified.map(({ id }) => id)).toEqual([]);
});

/** Permissions over who may do what, and over credentials. */
const GIVES_ACCESS =
  /^(?:users|roles|sso|security|secrets|tokens|oauth_applications|agent_policy|migrations|packs):/;

test("what gives access or handles credentials is drastic, whatever its name", () => {
  const ordinary = commands.filter(
    (op) => GIVES_ACCESS.test(op.permission?.name ?? "") && !mayBeDrastic(op, "production"),
  );
  // A migration is a draft until somebody applies it.
  expect(ordinary.map(({ id }) => id)).toEqual(["migrations.create", "migrations.update"]);
});

test("what deletes or deploys is drastic in production, whatever its name", () => {
  const ENDS = /\.(?:archived|deactivated|deleted|dropped|purged|retired|revoked)$|^deploy\./;
  const ordinary = commands.filter(
    (op) =>
      (op.route.startsWith("DELETE ") || op.emits.some(({ type }) => ENDS.test(type))) &&
      !mayBeDrastic(op, "production"),
  );
  expect(ordinary.map(({ id }) => id)).toEqual([]);
});
