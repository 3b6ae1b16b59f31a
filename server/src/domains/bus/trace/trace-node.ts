import Type, { type Static } from "typebox";
import { ActorSchema, EventEnvelope } from "#kernel/log/event.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

const Fan = Type.Object(
  {
    kind: Type.String({ description: "Of its members" }),
    count: Type.Integer(),
    statuses: Type.Record(Type.String(), Type.Integer(), {
      description: "How many members have each status; empty for events",
    }),
    sample: Type.Array(Type.Object({ id: Type.String(), label: Type.String() }), {
      description: "The first members",
    }),
    lastAt: Time,
    open: Type.Boolean({ description: "Whether its members follow, as asked for by `open`" }),
  },
  { title: "TraceFan" },
);

/** A cause or an effect in a trace. Its parent defines its place in the tree. */
export const TraceNode = Type.Object(
  {
    id: Type.String({ description: "Of the event, run, delivery or execution; or of a fan" }),
    parentId: nullable(Type.String({ description: "Null for what nothing here is the cause of" })),
    kind: Type.String({
      description: "`event`, `run`, `webhook_delivery`, `execution`, or `fan` for many of a kind",
    }),
    type: Type.String({ description: "The type of an event; of others what they are" }),
    label: Type.String({
      description: "The number or name of the resource; the workflow, webhook or artifact",
    }),
    ofId: Type.Optional(
      Type.String({ description: "The id of the workflow, webhook or artifact" }),
    ),
    status: nullable(Type.String()),
    at: Time,
    finishedAt: Type.Optional(nullable(Time)),
    actor: Type.Optional(ActorSchema),
    resource: Type.Optional(EventEnvelope.properties.resource),
    runId: Type.Optional(Type.String({ description: "The run that made it" })),
    stepId: Type.Optional(Type.String({ description: "The step of that run" })),
    executionId: Type.Optional(Type.String({ description: "The execution that made it" })),
    jobId: Type.Optional(Type.String({ description: "The job that made it" })),
    jobKind: Type.Optional(Type.String({ description: "What that job does" })),
    causeId: Type.Optional(
      Type.String({ description: "Its own cause, where the parent is a fan of several" }),
    ),
    focus: Type.Optional(Type.Boolean({ description: "True for what was asked for" })),
    fan: Type.Optional(Fan),
  },
  { title: "TraceNode" },
);
export type TraceNode = Static<typeof TraceNode>;

export const CauseTree = Type.Object(
  {
    of: Type.Object({
      kind: Type.String({ description: "`event`, `run`, …, or `resource`" }),
      id: Type.String(),
    }),
    rootIds: Type.Array(Type.String(), { description: "The nodes without a parent" }),
    focusIds: Type.Array(Type.String(), {
      description: "The nodes that were asked for: of a resource, its events",
    }),
    nodes: Type.Array(TraceNode, {
      description: "Parents before their children, in order of time",
    }),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: "How many events, runs and others there are, folded ones included",
    }),
    truncated: Type.Boolean({ description: "Whether there was more than was read" }),
  },
  { title: "CauseTree" },
);
export type CauseTree = Static<typeof CauseTree>;

/** An event, a run or another item of a trace before it has its place. */
export interface TracedThing extends Omit<TraceNode, "parentId" | "causeId" | "focus" | "fan"> {
  /** The ids of its possible parents, best first. The first known one is used. */
  readonly parents: readonly string[];
  /** Items with the same key under one parent form a fan. */
  readonly fanKey: string;
  readonly hidden?: boolean;
}
