import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { macros } from "./macro.ts";
import { textModules } from "./text-module.ts";

let count = 0;

const macroInput = async () => {
  count += 1;
  return { name: `Macro ${count}`, steps: [{ act: "tag", add: [`sample-${count}`] }] };
};
const moduleInput = async () => {
  count += 1;
  return { name: `Text ${count}`, keyword: `text-${count}`, body: "About {{ticket.number}}" };
};
async function incident(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/itsm/incidents", { title: "A sample" });
  return body.data.id;
}

export const samples: readonly Sample[] = [
  ...resourceSamples(macros, macroInput, { description: "Another one" }),
  ...resourceSamples(textModules, moduleInput),
  {
    operation: "text_modules.render",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/itsm/text-modules", await moduleInput());
      return { params: { id: body.data.id }, query: { ticketId: await incident(owner) } };
    },
  },
  {
    operation: "text_modules.preview",
    arrange: async (owner) => ({
      body: { body: "About {{ticket.number}}", ticketId: await incident(owner) },
    }),
  },
  {
    operation: "tickets.bulk",
    arrange: async (owner) => {
      count += 1;
      const acts = [{ act: "tag", add: [`sample-${count}`] }];
      return { body: { ids: [await incident(owner)], acts } };
    },
  },
  {
    operation: "macros.run",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/itsm/macros", await macroInput());
      const ids = [await incident(owner)];
      return { params: { id: body.data.id }, body: { ids }, environmentScoped: false };
    },
  },
  {
    operation: "macros.simulate",
    arrange: async (owner) => {
      const { body } = await owner("POST /api/v1/itsm/macros", await macroInput());
      await incident(owner);
      const macro = { steps: [{ act: "tag", add: ["other"] }], kinds: ["incident"] };
      const span = { from: "2026-01-01T00:00:00.000Z", to: "2126-01-01T00:00:00.000Z" };
      return {
        params: { id: body.data.id },
        body: { macro, ...span, open: true, limit: 2 },
        environmentScoped: false,
      };
    },
  },
];
