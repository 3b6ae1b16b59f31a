import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { escapeFormula, formatCsvLine, Formulas } from "#kernel/csv/csv-line.ts";
import { listFileChunks, type ListFileFormat, type PageSource } from "#kernel/list/list-file.ts";
import { listQuery } from "#kernel/list/list.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, download } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { DeskRead, readFieldDefinitions } from "../../tickets/index.ts";
import { readableKinds } from "../list.ts";
import { readQueuePage } from "../queue-page.ts";
import { type QueueQuery, selection } from "../queue-query.ts";
import type { TicketItem } from "../ticket-item.ts";

const PAGE_TICKETS = 200;
const TICKETS_MAX = 100_000;

type ExportQuery = Omit<QueueQuery, "limit" | "after" | "expand">;

export const exportTickets = query({
  id: "tickets.export",
  route: "GET /api/v1/itsm/tickets/export",
  summary: "Export tickets as a file",
  description: `Exports the first ${TICKETS_MAX} tickets of the list with the same query, as a stream. Names replace ids, and each custom field has a column \`fields.<key>\`. Text that a spreadsheet would read as a formula gets a \`'\` in front; \`formulas=raw\` leaves it unchanged.`,
  permission: DeskRead,
  query: object({
    ...selection,
    filter: listQuery.filter,
    sort: listQuery.sort,
    q: listQuery.q,
    formulas: Formulas,
  }),
  response: download("text/csv"),
  example: { query: { view: "open", kinds: "incident", formulas: "escaped" } },
  async prepare(platform, { query: { formulas, ...asked } }, caller) {
    const partition = partitionOfCaller(caller);
    const own = await platform.db.read(partition, async (tx) => {
      const kinds = readableKinds({ services: platform, caller }, asked.kinds?.split(","));
      const found = await Promise.all(kinds.map(({ kind }) => readFieldDefinitions(tx, kind)));
      return [...new Set(found.flat().map(({ key }) => key))].toSorted();
    });
    const format = csvFormat(own, formulas);
    // Read before the response starts, so that an invalid filter returns 422.
    const pages = await openPages(platform, caller, asked);
    const file: Download = {
      mediaType: format.mediaType,
      fileName: "tickets.csv",
      chunks: listFileChunks(format, pages, platform.shutdown),
    };
    return file;
  },
  run: async (_ctx, _input, prepared) => prepared,
});

/** Reads the pages of a list in sequence. */
async function openPages(
  platform: Platform,
  caller: Caller,
  asked: ExportQuery,
): Promise<PageSource<TicketItem>> {
  const partition = partitionOfCaller(caller);
  const readPage = (after: string | undefined) =>
    platform.db.read(partition, (tx) => {
      const ctx = { tx, now: platform.clock.now(), caller, services: platform };
      const expand = "caller,assignee,team,creator";
      const page = { ...asked, limit: PAGE_TICKETS, expand, ...(after !== undefined && { after }) };
      return readQueuePage(ctx, page);
    });
  let page: Awaited<ReturnType<typeof readPage>> | undefined = await readPage(undefined);
  let left = TICKETS_MAX;
  return {
    sizes: [PAGE_TICKETS],
    async read() {
      const tickets: TicketItem[] = [];
      // A page of long tickets can be shorter than the limit without being the last one.
      while (page && tickets.length < PAGE_TICKETS) {
        tickets.push(...page.data);
        left -= page.data.length;
        const isLast = page.nextCursor === null || left <= 0;
        page = isLast ? undefined : await readPage(page.nextCursor ?? undefined);
      }
      return tickets;
    },
  };
}

const COLUMNS: Readonly<Record<string, (ticket: TicketItem) => unknown>> = {
  kind: ({ kind }) => kind,
  number: ({ number }) => number,
  title: ({ title }) => title,
  state: ({ state }) => state,
  priority: ({ priority }) => priority,
  caller: ({ caller }) => caller?.name,
  assignee: ({ assignee }) => assignee?.name,
  team: ({ team }) => team?.name,
  tags: ({ tags }) => tags.join(", "),
  dueAt: ({ dueAt }) => dueAt,
  dueState: ({ dueState }) => dueState,
  createdBy: ({ creator }) => creator?.name,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
};

function csvFormat(own: readonly string[], formulas: Formulas): ListFileFormat<TicketItem> {
  const escape = (cell: string | null) =>
    formulas === "escaped" && cell !== null ? escapeFormula(cell) : cell;
  return {
    mediaType: "text/csv",
    begin: formatCsvLine([...Object.keys(COLUMNS), ...own.map((key) => `fields.${key}`)]),
    line: (ticket) =>
      formatCsvLine(
        [
          ...Object.values(COLUMNS).map((read) => read(ticket)),
          ...own.map((key) => (Object.hasOwn(ticket.fields, key) ? ticket.fields[key] : null)),
        ].map((value) => escape(toCell(value))),
      ),
    end: "",
  };
}

function toCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
