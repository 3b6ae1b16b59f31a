/** Major incidents: what is told to many, and the incidents that come of the same cause. */
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { invalidTransition } from "../tickets/index.ts";
import {
  ChildLinked,
  ChildUnlinked,
  IncidentBroadcast,
  MajorDeclared,
  MajorEnded,
} from "./incident.ts";
import { incidentEventData, type Incident, incidentMachine, incidentRef } from "./incident.ts";
import { write } from "./service.ts";
import * as store from "./store.ts";

const CHILDREN_MAX = 500;

export const NotMajor = failure(
  "incident_not_major",
  409,
  "Only a major incident has that; declare it one first.",
);
export const AlreadyMajor = failure(
  "incident_already_major",
  409,
  "The incident is a major one already.",
);
export const IsChild = failure(
  "incident_is_child",
  409,
  "An incident is the child of one major incident at most, and of none if it is one itself.",
);
export const TooManyChildren = failure(
  "incident_too_many_children",
  409,
  `A major incident has at most ${CHILDREN_MAX} children.`,
);

/** Makes an incident a major one. */
export async function declareMajor(
  ctx: WriteContext<typeof MajorDeclared>,
  ref: string,
  reason: string | null,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  const { state } = before;
  if (incidentMachine.finalStates.some((ended) => ended === state)) {
    throw invalidTransition(
      incidentMachine,
      state,
      `What is ${state} can't become a major incident.`,
    );
  }
  if (before.isMajor) throw new Failure(AlreadyMajor);
  if (before.parentId !== null) throw new Failure(IsChild);
  const now = write(ctx, { ...before, isMajor: true });
  ctx.emit(MajorDeclared, incidentRef(now), { ...incidentEventData(now), reason });
  return now;
}

/** Makes a major incident an ordinary one, which has no children. */
export async function endMajor(
  ctx: WriteContext<typeof MajorEnded | typeof ChildUnlinked>,
  ref: string,
): Promise<Incident> {
  const before = await store.lock(ctx.tx, ref);
  ctx.expectRevision(before.revision);
  if (!before.isMajor) throw new Failure(NotMajor);
  for (const child of await store.lockChildren(ctx.tx, before.id)) unlink(ctx, before, child);
  const now = write(ctx, { ...before, isMajor: false });
  ctx.emit(MajorEnded, incidentRef(now), incidentEventData(now));
  return now;
}

/** Makes one incident the child of another, and answers with the child. */
export async function addChild(
  ctx: WriteContext<typeof ChildLinked>,
  ref: string,
  childRef: string,
): Promise<Incident> {
  const parent = await store.lock(ctx.tx, ref);
  ctx.expectRevision(parent.revision);
  if (!parent.isMajor) throw new Failure(NotMajor);
  const child = await store.lockAny(ctx.tx, childRef);
  if (!child) throw invalidField("/incidentId", "is not an incident");
  if (child.id === parent.id) throw invalidField("/incidentId", "is the incident itself");
  if (child.parentId === parent.id) return child;
  if (child.parentId !== null || child.isMajor) throw new Failure(IsChild);
  if ((await store.countChildren(ctx.tx, parent.id)) >= CHILDREN_MAX) {
    throw new Failure(TooManyChildren);
  }
  const now = write(ctx, { ...child, parentId: parent.id });
  ctx.emit(ChildLinked, incidentRef(parent), {
    ...incidentEventData(parent),
    child: summaryOf(now),
  });
  return now;
}

/** Makes a child an incident of its own again. */
export async function removeChild(
  ctx: WriteContext<typeof ChildUnlinked>,
  ref: string,
  childRef: string,
): Promise<void> {
  const parent = await store.lock(ctx.tx, ref);
  ctx.expectRevision(parent.revision);
  const child = await store.lock(ctx.tx, childRef);
  if (child.parentId !== parent.id) throw new Failure(NotFound);
  unlink(ctx, parent, child);
}

/** Tells all who have to do with a major incident and its children; the log carries it to them. */
export async function broadcast(
  ctx: WriteContext<typeof IncidentBroadcast>,
  ref: string,
  message: string,
): Promise<Incident> {
  const incident = await store.get(ctx.tx, ref);
  ctx.expectRevision(incident.revision);
  if (!incident.isMajor) throw new Failure(NotMajor);
  ctx.emit(IncidentBroadcast, incidentRef(incident), { ...incidentEventData(incident), message });
  return incident;
}

function unlink(ctx: WriteContext<typeof ChildUnlinked>, parent: Incident, child: Incident): void {
  const now = write(ctx, { ...child, parentId: null });
  ctx.emit(ChildUnlinked, incidentRef(parent), {
    ...incidentEventData(parent),
    child: summaryOf(now),
  });
}

function summaryOf({ id, number, title, state }: Incident) {
  return { kind: "incident" as const, id, number, title, state };
}
