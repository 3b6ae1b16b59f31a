import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import {
  getVariableUsage,
  removeVariableEnvironment,
  setVariableEnvironment,
} from "./operations.ts";
import { variableContent, variableResource, VariablesRead, VariablesWrite } from "./variable.ts";

export { findForeignVariables, findMissingVariables, listValues, readVariables } from "./values.ts";

const { operations, events, store } = variableResource;

export const variables = domain({
  name: "variables",
  summary: "Variables for workflows and scripts, with values by environment.",
  environmentScoped: false,
  permissions: [VariablesRead, VariablesWrite],
  events: [events.created, events.updated, events.deleted],
  operations: [...operations, getVariableUsage, setVariableEnvironment, removeVariableEnvironment],
  contributions: [
    contribute(PackContentPoint, variableContent),
    contribute(UsageCounterPoint, { name: "variables", count: store.count }),
  ],
});
