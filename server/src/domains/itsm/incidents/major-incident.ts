/** Major incidents: incidents with the same cause become their children. */
import Type from "typebox";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { countedPage, noContent, withRevision } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { invalidTransition, refColumn, ticketParams, ticketRef } from "../tickets/index.ts";
import {
  ChildLinked,
  ChildUnlinked,
  Incident,
  IncidentBroadcast,
  incidentMachine,
  IncidentsRead,
  IncidentsWrite,
  MajorDeclared,
  MajorEnded,
  OptionalReason,
  StatusNotice,
} from "./incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind } from "./kind.ts";
import { listChildren } from "./list.ts";
import { countChildren, incidentStore, lockChildren } from "./store.ts";

const CHILDREN_MAX = 500;
const EXAMPLE_CHILD = "INC0000002";

const { save, emit } = incidentCommands;
const { path } = incidentKind;
const ById = ticketParams(incidentKind);
const ChildRef = ticketRef("incident", "inc");

const NotMajor = failure(
  "incident_not_major",
  409,
  "This requires a major incident. Declare the incident a major incident first.",
);
const AlreadyMajor = failure(
  "incident_already_major",
  409,
  "The incident is already a major incident.",
);
const IsChild = failure(
  "incident_is_child",
  409,
  "An incident can have only one parent, and a major incident can't have a parent.",
);
const TooManyChildren = failure(
  "incident_too_many_children",
  409,
  `A major incident can have at most ${CHILDREN_MAX} children.`,
);

const declareMajor = incidentCommands.command("declare_major", {
  effect: "ordinary",
  route: `POST ${path}/{id}/major`,
  summary: "Declare a major incident",
  description: "A major incident can have child incidents and broadcasts.",
  body: OptionalReason,
  states: incidentMachine.states.filter((state) => !incidentMachine.finalStates.includes(state)),
  emits: [MajorDeclared],
  fails: [incidentMachine.wrongState, AlreadyMajor, IsChild],
  example: { reason: "All branches are unable to sell" },
  async run(ctx, incident, { reason = null }) {
    const { state } = incident;
    if (incidentMachine.finalStates.includes(state)) {
      const detail = `An incident in the state ${state} can't become a major incident.`;
      throw invalidTransition(incidentMachine, state, detail);
    }
    if (incident.isMajor) throw new Failure(AlreadyMajor);
    if (incident.parentId !== null) throw new Failure(IsChild);
    const after = await save(ctx, incident, { ...incident, isMajor: true });
    void ctx.send(
      "update incidents set major_since = $2, broadcast = null, broadcast_at = null where id = $1",
      [incident.id, ctx.now],
    );
    emit(ctx, MajorDeclared, after, { reason });
    return after;
  },
});

const endMajor = incidentCommands.command("end_major", {
  effect: "drastic",
  route: `DELETE ${path}/{id}/major`,
  summary: "Revoke the major status of an incident",
  description: "Its children become independent incidents.",
  emits: [ChildUnlinked, MajorEnded],
  fails: [NotMajor],
  async run(ctx, incident) {
    assertMajor(incident);
    for (const child of await lockChildren(ctx.tx, incident.id)) await unlink(ctx, incident, child);
    const after = await save(ctx, incident, { ...incident, isMajor: false });
    void ctx.send("update incidents set major_since = null where id = $1", [incident.id]);
    emit(ctx, MajorEnded, after);
    return after;
  },
});

const ChildIncident = Type.Object(Incident.properties, { title: "ChildIncident" });

const listIncidentChildren = query({
  id: "incidents.list_children",
  route: `GET ${path}/{id}/children`,
  summary: "List the children of a major incident, oldest first",
  permission: IncidentsRead,
  params: ById,
  query: object(pageQuery),
  response: countedPage(withRevision(ChildIncident)),
  example: { params: { id: EXAMPLE_INCIDENT } },
  async run(ctx, { params, query: page }) {
    const { id } = await incidentStore.get(ctx.tx, params.id);
    return listChildren(ctx, id, page);
  },
});

export const addChild = incidentCommands.command("add_child", {
  effect: "ordinary",
  route: `POST ${path}/{id}/children`,
  summary: "Add a child to a major incident",
  description:
    "Returns the child. A child has one parent and no children. If it is already a child of this incident, nothing changes.",
  body: object({ incidentId: ChildRef }),
  emits: [ChildLinked],
  allowNoop: true,
  fails: [NotMajor, IsChild, TooManyChildren],
  example: { incidentId: EXAMPLE_CHILD },
  async run(ctx, parent, { incidentId }) {
    assertMajor(parent);
    const [child] = await incidentStore.lockWhere(
      ctx.tx,
      `${refColumn(incidentId)} = $1`,
      incidentId,
    );
    if (!child) throw invalidField("/incidentId", "is not the id or number of an incident");
    if (child.id === parent.id) throw invalidField("/incidentId", "must be a different incident");
    if (child.parentId === parent.id) return child;
    if (child.parentId !== null || child.isMajor) throw new Failure(IsChild);
    if ((await countChildren(ctx.tx, parent.id)) >= CHILDREN_MAX) {
      throw new Failure(TooManyChildren);
    }
    const linked = await save(ctx, child, { ...child, parentId: parent.id });
    emit(ctx, ChildLinked, parent, { child: toSummary(linked) });
    return linked;
  },
});

export const removeChild = command({
  id: "incidents.remove_child",
  route: `DELETE ${path}/{id}/children/{childId}`,
  summary: "Remove a child from a major incident",
  description: "`If-Match` refers to the parent.",
  permission: IncidentsWrite,
  params: object({ id: ById.properties.id, childId: ChildRef }),
  response: noContent(),
  emits: [ChildUnlinked],
  example: { params: { id: EXAMPLE_INCIDENT, childId: EXAMPLE_CHILD } },
  async run(ctx, { params }) {
    const parent = await incidentStore.lock(ctx.tx, params.id);
    ctx.expectRevision(parent.revision);
    const child = await incidentStore.lock(ctx.tx, params.childId);
    if (child.parentId !== parent.id) throw new Failure(NotFound);
    await unlink(ctx, parent, child);
  },
});

const broadcast = incidentCommands.command("broadcast", {
  effect: "ordinary",
  summary: "Send a broadcast about a major incident",
  description:
    "Notifies the watchers, assignees and callers of the incident and of its children, and members who reported that the outage affects them, except the sender. The message is added to the timeline and shown with the outage to all members of the workspace. With `statusPage`, the same message is also published on the status page, under a separate public title.",
  body: object({ message: line(5_000), statusPage: Type.Optional(StatusNotice) }),
  emits: [IncidentBroadcast],
  fails: [NotMajor],
  example: { message: "Service is restored in two branches; one more hour for the rest" },
  run(ctx, incident, { message, statusPage }) {
    assertMajor(incident);
    void ctx.send("update incidents set broadcast = $2, broadcast_at = $3 where id = $1", [
      incident.id,
      message,
      ctx.now,
    ]);
    emit(ctx, IncidentBroadcast, incident, { message, ...(statusPage && { statusPage }) });
    return incident;
  },
});

export const majorIncidentOperations = [
  declareMajor,
  endMajor,
  listIncidentChildren,
  addChild,
  removeChild,
  broadcast,
];

function assertMajor({ isMajor }: Incident): void {
  if (!isMajor) throw new Failure(NotMajor);
}

async function unlink(
  ctx: WriteContext<typeof ChildUnlinked>,
  parent: Incident,
  child: Incident,
): Promise<void> {
  const unlinked = await save(ctx, child, { ...child, parentId: null });
  emit(ctx, ChildUnlinked, parent, { child: toSummary(unlinked) });
}

function toSummary({ id, number, title, state }: Incident) {
  return { kind: "incident" as const, id, number, title, state };
}
