/** Ticket references in input. People know the number of a ticket and programs its id, so operations accept both. */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { refColumn } from "../kind.ts";
import { LETTERS } from "../ticket-numbers.ts";

const NUMBERS = `(${LETTERS.incident}|${LETTERS.change}|${LETTERS.problem}|${LETTERS.request})\\d{7,15}`;

/** The schema of a reference to a ticket of any kind: its id or its number. */
export function anyTicketRef(description = "The id or the number of a ticket: `INC0000001`") {
  return Type.String({
    pattern: `^(${idPattern("(inc|chg|prb|req)").replace(/^\^|\$$/g, "")}|${NUMBERS})$`,
    description,
  });
}

/**
 * The ids of references, in the same order. An unknown number stays unchanged, so that the lookup rejects it. The
 * lookup also checks visibility.
 */
export async function toTicketIds(
  { tx }: Pick<ReadContext, "tx">,
  references: readonly string[],
): Promise<readonly string[]> {
  const numbers = references.filter((reference) => refColumn(reference) === "number");
  if (numbers.length === 0) return references;
  const rows = await queryRows(
    tx,
    "select id, number from tickets where number = any($1::text[])",
    [[...new Set(numbers)]],
  );
  const ids = new Map(rows.map(({ id, number }) => [String(number), String(id)]));
  return references.map((reference) => ids.get(reference) ?? reference);
}

/** The id of a reference. */
export async function toTicketId(ctx: Pick<ReadContext, "tx">, reference: string): Promise<string> {
  const [id = reference] = await toTicketIds(ctx, [reference]);
  return id;
}
