import { query } from "#kernel/operation/operation.ts";
import { countedPage, item, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { anyTicketRef, DeskRead } from "../tickets/index.ts";
import { Expand } from "./expand.ts";
import { readTicketItem, readQueuePage } from "./queue-page.ts";
import { QueueQuery } from "./queue-query.ts";
import { suggestTags } from "./tags.ts";
import { TicketItem } from "./ticket-item.ts";

const PATH = "/api/v1/itsm/tickets";

const listTickets = query({
  id: "tickets.list",
  route: `GET ${PATH}`,
  summary: "List tickets of all kinds in one queue",
  description:
    "Returns tickets of the kinds that you can view. Default order: open tickets by due time (`dueAt`), other tickets by age. `q` searches numbers, titles, descriptions, comments and the names of callers.",
  permission: DeskRead,
  query: QueueQuery,
  response: countedPage(withRevision(TicketItem)),
  example: { query: { view: "unassigned", expand: "caller,team", limit: 50 } },
  run: (ctx, input) => readQueuePage(ctx, input.query),
});

const getTicket = query({
  id: "tickets.get",
  route: `GET ${PATH}/{id}`,
  summary: "Get a ticket of any kind",
  permission: DeskRead,
  params: object({
    id: anyTicketRef(),
  }),
  query: object({ expand: Expand }),
  response: item(TicketItem),
  example: { params: { id: "INC0000001" }, query: { expand: "caller,assignee" } },
  run: (ctx, { params, query: { expand } }) => readTicketItem(ctx, params.id, expand),
});

export const queueOperations = [listTickets, getTicket, suggestTags];
