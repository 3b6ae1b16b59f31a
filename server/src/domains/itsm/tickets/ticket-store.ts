/**
 * Reads and writes the rows of one ticket kind. The kind names the fields with columns, such as `createdAt` for
 * `created_at`; reads, locks, inserts and updates are derived.
 */
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { refColumn, type TicketKindName } from "./kind.ts";
import type { TicketNumber } from "./ticket-numbers.ts";

interface StoredTicket {
  readonly id: string;
  /** Configuration items, stored in a separate table. */
  readonly ciIds: readonly string[];
  readonly tags?: readonly string[];
  /** The values of custom fields. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface TicketTable<T, Row> {
  readonly kind: TicketKindName;
  readonly table: string;
  /** Fields that never change, in addition to those of all kinds. */
  readonly constants?: readonly (keyof Row & string)[];
  /** Fields that can change, in addition to `revision`. */
  readonly fields: readonly (keyof Row & string)[];
  /** Fields in jsonb columns. */
  readonly json?: readonly (keyof Row & string)[];
  /** SQL of fields in other tables. */
  readonly computed?: Readonly<Record<string, string>>;
  /** Converts rows with other fields than the ticket. */
  readonly toTicket?: (row: Row) => T;
  readonly toRow?: (ticket: T) => Row;
}

export interface TicketStore<T> {
  /** The select list of a ticket. */
  readonly select: string;
  /** Converts a row of `select`. */
  readonly toTicket: (row: SqlRow) => T;
  /** The ticket with an id or a number. Throws 404 if it does not exist. */
  readonly get: (tx: Tx, ref: string) => Promise<T>;
  /** Locks the row until the transaction ends. Throws 404 if it does not exist. */
  readonly lock: (tx: Tx, ref: string) => Promise<T>;
  /** Locks the rows selected by a condition with `$1`, with an optional order clause. */
  readonly lockWhere: (tx: Tx, where: string, operand: unknown) => Promise<T[]>;
  readonly insert: (ctx: WriteContext<never>, ticket: T, number: TicketNumber) => Promise<void>;
  /** Writes a locked ticket. Configuration items are written only if they changed. */
  readonly update: (ctx: WriteContext<never>, before: T, after: T) => Promise<void>;
}

const ALL_CONSTANTS = ["id", "number", "createdBy", "createdAt"];
const ALL_FIELDS = ["tags", "fields"];
const EMPTY_VALUES: Readonly<Record<string, unknown>> = { tags: [], fields: {} };

export function ticketStore<T extends StoredTicket, Row = T>(
  declaration: TicketTable<T, Row>,
): TicketStore<T> {
  const { kind, table } = declaration;
  const json: readonly string[] = [...(declaration.json ?? []), "fields"];
  const constants = [...ALL_CONSTANTS, ...(declaration.constants ?? [])];
  const fields = [...declaration.fields, ...ALL_FIELDS, "revision"];
  const select = [
    ...[...constants, ...fields].map((field) => `${columnOf(field)} as "${field}"`),
    `${itemIdsSql(table)} as "ciIds"`,
    ...Object.entries(declaration.computed ?? {}).map(([field, text]) => `${text} as "${field}"`),
  ].join(", ");
  // The select list has each field of a row, and check constraints guarantee the values.
  const toTicket = (row: SqlRow) =>
    declaration.toTicket?.(row as unknown as Row) ?? (row as unknown as T);
  const lockWhere = async (tx: Tx, where: string, operand: unknown) =>
    (await lockRows(tx, { table, select, where }, operand)).map(toTicket);
  const valuesOf = (names: readonly string[], ticket: T) => {
    const row = (declaration.toRow?.(ticket) ?? ticket) as Readonly<Record<string, unknown>>;
    return names.map((name) => {
      const value = row[name] ?? EMPTY_VALUES[name] ?? null;
      const isJson = json.includes(name);
      return isJson && value !== null ? JSON.stringify(value) : value;
    });
  };
  const insert = insertStatement(table, ["no", ...constants, ...fields]);
  const update = updateStatement(table, fields);
  return {
    select,
    toTicket,
    lockWhere,
    async get(tx, ref) {
      const text = `select ${select} from ${table} where ${refColumn(ref)} = $1`;
      return assertFound((await queryRows(tx, text, [ref])).map(toTicket));
    },
    lock: async (tx, ref) => assertFound(await lockWhere(tx, `${refColumn(ref)} = $1`, ref)),
    async insert(ctx, ticket, { no }) {
      void ctx.send(insert, [no, ...valuesOf([...constants, ...fields], ticket)]);
      if (ticket.ciIds.length > 0) await setItems(ctx.tx, kind, ticket);
    },
    async update(ctx, before, after) {
      void ctx.send(update, [after.id, ...valuesOf(fields, after)]);
      if (before.ciIds.join() !== after.ciIds.join()) await setItems(ctx.tx, kind, after);
    },
  };
}

/** The column of a field, quoted: `created_at` of `createdAt`. */
export function columnOf(field: string): string {
  return `"${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}

function insertStatement(table: string, fields: readonly string[]): string {
  const parameters = fields.map((_, index) => `$${index + 1}`);
  return `insert into ${table} (${fields.map(columnOf).join(", ")}) values (${parameters.join(", ")})`;
}

function updateStatement(table: string, fields: readonly string[]): string {
  const assignments = fields.map((field, index) => `${columnOf(field)} = $${index + 2}`);
  return `update ${table} set ${assignments.join(", ")} where id = $1`;
}

function assertFound<T>([ticket]: readonly T[]): T {
  if (ticket === undefined) throw new Failure(NotFound);
  return ticket;
}

/** Rows of one table to lock for a change. */
export interface LockQuery {
  readonly table: string;
  /** The select list. */
  readonly select: string;
  /** The condition with `$1` for the operand, with an optional order clause. */
  readonly where: string;
}

/**
 * Locks rows until the transaction ends, then reads them in a second statement. A single statement would
 * combine current locked rows with stale data from other tables. Both statements are sent together.
 */
export async function lockRows(
  tx: Tx,
  { table, select, where }: LockQuery,
  operand: unknown,
): Promise<SqlRow[]> {
  const [, rows] = await Promise.all([
    queryRows(tx, `select from ${table} where ${where} for update`, [operand]),
    queryRows(tx, `select ${select} from ${table} where ${where}`, [operand]),
  ]);
  return rows;
}

/** Replaces the configuration items of a ticket. */
async function setItems(tx: Tx, kind: TicketKindName, { id, ciIds }: StoredTicket): Promise<void> {
  await tx.deleteFrom("ticket_items").where("ticket_id", "=", id).execute();
  if (ciIds.length === 0) return;
  const rows = ciIds.map((item_id) => ({ kind, ticket_id: id, item_id }));
  await tx.insertInto("ticket_items").values(rows).execute();
}

/** SQL for the select list of a ticket table: the ids of its items in order. */
export function itemIdsSql(table: string): string {
  return (
    "array(select i.item_id from ticket_items i where i.ticket_id = " +
    `${table}.id order by i.item_id)`
  );
}
