import Type, { type Static } from "typebox";
import { ActorSchema, EventEnvelope } from "#kernel/log/event.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

const Fan = Type.Object(
  {
    kind: Type.String({ description: "Kind of the members" }),
    count: Type.Integer(),
    statuses: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of members by status; empty for events",
    }),
    sample: Type.Array(Type.Object({ id: Type.String(), label: Type.String() }), {
      description: "The first members",
    }),
    lastAt: Time,
    open: Type.Boolean({
      description: "Whether all members follow, because `open` contains this fan",
    }),
  },
  { title: "TraceFan" },
);

/** A cause or an effect in a trace. Its parent defines its place in the tree. */
export const TraceNode = Type.Object(
  {
    id: Type.String({ description: "Id of the event, run, delivery, execution or fan" }),
    parentId: nullable(Type.String({ description: "Null for a node without a cause in the tree" })),
    kind: Type.String({
      description: "`event`, `run`, `webhook_delivery`, `execution`, or `fan` for a group",
    }),
    type: Type.String({ description: "Type of the event, or kind of the node" }),
    label: Type.String({
      description: "Number or name of the resource, or name of the workflow, webhook or artifact",
    }),
    ofId: Type.Optional(Type.String({ description: "Id of the workflow, webhook or artifact" })),
    status: nullable(Type.String()),
    at: Time,
    finishedAt: Type.Optional(nullable(Time)),
    actor: Type.Optional(ActorSchema),
    resource: Type.Optional(EventEnvelope.properties.resource),
    runId: Type.Optional(Type.String({ description: "The run that caused it" })),
    stepId: Type.Optional(Type.String({ description: "The step of that run" })),
    executionId: Type.Optional(Type.String({ description: "The execution that caused it" })),
    jobId: Type.Optional(Type.String({ description: "The job that caused it" })),
    jobKind: Type.Optional(Type.String({ description: "The type of that job" })),
    causeId: Type.Optional(Type.String({ description: "Its own cause, if the parent is a fan" })),
    focus: Type.Optional(Type.Boolean({ description: "True for the requested resource" })),
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
    rootIds: Type.Array(Type.String(), { description: "Nodes without a parent" }),
    focusIds: Type.Array(Type.String(), {
      description: "The requested nodes. For a resource: its events",
    }),
    nodes: Type.Array(TraceNode, {
      description: "Parents before their children, in order of time",
    }),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of events, runs and other nodes, including those in fans",
    }),
    truncated: Type.Boolean({ description: "Whether there are more nodes" }),
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
