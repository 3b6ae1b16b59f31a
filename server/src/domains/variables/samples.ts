import { createsItem, resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import { variableResource } from "./variable.ts";

let count = 0;

async function freshVariable() {
  count += 1;
  return { name: `SAMPLE_${count}`, value: { size: 1 }, environments: { staging: [2] } };
}

const stored = createsItem(variableResource, freshVariable);
const storedThere: Sample["arrange"] = async (owner, world) => {
  const { params, ...rest } = await stored(owner, world);
  return { params: { ...params, environment: "staging" }, ...rest };
};

export const samples: readonly Sample[] = [
  ...resourceSamples(variableResource, freshVariable),
  { operation: "variables.get_usage", arrange: stored },
  {
    operation: "variables.set_environment",
    arrange: async (owner, world) => ({
      ...(await storedThere(owner, world)),
      body: { value: "another" },
    }),
  },
  { operation: "variables.remove_environment", arrange: storedThere },
];
