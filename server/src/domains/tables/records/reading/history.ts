import { positionOf, toEnvelope } from "#kernel/log/event.ts";
import { placeIn, seenEvents } from "#kernel/log/event-visibility.ts";
import { Failure, invalid } from "#kernel/operation/failure.ts";
import { queryLog } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { pageOf } from "#kernel/operation/pagination.ts";
import type { Page } from "#kernel/operation/response.ts";
import { byDefinition } from "../../table-cache.ts";
import type { KnownTable } from "../../table-schema.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import { NoSuchRecord } from "../../table.ts";
import { assertSeen } from "#domains/records/record-access.ts";
import { planOf } from "#domains/records/write/record-sql.ts";
import { storedOf } from "#domains/records/table-record.ts";

type Told = ReturnType<typeof toEnvelope>;

/** What happened to a record, newest first, also when it is no longer there. */
export async function historyOf(
  ctx: ReadContext,
  table: KnownTable,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<Told>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalid("?after", "is not a cursor of this list");
  const filter = { resourceType: "record", resourceId: id, before };
  const found = await queryLog(ctx.tx, filter, limit + 1);
  const own = found.filter(({ data }) => data["tableSlug"] === table.slug);
  const page = pageOf(
    own,
    limit,
    (event) => event,
    (event) => event.id,
  );
  const seen = await seenEvents(placeIn(ctx), ctx.caller.person, page.data);
  // Nothing may be told of it that is kept, or nothing that they see; then it must be there at least.
  if (seen.length === 0 && after === undefined) await assertThere(ctx, table, id);
  return { ...page, data: seen.map(toEnvelope) };
}

async function assertThere(ctx: ReadContext, table: KnownTable, id: string): Promise<void> {
  const text = `select ${planOf(table).all} from ${table.view} where id = $1`;
  const [row] = await byDefinition(ctx, () => rowsOf(ctx.tx, text, [id]));
  if (!row) throw new Failure(NoSuchRecord);
  assertSeen(ctx, table, storedOf(table, row).record);
}
