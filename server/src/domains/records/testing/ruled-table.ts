import { useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "./records.ts";

export const columns = [
  { name: "title", type: "text" },
  { name: "salary", type: "integer", unique: true },
  { name: "state", type: "enum", options: { values: ["open", "closed"] } },
  { name: "holder", type: "reference", options: { table: "users" } },
];

/**
 * Agents see all open records but not the salary, work on open ones and may close them, and make open
 * ones. Members see and change what they hold or made. Auditors see titles. Builders have no rule.
 */
const rules = [
  {
    roles: ["agent"],
    actions: ["read"],
    where: { state: "open" },
    fields: ["title", "state", "holder"],
  },
  { roles: ["agent"], actions: ["read"], where: { state: "closed" }, fields: ["state"] },
  { roles: ["agent"], actions: ["create"], where: { state: "open" }, fields: ["title", "state"] },
  { roles: ["agent"], actions: ["update"], where: { state: "open" }, fields: ["title", "state"] },
  { roles: ["agent"], actions: ["update"], where: { state: "closed" }, fields: ["title"] },
  { roles: ["agent"], actions: ["delete"], where: { state: "closed" } },
  { roles: ["member"], actions: ["read", "update"], where: { holder: "$user" } },
  { roles: ["member"], actions: ["read"], where: { createdBy: "$user.id" } },
  { roles: ["*"], actions: ["create"], where: { title: "anyone's" } },
  { roles: ["auditor"], actions: ["read"], fields: ["title"] },
];

/** Creates a world with one member per role, and tables with these access rules. */
export async function useRuledTables() {
  const world = await useWorld();
  const owner = await world.member(["owner"]);
  const create = (): Promise<FilledTable> =>
    createFilledTable(world, owner, { columns, rules }, [
      { title: "one", salary: 1, state: "open" },
      { title: "two", salary: 2, state: "closed" },
      { title: "three", salary: 3, state: null },
    ]);
  return {
    world,
    owner,
    agent: await world.member(["agent"]),
    member: await world.member(["member"]),
    builder: await world.member(["builder"]),
    auditor: await world.member(["auditor"]),
    create,
  };
}
