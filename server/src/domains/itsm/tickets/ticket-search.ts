import { queryRows } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { SearchHit, SearchQuery, SearchSource } from "#kernel/contributions/search-source.ts";
import { findPeopleByWords } from "../contacts/index.ts";
import type { TicketIdentity, TicketKind, TicketKindName } from "./kind.ts";
import { findTicketIdentities } from "./ticket.ts";
import { seesOwnOnly } from "./askers/party.ts";
import { LETTERS } from "./ticket-numbers.ts";

const DIGITS_MIN = 7;
/** A single letter matches too many words. */
const WORD_CHARACTERS_MIN = 2;

/** Finds tickets by number, id, and words in texts and comments. */
export function ticketSearch(kind: TicketKind): SearchSource {
  return {
    kind: kind.kind,
    permission: kind.read,
    async search(ctx, query) {
      const found = await Promise.all([
        findByReference(ctx, kind, query),
        findByWords(ctx, kind, query),
        findByCaller(ctx, kind, query),
      ]);
      const ids = [...new Set(found.flat())];
      const identities = await findTicketIdentities(ctx.tx, kind, ids);
      const byId = new Map(identities.map((ticket) => [ticket.id, ticket]));
      return ids.flatMap((id): SearchHit[] => {
        const ticket = byId.get(id);
        return ticket && kind.canSee?.(ctx.caller, ticket) !== false ? [toHit(ticket)] : [];
      });
    },
  };
}

function toHit({ id, title, number, state }: TicketIdentity): SearchHit {
  return { id, title, ref: number, detail: state };
}

/** Finds a ticket by id or by number, with or without letters and leading zeros. */
async function findByReference(
  { tx }: ReadContext,
  { kind, table, prefix }: TicketKind,
  { raw, text }: SearchQuery,
): Promise<string[]> {
  if (raw.startsWith(`${prefix}_`)) return [raw];
  const number = readTicketNumber(kind, text);
  if (number === undefined) return [];
  const rows = await queryRows(tx, `select id from ${table} where number = $1`, [number]);
  return rows.map(({ id }) => String(id));
}

/** Parses a typed ticket number of this kind: `INC0000012`, `inc12` or `12`. */
export function readTicketNumber(kind: TicketKindName, typed: string): string | undefined {
  const letters = LETTERS[kind];
  const digits = new RegExp(`^(?:${letters})?0*(\\d{1,15})$`, "i").exec(typed)?.[1];
  return digits === undefined ? undefined : letters + digits.padStart(DIGITS_MIN, "0");
}

/** Finds the newest tickets by caller name. */
async function findByCaller(
  { tx, caller }: ReadContext,
  ticketKind: TicketKind,
  { words, limit }: Pick<SearchQuery, "words" | "limit">,
): Promise<string[]> {
  // Members who see only their own tickets must not search names of other people.
  if (seesOwnOnly(ticketKind, caller)) return [];
  const people = await findPeopleByWords(tx, words);
  if (people.length === 0) return [];
  const rows = await queryRows(
    tx,
    `select id from tickets where kind = $1 and caller_id = any ($2::text[])
      order by created_at desc limit $3`,
    [ticketKind.kind, people, limit],
  );
  return rows.map(({ id }) => String(id));
}

/** Finds ticket ids by words, best match first. The last word can be a prefix. */
export async function findByWords(
  { tx, caller }: ReadContext,
  ticketKind: TicketKind,
  { words, limit }: Pick<SearchQuery, "words" | "limit">,
): Promise<string[]> {
  const { kind, table, own, write } = ticketKind;
  const last = words.at(-1) ?? "";
  if (last.length < WORD_CHARACTERS_MIN) return [];
  // Quoted, so that it is text instead of query syntax. Quotes and backslashes cannot be searched.
  const prefix = `'${last.replaceAll(/['\\]/g, " ")}':*`;
  const rest = words.slice(0, -1).join(" ");
  if (own && seesOwnOnly(ticketKind, caller)) {
    const rows = await queryRows(
      tx,
      `select id from ${table} where (${own.sql("$1::text")}) and to_tsvector('simple', title) @@
         (plainto_tsquery('simple', $2) && to_tsquery('simple', $3))
        order by created_at desc limit $4`,
      [caller.principal?.id ?? "", rest, prefix, limit],
    );
    return rows.map(({ id }) => String(id));
  }
  const rows = await queryRows(
    tx,
    `select id from search_tickets($1, $2,
       plainto_tsquery('simple', $3) && to_tsquery('simple', $4), $5)`,
    [kind, caller.permissions.has(write.name), rest, prefix, limit],
  );
  return rows.map(({ id }) => String(id));
}
