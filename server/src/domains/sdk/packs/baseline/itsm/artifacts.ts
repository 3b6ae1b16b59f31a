import type { Descriptor } from "../../descriptor.ts";

export const artifactDefinitions: NonNullable<Descriptor["artifactDefinitions"]> = {
  "page-on-call": {
    name: "page-on-call",
    artifactType: "workflow_node",
    moduleKey: "itsm",
    description: "Pages whoever is on call for a service: a step for incidents of priority 1",
    status: "active",
    detail: {
      scriptSource: `export default defineArtifact({
  id: "page-on-call",
  version: "1.0.0",
  inputs: {
    service: { type: "string", required: true },
    summary: { type: "string", required: true },
    source: { type: "string" },
    at: { type: "timestamp" },
  },
  outputs: {
    paged: { type: "boolean", required: true },
    person: { type: "string" },
    pageId: { type: "string" },
  },
  async execute(input, context) {
    const at = input.at ?? new Date().toISOString();
    const [shift] = await context.tables.list("on_call_shifts", {
      filter: { service: input.service, startsAt: { lte: at }, endsAt: { gt: at } },
      sort: "level",
      limit: 1,
    });
    if (!shift) {
      context.log.warn("nobody is on call", { service: input.service, at });
      return { paged: false };
    }
    const page = await context.tables.create("pages", {
      service: input.service,
      summary: input.summary,
      person: shift.person,
      source: input.source ?? null,
    });
    return { paged: true, person: shift.person, pageId: page.id };
  },
});`,
    },
  },
  "priority-of": {
    name: "priority-of",
    artifactType: "data_transformer",
    moduleKey: "itsm",
    description: "The priority that impact and urgency, 1 to 3 each, come to",
    status: "active",
    detail: {
      inputs: {
        impact: { type: "integer", required: true },
        urgency: { type: "integer", required: true },
      },
      outputs: { priority: { type: "integer", required: true } },
      scriptSource: `const level = (value) => Math.min(Math.max(value, 1), 3);
return { priority: level(input.impact) + level(input.urgency) - 1 };`,
    },
  },
};
