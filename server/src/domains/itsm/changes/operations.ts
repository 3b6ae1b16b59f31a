import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import type { SqlRow } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import {
  asOfListQuery,
  listPastPage,
  NO_REVISION,
  PastTooLong,
  refuseOfPast,
} from "#kernel/list/past-list.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { InputTime, object, Time } from "#kernel/schema/schema.ts";
import {
  nextTicketNumber,
  pastTickets,
  readPastTicket,
  takeCommand,
  ticketParams,
} from "../tickets/index.ts";
import { parseWindow } from "./calendar/calendar.ts";
import { Change, content, toChange } from "./change.ts";
import { ChangeInput, ChangePatch } from "./change-input.ts";
import { ApproversRemoved, ChangeCreated, ChangeSubmitted, ChangeUpdated } from "./events.ts";
import {
  changeCommands,
  changeKind,
  ChangeRouted,
  ChangeTaskAdded,
  EXAMPLE_CHANGE,
} from "./kind.ts";
import { changeMachine } from "./lifecycle.ts";
import { changeList, listConditions } from "./list.ts";
import { ChangesRead, ChangesWrite } from "./permissions.ts";
import * as service from "./service.ts";
import { changeStore } from "./store.ts";
import { Conflicts, findConflicts } from "./windows/conflicts.ts";
import { findFreeWindows, FREE_WINDOWS_MAX } from "./windows/free-window.ts";
import { assertOrder, parseMoment } from "./windows/window.ts";

const { path } = changeKind;
const ById = ticketParams(changeKind);
const example = { params: { id: EXAMPLE_CHANGE } };
const STATE = `(${changeMachine.states.join("|")})`;

const listChanges = query({
  id: "changes.list",
  route: `GET ${path}`,
  summary: "List changes, newest first",
  description:
    "`filter` and `sort` support the fields of a change, and `riskScore`, `riskLevel` and `approverIds`.",
  permission: ChangesRead,
  query: object({
    ...listQuery,
    ...asOfListQuery,
    state: Type.Optional(
      Type.String({
        pattern: `^${STATE}(,${STATE})*$`,
        maxLength: 200,
        description: "One state, or several separated by commas",
      }),
    ),
    type: Type.Optional(content.type),
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
    mine: Type.Optional(
      Type.Boolean({
        description: "Returns only changes that you requested or that are assigned to you",
      }),
    ),
    awaitingMe: Type.Optional(
      Type.Boolean({ description: "Returns only changes that are waiting for your vote" }),
    ),
  }),
  response: countedPage(withRevision(Change)),
  fails: [PastNotKept, PastTooLong],
  run(ctx, { query: { asOf, ...asked } }) {
    const conditions = listConditions(asked, { me: authorOf(ctx.caller), now: ctx.now });
    if (asOf === undefined) {
      const toItem = (row: SqlRow) => toChange(changeStore.toTicket(row));
      return listPage(ctx, changeList, asked, { conditions, toItem });
    }
    refuseOfPast({ mine: asked.mine, awaitingMe: asked.awaitingMe });
    return listPastPage(
      ctx,
      changeList,
      { ...asked, asOf },
      {
        past: pastTickets(changeKind),
        conditions,
        // Events use the response schema.
        toItem: (past) => ({ ...past, ...NO_REVISION }) as unknown as ReturnType<typeof toChange>,
      },
    );
  },
});

const createChange = command({
  id: "changes.create",
  effect: "ordinary",
  route: `POST ${path}`,
  summary: "Create a draft change",
  description:
    "A template sets the default `title`, `description`, `impact` and plans, and adds its tasks. A standard change requires a template and can't differ from it. Approvers must have `changes:approve`.",
  permission: ChangesWrite,
  body: ChangeInput,
  response: created(Change, { location: ({ id }) => `${path}/${id}` }),
  emits: [ChangeCreated, ChangeRouted, ChangeTaskAdded],
  example: {
    body: {
      title: "Move the billing database to new disks",
      impact: 2,
      plannedStart: "2026-12-05T22:00:00Z",
      plannedEnd: "2026-12-06T02:00:00Z",
      implementationPlan: "Replicate, switch over, verify.",
      rollbackPlan: "Switch back.",
      approvalsRequired: 2,
    },
  },
  prepare: (platform, _input, caller) => nextTicketNumber(platform, caller, "change"),
  run: async (ctx, { body }, number) => toChange(await service.createChange(ctx, body, number)),
});

const getChange = query({
  id: "changes.get",
  route: `GET ${path}/{id}`,
  summary: "Get a change",
  permission: ChangesRead,
  params: ById,
  query: object(asOfQuery),
  response: item(Change),
  fails: [PastNotKept],
  example,
  async run(ctx, { params, query: { asOf } }) {
    const present = toChange(await changeStore.get(ctx.tx, params.id));
    return asOf === undefined
      ? present
      : readPastTicket<typeof present>(ctx, "change", present.id, asOf);
  },
});

const updateChange = changeCommands.command("update", {
  effect: "ordinary",
  route: `PATCH ${path}/{id}`,
  summary: "Update a change",
  description:
    "All fields can be changed in a draft or after a rejection, the planned window until the implementation starts, and the assignee until the change ends. The risk is recalculated. If a submitted change moves to other hours, or into a change freeze, it is submitted again and the approvers must vote again. If nothing changes, no event is appended.",
  body: ChangePatch,
  emits: [ChangeUpdated, ChangeSubmitted, ApproversRemoved],
  allowNoop: true,
  fails: [changeMachine.wrongState],
  example: { plannedEnd: "2026-12-06T04:00:00Z" },
  run: (ctx, change, body) => service.updateChange(ctx, change, body),
});

const listConflicts = query({
  id: "changes.conflicts",
  route: `GET ${path}/{id}/conflicts`,
  summary: "List conflicts of a change",
  description:
    "Returns submitted, approved and active changes with an overlapping window and at least one configuration item in common, and overlapping change freezes. Changes do not conflict if one starts at the end time of the other.",
  permission: ChangesRead,
  params: ById,
  query: object({
    start: Type.Optional(
      Type.String({ ...InputTime, description: "Check another window. Requires `end`" }),
    ),
    end: Type.Optional(InputTime),
  }),
  response: item(Conflicts),
  example,
  async run({ tx }, { params, query: { start, end } }) {
    const change = await changeStore.get(tx, params.id);
    const proposed = parseProposal(start, end);
    return findConflicts(tx, { ...change, ...proposed });
  },
});

/** The proposed window of a query: both ends or neither. */
function parseProposal(start: string | undefined, end: string | undefined) {
  if (start === undefined && end === undefined) return undefined;
  if (start === undefined) throw invalidField("?start", "is required with an end");
  if (end === undefined) throw invalidField("?end", "is required with a start");
  const [plannedStart, plannedEnd] = [parseMoment("?start", start), parseMoment("?end", end)];
  assertOrder("?end", plannedStart, plannedEnd);
  return { plannedStart, plannedEnd };
}

const HOUR_MS = 3_600_000;
const ID_LIST = "^ci_[0-9a-z]+(,ci_[0-9a-z]+)*$";

const listFreeWindows = query({
  id: "changes.free_windows",
  route: `GET ${path}/free-windows`,
  summary: "Find free windows for a change",
  description: `Returns up to ${FREE_WINDOWS_MAX} windows of sufficient length, earliest first. The windows do not overlap with change freezes or planned changes to the configuration items. Default period: the next 31 days.`,
  permission: ChangesRead,
  query: object({
    ciIds: Type.Optional(
      Type.String({ pattern: ID_LIST, maxLength: 8_000, description: "Separated by commas" }),
    ),
    hours: Type.Optional(Type.Number({ minimum: 0.25, maximum: 720, default: 1 })),
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
  }),
  response: item(
    Type.Object(
      { windows: Type.Array(Type.Object({ start: Time, end: Time })) },
      { title: "FreeWindows" },
    ),
  ),
  async run({ tx, now }, { query: { ciIds, hours = 1, from, to } }) {
    const times = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const within = parseWindow(times, now, { daysBefore: 0, daysAfter: 31 });
    const asked = { itemIds: ciIds?.split(",") ?? [], minMs: hours * HOUR_MS };
    return { windows: [...(await findFreeWindows(tx, within, asked))] };
  },
});

const takeChange = takeCommand(changeKind, changeCommands, {
  emits: [ChangeUpdated],
  assign: (ctx, change, assigneeId) =>
    changeCommands.saveChanges(ctx, change, { ...change, assigneeId }, ChangeUpdated),
});

export const changeOperations = [
  listChanges,
  createChange,
  getChange,
  updateChange,
  takeChange,
  listConflicts,
  listFreeWindows,
];
