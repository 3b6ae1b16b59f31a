import { expect, test } from "vitest";
import { sweptOperations } from "#kernel/testing/sweep.ts";
import { declaredEffect, mayBeDrastic } from "#kernel/access/drastic-call.ts";

/** Commands available to agent tokens: only these can require approvals. */
const commands = sweptOperations.filter(
  ({ kind, access }) => kind === "command" && access === "workspace",
);

test("every command of a workspace declares its effect, or is drastic by its route or events", () => {
  const unclassified = commands.filter((op) => declaredEffect(op) === undefined);
  expect(unclassified.map(({ id }) => id)).toEqual([]);
});

/** Permissions for access control and credentials. */
const GIVES_ACCESS =
  /^(?:users|roles|sso|security|secrets|tokens|oauth_applications|agent_policy|migrations|packs):/;

test("commands that give access or handle credentials are drastic, regardless of name", () => {
  const ordinary = commands.filter(
    (op) => GIVES_ACCESS.test(op.permission?.name ?? "") && !mayBeDrastic(op, "production"),
  );
  // A migration is a draft until it is applied.
  expect(ordinary.map(({ id }) => id)).toEqual(["migrations.create", "migrations.update"]);
});

test("commands that delete or deploy are drastic in production, regardless of name", () => {
  const ENDS = /\.(?:archived|deactivated|deleted|dropped|purged|retired|revoked)$|^deploy\./;
  const ordinary = commands.filter(
    (op) =>
      (op.route.startsWith("DELETE ") || op.emits.some(({ type }) => ENDS.test(type))) &&
      !mayBeDrastic(op, "production"),
  );
  expect(ordinary.map(({ id }) => id)).toEqual([]);
});
