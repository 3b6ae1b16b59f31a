import Type from "typebox";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  MemoriesRead,
  MemoriesWrite,
  Memory,
  MemoryAppended,
  MemoryDeleted,
  MemoryId,
  MemoryKey,
  MemoryMessage,
  MemorySummary,
  MESSAGES_MAX,
  TooManyMemories,
} from "./memory.ts";
import * as store from "./store.ts";

const ById = object({ id: MemoryId });
const example = { params: { id: "mem_01jd0000000000000000000000" } };
const LIST = "memories of agents";

export const listMemories = query({
  id: "agent_memories.list",
  route: "GET /api/v1/agent-memories",
  summary: "List agent memories",
  permission: MemoriesRead,
  query: object({ ...pageQuery, key: Type.Optional(MemoryKey) }),
  response: page(withRevision(MemorySummary)),
  async run({ tx, services: { cursors } }, { query: { limit, after, key } }) {
    const [start = ""] = after === undefined ? [] : cursors.decode(LIST, after);
    const rows = await store.listMemories(tx, {
      after: String(start),
      limit: limit + 1,
      ...(key !== undefined && { key }),
    });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ id }) => cursors.encode(LIST, [id]),
    );
  },
});

export const getMemory = query({
  id: "agent_memories.get",
  route: "GET /api/v1/agent-memories/{id}",
  summary: "Get an agent memory",
  permission: MemoriesRead,
  params: ById,
  response: item(Memory),
  fails: [NotFound],
  example,
  async run({ tx }, { params: { id } }) {
    const found = await store.readMemory(tx, { id });
    if (!found) throw new Failure(NotFound);
    return found;
  },
});

export const appendMemory = command({
  id: "agent_memories.append",
  effect: "ordinary",
  route: "POST /api/v1/agent-memories",
  summary: "Add messages to an agent memory",
  description:
    "Agents with a `memory` do the same when they finish. The memory keeps the last `keep` messages, at most 200,000 characters in total. The messages are not written to the event log. A workflow can have 10,000 memories; when it exceeds this limit, the least recently used one is deleted. Memories that are not used for a year are deleted.",
  permission: MemoriesWrite,
  body: object({
    key: MemoryKey,
    messages: Type.Array(MemoryMessage, { minItems: 1, maxItems: MESSAGES_MAX }),
    keep: Type.Optional(Type.Integer({ minimum: 1, maximum: MESSAGES_MAX, default: MESSAGES_MAX })),
  }),
  response: item(Memory),
  emits: [MemoryAppended],
  fails: [TooManyMemories],
  example: {
    body: {
      key: "customer 17",
      messages: [{ role: "user", content: "Where is my order?" }],
      keep: 20,
    },
  },
  async run(ctx, { body }) {
    const { key, keep = MESSAGES_MAX } = body;
    const messages = store.fitMessages(body.messages.slice(-keep));
    const { actor } = ctx.caller;
    const workflowId = actor.type === "workflow" ? actor.id : null;
    const input = { id: newId("mem"), key, messages, keep, workflowId, now: ctx.now };
    const after = await store.appendMessages(ctx.tx, input);
    if (!after) throw new Failure(TooManyMemories);
    const { messageCount } = after;
    ctx.emit(MemoryAppended, { id: after.id, displayName: key }, { key, messageCount });
    return after;
  },
});

export const deleteMemory = command({
  id: "agent_memories.delete",
  route: "DELETE /api/v1/agent-memories/{id}",
  summary: "Delete an agent memory",
  permission: MemoriesWrite,
  params: ById,
  response: noContent(),
  emits: [MemoryDeleted],
  fails: [NotFound],
  example,
  async run(ctx, { params: { id } }) {
    const before = await store.findMemory(ctx.tx, id);
    if (!before) throw new Failure(NotFound);
    ctx.expectRevision(before.revision);
    await store.deleteMemory(ctx.tx, id);
    const { key, messageCount } = before;
    ctx.emit(MemoryDeleted, { id, displayName: key }, { key, messageCount });
  },
});
