/** Macros combine repeated actions of agents. */
import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist, TICKET_KINDS } from "../tickets/index.ts";
import { Act } from "./act.ts";
import { MacrosRun, MacrosWrite } from "./permissions.ts";
import { visibleToTeams } from "./team-visibility.ts";
import { textModules } from "./text-module.ts";

export const STEPS_MAX = 20;

export const macroFields = {
  name: line(100),
  description: text(1_000),
  kinds: Type.Array(Type.Enum([...TICKET_KINDS]), {
    uniqueItems: true,
    maxItems: TICKET_KINDS.length,
    description: "Ticket kinds. Empty: all kinds",
  }),
  teamId: nullable(id("tem", "The team that can use it. Null: all teams")),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: "Position. The first nine macros have the keyboard shortcuts 1 to 9",
  }),
  steps: Type.Array(Act, { minItems: 1, maxItems: STEPS_MAX }),
};

const Macro = Type.Object(
  { id: id("mac"), ...macroFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "Macro" },
);

const MacroExists = failure("macro_exists", 409, "Another macro has this name.", "macros_name");

export const macros = resource({
  name: "macro",
  plural: "macros",
  effect: "ordinary",
  path: "/api/v1/itsm/macros",
  table: "macros",
  idPrefix: "mac",
  schema: Macro,
  json: ["steps"],
  input: object({
    ...patch(macroFields).properties,
    name: macroFields.name,
    steps: macroFields.steps,
  }),
  change: patch(macroFields),
  defaults: { description: "", kinds: [], teamId: null, position: 100 },
  permissions: { read: MacrosRun, write: MacrosWrite },
  environmentScoped: false,
  list: {
    order: "position",
    search: ["name", "description"],
    conditions: ({ caller }) => [visibleToTeams(caller, "macros")],
  },
  unique: MacroExists,
  async check(ctx, input) {
    await assertReferencesExist(ctx, { teamId: input.teamId });
    await assertStepsFit(ctx.tx, input.steps ?? []);
    return input;
  },
  docs: {
    noun: "a macro",
    nouns: "macros of your teams and of all teams, in order",
    examples: {
      id: "mac_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Password reset",
        kinds: ["incident"],
        position: 1,
        steps: [
          { act: "take" },
          { act: "comment", body: "Your password was reset." },
          { act: "resolve", resolution: "Reset the password" },
        ],
      },
      change: { position: 2 },
    },
  },
});

/** Throws a failure for a step with neither text nor module, with both, or with a missing module. */
export async function assertStepsFit(tx: Tx, steps: readonly Act[], at = ""): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (step.act !== "comment") continue;
    const { body, textModuleId } = step;
    if ((body === undefined) === (textModuleId === undefined)) {
      throw invalidField(`${at}/steps/${index}`, "must have either a body or a text module");
    }
    if (textModuleId !== undefined && !(await textModules.store.find(tx, textModuleId))) {
      throw invalidField(`${at}/steps/${index}/textModuleId`, "is not the id of a text module");
    }
  }
}
