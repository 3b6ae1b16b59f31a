/** Adds names next to ids in lists. */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { findPersonNames } from "../contacts/index.ts";
import type { TicketItem } from "./ticket-item.ts";

const FIELDS = {
  caller: "callerId",
  assignee: "assigneeId",
  team: "teamId",
  creator: "createdBy",
} as const;
type Reference = keyof typeof FIELDS;

const WORD = `(${Object.keys(FIELDS).join("|")})`;

export const Expand = Type.Optional(
  Type.String({
    pattern: `^${WORD}(,${WORD}){0,3}$`,
    description:
      "References to return with names: `caller,assignee,team,creator` adds `caller: { id, name }` and so on",
  }),
);

/** Adds the requested names, with one query for all people and one for all teams. */
export async function expandItems(
  { tx }: Pick<ReadContext, "tx">,
  items: readonly TicketItem[],
  expand: string | undefined,
): Promise<readonly TicketItem[]> {
  if (expand === undefined || items.length === 0) return items;
  const references = [...new Set(expand.split(","))] as Reference[];
  const ids = new Set(
    references.flatMap((one) => items.flatMap((item) => item[FIELDS[one]] ?? [])),
  );
  const names = await findNames(tx, [...ids]);
  return items.map((item) => ({
    ...item,
    ...Object.fromEntries(references.map((one) => [one, toNamed(item[FIELDS[one]], names)])),
  }));
}

function toNamed(id: string | null, names: ReadonlyMap<string, string>) {
  return id === null ? null : { id, name: names.get(id) ?? null };
}

async function findNames(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const teamIds = ids.filter((id) => id.startsWith("tem_"));
  const [teams, people] = await Promise.all([
    teamIds.length === 0
      ? []
      : tx.selectFrom("teams").select(["id", "name"]).where("id", "in", teamIds).execute(),
    findPersonNames(tx, ids),
  ]);
  return new Map([...teams.map(({ id, name }) => [id, name] as const), ...people]);
}
