import { ExecutorPoint } from "#domains/runs/index.ts";
import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import {
  agentAnswerStep,
  agentApprovalStep,
  agentCheckStep,
  agentDispatchStep,
  agentStep,
} from "./agent-steps.ts";
import { agentTurnStep } from "./agent-turn.ts";
import { knowledgeStep } from "./knowledge-step.ts";
import { llmStep } from "./llm-step.ts";
import { MemoriesRead, MemoriesWrite, MemoryAppended, MemoryDeleted } from "./memory/memory.ts";
import { appendMemory, deleteMemory, getMemory, listMemories } from "./memory/operations.ts";
import { memoryRetentionJob } from "./memory/store.ts";

export const agents = domain({
  name: "agents",
  summary: "Language models in workflows: prompts, agents with tools, and agent memories.",
  permissions: [MemoriesRead, MemoriesWrite],
  events: [MemoryAppended, MemoryDeleted],
  operations: [listMemories, getMemory, appendMemory, deleteMemory],
  jobs: [memoryRetentionJob],
  contributions: [
    contribute(NodeTypePoint, llmStep.type, agentStep.type, knowledgeStep.type),
    contribute(
      ExecutorPoint,
      llmStep,
      knowledgeStep,
      agentStep,
      agentTurnStep,
      agentApprovalStep,
      agentDispatchStep,
      agentAnswerStep,
      agentCheckStep,
    ),
  ],
});
