import Type from "typebox";
import { AuditRead, EventsRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { makerFields, type RecordedEvent } from "#kernel/log/event.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { buildCauseTree } from "./cause-tree.ts";
import { CauseTree, type TracedThing } from "./trace-node.ts";
import { readTraceSource, type SourceItem, type TraceSource } from "./trace-source.ts";

export const readCauseTree = query({
  id: "traces.get",
  route: "GET /api/v1/trace",
  summary: "Get the causes and effects of a resource",
  description: `In \`of\`, send the id of a resource (for example an event, run, delivery, execution or record) or a ticket number. The tree contains events and the runs, deliveries and executions caused by them. Effects of a step are listed below its run, with a \`stepId\`. Events of the run are also listed below the run. More than 3 nodes of the same kind and parent are grouped into a \`fan\`, which contains their number and the first nodes; \`open\` takes the ids of fans to expand. The tree includes at most 5,000 events from the start of a chain, 5,000 after the focus, and 2,000 nodes; \`truncated\` is true if there were more. Nodes that you can't view are omitted, and their effects take their place: runs require \`workflows:read\`, deliveries \`webhooks:read\`, events of the topic \`audit\` \`${AuditRead.name}\`.`,
  permission: EventsRead,
  query: object({
    of: line(200, "Id of a resource or number of a ticket"),
    open: Type.Optional(line(2_000, "Ids of fans, separated by commas")),
  }),
  response: item(CauseTree),
  example: { query: { of: "run_01jd0000000000000000000000" } },
  run: (ctx, { query: { of, open } }) => buildTrace(ctx, of, open?.split(",") ?? []),
});

async function buildTrace(
  ctx: ReadContext,
  of: string,
  open: readonly string[],
): Promise<CauseTree> {
  const source = await readTraceSource(ctx, of);
  const things = toThings(source);
  const { focus } = source;
  const { nodes, truncated } = buildCauseTree(things, { focusIds: focus.ids, open });
  const unhidden = things.filter(({ hidden }) => hidden !== true);
  const counts = Object.fromEntries(
    [...Map.groupBy(unhidden, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  );
  return {
    of: { kind: focus.kind, id: focus.id },
    rootIds: nodes.filter(({ parentId }) => parentId === null).map(({ id }) => id),
    focusIds: nodes.filter((node) => node.focus).map(({ id }) => id),
    nodes,
    counts,
    truncated: truncated || source.truncated,
  };
}

function toThings({ events, visible, items }: TraceSource): TracedThing[] {
  const causes = new Map<string, string>();
  for (const { madeBy, causationId } of events) {
    if (madeBy && causationId !== null && !causes.has(madeBy.id))
      causes.set(madeBy.id, causationId);
  }
  return [
    ...events.map((event) => toEventThing(event, visible.get(event.id))),
    ...items.map((one) => toItemThing(one, one.causationId ?? causes.get(one.id))),
  ];
}

function toEventThing(event: RecordedEvent, visible: RecordedEvent | undefined): TracedThing {
  const { id, type, actor, resource, madeBy, causationId, createdAt } = visible ?? event;
  const maker = madeBy ? [madeBy.id] : [];
  return {
    id,
    kind: "event",
    type,
    label: resource.number ?? resource.displayName ?? resource.id,
    status: null,
    at: createdAt,
    actor: { ...actor },
    resource: { ...resource },
    ...makerFields(madeBy),
    parents: [
      ...(resource.type === "run" ? [resource.id] : []),
      ...maker,
      ...(causationId === null ? [] : [causationId]),
    ],
    fanKey: ["event", type, toNodeKey(madeBy?.stepId)].join(" "),
    ...(!visible && { hidden: true }),
  };
}

function toItemThing(one: SourceItem, causationId: string | undefined): TracedThing {
  const { id, kind, of, status, createdAt, finishedAt, madeBy, summary } = one;
  return {
    id,
    kind,
    type: kind,
    label: of?.name ?? summary,
    ...(of && { ofId: of.id }),
    status,
    at: createdAt,
    ...(finishedAt !== undefined && { finishedAt }),
    ...makerFields(madeBy),
    parents: [...(madeBy ? [madeBy.id] : []), ...(causationId === undefined ? [] : [causationId])],
    fanKey: [kind, of?.id ?? "", toNodeKey(madeBy?.stepId)].join(" "),
  };
}

/** The step's place in the definition, which is the same for all items of a loop. */
function toNodeKey(stepId: string | undefined): string {
  return stepId?.replaceAll(/\[\d+\]/g, "") ?? "";
}
