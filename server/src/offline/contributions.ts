/** The domain contributions without a server: all node types, and the executors of purely computing ones. */
import {
  agentAnswerStep,
  agentCheckStep,
  agentDispatchStep,
  agentStep,
} from "#domains/agents/agent-steps.ts";
import { fileRead, fileWrite } from "#domains/documents/node-types.ts";
import { ExecutorPoint } from "#domains/runs/steps/executor.ts";
import { plannedExecutors, pureExecutors } from "#domains/runs/steps/pure-executors.ts";
import { type StepHost, StepHostPoint } from "#domains/runs/host/step-host.ts";
import { StepFailure } from "#domains/runs/steps/step-error.ts";
import { customNode, isCustomType } from "#domains/sdk/execution/custom-node.ts";
import * as types from "#domains/workflows/definition/index.ts";
import { NodeFamilyPoint, NodeTypePoint } from "#domains/workflows/node-types.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import { type Contribution, contribute } from "#kernel/extension-point.ts";

/** The types in addition to those of `pureExecutors`. A test compares all with a server's. */
const OUTSIDE_TYPES = [
  types.http,
  types.script,
  types.artifact,
  types.connector,
  types.publishEvent,
  types.notify,
  types.records,
  types.ticket,
  types.knowledgeSearch,
  types.llm,
  types.savedQuery,
  types.savedReport,
  types.state,
  types.delay,
  types.waitForEvent,
  types.waitForCall,
  types.waitForForm,
  types.approval,
  types.subworkflow,
  fileRead,
  fileWrite,
] as unknown as readonly types.NodeType[];

/** The contributions for a folder with these variables. */
export function offlineContributions(
  variables: Readonly<Record<string, unknown>>,
): readonly Contribution[] {
  return [
    contribute(
      NodeTypePoint,
      ...pureExecutors.map(({ type }) => type),
      agentStep.type,
      ...OUTSIDE_TYPES,
    ),
    contribute(NodeFamilyPoint, {
      like: customNode,
      names: isCustomType,
      list: async () => [],
      findMissing: async () => [],
    }),
    contribute(
      ExecutorPoint,
      ...pureExecutors,
      ...plannedExecutors,
      agentStep,
      agentDispatchStep,
      agentAnswerStep,
      agentCheckStep,
    ),
    contribute(StepHostPoint, offlineHost(variables)),
  ];
}

/** The host of steps without a server, which only has the folder's variables. */
function offlineHost(variables: Readonly<Record<string, unknown>>): StepHost {
  return {
    rights: () => refuse("rights"),
    workspace: () => refuse("a workspace"),
    perform: () => refuse("operations"),
    files: () => NO_FILES,
    beginText: () => () => undefined,
    async variables(_platform, _run, names) {
      if (names.includes(ANY_NAME)) return variables;
      const absent = names.find((name) => !Object.hasOwn(variables, name));
      if (absent === undefined) return variables;
      throw new StepFailure("unknown_variable", `The variable ${absent} does not exist.`, {
        retryable: false,
      });
    },
  };
}

/** Computing steps open no files. */
const NO_FILES = {
  within: () => NO_FILES,
  open: () => refuse("files"),
  keep: () => refuse("files"),
} as unknown as ReturnType<StepHost["files"]>;

async function refuse(what: string): Promise<never> {
  const message = `Tests without a server can't use ${what}. Record the run again.`;
  throw new StepFailure("not_recorded", message, { retryable: false });
}
