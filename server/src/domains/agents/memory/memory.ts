import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, object, text, Time } from "#kernel/schema/schema.ts";

/** The limits of one memory: older messages are deleted. */
export const MESSAGES_MAX = 100;
export const MESSAGE_CHARACTERS_MAX = 20_000;
/** The total limit of one memory: the oldest messages beyond it are deleted. */
export const MEMORY_CHARACTERS_MAX = 200_000;
export const MEMORIES_MAX = 100_000;
/** The limit per workflow: a chat creates one for each visitor, and the least recently used is deleted. */
export const MEMORIES_OF_WORKFLOW_MAX = 10_000;
/** The retention time of an unused memory. */
export const UNUSED_DAYS = 365;

export const MemoryId = id("mem");
export const MemoryKey = line(500, "The key from the configuration of the agent");

/** A message that is remembered. */
export const MemoryMessage = object(
  {
    role: Type.Enum(["user", "assistant"]),
    content: text(MESSAGE_CHARACTERS_MAX),
  },
  { title: "AgentMemoryMessage" },
);
export type MemoryMessage = Static<typeof MemoryMessage>;

const fields = {
  id: MemoryId,
  key: MemoryKey,
  messageCount: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
};

/** A memory in a list, without its messages. */
export const MemorySummary = Type.Object(fields, { title: "AgentMemorySummary" });
export type MemorySummary = Static<typeof MemorySummary> & { readonly revision: number };

/** The memory of a conversation. */
export const Memory = Type.Object(
  { ...fields, messages: Type.Array(MemoryMessage) },
  { title: "AgentMemory" },
);
export type Memory = Static<typeof Memory> & { readonly revision: number };

export const MemoriesRead = permission("agent_memories:read", "View agent memories", ["builder"]);
export const MemoriesWrite = permission(
  "agent_memories:write",
  "Add to agent memories, and delete them",
  ["builder"],
);

export const TooManyMemories = failure(
  "too_many_agent_memories",
  409,
  `An environment can have at most ${MEMORIES_MAX} agent memories. Delete some of them first.`,
);

// The log does not contain the messages, so that deleting a memory removes them.
const data = Type.Object({ key: MemoryKey, messageCount: Type.Integer() });
const resource = "agent_memory";

export const MemoryAppended = event("agent_memory.appended", {
  resource,
  summary: "Messages were added to an agent memory. The event does not contain them.",
  data,
});

export const MemoryDeleted = event("agent_memory.deleted", {
  resource,
  summary: "An agent memory was deleted.",
  data,
});
